"""Declares PySpark's own function objects as functions of this package.

The function, its types and its kind come from the object, and nothing comes from annotations, which
Spark does not look at. What has no equal here is refused, with what to do instead.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from pyspark.util import PythonEvalType

from notebook_udf.errors import DeclarationError
from notebook_udf.functions.declare import udf
from notebook_udf.functions.declare_aggregate import udaf
from notebook_udf.functions.declare_table import udtf
from notebook_udf.functions.definition import FunctionDefinition, parameters_of
from notebook_udf.functions.source import find_source
from notebook_udf.functions.spark_objects import SparkObject
from notebook_udf.functions.spark_results import CoercedFunction, refuse_coercion
from notebook_udf.functions.spark_table import SparkTable

# What an object says itself.
_OF_THE_OBJECT = (
    "result_type", "result_types", "accumulator_type", "acc_type", "func_type", "udf_type",
    "deterministic", "name",
)  # fmt: skip

_AS_IT_IS = "go on using it with Spark as it is"
_BATCH = (
    "write one that takes the columns of a batch, and set up what is costly in open() of a "
    "ScalarFunction class"
)
_GROUP = (
    "write one that takes the whole columns of a group, or an AggregateFunction, which accumulates "
    "row by row"
)
_ROWS_OF_GROUPS = (
    f"{_AS_IT_IS}, or write a TableAggregateFunction, which gives several rows for a group"
)
_STATE = f"{_AS_IT_IS}, or write a process function, which has state and timers"


@dataclass(frozen=True)
class SparkKind:
    """A kind of PySpark's functions, and what it becomes here.

    Attributes
    ----------
    name
        In words.
    declare
        Declares its equal; None where there is none.
    func_type
        That of its equal.
    differs
        What Spark makes of a result of another type than the declared one, where this package has
        an error; "" if that is an error there as well.
    advice
        What to do where there is no equal.
    """

    name: str
    declare: Callable[..., FunctionDefinition] | None = None
    func_type: str = "general"
    differs: str = ""
    advice: str = ""


_CAST = "is cast by Spark, as 1.7 for an INT to 1, or fails"
_CAST_SAFELY = "is cast by Spark where no value changes"
_NULLED = "is NULL in Spark, as 1.7 for an INT, or is cut to the type"

# By PySpark's numbers.
SPARK_KINDS: Mapping[int, SparkKind] = {
    PythonEvalType.SQL_BATCHED_UDF: SparkKind("udf", udf, differs=_NULLED),
    PythonEvalType.SQL_ARROW_BATCHED_UDF: SparkKind("udf with Arrow", udf, differs=_CAST),
    PythonEvalType.SQL_SCALAR_PANDAS_UDF: SparkKind("pandas_udf", udf, "pandas", _CAST_SAFELY),
    PythonEvalType.SQL_SCALAR_ARROW_UDF: SparkKind("arrow_udf", udf, "arrow"),
    PythonEvalType.SQL_GROUPED_AGG_PANDAS_UDF: SparkKind(
        "pandas_udf of groups", udaf, "pandas", _CAST_SAFELY
    ),
    PythonEvalType.SQL_GROUPED_AGG_ARROW_UDF: SparkKind(
        "arrow_udf of groups", udaf, "arrow", _CAST_SAFELY
    ),
    PythonEvalType.SQL_TABLE_UDF: SparkKind("udtf", udtf, differs=_NULLED),
    PythonEvalType.SQL_ARROW_TABLE_UDF: SparkKind("udtf with Arrow", udtf, differs=_CAST),
    PythonEvalType.SQL_SCALAR_PANDAS_ITER_UDF: SparkKind(
        "pandas_udf of an iterator of batches", advice=_BATCH
    ),
    PythonEvalType.SQL_SCALAR_ARROW_ITER_UDF: SparkKind(
        "arrow_udf of an iterator of batches", advice=_BATCH
    ),
    PythonEvalType.SQL_GROUPED_AGG_PANDAS_ITER_UDF: SparkKind(
        "pandas_udf of groups as iterators", advice=_GROUP
    ),
    PythonEvalType.SQL_GROUPED_AGG_ARROW_ITER_UDF: SparkKind(
        "arrow_udf of groups as iterators", advice=_GROUP
    ),
    PythonEvalType.SQL_ARROW_UDTF: SparkKind(
        "arrow_udtf", advice=f"{_AS_IT_IS}, or write a table function, which runs row by row"
    ),
    PythonEvalType.SQL_GROUPED_MAP_PANDAS_UDF: SparkKind("grouped map", advice=_ROWS_OF_GROUPS),
    PythonEvalType.SQL_GROUPED_MAP_PANDAS_ITER_UDF: SparkKind(
        "grouped map", advice=_ROWS_OF_GROUPS
    ),
    PythonEvalType.SQL_GROUPED_MAP_ARROW_UDF: SparkKind("grouped map", advice=_ROWS_OF_GROUPS),
    PythonEvalType.SQL_GROUPED_MAP_ARROW_ITER_UDF: SparkKind("grouped map", advice=_ROWS_OF_GROUPS),
    PythonEvalType.SQL_GROUPED_MAP_PANDAS_UDF_WITH_STATE: SparkKind(
        "grouped map with state", advice=_STATE
    ),
}
_UNKNOWN = SparkKind("function", advice=_AS_IT_IS)

# Methods of a udtf's class that only Spark calls, and what they are for.
_ONLY_SPARKS = {
    "analyze": "makes its columns for each query: give its columns by returnType",
    "terminate": "gives rows after the last input: write it without, or a process function",
    "cleanup": "ends it: write a TableFunction, whose close() does",
}


def spark_kind(found: SparkObject) -> SparkKind:
    """The kind of a function object of PySpark's."""
    return SPARK_KINDS.get(found.eval_type, _UNKNOWN)


