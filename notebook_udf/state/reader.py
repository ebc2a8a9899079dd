"""``session.state(...)``: what a stream remembers, read from its checkpoint.

On Spark's ``state-metadata`` and ``statestore`` sources, while the query runs or after it died.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from html import escape
from typing import TYPE_CHECKING, Any

from pyspark.sql.types import StructType

from notebook_udf.errors import SessionError
from notebook_udf.registry import RegisteredFunction
from notebook_udf.state.decoding import Decoding, accumulators, without_views
from notebook_udf.tables import text_table
from notebook_udf.types import ddl
from notebook_udf.worker.stream_layout import ACCUMULATORS, VIEWS

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession
    from pyspark.sql.types import DataType, StructField

_HEADERS = ("function", "accumulator")


class StateReader:
    """The state of one streaming query.

    Parameters
    ----------
    spark
        The session.
    checkpoint
        The query's checkpoint folder.
    registered
        The session's functions, whose declared accumulator types the state is shown in.

    Attributes
    ----------
    functions
        The aggregate functions that have accumulators in it; one called twice has a number or
        the name of its column behind its name.
    variables
        The state variables by name, with their kind.
    batches
        The first and the last batch whose state can be read.

    Raises
    ------
    SessionError
        If the folder holds no state.
    """

    def __init__(
        self,
        spark: SparkSession,
        checkpoint: str,
        registered: Mapping[str, RegisteredFunction],
    ) -> None:
        self.checkpoint = checkpoint
        self._spark = spark
        self._registered = registered
        self.variables: dict[str, str] = {}
        self._operators: dict[str, int] = {}
        first, last = [], []
        for row in self._metadata():
            first.append(row["minBatchId"])
            last.append(row["maxBatchId"])
            found = json.loads(row["operatorProperties"] or "{}").get("stateVariables", ())
            for variable in found:
                self.variables[variable["stateName"]] = variable["stateVariableType"]
                self._operators[variable["stateName"]] = row["operatorId"]
        self.batches = (max(first), max(last))
        self.functions: tuple[str, ...] = ()
        self._keys: list[StructField] = []
        if {ACCUMULATORS, VIEWS} <= set(self.variables):
            schema = self._stored(ACCUMULATORS, None).schema
            self.functions = tuple(schema["value"].dataType["types"].dataType.names)
            self._keys = list(schema["key"].dataType.fields)

    def read(self, name: str, batch: int | None = None) -> DataFrame:
        """Every key and what is remembered of it.

        Parameters
        ----------
        name
            One of ``functions`` or ``variables``.
        batch
            As it was after this batch; by default after the last one.

        Returns
        -------
        DataFrame
            For a function the key's columns and ``accumulator``: of the type that the function
            declares, with maps and arrays for views; as text where it declares none. For a
            variable what Spark stores.

        Raises
        ------
        KeyError
            If there is neither a function nor a variable of that name.
        """
        if name in self.functions:
            declared = self._declared(name)
            keys = [f"{f.name} {ddl(f.dataType)}" for f in self._keys]
            shown = "STRING" if declared is None else ddl(without_views(declared))
            decoding = Decoding(len(self._keys), self.functions.index(name), declared)
            schema = ", ".join([*keys, f"accumulator {shown}"])
            return self._pickled(batch).mapInArrow(decoding, schema)
        if name in self.variables:
            return self._stored(name, batch)
        known = ", ".join([*self.functions, *self.variables]) or "none"
        raise KeyError(f"the state has no function or variable {name!r}; there are: {known}")

    def diff(self, batch1: int, batch2: int) -> DataFrame:
        """The keys whose accumulators differ between two batches.

        Returns
        -------
        DataFrame
            ``function``, the key's columns, and ``before`` and ``after`` as text; NULL where the
            batch did not know the key.
        """
        from pyspark.sql import functions as F

        found = []
        for name in self.functions:
            before, after = (self._texts(name, b, s) for b, s in ((batch1, "1"), (batch2, "2")))
            same = None
            for f in self._keys:
                equal = F.col(f"{f.name}_1").eqNullSafe(F.col(f"{f.name}_2"))
                same = equal if same is None else same & equal
            known = F.col("known_1").isNotNull()
            both = before.join(after, same, "full_outer")
            keys = [
                F.when(known, F.col(f"{f.name}_1")).otherwise(F.col(f"{f.name}_2")).alias(f.name)
                for f in self._keys
            ]
            changed = ~F.col("text_1").eqNullSafe(F.col("text_2"))
            columns = [F.col("text_1").alias("before"), F.col("text_2").alias("after")]
            found.append(both.where(changed).select(F.lit(name).alias("function"), *keys, *columns))
        return self._all(found)

    def history(self, key: Any) -> DataFrame:
        """A key's accumulators, batch by batch.

        Parameters
        ----------
        key
            The key's value; a tuple where there are several columns.

        Returns
        -------
        DataFrame
            ``batch``, ``function`` and ``accumulator`` as text, oldest first; no row for a batch
            that did not know the key.
        """
        from pyspark.sql import functions as F

        alone = len(self._keys) == 1 and isinstance(self._keys[0].dataType, StructType)
        values = key if isinstance(key, tuple) and not alone else (key,)
        if len(values) != len(self._keys):
            names = ", ".join(f.name for f in self._keys)
            raise ValueError(f"the key {key!r} has {len(values)} values, and it takes: {names}")
        found = []
        for batch in range(self.batches[0], self.batches[1] + 1):
            for name in self.functions:
                rows = self.read(name, batch)
                for f, value in zip(self._keys, values, strict=True):
                    rows = rows.where(F.col(f.name).eqNullSafe(_literal(value, f.dataType)))
                text = F.col("accumulator").cast("string").alias("accumulator")
                found.append(
                    rows.select(F.lit(batch).alias("batch"), F.lit(name).alias("function"), text)
                )
        return self._all(found).orderBy("batch", "function")

    def to_dict(self, batch: int | None = None) -> dict[str, dict[Any, Any]]:
        """The accumulators as Python objects, by function and key; all of them in memory."""
        found: dict[str, dict[Any, Any]] = {name: {} for name in self.functions}
        if not found:
            return found
        for row in self._pickled(batch).collect():
            *values, pickled, entries = row
            key = values[0] if len(values) == 1 else tuple(values)
            parts = [entry.asDict() for entry in entries or ()]
            for name, value in zip(self.functions, accumulators(pickled, parts), strict=True):
                found[name][key] = value
        return found

    # What Spark stores -----------------------------------------------------------------------

    def _metadata(self) -> list[Any]:
        try:
            rows = self._spark.read.format("state-metadata").load(self.checkpoint).collect()
        except Exception as error:
            raise SessionError(f"{self.checkpoint} is no checkpoint with state: {error}") from error
        if not rows:
            raise SessionError(f"the query of {self.checkpoint} keeps no state")
        return list(rows)

    def _stored(self, variable: str, batch: int | None) -> DataFrame:
        reader = self._spark.read.format("statestore").option("stateVarName", variable)
        reader = reader.option("operatorId", self._operators[variable])
        if batch is not None:
            reader = reader.option("batchId", batch)
        return _without_expiry(reader.load(self.checkpoint))

    def _pickled(self, batch: int | None) -> DataFrame:
        """The key's columns, ``pickled``, and ``entries`` of large views."""
        from pyspark.sql import functions as F

        views = self._stored(VIEWS, batch)
        entry = F.struct(
            F.col("user_map_key.view").alias("view"),
            F.col("user_map_key.number").alias("number"),
            F.col("user_map_value.values").alias("values"),
        )
        gathered = views.groupBy(F.col("key").alias("own")).agg(F.collect_list(entry).alias("e"))
        rows = self._stored(ACCUMULATORS, batch)
        rows = rows.select("key", F.col("value.pickled").alias("pickled"))
        joined = rows.join(gathered, F.col("key").eqNullSafe(F.col("own")), "left")
        keys: list[Column] = [F.col(f"key.`{f.name}`").alias(f.name) for f in self._keys]
        return joined.select(*keys, "pickled", F.col("e").alias("entries"))

    def _texts(self, name: str, batch: int, suffix: str) -> DataFrame:
        from pyspark.sql import functions as F

        keys = [F.col(f.name).alias(f"{f.name}_{suffix}") for f in self._keys]
        text = F.col("accumulator").cast("string").alias(f"text_{suffix}")
        return self.read(name, batch).select(*keys, text, F.lit(1).alias(f"known_{suffix}"))

    def _all(self, found: list[DataFrame]) -> DataFrame:
        if not found:
            raise SessionError(f"{self.checkpoint} holds no accumulators of aggregate functions")
        rows = found[0]
        for more in found[1:]:
            rows = rows.unionAll(more)
        return rows

    def _declared(self, name: str) -> DataType | None:
        known = [r for r in self._registered.values() if name == r.name]
        known = known or [r for r in self._registered.values() if name.startswith(f"{r.name}_")]
        return known[0].definition.accumulator_type if known else None

    def _rows(self) -> list[tuple[str, str]]:
        declared = [(name, self._declared(name)) for name in self.functions]
        return [(name, "pickled" if t is None else ddl(t)) for name, t in declared]

    def _caption(self) -> str:
        first, last = self.batches
        keys = ", ".join(f"{f.name} {ddl(f.dataType)}" for f in self._keys) or "none"
        variables = ", ".join(f"{name} ({kind})" for name, kind in self.variables.items())
        return (
            f"state of {self.checkpoint}, batches {first} to {last}\n"
            f"key: {keys}\nvariables: {variables or 'none'}"
        )

    def __repr__(self) -> str:
        return f"{self._caption()}\n{text_table(_HEADERS, self._rows())}"

    def _repr_html_(self) -> str:
        from notebook_udf.tables import html_table

        return f"<pre>{escape(self._caption())}</pre>{html_table(_HEADERS, self._rows())}"


