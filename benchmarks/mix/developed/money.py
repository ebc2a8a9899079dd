"""Money and work: wages, ranges written as text, rounding, suspicious payments."""

from __future__ import annotations

from decimal import ROUND_HALF_EVEN, Decimal
from typing import NamedTuple

from benchmarks.mix.case import Case
from benchmarks.mix.columns import amount, joined, one_of, real, sometimes_null, whole

CENT = Decimal("0.01")
HOURS_PER_YEAR = 52 * 40
WORKING_DAYS = 260
DOLLAR_RATE = 24_000
MILLION = 1_000_000


class SalaryRange(NamedTuple):
    low: int | None
    high: int | None


def benefit_value(value: str | None) -> int | None:
    if value:
        parts = value.split(",")
        try:
            return int(parts[0].replace(".", ""))
        except ValueError:
            return None
    return None


def total_salary(salary: float, bonus: float, state: str) -> float:
    if state == "NY":
        return salary * 1.1 + bonus * 1.05
    if state == "CA":
        return salary * 1.12 + bonus * 1.03
    return salary + bonus


def hourly_salary(low: float | None, high: float | None, frequency: str) -> float | None:
    if low is None or high is None:
        return None
    average = (low + high) / 2
    kind = frequency.lower()
    if kind == "annual":
        return average / HOURS_PER_YEAR
    if kind == "daily":
        return average * WORKING_DAYS / HOURS_PER_YEAR
    return average


def salary_range(text: str | None) -> SalaryRange:
    if text is None:
        return SalaryRange(None, None)
    text = text.strip().replace(",", "").lower()
    factor = MILLION if "million" in text else DOLLAR_RATE
    if text.startswith("over"):
        low = float(text.split(" ")[1])
        return SalaryRange(int(low * factor), None)
    if "-" in text:
        first, second = text.split(" - ")
        low = float(first.split(" ")[0])
        high = float(second.split(" ")[0])
        return SalaryRange(int(low * factor), int(high * factor))
    return SalaryRange(None, None)


def years_of_experience(required: str | None) -> float:
    if not required:
        return 0.0
    words = required.split(" ")
    if words[0].lower() == "over":
        return float(words[1])
    if not words[0].isdigit():
        return 0.0
    years = float(words[0])
    if "month" in required:
        years = years / 12
    return years


def fraud_flag(amount: float | None, merchant: str, category: str | None) -> str | None:
    if amount is None:
        return "NO_AMOUNT"
    if amount > 3000:
        return "HIGH_AMOUNT"
    if merchant == "Casino":
        return "SUSPICIOUS_MERCHANT"
    if category == "Gambling":
        return "GAMBLING_CATEGORY"
    return None


def rounded_amount(amount: Decimal | None) -> Decimal | None:
    if amount is None:
        return None
    return amount.quantize(CENT, rounding=ROUND_HALF_EVEN)


CASES = (
    Case(
        benefit_value,
        "arthraw/bolsa_capixaba:src/processing/format_benefit_value.py",
        (
            sometimes_null(
                joined(
                    one_of(1, "1.", "", "12."),
                    f"CAST({whole(2, 100, 999)} AS STRING)",
                    one_of(3, ",00", ",50", "", " reais"),
                )
            ),
        ),
        "bigint",
        ((("1.200,50",), 1200), (("none",), None)),
    ),
    Case(
        total_salary,
        "tavisca-abhishek-srivastava/spark:Setion-4/DF-Quiz-UDF.py",
        (real(1, 40_000, 120_000), real(2, 0, 9_000), one_of(3, "NY", "CA", "TX")),
        "double",
        (((100.0, 10.0, "TX"), 110.0), ((100.0, 100.0, "CA"), 215.0)),
    ),
    Case(
        hourly_salary,
        "pvsidharthan/nse_analysis:src/utils/udf_functions.py",
        (
            sometimes_null(real(1, 15, 60_000)),
            real(2, 60_000, 150_000),
            one_of(3, "Annual", "Daily", "Hourly"),
        ),
        "double",
        (((20.0, 30.0, "Hourly"), 25.0), ((41600.0, 41600.0, "Annual"), 20.0)),
    ),
    Case(
        salary_range,
        "Noxshine/vietnam-jobs-analysis:spark/careerlink/extract_min_max_salary.py",
        (
            sometimes_null(
                joined(
                    one_of(1, "10 - ", "7.5 - ", "Over ", "8 million - "),
                    f"CAST({whole(2, 12, 40)} AS STRING)",
                    one_of(3, " million", " usd"),
                )
            ),
        ),
        "struct<low: bigint, high: bigint>",
        (
            (("10 - 15 million",), SalaryRange(10_000_000, 15_000_000)),
            (("Over 1,000 usd",), SalaryRange(24_000_000, None)),
            (("negotiable",), SalaryRange(None, None)),
        ),
    ),
    Case(
        years_of_experience,
        "Tran-Quang-Phuc/DataScienceProject:job_transformation/topcv/extract_yoe.py",
        (sometimes_null(one_of(1, "Over 5 years", "2 years", "6 months", "none", "10 years")),),
        "double",
        ((("Over 5 years",), 5.0), (("6 months",), 0.5), (("none",), 0.0)),
    ),
    Case(
        fraud_flag,
        "MDShahedurRahman/banking_data_pipeline:jobs/fraud_detection.py",
        (
            sometimes_null(real(1, 1, 4_000)),
            one_of(2, "Grocer", "Casino", "Books"),
            sometimes_null(one_of(3, "Food", "Gambling", "Leisure"), 98),
        ),
        "string",
        (((3500.0, "Books", "Leisure"), "HIGH_AMOUNT"), ((5.0, "Books", None), None)),
    ),
    Case(
        rounded_amount,
        "nise2/ebengine:src/main/scala/com/dng/ebengine/utils/FormatterUtils.scala",
        (sometimes_null(amount(1, 0, 10_000, 4)),),
        "decimal(12, 2)",
        (((Decimal("1.2350"),), Decimal("1.24")), ((Decimal("1.2250"),), Decimal("1.22"))),
    ),
)
