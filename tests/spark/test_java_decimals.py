"""Decimals in the JVM, next to Python's: texts of every kind, what is no number, and errors."""

from __future__ import annotations

import random
import statistics
from collections.abc import Callable
from decimal import ROUND_DOWN, ROUND_HALF_UP, Decimal, DecimalException, InvalidOperation
from typing import Any

import pytest
from java_calls import Java, answered_alike
from pyspark.sql.types import ArrayType, DataType, DoubleType, LongType, StringType

TEXT, LONG, DOUBLE = StringType(), LongType(), DoubleType()
TEXTS = (
    *("0", "-0", "0.00", "-0.0", "1", "-1", "1.000", "-1.00", "1.10", "2", "-2", "0.5", "2.5", "7"),
    *("-7.5", "0.001", "12345678901234567890.123456789", "9999999999999999999999999999", "1e-9"),
    *("1e3", "-1.5E+3", "1E-30", "1e30", ".5", "5.", "+.5e-3", "1234567.89", "-1234.5", "0.1"),
    *("NaN", "-nan", "nan12", "sNaN", "snan007", "-sNaN", "NaN" + "12" * 20, "inf", "-Infinity"),
    *("", " ", ".", "-", "--5", "x", "n/a", "1e", "1e+", "e5", "1.2.3", "1 2", "$5", "nanx", "in"),
    *(" 5 ", "\t1.5\n", "\u00a05\u3000", "5_0", "_1", "1__0.", "\u0663.\u0665", "\uff11\uff12"),
    *("\u096b", "\x1f5", "\u00bd", "1,5"),
)  # fmt: skip


def parsed(s: Any) -> str:
    try:
        return str(Decimal(s))
    except InvalidOperation:
        return "invalid"
    except TypeError:
        return "missing"


def in_cents(s: Any) -> str | None:
    try:
        return str(Decimal(s).quantize(Decimal("0.01"), rounding=ROUND_HALF_UP))
    except (InvalidOperation, TypeError):
        return None


def as_any_error(s: Any) -> str:
    try:
        return str(Decimal(s) + 1)
    except ArithmeticError:
        return "arithmetic"
    except TypeError:
        return "missing"


def over(s: Any, t: Any) -> str:
    try:
        return str(Decimal(s) / Decimal(t))
    except ZeroDivisionError:
        return "by zero"
    except DecimalException:
        return "invalid"


def over_by_names(s: Any, t: Any) -> str:
    try:
        return str(Decimal(s) / Decimal(t))
    except InvalidOperation:
        return "invalid"
    except DecimalException:
        return "by zero"


def rest(s: Any, t: Any) -> str:
    try:
        return f"{Decimal(s) // Decimal(t)} {Decimal(s) % Decimal(t)}"
    except ZeroDivisionError:
        return "by zero"
    except InvalidOperation:
        return "invalid"


def whole(s: Any) -> str:
    try:
        number = Decimal(s)
        return f"{int(number)} {round(number)}"
    except InvalidOperation:
        return "invalid"
    except ValueError:
        return "no number"
    except OverflowError:
        return "endless"


def real(s: Any) -> str:
    try:
        return str(float(Decimal(s)))
    except InvalidOperation:
        return "invalid"
    except ValueError:
        return "signals"


def compared(s: Any, t: Any) -> str:
    try:
        a, b = Decimal(s), Decimal(t)
    except InvalidOperation:
        return "no decimal"
    try:
        return f"{a == b} {a != b} {a < b} {a >= b}"
    except InvalidOperation:
        return "no order"


def same(s: Any, t: Any) -> str:
    try:
        return str(Decimal(s) == Decimal(t))
    except InvalidOperation:
        return "invalid"


def known(s: Any) -> str:
    try:
        d = Decimal(s)
        return f"{d.is_nan()} {d.is_finite()} {d.is_infinite()} {d.is_signed()} {bool(d)}"
    except InvalidOperation:
        return "invalid"


def combined(s: Any, t: Any) -> str:
    try:
        a, b = Decimal(s), Decimal(t)
        return f"{a + b} {a - b} {a * b} {-a} {abs(b)}"
    except InvalidOperation:
        return "invalid"


def shaped(s: Any) -> str:
    try:
        d = Decimal(s)
        return f"{d.normalize()} {d.to_integral_value()} {d.to_integral_value(ROUND_DOWN)}"
    except InvalidOperation:
        return "invalid"


