"""What is common to all functions of a kind, as data: what a call takes, and what it gives.

It travels with definitions, so it holds nothing but plain values. What a session does for the
functions of a kind is the business of ``kernel.kinds``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

Takes: TypeAlias = Literal["row", "group", "records"]
Gives: TypeAlias = Literal["value", "rows"]


@dataclass(frozen=True)
class KindTraits:
    """A kind of function.

    Attributes
    ----------
    name
        ``table aggregate``.
    takes, gives
        What a call is given, and whether its result is a value or any number of rows.
    option
        What ``kind=`` and ``--kind`` call it; ``name`` if it is left out.
    is_async
        Whether calls are awaited.
    has_kernels
        Whether what a function computes is all there is to a call, so that Arrow may do it instead.
    """

    name: str
    takes: Takes = "row"
    gives: Gives = "value"
    option: str = ""
    is_async: bool = False
    has_kernels: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "option", self.option or self.name)

    @property
    def articled(self) -> str:
        """``an async``."""
        return articled(self.name)


def articled(name: str) -> str:
    """A name behind its article."""
    return f"{'an' if name[0].lower() in 'aeiou' else 'a'} {name}"


SCALAR = KindTraits("scalar", has_kernels=True)
ASYNC = KindTraits("async", is_async=True)
TABLE = KindTraits("table", gives="rows")
AGGREGATE = KindTraits("aggregate", takes="group")
TABLE_AGGREGATE = KindTraits("table aggregate", takes="group", gives="rows", option="aggregate")
PROCESS = KindTraits("process", takes="records", gives="rows")

# In the order of ``kernel.kinds.KINDS``, for what must not load that.
BUILT_IN = (SCALAR, TABLE, AGGREGATE, TABLE_AGGREGATE, ASYNC, PROCESS)
