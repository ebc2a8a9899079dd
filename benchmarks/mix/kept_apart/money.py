"""Money and work: discounts, salaries, risk, and what a job asks for."""

from __future__ import annotations

import re
from datetime import date
from decimal import Decimal
from typing import NamedTuple

from benchmarks.mix.case import Case
from benchmarks.mix.columns import (
    amount,
    day,
    joined,
    mixed,
    one_of,
    real,
    sometimes_null,
    whole,
)

DEGREES = (
    ("Associate", re.compile(r"\bassociate\b", re.IGNORECASE)),
    ("Degree", re.compile(r"\b(baccalaureate|bachelor|bsc|ba)\b", re.IGNORECASE)),
    ("Masters", re.compile(r"\b(master|msc|ma)\b", re.IGNORECASE)),
    ("PhD", re.compile(r"\b(doctoral|doctorate|phd)\b", re.IGNORECASE)),
)


class Product(NamedTuple):
    id: int
    kind: str
    first_day: int
    last_day: int


class Discount(NamedTuple):
    id: int
    first_day: int
    last_day: int
    amount: float


def degree_required(requirements: str | None) -> str:
    if requirements is None:
        return "not_specified"
    for degree, pattern in DEGREES:
        if pattern.search(requirements):
            return degree
    return "not_specified"


def discounted_fee(fee: Decimal | None, percent: int | None) -> Decimal | None:
    if fee is None:
        return None
    if percent is None or percent <= 0:
        return fee
    reduced = fee - (fee * percent) / 100
    return round(reduced, 2)


def raised_salary(salary: float | None, age: int, hired: date | None) -> float | None:
    if salary is None or hired is None:
        return None
    result = salary
    if age > 30 and hired < date(2008, 1, 1):
        result = salary * 2
    return result


def risk_level(amount: float | None, country: str | None, category: str) -> str:
    if amount is None:
        return "UNKNOWN"
    if amount > 50_000 and country != "US":
        return "HIGH"
    if category == "gambling" or amount > 10_000:
        return "MEDIUM"
    return "LOW"


def total_discount(products: list[Product] | None, discounts: list[Discount] | None) -> float:
    if not products or not discounts:
        return 0.0
    waiting = sorted(products, key=lambda product: (product.kind, product.id))
    total = 0.0
    for discount in sorted(discounts, key=lambda each: each.id):
        for product in waiting:
            starts = product.first_day <= discount.first_day
            ends = product.last_day >= discount.last_day
            if starts and ends:
                total += discount.amount
                waiting.remove(product)
                break
    return total


def _product(seed: int, number: int) -> str:
    return (
        f"named_struct('id', {number}L, 'kind', {one_of(seed, 'A', 'B')}, "
        f"'first_day', {mixed(seed + 1, 10)}, 'last_day', {whole(seed + 2, 10, 30)})"
    )


def _discount(seed: int, number: int) -> str:
    return (
        f"named_struct('id', {number}L, 'first_day', {whole(seed, 5, 15)}, "
        f"'last_day', {whole(seed + 1, 15, 25)}, 'amount', {real(seed + 2, 1, 20)})"
    )


CASES = (
    Case(
        degree_required,
        "pvsidharthan/nse_analysis:src/utils/udf_functions.py",
        (
            sometimes_null(
                joined(
                    one_of(1, "Candidates need a ", "At least a ", "We ask for a "),
                    one_of(2, "Bachelor degree", "master", "PhD", "driving licence", "BSc"),
                    one_of(3, " and three years of experience.", " in computer science.", "."),
                )
            ),
        ),
        "string",
        ((("A BSc in physics",), "Degree"), (("a PhD.",), "PhD"), ((None,), "not_specified")),
    ),
    Case(
        discounted_fee,
        "aerusinfotech07/CBA-Tech-Training:"
        "PySparkMaterials/pyspark-transform-function/example_03.py",
        (sometimes_null(amount(1, 10, 5_000, 2)), sometimes_null(whole(2, 0, 50), 98)),
        "decimal(12, 2)",
        (((Decimal("200.00"), 5), Decimal("190.00")), ((None, 5), None)),
    ),
    Case(
        raised_salary,
        "goshaaaa777/ETL-SPARK-PYTHON-BIGDATA:"
        "Big-Data-Academy-PySpark/Laboratorio_Lambda_Parametros.py",
        (
            real(1, 1_000, 30_000),
            whole(2, 18, 65),
            sometimes_null(day(3, date(2000, 1, 1), 6_000)),
        ),
        "double",
        (((100.0, 40, date(2001, 5, 1)), 200.0), ((100.0, 20, date(2001, 5, 1)), 100.0)),
    ),
    Case(
        risk_level,
        "seanlgirgis/Study:DataMajor/Scala_Learning/my-spark-project/"
        "src/main/scala/com/capitalone/utils/RiskEngine.scala",
        (
            sometimes_null(real(1, 10, 90_000)),
            sometimes_null(one_of(2, "US", "DE", "FR"), 98),
            one_of(3, "gambling", "food", "travel"),
        ),
        "string",
        (((60_000.0, "DE", "food"), "HIGH"), ((5.0, "US", "gambling"), "MEDIUM")),
    ),
    Case(
        total_discount,
        "https://sysdesign-wiki.pages.dev/concepts/pyspark-udf-for-complex-business-logic/",
        (
            sometimes_null(f"array({_product(1, 3)}, {_product(4, 1)}, {_product(7, 2)})"),
            f"array({_discount(11, 2)}, {_discount(14, 1)})",
        ),
        "double",
        (
            (([Product(1, "A", 0, 9)], [Discount(1, 2, 3, 5.0), Discount(2, 2, 3, 7.0)]), 5.0),
            ((None, None), 0.0),
        ),
    ),
)
