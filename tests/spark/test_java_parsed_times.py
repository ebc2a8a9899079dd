"""``datetime.strptime`` of times, parts of dates and offsets, in the JVM, next to Python's."""

from __future__ import annotations

import random
from datetime import datetime
from typing import Any

import pytest
from java_calls import Java, wrong_rows
from pyspark.sql.types import DoubleType, LongType, StringType

FORMATS = [
    "%H:%M",
    "%I:%M %p",
    "%M:%S.%f",
    "%Y",
    "%y",
    "%Y-%m",
    "%B %Y",
    "%d %b",
    "%d.%m.",
    "%A %H",
    "%d/%b/%Y:%H:%M:%S %z",
    "%Y-%m-%dT%H:%M:%S%z",
    "%H%z",
]
NUMBERS = ("0", "1", "7", "9", "10", "12", "13", "24", "29", "30", "31", "59", "60", "1999", "٣")
NAMES = ("Feb", "february", "MAY", "Sept", "Monday", "am", "PM", "T")
OFFSETS = (
    *("Z", "z", "+0100", "-07:00", "+24:00", "-23:59", "+9959", "+01", "+01:60"),
    *("+053015", "+05:30:15", "+0530:15", "+05:3015", "-05:30:15.25", "-053015.000001"),
    *("+05:30:15.1234567", "+\u0660\u066530", "UTC", ""),
)


def shown(how: str) -> Any:
    def function(text: str) -> str:
        return datetime.strptime(text, how).isoformat()

    return function


def kept(how: str) -> Any:
    def function(text: str) -> str:
        try:
            found = datetime.strptime(text, how)
        except ValueError:
            return "none"
        return f"{found} {found.hour} {found:%d %H}"

    return function


def texts(how: str) -> list[Any]:
    """Texts that a format takes, changed in a place or not, and texts of parts."""
    chance = random.Random(how)
    made: list[Any] = [None, ""]
    for _ in range(400):
        moment = datetime(chance.randint(1, 9999), 1, 1).replace(
            **{"month": chance.randint(1, 12), "day": chance.randint(1, 28)},
            **{"hour": chance.randrange(24), "minute": chance.randrange(60)},
            second=chance.randrange(60),
        )
        if chance.random() < 0.1:
            moment = datetime(2024, 2, 29)
        text = moment.strftime(how.replace("%z", "")) + chance.choice(OFFSETS) * ("%z" in how)
        if chance.random() < 0.3 and text:
            at = chance.randrange(len(text))
            text = text[:at] + chance.choice((*NUMBERS, *NAMES)) + text[at + 1 :]
        made.append(text)
    return made


@pytest.mark.filterwarnings("ignore:Parsing dates involving a day:DeprecationWarning")
@pytest.mark.parametrize("how", FORMATS)
def test_each_format(java: Java, how: str) -> None:
    for function in (shown(how), kept(how)):
        assert wrong_rows(java, function, StringType(), texts(how)) == []


def minutes(text: str) -> int:
    begun, ended = text.split("-")
    span = datetime.strptime(ended, "%H:%M") - datetime.strptime(begun, "%H:%M")
    return int(span.total_seconds() // 60)


def instant(text: str) -> float:
    return datetime.strptime(text, "%Y-%m-%dT%H:%M:%S%z").timestamp()


def test_spans_and_instants(java: Java) -> None:
    spans = ["9:00-17:30", "23:59-0:01", "24:00-1:00", "9-10", None]
    assert wrong_rows(java, minutes, LongType(), spans) == []
    offsets = [f"2024-03-31T02:30:00{offset}" for offset in OFFSETS]
    assert wrong_rows(java, instant, DoubleType(), offsets) == []
