"""Which exceptions Java tells apart, and which of them a handler takes."""

from __future__ import annotations

import binascii
import decimal
import statistics
from collections.abc import Callable
from json import JSONDecodeError
from typing import Any

from notebook_udf.compile.flow_graph import BasicBlock
from notebook_udf.compile.java.writing.terms import NotCompiled

# Their bits are those of Raised.java.
_KNOWN: dict[type[Exception], tuple[str, int]] = {
    TypeError: ("TYPE", 1),
    ValueError: ("VALUE", 2),
    IndexError: ("INDEX", 4),
    KeyError: ("KEY", 8),
    ZeroDivisionError: ("ZERO", 16),
    AttributeError: ("ATTRIBUTE", 32),
    OverflowError: ("OVERFLOW", 64),
    JSONDecodeError: ("JSON", 128),
    OSError: ("OS", 256),
    UnicodeDecodeError: ("UNICODE", 512),
    binascii.Error: ("BASE64", 1024),
    UnicodeEncodeError: ("ENCODE", 2048),
    decimal.InvalidOperation: ("INVALID", 4096),
    decimal.DivisionByZero: ("DIVISION", 8192),
    statistics.StatisticsError: ("STATISTICS", 16384),
}
# What these are made of has to fit them, or makes another one.
_MADE_OF_MORE = (JSONDecodeError, UnicodeDecodeError, UnicodeEncodeError, OSError)

# Evaluations that raise nothing.
NEVER_RAISING = frozenset(
    {"global", "builtin", "local", "string", "format", "convert", "store_local", "delete_local"}
)


def raising(exception: Any) -> str:
    """The statement that raises a class of exceptions; of no known type for all others."""
    name, _ = _KNOWN.get(exception, ("RAISED", 0))
    return f"throw Raised.{name};"


def raised(exception: Any) -> str:
    """What is thrown where a class of exceptions is raised, as an expression."""
    return f"Raised.{_KNOWN[exception][0]}"


def is_known(exception: Any) -> bool:
    """Whether Java tells a class of exceptions from others."""
    return exception in _KNOWN and exception not in _MADE_OF_MORE


def thrown(block: BasicBlock, named: Callable[[str, str], Any], *, guarded: bool) -> str:
    """The statement of a block that raises; ``named`` gives what a global or a builtin is.

    ``guarded``: a handler of the function's may take what is raised.
    """
    exception = block.end.values[0] if block.end.values else None
    call = exception if exception is not None and exception.kind == "call" else None
    if call is not None:
        exception = call.operands[0]
    found = None
    if exception is not None and exception.kind in ("global", "builtin"):
        found = named(exception.kind, exception.detail)
    before = {each.kind for each in block.evaluations if each is not call}
    if not is_known(found) or not before <= NEVER_RAISING:
        # It may be another exception that is raised.
        if guarded:
            raise NotCompiled("raise within try", block.line)
        found = None
    return raising(found)


def taken_by(handler: Any) -> int:
    """The bits of the exceptions that ``except handler`` takes."""
    types = handler if isinstance(handler, tuple) else (handler,)
    if not all(isinstance(each, type) and issubclass(each, BaseException) for each in types):
        raise NotCompiled("except of what is no class of exceptions")
    return sum(bit for known, (_, bit) in _KNOWN.items() if issubclass(known, types))
