"""Dates and datetimes in the JVM: their texts and parts, next to what Python workers give."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import date, datetime, timedelta
from typing import Any

import pytest

import notebook_udf as nu
from notebook_udf import udf

FORMAT = "%Y-%m-%d %H:%M:%S.%f %j %y %A %a %B %b %p %I %%"
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


@pytest.mark.parametrize("given", ["DATE", "TIMESTAMP_NTZ"])
def test_they_are_as_in_workers(
    session: nu.Session, register: Callable[..., str], given: str
) -> None:
    values = [each.date() for each in MOMENTS] if given == "DATE" else MOMENTS
    rows = [(each,) for each in values]
    session.spark.createDataFrame(rows, f"m {given}").createOrReplaceTempView("moments_java")
    for function, takes, gives, raises in CASES:
        if takes != "{0}" and takes != given:
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
    register(moved, "java_moved", "DATE", "DATE")
    with pytest.raises(nu.UserFunctionError, match="ValueError") as caught:
        session.sql("SELECT java_moved(DATE'2024-02-03')").collect()
    assert caught.value.failed.arguments == (("moment", repr(date(2024, 2, 3))),)
