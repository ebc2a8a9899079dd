"""``udtf``: table functions as ``FunctionDefinition``s, and the columns of their rows.

Semantics: FLIP-58, "User Defined Table Function"; argument order, and the default
names of columns: PyFlink's ``udtf``. However the rows are declared, the definition's result type is
the struct of their columns.
"""

from __future__ import annotations

import functools
import inspect
import typing
from typing import Any

from pyspark.sql.types import DataType, StructField, StructType

from notebook_udf.errors import DeclarationError, TypeDeclarationError
from notebook_udf.functions.base import TableFunction, UserDefinedFunction
from notebook_udf.functions.declare import (
    deterministic_of,
    input_types_of,
    instance_of,
    refuse_kept_calls,
)
from notebook_udf.functions.definition import FunctionDefinition, parameters_of
from notebook_udf.functions.function_class import derived
from notebook_udf.functions.hints import (
    LAZY,
    SIZED,
    called,
    hints_of,
    own_name,
    present,
    rows_of,
    shown,
    yields,
)
from notebook_udf.functions.kind_traits import TABLE
from notebook_udf.functions.options import FunctionOptions, function_type
from notebook_udf.functions.source import find_source
from notebook_udf.functions.spark_objects import refuse_spark_object
from notebook_udf.types import contains_year_month, from_annotation, resolve


def udtf(
    f: Any = None,
    input_types: Any = None,
    result_types: Any = None,
    deterministic: bool | None = None,
    name: str | None = None,
    func_type: str = "general",
    **options: Any,
) -> Any:
    """Declares a table function, zero to many rows per row, as a decorator or as a call.

    Parameters
    ----------
    f
        A generator function, a function or lambda that returns an iterable of rows or a single row
        (a value, tuple, Row, dict or dataclass; None for no row), a ``functools.partial``, a
        callable, or a ``TableFunction`` class or instance.
    input_types, deterministic, name
        As for ``udf``.
    result_types
        Columns of the rows: one type or a list of them, named f0, f1 and so on; a ROW or DDL such
        as ``"word string, n int"``, whose fields they are. May be left out if annotated:
        ``Iterator[str]``, ``Iterator[tuple[str, int]]``, ``Iterator[SomeDataclass]``;
        ``tuple[str, int]`` where one row is returned.
    func_type
        ``"general"``: row by row.
    **options
        ``on_error``, ``memory``, ``timeout``, ``open_scope``; see ``FunctionOptions``. With
        ``on_error="null"`` or ``"quarantine"`` an input whose call raises, at any of its rows,
        has no rows at all; its rows are held until the call is over.

    Returns
    -------
    FunctionDefinition
        Or a decorator, if ``f`` is left out.

    Raises
    ------
    DeclarationError
        If ``f`` is not a table function or an option is wrong.
    TypeDeclarationError
        If a type is missing or unknown.

    Notes
    -----
    Sources: [FLIP-58][flip-58], "User Defined Table Function". The order of the arguments and the
    default names of columns are those of PyFlink's [udtf][pyflink].

    Examples
    --------
    >>> @nu.udtf(result_types="word string, length int")
    ... def words(text):
    ...     for word in text.split():
    ...         yield word, len(word)
    >>> record = session.register_function("words", words)
    >>> session.sql("SELECT * FROM words('to be')").collect()
    [Row(word='to', length=2), Row(word='be', length=2)]
    """
    if f is None:
        return functools.partial(
            udtf,
            input_types=input_types,
            result_types=result_types,
            deterministic=deterministic,
            name=name,
            func_type=func_type,
            **options,
        )
    if isinstance(f, FunctionDefinition):
        f = f.function
    function, declared_name = _table(f)
    title = name or declared_name
    flavour = function_type(func_type, options, ("general",), what=title)
    call = function.eval if isinstance(function, TableFunction) else function
    chosen = FunctionOptions.parse(options, what=title)
    chosen.refuse_self_check(what=title)
    hints = hints_of(call)
    parameters = parameters_of(call)
    return FunctionDefinition(
        name=title,
        traits=TABLE,
        function=function,
        input_types=input_types_of(input_types, parameters, hints, title),
        declared_type=_columns(result_types, call, hints.get("return"), title),
        deterministic=deterministic_of(function, deterministic, title),
        func_type=flavour,
        options=chosen,
        parameters=parameters,
        source=find_source(f),
    )


