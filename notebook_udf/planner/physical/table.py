"""Table functions as operators over rows, and as Spark's own UDTFs where Spark plans.

A ``CallChain`` is a row of calls that share one operator (``worker.table.table_operator``).
``table_function`` decides which calls do for DataFrames, ``correlate`` for queries. Calls that run
in Spark's JVM need none: Spark takes apart the lists of rows that they give.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import (
    BooleanType,
    CalendarIntervalType,
    DataType,
    IntegerType,
    StringType,
    StructField,
    StructType,
    YearMonthIntervalType,
)
from pyspark.sql.udtf import UserDefinedTableFunction
from pyspark.util import PythonEvalType

from notebook_udf.errors import PlanningError
from notebook_udf.host.spark_functions import table_function
from notebook_udf.planner.physical.in_java import Listed
from notebook_udf.registry import RegisteredFunction
from notebook_udf.sanitize import backquoted
from notebook_udf.specs.payload import ship
from notebook_udf.specs.table_layout import TableLayout, TableStep
from notebook_udf.types import contains_year_month, ddl, to_arrow
from notebook_udf.worker.table.left_lateral_join import MatchedRows
from notebook_udf.worker.table.table_operator import TablePass
from notebook_udf.worker.table.udtf_handler import handler

# The column that is true in the row of NULLs behind the rows of an input, and the one that holds
# the condition of a join.
ENDED = "_nu_ended"
MET = "_nu_met"
# What a column of a call is called until it leaves, where others have its name; a number follows.
_MADE = "_nu_made"
# The number of the input that a row belongs to, where the rows are moved about.
INPUT = "_nu_input"


class Untravelled(PlanningError):
    """A column that passes through has a type that cannot be sent to a Python worker."""


@dataclass(frozen=True)
class CallChain:
    """Calls that share an operator.

    Attributes
    ----------
    rows
        What comes in: the columns that pass through, and those of arguments.
    listed
        Which calls run in Spark's JVM.
    records, steps
        The functions, and the positions of their arguments.
    """

    rows: DataFrame
    listed: Listed
    records: tuple[RegisteredFunction, ...] = ()
    steps: tuple[TableStep, ...] = ()

    def place_of(self, call: int, column: int) -> int:
        """The position of a column that a call made."""
        before = [len(record.definition.result_type) for record in self.records[:call]]
        return len(self.rows.columns) + sum(before) + column

    def then(self, record: RegisteredFunction, step: TableStep) -> CallChain:
        """The chain with one more call."""
        return replace(self, records=(*self.records, record), steps=(*self.steps, step))

    def exploded(self, leaving: Sequence[int], names: Sequence[str], ends: str = "") -> DataFrame:
        """The rows that leave the operator, under these names."""
        types: list[DataType] = [field.dataType for field in self.rows.schema.fields]
        nullable = [field.nullable for field in self.rows.schema.fields]
        nullable += [True] * sum(len(record.definition.result_type) for record in self.records)
        for record in self.records:
            types += [field.dataType for field in record.definition.result_type.fields]
        for record, step in zip(self.records, self.steps, strict=True):
            if any(isinstance(types[place], CalendarIntervalType) for place in step.arguments):
                raise Untravelled(
                    f"{record.name} was given an INTERVAL of months, days and time, which no "
                    f"Python value holds: cast it to STRING, or to INTERVAL DAY TO SECOND"
                )
        in_java = self._in_java(types) if not ends else None
        if in_java is not None:
            return in_java.exploded(leaving, names)
        if not self.records:
            return _named(self.rows, leaving, names)
        rows, leaves = _entering(self.rows, set(leaving))
        layout = TableLayout(len(self.rows.columns), self.steps, tuple(leaving), tuple(names), ends)
        fields = [
            StructField(name, leaves.get(place, types[place]), nullable[place])
            for place, name in zip(leaving, names, strict=True)
        ]
        if ends:
            fields.append(StructField(ends, BooleanType(), True))
        shipments = [
            ship(r.name, r.version, r.definition, r.payload, role="table") for r in self.records
        ]
        made = rows.mapInArrow(TablePass(layout, shipments), StructType(fields))
        return _left(made, [types[place] for place in leaving])

    def _in_java(self, types: Sequence[DataType]) -> CallChain | None:
        """The chain behind its first call, if Spark's JVM makes that one's rows; ``types`` are
        those of all columns."""
        columns = self.rows.columns
        lowered = {name.lower() for name in columns}
        if not self.records or self.steps[0].names or len(lowered) < len(columns):
            return None
        record, step = self.records[0], self.steps[0]
        name = self.listed(record, [types[place] for place in step.arguments])
        if name is None:
            return None
        arguments = [F.col(backquoted(columns[place])) for place in step.arguments]
        explode = F.inline_outer if step.outer else F.inline
        made = explode(F.call_function(name, *arguments))
        names = list(record.definition.result_type.names)
        if lowered & {name.lower() for name in names}:
            names = [f"{_MADE}{len(columns) + place}" for place in range(len(names))]
        rows = self.rows.select("*", made.alias(*names))
        return replace(self, rows=rows, records=self.records[1:], steps=self.steps[1:])


def _named(rows: DataFrame, leaving: Sequence[int], names: Sequence[str]) -> DataFrame:
    """Some columns, under these names."""
    columns = rows.columns
    return rows.select(
        *(F.col(backquoted(columns[p])).alias(name) for p, name in zip(leaving, names, strict=True))
    )


def matched(rows: DataFrame, *, moved: bool = False) -> DataFrame:
    """The rows that remain of a LEFT JOIN LATERAL; their last columns are ``MET`` and ``ENDED``.

    Where rows were ``moved`` since they were made, they have a column ``INPUT`` as well, by which
    those of an input are brought together again.
    """
    if moved:
        rows = rows.repartition(INPUT).sortWithinPartitions(INPUT, ENDED).drop(INPUT)
    fields = rows.schema.fields[:-2]
    entered, leaves = _entering(rows, set(range(len(fields))))
    kept = [
        StructField(f.name, leaves.get(i, f.dataType), f.nullable) for i, f in enumerate(fields)
    ]
    made = entered.mapInArrow(MatchedRows(), StructType(kept))
    return _left(made, [field.dataType for field in fields])


def _entering(rows: DataFrame, leaving: set[int]) -> tuple[DataFrame, dict[int, DataType]]:
    """The rows cast to types that can be sent to a worker, and the types that were replaced."""
    fields = rows.schema.fields
    instead = {i: t for i, f in enumerate(fields) if (t := _instead(f.dataType)) is not None}
    for place, field in enumerate(fields):
        if place not in instead:
            _check_travels(field)
    if not instead:
        return rows, {}
    entered = []
    for place, field in enumerate(fields):
        column = F.col(backquoted(field.name))
        if isinstance(field.dataType, YearMonthIntervalType):
            column = column.cast("interval month")
        travels = instead.get(place)
        entered.append(column if travels is None else column.cast(travels).alias(field.name))
    return rows.select(*entered), {i: t for i, t in instead.items() if i in leaving}


def _instead(data_type: DataType) -> DataType | None:
    """The type that replaces one that Arrow, or pyarrow, lacks: months, or an interval's text."""
    if isinstance(data_type, YearMonthIntervalType):
        return IntegerType()
    return StringType() if isinstance(data_type, CalendarIntervalType) else None


