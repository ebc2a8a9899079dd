"""Functions of several statements, as people write them: in the JVM they answer as in Python."""

from __future__ import annotations

import calendar
import heapq
import json
import math
import random
import re
import statistics
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from datetime import time as at
from enum import Enum, IntEnum, StrEnum
from string import ascii_lowercase
from typing import Any, NamedTuple

import pytest
from java_calls import RAISED, Java, answered_alike, in_column
from pyspark.sql.types import ArrayType, BooleanType, DataType, DoubleType, LongType, StringType

from notebook_udf.compile.java.java_class import translate
from notebook_udf.compile.java.writing.terms import NotCompiled

LONG, DOUBLE, FLAG, TEXT = LongType(), DoubleType(), BooleanType(), StringType()

CONFIG = {"prefix": "id", "tags": ["a", "b"], "most": 3}
MONTHS = {"jan": 1, "feb": 2}


class Colour(Enum):
    RED = 1
    GREEN = 2
    LIME = 2


class Status(IntEnum):
    OK = 200
    GONE = 410


class Level(StrEnum):
    LOW = "low"
    HIGH = "high"


HOLIDAYS = frozenset({date(2024, 1, 1), date(2024, 5, 1)})
NAMED = re.compile(r"(?P<k>[ab])=(?P<v>\d)?")
FORMATS = ("%m/%d/%Y %I:%M:%S %p", "%d-%b-%Y", "%d-%b-%y", "%a %B %d %Y", "%Y-%m-%d %H:%M:%S.%f")


def from_roman(text: str) -> int:
    values = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100, "D": 500, "M": 1000}
    total = before = 0
    for letter in reversed(text.upper()):
        value = values[letter]
        if value < before:
            total -= value
        else:
            total += value
            before = value
    return total


def balanced(text: str) -> bool:
    open_ones: list[str] = []
    pairs = {")": "(", "]": "[", "}": "{"}
    for letter in text:
        if letter in pairs.values():
            open_ones.append(letter)
        elif letter in pairs.keys() and (not open_ones or open_ones.pop() != pairs[letter]):  # noqa: SIM118
            return False
    return not open_ones


def seconds(text: str) -> int | None:
    match = re.fullmatch(r"(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?", text)
    if match is None:
        return None
    h, m, s = match.groups(default="0")
    return int(h) * 3600 + int(m) * 60 + int(s)


def groups_or_none(text: str) -> str:
    match = re.fullmatch(r"(a)?(b)?", text)
    return "" if match is None else ",".join(f"{each}" for each in match.groups(None))


def fibonacci(n: int) -> int:
    return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)


def factorial(n: int) -> int:
    return 1 if n <= 1 else n * factorial(n - 1)


def divisor(a: int, b: int) -> int:
    return abs(a) if b == 0 else divisor(b, a % b)


