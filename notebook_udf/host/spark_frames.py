"""DataFrames under names in SQL, and DataFrames that stay what they were."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


class NamedFrames(Protocol):
    """Queries over DataFrames under names, until ``clear``. A DataFrame that was made by then keeps
    the rows, not the name."""

    def format(self, query: str, values: Mapping[str, Any]) -> str:
        """Fills the ``{name}`` places of a query, as ``spark.sql`` does; DataFrames among the
        values get names."""

    def name(self, frame: DataFrame, name: str) -> None:
        """Gives a DataFrame a name."""

    def query(self, text: str, parameters: Any = None) -> DataFrame:
        """The DataFrame of a query, in which the names may stand.

        ``parameters`` are ``args`` of ``spark.sql``; None for none.
        """

    def clear(self) -> None:
        """Takes the names back."""


class SparkFrames(Protocol):
    """DataFrames of a session."""

    @property
    def frame_class(self) -> type | None:
        """The class of DataFrames that Spark analyses again at each action; None if it does not."""

    def named(self) -> NamedFrames:
        """New names."""

    def steady(self, frame: DataFrame) -> DataFrame:
        """A DataFrame with the same rows, whose functions and views are those of now.

        Where Spark analyses a DataFrame only once, that is the DataFrame itself.
        """

    def hold(self, frame: DataFrame, others: Sequence[DataFrame]) -> None:
        """Keeps other DataFrames as they are, which stand in the query of this one by name, for as
        long as there is this one."""
