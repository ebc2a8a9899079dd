"""``datetime.strptime``, as Java: the pattern that Python makes of a format, and what it takes."""

from __future__ import annotations

import _strptime  # type: ignore[import-not-found]
import re
from collections.abc import Sequence
from typing import Any

from notebook_udf.compile.java.documents import json_values
from notebook_udf.compile.java.patterns.regex_calls import search
from notebook_udf.compile.java.times.aware_moments import STAMP
from notebook_udf.compile.java.times.calendar_names import MONTHS
from notebook_udf.compile.java.writing import choices
from notebook_udf.compile.java.writing.code import Code
from notebook_udf.compile.java.writing.exceptions import raising
from notebook_udf.compile.java.writing.terms import (
    MOMENT,
    STR,
    KnownValue,
    NotCompiled,
    Value,
    array_of,
)

# What each part of a datetime is told by, in the order in which it takes them, and what it is else.
_PARTS = {"Yy": 1900, "mbB": 1, "d": 1, "HI": 0, "M": 0, "S": 0, "f": 0}
# What a format may tell besides: the weekday, which Python only reads, the half of the day, and the
# offset to UTC.
_BESIDES = "aApz"


def strptime(code: Code, given: Sequence[Value]) -> Value:
    """``datetime.strptime(text, format)`` of formats that tell each part once."""
    if len(given) != 2:
        raise NotCompiled("strptime of so many arguments")
    text = code.present(json_values.as_text(code, given[0]))
    if text.kinds != STR:
        raise NotCompiled("strptime of what is no text")
    return choices.chosen(code, given[1], lambda how: _by_format(code, text, how), "a format")


def _by_format(code: Code, text: Any, how: Any) -> Value:
    pattern = _pattern(how)
    found = code.present(search(code, pattern, "match", text), ValueError)
    code.say(f"if ({found.java}.end(0L) != PyText.len({text.java})) {raising(ValueError)}")
    groups = {
        name: f"(String) {found.java}.group({number}L)"
        for name, number in pattern.groupindex.items()
    }
    numbers = [_number(code, part, groups) for part in _PARTS]
    moment = code.set(MOMENT, f"PyDate.moment({', '.join(numbers)})")
    if "z" not in groups:
        return moment
    return code.set(STAMP, f"PyAware.at({moment.java}, {groups['z']})")


def _pattern(how: Any) -> re.Pattern[str]:
    """What Python looks for by a format."""
    asked = re.findall("%(.)", how) if isinstance(how, str) else []
    told = ["".join(each for each in asked if each in part) for part in _PARTS]
    known = all(each in "".join((*_PARTS, _BESIDES)) for each in asked)
    once = len(asked) == len(set(asked)) and all(len(each) <= 1 for each in told)
    names = _strptime.LocaleTime()
    english = [name.lower() for name in MONTHS] == names.f_month[1:]
    if not (known and once and any(told) and english and names.am_pm == ["am", "pm"]):
        raise NotCompiled(f"strptime with the format {how!r}")
    found: re.Pattern[str] = _strptime.TimeRE(names).compile(how)
    return found


def _number(code: Code, part: str, groups: dict[str, str]) -> str:
    """A part of a datetime."""
    by = next((each for each in part if each in groups), "")
    if not by:
        return f"{_PARTS[part]}L"
    text = groups[by]
    if by in "bB":
        names = [name.lower() if by == "B" else name[:3].lower() for name in MONTHS]
        written = array_of(code.object(KnownValue(name)) for name in names)
        return f"PyDate.month({text}, {code.constant('Object[]', written)})"
    if by == "f":
        return f"PyDate.micros({text})"
    digits = f"PyNumber.count(PyParse.toInt({text}, 10))"
    if by == "y":
        return f"PyDate.year({digits})"
    return f"PyDate.hour({digits}, {groups.get('p', 'null')})" if by == "I" else digits
