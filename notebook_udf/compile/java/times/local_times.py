"""The changes of this process's time zone, as Java's clocks have to follow them."""

from __future__ import annotations

import os
import time
from functools import lru_cache

from notebook_udf.compile.java.writing.code import Constants
from notebook_udf.compile.java.writing.terms import NotCompiled
from notebook_udf.local_clock import offset_at, zone_is_utc

_DAY = 86_400
# The days on which the years 1, 1800, 2100, 2500 and 10000 begin. The calendar repeats after 400
# years, its days of the week included, and so do the rules of zones from 2100 on.
_YEAR_1, _YEAR_1800, _YEAR_2100, _YEAR_2500, _YEAR_10000 = (
    *(-719_162, -62_091, 47_482, 193_579, 2_932_897),
)
_CYCLE = (_YEAR_2500 - _YEAR_2100) * _DAY
_STEP = 97


def zone(constants: Constants) -> str:
    """Java's name for this process's time zone.

    Raises
    ------
    NotCompiled
        As ``changes``.
    """
    constants.has_zone = True
    return constants.name("PyZone", f'new PyZone("{changes()}")')


def changes() -> str:
    """The zone as ``PyZone`` reads it.

    Raises
    ------
    NotCompiled
        If its clocks change before 1800, or not each 400 years alike.
    """
    return _changes(os.environ.get("TZ"), *time.tzname)


@lru_cache(maxsize=4)
def _changes(variable: str | None, *names: str) -> str:
    if zone_is_utc():
        return f"{_YEAR_2500 * _DAY} 0"
    known = offset_at(_YEAR_1800 * _DAY)
    if offset_at(_YEAR_1 * _DAY) != known:
        raise NotCompiled("a TIMESTAMP in a time zone whose clocks changed before 1800")
    said = [_YEAR_2500 * _DAY, known]
    for day in range(_YEAR_1800, _YEAR_2500):
        following = offset_at((day + 1) * _DAY)
        if following != known:
            said += [_change(day * _DAY, (day + 1) * _DAY), following]
            known = following
    for day in range(_YEAR_2500, _YEAR_10000, _STEP):
        second = day * _DAY
        cycles = (second - _YEAR_2500 * _DAY) // _CYCLE + 1
        if offset_at(second) != offset_at(second - cycles * _CYCLE):
            raise NotCompiled("a TIMESTAMP in a time zone whose clocks follow no rule")
    return " ".join(map(str, said))


def _change(before: int, after: int) -> int:
    """The first second of the offset that holds at the end."""
    last = offset_at(after)
    while after - before > 1:
        middle = (before + after) // 2
        if offset_at(middle) == last:
            after = middle
        else:
            before = middle
    return after