def written(s: Any) -> str:
    try:
        d = Decimal(s)
    except InvalidOperation:
        return "invalid"
    return f"{d:,.2f}|{d:.0f}|{d:f}|{d:,}|{d:12.3f}|{d:<9.1f}|{d:.1%}|{d:^30,.4f}|{d}"


def rounded(s: Any) -> str:
    try:
        return f"{round(Decimal(s), 1)} {round(Decimal(s), -2)}"
    except InvalidOperation:
        return "invalid"


OF_ONE = (parsed, in_cents, as_any_error, whole, real, known, shaped, written, rounded)
OF_TWO = (over, over_by_names, rest, compared, same, combined)


@pytest.mark.parametrize("function", OF_ONE)
def test_of_any_text(java: Java, function: Callable[..., Any]) -> None:
    rows = [(text,) for text in (*TEXTS, None)]
    answered_alike(java, function, [TEXT], TEXT, rows)


@pytest.mark.parametrize("function", OF_TWO)
def test_of_any_two(java: Java, function: Callable[..., Any]) -> None:
    # A number over an endless one is zero of an exponent that only Python has.
    endless = {"inf", "-Infinity"}
    rows = [
        (s, t)
        for s in TEXTS
        for t in TEXTS
        if function not in (over, over_by_names) or t not in endless
    ]
    assert answered_alike(java, function, [TEXT, TEXT], TEXT, rows) == len(rows)


def test_of_floats(java: Java) -> None:
    def exactly(x: float) -> str:
        return str(Decimal(x) + 0)

    rows = [(x,) for x in (0.0, -0.0, 0.1, -2.5, 1e22, 5e-324, float("nan"), float("-inf"))]
    assert answered_alike(java, exactly, [DOUBLE], TEXT, rows) == len(rows)


def power(s: str, n: int) -> str:
    try:
        return str(Decimal(s) ** n)
    except InvalidOperation:
        return "invalid"


def test_powers(java: Java) -> None:
    chance = random.Random(5)
    rows = [(s, n) for s in TEXTS[:14] for n in (-3, -2, -1, 0, 1, 2, 3, 12, 360)]
    for _ in range(6000):
        digits = chance.randrange(10 ** chance.randint(1, 29))
        number = Decimal(chance.choice((-1, 1)) * digits).scaleb(-chance.randint(0, 29))
        rows.append((str(number), chance.randint(-40, 160)))
    for _ in range(2000):
        rate = 1 + Decimal(chance.randrange(1, 3000)).scaleb(-4) / 12
        rows.append((str(rate), chance.randint(1, 480)))
    assert answered_alike(java, power, [TEXT, LONG], TEXT, rows) == len(rows)


def test_rests_of_many(java: Java) -> None:
    chance = random.Random(6)

    def some() -> str:
        digits = chance.randrange(10 ** chance.randint(1, 20))
        return str(Decimal(chance.choice((-1, 1)) * digits).scaleb(-chance.randint(0, 12)))

    rows = [(some(), some()) for _ in range(5000)]
    assert answered_alike(java, rest, [TEXT, TEXT], TEXT, rows) == len(rows)


def mean_or_none(values: list[float]) -> float | None:
    try:
        return statistics.mean(values)
    except statistics.StatisticsError:
        return None


def test_the_error_of_a_mean_by_its_own_name(java: Java) -> None:
    lists: DataType = ArrayType(DOUBLE, containsNull=False)
    rows: list[tuple[Any, ...]] = [([],), ([1.0],), ([1.0, 3.0],), ([5.0, 2.5, 9.0],)]
    assert answered_alike(java, mean_or_none, [lists], DOUBLE, rows) == len(rows)


def variance_or_why(values: list[float]) -> str:
    try:
        return f"{statistics.variance(values)} {statistics.mean(values)}"
    except statistics.StatisticsError:
        return "too few"
    except TypeError:
        return "something else"


def test_lists_that_may_hold_none_beside_try(java: Java) -> None:
    rows: list[tuple[Any, ...]] = [
        ([],),
        ([None],),
        ([1.0],),
        ([2.0, None],),
        ([1.0, 2.5],),
        (None,),
    ]
    assert answered_alike(java, variance_or_why, [ArrayType(DOUBLE)], TEXT, rows) == len(rows)


def rounded_sum(s: str) -> str:
    return str(sum(Decimal(part) for part in s.split()).quantize(Decimal("0.1")))


def test_the_sum_of_nothing_is_no_decimal(java: Java) -> None:
    rows = [("1.25 2",), ("",), ("0",), (None,)]
    assert answered_alike(java, rounded_sum, [TEXT], TEXT, rows) == 2
