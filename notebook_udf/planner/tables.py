"""Table functions on DataFrames: passes over rows, and Spark's own UDTFs where Spark plans.

A ``Chain`` is a row of calls that share one pass (``worker.table``). ``joined`` adds a call to a
DataFrame, and to the pass that made it if there is one and nothing stands in between. Queries are
rewritten into chains by ``laterals``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import BooleanType, DataType, StructField, StructType, YearMonthIntervalType
from pyspark.sql.udtf import UserDefinedTableFunction
from pyspark.util import PythonEvalType

from notebook_udf.errors import PlanningError
from notebook_udf.planner.aggregates import column_name
from notebook_udf.registry import RegisteredFunction
from notebook_udf.types import contains_year_month, ddl, to_arrow
from notebook_udf.worker.handler import handler
from notebook_udf.worker.matched import MatchedRows
from notebook_udf.worker.shipment import ship
from notebook_udf.worker.table import Step, TableLayout, TablePass

# The column that is true in the row of NULLs behind the rows of an input, and the one that holds
# the condition of a join.
ENDED = "_nu_ended"
MET = "_nu_met"


class Untravelled(PlanningError):
    """A column that passes through has a type that cannot enter a Python worker."""


@dataclass(frozen=True)
class Chain:
    """Calls that share a pass.

    Attributes
    ----------
    rows
        What comes in: the columns that pass through, and those of arguments.
    records, steps
        The functions, and where their arguments stand.
    """

    rows: DataFrame
    records: tuple[RegisteredFunction, ...] = ()
    steps: tuple[Step, ...] = ()

    def place_of(self, call: int, column: int) -> int:
        """The place of a column that a call made."""
        before = [len(record.definition.result_type) for record in self.records[:call]]
        return len(self.rows.columns) + sum(before) + column

    def then(self, record: RegisteredFunction, step: Step) -> Chain:
        """The chain with one more call."""
        return replace(self, records=(*self.records, record), steps=(*self.steps, step))

    def exploded(self, leaving: Sequence[int], names: Sequence[str], ends: str = "") -> DataFrame:
        """The rows that leave the pass, under these names."""
        types: list[DataType] = [field.dataType for field in self.rows.schema.fields]
        for record in self.records:
            types += [field.dataType for field in record.definition.result_type.fields]
        rows, leaves = _entering(self.rows, set(leaving))
        layout = TableLayout(len(self.rows.columns), self.steps, tuple(leaving), tuple(names), ends)
        fields = [
            StructField(name, leaves.get(place, types[place]), True)
            for place, name in zip(leaving, names, strict=True)
        ]
        if ends:
            fields.append(StructField(ends, BooleanType(), True))
        shipments = [
            ship(r.name, r.version, r.definition, r.payload, role="table") for r in self.records
        ]
        made = rows.mapInArrow(TablePass.of(layout, shipments), StructType(fields))
        return _left(made, [types[place] for place in leaving])


def matched(rows: DataFrame) -> DataFrame:
    """The rows that stay of a LEFT JOIN LATERAL; their last columns are ``MET`` and ``ENDED``."""
    fields = rows.schema.fields[:-2]
    entered, leaves = _entering(rows, set(range(len(fields))))
    kept = [StructField(f.name, leaves.get(i, f.dataType), True) for i, f in enumerate(fields)]
    made = entered.mapInArrow(MatchedRows(), StructType(kept))
    return _left(made, [field.dataType for field in fields])


def _entering(rows: DataFrame, leaving: set[int]) -> tuple[DataFrame, dict[int, DataType]]:
    """The rows in types that can travel, and which types were put in the place of others."""
    from pyspark.sql.types import IntegerType

    fields = rows.schema.fields
    months = [i for i, f in enumerate(fields) if isinstance(f.dataType, YearMonthIntervalType)]
    for place, field in enumerate(fields):
        if place not in months:
            _check_travels(field)
    if not months:
        return rows, {}
    columns = [F.col(_quoted(field.name)) for field in fields]
    entered = [
        column.cast("interval month").cast("int").alias(fields[i].name) if i in months else column
        for i, column in enumerate(columns)
    ]
    return rows.select(*entered), {i: IntegerType() for i in months if i in leaving}


def _left(rows: DataFrame, types: list[DataType]) -> DataFrame:
    """The rows in the types they had before they travelled."""
    if not any(isinstance(t, YearMonthIntervalType) for t in types):
        return rows
    columns = []
    for place, name in enumerate(rows.columns):
        column, own = F.col(_quoted(name)), types[place] if place < len(types) else None
        if isinstance(own, YearMonthIntervalType):
            column = column.cast("interval month").cast(ddl(own)).alias(name)
        columns.append(column)
    return rows.select(*columns)


def _check_travels(field: StructField) -> None:
    try:
        if contains_year_month(field.dataType):
            raise TypeError("no Arrow type of a year-month interval")
        to_arrow(field.dataType)
    except Exception:
        # Whatever Spark raises for a type that Arrow lacks.
        raise Untravelled(
            f"a column of type {field.dataType.simpleString()} cannot pass through a Python "
            f"worker beside the rows of a table function: select the columns you need in a "
            f"subquery, or cast it"
        ) from None


# On DataFrames --------------------------------------------------------------------------------


class TableCall:
    """A table function called on columns, for ``nu.join_lateral``.

    Anywhere else it is the DataFrame of its rows, as PySpark's own table functions are:
    ``df.lateralJoin(f(col("x").outer()))``, ``f(lit(3)).show()``.
    """

    def __init__(
        self,
        record: RegisteredFunction,
        arguments: Sequence[Any],
        named: dict[str, Any],
        function: UserDefinedTableFunction,
    ) -> None:
        self.record = record
        self.arguments = tuple(arguments)
        self.named = dict(named)
        self._function = function
        self._frame: DataFrame | None = None

    @property
    def values(self) -> list[Any]:
        """The arguments, those by name behind the others."""
        return [*self.arguments, *self.named.values()]

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        if self._frame is None:
            self._frame = self._function(*self.arguments, **self.named)
        return getattr(self._frame, name)

    def __repr__(self) -> str:
        shown = [_shown(value) for value in self.arguments]
        shown += [f"{name} => {_shown(value)}" for name, value in self.named.items()]
        return (
            f"<call {self.record.name}({', '.join(shown)}) of a table function: give it to "
            f"nu.join_lateral or df.lateralJoin>"
        )


def spark_function(record: RegisteredFunction) -> UserDefinedTableFunction:
    """The function as one of Spark's own UDTFs."""
    definition = record.definition
    shipment = ship(record.name, record.version, definition, record.payload, role="table")
    return UserDefinedTableFunction(
        handler(record.name, shipment),
        returnType=definition.result_type,
        name=record.name,
        evalType=PythonEvalType.SQL_ARROW_TABLE_UDF,
        deterministic=definition.deterministic,
    )


