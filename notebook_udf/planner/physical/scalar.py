"""Scalar functions by name in Spark SQL, and called on columns.

Year-month intervals cannot enter or leave a Python worker, because pyarrow has no class for them:
they are sent as a count of months, and the casts on both sides are planned here.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pyspark.sql import Column, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import (
    DataType,
    DoubleType,
    LongType,
    StringType,
    YearMonthIntervalType,
)
from pyspark.sql.udf import UserDefinedFunction

from notebook_udf.errors import PlanningError
from notebook_udf.functions.definition import FunctionDefinition
from notebook_udf.planner.physical.column_arguments import with_constants
from notebook_udf.planner.physical.in_java import needs_casts
from notebook_udf.planner.physical.udf import leave
from notebook_udf.registry import RegisteredFunction
from notebook_udf.sanitize import backquoted
from notebook_udf.types import ddl, to_arrow
from notebook_udf.worker.kernels.program import Outlook, translate


def call(
    function: UserDefinedFunction, record: RegisteredFunction, args: Any, kwargs: Any
) -> Column:
    """A call on columns; a string is the name of a column, any other plain value a constant.

    Raises
    ------
    PlanningError
        If an argument is none of these.
    """
    args, kwargs = with_constants(record, args, kwargs)
    made = function(*entering(record, args), **kwargs)
    return leave(made, record.definition.result_type)


def entering(record: RegisteredFunction, args: Sequence[Column | str]) -> list[Column | str]:
    """Arguments in the types in which they enter a worker."""
    types = record.definition.input_types or ()
    return [_enter(value, types[i] if i < len(types) else None) for i, value in enumerate(args)]


def register(
    spark: SparkSession, record: RegisteredFunction, function: UserDefinedFunction
) -> None:
    """Makes the function known to Spark SQL under its name, in place of an earlier one."""
    if not needs_casts(record.definition):
        spark.udf.register(record.name, function)
        return
    _, inner = sql_names(record)
    spark.udf.register(inner, function)
    types = record.definition.input_types or ()
    names = [f"p{i}" for i in range(len(record.definition.parameters))]
    if len(types) != len(names) or not all(types):
        raise PlanningError(
            f"{record.name} takes or returns INTERVAL YEAR TO MONTH, so the types of all its "
            f"parameters have to be declared with input_types"
        )
    parameters = ", ".join(
        f"{name} {ddl(t)}" for name, t in zip(names, types, strict=True) if t is not None
    )
    arguments = ", ".join(
        f"CAST(CAST({name} AS INTERVAL MONTH) AS INT)"
        if isinstance(t, YearMonthIntervalType)
        else name
        for name, t in zip(names, types, strict=True)
    )
    body = f"{backquoted(inner)}({arguments})"
    result = record.definition.result_type
    if isinstance(result, YearMonthIntervalType):
        body = f"CAST(CAST({body} AS INTERVAL MONTH) AS {ddl(result)})"
    spark.sql(
        f"CREATE OR REPLACE TEMPORARY FUNCTION {backquoted(record.name)}({parameters}) "
        f"RETURNS {ddl(result)} RETURN {body}"
    )


def sql_names(record: RegisteredFunction) -> tuple[str, ...]:
    """The names under which ``register`` registers the function, an inner one's included."""
    helper = (f"{record.name}__months",) if needs_casts(record.definition) else ()
    return record.name, *helper


def explain(record: RegisteredFunction, *in_java: str) -> str:
    """How calls of the function run in a Python worker, and why.

    ``in_java`` says of which calls that is so, or why it is so of all.
    """
    definition = record.definition
    ways = {
        "general": "row by row in a Python worker; a bundle is decoded and encoded once",
        "pandas": "a bundle at a time in a Python worker, as pandas Series",
        "arrow": "a bundle at a time in a Python worker, as Arrow arrays",
        "numba": (
            "row by row in a Python worker, in a loop that numba compiles: whole numbers have "
            "64 bits and wrap around, where Python's grow, and a row with a NULL gives NULL "
            "without a call"
        ),
    }
    way = ways[definition.func_type]
    outlook = kernel_outlook(definition)
    if outlook is not None and outlook.answers:
        way = (
            "a bundle at a time in a Python worker, as checked Arrow kernels; rows with a None "
            "that is computed with, an overflow, a division by zero or what else might raise run "
            "in Python, those rows alone"
        )
    lines = [
        f"{record.signature}, version {record.version}",
        f"runs {way}",
        *_left_to_python(outlook),
        *_checked(definition),
        *in_java,
        "nested and neighbouring calls share one Python node of the plan (Arrow scalar UDF)",
    ]
    if not definition.deterministic:
        lines.append("not deterministic: Spark neither moves nor repeats the call")
    if definition.options.on_error != "fail":
        lines.append(f"a row whose call raises gives NULL (on_error={definition.options.on_error})")
    if needs_casts(definition):
        lines.append("year-month intervals travel as months, with casts around the call")
    return "\n".join(lines)


def explain_java(record: RegisteredFunction, name: str, *called: str) -> str:
    """How calls of the function run in Spark's JVM, as a class of that name.

    ``called`` says how those run that give more arguments than have declared types.
    """
    definition = record.definition
    lines = [
        f"{record.signature}, version {record.version}",
        f"runs in Spark's JVM, compiled to Java (class {name}): there is no Python node, and no "
        f"worker to measure; a row that raises is called again here, for its error",
        *_checked(definition),
        *called,
        "a call that names arguments runs in a Python worker",
    ]
    return "\n".join(lines)


def kernel_outlook(definition: FunctionDefinition) -> Outlook | None:
    """What kernels would answer of a function; None if it is not given to them at all."""
    if definition.func_type != "general" or not definition.options.vectorise:
        return None
    if not definition.traits.has_kernels:
        return None
    program = translate(definition.call, definition.result_type)
    if program is None:
        return None
    declared = definition.input_types or (None,) * len(definition.parameters)
    # A type that is not declared may be any; what one of these makes possible is possible.
    likely = (LongType(), DoubleType(), StringType()) if None in declared else (None,)
    if not declared:
        return None
    outlooks = (
        program.outlook([to_arrow(each if each is not None else guess) for each in declared])
        for guess in likely
    )
    return max(outlooks, key=lambda each: (each.answers, -len(each.left)))


def _left_to_python(outlook: Outlook | None) -> list[str]:
    """A line for each construct that kernels leave to Python; an error that is raised is none."""
    if outlook is None:
        return []
    found = dict.fromkeys((each.reason, each.line) for each in outlook.left)
    who = "rows that get there run" if outlook.answers else "it runs"
    return [
        f"left to Python: {reason}{f' (line {line})' if line else ''}; {who} row by row"
        for reason, line in found
        if reason != "raise"
    ]


def _checked(definition: FunctionDefinition) -> list[str]:
    share = definition.options.self_check
    if not share:
        return []
    rows = "all rows" if share == 1 else f"a share of {share:g} of the rows"
    return [
        f"self_check: {rows} that Spark's JVM or Arrow kernels answer (at most 500 of a task in "
        f"the JVM) are computed in plain Python as well, and a difference fails the query"
    ]


def runs_as_kernels(definition: FunctionDefinition) -> bool:
    """Whether ``worker.kernels`` computes the function's bundles where it can."""
    outlook = kernel_outlook(definition)
    return outlook is not None and outlook.answers


def _enter(value: Column | str, t: DataType | None) -> Column | str:
    if not isinstance(t, YearMonthIntervalType):
        return value
    column = F.col(value) if isinstance(value, str) else value
    return column.cast("interval month").cast("int")
