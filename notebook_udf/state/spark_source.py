"""A streaming query's state as Spark stores it, read through Spark's own sources.

Rows are as in the checkpoint; ``reader`` interprets them.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, DataFrameReader, SparkSession

from notebook_udf.errors import SessionError
from notebook_udf.host.streams import SparkStreams

TIMERS = "TimerState"
_UNCOMMITTED = "STDS_COMMITTED_BATCH_UNAVAILABLE"


@dataclass(frozen=True)
class StatefulOperator:
    """An operator of a query that keeps state: Spark's number and name, variables and kinds."""

    id: int
    name: str
    variables: dict[str, str]


class Stored:
    """The state of one checkpoint.

    Attributes
    ----------
    variables
        The state variables by name, with their kind.
    operators
        The operators that keep state.
    batches
        The first and the last batch whose state can be read.

    Raises
    ------
    SessionError
        If the folder holds no state.
    """

    def __init__(self, spark: SparkSession, checkpoint: str) -> None:
        self.checkpoint = checkpoint
        self.spark = spark
        self.variables: dict[str, str] = {}
        self._operators: dict[str, int] = {}
        operators: dict[int, StatefulOperator] = {}
        first, last = [], []
        for row in self._metadata():
            first.append(row["minBatchId"])
            last.append(row["maxBatchId"])
            number = row["operatorId"]
            operator = operators.setdefault(
                number, StatefulOperator(number, row["operatorName"], {})
            )
            found = json.loads(row["operatorProperties"] or "{}").get("stateVariables", ())
            for variable in found:
                operator.variables[variable["stateName"]] = variable["stateVariableType"]
                self._operators[variable["stateName"]] = number
            self.variables |= operator.variables
        self.operators = tuple(operators.values())
        self.batches = (max(first), max(last))

    def read(self, variable: str, batch: int | None = None) -> DataFrame:
        """The rows of a variable.

        Raises
        ------
        SessionError
            If no batch was committed yet.
        """
        reader = self._reader(variable, batch).option("stateVarName", variable)
        try:
            return _without_expiry(reader.load(self.checkpoint))
        except PySparkException as error:
            if error.getCondition() == _UNCOMMITTED:
                raise SessionError(
                    f"the query of {self.checkpoint} has not committed a batch yet"
                ) from error
            raise

    def changes(self, variable: str, first: int, last: int) -> DataFrame:
        """The changes to a variable in the batches ``first`` to ``last``: its rows with
        ``batch_id``, and ``change_type``, which is ``update`` or ``delete``; those of one key in
        the order in which they were made."""
        reader = self._reader(variable, None).option("stateVarName", variable)
        reader = reader.option("readChangeFeed", True)
        reader = reader.option("changeStartBatchId", first).option("changeEndBatchId", last)
        return _without_expiry(reader.load(self.checkpoint))

    def timers(self, variable: str, batch: int | None = None) -> DataFrame:
        """Keys and times of the timers of a variable."""
        reader = self._reader(variable, batch).option("readRegisteredTimers", True)
        return reader.load(self.checkpoint)

    def _reader(self, variable: str, batch: int | None) -> DataFrameReader:
        reader = self.spark.read.format("statestore")
        reader = reader.option("operatorId", self._operators[variable])
        return reader if batch is None else reader.option("batchId", batch)

    def _metadata(self) -> list[Any]:
        try:
            rows = self.spark.read.format("state-metadata").load(self.checkpoint).collect()
        except Exception as error:
            raise SessionError(f"{self.checkpoint} is no checkpoint with state: {error}") from error
        if not rows:
            raise SessionError(
                f"{self.checkpoint} is no checkpoint with state: nothing is there, or its query "
                f"keeps no state"
            )
        return list(rows)


def _without_expiry(rows: DataFrame) -> DataFrame:
    """Rows of state with just their values, without the expiry times that Spark may add."""
    for name in ("value", "user_map_value", "list_element"):
        if name in rows.columns and "ttlExpirationMs" in rows.schema[name].dataType.names:
            rows = rows.withColumn(name, rows[name]["value"])
    return rows


def checkpoint_of(streams: SparkStreams, query: Any) -> str:
    """The checkpoint folder of a query, or a path as text.

    Raises
    ------
    SessionError
        If it is neither a query nor a path.
    """
    found = streams.checkpoint_of(query)
    if found is not None:
        return found
    if isinstance(query, str) or hasattr(query, "__fspath__"):
        return str(query)
    raise SessionError(f"{query!r} is neither a streaming query nor the path of a checkpoint")
