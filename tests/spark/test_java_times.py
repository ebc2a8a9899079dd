"""Dates and datetimes in the JVM: their texts and parts, next to what Python workers give."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator
from datetime import date, datetime, timedelta
from typing import Any

import pytest

import notebook_udf as nu
from notebook_udf import udf
from notebook_udf.compile.java.times import local_times
from tests.scripts import script, told
from tests.spark.java_calls import Java

FORMAT = "%Y-%m-%d %H:%M:%S.%f %j %y %A %a %B %b %p %I %% %e %w %u %V %G %U %W %F %T %D %R"
FORMAT += " %-d.%-m. %-H:%-M:%-S %-I %-j %-e %-U %-W %-V"
EDGES = [
    datetime(1, 1, 1),
    datetime(999, 12, 31, 23, 59, 59, 999_999),
    datetime(1582, 10, 4),
    datetime(1582, 10, 10, 12),
    datetime(1582, 10, 15),
    datetime(1899, 12, 31, 23, 59, 59, 1),
    datetime(1969, 12, 31, 23, 59, 59, 999_999),
    datetime(1970, 1, 1),
    datetime(2024, 2, 29, 0, 30),
    datetime(2024, 3, 31, 2, 30, 0, 120_000),
    datetime(2024, 10, 27, 2, 30),
    datetime(9999, 12, 31, 23, 59, 59, 999_999),
]
MOMENTS = [*EDGES, *(datetime(1850, 1, 1) + timedelta(days=97.31 * at) for at in range(900))]


def filled(moment: Any) -> str:
    return moment.strftime(FORMAT) + f" {moment:%d.%m.%Y}|{moment}|{moment.isoformat()}"  # type: ignore[no-any-return]


def counted(moment: Any) -> str:
    year, week, weekday = moment.isocalendar()
    return f"{year} {week} {weekday} {moment.isocalendar()[1]} {moment.isocalendar().week}"


def begun(moment: Any) -> Any:
    return moment.replace(month=moment.month % 6 + 7, day=1)


def moved(moment: Any) -> Any:
    return moment.replace(day=31)


def shifted(moment: datetime) -> datetime:
    return moment.replace(hour=moment.minute % 24, microsecond=7) - timedelta(hours=-1)


@pytest.fixture
def register(session: nu.Session) -> Iterator[Callable[..., str]]:
    names: list[str] = []

    def made(function: Any, name: str, given: str, result: str, **options: Any) -> str:
        names.append(name)
        declared = udf(function, input_types=[given], result_type=result, **options)
        session.register_function(name, declared)
        return name

    yield made
    for name in names:
        session.drop_function(name)


CASES = [
    (filled, "{0}", "STRING", False),
    (counted, "{0}", "STRING", False),
    (begun, "{0}", "{0}", False),
    (moved, "{0}", "{0}", True),
    (shifted, "TIMESTAMP_NTZ", "TIMESTAMP_NTZ", True),
]


@pytest.mark.parametrize("given", ["DATE", "TIMESTAMP_NTZ", "TIMESTAMP"])
def test_they_are_as_in_workers(
    session: nu.Session, register: Callable[..., str], given: str
) -> None:
    values = [each.date() for each in MOMENTS] if given == "DATE" else MOMENTS
    if given == "TIMESTAMP":
        # What Spark cannot be given at local time.
        values = [each for each in MOMENTS if 1 < each.year < 9999]
    rows = [(each,) for each in values]
    session.spark.createDataFrame(rows, f"m {given}").createOrReplaceTempView("moments_java")
    for function, takes, gives, raises in CASES:
        if (takes != "{0}" and takes != given) or (given == "TIMESTAMP" and gives == "{0}"):
            continue
        types = takes.format(given), gives.format(given)
        name = register(function, f"java_{function.__name__}", *types)
        other = register(function, f"python_{function.__name__}", *types, compile=False)
        where = "WHERE month(m) IN (1, 3, 5, 7, 8) AND year(m) < 9999" if raises else ""
        frame = session.sql(f"SELECT m, {name}(m) AS r FROM moments_java {where}")
        assert "Python" not in frame._jdf.queryExecution().executedPlan().toString()
        expected = session.sql(f"SELECT m, {other}(m) AS r FROM moments_java {where}").collect()
        assert len(expected) > 100
        assert frame.collect() == expected


def test_a_row_that_raises_is_shown(session: nu.Session, register: Callable[..., str]) -> None:
    register(moved, "java_moved", "TIMESTAMP_NTZ", "TIMESTAMP_NTZ")
    with pytest.raises(nu.UserFunctionError, match="ValueError") as caught:
        session.sql("SELECT java_moved(TIMESTAMP_NTZ'2024-02-03 04:05:06.7')").collect()
    shown = repr(datetime(2024, 2, 3, 4, 5, 6, 700_000))
    assert caught.value.failed.arguments == (("moment", shown),)
    register(lambda moment: str(moved(moment)), "java_moved", "TIMESTAMP", "STRING")
    with pytest.raises(nu.UserFunctionError, match="ValueError") as caught:
        session.sql("SELECT java_moved(TIMESTAMP'2024-02-03 04:05:06.7')").collect()
    assert caught.value.failed.arguments == (("moment", shown),)
    register(moved, "java_moved", "DATE", "DATE")
    with pytest.raises(nu.UserFunctionError, match="ValueError") as caught:
        session.sql("SELECT java_moved(DATE'2024-02-03')").collect()
    assert caught.value.failed.arguments == (("moment", repr(date(2024, 2, 3))),)


ZONES = [
    *("UTC", "Europe/Berlin", "America/New_York", "America/St_Johns", "Asia/Kolkata"),
    *("Asia/Kathmandu", "Australia/Lord_Howe", "Pacific/Apia", "Africa/Casablanca"),
    *("Africa/Monrovia", "America/Nuuk", "UTC-3:30", "EST5EDT,M3.2.0,M11.1.0"),
]


CLOCKS = """
public final class Clocks {
    /** What the clocks of a zone show at each of some seconds. */
    public static String at(String changes, String seconds) {
        PyZone zone = new PyZone(changes);
        StringTokenizer each = new StringTokenizer(seconds);
        StringBuilder made = new StringBuilder();
        while (each.hasMoreTokens()) {
            Instant instant = Instant.ofEpochSecond(Long.parseLong(each.nextToken()));
            made.append(PyDate.text(zone.entered(instant, "", 0), 'T')).append(' ');
        }
        return made.toString();
    }
}
"""


@pytest.fixture(scope="module")
def clocks(session: nu.Session) -> Callable[[str, list[int]], list[datetime]]:
    java = Java(session.spark._jvm, CLOCKS)
    methods = java.loader.loadClass("notebookudf.Clocks").getMethods()
    at = next(method for method in methods if method.getName() == "at")

    def shown(changes: str, seconds: list[int]) -> list[datetime]:
        given = java.jvm.java.util.ArrayList()
        given.add(changes)
        given.add(" ".join(map(str, seconds)))
        return [datetime.fromisoformat(each) for each in at.invoke(None, given.toArray()).split()]

    return shown


@pytest.mark.parametrize("zone", ZONES)
def test_clocks_are_those_of_python(
    clocks: Callable[[str, list[int]], list[datetime]],
    monkeypatch: pytest.MonkeyPatch,
    zone: str,
) -> None:
    with monkeypatch.context() as changed:
        changed.setenv("TZ", zone)
        time.tzset()
        try:
            told = local_times.changes()
            chance = random.Random(zone)
            own = [int(each) for each in told.split()[2::2]]
            seconds = [
                *(second + near for second in own for near in (-1, 0, 1)),
                *(chance.randrange(-62_135_500_000, 253_402_200_000) for _ in range(3000)),
            ]
            expected = [datetime.fromtimestamp(each) for each in seconds]
        finally:
            changed.undo()
            time.tzset()
    assert clocks(told, seconds) == expected


def test_a_date_is_a_time_where_one_is_declared(
    session: nu.Session, register: Callable[..., str]
) -> None:
    for options in ({}, {"compile": False}):
        name = register(lambda t: str(t), "java_shown", "TIMESTAMP", "STRING", **options)
        # Midnight of UTC.
        assert session.sql(f"SELECT {name}(DATE'2024-02-03')").first() == ("2024-02-03 01:00:00",)
        with pytest.raises(nu.DeclarationError, match="cast the column"):
            session.sql(f"SELECT {name}(TIMESTAMP_NTZ'2024-02-03 00:00:00')").collect()
        with pytest.raises(nu.DeclarationError, match="cast the column"):
            session.sql(f"SELECT {name}(1L)").collect()


def test_workers_elsewhere_keep_a_timestamp(
    session: nu.Session, register: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TZ", "Asia/Kolkata")
    register(lambda t: t.hour, "java_hour", "TIMESTAMP", "BIGINT")
    assert "may have another time zone" in session.functions["java_hour"].explain()
    assert session.sql("SELECT java_hour(TIMESTAMP'2024-02-03 04:05:06')").first() == (4,)


def test_a_timestamp_is_a_result_where_clocks_show_utc() -> None:
    body = """
    from datetime import datetime, timedelta
    session = nu.session(master="local[1]", conf={"spark.ui.enabled": "false"})
    assert session.java.wait(60)
    def begun(moment: datetime) -> datetime:
        return moment.replace(minute=0) + timedelta(days=1)
    session.register_function("begun", begun)
    frame = session.sql("SELECT begun(TIMESTAMP'2024-02-03 04:05:06.7')")
    plan = frame._jdf.queryExecution().executedPlan().toString()
    tell(found=str(frame.first()[0]), in_java="Python" not in plan)
    session.stop()
    """
    with script(body, {"TZ": "UTC"}) as process:
        assert told(process) == {"found": "2024-02-04 04:00:06.700000", "in_java": True}
        assert process.wait(60) == 0
