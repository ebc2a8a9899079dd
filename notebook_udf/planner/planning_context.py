"""What planning asks of the session that it is done for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, TypeAlias

from pyspark.sql import DataFrame

from notebook_udf.registry import RegisteredFunction
from notebook_udf.specs.roles import Role

# An async function, the role it is called in, and how many columns it takes.
Member: TypeAlias = tuple[RegisteredFunction, Role, int]


class Names(Protocol):
    """What can be named in a query."""

    def hidden_name(self, record: RegisteredFunction, role: Role) -> str:
        """The name of a function in a role, known to Spark, as it can stand in SQL."""

    def view(self, rows: DataFrame) -> str:
        """A name for rows, as long as a query is planned."""

    def built_in_aggregates(self) -> frozenset[str]:
        """The names of Spark's own aggregate functions, in lower case."""


class PlanningContext(Names, Protocol):
    """Names, and Spark's answers."""

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

    def double_quoted_identifiers(self) -> bool:
        """Whether text in double quotes is a name."""

    def hidden_node(self, members: Sequence[Member]) -> str:
        """The SQL name of several async functions in one node, known to Spark."""
