"""``strftime`` of dates and datetimes, as Java: formats that this Python fills as Java does."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from operator import methodcaller

from notebook_udf.compile.java.times.calendar_names import DAYS, MONTHS
from notebook_udf.compile.java.writing.code import Code
from notebook_udf.compile.java.writing.terms import DATE, STR, NotCompiled, Term, quoted


def _day_of_year(moment: dt.datetime) -> int:
    return moment.toordinal() - dt.date(moment.year, 1, 1).toordinal() + 1


# What Java writes for each directive; ``%Y`` has two ways.
_WRITTEN: dict[str, Callable[[dt.datetime], str]] = {
    "y": lambda moment: f"{moment.year % 100:02}",
    "m": lambda moment: f"{moment.month:02}",
    "d": lambda moment: f"{moment.day:02}",
    "H": lambda moment: f"{moment.hour:02}",
    "I": lambda moment: f"{(moment.hour + 11) % 12 + 1:02}",
    "M": lambda moment: f"{moment.minute:02}",
    "S": lambda moment: f"{moment.second:02}",
    "f": lambda moment: f"{moment.microsecond:06}",
    "j": lambda moment: f"{_day_of_year(moment):03}",
    "A": lambda moment: DAYS[moment.weekday()],
    "a": lambda moment: DAYS[moment.weekday()][:3],
    "B": lambda moment: MONTHS[moment.month - 1],
    "b": lambda moment: MONTHS[moment.month - 1][:3],
    "p": lambda moment: "AM" if moment.hour < 12 else "PM",
    "e": lambda moment: f"{moment.day:2}",
    "w": lambda moment: f"{moment.isoweekday() % 7}",
    "u": lambda moment: f"{moment.isoweekday()}",
    "V": lambda moment: f"{moment.isocalendar()[1]:02}",
    "G": lambda moment: f"{moment.isocalendar()[0]}",
    "U": lambda moment: f"{(_day_of_year(moment) + 6 - moment.isoweekday() % 7) // 7:02}",
    "W": lambda moment: f"{(_day_of_year(moment) + 6 - moment.weekday()) // 7:02}",
    "%": lambda moment: "%",
}


def _bare(written: Callable[[dt.datetime], str]) -> Callable[[dt.datetime], str]:
    """The digits without what fills them up, as in ``%-d``."""
    return lambda moment: written(moment)[:-1].lstrip("0 ") + written(moment)[-1]


_WRITTEN |= {f"-{letter}": _bare(_WRITTEN[letter]) for letter in "mdHIMSjeUWV"}
# What stands for several.
_SHORT = {"F": "%Y-%m-%d", "T": "%H:%M:%S", "D": "%m/%d/%y", "R": "%H:%M"}
# Each month, weekday and hour, and years of each number of digits.
_TRIED = [
    dt.datetime(year, 1 + at % 12, 1 + at, at % 24, (7 * at) % 60, (11 * at) % 60, 37_037 * at)
    for year in (1, 42, 807, 1000, 1899, 1970, 2024, 9999)
    for at in range(27)
]


def _agrees(letter: str, written: Callable[[dt.datetime], str]) -> bool:
    """Whether this Python, in its locale and on this machine, writes a directive so."""
    return all(moment.strftime(f"%{letter}") == written(moment) for moment in _TRIED)


def _check(how: str) -> bool:
    """Whether years are padded; raises where Python may write something else than Java."""
    if not (how.isascii() and how.isprintable()):
        raise NotCompiled("a time's format with more than plain letters")
    pads, letters = False, iter(how)
    for letter in letters:
        if letter != "%":
            continue
        asked = next(letters, "")
        if asked == "-":
            asked += next(letters, "")
        if asked == "Y":
            pads = _agrees("Y", lambda moment: f"{moment.year:04}")
            known = pads or _agrees("Y", lambda moment: str(moment.year))
        else:
            known = asked in _WRITTEN and _agrees(asked, _WRITTEN[asked])
        if not known:
            raise NotCompiled(f"%{asked} in a time's format")
    return pads


def _in_full(how: str) -> str:
    """A format with what the short directives stand for, where this Python knows them."""
    parts = []
    letters = iter(how)
    for letter in letters:
        asked = next(letters, "") if letter == "%" else ""
        full = _SHORT.get(asked, "")
        if full and _agrees(asked, methodcaller("strftime", full)):
            parts.append(full)
        else:
            parts.append(letter + asked)
    return "".join(parts)


def formatted(code: Code, term: Term, how: str) -> Term:
    """``strftime`` of a date or a datetime that is there."""
    how = _in_full(how)
    pads = str(_check(how)).lower()
    moment = f"{term.java}.atStartOfDay()" if term.kinds == DATE else term.java
    return code.set(STR, f"PyTimeFormat.format({moment}, {quoted(how)}, {pads})")
