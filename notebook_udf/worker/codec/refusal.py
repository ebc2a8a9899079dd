"""How a result that does not fit its declared type is described.

Covers the exception and the shortened form of a value. ``encode`` and ``primitives`` raise it;
turning it into an error for the user, with function and line, is left to the caller.
"""

from __future__ import annotations

import reprlib

from pyspark.sql.types import DataType

from notebook_udf.types import ddl

_LONGEST = 80


class Refused(Exception):
    """Why one value does not fit; its position is not known yet."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class BadResult(Exception):
    """A value that its declared type cannot hold without changing it.

    Attributes
    ----------
    index
        Zero-based position of the row among the results.
    value
        The offending value, which may be a part of the row's result.
    expected
        The type declared for that value.
    path
        Where in the result the value is, such as ``[3].name``; empty for the result itself.
    reason
        Why it does not fit and, where there is an obvious one, the next step.
    """

    def __init__(
        self, index: int, value: object, expected: DataType, path: str, reason: str
    ) -> None:
        super().__init__(index, value, expected, path, reason)
        self.index = index
        self.value = value
        self.expected = expected
        self.path = path
        self.reason = reason

    def __str__(self) -> str:
        place = f" at {self.path}" if self.path else ""
        return (
            f"Result {self.index}{place} is {shortened(self.value)} "
            f"({type(self.value).__name__}), which {ddl(self.expected)} cannot hold: {self.reason}."
        )

    @property
    def about_call(self) -> str:
        """The same without the row's number, to be written behind the name of a function."""
        place = f" with {shortened(self.value)} at {self.path}" if self.path else ""
        value = "a result" if self.path else shortened(self.value)
        return (
            f"returned {value}{place} ({type(self.value).__name__}), which {ddl(self.expected)} "
            f"cannot hold: {self.reason}"
        )

    def moved(self, index: int, prefix: str) -> BadResult:
        """The same refusal, seen from the column that contains this one."""
        return BadResult(index, self.value, self.expected, prefix + self.path, self.reason)


def shortened(value: object) -> str:
    """A ``repr`` of one line that never fails and never grows."""
    look = reprlib.Repr()
    look.maxstring = look.maxother = look.maxlong = _LONGEST
    try:
        text = " ".join(look.repr(value).split())
    except Exception:
        # A user's __repr__, or an int of more digits than Python prints.
        return f"<{type(value).__name__}>"
    return text if len(text) <= _LONGEST else text[: _LONGEST - 3] + "..."
