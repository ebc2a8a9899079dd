"""``udaf`` and ``udtaf``: aggregate functions as ``FunctionDefinition``s.

Semantics: FLIP-139, "AggregateFunction" and "Decorator"; argument
order and the functions of ``func_type="pandas"``: PyFlink's ``udaf``.
"""

from __future__ import annotations

import functools
import inspect
import typing
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

from pyspark.sql.types import ArrayType, DataType, MapType, StructField, StructType

from notebook_udf.datatypes import ListViewType, MapViewType
from notebook_udf.errors import DeclarationError, TypeDeclarationError
from notebook_udf.functions.base import (
    AggregateFunction,
    TableAggregateFunction,
    UserDefinedFunction,
)
from notebook_udf.functions.declare import (
    deterministic_of,
    input_types_of,
    instance_of,
    result_type_of,
)
from notebook_udf.functions.declare_table import columns_of
from notebook_udf.functions.definition import FunctionDefinition, parameters_of
from notebook_udf.functions.fields import fields_of
from notebook_udf.functions.function_class import derived, lacks
from notebook_udf.functions.hints import LAZY, called, hints_of, own_name, rows_of
from notebook_udf.functions.kind_traits import AGGREGATE, TABLE_AGGREGATE, articled
from notebook_udf.functions.options import COLUMN_TYPES, FunctionOptions, function_type
from notebook_udf.functions.source import find_source
from notebook_udf.functions.spark_objects import refuse_spark_object
from notebook_udf.functions.views import ListView, MapView
from notebook_udf.types import resolve, unmarked


def udaf(
    f: Any = None,
    input_types: Any = None,
    result_type: Any = None,
    accumulator_type: Any = None,
    deterministic: bool | None = None,
    name: str | None = None,
    func_type: str = "general",
    *,
    acc_type: Any = None,
    **options: Any,
) -> Any:
    """Declares an aggregate function, as a decorator or as a call.

    Parameters
    ----------
    f
        An ``AggregateFunction`` class or instance; for ``func_type="pandas"`` or ``"arrow"`` also
        a function from the columns of a group to one value.
    input_types, deterministic, name, **options
        As for ``udf``; types are taken from the annotations of ``accumulate`` where left out.
    result_type
        Type of the result; else ``get_result_type()``, else the annotation of ``get_value``.
    accumulator_type, acc_type
        Type of the accumulator; else ``get_accumulator_type()``, else it is pickled. One that the
        type cannot hold is an error, on tables as on streams; contents of views are not checked.
    func_type
        ``"general"`` runs row by row, ``"pandas"`` and ``"arrow"`` a whole group's columns,
        for which a class's ``accumulate`` is called once; a struct is a DataFrame to pandas.

    Returns
    -------
    FunctionDefinition
        Or a decorator, if ``f`` is left out.

    Raises
    ------
    DeclarationError
        If ``f`` is not an aggregate function or an option is wrong.
    TypeDeclarationError
        If a type is missing or unknown.

    Notes
    -----
    Sources: [FLIP-139][flip-139], "AggregateFunction" and "Decorator". The order of the arguments
    and the functions of ``func_type="pandas"`` are those of PyFlink's [udaf][pyflink].

    Examples
    --------
    >>> class Longest(nu.AggregateFunction):
    ...     def create_accumulator(self):
    ...         return [0]
    ...
    ...     def accumulate(self, acc, text: str):
    ...         acc[0] = max(acc[0], len(text))
    ...
    ...     def merge(self, acc, others):
    ...         for other in others:
    ...             acc[0] = max(acc[0], other[0])
    ...
    ...     def get_value(self, acc) -> int:
    ...         return acc[0]

    >>> longest = nu.udaf(Longest, accumulator_type="array<bigint>")
    >>> record = session.register_function("longest", longest)
    >>> texts = "VALUES ('a'), ('bcd') AS t(text)"
    >>> session.sql(f"SELECT longest(text) AS most, count(*) AS n FROM {texts}").first()
    Row(most=3, n=2)
    """
    given: dict[str, Any] = {
        "input_types": input_types,
        "result_type": result_type,
        "accumulator_type": _one_of(accumulator_type, acc_type),
        "deterministic": deterministic,
        "name": name,
        "func_type": func_type,
        **options,
    }
    if f is None:
        return functools.partial(udaf, **given)
    return _declare(f, AggregateFunction, **given)


