"""``session.state(...)``: a stream's state, read from its checkpoint.

The query may be running, or have ended or failed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce
from typing import Any

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import DataType, StructField, StructType

from notebook_udf.errors import SessionError
from notebook_udf.registry import RegisteredFunction
from notebook_udf.render.display import Block, Displayed, Paragraph
from notebook_udf.render.markup import pre
from notebook_udf.render.tables import Table
from notebook_udf.specs.state_layout import ACCUMULATORS, PARTITION, TYPES, VIEWS
from notebook_udf.state.decoding import Decoding, accumulators, without_views
from notebook_udf.state.history import SCHEMA, by_batch
from notebook_udf.state.ownership import StateShare, shares_of
from notebook_udf.state.spark_source import TIMERS, Stored
from notebook_udf.types import ddl

_HEADERS = ("function", "accumulator")


class StateReader(Displayed):
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
        The aggregate and process functions that keep state; one called twice has a number or the
        name of its column behind its name. The state of a process function without keys is read by
        the number of its partition, ``partition``.
    variables
        The state variables by name, with their kind.
    operators
        The query's operators that keep state, each with its variables.
    batches
        The first and the last batch whose state can be read.

    Raises
    ------
    SessionError
        If the folder holds no state.

    Examples
    --------
    >>> class Total(nu.AggregateFunction):
    ...     def create_accumulator(self):
    ...         return [0]
    ...
    ...     def accumulate(self, acc, x: int):
    ...         acc[0] += x
    ...
    ...     def get_value(self, acc) -> int:
    ...         return acc[0]
    >>> total = session.register_function("total", Total)
    >>> spark.range(4).coalesce(1).write.parquet(f"{folder}/rows")
    >>> stream = spark.readStream.schema("id bigint").parquet(f"{folder}/rows")
    >>> sums = stream.selectExpr("id", "id % 2 AS odd").transform(
    ...     nu.aggregate(by=["odd"], total=total("id"))
    ... )
    >>> writer = sums.writeStream.format("noop").outputMode("update")
    >>> query = writer.option("checkpointLocation", f"{folder}/checkpoint")
    >>> query.trigger(availableNow=True).start().awaitTermination()
    >>> state = session.state(f"{folder}/checkpoint")
    >>> state.functions, state.keys, state.batches
    (('total',), (('odd', 'BIGINT'),), (0, 0))
    >>> state.to_dict()
    {'total': {0: [2], 1: [4]}}
    >>> state.read("total").orderBy("odd").collect()
    [Row(odd=0, accumulator='[2]'), Row(odd=1, accumulator='[4]')]
    >>> state.find(1).collect()
    [Row(function='total', accumulator='[4]')]
    >>> state.history(1).collect()
    [Row(batch=0, function='total', accumulator='[4]')]
    >>> state.diff(0, 0).collect(), state.timers().count(), state.latest().batches
    ([], 0, (0, 0))
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
        self._stored = Stored(spark, checkpoint)
        self.variables = self._stored.variables
        self.operators = self._stored.operators
        self.batches = self._stored.batches
        self._shares: dict[str, StateShare] = {}
        self._keys: tuple[StructField, ...] = ()
        if {ACCUMULATORS, TYPES, VIEWS} <= set(self.variables):
            schema = self._stored.read(TYPES).schema
            self._keys = tuple(schema["key"].dataType.fields)
            self._shares = shares_of(self._keys, schema["value"].dataType)
        self.functions: tuple[str, ...] = tuple(self._shares)

    @property
    def keys(self) -> tuple[tuple[str, str], ...]:
        """Names and types of the key's columns, where there are accumulators."""
        return tuple((f.name, ddl(f.dataType)) for f in self._keys)

    def latest(self) -> StateReader:
        """The same state with the batches committed since this reader was made."""
        return StateReader(self._stored.spark, self.checkpoint, self._registered)

    def read(
        self, name: str, batch: int | None = None, *, where: Column | None = None
    ) -> DataFrame:
        """Every key with its state.

        Parameters
        ----------
        name
            One of ``functions`` or ``variables``.
        batch
            As it was after this batch; by default after the last one.
        where
            Of a function, a condition on the key's columns; other keys are not unpickled.

        Notes
        -----
        The state of a process function without keys has the partition's number for its key.

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
        if name in self._shares:
            share = self._shares[name]
            rows = self._pickled(share, batch)
            return self._decoded(name, rows if where is None else rows.where(where), share.keys)
        if name in self.variables:
            return self._stored.read(name, batch)
        known = ", ".join([*self.functions, *self.variables]) or "none"
        raise KeyError(f"the state has no function or variable {name!r}; there are: {known}")

    def diff(self, batch1: int, batch2: int) -> DataFrame:
        """The keys whose accumulators differ between two batches.

        Returns
        -------
        DataFrame
            ``function``, the key's columns, and ``before`` and ``after`` as text; NULL where the
            batch does not have the key.
        """
        found = []
        for name in self._of_keys():
            before, after = (self._texts(name, b, s) for b, s in ((batch1, "1"), (batch2, "2")))
            same = [F.col(f"{f.name}_1").eqNullSafe(F.col(f"{f.name}_2")) for f in self._keys]
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

    def find(self, key: Any, batch: int | None = None) -> DataFrame:
        """The accumulators of all functions for one key.

        Parameters
        ----------
        key
            The key's value; a tuple where there are several columns.
        batch
            As in ``read``.

        Returns
        -------
        DataFrame
            ``function`` and ``accumulator`` as text; no row if there is no such key.
        """
        where = self._is(key)
        text = F.col("accumulator").cast("string").alias("accumulator")
        return self._all(
            [
                self.read(name, batch, where=where).select(F.lit(name).alias("function"), text)
                for name in self._of_keys()
            ]
        )

    def history(self, key: Any) -> DataFrame:
        """A key's accumulators, batch by batch.

        Parameters
        ----------
        key
            As in ``find``.

        Returns
        -------
        DataFrame
            ``batch``, ``function`` and ``accumulator`` as text, oldest first; no row for a batch
            that does not have the key.

        Raises
        ------
        SessionError
            If the query ran without changelog checkpoints, which sessions of ours turn on.
        """
        where = self._is(key, "key.")
        kept = self._spark.createDataFrame(by_batch(self._stored, where), SCHEMA)
        batch = kept.schema.fields[:1]
        text = F.col("accumulator").cast("string").alias("accumulator")
        found = [
            self._decoded(name, kept, batch).select("batch", F.lit(name).alias("function"), text)
            for name in self._of_keys()
        ]
        return self._all(found).orderBy("batch", "function")

    def timers(self, batch: int | None = None) -> DataFrame:
        """The times at which groups by event time end.

        Parameters
        ----------
        batch
            As in ``read``.

        Returns
        -------
        DataFrame
            The key's columns and ``expires``, the time that the watermark has to reach.
        """
        if TIMERS not in self.variables.values():
            none = F.lit(None).cast("timestamp").alias("expires")
            rows = self._stored.read(ACCUMULATORS, batch).limit(0)
            return rows.select(*self._key_columns(), none)
        timers = self._stored.timers(ACCUMULATORS, batch)
        expires = F.timestamp_millis("expiration_timestamp_ms").alias("expires")
        return timers.select(*self._key_columns(), expires)

    def to_dict(self, batch: int | None = None) -> dict[str, dict[Any, Any]]:
        """The accumulators as Python objects, by function and key; all of them in memory."""
        found: dict[str, dict[Any, Any]] = {name: {} for name in self.functions}
        for variable in {share.variable: None for share in self._shares.values()}:
            names = {n: share for n, share in self._shares.items() if share.variable == variable}
            for row in self._pickled(next(iter(names.values())), batch).collect():
                *values, pickled, entries = row
                key = values[0] if len(values) == 1 else tuple(values)
                parts = accumulators(pickled, [entry.asDict() for entry in entries or ()])
                for name, share in names.items():
                    found[name][key] = parts[share.place]
        return found

    def _of_keys(self) -> list[str]:
        """The functions that keep state for each key."""
        return [name for name, share in self._shares.items() if share.variable == ACCUMULATORS]

    def _key_columns(self) -> list[Column]:
        return StateShare(ACCUMULATORS, 0, self._keys).columns

    def _is(self, key: Any, where: str = "") -> Column:
        """Whether the key's columns, behind ``where``, hold a value; a tuple where there are
        several."""
        alone = len(self._keys) == 1 and isinstance(self._keys[0].dataType, StructType)
        values = key if isinstance(key, tuple) and not alone else (key,)
        if len(values) != len(self._keys):
            names = ", ".join(f.name for f in self._keys)
            raise ValueError(f"the key {key!r} has {len(values)} values, and it takes: {names}")
        same = F.lit(True)
        for f, value in zip(self._keys, values, strict=True):
            column = F.col(f"{where}`{f.name}`")
            same = same & column.eqNullSafe(_literal(value, f.dataType))
        return same

    def _pickled(self, share: StateShare, batch: int | None) -> DataFrame:
        """The key's columns, ``pickled``, and ``entries`` of large views."""
        views = self._stored.read(VIEWS, batch)
        entry = F.struct(
            F.col("user_map_key.view").alias("view"),
            F.col("user_map_key.number").alias("number"),
            F.col("user_map_value.values").alias("values"),
        )
        gathered = views.groupBy(F.col("key").alias("own")).agg(F.collect_list(entry).alias("e"))
        rows = self._stored.read(share.variable, batch)
        shown = F.struct(*share.columns).alias("shown")
        rows = rows.select("key", shown, F.col("value.pickled").alias("pickled"))
        joined = rows.join(gathered, F.col("key").eqNullSafe(F.col("own")), "left")
        return joined.select("shown.*", "pickled", F.col("e").alias("entries"))

    def _decoded(self, name: str, rows: DataFrame, keys: Sequence[StructField]) -> DataFrame:
        """A function's share, decoded as ``accumulator``, of rows with pickled state and keys."""
        declared = self._declared(name)
        shown = "STRING" if declared is None else ddl(without_views(declared))
        names = [f"{f.name} {ddl(f.dataType)}" for f in keys]
        record = self._record(name)
        payload = b"" if record is None else record.payload
        decoding = Decoding(len(keys), self._shares[name].place, declared, payload)
        return rows.mapInArrow(decoding, ", ".join([*names, f"accumulator {shown}"]))

    def _texts(self, name: str, batch: int, suffix: str) -> DataFrame:
        keys = [F.col(f.name).alias(f"{f.name}_{suffix}") for f in self._keys]
        text = F.col("accumulator").cast("string").alias(f"text_{suffix}")
        return self.read(name, batch).select(*keys, text, F.lit(1).alias(f"known_{suffix}"))

    def _all(self, found: list[DataFrame]) -> DataFrame:
        if not found:
            raise SessionError(f"{self.checkpoint} holds no accumulators of aggregate functions")
        return reduce(DataFrame.unionAll, found)

    def _record(self, name: str) -> RegisteredFunction | None:
        """The registered function that a share of the state belongs to; None if there is none."""
        known = [r for r in self._registered.values() if name == r.name]
        known = known or [r for r in self._registered.values() if name.startswith(f"{r.name}_")]
        return known[0] if known else None

    def _declared(self, name: str) -> DataType | None:
        record = self._record(name)
        if record is None:
            return None
        definition = record.definition
        return definition.process.state_type if definition.process else definition.accumulator_type

    def _rows(self) -> list[tuple[str, str]]:
        found = []
        for name, share in self._shares.items():
            declared = self._declared(name)
            whose = " (of a partition)" if share.variable == PARTITION else ""
            found.append((name + whose, "pickled" if declared is None else ddl(declared)))
        return found

    def _caption(self) -> str:
        first, last = self.batches
        keys = ", ".join(f"{f.name} {ddl(f.dataType)}" for f in self._keys) or "none"
        variables = ", ".join(f"{name} ({kind})" for name, kind in self.variables.items())
        return (
            f"state of {self.checkpoint}, batches {first} to {last}\n"
            f"key: {keys}\nvariables: {variables or 'none'}"
        )

    def _blocks(self) -> list[Block]:
        return [Paragraph(self._caption(), pre), Table(_HEADERS, self._rows())]


def _literal(value: Any, data_type: DataType) -> Column:
    """A key's value as a column; a tuple as a struct."""
    if isinstance(value, tuple) and isinstance(data_type, StructType):
        parts = zip(value, data_type.fields, strict=True)
        return F.struct(*(_literal(part, f.dataType).alias(f.name) for part, f in parts))
    return F.lit(value).cast(data_type)
