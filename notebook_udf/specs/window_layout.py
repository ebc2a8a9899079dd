"""One window: its frames, and what stands where in its rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from notebook_udf.functions.sum_ir import Sums

Kind = Literal["rows", "range"]


@dataclass(frozen=True)
class WindowFrame:
    """A frame clause.

    Attributes
    ----------
    kind
        ``rows`` counts rows; ``range`` compares values of the order.
    start, end
        For ``rows`` the distance in rows, negative before the row; for ``range`` 0 for the row's
        peers. None: unbounded.
    low, high
        For ``range`` with a distance: the place of the column that holds the furthest value of
        the order still in the frame.
    descending
        Whether values of the order fall.
    """

    kind: Kind
    start: int | None
    end: int | None
    low: int | None = None
    high: int | None = None
    descending: bool = False

    @property
    def compares(self) -> bool:
        """Whether rows have to be compared to know the frames."""
        return self.kind == "range" and not self.is_whole

    @property
    def is_whole(self) -> bool:
        """Whether every row's frame is the partition."""
        return self.start is None and self.end is None


@dataclass(frozen=True)
class WindowPart:
    """One function's share: places of its argument columns and of its condition, its frame.

    ``sums`` says what its rows add to the accumulator, if it is known.
    """

    arguments: tuple[int, ...]
    condition: int | None
    frame: WindowFrame
    sums: Sums | None = None


@dataclass(frozen=True)
class WindowLayout:
    """One window.

    Attributes
    ----------
    partition, order
        Places of the columns it is partitioned and ordered by.
    names
        The partition columns' names in messages.
    parts, results
        Each function's share, and the name of its column of results.
    """

    partition: tuple[int, ...]
    names: tuple[str, ...]
    order: tuple[int, ...]
    parts: tuple[WindowPart, ...]
    results: tuple[str, ...]