def udtaf(
    f: Any = None,
    input_types: Any = None,
    result_type: Any = None,
    accumulator_type: Any = None,
    deterministic: bool | None = None,
    name: str | None = None,
    *,
    acc_type: Any = None,
    **options: Any,
) -> Any:
    """Declares a table aggregate function: several rows per group.

    Parameters
    ----------
    f
        A ``TableAggregateFunction`` class or instance.
    result_type
        The columns of its rows. Those without names are named as by ``udtf``: ``f0`` and so on.
    input_types, accumulator_type, acc_type, deterministic, name, **options
        As for ``udaf``.

    Returns
    -------
    FunctionDefinition
        Or a decorator, if ``f`` is left out.

    Raises
    ------
    DeclarationError
        If ``f`` is not a table aggregate function or an option is wrong.
    TypeDeclarationError
        If a type is missing or unknown.

    Notes
    -----
    Source: PyFlink's [udtaf][pyflink].

    Examples
    --------
    >>> class Extremes(nu.TableAggregateFunction):
    ...     def create_accumulator(self):
    ...         return []
    ...
    ...     def accumulate(self, acc, x: int):
    ...         acc.append(x)
    ...
    ...     def emit_value(self, acc):
    ...         yield min(acc), max(acc)
    >>> extremes = nu.udtaf(Extremes, result_type="least bigint, most bigint")
    >>> record = session.register_function("extremes", extremes)
    >>> spark.range(5).transform(nu.flat_aggregate(record("id"))).collect()
    [Row(least=0, most=4)]
    """
    given: dict[str, Any] = {
        "input_types": input_types,
        "result_type": result_type,
        "accumulator_type": _one_of(accumulator_type, acc_type),
        "deterministic": deterministic,
        "name": name,
        "func_type": "general",
        **options,
    }
    if f is None:
        return functools.partial(udtaf, **given)
    return _declare(f, TableAggregateFunction, **given)


def _declare(
    f: Any,
    base: type[UserDefinedFunction],
    *,
    input_types: Any,
    result_type: Any,
    accumulator_type: Any,
    deterministic: bool | None,
    name: str | None,
    func_type: str,
    **options: Any,
) -> FunctionDefinition:
    if isinstance(f, FunctionDefinition):
        f = f.function
    refuse_spark_object(f)
    f = derived(f)
    flavours = ("general",) if base is TableAggregateFunction else COLUMN_TYPES
    title = name or own_name(f)
    flavour = function_type(func_type, options, flavours, what=title)
    function = instance_of(f) if isinstance(f, type) and issubclass(f, base) else f
    chosen = FunctionOptions.parse(options, what=title)
    chosen.refuse_self_check(what=title)
    if isinstance(function, base):
        _check_methods(function, title)
        call = function.accumulate  # type: ignore[attr-defined]
        parameters = parameters_of(call)
        if not parameters:
            raise DeclarationError(f"{title}.accumulate takes no accumulator: make it the first")
        parameters = parameters if parameters[0].startswith("*") else parameters[1:]
        answer = getattr(function, "get_value", None) or function.emit_value  # type: ignore[attr-defined]
        taken = hints_of(call) if flavour == "general" else {}
        hints = {**taken, "return": hints_of(answer).get("return")}
    elif flavour != "general" and callable(f) and not isinstance(f, (type, UserDefinedFunction)):
        if inspect.iscoroutinefunction(f) or inspect.isgeneratorfunction(f):
            raise DeclarationError(
                f"{title} is {'async' if inspect.iscoroutinefunction(f) else 'a generator'}; an "
                f"aggregate function is a plain def that returns one value"
            )
        parameters, hints = parameters_of(f), {"return": _returned(f)}
    else:
        raise DeclarationError(
            lacks(f if isinstance(f, type) else type(f))
            or f"{title} is not {articled(base.__name__)}: derive a class from it"
            + ("; plain functions take func_type='pandas' or 'arrow'" * (len(flavours) > 1))
        )
    if flavour != "general" and accumulator_type is not None:
        raise DeclarationError(
            f"{title} sees a whole group's columns at once and has no accumulator that travels: "
            f"leave its type out"
        )
    if result_type is None and isinstance(function, base):
        result_type = function.get_result_type()  # type: ignore[attr-defined]
    if flavour == "general" and accumulator_type is None and isinstance(function, base):
        accumulator_type = function.get_accumulator_type()  # type: ignore[attr-defined]
    if hints.get("return") is None:
        hints.pop("return", None)
        if result_type is None and isinstance(function, base):
            method = "get_value" if base is AggregateFunction else "emit_value"
            raise TypeDeclarationError(
                f"the result type of {title} is not known: annotate what {method} returns, return "
                f"it from get_result_type, or give it, as in result_type='double'"
            )
    table = base is TableAggregateFunction
    emitted = _emitted(hints.get("return")) if table and result_type is None else None
    result = (
        columns_of(result_type, emitted, title)
        if table
        else result_type_of(result_type, hints, title)
    )
    definition = FunctionDefinition(
        name=title,
        traits=TABLE_AGGREGATE if table else AGGREGATE,
        function=function,
        input_types=input_types_of(input_types, parameters, hints, title),
        declared_type=result,
        deterministic=deterministic_of(function, deterministic, title),
        func_type=flavour,
        options=chosen,
        parameters=parameters,
        source=find_source(f),
        accumulator_type=_accumulator_type(accumulator_type, title),
    )
    if definition.accumulator_type is None:
        return definition
    made = definition.fresh_accumulators()
    fresh = None if made is None else made[1][0]
    return replace(definition, accumulator_type=_with_views(definition.accumulator_type, fresh))


