"""Calling a function here, in the kernel, as a worker would."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from notebook_udf.functions.base import UserDefinedFunction
from notebook_udf.functions.context import FunctionContext
from notebook_udf.functions.definition import FunctionDefinition, doorway


def call_here(
    definition: FunctionDefinition,
    args: Any,
    kwargs: Any,
    *,
    job_parameters: Mapping[str, str],
) -> Any:
    """One call on plain values, between ``open`` and ``close``; raises what the function raises."""
    __tracebackhide__ = True
    function = definition.function
    with doorway.as_in_worker():
        if not isinstance(function, UserDefinedFunction):
            return definition.call(*args, **kwargs)
        function.open(FunctionContext(function=definition.name, job_parameters=job_parameters))
        try:
            return definition.call(*args, **kwargs)
        finally:
            function.close()
