"""The functions that every engine runs, by rows, by Arrow columns and by pandas columns.

Nothing here knows an engine. Rows are in ``rows``, plain Python's answers in ``plain``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

Answer = list[int | float | str]
Kind = Literal["scalar", "table", "aggregate"]

# Weights are in kilograms, rates in cents.
RATES = {"DE": 490, "FR": 690, "IT": 790, "US": 1290}
ELSEWHERE = 1590
GROUPS = 1_000


@dataclass(frozen=True)
class Case:
    """A function in its three forms, and the rows it gets.

    ``columns`` are its parameters by their types, ``result`` is the type of what it returns, both
    as Spark spells them. ``by_row`` of a table function yields rows; ``by_arrow`` returns a list
    for each row there, and ``by_pandas`` all rows one below the other.
    """

    name: str
    title: str
    kind: Kind
    rows: int
    columns: Mapping[str, str]
    result: str
    by_row: Callable[..., Any]
    by_arrow: Callable[..., Any]
    by_pandas: Callable[..., Any]

    @property
    def aggregate(self) -> str:
        """What the results, in a column ``r``, come to in SQL: the answer that is compared."""
        numbers = {
            ("scalar", True): "count(*), sum(length(r)), min(r), max(r)",
            ("table", True): "count(*), sum(length(r)), min(r), max(r)",
        }
        return numbers.get((self.kind, self.result == "string"), "count(*), sum(r)")


def product(a: int, b: int) -> int:
    return a * b + 1


def product_arrow(a: Any, b: Any) -> Any:
    import pyarrow.compute as pc

    return pc.add_checked(pc.multiply_checked(a, b), 1)


def product_pandas(a: Any, b: Any) -> Any:
    return a * b + 1


def shout(s: str) -> str:
    return s.upper()[::-1]


def shout_arrow(s: Any) -> Any:
    import pyarrow.compute as pc

    return pc.utf8_reverse(pc.utf8_upper(s))


def shout_pandas(s: Any) -> Any:
    return s.str.upper().str[::-1]


def shipping(country: str, weight: int, express: bool) -> int:
    cents = RATES[country] if country in RATES else ELSEWHERE  # noqa: SIM401
    if weight > 20:
        cents += (weight - 20) * 35
    elif weight < 2:
        cents -= 100
    if express:
        return cents * 2
    return cents


def shipping_arrow(country: Any, weight: Any, express: Any) -> Any:
    import pyarrow as pa
    import pyarrow.compute as pc

    rates = pa.array([*RATES.values(), ELSEWHERE], pa.int64())
    known = pc.index_in(country, pa.array([*RATES], country.type))
    cents = rates.take(pc.fill_null(known, len(RATES)))
    heavy = pc.add(cents, pc.multiply(pc.subtract(weight, 20), 35))
    light = pc.subtract(cents, 100)
    cents = pc.if_else(pc.greater(weight, 20), heavy, pc.if_else(pc.less(weight, 2), light, cents))
    return pc.if_else(express, pc.multiply(cents, 2), cents)


def shipping_pandas(country: Any, weight: Any, express: Any) -> Any:
    cents = country.map(RATES).fillna(ELSEWHERE).astype("int64")
    light = (cents - 100).where(weight < 2, cents)
    cents = (cents + (weight - 20) * 35).where(weight > 20, light)
    return (cents * 2).where(express, cents)


def mean(v: list[float]) -> float:
    return sum(v) / len(v)


def mean_arrow(v: Any) -> Any:
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    rows = pc.list_parent_indices(v).to_numpy(zero_copy_only=False)
    sums = np.bincount(rows, weights=pc.list_flatten(v).to_numpy(zero_copy_only=False))
    return pa.array(sums / pc.list_value_length(v).to_numpy(zero_copy_only=False))


def mean_pandas(v: Any) -> Any:
    import numpy as np

    return v.map(np.mean)


def split_text(s: str) -> Iterator[str]:
    for word in s.split(" "):  # noqa: UP028
        yield word


def split_text_arrow(s: Any) -> Any:
    import pyarrow.compute as pc

    return pc.split_pattern(s, " ")


def split_text_pandas(s: Any) -> Any:
    return s.str.split(" ").explode()


def weighted_mean(values: list[float], weights: list[float]) -> float:
    total = sum(value * weight for value, weight in zip(values, weights, strict=True))
    return total / sum(weights)


def weighted_mean_arrow(v: Any, w: Any) -> float:
    import pyarrow.compute as pc

    return float(pc.sum(pc.multiply(v, w)).as_py() / pc.sum(w).as_py())


def weighted_mean_pandas(v: Any, w: Any) -> float:
    return float((v * w).sum() / w.sum())


CASES = {
    case.name: case
    for case in (
        Case("product", "BIGINT a*b+1", "scalar", 4_000_000, {"a": "bigint", "b": "bigint"},
             "bigint", product, product_arrow, product_pandas),
        Case("text", "STRING s.upper()[::-1]", "scalar", 2_000_000, {"s": "string"},
             "string", shout, shout_arrow, shout_pandas),
        Case("ordinary", "Branches and a dict", "scalar", 2_000_000,
             {"country": "string", "weight": "bigint", "express": "boolean"},
             "bigint", shipping, shipping_arrow, shipping_pandas),
        Case("array", "Mean of an array<double>", "scalar", 500_000, {"v": "array<double>"},
             "double", mean, mean_arrow, mean_pandas),
        Case("table", "A text split into 4 rows", "table", 500_000, {"s": "string"},
             "string", split_text, split_text_arrow, split_text_pandas),
        Case("aggregate", "Weighted mean in 1,000 groups", "aggregate", 2_000_000,
             {"v": "double", "w": "double"},
             "double", weighted_mean, weighted_mean_arrow, weighted_mean_pandas),
    )
}  # fmt: skip
