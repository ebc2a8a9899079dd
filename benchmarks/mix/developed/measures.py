"""Numbers: classes of what was measured, and conversions of it."""

from __future__ import annotations

import math

from benchmarks.mix.case import Case
from benchmarks.mix.columns import mixed, real, sometimes_null, whole

UNITS = ("bytes", "KB", "MB", "GB", "TB")


def adult_flag(age: int) -> str:
    adult = age > 18
    return "Y" if adult else "N"


def height_band(height: float | None) -> str:
    if height is None:
        return "unknown"
    if height < 100:
        return "below 100 cm"
    elif height < 125:
        return "100 to 125 cm"
    elif height < 150:
        return "125 to 150 cm"
    elif height < 175:
        return "150 to 175 cm"
    elif height < 200:
        return "175 to 200 cm"
    else:
        return "200 cm and more"


def bmi_category(weight: float | None, height: float | None) -> str:
    if not weight or not height:
        return "Undefined"
    metres = height / 100
    bmi = round(weight / (metres * metres), 2)
    if bmi < 18.5:
        return "Underweight"
    elif bmi < 25:
        return "Normal weight"
    elif bmi < 30:
        return "Overweight"
    elif bmi < 35:
        return "Moderately obese"
    elif bmi < 40:
        return "Severely obese"
    return "Very severely obese"


def air_quality_level(value: int | None) -> str | None:
    if value is None or value < 0:
        return None
    if value <= 50:
        return "Good"
    elif value <= 100:
        return "Moderate"
    elif value <= 150:
        return "Unhealthy for Sensitive Groups"
    elif value <= 200:
        return "Unhealthy"
    elif value <= 300:
        return "Very Unhealthy"
    elif value <= 500:
        return "Hazardous"
    return "Extremely High Level"


def fahrenheit(celsius: float | None) -> float:
    if celsius is None:
        return 0.0
    return celsius * 1.8 + 32


def cube(number: int) -> int:
    return number * number * number


def sigmoid(value: float | None) -> float | None:
    if value is None:
        return None
    if value < -40:
        return 0.0
    if value > 40:
        return 1.0
    return 1.0 / (1.0 + math.exp(-value))


def speed(kilometres: float | None, seconds: int | None) -> float | None:
    if kilometres is None or seconds is None or seconds == 0:
        return None
    hours = seconds / 3600
    return kilometres / hours


def readable_size(size: int | None) -> str | None:
    if size is None:
        return None
    value = float(size)
    step = 0
    while value >= 1024 and step < len(UNITS) - 1:
        value = value / 1024
        step += 1
    return f"{value:.1f} {UNITS[step]}"


CASES = (
    Case(
        adult_flag,
        "vsgangadhara/Data-Processing-using-pyspark:UDF_rigister_sql.py",
        (whole(1, 1, 90),),
        "string",
        (((19,), "Y"), ((18,), "N")),
    ),
    Case(
        height_band,
        "hann101/Spark:categorization.py",
        (sometimes_null(real(1, 90, 210, 1)),),
        "string",
        (((172.5,), "150 to 175 cm"), ((201.0,), "200 cm and more"), ((None,), "unknown")),
    ),
    Case(
        bmi_category,
        "experientlabs/spark-ml:etl/app/dataframe_processor.py",
        (sometimes_null(real(1, 40, 140, 1)), real(2, 150, 200, 0)),
        "string",
        (((70.0, 175.0), "Normal weight"), ((None, 170.0), "Undefined")),
    ),
    Case(
        air_quality_level,
        "BigTony666/airMon:spark.py",
        (sometimes_null(whole(1, -20, 600)),),
        "string",
        (((40,), "Good"), ((501,), "Extremely High Level"), ((-1,), None)),
    ),
    Case(
        fahrenheit,
        "andreanidouglas/spark-cluster-pyspark:code/main.py",
        (sometimes_null(real(1, -30, 45, 1)),),
        "double",
        (((100.0,), 212.0), ((None,), 0.0)),
    ),
    Case(
        cube,
        "damiansp/spark:learning/05_sql_dfs_external_data_sources/udfs.py",
        (whole(1, -1_000, 1_000),),
        "bigint",
        (((3,), 27), ((-2,), -8)),
    ),
    Case(
        sigmoid,
        "KnoldusLabs/KSAI:src/main/scala/ksai/util/NumericFunctions.scala",
        (sometimes_null(real(1, -50, 50, 4)),),
        "double",
        (((0.0,), 0.5), ((50.0,), 1.0), ((None,), None)),
    ),
    Case(
        speed,
        "stcoffee/bigdata-geolife:src/shared/utils/utils.py",
        (sometimes_null(real(1, 0, 80, 3)), mixed(2, 7_200)),
        "double",
        (((10.0, 1800), 20.0), ((10.0, 0), None)),
    ),
    Case(
        readable_size,
        "lichen-liu/ece1779:app/utility.py",
        (sometimes_null(f"CAST(pow(2, {real(1, 0, 42)}) AS BIGINT)"),),
        "string",
        (((512,), "512.0 bytes"), ((1536,), "1.5 KB"), ((None,), None)),
    ),
)
