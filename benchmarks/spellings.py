"""What people write as an aggregate: a weighted mean in five ways, and three that are no sums.

The means are annotated with no types: values and weights come as their columns are.
"""

from __future__ import annotations

import heapq
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

import notebook_udf as nu


class OfList(nu.AggregateFunction):
    """Slots of a list."""

    def create_accumulator(self) -> list[Any]:
        return [0, 0]

    def accumulate(self, accumulator: list[Any], value: Any, weight: Any) -> None:
        accumulator[0] += value * weight
        accumulator[1] += weight

    def merge(self, accumulator: list[Any], accumulators: list[list[Any]]) -> None:
        for other in accumulators:
            accumulator[0] += other[0]
            accumulator[1] += other[1]

    def get_value(self, accumulator: list[Any]) -> Any:
        return accumulator[0] / accumulator[1] if accumulator[1] else None


@dataclass
class Sums:
    """What ``OfDataclass`` keeps."""

    total: Any = 0
    weight: Any = 0


class OfDataclass(nu.AggregateFunction):
    """Attributes of a dataclass."""

    def create_accumulator(self) -> Sums:
        return Sums()

    def accumulate(self, sums: Sums, value: Any, weight: Any) -> None:
        sums.total += value * weight
        sums.weight += weight

    def merge(self, sums: Sums, others: list[Sums]) -> None:
        sums.total += sum(other.total for other in others)
        sums.weight += sum(other.weight for other in others)

    def get_value(self, sums: Sums) -> Any:
        if sums.weight == 0:
            return None
        return sums.total / sums.weight


class OfDict(nu.AggregateFunction):
    """Keys of a dict."""

    def create_accumulator(self) -> dict[str, Any]:
        return {"total": 0, "weight": 0}

    def accumulate(self, accumulator: dict[str, Any], value: Any, weight: Any) -> None:
        accumulator["total"] = accumulator["total"] + value * weight
        accumulator["weight"] = accumulator["weight"] + weight

    def merge(self, accumulator: dict[str, Any], accumulators: list[dict[str, Any]]) -> None:
        for other in accumulators:
            for key in ("total", "weight"):
                accumulator[key] += other[key]

    def get_value(self, accumulator: dict[str, Any]) -> Any:
        weight = accumulator["weight"]
        return accumulator["total"] / weight if weight != 0 else None


class OfRow(nu.AggregateFunction):
    """Positions of a ``Row``."""

    def create_accumulator(self) -> Any:
        return nu.Row(0, 0)

    def accumulate(self, accumulator: Any, value: Any, weight: Any) -> None:
        accumulator[0] += value * weight
        accumulator[1] += weight

    def merge(self, accumulator: Any, accumulators: list[Any]) -> None:
        for total, weight in accumulators:
            accumulator[0] += total
            accumulator[1] += weight

    def get_value(self, accumulator: Any) -> Any:
        total, weight = accumulator
        return total / weight if weight else None


class WithChecks(nu.AggregateFunction):
    """Rows with a None are left out."""

    def create_accumulator(self) -> list[Any]:
        return [0, 0]

    def accumulate(self, accumulator: list[Any], value: Any, weight: Any) -> None:
        if value is None or weight is None:
            return
        accumulator[0] += value * weight
        accumulator[1] += weight

    def merge(self, accumulator: list[Any], accumulators: list[list[Any]]) -> None:
        for other in accumulators:
            for place, part in enumerate(other):
                accumulator[place] += part

    def get_value(self, accumulator: list[Any]) -> Any:
        if not accumulator[1]:
            return None
        return accumulator[0] / accumulator[1]


class Median(nu.AggregateFunction):
    """All values, in a list."""

    def create_accumulator(self) -> list[int]:
        return []

    def accumulate(self, accumulator: list[int], value: int) -> None:
        accumulator.append(value)

    def merge(self, accumulator: list[int], accumulators: list[list[int]]) -> None:
        for other in accumulators:
            accumulator.extend(other)

    def get_value(self, accumulator: list[int]) -> float | None:
        return statistics.median(accumulator) if accumulator else None


class TopThree(nu.AggregateFunction):
    """The largest three values, in order."""

    def create_accumulator(self) -> list[int]:
        return []

    def accumulate(self, accumulator: list[int], value: int) -> None:
        accumulator.append(value)
        accumulator.sort(reverse=True)
        del accumulator[3:]

    def merge(self, accumulator: list[int], accumulators: list[list[int]]) -> None:
        for other in accumulators:
            accumulator.extend(other)
        accumulator[:] = heapq.nlargest(3, accumulator)

    def get_value(self, accumulator: list[int]) -> list[int]:
        return accumulator


class Distinct(nu.AggregateFunction):
    """How many values differ, by a set."""

    def create_accumulator(self) -> set[int]:
        return set()

    def accumulate(self, accumulator: set[int], value: int) -> None:
        accumulator.add(value)

    def merge(self, accumulator: set[int], accumulators: list[set[int]]) -> None:
        for other in accumulators:
            accumulator |= other

    def get_value(self, accumulator: set[int]) -> int:
        return len(accumulator)


MEANS: dict[str, type[nu.AggregateFunction]] = {
    "list": OfList,
    "dataclass": OfDataclass,
    "dict": OfDict,
    "Row": OfRow,
    "None checks": WithChecks,
}
# Beside the type of their result.
OTHERS: dict[str, tuple[type[nu.AggregateFunction], str]] = {
    "median in a list": (Median, "double"),
    "top 3": (TopThree, "array<bigint>"),
    "distinct in a set": (Distinct, "bigint"),
}


def by_hand() -> dict[str, Any]:
    """The same of Spark's Arrow aggregates, of columns; those of ``OTHERS`` by their names."""
    from pyspark.sql.functions import arrow_udf

    def mean(v: pa.Array, w: pa.Array) -> float:
        return float(pc.sum(pc.multiply(v, w)).as_py() / pc.sum(w).as_py())

    def median(v: pa.Array) -> float:
        return float(pc.quantile(v, 0.5)[0].as_py())

    def top(v: pa.Array) -> Sequence[int]:
        found: list[int] = v.take(pc.select_k_unstable(v, 3, [("v", "descending")])).to_pylist()
        return found

    def distinct(v: pa.Array) -> int:
        return int(pc.count_distinct(v).as_py())

    functions = {"median in a list": median, "top 3": top, "distinct in a set": distinct}
    return {
        "mean": arrow_udf(mean, "double"),
        **{name: arrow_udf(functions[name], kind) for name, (_, kind) in OTHERS.items()},
    }