def register(spark: SparkSession, record: RegisteredFunction) -> UserDefinedTableFunction:
    """Makes the function known to Spark SQL under its name."""
    function = spark_function(record)
    spark.udtf.register(record.name, function)
    return function


def call(
    function: UserDefinedTableFunction, record: RegisteredFunction, args: Any, kwargs: Any
) -> TableCall:
    """A call on columns; a string is the name of a column.

    Raises
    ------
    PlanningError
        If an argument is neither, nor a DataFrame's ``asTable()``.
    """
    from pyspark.sql.table_arg import TableArg

    for value in (*args, *kwargs.values()):
        if not isinstance(value, (Column, str, TableArg)):
            raise PlanningError(
                f"{record.name} was called with {value!r}; pass columns or column names, wrap a "
                f"constant in F.lit(...), or use {record.name}.eval(...) for plain values"
            )
    return TableCall(record, args, kwargs, function)


def joined(rows: DataFrame, call: TableCall, names: Sequence[str], *, outer: bool) -> DataFrame:
    """Each row beside each of the call's rows for it.

    ``names`` are those of the call's columns; ``outer`` keeps a row without rows of the call.
    """
    made = _added(rows, call, list(names), outer=outer)
    return made if made is not None else _begun(rows, call, list(names), outer=outer)


