"""Checks the accumulators of window frames against their declared type.

``get_value`` is called once per frame, on an accumulator that mostly goes on to the next frame. An
accumulator that still has its first number of parts, all of them numbers, text and the like, is
copied for each frame; one that may grow is checked where its frame begins again and at the end of
its partition. What is to be checked waits until there is enough of it for a column.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import itemgetter
from typing import Any

from pyspark.sql.types import ArrayType, DataType, MapType, StructType

from notebook_udf.worker.aggregate.accumulator import Accumulation, Group
from notebook_udf.worker.codec.encode import taker
from notebook_udf.worker.codec.refusal import Refused

# Frames that wait at most: of more the garbage collector would make as much work again.
_MOST_WAITING = 256

Copy = Callable[[Any], Any]


class FrameCheck:
    """The accumulators whose values were asked for the rows of a bundle, to be checked.

    Attributes
    ----------
    copy
        What copies an accumulator that can be changed in place; None if it is not copied.
    """

    def __init__(self, accumulation: Accumulation, declared: DataType, group: Group) -> None:
        self._accumulation = accumulation
        self._group = group
        self._accumulators: list[Any] = []
        self._rows: list[int] = []
        self.copy: Copy | None = None
        if accumulation.in_place:
            self.copy = _copier(declared, accumulation.create())

    def asked(self, accumulator: Any, row: int) -> None:
        """Notes the accumulator of a row's frame; ``row`` is its position in the bundle."""
        if not self._accumulation.in_place:
            self.add([accumulator], [row])
        elif self.copy is not None:
            self.add([self.copy(accumulator)], [row])

    def left(self, accumulator: Any, row: int) -> None:
        """Notes an accumulator whose value no later row asks for."""
        if self._accumulation.in_place:
            self.add([accumulator], [row])

    def add(self, accumulators: Sequence[Any], rows: Sequence[int]) -> None:
        """Notes accumulators that do not change any more."""
        self._accumulators += accumulators
        self._rows += rows
        if len(self._rows) >= _MOST_WAITING:
            self.finish()

    def finish(self) -> None:
        """Checks what waits.

        Raises
        ------
        FunctionFailed
            If the declared type cannot hold one of them.
        """
        accumulators, rows = self._accumulators, self._rows
        self._accumulators, self._rows = [], []
        self._accumulation.check(accumulators, self._group, rows)


def _copier(declared: DataType, fresh: Any) -> Copy | None:
    """How to copy accumulators like the fresh one; None where they have more than a few values."""
    if isinstance(declared, ArrayType):
        if not isinstance(fresh, list) or not fresh or not _is_leaf(declared.elementType):
            return None
        return itemgetter(slice(len(fresh)))
    if not isinstance(declared, StructType) or not all(_is_leaf(f.dataType) for f in declared):
        return None
    if isinstance(fresh, list):
        return itemgetter(slice(len(declared.names) + 1))
    if isinstance(fresh, dict):
        return dict.copy
    try:
        return taker(fresh, declared.names, declared)
    except Refused:
        return None


def _is_leaf(data_type: DataType) -> bool:
    return not isinstance(data_type, (ArrayType, MapType, StructType))
