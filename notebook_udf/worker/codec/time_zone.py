"""Converts between instants and local time of this process's time zone, a column at a time.

Covers both directions for arrays of microseconds since 1970, over years 1 to 9999 and one day
beyond. The rules are Python's own for naive datetimes (``datetime.astimezone``, PEP 495), so a
value means here what it means in the user's code; only the speed differs. Making arrays out of
Arrow columns or Python values is left to ``decode`` and ``encode``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from notebook_udf.local_clock import offset_at, zone_is_utc

Micros = npt.NDArray[np.int64]

_SECOND = 1_000_000
_DAY = 86_400
# No zone of the IANA database changes twice within four days, so a day whose ends agree has one
# offset throughout; with a longer span, values around a change could get the wrong one.
_SPAN = _DAY


def to_wall(instants: Micros) -> tuple[Micros, list[int]]:
    """What local clocks showed at these instants, as microseconds of a zoneless calendar.

    The second part says which elements the clocks showed for the second time
    (``datetime.fold``): without it, the way back would lead to the first.
    """
    if zone_is_utc():
        return instants, []
    offsets, unsteady = _offsets(instants, offset_at)
    walls = instants + offsets
    again = [
        index
        for index in unsteady
        if _instant_of(int(walls[index] // _SECOND), 0) != instants[index] // _SECOND
    ]
    return walls, again


def to_instants(walls: Micros, folds: npt.NDArray[np.bool_] | None = None) -> Micros:
    """The instants at which local clocks showed these times.

    ``folds`` marks the times that are the second of two equal ones (``datetime.fold``).
    """
    if zone_is_utc():
        return walls
    result = walls - _offsets(walls, lambda wall: _offset_of(wall, 0))[0]
    if folds is not None and folds.any():
        later = walls[folds]
        result[folds] = later - _offsets(later, lambda wall: _offset_of(wall, 1))[0]
    return result


def _offset_of(wall: int, fold: int) -> int:
    # In a gap, where no clock ever stood, this is the offset after it, as for ``astimezone`` up to
    # Python 3.12; other versions and ``datetime.timestamp`` differ there.
    return offset_at(_instant_of(wall, fold))


def _instant_of(wall: int, fold: int) -> int:
    """The instant, in seconds, of a wall-clock time; PEP 495's answer in gaps and folds."""
    offset = offset_at(wall)
    first = wall - offset
    matches = offset_at(first) == offset
    # A day to the proper side shows the other offset that may be in force around here.
    other = offset_at(first + (_DAY if fold else -_DAY)) if matches else offset_at(first)
    if other == offset:
        return first
    second = wall - other
    if offset_at(second) == other:
        return second
    if matches:
        return first
    return min(first, second) if fold else max(first, second)


def _offsets(micros: Micros, offset: Callable[[int], int]) -> tuple[Micros, list[int]]:
    """The offset of each element, looked up once per span of time rather than per element.

    The second part is the elements less than a span after a change of the offset, or shortly before
    one.
    """
    seconds = micros // _SECOND
    spans, place = np.unique(seconds // _SPAN, return_inverse=True)
    starts: list[Any] = (spans * _SPAN).tolist()
    at_start = np.array([offset(start) for start in starts], dtype=np.int64)
    at_end = np.array([offset(start + _SPAN - 1) for start in starts], dtype=np.int64)
    before = np.array([offset(start - _SPAN) for start in starts], dtype=np.int64)
    result = at_start[place]
    unsteady: list[int] = np.flatnonzero(
        ((at_start != at_end) | (before != at_start))[place]
    ).tolist()
    for index in unsteady:
        result[index] = offset(int(seconds[index]))
    return result * _SECOND, unsteady
