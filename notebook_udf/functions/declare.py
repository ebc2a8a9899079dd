"""``udf``: makes a ``FunctionDefinition`` of a user's code.

Accepts functions, lambdas, partials, callables, classes and instances, as decorator or call.
Types come from the arguments (in PyFlink's order) or from annotations; a missing one is an error
here, not at the first row. Aggregates are declared in ``declare_aggregate``.
"""

from __future__ import annotations

import contextlib
import functools
import inspect
from collections.abc import Sequence
from typing import Any

from pyspark.sql.types import DataType

from notebook_udf.errors import DeclarationError, TypeDeclarationError
from notebook_udf.functions import numba_code
from notebook_udf.functions.async_options import AsyncOptions
from notebook_udf.functions.base import AsyncScalarFunction, ScalarFunction, UserDefinedFunction
from notebook_udf.functions.by_value import is_cached
from notebook_udf.functions.definition import FunctionDefinition, parameters_of
from notebook_udf.functions.function_class import derived, lacks
from notebook_udf.functions.hints import hints_of, own_name
from notebook_udf.functions.kind_traits import ASYNC, SCALAR
from notebook_udf.functions.options import FUNCTION_TYPES, ROW_TYPES, FunctionOptions, function_type
from notebook_udf.functions.source import find_source
from notebook_udf.functions.spark_objects import refuse_spark_object
from notebook_udf.types import from_annotation, resolve, unmarked


def udf(
    f: Any = None,
    input_types: Any = None,
    result_type: Any = None,
    deterministic: bool | None = None,
    name: str | None = None,
    func_type: str = "general",
    **options: Any,
) -> Any:
    """Declares a scalar function, as a decorator or as a call; ``async def`` makes it async.

    Parameters
    ----------
    f
        A function, lambda, ``functools.partial``, callable, or a ``ScalarFunction`` or
        ``AsyncScalarFunction`` class or instance.
    input_types
        One type or a sequence of them: ``DataTypes``, Spark types or DDL strings. A column of a
        narrower type is widened to it; one that does not fit is an error that names it.
    result_type
        Type of the result; may be left out if there is a return annotation.
    deterministic
        False for a function that gives different results for equal arguments; Spark then calls it
        exactly where the query does.
    name
        Name to register it under; the function's own by default.
    func_type
        ``"general"`` takes the values of a row, ``"pandas"`` and ``"arrow"`` a batch at a time.
        ``"numba"`` takes the values of a row, arrays as numpy's, and is compiled by numba: for
        loops over numbers. Its whole numbers have 64 bits and wrap around, where Python's grow, so
        that it is the one kind whose answers may differ from Python's. A row with a NULL gives NULL
        without a call. It needs the extra ``notebook-udf[numba]``. ``udf_type`` is the older name.
    **options
        ``on_error``, ``memory``, ``timeout``, ``open_scope``, ``vectorise``, ``compile``,
        ``self_check``; see ``FunctionOptions``. For async functions ``buffer_capacity``,
        ``output_mode``, ``retry_strategy``, ``fixed_delay``, ``max_attempts``, ``retry_on``,
        ``share_calls`` as well, and no ``self_check``; see ``AsyncOptions``.

    Returns
    -------
    FunctionDefinition
        Or a decorator, if ``f`` is left out.

    Raises
    ------
    DeclarationError
        If ``f`` is not a scalar function or an option is wrong.
    TypeDeclarationError
        If a type is missing or unknown.

    Notes
    -----
    Sources: [FLIP-58][flip-58], "Decorator arguments". The order of the arguments is that of
    PyFlink's [udf][pyflink].

    Examples
    --------
    >>> @nu.udf(result_type="double")
    ... def half(x):
    ...     return x / 2
    >>> record = session.register_function("half", half)
    >>> session.sql("SELECT half(3) AS h").first()
    Row(h=1.5)
    """
    if f is None:
        return functools.partial(
            udf,
            input_types=input_types,
            result_type=result_type,
            deterministic=deterministic,
            name=name,
            func_type=func_type,
            **options,
        )
    if isinstance(f, FunctionDefinition):
        f = f.function
    function, declared_name = _scalar(f)
    title = name or declared_name
    flavour = function_type(func_type, options, FUNCTION_TYPES, what=title)
    classes = (ScalarFunction, AsyncScalarFunction)
    call = function.eval if isinstance(function, classes) else function
    is_async = _is_async(call)
    # Before the types, because an option may be one of them, misspelt.
    parsed = AsyncOptions.parse(options, what=title) if is_async else None
    chosen = parsed or FunctionOptions.parse(options, what=title)
    if is_async and flavour != "general":
        raise DeclarationError(
            f"{title} is an async function, which runs row by row: leave func_type out"
        )
    if is_async or flavour != "general":
        chosen.refuse_self_check(what=title)
    hints = hints_of(call) if flavour in ROW_TYPES else {}
    parameters = parameters_of(call)
    sure = deterministic_of(function, deterministic, title)
    if parsed is not None and parsed.share_calls and not sure:
        raise DeclarationError(
            f"{title}: share_calls=True gives rows with equal arguments one answer, and "
            f"deterministic=False says that they have several"
        )
    types = input_types_of(input_types, parameters, hints, title)
    returned = result_type_of(result_type, hints, title)
    if flavour == "numba":
        # What numba has compiled already is compiled once more, for the types of the columns.
        function = getattr(function, "py_func", function)
        numba_code.check(function, types or (), unmarked(returned), title)
    return FunctionDefinition(
        name=title,
        traits=ASYNC if is_async else SCALAR,
        function=function,
        input_types=types,
        declared_type=returned,
        deterministic=sure,
        func_type=flavour,
        options=chosen,
        parameters=parameters,
        source=find_source(f),
    )