def _with_views(declared: DataType, fresh: Any) -> DataType:
    """The declared type, with views where the fresh accumulator has some: DDL has none."""
    if isinstance(fresh, ListView) and isinstance(declared, ArrayType):
        return ListViewType(declared.elementType, declared.containsNull)
    if isinstance(fresh, MapView) and isinstance(declared, MapType):
        return MapViewType(declared.keyType, declared.valueType, declared.valueContainsNull)
    if isinstance(declared, StructType):
        parts = fields_of(fresh, tuple(declared.names))
        return StructType(
            [
                StructField(field.name, _with_views(field.dataType, part), field.nullable)
                for field, part in zip(declared.fields, parts, strict=True)
            ]
        )
    return declared


def _returned(f: Any) -> Any:
    """The annotation of the result alone: those of columns (``pd.Series[float]``) have no value."""
    target = called(f)
    annotations = getattr(target, "__annotations__", {})
    if "return" not in annotations:
        return None
    alone = SimpleNamespace(__annotations__={"return": annotations["return"]})
    try:
        return typing.get_type_hints(alone, getattr(target, "__globals__", {}))["return"]
    except TypeDeclarationError:
        raise
    except (NameError, TypeError, AttributeError):
        return None


def _check_methods(function: Any, title: str) -> None:
    """Refuses async methods, whose calls would not run their body."""
    for name in ("create_accumulator", "accumulate", "retract", "merge", "get_value", "emit_value"):
        method = getattr(function, name, None)
        if inspect.iscoroutinefunction(method) or inspect.isasyncgenfunction(method):
            raise DeclarationError(f"{title}.{name} is async; make it a plain def")
        if name != "emit_value" and inspect.isgeneratorfunction(method):
            raise DeclarationError(
                f"{title}.{name} yields; only the emit_value of a TableAggregateFunction does"
            )


def _one_of(accumulator_type: Any, acc_type: Any) -> Any:
    if accumulator_type is not None and acc_type is not None:
        raise DeclarationError("accumulator_type and acc_type are the same; give one of them")
    return acc_type if accumulator_type is None else accumulator_type


def _accumulator_type(given: Any, title: str) -> DataType | None:
    return None if given is None else unmarked(resolve(given, what=f"the accumulator of {title}"))


def _emitted(annotation: Any) -> Any:
    """A row's annotation, taken from that of ``emit_value``; None where there is none."""
    _, row = rows_of(annotation, LAZY)
    if row is None and annotation is not None:
        raise TypeDeclarationError("emit_value yields rows: annotate it with Iterator[...]")
    return row
