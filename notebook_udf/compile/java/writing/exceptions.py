"""Which exceptions Java tells apart, which of them a handler takes, and what their classes are."""

from __future__ import annotations

import binascii
import decimal
import statistics
from dataclasses import dataclass, field
from json import JSONDecodeError
from typing import Any

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
# Classes of exceptions that are made of their arguments and are written as those.
_PLAIN: frozenset[type] = frozenset(
    [
        Exception, ValueError, TypeError, LookupError, IndexError, KeyError, ArithmeticError,
        ZeroDivisionError, OverflowError, FloatingPointError, AssertionError, AttributeError,
        RuntimeError, NotImplementedError, EOFError, BufferError,
    ]
)  # fmt: skip
_MAKING = ("__new__", "__init__", "__str__", "__getattribute__", "__subclasscheck__")
# Bits from here on are those of classes that a function raises itself.
_FIRST_OTHER = 15
_MOST_OTHERS = 16
# A handler that takes all of them takes those of no known type too.
_ALL = -1


@dataclass
class RaisedClasses:
    """Classes of exceptions beside those that all know, by their bits."""

    others: list[type[Exception]] = field(default_factory=list)

    def bit(self, exception: type[Exception]) -> int:
        """The bit of a class of exceptions; see ``is_raisable``."""
        if exception in _KNOWN:
            return _KNOWN[exception][1]
        if exception not in self.others:
            if len(self.others) == _MOST_OTHERS:
                raise NotCompiled(f"more than {_MOST_OTHERS} classes of exceptions")
            self.others.append(exception)
        return 1 << (_FIRST_OTHER + self.others.index(exception))

    def taken_by(self, handler: Any) -> int:
        """The bits of the exceptions that ``except handler`` takes."""
        types = handler if isinstance(handler, tuple) else (handler,)
        if not all(isinstance(each, type) and issubclass(each, BaseException) for each in types):
            raise NotCompiled("except of what is no class of exceptions")
        if issubclass(Exception, types):
            return _ALL
        known = [*_KNOWN, *self.others]
        return sum(self.bit(each) for each in known if issubclass(each, types))


def names() -> list[str]:
    """The names of the classes that all know, by the places of their bits."""
    return [each.__name__ for each in sorted(_KNOWN, key=bit_of)]


def bit_of(exception: type[Exception]) -> int:
    """The bit of a class of exceptions that all know; 0 for all others."""
    return _KNOWN.get(exception, ("", 0))[1]


def raising(exception: Any) -> str:
    """The statement that raises a class of exceptions; of no known type for all others."""
    name, _ = _KNOWN.get(exception, ("RAISED", 0))
    return f"throw Raised.{name};"


def raised(exception: Any) -> str:
    """What is thrown where a class of exceptions is raised, as an expression."""
    return f"Raised.{_KNOWN[exception][0]}"


def is_raisable(exception: Any) -> bool:
    """Whether it is a class of exceptions that any arguments fit, and that is written as them."""
    if type(exception) is not type or not issubclass(exception, Exception):
        return False
    for each in exception.__mro__:
        if each in _PLAIN:
            return True
        if any(name in vars(each) for name in _MAKING):
            return False
    return False
