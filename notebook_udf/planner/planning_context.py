"""What the planner needs of the session."""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from pyspark.sql import DataFrame

from notebook_udf.planner.physical.in_java import Listed
from notebook_udf.registry import RegisteredFunction
from notebook_udf.specs.aggregate_layout import AggregateLayout
from notebook_udf.specs.roles import Role
from notebook_udf.specs.window_layout import WindowLayout

# An async function, the role it is called in, and how many columns it takes.
Member: TypeAlias = tuple[RegisteredFunction, Role, int]


class NamingContext(Protocol):
    """The names that a rewritten query can use."""

    @property
    def listed(self) -> Listed:
        """Which calls run in Spark's JVM."""

    def hidden_name(self, record: RegisteredFunction, role: Role) -> str:
        """Registers a function in a role in Spark; returns its name as SQL text."""

    def view(self, rows: DataFrame) -> str:
        """The name of a temporary view of rows, until planning is over."""

    def built_in_aggregates(self) -> Container[str]:
        """The names of Spark's own aggregate functions, in lower case."""


@dataclass(frozen=True)
class SortKey:
    """A column to sort by."""

    column: str
    descending: bool
    nulls_first: bool


class Passes(Protocol):
    """Passes over rows, for what no query expresses: see ``physical.aggregate``."""

    def partial_rows(
        self, rows: DataFrame, layout: AggregateLayout, records: Sequence[RegisteredFunction]
    ) -> DataFrame:
        """``rows`` with accumulators of each partition."""

    def passed_rows(self, rows: DataFrame) -> DataFrame:
        """``rows`` marked as those of the query itself, which are no accumulators."""

    def window_rows(
        self,
        rows: DataFrame,
        layout: WindowLayout,
        records: Sequence[RegisteredFunction],
        partition: Sequence[str],
        order: Sequence[SortKey],
    ) -> DataFrame:
        """``rows`` with a column of results per function, over one window."""


class PlanningContext(NamingContext, Protocol):
    """The session as the planner uses it: names, queries to Spark, and passes over rows."""

    @property
    def passes(self) -> Passes:
        """The passes over rows."""

    def run(self, query: str) -> DataFrame:
        """The DataFrame of a query, analysed by Spark; it counts as a step."""

    def ask(self, query: str) -> DataFrame:
        """The same if only its columns are of interest: it is no step."""

    def parse(self, query: str) -> str:
        """The plan that Spark's parser makes, as a text that is the same for equal plans.

        Raises
        ------
        ParseException
            If Spark cannot parse the query.
        """

    def optimize(self, rows: DataFrame) -> bool:
        """Has Spark optimize the plan of rows; returns whether there is access to the plan.

        Raises
        ------
        PySparkException
            If Spark's optimizer refuses the plan.
        """

    def double_quoted_identifiers(self) -> bool:
        """Whether text in double quotes is an identifier."""

    def hidden_node(self, members: Sequence[Member]) -> str:
        """Registers a node of several async functions in Spark; returns its name as SQL text."""
