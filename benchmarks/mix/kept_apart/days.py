"""Dates and times: days, hours, durations, seasons."""

from __future__ import annotations

import re
from datetime import date, datetime, timedelta

from benchmarks.mix.case import Case
from benchmarks.mix.columns import day, mixed, moment, sometimes_null, whole

DAYS = ["MONDAY", "TUESDAY", "WEDNESDAY", "THURSDAY", "FRIDAY", "SATURDAY", "SUNDAY"]


def day_name(moment: datetime | None) -> str | None:
    if moment is None:
        return None
    return DAYS[moment.weekday()]


def duration_seconds(start: datetime | None, end: datetime | None) -> int | None:
    if start is None or end is None:
        return None
    elapsed = end - start
    return int(elapsed.total_seconds())


def hour_category(hour: int | None) -> str | None:
    if hour is None or not 0 <= hour <= 23:
        return None
    if hour < 6:
        return "night"
    elif hour < 10:
        return "early_morning"
    elif hour < 15:
        return "morning"
    elif hour < 20:
        return "afternoon"
    return "evening"


def time_of_day(text: str | None) -> str | None:
    if text is None:
        return None
    found = re.search(r"(?<=T)[^:]+", text)
    if found is None:
        return None
    hour = int(found.group())
    if 5 <= hour < 12:
        return "Morning"
    if 12 <= hour < 17:
        return "Afternoon"
    if 17 <= hour < 21:
        return "Evening"
    return "Night"


def minutes_to_clock(minutes: str | None) -> str | None:
    if minutes is None:
        return None
    try:
        duration = timedelta(minutes=int(minutes))
    except ValueError:
        return None
    seconds = int(duration.total_seconds())
    hours = seconds // 3600
    return f"{hours:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}"


def season_of_date(day: date | None) -> str | None:
    if day is None:
        return None
    month_and_day = (day.month, day.day)
    if (3, 21) <= month_and_day < (6, 21):
        return "spring"
    elif (6, 21) <= month_and_day < (9, 23):
        return "summer"
    elif (9, 23) <= month_and_day < (12, 21):
        return "autumn"
    else:
        return "winter"


_MOMENT = moment(1, datetime(2025, 1, 1), 31_536_000)

CASES = (
    Case(
        day_name,
        "pientaa/opening-black-box:black-box/src/main/scala/udf/UDF.scala",
        (sometimes_null(_MOMENT),),
        "string",
        (((datetime(2026, 11, 24, 12),), "TUESDAY"), ((None,), None)),
    ),
    Case(
        duration_seconds,
        "pientaa/opening-black-box:black-box/src/main/scala/udf/UDF.scala",
        (
            sometimes_null(_MOMENT),
            f"timestamp_seconds(unix_seconds({_MOMENT}) + {mixed(2, 9_000)})",
        ),
        "bigint",
        (((datetime(2026, 1, 1), datetime(2026, 1, 1, 1)), 3600), ((None, None), None)),
    ),
    Case(
        hour_category,
        "fcru/TFM_kube:pipelines-batch/prevision_demanda/explotation_zone/analisis_functions.py",
        (sometimes_null(whole(1, 0, 23)),),
        "string",
        (((7,), "early_morning"), ((23,), "evening"), ((None,), None)),
    ),
    Case(
        time_of_day,
        "gosutek/hadoop-spark:scripts/query-2_RDD.py",
        (sometimes_null(f"replace(CAST({_MOMENT} AS STRING), ' ', 'T')"),),
        "string",
        ((("2026-03-01T06:30:00",), "Morning"), (("T23",), "Night"), (("noon",), None)),
    ),
    Case(
        minutes_to_clock,
        "yogitasn/SpringBoard-Open_Ended_Prototype:src/parkingOccpn_udf.py",
        (sometimes_null(f"IF({mixed(2, 20)} = 0, 'n/a', CAST({whole(1, 0, 1_500)} AS STRING))"),),
        "string",
        ((("95",), "01:35:00"), (("n/a",), None)),
    ),
    Case(
        season_of_date,
        "fcru/TFM_kube:pipelines-batch/prevision_demanda/explotation_zone/analisis_functions.py",
        (sometimes_null(day(1, date(2024, 1, 1), 730)),),
        "string",
        (((date(2026, 3, 21),), "spring"), ((date(2026, 12, 25),), "winter")),
    ),
)
