"""Flights as timetables have them: times of day, delays and speeds made readable."""

from __future__ import annotations

from benchmarks.mix.columns import one_of, real, sometimes_null, whole
from benchmarks.pipelines.pipeline import Pipeline


def minutes(clock: int | None) -> int | None:
    if clock is None:
        return None
    hours, rest = divmod(clock, 100)
    if rest >= 60 or hours > 24:
        return None
    return hours % 24 * 60 + rest


def part_of_day(minute: int | None) -> str:
    if minute is None:
        return "unknown"
    if minute < 6 * 60:
        return "night"
    if minute < 12 * 60:
        return "morning"
    return "afternoon" if minute < 18 * 60 else "evening"


def delay_band(delay: float | None) -> str:
    if delay is None:
        return "cancelled"
    if delay <= 0:
        return "early"
    for limit, name in ((15, "on time"), (60, "late")):
        if delay < limit:
            return name
    return "very late"


def speed(distance: float, air_time: float | None) -> float | None:
    if not air_time:
        return None
    return round(distance / (air_time / 60), 1)


def route(origin: str, destination: str) -> str:
    first, second = sorted((origin, destination))
    return f"{first}-{second}"


_AIRPORTS = ("JFK", "LAX", "ORD", "ATL", "SFO", "SEA", "BOS")

FLIGHTS = Pipeline(
    "Cleaning 1,000,000 flights of a Parquet file",
    1_000_000,
    {
        "origin": one_of(1, *_AIRPORTS),
        "destination": one_of(2, *_AIRPORTS),
        "clock": sometimes_null(whole(4, 0, 2399), 3),
        "delay": sometimes_null(real(6, -20, 240, 0), 5),
        "distance": real(7, 150, 2_700, 0),
        "air_time": sometimes_null(real(9, 0, 400, 0), 8),
    },
    "parquet",
    (
        (minutes, "bigint"),
        (part_of_day, "string"),
        (delay_band, "string"),
        (speed, "double"),
        (route, "string"),
    ),
    """
    SELECT {f}route(origin, destination) AS route, {f}part_of_day({f}minutes(clock)) AS part,
           {f}delay_band(delay) AS delay, {f}speed(distance, air_time) AS speed
    FROM {table}
    """,
)
