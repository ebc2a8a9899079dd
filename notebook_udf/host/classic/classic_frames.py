"""DataFrames of a classic session: each is analysed once, when it is made."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pyspark.sql.sql_formatter import SQLStringFormatter

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


class ClassicFrames:
    """See ``SparkFrames``."""

    frame_class = None

    def __init__(self, spark: SparkSession) -> None:
        self._spark = spark

    def named(self) -> TemporaryViews:
        """See ``SparkFrames``."""
        return TemporaryViews(self._spark)

    def steady(self, frame: DataFrame) -> DataFrame:
        """See ``SparkFrames``."""
        return frame

    def hold(self, frame: DataFrame, others: Sequence[DataFrame]) -> None:
        """See ``SparkFrames``: each has its rows already."""


class TemporaryViews:
    """See ``NamedFrames``."""

    def __init__(self, spark: SparkSession) -> None:
        self._spark = spark
        self._formatter = SQLStringFormatter(spark)
        self._views: list[str] = []

    def format(self, query: str, values: Mapping[str, Any]) -> str:
        """See ``NamedFrames``."""
        return str(self._formatter.format(query, **values)) if values else query

    def name(self, frame: DataFrame, name: str) -> None:
        """See ``NamedFrames``."""
        frame.createOrReplaceTempView(name)
        self._views.append(name)

    def query(self, text: str, parameters: Any = None) -> DataFrame:
        """See ``NamedFrames``."""
        given = () if parameters is None else (parameters,)
        return self._spark.sql(text, *given)

    def clear(self) -> None:
        """See ``NamedFrames``."""
        for name in self._views:
            self._spark.catalog.dropTempView(name)
        self._views = []
        self._formatter.clear()