def yields_rows(f: Any) -> bool:
    """Whether an object to be registered is a table function by its code.

    It is if it derives from ``TableFunction``, or if what is called ``yields``.
    """
    if isinstance(f, type):
        return issubclass(f, TableFunction)
    if isinstance(f, UserDefinedFunction):
        return isinstance(f, TableFunction)
    if not callable(f):
        return False
    return yields(f)


def returns_one(f: Any) -> bool:
    """Whether an object is a plain function that is annotated to return one value, not rows."""
    if isinstance(f, (type, UserDefinedFunction)) or not callable(f):
        return False
    annotation = hints_of(f).get("return")
    return annotation is not None and not rows_of(annotation, (*LAZY, *SIZED))[0]


def _table(f: Any) -> tuple[Any, str]:
    """The callable or instance, and its name."""
    refuse_spark_object(f)
    f = derived(f, plain=TableFunction)
    if isinstance(f, type):
        if not issubclass(f, TableFunction):
            raise DeclarationError(f"class {f.__name__} does not derive from TableFunction")
        f = instance_of(f)
    if isinstance(f, UserDefinedFunction):
        if not isinstance(f, TableFunction):
            raise DeclarationError(f"{type(f).__name__} is not a TableFunction")
        title, call = type(f).__name__, f.eval
    elif callable(f):
        title, call = own_name(f), called(f)
    else:
        raise DeclarationError(
            f"{f!r} is not a function; udtf takes a function, a callable or a TableFunction"
        )
    refuse_kept_calls(call, title)
    if inspect.iscoroutinefunction(call) or inspect.isasyncgenfunction(call):
        raise DeclarationError(f"{title} is async; a table function is a plain def that yields")
    return f, title


def _columns(given: Any, call: Any, annotation: Any, title: str) -> StructType:
    row = None if given is not None else _row_of(call, annotation, title)
    return _checked(columns_of(given, row, title), title)


def columns_of(given: Any, row: Any, title: str) -> StructType:
    """The columns of rows, from the types given for them, or else from a row's annotation.

    Those without a name are ``f0``, ``f1`` and so on, as PyFlink names them.
    """
    what, many = f"the result of {title}", f"column {{}} of {title}".format
    if isinstance(given, (list, tuple)) and not hasattr(given, "_fields"):
        return _numbered([resolve(t, what=many(i)) for i, t in enumerate(given)])
    if given is not None:
        return _as_columns(resolve(given, what=what))
    parts = typing.get_args(row)
    if typing.get_origin(row) is tuple and Ellipsis not in parts:
        return _numbered([from_annotation(p, what=many(i)) for i, p in enumerate(parts)])
    return _as_columns(from_annotation(row, what=what))


def _row_of(call: Any, annotation: Any, title: str) -> Any:
    """A row's annotation, taken from that of a function that returns one or several.

    Raises
    ------
    DeclarationError
        If a generator's annotation is not one of several rows.
    TypeDeclarationError
        If it is missing, or does not have the row's type.
    """
    if annotation is None:
        raise TypeDeclarationError(
            f"the columns of {title} are not known: annotate it (def {title}(...) -> "
            f"Iterator[str]) or give them, as in @udtf(result_types='word string, n int')"
        )
    is_rows, row = rows_of(annotation, (*LAZY, *SIZED))
    if not is_rows and inspect.isgeneratorfunction(called(call)):
        raise DeclarationError(
            f"{title} yields and is annotated to return {shown(annotation)}, which holds no rows: "
            f"annotate it with Iterator[...]"
        )
    if not is_rows:
        return present(annotation)
    if row is None:
        raise TypeDeclarationError(
            f"the rows of {title} have no type: annotate it with Iterator[str], "
            f"Iterator[tuple[str, int]] or an iterator of a dataclass"
        )
    return row


def _numbered(found: list[DataType]) -> StructType:
    return StructType([StructField(f"f{i}", t) for i, t in enumerate(found)])


def _as_columns(found: DataType) -> StructType:
    return found if isinstance(found, StructType) else _numbered([found])


def _checked(columns: StructType, title: str) -> StructType:
    if not columns.fields:
        raise TypeDeclarationError(f"the rows of {title} have no columns: declare at least one")
    names = [field.name.lower() for field in columns.fields]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise TypeDeclarationError(f"two columns of {title} are called {twice!r}")
    if contains_year_month(columns):
        raise TypeDeclarationError(
            f"{title} gives INTERVAL YEAR TO MONTH, which cannot leave a Python worker in rows: "
            f"give a number of months, and multiply it by INTERVAL '1' MONTH"
        )
    return columns
