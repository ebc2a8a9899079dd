"""Aggregates whose accumulators are objects of classes of every make."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import notebook_udf as nu
from tests.spark.folding import SAMPLES, sample

__all__ = ["SAMPLES"]


class Lowest:
    """Slots, one of them private."""

    __slots__ = ("__low", "count", "total")

    def __init__(self) -> None:
        self.count = 0
        self.total = 0.0
        self.__low: float | None = None

    def add(self, value: float) -> None:
        self.count += 1
        self.total += value
        if self.__low is None or value < self.__low:
            self.__low = value

    def join(self, other: Lowest) -> None:
        self.count += other.count
        self.total += other.total
        low = other.low()
        if low is not None and (self.__low is None or low < self.__low):
            self.__low = low

    def low(self) -> float | None:
        return self.__low


@sample("double", result="double")
class AboveLowest(nu.AggregateFunction):
    def create_accumulator(self) -> Any:
        return Lowest()

    def accumulate(self, acc: Any, value: Any) -> None:
        if value is not None:
            acc.add(value)

    def merge(self, acc: Any, others: Any) -> None:
        for other in others:
            acc.join(other)

    def get_value(self, acc: Any) -> Any:
        return acc.total / acc.count - acc.low() if acc.count else None


class Counted:
    def __init__(self) -> None:
        self.count = 0
        self.last = ""

    def add(self, how_many: int) -> None:
        self.count += how_many


class CountedTexts(Counted):
    """A method and the attributes of a class that it is made of."""

    def take(self, text: str) -> None:
        self.add(1)
        self.last = max(self.last, text)


@sample("string", result="string")
class LastText(nu.AggregateFunction):
    def create_accumulator(self) -> Any:
        return CountedTexts()

    def accumulate(self, acc: Any, value: Any) -> None:
        if value is not None:
            acc.take(value)

    def merge(self, acc: Any, others: Any) -> None:
        for other in others:
            acc.add(other.count)
            acc.last = max(acc.last, other.last)

    def get_value(self, acc: Any) -> Any:
        return f"{acc.last}:{acc.count}"


@dataclass(slots=True)
class Range:
    low: int | None = None
    high: int | None = None


@sample("bigint", result="bigint")
class Width(nu.AggregateFunction):
    """A dataclass with slots."""

    def create_accumulator(self) -> Any:
        return Range()

    def accumulate(self, acc: Any, value: Any) -> None:
        if value is None:
            return
        acc.low = value if acc.low is None else min(acc.low, value)
        acc.high = value if acc.high is None else max(acc.high, value)

    def merge(self, acc: Any, others: Any) -> None:
        for other in others:
            self.accumulate(acc, other.low)
            self.accumulate(acc, other.high)

    def get_value(self, acc: Any) -> Any:
        return None if acc.low is None else acc.high // 2 - acc.low // 2
