"""The names of months and weekdays, as a process says them that was set to no other language."""

from __future__ import annotations

import calendar
from typing import Any

DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
MONTHS = (
    *("January", "February", "March", "April", "May", "June", "July"),
    *("August", "September", "October", "November", "December"),
)
_NAMES = {
    id(calendar.month_name): ("", *MONTHS),
    id(calendar.month_abbr): ("", *(name[:3] for name in MONTHS)),
    id(calendar.day_name): DAYS,
    id(calendar.day_abbr): tuple(name[:3] for name in DAYS),
}


def plain(constant: Any) -> Any:
    """What ``calendar`` calls months or days, as a tuple of those names; any other constant as it
    is, as are names in another language."""
    names = _NAMES.get(id(constant))
    return names if names is not None and tuple(constant) == names else constant
