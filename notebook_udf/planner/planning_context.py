"""What planning asks of the session that it is done for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from pyspark.sql import DataFrame

from notebook_udf.registry import RegisteredFunction
from notebook_udf.specs.aggregate_layout import AggregateLayout
from notebook_udf.specs.roles import Role
from notebook_udf.specs.window_layout import WindowLayout

# An async function, the role it is called in, and how many columns it takes.
Member: TypeAlias = tuple[RegisteredFunction, Role, int]


class NamingContext(Protocol):
    """What can be named in a query."""

    def hidden_name(self, record: RegisteredFunction, role: Role) -> str:
        """The name of a function in a role, known to Spark, as it can stand in SQL."""

    def view(self, rows: DataFrame) -> str:
        """A name for rows, as long as a query is planned."""

    def built_in_aggregates(self) -> frozenset[str]:
        """The names of Spark's own aggregate functions, in lower case."""


@dataclass(frozen=True)
class SortKey:
    """A column to sort by."""

    column: str
    descending: bool
    nulls_first: bool


class Passes(Protocol):
    """What rules have done with rows besides queries: see ``physical.aggregate``."""

    def partial_rows(
        self, rows: DataFrame, layout: AggregateLayout, records: Sequence[RegisteredFunction]
    ) -> DataFrame:
        """The rows with the accumulators of each partition."""

    def passed_rows(self, rows: DataFrame) -> DataFrame:
        """The rows, marked as those of the query itself."""

    def window_rows(
        self,
        rows: DataFrame,
        layout: WindowLayout,
        records: Sequence[RegisteredFunction],
        partition: Sequence[str],
        order: Sequence[SortKey],
    ) -> DataFrame:
        """The rows with the results of the functions over one window."""


class PlanningContext(NamingContext, Protocol):
    """Names, Spark's answers, and passes over rows."""

    @property
    def passes(self) -> Passes:
        """What can be done with rows."""

    def run(self, query: str) -> DataFrame:
        """Spark's answer to a query, analysed."""

    def ask(self, query: str) -> DataFrame:
        """The same, where only its columns are looked at: it is no step on the way."""

    def parse(self, query: str) -> str:
        """The plan that Spark's parser reads, in a form in which equal plans are equal.

        Raises
        ------
        ParseException
            If it reads none.
        """

    def optimize(self, rows: DataFrame) -> bool:
        """Has Spark optimize the plan of rows; whether there is a plan to be had.

        Raises
        ------
        PySparkException
            What Spark's optimizer says of it.
        """

    def double_quoted_identifiers(self) -> bool:
        """Whether text in double quotes is a name."""

    def hidden_node(self, members: Sequence[Member]) -> str:
        """The SQL name of several async functions in one node, known to Spark."""
