"""What the clocks of this process's time zone show, as Python's naive datetimes have it."""

from __future__ import annotations

import time


def zone_is_utc() -> bool:
    """Whether local time is UTC at all times; False for zones that only happen to agree."""
    return time.timezone == 0 and time.tzname == ("UTC", "UTC")


def offset_at(instant: int) -> int:
    """How many seconds local clocks are ahead of UTC, at a second since 1970."""
    return time.localtime(instant).tm_gmtoff
