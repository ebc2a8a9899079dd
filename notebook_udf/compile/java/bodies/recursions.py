"""Functions that call themselves: what their methods are called by while they are written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from notebook_udf.compile.java.writing.terms import Kinds, Term, Undetermined

# What such a function calls the number of its calls that have not ended. A row that needs more is
# left to Python, which raises after a thousand of a call's functions: each call may have three.
DEPTH = "depth"
NOT_TOO_DEEP = (
    *(f"if ({DEPTH} > 300) {{", "    throw GaveUp.GAVE_UP;", "}"),
    # Of those that branch, most calls are many calls deep.
    *(f"if (({DEPTH} & 7) == 7) {{", "    PyTask.goOn();", "}"),
)


class Unsettled(Exception):
    """Of what kinds the results of a function are that calls itself, where others were assumed."""

    def __init__(self, kinds: Kinds) -> None:
        super().__init__(kinds)
        self.kinds = kinds


@dataclass
class Recursion:
    """A method while it is written: what it is called by in its own body."""

    name: str
    # Of what kinds its results are, by what was found until now.
    returned: Kinds | None = None
    calls_itself: bool = False

    def call(self, arguments: Sequence[str]) -> Term | Undetermined:
        """The call of it in its own body."""
        self.calls_itself = True
        if self.returned is None:
            return Undetermined()
        given = ", ".join((f"{DEPTH} + 1", *arguments))
        return Term(self.returned, f"{self.name}({given})")

    def settled(self, kinds: Kinds) -> None:
        """Raises an ``Unsettled`` where these are not the kinds that its calls gave."""
        if self.calls_itself and kinds != self.returned:
            raise Unsettled(kinds)
