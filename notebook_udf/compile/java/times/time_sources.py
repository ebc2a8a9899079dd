"""Dates and datetimes that are made of texts and of numbers, as Java; ``strptime`` is elsewhere."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from notebook_udf.compile.bindings import taken
from notebook_udf.compile.java.documents import json_values
from notebook_udf.compile.java.times import aware_moments, local_times
from notebook_udf.compile.java.times.aware_moments import STAMP
from notebook_udf.compile.java.writing.code import Code
from notebook_udf.compile.java.writing.number_terms import as_int
from notebook_udf.compile.java.writing.terms import (
    DATE,
    FLOAT,
    INT,
    MOMENT,
    STR,
    NotCompiled,
    Term,
    Value,
)

_SOURCES = {
    (dt.date, "fromisoformat"),
    (dt.date, "fromordinal"),
    (dt.date, "fromtimestamp"),
    (dt.datetime, "fromisoformat"),
    (dt.datetime, "fromtimestamp"),
    (dt.datetime, "utcfromtimestamp"),
}
# What Java reads as this Python has to: the releases differ in what they take for ISO's.
_DATES = {
    **{"20240101": "2024-01-01", "2024-W01": "2024-01-01", "2020W537": "2021-01-03"},
    **{"2024W011xx": "2024-01-01", "20240101xx": "2024-01-01", "2024-1-1": "", "2021W53": ""},
    **{"202401": "", "2024-001": "", "9999-W52-6": "", "2024-01-0\0": "", "2024-01\xe9": ""},
}
_MOMENTS = {
    "2024-01-01": "2024-01-01T00:00:00",
    "2024-01-01T": "",
    "2024-01-01\xe910": "2024-01-01T10:00:00",
    "2024-W01-10": "2024-01-01T10:00:00",
    "2024W01110": "2024-01-01T10:00:00",
    "2024-01-01T24:00": "",
    "2024-01-01T10:20:30,1234567": "2024-01-01T10:20:30.123456",
    "2024-01-01T10:20:30.": "",
    "2024-01-01T10.5": "2024-01-01T10:00:00.500000",
    "2024-01-01T10203012": "2024-01-01T10:20:30.120000",
    "2024-01-01T10:2030": "",
    "2024-01-01T10:20\0": "2024-01-01T10:20:00",
    "2024-01-01T10:20Z": "2024-01-01T10:20:00+00:00",
    "2024-01-01T10:20z": "",
    "2024-01-01T10-01:60": "2024-01-01T10:00:00-02:00",
    "2024-01-01T10+00:00:00.5": "2024-01-01T10:00:00+00:00",
    "2024-01-01T10+23:59:59.999999": "2024-01-01T10:00:00+23:59:59.999999",
    "2024-01-01T10+24:00": "",
}


def is_source(owner: Any, name: str) -> bool:
    """Whether it is one of ``date``'s or ``datetime``'s functions that are known here."""
    return (owner is dt.date or owner is dt.datetime) and (owner, name) in _SOURCES


def called(
    code: Code, owner: Any, name: str, given: Sequence[Value], names: Sequence[str]
) -> Value:
    """``date.fromisoformat(text)`` and its like."""
    zone: Value | None = None
    if (owner, name) == (dt.datetime, "fromtimestamp"):
        placed = taken(given, names, ("timestamp", "tz"), ("timestamp", "tz"))
        if placed is not None and "timestamp" in placed:
            given, names, zone = (placed["timestamp"],), (), placed.get("tz")
    if len(given) != 1 or names:
        raise NotCompiled(f"{name} of so many arguments")
    if name == "fromisoformat":
        return _from_iso(code, owner, given[0])
    term = as_int(code, code.present(json_values.as_number(code, given[0])))
    if name == "fromordinal" and term.kinds == INT:
        return code.set(DATE, f"PyDate.fromOrdinal({code.object(term)})")
    if name == "fromordinal" or not term.kinds <= INT | FLOAT:
        wanted = "int" if name == "fromordinal" else "number"
        raise NotCompiled(f"{name} of what may be no {wanted}")
    return _from_timestamp(code, owner, name, term, zone)


def _from_timestamp(code: Code, owner: Any, name: str, term: Term, zone: Value | None) -> Value:
    number = code.object(term)
    offset = aware_moments.asked_offset(zone, name)
    if offset is not None:
        return code.set(STAMP, f"PyAware.fromTimestamp({number}, {offset}L)")
    if name == "utcfromtimestamp":
        return code.set(MOMENT, f"PyZone.utcFromTimestamp({number})")
    local = local_times.zone(code.constants)
    if owner is dt.date:
        return code.set(DATE, f"{local}.dateFromTimestamp({number})")
    return code.set(MOMENT, f"{local}.fromTimestamp({number})")


def _from_iso(code: Code, owner: Any, value: Value) -> Value:
    text = code.present(json_values.as_text(code, value))
    if text.kinds != STR:
        raise NotCompiled("fromisoformat of what is no text")
    if not _reads_alike():
        raise NotCompiled("fromisoformat in this Python")
    if owner is dt.date:
        return code.set(DATE, f"PyIso.date({text.java})")
    return code.set(STAMP, f"PyIso.moment({text.java})")


@lru_cache(maxsize=1)
def _reads_alike() -> bool:
    dates = all(_read(dt.date, text) == said for text, said in _DATES.items())
    return dates and all(_read(dt.datetime, text) == said for text, said in _MOMENTS.items())


def _read(owner: type[dt.date], text: str) -> str:
    try:
        return owner.fromisoformat(text).isoformat()
    except ValueError:
        return ""
