"""Calling a function here, in the kernel, as a worker would."""

from __future__ import annotations

import asyncio
import copy
import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

from notebook_udf.errors import DeclarationError
from notebook_udf.functions.base import UserDefinedFunction, endings
from notebook_udf.functions.context import FunctionContext
from notebook_udf.functions.definition import FunctionDefinition, doorway
from notebook_udf.functions.process import (
    Collector,
    NonPartitionedContext,
    ProcessTraits,
    RuntimeContext,
)
from notebook_udf.functions.process_states import NO_KEY, KeyedStates
from notebook_udf.specs.payload import held_accumulator
from notebook_udf.worker.aggregate.accumulator import Codec, misfit
from notebook_udf.worker.codec.encode import BadResult
from notebook_udf.worker.table.generate import rows_in


def call_here(
    definition: FunctionDefinition,
    args: Any,
    kwargs: Any,
    *,
    job_parameters: Mapping[str, str],
) -> Any:
    """One call on plain values, between ``open`` and ``close``; raises what the function raises.

    Of a table function all rows, in a list. An aggregate function takes, for each parameter, the
    values of a group in a sequence; a process function a sequence of records and, as ``key_by``, a
    function from a record to its key. It answers the list of what was collected.
    """
    __tracebackhide__ = True
    if definition.is_async:
        return _awaited_here(definition, args, kwargs, job_parameters)
    with _opened(definition, job_parameters) as function:
        if definition.kind == "process":
            context = FunctionContext(function=definition.name, job_parameters=job_parameters)
            return _processed(definition, function, context, *args, **kwargs)
        if definition.is_aggregate and definition.func_type == "general":
            return _aggregated(definition, function, [*args, *kwargs.values()])
        made = definition.call(*args, **kwargs)
        if definition.kind != "table":
            return made
        return list(rows_in(made))


def call_method_here(
    definition: FunctionDefinition, method: str, args: Any, *, job_parameters: Mapping[str, str]
) -> Any:
    """One method of an aggregate function, on a fresh accumulator where it needs one."""
    __tracebackhide__ = True
    with _opened(definition, job_parameters) as function:
        if method == "get_value":
            return _value(function, *args)
        return getattr(function, method)(function.create_accumulator(), *args)


def _awaited_here(
    definition: FunctionDefinition, args: Any, kwargs: Any, job_parameters: Mapping[str, str]
) -> Any:
    __tracebackhide__ = True
    function = definition.function

    async def called() -> Any:
        __tracebackhide__ = True
        if not isinstance(function, UserDefinedFunction):
            return await function(*args, **kwargs)
        context = FunctionContext(function=definition.name, job_parameters=job_parameters)
        await _settled(function.open, context)
        try:
            return await definition.call(*args, **kwargs)
        finally:
            await _settled(function.close)

    with doorway.as_in_worker():
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            return asyncio.run(called())
        # IPython's own loop runs in this thread, and a loop cannot run within another.
        with ThreadPoolExecutor(1, "notebook-udf-eval") as pool:
            return pool.submit(asyncio.run, called()).result()


async def _settled(method: Callable[..., Any], *args: Any) -> None:
    result = method(*args)
    if inspect.isawaitable(result):
        await result


@contextmanager
def _opened(definition: FunctionDefinition, job_parameters: Mapping[str, str]) -> Iterator[Any]:
    function = definition.function
    with doorway.as_in_worker():
        if not isinstance(function, UserDefinedFunction):
            yield function
            return
        function.open(FunctionContext(function=definition.name, job_parameters=job_parameters))
        graceful = False
        try:
            yield function
            graceful = True
        finally:
            *told, (_, close) = endings(function).methods(graceful=graceful)
            try:
                for _, method in told:
                    method()
            finally:
                close()


def _aggregated(definition: FunctionDefinition, function: Any, columns: list[Any]) -> Any:
    __tracebackhide__ = True
    columns = [list(column) for column in columns]
    if len({len(column) for column in columns}) > 1:
        raise DeclarationError(
            f"{definition.name}.eval takes the values of one group: a sequence per parameter, all "
            f"of one length"
        )
    accumulator = function.create_accumulator()
    hold = Codec(held_accumulator(definition), accumulator).hold
    for row in zip(*columns, strict=True):
        answer = function.accumulate(accumulator, *row)
        accumulator = accumulator if answer is None else answer
    if hold is not None:
        try:
            hold([accumulator])
        except BadResult as error:
            raise misfit(definition.name, error, {}) from None
    return _value(function, accumulator)


def _processed(
    definition: FunctionDefinition,
    function: Any,
    context: FunctionContext,
    records: Iterable[Any],
    key_by: Callable[[Any], Any] | None = None,
) -> list[Any]:
    __tracebackhide__ = True
    traits = definition.process or ProcessTraits()
    states = KeyedStates(definition.name, traits.states, keyed=key_by is not None, keeps=True)
    collected: list[Any] = []
    output: Collector[Any] = Collector(lambda record: collected.append(copy.copy(record)))
    partition = RuntimeContext(context, states)

    def apply(call: Callable[[Collector[Any], RuntimeContext], Any]) -> None:
        for key in states.keys if key_by is not None else [NO_KEY]:
            states.switch(key)
            call(output, partition)
        states.switch(NO_KEY)

    for record in records:
        if key_by is not None:
            states.switch(key_by(record))
        function.process_record(record, output, partition)
    states.switch(NO_KEY)
    function.end_input(NonPartitionedContext(context, states, apply))
    return collected


def _value(function: Any, accumulator: Any) -> Any:
    emit = getattr(function, "emit_value", None)
    return function.get_value(accumulator) if emit is None else list(emit(accumulator) or ())
