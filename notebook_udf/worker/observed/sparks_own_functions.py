"""The user's code within functions that PySpark makes of it: what they are to be seen as.

PySpark gives its worker a function of its own for a stateful processor, for a reader or writer of a
data source, and for the functions of an RDD, and keeps the user's in it.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from typing import Any

from notebook_udf.worker.observed.observed_call import first_code_of

_MODULES = ("pyspark.", "notebook_udf.")
# Where PySpark's function of a data source has the user's reader, or writer.
_SOURCES = {"reader": "read", "writer": "write"}
# Of an RDD's functions, how deep they may lie in each other, and how many are named.
_DEEPEST = 200
_MOST_NAMED = 4


def is_users(function: Any) -> bool:
    """Whether a function is not PySpark's, nor of this package."""
    own = getattr(function, "__module__", None) or type(function).__module__
    return not f"{own}.".startswith(_MODULES)


class WatchedProcessor:
    """Stands for a stateful processor where Spark calls it; the processor itself is as it was.

    Parameters
    ----------
    around
        Wraps a method in which rows are processed.
    """

    def __init__(self, processor: Any, around: Callable[[Any], Any]) -> None:
        self._processor = processor
        self.handleInputRows = around(processor.handleInputRows)
        self.handleExpiredTimer = around(processor.handleExpiredTimer)
        self.handleInitialState = around(processor.handleInitialState)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._processor, name)


def processor_of(function: Any) -> Any:
    """The stateful processor that a function of PySpark's calls; None if it is of another kind."""
    return getattr(getattr(function, "__self__", None), "_stateful_processor", None)


def source_method_of(function: Any) -> tuple[str, Callable[..., Any]] | None:
    """The class of a data source's reader or writer, and the method that a function of PySpark's
    calls of it; None if it is of another kind."""
    if not str(getattr(function, "__module__", "")).startswith("pyspark.sql.worker."):
        return None
    known = inspect.getclosurevars(function).nonlocals
    for name, method in _SOURCES.items():
        if name in known:
            found = known[name]
            # That of a simple stream's reader, which PySpark wraps.
            found = getattr(found, "simple_reader", found)
            return type(found).__name__, getattr(found, method)
    return None


def functions_of_rdd(function: Any) -> list[Callable[..., Any]]:
    """The user's functions in that of an RDD, in the order in which rows come to them.

    Only those in Python: PySpark itself takes such as ``operator.add``.
    """
    return list(_within(function, set()))


def _within(held: Any, seen: set[int]) -> Iterator[Callable[..., Any]]:
    if id(held) in seen or len(seen) > _DEEPEST:
        return
    seen.add(id(held))
    if is_users(held):
        if callable(held) and first_code_of(held) is not None:
            yield held
        return
    for each in _parts_of(held):
        yield from _within(each, seen)


def _parts_of(held: Any) -> list[Any]:
    """What a function of PySpark's, or an object of its, has in it."""
    code = getattr(held, "__code__", None)
    if code is None:
        return list(getattr(held, "__dict__", {}).values())
    named = dict(zip(code.co_freevars, held.__closure__ or (), strict=True))
    # What comes first in a chain of an RDD's functions.
    ordered = sorted(named, key=lambda name: name != "prev_func")
    return [named[name].cell_contents for name in ordered if _is_filled(named[name])]


def _is_filled(cell: Any) -> bool:
    try:
        return cell.cell_contents is not None
    except ValueError:
        # Nothing was assigned yet.
        return False


def named(functions: list[Callable[..., Any]]) -> str:
    """What an RDD's functions are called together."""
    names = [str(getattr(f, "__name__", None) or type(f).__name__) for f in functions]
    more = len(names) - _MOST_NAMED
    return " → ".join(names[:_MOST_NAMED]) + (f" → {more} more" if more > 0 else "")
