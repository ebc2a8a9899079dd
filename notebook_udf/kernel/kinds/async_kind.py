"""Async functions: a value for a row, by way of something worth waiting for."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

from notebook_udf.functions.base import AsyncScalarFunction, UserDefinedFunction
from notebook_udf.functions.context import FunctionContext
from notebook_udf.functions.definition import FunctionDefinition, doorway
from notebook_udf.functions.kind_traits import ASYNC
from notebook_udf.kernel.async_conf import configured
from notebook_udf.kernel.kinds.export_form import ExportForm
from notebook_udf.kernel.kinds.function_kind import Variants
from notebook_udf.kernel.kinds.scalar_kind import ScalarKind
from notebook_udf.planner.physical import async_
from notebook_udf.registry import RegisteredFunction
from notebook_udf.specs.roles import Role

if TYPE_CHECKING:
    from notebook_udf.kernel.notebook_session import Session


class AsyncKind(ScalarKind):
    """Declared by ``udf`` as well, and run in nodes of their own, several calls in flight.

    Their options are those of conf at the time a query is planned.
    """

    traits = ASYNC
    base = AsyncScalarFunction
    export = ExportForm("udf")

    def spark_function(self, record: RegisteredFunction, role: Role) -> Any:
        return async_.spark_function(record, role)

    def register(self, session: Session, record: RegisteredFunction) -> None:
        self.in_force(session, record)

    def in_force(self, session: Session, record: RegisteredFunction) -> RegisteredFunction:
        """The record with the options that hold now; Spark SQL calls it with those from now on."""
        found = configured(session.spark, record)
        key = record.name.lower(), record.version
        if session.options_in_force.get(key) != found.definition.options:
            super().register(session, found)
            session.options_in_force[key] = found.definition.options
        return found

    def called(self, session: Session, record: RegisteredFunction, args: Any, kwargs: Any) -> Any:
        record = configured(session.spark, record)
        return async_.call(session.planned(record), record, args, kwargs)

    def explain(self, session: Session, record: RegisteredFunction) -> str:
        return async_.explain(configured(session.spark, record))

    def variants(
        self, record: RegisteredFunction, definition: FunctionDefinition, inputs: Sequence[Any]
    ) -> Variants:
        return Variants(definition.func_type)

    def evaluate(
        self, definition: FunctionDefinition, args: Any, kwargs: Any, parameters: Mapping[str, str]
    ) -> Any:
        __tracebackhide__ = True
        function = definition.function

        async def called() -> Any:
            __tracebackhide__ = True
            if not isinstance(function, UserDefinedFunction):
                return await function(*args, **kwargs)
            context = FunctionContext(function=definition.name, job_parameters=parameters)
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


__all__ = ["AsyncKind"]
