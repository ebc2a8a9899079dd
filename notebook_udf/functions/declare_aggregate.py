"""``udaf`` and ``udtaf``: aggregate functions as ``FunctionDefinition``s, and telling kinds apart.

Semantics: the stateful Python aggregates design, "AggregateFunction" and "Decorator"; argument
order and the functions of ``func_type="pandas"``: PyFlink's ``udaf``.
"""

from __future__ import annotations

import functools
import inspect
from typing import Any, cast

from pyspark.sql.types import DataType, StructField, StructType

from notebook_udf.errors import DeclarationError, TypeDeclarationError
from notebook_udf.functions.base import (
    AggregateFunction,
    TableAggregateFunction,
    UserDefinedFunction,
)
from notebook_udf.functions.declare import (
    deterministic_of,
    hints_of,
    input_types_of,
    instance_of,
    result_type_of,
    udf,
)
from notebook_udf.functions.definition import FunctionDefinition, parameters_of
from notebook_udf.functions.options import FunctionOptions, FunctionType, choice
from notebook_udf.functions.source import find_source
from notebook_udf.types import resolve


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
        An ``AggregateFunction`` class or instance; for ``func_type="pandas"`` or ``"arrow"`` a
        function from the columns of a group to one value.
    input_types, deterministic, name, **options
        As for ``udf``; types are taken from the annotations of ``accumulate`` where left out.
    result_type
        Type of the result; else ``get_result_type()``, else the annotation of ``get_value``.
    accumulator_type, acc_type
        Type of the accumulator; else ``get_accumulator_type()``, else it is pickled.
    func_type
        ``"general"`` takes a row at a time, ``"pandas"`` and ``"arrow"`` a whole group's columns.

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

    As ``udaf``, but ``f`` is a ``TableAggregateFunction`` and ``result_type`` the type of its
    rows; a type that is no ROW makes rows of one column.
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


def declare(f: Any, *, kind: str | None = None, **options: Any) -> FunctionDefinition:
    """The definition of anything a user may register; its kind is read off the code.

    Parameters
    ----------
    kind
        ``scalar`` or ``aggregate``: an error unless it is what the code is.

    Raises
    ------
    DeclarationError
        As ``udf`` and ``udaf``; also if the kind is another one.
    """
    cls = f if isinstance(f, type) else type(f)
    if isinstance(f, FunctionDefinition):
        definition = f
    elif issubclass(cls, AggregateFunction):
        definition = udaf(f, **options)
    elif issubclass(cls, TableAggregateFunction):
        definition = udtaf(f, **options)
    elif kind == "aggregate" and options.get("func_type") in ("pandas", "arrow"):
        # A function of whole columns: only the user can say what it is a function of.
        definition = udaf(f, **options)
    else:
        definition = udf(f, **options)
    if kind is not None and kind != definition.kind.rpartition(" ")[2]:
        raise DeclarationError(
            f"{definition.name} is a {definition.kind} function by its code, not of kind {kind}"
        )
    return definition


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
    flavours = ("general",) if base is TableAggregateFunction else ("general", "pandas", "arrow")
    title = str(name or getattr(f, "__name__", type(f).__name__))
    flavour = cast(FunctionType, choice(func_type, flavours, what=f"{title}, func_type"))
    function = instance_of(f) if isinstance(f, type) and issubclass(f, base) else f
    if isinstance(function, base):
        if flavour != "general":
            raise DeclarationError(
                f"{title} takes a row at a time; func_type={flavour!r} is for a function from "
                f"the columns of a group to one value"
            )
        call = function.accumulate  # type: ignore[attr-defined]
        parameters = parameters_of(call)[1:]
        answer = getattr(function, "get_value", None) or function.emit_value  # type: ignore[attr-defined]
        hints = {**hints_of(call), "return": hints_of(answer).get("return")}
    elif flavour != "general" and callable(f) and not isinstance(f, (type, UserDefinedFunction)):
        parameters, hints = parameters_of(f), {}
    else:
        raise DeclarationError(
            f"{title} is not {_articled(base.__name__)}: derive a class from it"
            + ("; plain functions take func_type='pandas' or 'arrow'" * (len(flavours) > 1))
        )
    if result_type is None and isinstance(function, base):
        result_type = function.get_result_type()  # type: ignore[attr-defined]
    if accumulator_type is None and isinstance(function, base):
        accumulator_type = function.get_accumulator_type()  # type: ignore[attr-defined]
    if hints.get("return") is None:
        hints.pop("return", None)
    table = base is TableAggregateFunction
    result = result_type_of(result_type, _emitted(hints) if table else hints, title)
    if table and not isinstance(result, StructType):
        result = StructType([StructField(title, result)])
    return FunctionDefinition(
        name=title,
        kind="table aggregate" if table else "aggregate",
        function=function,
        input_types=input_types_of(input_types, parameters, hints, title),
        result_type=result,
        deterministic=deterministic_of(function, deterministic, title),
        func_type=flavour,
        options=FunctionOptions.parse(options, what=title),
        parameters=parameters,
        source=find_source(f),
        accumulator_type=_accumulator_type(accumulator_type, title),
    )


def _one_of(accumulator_type: Any, acc_type: Any) -> Any:
    if accumulator_type is not None and acc_type is not None:
        raise DeclarationError("accumulator_type and acc_type are the same; give one of them")
    return acc_type if accumulator_type is None else accumulator_type


def _accumulator_type(given: Any, title: str) -> DataType | None:
    return None if given is None else resolve(given, what=f"the accumulator of {title}")


def _emitted(hints: dict[str, Any]) -> dict[str, Any]:
    """The hints with ``Iterator[T]`` on the result read as T, which is a row's type."""
    given = hints.get("return")
    arguments = getattr(given, "__args__", None)
    origin = getattr(given, "__origin__", None)
    if arguments and inspect.isclass(origin) and hasattr(origin, "__iter__") and origin not in (
        list, dict, tuple, set,
    ):  # fmt: skip
        return {**hints, "return": arguments[0]}
    if given is not None:
        raise TypeDeclarationError("emit_value yields rows: annotate it with Iterator[...]")
    return hints


def _articled(name: str) -> str:
    return f"an {name}" if name[0] in "AEIOU" else f"a {name}"


__all__ = ["declare", "udaf", "udtaf"]