@dataclass(frozen=True)
class _Lineage:
    """How a DataFrame came out of a pass: kept on it for calls that are added to it."""

    source: DataFrame
    arguments: tuple[Column, ...]
    # The calls: their functions, their arguments, and whether they are outer.
    records: tuple[RegisteredFunction, ...]
    # A place among the source's columns, the added arguments, or the columns of earlier calls.
    places: tuple[tuple[tuple[str, int], ...], ...]
    named: tuple[tuple[str, ...], ...]
    outer: tuple[bool, ...]
    names: tuple[str, ...]

    def frame(self) -> DataFrame:
        width, extra = len(self.source.columns), len(self.arguments)
        inner = [f"_nu_col{i}" for i in range(width)] + [f"_nu_arg{i}" for i in range(extra)]
        base = self.source.select("*", *self.arguments).toDF(*inner)
        starts = {"source": 0, "argument": width, "made": width + extra}
        chain = Chain(base)
        for record, places, named, outer in zip(
            self.records, self.places, self.named, self.outer, strict=True
        ):
            at = tuple(starts[kind] + place for kind, place in places)
            chain = chain.then(record, Step(at, named, outer))
        made = len(self.names) - width
        leaving = [*range(width), *range(width + extra, width + extra + made)]
        unique = [f"_nu_col{i}" for i in range(len(leaving))]
        frame = chain.exploded(leaving, unique).toDF(*self.names)
        vars(frame)["_nu_lineage"] = self
        return frame


def _begun(rows: DataFrame, call: TableCall, names: list[str], *, outer: bool) -> DataFrame:
    empty = _Lineage(rows, (), (), (), (), (), tuple(rows.columns))
    return _extended(empty, call, names, outer, made=[]).frame()


def _added(rows: DataFrame, call: TableCall, names: list[str], *, outer: bool) -> DataFrame | None:
    """The rows with the call in the pass they came out of; None if it needs one of its own."""
    lineage = getattr(rows, "__dict__", {}).get("_nu_lineage")
    if not isinstance(lineage, _Lineage):
        return None
    made = list(lineage.names[len(lineage.source.columns) :])
    plain = [_plain_name(value) for value in call.values]
    lowered = [name.lower() for name in lineage.names]
    if any(name is None or lowered.count(name.lower()) != 1 for name in plain):
        # An expression is computed by Spark, between two passes.
        return None
    return _extended(lineage, call, names, outer, made).frame()


def _extended(
    lineage: _Lineage, call: TableCall, names: list[str], outer: bool, made: list[str]
) -> _Lineage:
    places: list[tuple[str, int]] = []
    arguments = list(lineage.arguments)
    own = [name.lower() for name in lineage.source.columns]
    below = [name.lower() for name in made]
    for value in call.values:
        name = _plain_name(value)
        if name is not None and name.lower() in below:
            places.append(("made", below.index(name.lower())))
        elif name is not None and own.count(name.lower()) == 1:
            places.append(("source", own.index(name.lower())))
        else:
            column = F.col(value) if isinstance(value, str) else value
            places.append(("argument", len(arguments)))
            arguments.append(column.alias(f"_nu_arg{len(arguments)}"))
    return replace(
        lineage,
        arguments=tuple(arguments),
        records=(*lineage.records, call.record),
        places=(*lineage.places, tuple(places)),
        named=(*lineage.named, tuple(call.named)),
        outer=(*lineage.outer, outer),
        names=(*lineage.names, *names),
    )


def _plain_name(value: Any) -> str | None:
    """The name of a column that is only named; None for any other expression."""
    if isinstance(value, str):
        return value.strip("`") if "." not in value else None
    try:
        node = value._jc.node()
        if node.getClass().getSimpleName() != "UnresolvedAttribute":
            return None
        parts = node.nameParts()
        return str(parts.head()) if parts.size() == 1 else None
    except AttributeError:
        # Spark Connect: an expression like any other.
        return None


def _shown(value: Any) -> str:
    return value if isinstance(value, str) else column_name(value)


def _quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"


def explain(record: RegisteredFunction) -> str:
    """Which way calls of the function run, and why."""
    definition = record.definition
    lines = [
        f"{record.signature}, version {record.version}",
        "in session.sql and nu.join_lateral: a row at a time in a Python worker, its rows handed "
        "on as they come; columns beside them are repeated as Arrow (mapInArrow)",
        "consecutive calls share one pass where no condition stands between them",
        "in plain spark.sql, df.lateralJoin and with TABLE arguments: Spark's own UDTF, which "
        "holds all rows of an input",
    ]
    if definition.options.on_error != "fail":
        lines.append(
            f"an input whose call raises has no rows (on_error={definition.options.on_error})"
        )
    return "\n".join(lines)
