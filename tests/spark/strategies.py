"""Values of every Spark type, as ``createDataFrame`` takes them.

A ``Kind`` is a type in DDL with a strategy for its values. NULL is left to ``column``, which
mixes it in at every level.
"""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from decimal import Context, Decimal
from typing import Any

from hypothesis import strategies as st


@dataclass(frozen=True)
class Kind:
    """A Spark type and what its values may be."""

    ddl: str
    values: st.SearchStrategy[Any]


def _edges(values: st.SearchStrategy[Any], *edges: Any) -> st.SearchStrategy[Any]:
    # A batch is small: without them the ends of the range would hardly ever be met.
    return st.sampled_from(edges) | values


def _integers(bits: int) -> st.SearchStrategy[int]:
    low, high = -(1 << bits - 1), (1 << bits - 1) - 1
    return _edges(st.integers(low, high), low, high, 0, -1)


def _decimals(precision: int, scale: int) -> st.SearchStrategy[Decimal]:
    largest = 10**precision - 1
    exact = Context(prec=precision)
    unscaled = _edges(st.integers(-largest, largest), -largest, largest, 0, 1)
    return unscaled.map(lambda n: Decimal(n).scaleb(-scale, exact))


_TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
_SPAN = dt.timedelta(microseconds=2**63 - 1)

LEAVES = {
    kind.ddl: kind
    for kind in (
        Kind("boolean", st.booleans()),
        Kind("tinyint", _integers(8)),
        Kind("smallint", _integers(16)),
        Kind("int", _integers(32)),
        Kind("bigint", _integers(64)),
        Kind(
            "float",
            _edges(st.floats(width=32), float("nan"), float("inf"), float("-inf"), -0.0, 1e-45),
        ),
        Kind(
            "double",
            _edges(st.floats(), float("nan"), float("inf"), float("-inf"), -0.0, 5e-324),
        ),
        Kind("decimal(38,18)", _decimals(38, 18)),
        Kind("decimal(10,2)", _decimals(10, 2)),
        Kind("decimal(38,0)", _decimals(38, 0)),
        Kind(
            "string",
            _edges(_TEXT, "", "\0", "a\0b", "😀👩‍👩‍👧", "ǅ", "ß", "\u202e\ufeff", "\r\n'\"\\`"),
        ),
        Kind("binary", _edges(st.binary(max_size=12), b"", b"\0", b"\xff\xfe")),
        Kind("date", _edges(st.dates(), dt.date.min, dt.date.max, dt.date(1582, 10, 4))),
        Kind(
            "timestamp",
            # A day from both ends, so that every time zone's clock can show it.
            _edges(
                st.datetimes(dt.datetime(1, 1, 3), dt.datetime(9999, 12, 29)),
                dt.datetime(1, 1, 3),
                dt.datetime(9999, 12, 29),
                dt.datetime(1893, 3, 31, 23, 59, 59, 999_999),
                dt.datetime(1970, 1, 1),
                dt.datetime(2020, 3, 29, 3, 0),
                dt.datetime(2020, 10, 25, 2, 30),
            ),
        ),
        Kind(
            "timestamp_ntz",
            _edges(
                st.datetimes(), dt.datetime.min, dt.datetime.max, dt.datetime(2020, 3, 29, 2, 30)
            ),
        ),
        Kind("time(6)", _edges(st.times(), dt.time.min, dt.time.max)),
        Kind(
            "interval day to second",
            _edges(
                st.timedeltas(-_SPAN, _SPAN), -_SPAN, _SPAN, dt.timedelta(0), dt.timedelta(-1, 1, 1)
            ),
        ),
    )
}


def array_of(element: Kind) -> Kind:
    """Lists, empty ones and NULL elements included."""
    return Kind(f"array<{element.ddl}>", st.lists(st.none() | element.values, max_size=4))


def map_of(key: Kind, value: Kind) -> Kind:
    """Dicts; a key is never NULL."""
    values = st.dictionaries(key.values, st.none() | value.values, max_size=4)
    return Kind(f"map<{key.ddl},{value.ddl}>", values)


def struct_of(*parts: Kind) -> Kind:
    """Tuples; the fields' names are such as people choose, and such as they should not."""
    names = ("a", "select", "it's", "größe `x`")[: len(parts)]
    quoted = ["`" + name.replace("`", "``") + "`" for name in names]
    fields = ",".join(f"{name}:{part.ddl}" for name, part in zip(quoted, parts, strict=True))
    values = st.tuples(*(st.none() | part.values for part in parts))
    return Kind(f"struct<{fields}>", values)


# What Python can hash and Spark does not change: NaN and -0.0 are made one by Spark's maps.
KEYS = ("boolean", "int", "bigint", "decimal(10,2)", "string", "binary", "date", "timestamp_ntz")


@st.composite
def nested(draw: st.DrawFn, depth: int = 3) -> Kind:
    """A type with parts, up to ``depth`` levels of them."""
    shape = draw(st.sampled_from(["array", "map", "struct"]))
    inner = st.sampled_from(sorted(LEAVES)).map(LEAVES.__getitem__)
    if depth > 1:
        inner = nested(depth - 1) | inner
    if shape == "array":
        return array_of(draw(inner))
    if shape == "map":
        key = LEAVES[draw(st.sampled_from(KEYS))]
        if draw(st.booleans()):
            key = struct_of(key, LEAVES["string"])
        return map_of(key, draw(inner))
    return struct_of(*draw(st.lists(inner, min_size=1, max_size=4)))


def column(kind: Kind, *, rows: int = 40) -> st.SearchStrategy[list[Any]]:
    """A column's values: NULLs among them, at least one."""
    some = st.lists(st.none() | kind.values, min_size=rows // 2, max_size=rows)
    return some.map(lambda values: [*values, None])
