"""Count, sum and avg with a retract: what is taken out leaves no trace, to the last digit."""

from __future__ import annotations

import math
from decimal import ROUND_HALF_UP, Context, Decimal
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from notebook_udf.functions.built_in import Count, DecimalSum, FloatSum, Sum

finite = st.floats(allow_nan=False, allow_infinity=False)


def after(function: Any, kept: list[Any], gone: list[Any]) -> Any:
    """The value after all came and some went, in two places and in another order."""
    here, there = function.create_accumulator(), function.create_accumulator()
    for value in [*gone, *kept]:
        function.accumulate(here, value)
    for value in reversed(gone):
        function.retract(there, value)
    whole = function.create_accumulator()
    function.merge(whole, [there, here])
    return function.get_value(whole)


@given(st.lists(finite), st.lists(st.none() | st.floats()))
def test_floats_that_went_leave_no_trace(kept: list[float], gone: list[float | None]) -> None:
    exact = sum(map(Fraction, kept), Fraction(0))
    try:
        wanted = float(exact)
    except OverflowError:
        wanted = math.inf if exact > 0 else -math.inf
    assert after(FloatSum(), kept, gone) == (wanted if kept else None)
    assert after(FloatSum(mean=True), kept, gone) == (wanted / len(kept) if kept else None)


@pytest.mark.parametrize(
    ("kept", "wanted"),
    [
        ([math.nan, 1.0], math.nan),
        ([math.inf, -1.0], math.inf),
        ([-math.inf, 1.0], -math.inf),
        ([math.inf, -math.inf], math.nan),
        ([1e308, 1e308], math.inf),
        ([-1e308, -1e308], -math.inf),
        ([5e-324, 5e-324], 1e-323),
        ([1e16, 1.0, -1e16], 1.0),
        ([-0.0], 0.0),
        ([None, None], None),
    ],
)
def test_what_is_no_number_comes_and_goes(kept: list[Any], wanted: float | None) -> None:
    assert repr(after(FloatSum(), kept, [math.nan, math.inf, -math.inf, None])) == repr(wanted)


@given(st.lists(st.integers(-(2**63), 2**63 - 1)), st.lists(st.integers(-(2**63), 2**63 - 1)))
def test_whole_numbers(kept: list[int], gone: list[int]) -> None:
    assert after(Sum(), kept, gone) == (sum(kept) if kept else None)
    assert after(Sum(mean=True), kept, gone) == (sum(kept) / len(kept) if kept else None)


def test_without_ansi_a_bigint_wraps_around() -> None:
    sums = Sum(ansi=False)
    assert after(sums, [2**63 - 1, 1], []) == -(2**63)
    assert after(sums, [-(2**63), -1], []) == 2**63 - 1
    assert after(sums, [-(2**63)], []) == -(2**63)
    assert after(Sum(mean=True, ansi=False), [2**63 - 1, 2**63 - 1], []) == 2.0**63


_WIDE = Context(prec=200)
decimals = st.integers(-(10**37) + 1, 10**37 - 1).map(lambda n: Decimal(n).scaleb(-6, _WIDE))


@given(st.lists(decimals, max_size=9), st.lists(decimals))
def test_decimals_keep_all_their_digits(kept: list[Decimal], gone: list[Decimal]) -> None:
    exact = Decimal(0)
    for value in kept:
        exact = _WIDE.add(exact, value)
    assert after(DecimalSum(6, 38), kept, gone) == (exact if kept else None)
    mean = after(DecimalSum(6, 38, (41, 10)), kept, gone)
    if kept:
        last = Decimal("1e-10")
        assert mean == _WIDE.divide(exact, len(kept)).quantize(last, ROUND_HALF_UP, _WIDE)
        assert mean.as_tuple().exponent == -10
    else:
        assert mean is None


def test_halves_of_decimals_are_rounded_away_from_zero() -> None:
    mean = DecimalSum(1, 20, (20, 1))
    assert after(mean, [Decimal("0.1"), Decimal("0.2")], []) == Decimal("0.2")
    assert after(mean, [Decimal("-0.1"), Decimal("-0.2")], []) == Decimal("-0.2")


def test_decimals_beyond_their_type() -> None:
    nines = [Decimal(99), Decimal(99)]
    with pytest.raises(OverflowError, match=r"sum of the values is 198, which DECIMAL\(2,0\)"):
        after(DecimalSum(0, 2), nines, [])
    assert after(DecimalSum(0, 2, ansi=False), nines, []) is None
    # Of a mean, too, the sum has to fit.
    assert after(DecimalSum(0, 2, (6, 4), ansi=False), nines, []) is None
    with pytest.raises(
        OverflowError, match=r"mean of the values is 99\.0000, which DECIMAL\(5,4\)"
    ):
        after(DecimalSum(0, 3, (5, 4)), nines, [])


def test_rows_are_counted_that_have_all_their_values() -> None:
    count = Count()
    accumulator = count.create_accumulator()
    for row in ((), (1,), (None,), (1, None), (1, 2), (math.nan,)):
        count.accumulate(accumulator, *row)
    assert count.get_value(accumulator) == 4
    count.retract(accumulator, 1, 2)
    count.retract(accumulator, None)
    assert count.get_value(accumulator) == 3
