"""notebook-udf: Python functions on Spark, written, watched and debugged in a notebook.

Everything a user imports comes from here::

    import notebook_udf as nu

    session = nu.session()

Names are loaded when they are first used, so that ``%load_ext notebook_udf`` starts nothing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from notebook_udf.errors import (
        AuthenticationError,
        CaptureError,
        DeclarationError,
        FunctionTimeout,
        NameTakenError,
        NotebookUdfError,
        PlanningError,
        ProtocolError,
        QueryError,
        ResultError,
        SelfCheckFailed,
        SessionError,
        TypeDeclarationError,
        UserFunctionError,
        VersionMismatch,
        WorkerError,
        WorkerLost,
        WorkerOutOfMemory,
    )
    from notebook_udf.functions.base import (
        AggregateFunction,
        AsyncScalarFunction,
        ImperativeAggregateFunction,
        ScalarFunction,
        TableAggregateFunction,
        TableFunction,
        UserDefinedFunction,
        WithGracefulShutdown,
    )
    from notebook_udf.functions.context import FunctionContext
    from notebook_udf.functions.declare import udf
    from notebook_udf.functions.declare_aggregate import udaf, udtaf
    from notebook_udf.functions.declare_table import udtf
    from notebook_udf.functions.metrics import (
        Counter,
        Distribution,
        Gauge,
        Histogram,
        Meter,
        MetricGroup,
    )
    from notebook_udf.functions.process import (
        Collector,
        NonPartitionedContext,
        OneInputStreamProcessFunction,
        RuntimeContext,
        idempotence,
        no_output_until_end_of_input,
        not_cache_record,
    )
    from notebook_udf.functions.process_states import StateDeclarations
    from notebook_udf.functions.row import Row
    from notebook_udf.functions.states import ListState, MapState, ValueState
    from notebook_udf.functions.views import DataView, ListView, MapView
    from notebook_udf.kernel import Session, session
    from notebook_udf.kernel.registering import register
    from notebook_udf.kernel.transforms.aggregate_transforms import aggregate, flat_aggregate
    from notebook_udf.kernel.transforms.async_transform import map_async
    from notebook_udf.kernel.transforms.lateral_transforms import (
        join_lateral,
        left_outer_join_lateral,
    )
    from notebook_udf.kernel.transforms.process_transform import process
    from notebook_udf.registry import RegisteredFunction
    from notebook_udf.reports.report import report
    from notebook_udf.reports.running.attached_job import AttachedJob, attach
    from notebook_udf.types import DataTypes

_HOMES = {
    "AggregateFunction": "functions.base",
    "AsyncScalarFunction": "functions.base",
    "AttachedJob": "reports.running.attached_job",
    "AuthenticationError": "errors",
    "CaptureError": "errors",
    "Collector": "functions.process",
    "Counter": "functions.metrics",
    "DataTypes": "types",
    "DataView": "functions.views",
    "DeclarationError": "errors",
    "Distribution": "functions.metrics",
    "FunctionContext": "functions.context",
    "FunctionTimeout": "errors",
    "Gauge": "functions.metrics",
    "Histogram": "functions.metrics",
    "ImperativeAggregateFunction": "functions.base",
    "ListState": "functions.states",
    "ListView": "functions.views",
    "MapState": "functions.states",
    "MapView": "functions.views",
    "Meter": "functions.metrics",
    "MetricGroup": "functions.metrics",
    "NameTakenError": "errors",
    "NonPartitionedContext": "functions.process",
    "NotebookUdfError": "errors",
    "OneInputStreamProcessFunction": "functions.process",
    "PlanningError": "errors",
    "ProtocolError": "errors",
    "QueryError": "errors",
    "RegisteredFunction": "registry",
    "ResultError": "errors",
    "Row": "functions.row",
    "RuntimeContext": "functions.process",
    "ScalarFunction": "functions.base",
    "SelfCheckFailed": "errors",
    "Session": "kernel",
    "SessionError": "errors",
    "StateDeclarations": "functions.process_states",
    "TableAggregateFunction": "functions.base",
    "TableFunction": "functions.base",
    "TypeDeclarationError": "errors",
    "UserDefinedFunction": "functions.base",
    "UserFunctionError": "errors",
    "ValueState": "functions.states",
    "VersionMismatch": "errors",
    "WithGracefulShutdown": "functions.base",
    "WorkerError": "errors",
    "WorkerLost": "errors",
    "WorkerOutOfMemory": "errors",
    "aggregate": "kernel.transforms.aggregate_transforms",
    "attach": "reports.running.attached_job",
    "flat_aggregate": "kernel.transforms.aggregate_transforms",
    "idempotence": "functions.process",
    "join_lateral": "kernel.transforms.lateral_transforms",
    "left_outer_join_lateral": "kernel.transforms.lateral_transforms",
    "map_async": "kernel.transforms.async_transform",
    "no_output_until_end_of_input": "functions.process",
    "not_cache_record": "functions.process",
    "process": "kernel.transforms.process_transform",
    "register": "kernel.registering",
    "report": "reports.report",
    "session": "kernel",
    "udaf": "functions.declare_aggregate",
    "udf": "functions.declare",
    "udtaf": "functions.declare_aggregate",
    "udtf": "functions.declare_table",
}

__all__ = [
    "AggregateFunction",
    "AsyncScalarFunction",
    "AttachedJob",
    "AuthenticationError",
    "CaptureError",
    "Collector",
    "Counter",
    "DataTypes",
    "DataView",
    "DeclarationError",
    "Distribution",
    "FunctionContext",
    "FunctionTimeout",
    "Gauge",
    "Histogram",
    "ImperativeAggregateFunction",
    "ListState",
    "ListView",
    "MapState",
    "MapView",
    "Meter",
    "MetricGroup",
    "NameTakenError",
    "NonPartitionedContext",
    "NotebookUdfError",
    "OneInputStreamProcessFunction",
    "PlanningError",
    "ProtocolError",
    "QueryError",
    "RegisteredFunction",
    "ResultError",
    "Row",
    "RuntimeContext",
    "ScalarFunction",
    "SelfCheckFailed",
    "Session",
    "SessionError",
    "StateDeclarations",
    "TableAggregateFunction",
    "TableFunction",
    "TypeDeclarationError",
    "UserDefinedFunction",
    "UserFunctionError",
    "ValueState",
    "VersionMismatch",
    "WithGracefulShutdown",
    "WorkerError",
    "WorkerLost",
    "WorkerOutOfMemory",
    "aggregate",
    "attach",
    "flat_aggregate",
    "idempotence",
    "join_lateral",
    "left_outer_join_lateral",
    "map_async",
    "no_output_until_end_of_input",
    "not_cache_record",
    "process",
    "register",
    "report",
    "session",
    "udaf",
    "udf",
    "udtaf",
    "udtf",
]


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'notebook_udf' has no attribute {name!r}")
    value = getattr(importlib.import_module(f"notebook_udf.{home}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


def load_ipython_extension(shell: Any) -> None:
    """``%load_ext notebook_udf``: registers the magics and starts nothing."""
    from notebook_udf.magics import load

    load(shell)


def unload_ipython_extension(shell: Any) -> None:
    """``%unload_ext notebook_udf``: removes the magics."""
    from notebook_udf.magics import unload

    unload(shell)