def _scalar(f: Any) -> tuple[Any, str]:
    """The callable or instance, and its name."""
    refuse_spark_object(f)
    f = derived(f)
    if isinstance(f, type):
        if not issubclass(f, UserDefinedFunction):
            raise DeclarationError(
                lacks(f)
                or f"class {f.__name__} has no eval and does not derive from ScalarFunction; "
                f"derive it, or pass an instance that can be called"
            )
        f = instance_of(f)
    if isinstance(f, UserDefinedFunction):
        if not isinstance(f, (ScalarFunction, AsyncScalarFunction)):
            raise DeclarationError(
                f"{type(f).__name__} is not a ScalarFunction, nor an AsyncScalarFunction"
            )
        refuse_kept_calls(f.eval, type(f).__name__)
        if _is_async(f.eval) != isinstance(f, AsyncScalarFunction):
            base = "AsyncScalarFunction" if _is_async(f.eval) else "ScalarFunction"
            raise DeclarationError(
                f"{type(f).__name__}.eval is {'async' if _is_async(f.eval) else 'a plain def'}: "
                f"derive the class from {base}"
            )
        f_name, call = type(f).__name__, f.eval
    elif callable(f):
        f_name, call = own_name(f), f.func if isinstance(f, functools.partial) else f
    else:
        raise DeclarationError(
            lacks(type(f))
            or f"{f!r} is not a function; udf takes a function, a callable or a ScalarFunction"
        )
    refuse_kept_calls(call, f_name)
    if inspect.isgeneratorfunction(call) or inspect.isasyncgenfunction(call):
        raise DeclarationError(f"{f_name} yields rows; a scalar function returns one value")
    return f, f_name


def _is_async(call: Any) -> bool:
    return inspect.iscoroutinefunction(call) or (
        not inspect.isroutine(call)
        and not isinstance(call, functools.partial)
        and inspect.iscoroutinefunction(getattr(type(call), "__call__", None))  # noqa: B004
    )


def refuse_kept_calls(call: Any, title: str) -> None:
    """Refuses a cache of results that can be used only once: the second row would get nothing.

    Raises
    ------
    DeclarationError
        If it is an ``async def`` or a generator under ``functools.lru_cache`` or ``cache``.
    """
    call = getattr(call, "__func__", call)
    if not is_cached(call):
        return
    plain = inspect.unwrap(call)
    if inspect.iscoroutinefunction(plain):
        raise DeclarationError(
            f"{title} is async and cached: a cache keeps coroutines, which can be awaited once; "
            f"leave it out, and share_calls=True gives rows with equal arguments one answer"
        )
    if inspect.isgeneratorfunction(plain) or inspect.isasyncgenfunction(plain):
        raise DeclarationError(
            f"{title} yields and is cached: a cache keeps generators, which are empty the second "
            f"time; return a list, or leave the cache out"
        )


def instance_of(cls: type[UserDefinedFunction]) -> UserDefinedFunction:
    """An instance of a function's class.

    Raises
    ------
    DeclarationError
        If it cannot be made without arguments.
    """
    try:
        return cls()
    except TypeError as error:
        raise DeclarationError(
            f"{cls.__name__}() could not be created ({error}); pass an instance instead"
        ) from error


def input_types_of(
    given: Any, parameters: tuple[str, ...], hints: dict[str, Any], title: str
) -> tuple[DataType | None, ...] | None:
    if given is not None:
        if isinstance(given, (str, DataType)) or not isinstance(given, Sequence):
            given = [given]
        types = tuple(
            unmarked(resolve(t, what=f"parameter {i + 1} of {title}")) for i, t in enumerate(given)
        )
        fixed = [p for p in parameters if not p.startswith("*")]
        if len(types) > len(parameters) and not any(p.startswith("*") for p in parameters):
            raise TypeDeclarationError(
                f"{title} takes {len(fixed)} parameters and {len(types)} input types were given"
            )
        return types
    found: dict[str, DataType] = {}
    for parameter in hints.keys() & parameters:
        # An annotation that names no SQL type leaves the column's type open.
        with contextlib.suppress(TypeDeclarationError):
            found[parameter] = unmarked(from_annotation(hints[parameter], what=parameter))
    return tuple(map(found.get, parameters)) if any(found.values()) else None


def result_type_of(given: Any, hints: dict[str, Any], title: str) -> DataType:
    if given is not None:
        return resolve(given, what=f"the result of {title}")
    if "return" in hints:
        return from_annotation(hints["return"], what=f"the result of {title}")
    raise TypeDeclarationError(
        f"the result type of {title} is not known: annotate it (def {title}(...) -> float) or "
        f"give it, as in @udf(result_type='double')"
    )


def deterministic_of(function: Any, given: bool | None, title: str) -> bool:
    said = function.is_deterministic() if isinstance(function, UserDefinedFunction) else None
    if given is None:
        return True if said is None else bool(said)
    if said is not None and bool(said) != given:
        raise DeclarationError(
            f"{title} says is_deterministic() == {bool(said)} and deterministic={given} was given: "
            f"let is_deterministic return {given}, or leave deterministic out"
        )
    return given
