"""Plans: what Spark's parser and planner make of a query."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from notebook_udf.host.raw_plan import RawNode

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


@dataclass(frozen=True)
class PlanReading:
    """A DataFrame's current plan; ``initial`` is the plan before it ran, if that has changed."""

    root: RawNode
    initial: RawNode | None
    adaptive: bool
    final: bool


class SparkPlans(Protocol):
    """What Spark makes of texts and DataFrames before it runs them."""

    def is_query(self, text: str) -> bool:
        """Whether a text is a query and no command; commands run as soon as they are planned.

        True for a text that does not parse: planning it raises the error.
        """

    def parsed(self, query: str) -> str:
        """The plan that Spark's parser makes of a query, as text with Spark's numbers in it.

        Raises
        ------
        ParseException
            If Spark cannot parse the query.
        """

    def optimize(self, frame: DataFrame) -> bool:
        """Has Spark optimize a DataFrame's plan now; returns whether that can be asked for.

        Raises
        ------
        PySparkException
            If Spark's optimizer refuses the plan.
        """

    def runs_python(self, frame: DataFrame) -> bool:
        """Whether a Python function is in a DataFrame's plan, that of a command included."""


class PlanTrees(Protocol):
    """The plans of DataFrames as trees, with the operators' columns, functions and metrics."""

    def read(self, frame: DataFrame) -> PlanReading:
        """Reads the plan of a DataFrame, without running it."""

    def logical(self, frame: DataFrame) -> tuple[str, str]:
        """Spark's logical plans of a DataFrame as text: analysed, and optimised."""

    def shape(self, frame: DataFrame) -> int:
        """A number that changes whenever Spark changes a DataFrame's plan."""
