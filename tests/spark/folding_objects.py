"""Aggregates whose accumulators are objects of classes of every make."""

from __future__ import annotations

import math
from bisect import insort
from collections import deque
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


@sample("double", result="double")
class GeometricMean(nu.AggregateFunction):
    """A dict of known keys, merged by a loop over them."""

    def create_accumulator(self) -> Any:
        return {"logs": 0.0, "count": 0}

    def accumulate(self, acc: Any, value: Any) -> None:
        if value is not None and value > 0:
            acc["logs"] += math.log(value)
            acc["count"] += 1

    def merge(self, acc: Any, others: Any) -> None:
        for other in others:
            for key in acc:
                acc[key] += other[key]

    def get_value(self, acc: Any) -> Any:
        return math.exp(acc["logs"] / acc["count"]) if acc["count"] else None


@sample("bigint", "bigint", result="string")
class Moments(nu.AggregateFunction):
    """A dict that is filled by the names of its keys."""

    names = ("n", "x", "y", "xx", "xy")

    def create_accumulator(self) -> Any:
        return dict.fromkeys(self.names, 0)

    def accumulate(self, acc: Any, x: Any, y: Any) -> None:
        if x is None or y is None:
            return
        for name, value in zip(self.names, (1, x, y, x * x, x * y)):  # noqa: B905
            acc[name] += value % 1009

    def merge(self, acc: Any, others: Any) -> None:
        for other in others:
            for name, value in other.items():
                acc[name] = acc[name] + value

    def get_value(self, acc: Any) -> Any:
        return ",".join(f"{name}={value}" for name, value in acc.items())


@sample("bigint", result="string")
class Remainders(nu.AggregateFunction):
    """A list of known places, by places that vary."""

    def create_accumulator(self) -> Any:
        return [0, 0, 0, -1]

    def accumulate(self, acc: Any, value: Any) -> None:
        if value is not None:
            acc[value % 3] += 1
            acc[-1] = max(acc[-1], value % 1000)

    def merge(self, acc: Any, others: Any) -> None:
        for other in others:
            for place in range(3):
                acc[place] += other[place]
            acc[3] = max(acc[3], other[3])

    def get_value(self, acc: Any) -> Any:
        return "/".join(map(str, acc))


@sample("double", result="double", any_order=False)
class MovingMaximum(nu.AggregateFunction):
    """The largest of the last five, in a deque."""

    def create_accumulator(self) -> Any:
        return deque()

    def accumulate(self, acc: Any, value: Any) -> None:
        if value is None:
            return
        acc.append(value)
        if len(acc) > 5:
            acc.popleft()

    def merge(self, acc: Any, others: Any) -> None:
        for other in others:
            for value in other:
                self.accumulate(acc, value)

    def get_value(self, acc: Any) -> Any:
        return max(acc) if acc else None


@sample("string", result="string", any_order=False)
class LastTexts(nu.AggregateFunction):
    """A deque of no more than two, which has one to begin with."""

    def create_accumulator(self) -> Any:
        return deque(["first"], maxlen=2)

    def accumulate(self, acc: Any, value: Any) -> None:
        if value:
            acc.append(value)

    def merge(self, acc: Any, others: Any) -> None:
        for other in others:
            acc.extend(other)

    def get_value(self, acc: Any) -> Any:
        return "+".join(acc)


@dataclass
class CoMoments:
    """Sums that are added in place, by an operator of the class."""

    n: int = 0
    x: float = 0.0
    y: float = 0.0
    xy: float = 0.0

    def __iadd__(self, other: CoMoments) -> CoMoments:
        self.n += other.n
        self.x += other.x
        self.y += other.y
        self.xy += other.xy
        return self


@sample("double", "double", result="double")
class Covariance(nu.AggregateFunction):
    def create_accumulator(self) -> Any:
        return CoMoments()

    def accumulate(self, acc: Any, x: Any, y: Any) -> None:
        if x is not None and y is not None:
            acc += CoMoments(1, x, y, x * y)

    def merge(self, acc: Any, others: Any) -> None:
        for other in others:
            acc += other

    def get_value(self, acc: Any) -> Any:
        return acc.xy / acc.n - acc.x / acc.n * (acc.y / acc.n) if acc.n else None


@sample("timestamp", "bigint", result="string")
class InOrderOfTime(nu.AggregateFunction):
    """A list of tuples that is kept in order."""

    def create_accumulator(self) -> Any:
        return []

    def accumulate(self, acc: Any, moment: Any, value: Any) -> None:
        if moment is not None and value is not None:
            insort(acc, (moment, value))

    def merge(self, acc: Any, others: Any) -> None:
        for other in others:
            acc += other
        acc.sort()

    def get_value(self, acc: Any) -> Any:
        return ",".join(str(value) for _, value in acc)


@sample("string", result="array<string>")
class SampleByHash(nu.AggregateFunction):
    """The texts of the least hashes, in tuples that are looked for among the others."""

    def create_accumulator(self) -> Any:
        return []

    def offer(self, acc: Any, entry: Any) -> None:
        if entry in acc:
            return
        insort(acc, entry)
        if len(acc) > 3:
            acc.pop()

    def accumulate(self, acc: Any, value: Any) -> None:
        if value is not None:
            number = 7
            for byte in value.encode():
                number = (number * 31 + byte) % 1009
            self.offer(acc, (number, value))

    def merge(self, acc: Any, others: Any) -> None:
        for other in others:
            for entry in other:
                self.offer(acc, entry)

    def get_value(self, acc: Any) -> Any:
        return [value for _, value in acc]