def _left(rows: DataFrame, types: list[DataType]) -> DataFrame:
    """The rows cast back to the types they had before."""
    if all(_instead(t) is None for t in types):
        return rows
    columns = []
    for place, name in enumerate(rows.columns):
        column, own = F.col(backquoted(name)), types[place] if place < len(types) else None
        if isinstance(own, YearMonthIntervalType):
            column = column.cast("interval month").cast(ddl(own)).alias(name)
        elif isinstance(own, CalendarIntervalType):
            column = column.cast(own).alias(name)
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
            f"column {field.name}, of type {field.dataType.simpleString()}, cannot pass through a "
            f"Python worker beside the rows of a table function: select the columns you need in a "
            f"subquery, or cast it"
        ) from None


# Spark's own ----------------------------------------------------------------------------------


def spark_function(record: RegisteredFunction) -> UserDefinedTableFunction:
    """The function as one of Spark's own UDTFs."""
    definition = record.definition
    shipment = ship(record.name, record.version, definition, record.payload, role="table")
    made: UserDefinedTableFunction = table_function(
        handler(record.name, shipment),
        returnType=definition.result_type,
        name=record.name,
        evalType=PythonEvalType.SQL_ARROW_TABLE_UDF,
        deterministic=definition.deterministic,
    )
    return made


def explain(record: RegisteredFunction, in_java: str, *said: str) -> str:
    """How calls of the function run, and why.

    ``in_java`` is the name of the class that runs in Spark's JVM, "" if none does; what else is to
    be ``said`` of that follows.
    """
    definition = record.definition
    worker = (
        "row by row in a Python worker, its rows handed on as they come; columns beside them "
        "are repeated as Arrow (mapInArrow)"
    )
    ways = [f"in session.sql and nu.join_lateral: {worker}"]
    sparks = "in plain spark.sql, df.lateralJoin and with TABLE arguments"
    if in_java:
        ways = [
            f"in session.sql, spark.sql and nu.join_lateral: in Spark's JVM, compiled to Java "
            f"(class {in_java}); the rows of an input are a list there, which Spark takes apart, "
            f"and an input that raises is called again here, for its error",
            f"where a LEFT JOIN has a condition, or a call names arguments: {worker}",
        ]
        sparks = "in df.lateralJoin, with TABLE arguments and with names of arguments in spark.sql"
    lines = [
        f"{record.signature}, version {record.version}",
        *ways,
        *said,
        "consecutive calls share one pass where no condition stands between them",
        f"{sparks}: Spark's own UDTF, which holds all rows of an input",
        "spark.sql reads LEFT JOIN LATERAL without ON as an inner join: write ON TRUE there",
    ]
    if definition.options.on_error != "fail":
        lines.append(
            f"an input whose call raises has no rows (on_error={definition.options.on_error})"
        )
    return "\n".join(lines)