def adopt(found: SparkObject, *, coerce: Any = False, **options: Any) -> FunctionDefinition:
    """Declares a function object of PySpark's as a function of this package.

    Parameters
    ----------
    found
        The object.
    coerce
        Has results of another type than the declared one converted as Spark converts them for this
        kind of object; else they are errors.
    **options
        ``input_types`` and the options of functions, as for ``udf``.

    Raises
    ------
    DeclarationError
        If its kind has no equal here, if an option says what the object says, or if results of its
        type cannot be converted exactly as by Spark.
    """
    kind = spark_kind(found)
    what = f"{found.name} is PySpark's {kind.name}"
    if kind.declare is None:
        raise DeclarationError(
            f"{what} (eval type {found.eval_type}), which has no equal here: {kind.advice}"
        )
    if not isinstance(coerce, bool):
        raise DeclarationError(f"{found.name}, coerce: {coerce!r} is neither True nor False")
    for option in _OF_THE_OBJECT:
        if options.get(option) is not None:
            raise DeclarationError(
                f"{what}, which says its {option.replace('_', ' ')} itself: leave {option} out, or "
                f"declare the function in it again, as in nu.udf(function, result_type='double')"
            )
    if inspect.iscoroutinefunction(found.function):
        raise DeclarationError(
            f"{what} and its function is async, whose calls Spark does not await: register the "
            f"async def itself"
        )
    if coerce:
        refuse_coercion(found, what)
    if kind.declare is udtf:
        return _table(found, what, coerce, options)
    definition = kind.declare(
        found.function,
        result_type=found.result_type,
        deterministic=found.deterministic,
        name=found.name,
        func_type=kind.func_type,
        **options,
    )
    if "input_types" not in options:
        definition = replace(definition, input_types=None)
    if coerce:
        function = CoercedFunction(definition.function, found.eval_type, definition.result_type)
        definition = _in_workers(definition, function)
    return definition


def _table(
    found: SparkObject, what: str, coerce: bool, options: dict[str, Any]
) -> FunctionDefinition:
    for method, why in _ONLY_SPARKS.items():
        if hasattr(found.function, method):
            raise DeclarationError(
                f"{what} whose {method} {why}; or go on using it with Spark as it is"
            )
    columns = found.result_type
    function = SparkTable(found.function, columns, found.eval_type, coerce)
    definition: FunctionDefinition = udtf(
        function,
        result_types=columns,
        deterministic=found.deterministic or None,
        name=found.name,
        **options,
    )
    definition = replace(
        definition,
        deterministic=found.deterministic,
        parameters=parameters_of(found.function.eval)[1:],
        source=find_source(found.function),
    )
    return _in_workers(definition, function)


def _in_workers(definition: FunctionDefinition, function: Any) -> FunctionDefinition:
    """The definition with a function that wraps the user's, which only Python runs as it is."""
    options = replace(definition.options, compile=False, vectorise=False)
    return replace(definition, function=function, options=options)
