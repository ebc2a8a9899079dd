"""Async functions: a value for a row, from a coroutine."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from notebook_udf.functions.base import AsyncScalarFunction, UserDefinedFunction
from notebook_udf.functions.definition import doorway
from notebook_udf.functions.kind_traits import ASYNC
from notebook_udf.kernel.async_conf import configured
from notebook_udf.kernel.kinds.call_form import (
    HELPER,
    CallForm,
    Spell,
    needs_no_opening,
    opened,
)
from notebook_udf.kernel.kinds.export_form import ExportForm
from notebook_udf.kernel.kinds.function_kind import FunctionKind, Variants
from notebook_udf.kernel.kinds.scalar_kind import ScalarKind
from notebook_udf.planner.physical import async_, scalar
from notebook_udf.registry import RegisteredFunction
from notebook_udf.specs.roles import Role


class AsyncKind(ScalarKind):
    """Runs in a Python node of its own, several calls in flight, with the conf's options as of
    planning."""

    traits = ASYNC
    base = AsyncScalarFunction
    export = ExportForm("udf")

    def spark_function(self, role: Role) -> Any:
        return async_.spark_function(self.record, role)

    def register(self) -> None:
        self.in_force()

    def in_force(self) -> RegisteredFunction:
        """The record with the conf's present options; Spark SQL uses them from now on."""
        session, found = self.session, configured(self.session.host, self.record)
        key = found.name.lower(), found.version
        if session.options_in_force.get(key) != found.definition.options:
            scalar.register(session.spark, found, session.planned(found))
            session.options_in_force[key] = found.definition.options
        return found

    def call(self, args: Any, kwargs: Any) -> Any:
        record = configured(self.session.host, self.record)
        return async_.call(self.session.planned(record), record, args, kwargs)

    def explain(self) -> str:
        return async_.explain(configured(self.session.host, self.record))

    def call_form(self, target: str, spell: Spell) -> CallForm:
        run, function = f"{spell('asyncio', None)}.run(", self.definition.function
        if not isinstance(function, UserDefinedFunction):
            return CallForm(f"{run}{target}(", "))")
        if needs_no_opening(function):
            return CallForm(f"{run}{target}.eval(", "))")
        body = ["return await function.eval(*arguments)"]
        made = opened(function, self.record.name, target, spell, body)
        return CallForm(f"{run}{HELPER}(", "))", made)

    def variants(self, inputs: Sequence[Any]) -> Variants:
        return FunctionKind.variants(self, inputs)

    def run(self, args: Any, kwargs: Any) -> Any:
        __tracebackhide__ = True
        function = self.definition.function

        async def awaited() -> Any:
            __tracebackhide__ = True
            if not isinstance(function, UserDefinedFunction):
                return await function(*args, **kwargs)
            await _settled(function.open, self.context)
            try:
                return await self.definition.call(*args, **kwargs)
            finally:
                await _settled(function.close)

        with doorway.as_in_worker():
            try:
                asyncio.get_running_loop()
            except RuntimeError:
                return asyncio.run(awaited())
            # IPython's own loop runs in this thread, and a loop cannot run within another.
            with ThreadPoolExecutor(1, "notebook-udf-eval") as pool:
                return pool.submit(asyncio.run, awaited()).result()


async def _settled(method: Callable[..., Any], *args: Any) -> None:
    result = method(*args)
    if inspect.isawaitable(result):
        await result
