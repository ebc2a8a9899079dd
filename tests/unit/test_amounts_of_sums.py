"""Sums of limbs, as Spark answers them, against Python's integers."""

from __future__ import annotations

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from notebook_udf.specs.slot_fields import LIMB_BITS, LIMBS, SUM, field_name, slot_field
from notebook_udf.worker.aggregate.from_sums import _amounts

_LIMB = st.integers(-(1 << 63), (1 << 63) - 1)
_SMALL = st.integers(-(1 << 30), 1 << 30)


def of(*limbs: int | None) -> int | None:
    """What the limbs are, put together."""
    if limbs[0] is None:
        return None
    return sum((limb or 0) << place * LIMB_BITS for place, limb in enumerate(limbs))


def column(values: tuple[int | None, ...]) -> pa.Array:
    return pa.array(values, pa.int64())


@given(st.lists(st.none() | st.tuples(_LIMB, _LIMB) | st.tuples(_SMALL, _SMALL)))
def test_two_limbs(groups: list[tuple[int, int] | None]) -> None:
    rows = [(None, None) if each is None else each for each in groups]
    low, high = zip(*rows, strict=True) if rows else ((), ())
    amounts = _amounts({LIMBS[0]: column(low), LIMBS[1]: column(high)})
    assert amounts == [of(*row) for row in rows]
    assert {type(each) for each in amounts} <= {int, type(None)}


@given(st.lists(st.tuples(_SMALL, _SMALL, st.none() | _LIMB, st.none() | _LIMB), min_size=1))
def test_four_limbs(groups: list[tuple[int | None, ...]]) -> None:
    columns = map(column, zip(*groups, strict=True))
    amounts = _amounts(dict(zip(LIMBS, columns, strict=True)))
    assert amounts == [of(*row) for row in groups]


def test_sum_is_taken_as_it_is() -> None:
    assert _amounts({SUM: pa.array([1.5, None])}) == [1.5, None]


def test_names_say_what_they_are_of() -> None:
    for slot in (None, 3, "total"):
        assert slot_field(field_name(SUM, slot, 7)) == (SUM, slot, 7)
