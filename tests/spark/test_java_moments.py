"""Dates and datetimes of texts and numbers in the JVM, and TIMESTAMP results, in many zones."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import date, datetime, timedelta
from typing import Any

import numpy as np
import pytest
from java_calls import Java, answer, same, wrong_rows
from pyspark.sql.types import (
    DataType,
    DateType,
    DoubleType,
    LongType,
    StringType,
    TimestampNTZType,
    TimestampType,
)

import notebook_udf as nu
from notebook_udf import udf
from notebook_udf.compile.java.java_class import translate
from notebook_udf.compile.java.times import local_times
from notebook_udf.compile.java.writing.terms import NotCompiled
from notebook_udf.worker.codec.encode import encoder
from notebook_udf.worker.codec.time_zone import to_wall

TEXT, LONG, DOUBLE = StringType(), LongType(), DoubleType()
ZONES = [
    *("UTC", "Europe/Berlin", "America/New_York", "America/St_Johns", "Asia/Kolkata"),
    *("Asia/Kathmandu", "Australia/Lord_Howe", "Pacific/Apia", "Africa/Casablanca"),
    *("Africa/Monrovia", "America/Nuuk", "UTC-3:30", "EST5EDT,M3.2.0,M11.1.0", "America/Juneau"),
]
FIRST, LAST = -62_135_596_800, 253_402_300_799

MORE = """
public final class Instants {
    /** TIMESTAMP results, in microseconds: of ISO texts, or of what other TIMESTAMPs show. */
    public static String of(String changes, String values, boolean shown) {
        PyZone zone = new PyZone(changes);
        StringTokenizer each = new StringTokenizer(values);
        StringBuilder made = new StringBuilder();
        while (each.hasMoreTokens()) {
            String one = each.nextToken();
            Object moment = !shown ? PyIso.moment(one)
                : zone.entered(Instant.ofEpochSecond(Long.parseLong(one)), "", 0);
            Instant found = (Instant) zone.left(moment);
            made.append(found.getEpochSecond() * 1000000L + found.getNano() / 1000).append(' ');
        }
        return made.toString();
    }
}
"""


@pytest.fixture(scope="module")
def java(session: nu.Session) -> Java:
    return Java(session.spark._jvm, MORE)


@contextmanager
def local_time(zone: str) -> Iterator[None]:
    """Has this process the clocks of a zone."""
    with pytest.MonkeyPatch.context() as changed:
        changed.setenv("TZ", zone)
        time.tzset()
        try:
            yield
        finally:
            changed.undo()
            time.tzset()


DAYS = [
    *("2024-01-31", "20240229", "2023-02-29", "2024-W01", "2024W011", "2024-W53-7", "2020W537"),
    *("0001-01-01", "9999-12-31", "0000-01-01", "9999-W52-7", "2021-W53-1", "2024-13-01", "2024-1"),
    *(
        "2024W01",
        "2026-W53-4",
        "1582-10-10",
        "2024-001",
        "2024001",
        "2024-W00-1",
        "2024W018",
        "2024",
    ),
    *("2024-01-1", "2024-0a-11", "٢٠٢٤-01-01", "0001-W01-1", "2015W53", "1900-02-29", "2000-02-29"),
]
TIMES = [
    *("", "10", "10:20", "10:20:30", "102030", "1020", "10:20:30.5", "102030.123456789", "10.25"),
    *(
        "10:20,7",
        "10:2030",
        "1020:30",
        "24:00",
        "10:60",
        "10:20:60",
        "10:20:30.",
        "1",
        "10:",
        "10:2",
    ),
    *("23:59:59.999999", "10203012", "10:20:30:40", "00", "10:20:30.123456x", "10\0", "10:20\0x"),
]
OFFSETS = [
    *(
        "",
        "",
        "Z",
        "+01:00",
        "-05",
        "+0530",
        "+23:59:59.999999",
        "-00:00",
        "+00:00:00.25",
        "z",
        "+",
    ),
    *("+24:00", "-23:59", "+01:60", "-12:34:56", "+1", " +02:00", "Zx", "-03:30:15.5", "+02:00:"),
]
SEPARATORS = [*"TTTT  t-_1:W", "é", "😀", "\0", "\u2028", ""]


def iso_texts(seed: int, count: int) -> list[Any]:
    chance = random.Random(seed)
    made = [None, "", *DAYS]
    for _ in range(count):
        text = chance.choice(DAYS) + chance.choice(SEPARATORS)
        text += chance.choice(TIMES) + chance.choice(OFFSETS)
        for _ in range(chance.choice([0, 0, 0, 1, 2])):
            at = chance.randint(0, len(text))
            text = text[:at] + chance.choice([*"0123456789-:W+.,T Z", "é", ""]) + text[at + 1 :]
        made.append(text)
    return made


def shifted(text: str) -> str:
    later = datetime.fromisoformat(text) + timedelta(days=1, microseconds=-1)
    return f"{later} {later - timedelta(hours=3)}"


def kept(text: str) -> str:
    moment = datetime.fromisoformat(text)
    plain = moment.replace(tzinfo=None)
    return f"{moment.replace(hour=3, microsecond=7)} {plain} {moment.date()} {moment:%H:%M}"


def told(text: str) -> str:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return "wrong"
    year, week, _ = moment.isocalendar()
    return f"{moment.year} {moment.microsecond} {moment.weekday()} {year} {week}"


def compared(text: str) -> str:
    one = datetime.fromisoformat(text)
    other = datetime(2024, 1, 31, 9, 20, 30)
    found = f"{one == other} {one != other} {one == one}"
    try:
        return f"{found} {one < other} {(one - other).total_seconds()}"
    except TypeError:
        return found


def pairs(text: str) -> str:
    one, _, two = text.partition("|")
    a, b = datetime.fromisoformat(one), datetime.fromisoformat(two)
    found = str(a == b)
    try:
        return f"{found} {a <= b} {(a - b).total_seconds()}"
    except TypeError:
        return found


OF_TEXTS: list[tuple[Callable[..., Any], DataType]] = [
    (lambda s: date.fromisoformat(s).isoformat(), TEXT),
    (lambda s: date.fromisoformat(s).toordinal(), LONG),
    (lambda s: datetime.fromisoformat(s).isoformat(), TEXT),
    (lambda s: str(datetime.fromisoformat(s)), TEXT),
    (lambda s: datetime.fromisoformat(s).timestamp(), DOUBLE),
    (shifted, TEXT),
    (kept, TEXT),
    (told, TEXT),
    (compared, TEXT),
]


@pytest.mark.parametrize(("function", "result"), OF_TEXTS)
def test_texts_of_iso_are_read_as_in_python(
    java: Java, function: Callable[..., Any], result: DataType
) -> None:
    texts = iso_texts(7, 6000)
    if function.__name__ == "shifted":
        assert sum(answer(function, (text,)) != "<raised>" for text in texts) > 500
    assert wrong_rows(java, function, result, texts) == []


def test_texts_with_and_without_offsets_are_compared(java: Java) -> None:
    chance = random.Random(8)
    known = [text for text in iso_texts(9, 4000) if answer(told, (text,)) != "wrong" and text]
    known = ["2024-01-31T10:20:30", "2024-01-31T10:20:30Z", "2024-01-31T11:20:30+01:00", *known]
    few = known[:40]
    made = [f"{one}|{other}" for one in few for other in few]
    made += [f"{chance.choice(known)}|{chance.choice(known)}" for _ in range(2000)]
    assert wrong_rows(java, pairs, TEXT, made) == []


def test_every_day_has_its_week(java: Java) -> None:
    days = [date(1, 1, 1) + timedelta(days=each) for each in range(0, 3_652_000, 211)]
    texts = []
    for day in days:
        year, week, weekday = day.isocalendar()
        texts += [
            f"{year:04}-W{week:02}-{weekday}",
            f"{year:04}W{week:02}",
            f"{year:04}W53{weekday}",
        ]
    assert wrong_rows(java, lambda s: date.fromisoformat(s).isoformat(), TEXT, texts) == []


def outcome(number: Any) -> str:
    try:
        moment = datetime.fromtimestamp(number)
    except OverflowError:
        return "overflow"
    except ValueError:
        return "value"
    except OSError:
        return "system"
    return f"{moment} {moment.replace(second=1).timestamp()}"


def day_of(number: Any) -> str:
    try:
        return str(date.fromtimestamp(number))
    except (OverflowError, OSError):
        return "far"


OF_NUMBERS: list[Callable[..., Any]] = [
    outcome,
    day_of,
    lambda n: str(datetime.utcfromtimestamp(n)),
    lambda n: str(datetime.fromtimestamp(n).timestamp()),
    lambda n: str(datetime.fromtimestamp(n) - datetime.utcfromtimestamp(n) < timedelta(0)),
    lambda n: str((datetime.fromtimestamp(n) - timedelta(0)).timestamp()),
    lambda n: str(datetime.fromtimestamp(n) == datetime.fromtimestamp(n) + timedelta(0)),
]


def seconds_of(changes: str, zone: str, count: int) -> list[int]:
    chance = random.Random(zone)
    own = [int(each) for each in changes.split()[2::2]]
    near = (-90_000, -86_400, -7200, -3601, -3600, -1801, -1, 0, 1, 1799, 1800, 3599, 3600, 7200)
    found = [second + each for second in own for each in near]
    return [
        *chance.sample(found, min(len(found), 2500)),
        *(edge + each for edge in (FIRST, LAST) for each in (-90_000, -1, 0, 1, 86_399, 90_000)),
        *(chance.randrange(FIRST, LAST) for _ in range(count)),
    ]


FAR = [
    # The C library's last years, but for the hours by which zones differ there.
    *(67_768_036_191_576_799, 67_768_036_191_776_800, 67_768_040_609_640_800),
    *(-67_768_040_609_640_800, -67_768_040_609_840_800, -(2**63), 2**63 - 1, 2**62, -(2**62)),
    *(1_700_000_000_000, 1_700_000_000_000_000_000, 10**15, -(10**15), -(10**11)),
]
REALS = [
    *(0.5, -0.5, 0.0000005, 0.0000015, -0.0000005, 1e-7, 0.9999995, 0.99999951, -0.9999999, -1e-7),
    *(1e18, 1e19, -1e19, 9223372036854775807.0, -9223372036854775808.0, float("inf"), float("nan")),
    *(1700000000.1234565, 1700000000.1234575, float("-inf"), -62135596800.0, 253402300799.9999996),
    *(253402300799.999, -0.0, 1e11, 5e17, -1.5),
]


@pytest.mark.parametrize("zone", ZONES)
def test_numbers_are_moments_as_in_python(java: Java, zone: str) -> None:
    with local_time(zone):
        chance = random.Random(zone)
        seconds = [*seconds_of(local_times.changes(), zone, 300), *FAR]
        reals = [*REALS, *(each + chance.random() for each in chance.sample(seconds[:-40], 60))]
        for function in OF_NUMBERS:
            for kind, values in ((LONG, seconds), (DOUBLE, reals)):
                made = translate(function, [kind], TEXT)
                rows = [(None,), *((each,) for each in values)]
                expected = [answer(function, row) for row in rows]
                found = java.rows(made, rows)
                every = zip(rows, found, expected, strict=True)
                assert [one for one in every if not same(*one[1:])][:5] == []


@pytest.mark.parametrize("zone", ZONES)
def test_timestamps_of_texts_are_as_in_python(java: Java, zone: str) -> None:
    with local_time(zone):
        seconds = seconds_of(local_times.changes(), zone, 300)
        walls = [
            datetime(1970, 1, 1) + timedelta(seconds=each)
            for each in seconds
            if FIRST <= each <= LAST
        ]
        made = translate(lambda s: datetime.fromisoformat(s).timestamp(), [TEXT], DOUBLE)
        rows = [(each.isoformat(),) for each in walls]
        found = java.rows(made, rows)
        expected = [answer(lambda each: each.timestamp(), (each,)) for each in walls]
        every = zip(rows, found, expected, strict=True)
        assert [one for one in every if not same(*one[1:])][:5] == []


def micros(values: list[Any]) -> list[int]:
    """What a worker gives Spark, in microseconds since 1970."""
    column = encoder(TimestampType())(values)
    return [int(each) for each in column.cast("int64").to_pylist()]


@pytest.mark.parametrize("zone", ZONES)
def test_timestamp_results_are_as_in_workers(java: Java, zone: str) -> None:
    methods = java.loader.loadClass("notebookudf.Instants").getMethods()
    of = next(method for method in methods if method.getName() == "of")

    def given(told: str, values: list[Any], shown: bool) -> list[int]:
        arguments = java.jvm.java.util.ArrayList()
        for each in (told, " ".join(map(str, values)), shown):
            arguments.add(each)
        return [int(each) for each in of.invoke(None, arguments.toArray()).split()]

    with local_time(zone):
        told = local_times.changes()
        inside = [s for s in seconds_of(told, zone, 500) if FIRST + 90_000 < s < LAST - 90_000]
        walls = [datetime(1970, 1, 1) + timedelta(seconds=s, microseconds=s % 7) for s in inside]
        aware = [text for text in iso_texts(11, 900) if text and " " not in text]
        aware = [text for text in aware if answer(told_kind, (text,)) == "aware"]
        texts = [each.isoformat() for each in walls] + aware
        expected = micros([datetime.fromisoformat(text) for text in texts])
        again = set(to_wall(np.array(inside, dtype=np.int64) * 1_000_000)[1])
        shown = [
            datetime.fromtimestamp(s).replace(fold=int(at in again)) for at, s in enumerate(inside)
        ]
        expected_again = micros(shown)
    assert len(aware) > 50
    found = given(told, texts, False)
    wrong = [one for one in zip(texts, found, expected, strict=True) if one[1] != one[2]]
    assert wrong[:5] == []
    found = given(told, inside, True)
    wrong = [one for one in zip(inside, found, expected_again, strict=True) if one[1] != one[2]]
    assert wrong[:5] == []


def told_kind(text: str) -> str:
    return "naive" if datetime.fromisoformat(text).tzinfo is None else "aware"


@pytest.fixture
def register(session: nu.Session) -> Iterator[Callable[..., str]]:
    names: list[str] = []

    def made(function: Any, name: str, given: Any, result: Any, **options: Any) -> str:
        names.append(name)
        declared = udf(function, input_types=[given], result_type=result, **options)
        session.register_function(name, declared)
        return name

    yield made
    for name in names:
        session.drop_function(name)


def next_hour(moment: datetime) -> datetime:
    return moment + timedelta(hours=1)


def full_hour(moment: datetime) -> datetime:
    return moment.replace(minute=0, second=0, microsecond=0)


def read(text: str) -> Any:
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return None


RESULTS: list[tuple[Callable[..., Any], DataType, DataType, str]] = [
    (next_hour, TimestampType(), TimestampType(), "t"),
    (full_hour, TimestampType(), TimestampType(), "t"),
    (lambda t: t.timestamp(), TimestampType(), DOUBLE, "t"),
    (lambda n: datetime.fromtimestamp(n), LONG, TimestampType(), "unix_seconds(t)"),
    (lambda n: datetime.fromtimestamp(n).date(), LONG, DateType(), "unix_seconds(t)"),
    (lambda n: datetime.fromtimestamp(n), DOUBLE, TimestampNTZType(), "unix_micros(t) / 1e6"),
    (read, TEXT, TimestampType(), "date_format(t, 'yyyy-MM-dd HH:mm:ss.SSSSSS')"),
    (read, TEXT, TimestampType(), "date_format(t, 'yyyy-MM-dd HH:mm:ssXXX')"),
    (read, TEXT, TimestampNTZType(), "date_format(t, 'yyyyMMdd HHmmss.SSS')"),
]


def test_they_are_results_of_queries(session: nu.Session, register: Callable[..., str]) -> None:
    # Both ends of summer time where the tests run, every ten minutes.
    session.sql("""
        SELECT timestamp_seconds(s + id * 601.5) AS t
        FROM range(60), VALUES (1711836000), (1729980000), (-1700000000), (0) AS v(s)
    """).createOrReplaceTempView("moments_of_java")
    for at, (function, given, result, argument) in enumerate(RESULTS):
        name = register(function, f"java_moment_{at}", given, result)
        other = register(function, f"python_moment_{at}", given, result, compile=False)
        frame = session.sql(f"SELECT t, {name}({argument}) AS r FROM moments_of_java")
        assert "Python" not in frame._jdf.queryExecution().executedPlan().toString()
        expected = session.sql(f"SELECT t, {other}({argument}) AS r FROM moments_of_java")
        own, rows = (
            each.orderBy("t").selectExpr("unix_micros(t)", "string(r)").collect()
            for each in (frame, expected)
        )
        assert len(rows) == 240
        assert any(row[1] for row in rows)
        assert own == rows


def test_an_offset_does_not_fit_a_type_without_zone(
    session: nu.Session, register: Callable[..., str]
) -> None:
    name = register(read, "java_read", TEXT, TimestampNTZType())
    found = session.sql(f"SELECT string({name}('2024-02-03 04:05'))").first()
    assert found == ("2024-02-03 04:05:00",)
    with pytest.raises(nu.ResultError, match="no time zone"):
        session.sql(f"SELECT {name}('2024-02-03 04:05Z')").collect()


def test_what_is_not_compiled() -> None:
    for function in (
        lambda s: datetime.fromisoformat(s).utcoffset() is None,
        lambda s: datetime.fromisoformat(s).astimezone().hour,
        lambda s: datetime.fromisoformat(s).strftime("%z"),
        lambda s: datetime.fromtimestamp(float(s), None).hour,
    ):
        with pytest.raises(NotCompiled):
            translate(function, [TEXT], TEXT)
