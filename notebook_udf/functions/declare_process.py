"""Process functions as ``FunctionDefinition``s.

Attributes, states and the class of records are taken from the code here, once; planner and worker
read the definition.
"""

from __future__ import annotations

import inspect
import typing
from typing import Any

from pyspark.sql.types import DataType

from notebook_udf.errors import DeclarationError, TypeDeclarationError
from notebook_udf.functions.declare import deterministic_of, instance_of
from notebook_udf.functions.definition import FunctionDefinition
from notebook_udf.functions.function_class import derived
from notebook_udf.functions.hints import hints_of
from notebook_udf.functions.kind_traits import PROCESS
from notebook_udf.functions.options import FunctionOptions, choice, refuse_numba
from notebook_udf.functions.process import (
    Collector,
    OneInputStreamProcessFunction,
    ProcessTraits,
    attributes_of,
)
from notebook_udf.functions.process_states import checked_states
from notebook_udf.functions.source import find_source
from notebook_udf.types import from_annotation, resolve


def is_process(f: Any) -> bool:
    """Whether an object is a process function, or the class of one."""
    return callable(getattr(f, "process_record", None))


def process_function(
    f: Any,
    *,
    output_type: Any = None,
    result_type: Any = None,
    deterministic: bool | None = None,
    name: str | None = None,
    func_type: str = "general",
    **options: Any,
) -> FunctionDefinition:
    """The definition of a process function's class or instance.

    Parameters
    ----------
    output_type, result_type
        Type of what it collects; else the annotation ``output: Collector[T]``, else T of
        ``OneInputStreamProcessFunction[..., T]``.
    deterministic, name, **options
        As for ``udf``.

    Raises
    ------
    DeclarationError
        If it is no process function, a method is wrong, or a state is declared twice.
    TypeDeclarationError
        If the type of its output is not known.
    """
    if not is_process(f):
        raise DeclarationError(
            f"{f!r} is no process function: derive a class from OneInputStreamProcessFunction"
        )
    if output_type is not None and result_type is not None:
        raise DeclarationError("output_type and result_type are the same; give one of them")
    f = derived(f)
    function: Any = instance_of(f) if isinstance(f, type) else f
    title = name or type(function).__name__
    refuse_numba(func_type, ("general",), what=title)
    choice(func_type, ("general",), what=f"{title}, func_type")
    chosen = FunctionOptions.parse(options, what=title)
    chosen.refuse_self_check(what=title)
    parameters = _parameters(function, title)
    # An annotation with Any leaves the type to the class.
    hints = {k: t for k, t in hints_of(function.process_record).items() if t is not Any}
    generics = _generics(type(function))
    given = result_type if output_type is None else output_type
    return FunctionDefinition(
        name=title,
        traits=PROCESS,
        function=function,
        input_types=None,
        declared_type=_output_type(given, hints.get(parameters[1]), generics[1], title),
        deterministic=deterministic_of(function, deterministic, title),
        func_type="general",
        options=chosen,
        parameters=parameters[:1],
        source=find_source(f),
        process=ProcessTraits(
            attributes_of(function),
            checked_states(function.uses_states(), title),
            hints.get(parameters[0], generics[0]),
        ),
    )


def _parameters(function: Any, title: str) -> tuple[str, ...]:
    for name in ("process_record", "end_input"):
        method = getattr(function, name)
        if inspect.iscoroutinefunction(method) or inspect.isasyncgenfunction(method):
            raise DeclarationError(f"{title}.{name} is async; make it a plain def")
        if inspect.isgeneratorfunction(method):
            raise DeclarationError(
                f"{title}.{name} yields; give records to output.collect(record) instead"
            )
    try:
        parameters = tuple(inspect.signature(function.process_record).parameters.values())
    except (TypeError, ValueError):
        return ("record", "output", "ctx")
    named = tuple(p.name for p in parameters)
    if any(p.kind is p.VAR_POSITIONAL for p in parameters):
        return ("record", "output", "ctx")
    if len(named) != 3:
        raise DeclarationError(
            f"{title}.process_record takes ({', '.join(named)}); it is called with (record, "
            f"output, ctx)"
        )
    return named


def _generics(cls: type) -> tuple[Any, Any]:
    """IN and OUT of ``OneInputStreamProcessFunction[IN, OUT]``; None for one not given."""
    for each in cls.__mro__:
        for base in vars(each).get("__orig_bases__", ()):
            origin = typing.get_origin(base)
            if isinstance(origin, type) and issubclass(origin, OneInputStreamProcessFunction):
                given = [None if isinstance(a, typing.TypeVar) else a for a in base.__args__]
                if len(given) == 2:
                    return given[0], given[1]
    return None, None


def _output_type(given: Any, collector: Any, generic: Any, title: str) -> DataType:
    what = f"what {title} collects"
    if given is not None:
        return resolve(given, what=what)
    collected = typing.get_args(collector)
    if typing.get_origin(collector) is Collector and collected[0] is not Any:
        return from_annotation(collected[0], what=what)
    if generic is not None and generic is not Any:
        return from_annotation(generic, what=what)
    raise TypeDeclarationError(
        f"the type of {what} is not known: give it, as in output_type='bigint', or annotate "
        f"process_record(self, record, output: Collector[int], ctx)"
    )
