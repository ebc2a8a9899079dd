"""The traits of a kind of function, as data: what a call takes, and what it gives.

They are pickled with definitions, so they are plain values only. ``kernel.kinds`` has what a
session does for the functions of a kind.
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
        Such as ``table aggregate``.
    takes, gives
        What a call takes, and whether its result is a value or any number of rows.
    option
        Its name for ``kind=`` and ``--kind``; ``name`` if it is left out.
    is_async
        Whether calls are awaited.
    has_kernels
        Whether a call does no more than compute its result, so that Arrow may compute it instead.
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
        """Its name with an article: ``an async``."""
        return articled(self.name)


def articled(name: str) -> str:
    """A name with its article."""
    return f"{'an' if name[0].lower() in 'aeiou' else 'a'} {name}"


SCALAR = KindTraits("scalar", has_kernels=True)
ASYNC = KindTraits("async", is_async=True)
TABLE = KindTraits("table", gives="rows")
AGGREGATE = KindTraits("aggregate", takes="group")
TABLE_AGGREGATE = KindTraits("table aggregate", takes="group", gives="rows", option="aggregate")
PROCESS = KindTraits("process", takes="records", gives="rows")

# In the order of ``kernel.kinds.KINDS``, for modules that must not load that.
BUILT_IN = (SCALAR, TABLE, AGGREGATE, TABLE_AGGREGATE, ASYNC, PROCESS)
