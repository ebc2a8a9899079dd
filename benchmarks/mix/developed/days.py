"""Dates: what lies between two of them, and the season."""

from __future__ import annotations

from datetime import date, datetime, timedelta

from benchmarks.mix.case import Case
from benchmarks.mix.columns import day, mixed, sometimes_null, whole


def months_apart(start: str | None, end: str | None) -> int | None:
    if start is None or end is None:
        return None
    first = datetime.strptime(start, "%Y-%m-%d")
    last = datetime.strptime(end, "%Y-%m-%d")
    months = (last.year - first.year) * 12 + last.month - first.month
    if last.day > first.day:
        months += 1
    return months


def weekdays_between(start: date | None, end: date | None) -> int:
    if start is None or end is None or end <= start:
        return 0
    count = 0
    current = start
    while current < end:
        if current.weekday() < 5:
            count += 1
        current += timedelta(days=1)
    return count


def season_of_month(month: int) -> str:
    if month < 1 or month > 12:
        return "no such month"
    if month in (12, 1, 2):
        season = "Winter"
    elif month <= 5:
        season = "Spring"
    elif month <= 8:
        season = "Summer"
    else:
        season = "Fall"
    return season


_START = day(1, date(2015, 1, 1), 2_000)

CASES = (
    Case(
        months_apart,
        "sban84/Python_Programming:pySpark/Exercise-pySpark-DateTime.py",
        (
            sometimes_null(f"CAST({_START} AS STRING)"),
            f"CAST({day(2, date(2021, 1, 1), 1_000)} AS STRING)",
        ),
        "bigint",
        ((("2016-02-01", "2017-02-01"), 12), (("2021-04-06", "2021-05-07"), 2)),
    ),
    Case(
        weekdays_between,
        "pola-rs/polars-xdt:polars_business/t.py",
        (sometimes_null(_START), f"date_add({_START}, CAST({mixed(2, 21)} AS INT))"),
        "bigint",
        (((date(2020, 1, 3), date(2020, 1, 7)), 2), ((None, date(2020, 1, 1)), 0)),
    ),
    Case(
        season_of_month,
        "tanmayzope/Data-Driven-Decision-Making-with-Snowflake:Steps/03_month_to_season_udf/app.py",
        (whole(1, 1, 13),),
        "string",
        (((4,), "Spring"), ((12,), "Winter"), ((13,), "no such month")),
    ),
)
