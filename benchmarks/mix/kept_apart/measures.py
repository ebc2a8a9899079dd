"""Numbers: classes, distances, places, and arrays of marks."""

from __future__ import annotations

import math

from benchmarks.mix.case import Case
from benchmarks.mix.columns import mixed, real, sometimes_null, whole

EARTH_RADIUS = 6371
BASE32 = "0123456789bcdefghjkmnpqrstuvwxyz"


def age_class(age: int | None) -> str:
    if age is None or age < 0:
        return "99 - Others"
    if age < 14:
        return "1 - 0-13"
    elif age < 18:
        return "2 - 14-17"
    elif age < 25:
        return "3 - 18-24"
    elif age < 35:
        return "4 - 25-34"
    elif age < 45:
        return "5 - 35-44"
    elif age < 55:
        return "6 - 45-54"
    elif age < 65:
        return "7 - 55-64"
    elif age < 75:
        return "8 - 65-74"
    return "9 - 75+"


def letter_grade(score: int) -> str:
    grade = "D"
    if score >= 90:
        grade = "A"
    elif score >= 80:
        grade = "B"
    elif score >= 60:
        grade = "C"
    return grade


def squared_or_default(number: int | None) -> int:
    if number is None:
        number = 2
    return number * number


def average_mark(marks: list[float] | None) -> float | None:
    if not marks:
        return None
    return sum(marks) / len(marks)


def route_overlap(one: list[bool], other: list[bool]) -> float:
    both = 0
    either = 0
    for a, b in zip(one, other, strict=True):
        if a or b:
            either += 1
        if a and b:
            both += 1
    return both / either if either else 0.0


def haversine(lat1: float, lon1: float, lat2: float, lon2: float) -> float:
    from_latitude = math.radians(lat1)
    to_latitude = math.radians(lat2)
    half_north = math.sin((to_latitude - from_latitude) / 2)
    half_east = math.sin(math.radians(lon2 - lon1) / 2)
    chord = half_north**2 + math.cos(from_latitude) * math.cos(to_latitude) * half_east**2
    angle = 2 * math.asin(math.sqrt(chord))
    return round(EARTH_RADIUS * angle, 2)


def geohash(latitude: float | None, longitude: float | None) -> str | None:
    if latitude is None or longitude is None:
        return None
    south, north = -90.0, 90.0
    west, east = -180.0, 180.0
    letters = ""
    bits = 0
    value = 0
    along = True
    while len(letters) < 4:
        value <<= 1
        if along:
            middle = (west + east) / 2
            if longitude > middle:
                value |= 1
                west = middle
            else:
                east = middle
        else:
            middle = (south + north) / 2
            if latitude > middle:
                value |= 1
                south = middle
            else:
                north = middle
        along = not along
        bits += 1
        if bits == 5:
            letters += BASE32[value]
            bits = value = 0
    return letters


def _flags(seed: int, count: int) -> str:
    return f"array({', '.join(f'{mixed(seed + i, 2)} = 1' for i in range(count))})"


_PLACE = (real(1, 40, 60, 4), real(2, -10, 30, 4))

CASES = (
    Case(
        age_class,
        "BlackShadowA/VisualStudio:esempi/Documentazione/E01_Età.py",
        (sometimes_null(whole(1, -2, 95)),),
        "string",
        (((17,), "2 - 14-17"), ((80,), "9 - 75+"), ((None,), "99 - Others")),
    ),
    Case(
        letter_grade,
        "PacktPublishing/Scala-and-Spark-for-Big-Data-Analytics:"
        "Chapter19/PySpark_Codes/UDF_with_PySpark.py",
        (whole(1, 0, 100),),
        "string",
        (((95,), "A"), ((60,), "C"), ((12,), "D")),
    ),
    Case(
        squared_or_default,
        "abhisheks-prophecy/test_repo_sql:testprojects/python_main/pipelines/"
        "PYTHON_UNITY_CATALOG/code/python_unity_catalog/udfs/UDFs.py",
        (sometimes_null(whole(1, -1_000, 1_000)),),
        "bigint",
        (((3,), 9), ((None,), 4)),
    ),
    Case(
        average_mark,
        "fedevillalp/folia:content/blog-posts/calculate-row-averages.md",
        (sometimes_null(f"array({real(1, 1, 10)}, {real(2, 1, 10)}, {real(3, 1, 10)})"),),
        "double",
        ((([1.0, 2.0],), 1.5), ((None,), None)),
    ),
    Case(
        route_overlap,
        "FedorTaggenbrock/data_intensive_systems:src/distance_function.py",
        (_flags(1, 10), _flags(20, 10)),
        "double",
        ((([True, False], [True, True]), 0.5), (([False], [False]), 0.0)),
    ),
    Case(
        haversine,
        "rahulbhassy/uber_project:Enrich_UberFares/haversine.py",
        (*_PLACE, real(3, 40, 60, 4), real(4, -10, 30, 4)),
        "double",
        (((52.52, 13.405, 48.8566, 2.3522), 877.46), ((1.0, 2.0, 1.0, 2.0), 0.0)),
    ),
    Case(
        geohash,
        "bismilyah/Spark-Dataset:scripts/geohash_job.py",
        (sometimes_null(_PLACE[0]), _PLACE[1]),
        "string",
        (((57.64911, 10.40744), "u4pr"), ((None, 1.0), None)),
    ),
)
