"""What a Column was made of, which PySpark does not tell."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from pyspark.sql import Column


@dataclass(frozen=True)
class WrittenCall:
    """A call of one of Spark's functions, as it was made on columns.

    Attributes
    ----------
    name
        As it was written.
    arguments
        The arguments in the parentheses; none for a star alone, as in ``count(*)``.
    """

    name: str
    arguments: tuple[Column, ...]
    distinct: bool = False


class SparkColumns(Protocol):
    """Reads Columns."""

    def name(self, column: Column) -> str:
        """The name that Spark gives a column."""

    def written(self, column: Column) -> WrittenCall | str | None:
        """The call that a column is, without its alias, or the SQL text that it was made of.

        None for anything else, and for a call of a star with more.
        """

    def attribute(self, column: Column) -> str | None:
        """The name of a column that is nothing but an unqualified name; None for any other."""

    def is_constant(self, column: Column) -> bool:
        """Whether it is a constant, cast or not."""