def _without_expiry(rows: DataFrame) -> DataFrame:
    """Rows of state with their values alone, where Spark keeps the time of their end beside."""
    for name in ("value", "user_map_value", "list_element"):
        if name in rows.columns and "ttlExpirationMs" in rows.schema[name].dataType.names:
            rows = rows.withColumn(name, rows[name]["value"])
    return rows


def _literal(value: Any, data_type: DataType) -> Column:
    """A key's value as a column; a tuple as the struct it is."""
    from pyspark.sql import functions as F

    if isinstance(value, tuple) and isinstance(data_type, StructType):
        parts = zip(value, data_type.fields, strict=True)
        return F.struct(*(_literal(part, f.dataType).alias(f.name) for part, f in parts))
    return F.lit(value).cast(data_type)


def checkpoint_of(query: Any) -> str:
    """The checkpoint folder of a query, or of what names one.

    Raises
    ------
    SessionError
        If it is neither a query nor a path.
    """
    started: Callable[[], Any] | None = getattr(
        getattr(query, "_jsq", None), "streamingQuery", None
    )
    if started is not None:
        return str(started().resolvedCheckpointRoot())
    if isinstance(query, str) or hasattr(query, "__fspath__"):
        return str(query)
    raise SessionError(f"{query!r} is neither a streaming query nor the path of a checkpoint")


__all__ = ["StateReader", "checkpoint_of"]
