"""What users call: functions, classes and methods that are public, with their docstrings."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from typing import Any

import notebook_udf as nu
from notebook_udf.pool.view import Pool
from notebook_udf.reports.report import JobReport
from notebook_udf.state.reader import StateReader
from notebook_udf.telemetry.user_views import LogView, MetricsView
from notebook_udf.widgets.explorer import PlanExplorer

# Classes whose methods users call, and not only write.
_WITH_METHODS = ("RegisteredFunction", "Session")
# What sessions hand out: reached by no name of the package's own.
HANDED_OUT = (JobReport, LogView, MetricsView, PlanExplorer, Pool, StateReader)
# Other names of methods; the docstring is the method's.
ALIASES = ("create_temporary_function", "drop_temporary_function")


def public_objects() -> Iterator[tuple[str, Callable[..., Any]]]:
    """By name: all that is exported but errors, then the methods of the classes above."""
    for name in nu.__all__:
        value = getattr(nu, name)
        if not (isinstance(value, type) and issubclass(value, Exception)):
            yield name, value
        if name in _WITH_METHODS:
            for method, function in inspect.getmembers(value, inspect.isfunction):
                if not method.startswith("_") and method not in ALIASES:
                    yield f"{name}.{method}", function
    yield from ((each.__name__, each) for each in HANDED_OUT)


def public_callables() -> Iterator[tuple[str, str]]:
    """By name: the docstrings."""
    for name, value in public_objects():
        yield name, inspect.getdoc(value) or ""
