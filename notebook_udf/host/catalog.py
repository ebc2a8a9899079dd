"""Spark's catalog beyond PySpark's: built-in functions, and the definitions of tables."""

from __future__ import annotations

from collections.abc import Container, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from notebook_udf.sanitize import backquoted

DEFAULT_DATABASE = "default"
MANAGED, VIEW = "MANAGED", "VIEW"


@dataclass(frozen=True)
class KeptTable:
    """A table, a view, or, without ``name``, a database.

    Attributes
    ----------
    state
        A text that differs when anything about it has changed; of a database, what follows its
        name in the statement that creates it.
    kind
        ``MANAGED``, ``EXTERNAL``, ``VIEW``; "" for a database.
    within
        The current database of a view's query.
    """

    database: str
    name: str = ""
    state: str = ""
    kind: str = ""
    within: str = ""

    @property
    def sql(self) -> str:
        """Its qualified name, quoted for SQL."""
        return ".".join(map(backquoted, filter(None, (self.database, self.name))))


@dataclass(frozen=True)
class TableLocation:
    """Where the rows of a table are: a path of this machine, and its text as SQL takes it."""

    path: Path
    text: str


class TableCatalog(Protocol):
    """A catalog of tables that is in memory, and ends with Spark."""

    def entries(self) -> Iterator[KeptTable]:
        """Its entries now, without temporary views; of the default database only what is in it."""

    def location(self, table: KeptTable) -> TableLocation:
        """Where Spark keeps a managed table's rows."""

    def tracks_partitions(self, table: KeptTable) -> bool:
        """Whether it has a list of a table's partitions: none is in it for a new table."""

    def manage(self, table: KeptTable) -> None:
        """Makes a table managed, so that dropping it removes its rows as well."""


class SparkCatalog(Protocol):
    """Spark's catalog."""

    def built_in_aggregates(self) -> Container[str]:
        """The names of Spark's own aggregate functions, in lower case."""

    @property
    def tables(self) -> TableCatalog | None:
        """The tables; None where their definitions cannot be read or set."""