def in_words(n: int) -> str:
    ones = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]
    if n < 10:
        return ones[n]
    return in_words(n // 10) + " " + ones[n % 10]


def mirrored(text: str, at: int = 0) -> bool:
    if at >= len(text) // 2:
        return True
    return text[at] == text[-1 - at] and mirrored(text, at + 1)


def halved(x: float, n: int) -> float:
    if n <= 0:
        return 1
    if n % 2:
        return x * halved(x, n - 1)
    half = halved(x, n // 2)
    return half * half


def how_long(text: str) -> int | None:
    if not text:
        return None
    rest = how_long(text[1:])
    return 1 if rest is None else rest + 1


def digits(n: int) -> int:
    return 0 if n == 0 else n % 10 + digits(n // 10)


def root(n: int) -> int:
    found = digits(abs(n))
    return found if found < 10 else root(found)


def ackermann(m: int, n: int) -> int:
    if m == 0:
        return n + 1
    return ackermann(m - 1, 1 if n == 0 else ackermann(m, n - 1))


def colour(n: int) -> str:
    found = Colour(n)
    if found == Colour.RED:
        return "r"
    return "g" if found is Colour.LIME else "?"


def reason(n: int) -> str:
    try:
        return Status(n).name
    except ValueError:
        return "unknown"


def matched(text: str) -> str | None:
    match text.split(","):
        case []:
            return "nothing"
        case [""]:
            return "blank"
        case ["a" | "b" as key, value]:
            return key + value
        case [first, *_, last] if first == last:
            return "same"
        case [_, *middle, last]:
            return f"{last}{len(middle)}"
        case _:
            return None


def both(a: int, b: int) -> str:
    match (a % 2, b % 2):
        case (0, 0):
            return "both"
        case (0, _) | (_, 0):
            return "one"
    return "none"


def fnv(text: str) -> int:
    found = 0xCBF29CE484222325
    for byte in text.encode():
        found ^= byte
        found = (found * 0x100000001B3) % 2**64
    return found >> 1


def narcissistic(n: int) -> bool:
    text = str(n)
    return n == sum(int(digit) ** len(text) for digit in text)


def power_of(a: int, b: int) -> str:
    found = a**b
    return f"{found:.3e}" if isinstance(found, float) else str(found)


def quantity(text: str) -> float:
    return sum(item["n"] for item in json.loads(text))


def kind_of_total(text: str) -> str:
    total = sum(json.loads(text))
    return "whole" if isinstance(total, int) else f"{total!r}"


@dataclass(frozen=True)
class Point:
    x: float
    y: float = 2.0

    def norm(self, scale: float = 1.0) -> float:
        return scale * math.sqrt(self.x**2 + self.y**2)

    @property
    def is_right(self) -> bool:
        return self.x > self.y


class Name(NamedTuple):
    first: str
    last: str

    @property
    def initials(self) -> str:
        return f"{self.first[:1]}{self.last[:1]}".upper()

    def said(self, between: str) -> str:
        return between.join(self)


def name_of(text: str) -> str:
    first, _, last = text.partition(",")
    name = Name(first, last)
    return f"{name.initials} {name.said('-')} {name.first}"


def around(n: int) -> list[int] | None:
    return [n - 1, n + 1] if n % 3 else None


def shared_out(n: int) -> list[int]:
    found = []
    if n % 2:
        found = [n, 1] if n > 3 else [n]
    return found


def totals(n: int) -> str:
    found = {"n": 0}
    if n > 3:
        found = {"n": n, "more": n - 3}
    other = {"x": n} if n % 2 else {}
    last = {"z": n} if n > 9 else None
    texts = [f"{key}={value}" for each in (found, other) for key, value in each.items()]
    return ",".join(texts) + ("" if last is None else str(last["z"]))


def letters(text: str) -> str:
    counts = Counter()
    for letter in text:
        counts[letter] += 1
    most, *_ = sorted(counts, key=lambda each: (-counts[each], each))
    return f"{most}{counts[most]}{counts['?']}"


def pairs(text: str) -> str:
    found = ""
    for key, value in re.findall(r"(\w)?=(\w)?", text):
        found += f"{key}:{value};"
    return found


def parts_of(text: str) -> str | None:
    match = re.match(r"(?P<user>\w+)@(?P<host>\w+)(?P<rest>\.\w+)?", text)
    if match is None:
        return None
    found = match.groupdict()
    return f"{found['host']}{found['rest']} {found['user']}"


def midnight(text: str) -> str:
    return str(datetime.combine(date.fromisoformat(text), datetime.min.time()))


def flat(text: str) -> list[str]:
    return sum([list(each) for each in text.split(",")], [])  # noqa: RUF017


def day_first(text: str) -> str:
    year, month, day = (int(part) for part in text.split("-"))
    return f"{day:02d}/{month:02d}/{year}"


def on_a_holiday(text: str | None) -> bool:
    day = None if text is None or len(text) != 10 else date.fromisoformat(text)
    return day == date(2024, 12, 25) or day in HOLIDAYS


def moved(text: str, other: str) -> bool:
    return sorted(text) == sorted(other) and list(text) != list(other)


TEXTS = (
    *("", "XIV", "MCMXC", "iix", "Q", "([{}])", "(]", "((", "a)", "1h30m", "45s", "2h", "x5", "a"),
    *(
        "b",
        "ab",
        "ba",
        "a,b",
        "b,1",
        "x,y,x",
        "p,q,r,s",
        ",",
        "abcba",
        "abca",
        "Ünï",
        "😀a😀",
        "hello",
    ),
)
NUMBERS = (*range(-3, 13), 19, 20, 97, 153, 200, 370, 371, 404, 410, 999, -123, None)
SMALL = (0, 1, 2, 3, 5, 8, 13, 20, None)
QUOTED = (
    *TEXTS,
    "it's",
    'say "so"',
    """it's "so" """,
    "a\\b\n\t\r",
    "\x00\x7f\xad\u200b\ue000😀 \xa0",
)
DOCUMENTS = (
    *('[{"n":1},{"n":2.5}]', '[{"n":1},{"n":null}]', '[{"n":true},{"n":3}]', "[]", '[{"n":"x"}]'),
    *('[{"n":0.1},{"n":0.2},{"n":0.3},{"n":1}]', '[{"n":9007199254740993},{"n":1.0}]', "{}", "1"),
    *('[{"n":1e16},{"n":1},{"n":-1e16}]', '[{"n":9223372036854775807},{"n":1},{"n":0.5}]', "["),
)
SUMS = (
    *(
        "[1,2]",
        "[1,0.1,0.2,0.3]",
        "[0.1,2,true]",
        "[]",
        "[null]",
        "[1,[2]]",
        '["a"]',
        "[true,false]",
    ),
    *("[1e308,1e308,-1e308]", "[1e16,1.0,1.0,-1e16]", "[9223372036854775807,1,0.5,0.25]"),
    *("[0.1,9223372036854775808,0.1]", "[-0.0]", "[1e100,1,1.0,-1e100]"),
)
DAYS = ("2024-01-01", "2024-12-25", "2024-05-01", "2023-12-25", "2024-13-01", "1-2-3", "x", None)
TIMES = (
    *(
        "12/31/2024 11:59:58 PM",
        "1/2/2024 12:00:00 AM",
        "02/29/2023 01:02:03 am",
        "1/2/2024 13:00:00 PM",
    ),
    *(
        "05-Mar-2024",
        "5-mar-24",
        "31-FEB-2024",
        "05-März-2024",
        "1-sep-68",
        "1-SEP-69",
        "01-\u017fep-2024",
    ),
    *(
        "Tue March 05 2024",
        "Mon march 5 2024",
        "2024-03-05 06:07:08.09",
        "2024-03-05 06:07:08",
        "",
        None,
    ),
)
VERSIONS = ("1.2.3", "1.10", "1.2", "2", "0.9.9", "1.2.3.0", "x", "", None)
SPANS = (0, 1, 59, 60, 3599, 3600, 86399, 86400, 90061, 172800, -1, -86400, -90061, 10**7, None)
CHANCE = random.Random(11)


def spread_out() -> float:
    return CHANCE.uniform(-1, 1) * 10.0 ** CHANCE.randint(-9, 9)


REALS = (
    *([], [1.0], [-0.0], [0.1] * 3, [1e308, 1e308], [5e-324, 1e-310], [1.0, 2.0, 4.0]),
    *([math.inf, 1.0], [math.inf, -math.inf], [math.nan, 2.0], [1.0, None], None, [3.0, 3.0, 3.0]),
    [1e16, 1.0, -1e16],
    *([spread_out() for _ in range(n)] for n in range(2, 40)),
)
WHOLES = (
    *([], [1], [1, 2], [1, 3], [2, 2, 5], [2**62, 2**62, 2**62 - 1], [-7, 0, 7], [1, None], None),
    *([CHANCE.randint(-99, 99) for _ in range(n)] for n in range(2, 30)),
)
MOMENTS = ("2024-03-05", "2024-03-05T06:07:08.091", "2024-12-31 23:59:59.999999+05:30", "x")

CASES: list[tuple[Callable[..., Any], list[DataType], DataType, list[tuple[Any, ...]]]] = [
    (from_roman, [TEXT], LONG, [TEXTS]),
    (balanced, [TEXT], FLAG, [TEXTS]),
    (seconds, [TEXT], LONG, [TEXTS]),
    (groups_or_none, [TEXT], TEXT, [TEXTS]),
    (fibonacci, [LONG], LONG, [SMALL]),
    (factorial, [LONG], LONG, [(*SMALL, 21, 30)]),
    (divisor, [LONG, LONG], LONG, [NUMBERS, NUMBERS]),
    (in_words, [LONG], TEXT, [NUMBERS]),
    (mirrored, [TEXT], FLAG, [TEXTS]),
    (halved, [DOUBLE, LONG], DOUBLE, [(0.5, 1.0, -2.0, 0.0, None), SMALL]),
    (how_long, [TEXT], LONG, [TEXTS]),
    (root, [LONG], LONG, [NUMBERS]),
    (ackermann, [LONG, LONG], LONG, [(0, 1, 2), (0, 1, 2, 3)]),
    (colour, [LONG], TEXT, [NUMBERS]),
    (lambda n: Colour(n).name, [LONG], TEXT, [NUMBERS]),
    (lambda s: Colour[s.upper()].value, [TEXT], LONG, [("red", "lime", "blue", None)]),
    (lambda n: n == Colour.RED.value or n == Colour.RED, [LONG], FLAG, [NUMBERS]),
    (lambda n: Status.OK <= n < Status.GONE, [LONG], FLAG, [NUMBERS]),
    (lambda n: n + Status.OK, [LONG], LONG, [NUMBERS]),
    (reason, [LONG], TEXT, [NUMBERS]),
    (lambda s: s == Level.LOW or Level(s).value, [TEXT], TEXT, [("low", "high", "mid", None)]),
    (lambda n: Colour(n) in (Colour.GREEN, Colour.LIME), [LONG], FLAG, [NUMBERS]),
    (lambda n: {Colour.RED: "r", Colour.GREEN: "g"}[Colour(n)], [LONG], TEXT, [NUMBERS]),
    (lambda s: s in Colour.__members__, [TEXT], FLAG, [("RED", "LIME", "red", None)]),
    (lambda s: s in [each.name for each in Colour], [TEXT], FLAG, [("RED", "LIME", None)]),
    (matched, [TEXT], TEXT, [TEXTS]),
    (both, [LONG, LONG], TEXT, [NUMBERS, NUMBERS]),
    (fnv, [TEXT], LONG, [TEXTS]),
    (around, [LONG], ArrayType(LONG), [NUMBERS]),
    (shared_out, [LONG], ArrayType(LONG), [NUMBERS]),
    (totals, [LONG], TEXT, [NUMBERS]),
    (lambda s: len(s.split(",") if s else []), [TEXT], LONG, [TEXTS]),
    (lambda n: sum([1, 2, 3] if n > 2 else [n]), [LONG], LONG, [NUMBERS]),
    (lambda x: Point(x).norm(scale=2.0), [DOUBLE], DOUBLE, [(1.5, -2.0, 0.0, 1e200, None)]),
    (lambda x: Point(x, 1.0).is_right, [DOUBLE], FLAG, [(1.5, -2.0, math.nan, None)]),
    (name_of, [TEXT], TEXT, [TEXTS]),
    (letters, [TEXT], TEXT, [TEXTS]),
    (lambda s: heapq.nlargest(2, s.split(","), key=len), [TEXT], ArrayType(TEXT), [TEXTS]),
    (lambda s: "".join(heapq.nsmallest(3, s)), [TEXT], TEXT, [TEXTS]),
    (lambda xs: heapq.nlargest(3, xs), [ArrayType(LONG)], ArrayType(LONG), [WHOLES]),
    (midnight, [TEXT], TEXT, [DAYS]),
    (lambda s: str(datetime.combine(date.fromisoformat(s), at(6, 30))), [TEXT], TEXT, [DAYS]),
    (lambda s: [m.start() for m in re.finditer("[a-q]", s)], [TEXT], ArrayType(LONG), [TEXTS]),
    (pairs, [TEXT], TEXT, [("a=1;b=2", "a=;=2", "c", "", "😀=é;x=y", None)]),
    (
        lambda s: dict(re.findall(r"(\w)=(\d)?", s)).get("a", "-"),
        [TEXT],
        TEXT,
        [("a=1;b=2", "a=", "")],
    ),
    (
        lambda s: [m["k"] + (m["v"] or "") for m in NAMED.finditer(s)],
        [TEXT],
        ArrayType(TEXT),
        [("a=1;b=2", "a=;b", "", "x", None)],
    ),
    (parts_of, [TEXT], TEXT, [("ada@x.org", "@", "b@c", "", None)]),
    (flat, [TEXT], ArrayType(TEXT), [TEXTS]),
    (
        lambda s: {k: str(v) for k, v in json.loads(s).items()}["n"],
        [TEXT],
        TEXT,
        [('{"n":1}', '{"n":[1,"a"]}', '{"n":null,"m":2}', '{"m":1}', "[]", "x", None)],
    ),
    (
        lambda a, b: [int(x) for x in a.split(".")] < [int(x) for x in b.split(".")],
        [TEXT, TEXT],
        FLAG,
        [VERSIONS, VERSIONS],
    ),
    (
        lambda a, b: tuple(a.split(".")) >= tuple(b.split(".")),
        [TEXT, TEXT],
        FLAG,
        [VERSIONS, VERSIONS],
    ),
    (lambda n: timedelta(seconds=n) / timedelta(hours=1), [LONG], DOUBLE, [SPANS]),
    (lambda n: timedelta(seconds=n) // timedelta(minutes=7), [LONG], LONG, [SPANS]),
    (
        lambda a, b: str(timedelta(seconds=a) % timedelta(seconds=b)),
        [LONG, LONG],
        TEXT,
        [SPANS, SPANS],
    ),
    (lambda s: s.translate(str.maketrans({"a": "4", "b": None, "h": "ch"})), [TEXT], TEXT, [TEXTS]),
    (lambda s: s.translate(str.maketrans("helo", "helo"[::-1])), [TEXT], TEXT, [TEXTS]),
    (
        lambda s: s.translate(
            str.maketrans(ascii_lowercase, ascii_lowercase[13:] + ascii_lowercase[:13])
        ),
        [TEXT],
        TEXT,
        [TEXTS],
    ),
    (day_first, [TEXT], TEXT, [DAYS]),
    (on_a_holiday, [TEXT], FLAG, [DAYS]),
    (moved, [TEXT, TEXT], FLAG, [TEXTS, TEXTS]),
    (lambda s: s.split(",") == ["a", "b"] or [s] == ["hello"], [TEXT], FLAG, [TEXTS]),
    (lambda n: str(timedelta(seconds=n)), [LONG], TEXT, [SPANS]),
    (lambda n: time.strftime("%H:%M:%S %d.%m.%Y %a", time.gmtime(n)), [LONG], TEXT, [SPANS[:-1]]),
    (lambda n: "-".join(map(str, time.gmtime(n / 1000)[:8])), [LONG], TEXT, [SPANS]),
    (lambda n: time.gmtime(n / 7).tm_yday * 100 + time.gmtime(n).tm_wday, [LONG], LONG, [SPANS]),
    (lambda n: f"{timedelta(seconds=n, microseconds=n)}", [LONG], TEXT, [SPANS]),
    *(
        (lambda s, how=how: str(datetime.strptime(s, how)), [TEXT], TEXT, [TIMES])
        for how in FORMATS
    ),
    (lambda s: f"{s!r}: {len(s)!r}", [TEXT], TEXT, [QUOTED]),
    (lambda s: repr(s.split()), [TEXT], TEXT, [QUOTED]),
    (lambda s: str([len(each) / 3 for each in s.split()]), [TEXT], TEXT, [QUOTED]),
    (lambda a, b: f"{[a, b]} {[a > b]}"[:9] + repr(a > b), [LONG, LONG], TEXT, [NUMBERS, NUMBERS]),
    (narcissistic, [LONG], FLAG, [NUMBERS]),
    (power_of, [LONG, LONG], TEXT, [NUMBERS, NUMBERS]),
    (quantity, [TEXT], DOUBLE, [DOCUMENTS]),
    (kind_of_total, [TEXT], TEXT, [SUMS]),
    *(
        (function, [ArrayType(DOUBLE)], DOUBLE, [REALS])
        for function in (
            lambda xs: statistics.mean(xs),
            lambda xs: statistics.fmean(xs),
            lambda xs: statistics.variance(xs),
            lambda xs: statistics.pvariance(xs),
            lambda xs: statistics.stdev(xs),
            lambda xs: statistics.pstdev(xs),
            lambda xs: statistics.median(xs),
        )
    ),
    (lambda xs: str(statistics.mean(xs)), [ArrayType(LONG)], TEXT, [WHOLES]),
    (lambda xs: str(statistics.variance(xs)), [ArrayType(LONG)], TEXT, [WHOLES]),
    (lambda xs: statistics.pstdev(xs), [ArrayType(LONG)], DOUBLE, [WHOLES]),
    (lambda n: calendar.month_name[n], [LONG], TEXT, [NUMBERS]),
    (lambda n: calendar.day_abbr[n % 7], [LONG], TEXT, [NUMBERS]),
    (lambda s: list(calendar.month_abbr).index(s), [TEXT], LONG, [("Jan", "Dec", "", "jan", None)]),
    (lambda n: ".".join(str(n >> i & 7) for i in range(4)[::-1]), [LONG], TEXT, [NUMBERS]),
    (lambda s: CONFIG["prefix"] + s + "-".join(CONFIG["tags"]), [TEXT], TEXT, [TEXTS]),
    (lambda s: s[: CONFIG["most"]], [TEXT], TEXT, [TEXTS]),
    (lambda s: datetime.fromisoformat(s).isoformat(timespec="minutes"), [TEXT], TEXT, [MOMENTS]),
    (lambda s: datetime.fromisoformat(s).isoformat(" ", "milliseconds"), [TEXT], TEXT, [MOMENTS]),
    (lambda s: datetime.fromisoformat(s).isoformat(sep=" "), [TEXT], TEXT, [MOMENTS]),
    (lambda s: datetime.fromisoformat(s).isoformat(timespec="hours"), [TEXT], TEXT, [MOMENTS]),
]


@pytest.mark.parametrize("at", range(len(CASES)))
def test_it_answers_as_python(java: Java, at: int) -> None:
    function, types, result, values = CASES[at]
    chance = random.Random(at)
    asked = [tuple(chance.choice(among) for among in values) for _ in range(150 * len(values))]
    if len(types) == 1:
        asked = [(each,) for each in values[0]]
    assert answered_alike(java, function, types, result, asked) >= len(asked) // 15


def test_what_calls_itself_too_often_is_an_error_and_no_other_answer(java: Java) -> None:
    found = java.rows(translate(digits, [LONG], LONG), [(10**18,)])
    assert list(found) == [in_column(digits, LONG)(10**18)]
    deep = translate(how_long, [TEXT], LONG)
    assert list(java.rows(deep, [("x" * 200,), ("x" * 400,)])) == [200, RAISED]


def even(n: int) -> bool:
    return True if n == 0 else odd(n - 1)


def odd(n: int) -> bool:
    return False if n == 0 else even(n - 1)


class Own(Enum):
    A = 1

    @classmethod
    def _missing_(cls, value: object) -> Own:
        return cls.A


@pytest.mark.parametrize(
    ("function", "why"),
    [
        (lambda n: even(n), "even, which calls itself through another one"),
        (lambda n: Own(n).name, "a call of Own"),
        (lambda n: Colour(n).colour, "colour, which Colour lacks"),
        (lambda n: str(Colour(n)), "one of some constants"),
    ],
)
def test_what_has_no_java(function: Callable[..., Any], why: str) -> None:
    with pytest.raises(NotCompiled, match=why):
        translate(function, [LONG], TEXT)
