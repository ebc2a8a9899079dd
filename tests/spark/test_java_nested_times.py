"""Days and times within lists, dicts and rows: in Spark's JVM as in a Python worker."""

from __future__ import annotations

import datetime as dt
from collections import Counter, defaultdict
from collections.abc import Callable
from itertools import pairwise
from typing import Any, NamedTuple

import pytest

import notebook_udf as nu

# Days that Spark's older classes lack, and those around them; the first, the last and a leap day.
DAYS = (
    *("0001-01-01", "1582-10-04", "1582-10-05", "1582-10-10", "1582-10-14", "1582-10-15"),
    *("1900-01-01", "2024-02-28", "2024-02-29", "2024-03-01", "2024-03-01", "9999-12-31"),
)
TIMES = (
    *("1582-10-10 01:02:03", "1899-12-31 23:59:59.999999", "1969-12-31 23:59:59.999999"),
    *("2024-03-31 02:30:00", "2024-10-27 02:30:00", "2024-01-01 00:00:00", "3000-01-01 00:00:00.1"),
)
RECORDS = (
    "array(named_struct('day', DATE'2024-03-01', 'at', {0}'2024-03-01 10:00:00'), "
    "named_struct('day', DATE'1582-10-10', 'at', CAST(NULL AS {0})))",
    "CAST(array() AS ARRAY<STRUCT<day: DATE, at: {0}>>)",
    "array(named_struct('day', CAST(NULL AS DATE), 'at', {0}'1582-10-10 10:00:00'), NULL)",
)


def listed(kind: str, values: tuple[str, ...]) -> str:
    written = (f"{kind}'{each}'" if each else "NULL" for each in values)
    return f"CAST(array({', '.join(written)}) AS ARRAY<{kind}>)"


class Span(NamedTuple):
    first: dt.date
    last: dt.date | None


class Visit(NamedTuple):
    day: dt.date | None
    at: dt.datetime | None


def streak(days: list[dt.date]) -> int:
    places = sorted({day.toordinal() for day in days if day is not None})
    best = here = 0
    before = None
    for place in places:
        here = here + 1 if before is not None and place - before == 1 else 1
        best, before = max(best, here), place
    return best


def missing(days: list[dt.date], most: int = 20) -> list[dt.date]:
    days = [each for each in days if each]
    if not days:
        return []
    known, made, day = set(days), [], min(days)
    while day < max(days) and len(made) < most:
        day += dt.timedelta(1)
        if day not in known:
            made.append(day)
    return made


def span(days: list[dt.date]) -> Span | None:
    found = sorted(each for each in days if each)
    return Span(found[0], found[-1] if len(found) > 1 else None) if found else None


def by_text(days: list[dt.date]) -> dict[str, dt.date]:
    return {f"{each:%d.%m.%Y}": each for each in days if each}


def counts(days: list[dt.date]) -> dict[dt.date, int]:
    counted = Counter(each for each in days if each is not None)
    return {day: counted[day] for day in sorted(counted)}


def looked_for(days: list[dt.date]) -> list[bool]:
    day = dt.date(1582, 10, 10)
    seen = dict.fromkeys(days, True)
    return [day in days, day in set(days), seen.get(day, False), len({day} & {*days}) > 0]


def itself(given: Any) -> Any:
    return given


def gaps(times: list[dt.datetime]) -> list[float]:
    times = sorted(each for each in times if each)
    return [(b - a).total_seconds() for a, b in pairwise(times)]


def distinct(times: list[dt.datetime]) -> list[dt.datetime]:
    return sorted({each for each in times if each})


def later(times: list[dt.datetime]) -> list[dt.datetime | None]:
    return [each + dt.timedelta(hours=5) if each else None for each in times]


def per_day(times: list[dt.datetime]) -> dict[dt.date, int]:
    made: dict[dt.date, int] = defaultdict(int)
    for each in times:
        if each:
            made[each.date()] += 1
    return dict(made)


def visits(rows: list[Any]) -> list[Visit]:
    return [Visit(each.at.date() if each.at else each.day, each.at) for each in rows if each]


def newest(rows: list[Any]) -> dt.datetime | None:
    return max((each["at"] for each in rows if each and each.at), default=None)


def of_days(function: Callable[..., Any], result: str) -> Any:
    some = (DAYS, DAYS[:1], (), ("",), (*DAYS[6:9], ""), DAYS[1:5])
    rows = tuple(listed("DATE", each) for each in some)
    return function, "array<date>", result, rows


def of_times(function: Callable[..., Any], result: str, kind: str) -> Any:
    some = (TIMES, TIMES[:1], (), (*TIMES[2:4], ""))
    rows = tuple(listed(kind, each) for each in some)
    return function, f"array<{kind}>", result, rows


def of_records(function: Callable[..., Any], result: str, kind: str) -> Any:
    rows = tuple(each.format(kind) for each in RECORDS)
    return function, f"array<struct<day: date, at: {kind}>>", result, rows


CASES = [
    of_days(streak, "int"),
    of_days(missing, "array<date>"),
    of_days(span, "struct<first: date, last: date>"),
    of_days(by_text, "map<string, date>"),
    of_days(counts, "map<date, int>"),
    of_days(looked_for, "array<boolean>"),
    of_days(itself, "array<date>"),
    *(
        each
        for kind in ("timestamp", "timestamp_ntz")
        for each in (
            of_times(gaps, "array<double>", kind),
            of_times(later, f"array<{kind}>", kind),
            of_times(distinct, f"array<{kind}>", kind),
            of_times(per_day, "map<date, int>", kind),
            of_times(itself, f"array<{kind}>", kind),
            of_records(visits, f"array<struct<day: date, at: {kind}>>", kind),
            of_records(newest, kind, kind),
            of_records(itself, f"array<struct<day: date, at: {kind}>>", kind),
        )
    ),
]


@pytest.mark.parametrize(
    ("function", "types", "result", "rows"),
    CASES,
    ids=[f"{each[0].__name__}-{each[1]}" for each in CASES],
)
def test_both_answer_alike(
    session: nu.Session, function: Any, types: str, result: str, rows: tuple[str, ...]
) -> None:
    found = {}
    for compiled in (True, False):
        declared = nu.udf(function, result_type=result, input_types=[types], compile=compiled)
        session.register_function("of_times", declared)
        query = " UNION ALL ".join(
            f"SELECT {n} AS n, {each} AS given" for n, each in enumerate(rows)
        )
        frame = session.spark.sql(f"SELECT n, of_times(given) AS v FROM ({query}) ORDER BY n")
        assert ("EvalPython" in frame._jdf.queryExecution().executedPlan().toString()) != compiled
        found[compiled] = [row.v for row in frame.collect()]
    session.drop_function("of_times")
    assert repr(found[True]) == repr(found[False])


def test_in_plain_python_as_well(session: nu.Session) -> None:
    days = [dt.date.fromisoformat(each) for each in DAYS]
    session.register_function(
        "of_times", nu.udf(missing, result_type="array<date>", input_types=["array<date>"])
    )
    frame = session.spark.createDataFrame([(days[1:6],)], "given array<date>")
    assert frame.selectExpr("of_times(given) AS v").first().v == missing(days[1:6])
    session.drop_function("of_times")
