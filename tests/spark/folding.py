"""Aggregates as people write them, of which no built-in aggregate does the accumulating."""

from __future__ import annotations

import datetime as dt
import heapq
import math
from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, NamedTuple

import notebook_udf as nu


class Sample(NamedTuple):
    """An aggregate, the types of its arguments and of its result."""

    function: type[nu.AggregateFunction]
    given: tuple[str, ...]
    result: str
    # Whether rows in another order give the same, however they were split.
    any_order: bool


SAMPLES: dict[str, Sample] = {}


def sample(
    *given: str, result: str, any_order: bool = True
) -> Callable[[type[nu.AggregateFunction]], type[nu.AggregateFunction]]:
    def add(function: type[nu.AggregateFunction]) -> type[nu.AggregateFunction]:
        SAMPLES[function.__name__] = Sample(function, given, result, any_order)
        return function

    return add


@sample("bigint", result="array<bigint>")
class TopThree(nu.AggregateFunction):
    """A list that is sorted and cut."""

    def create_accumulator(self) -> Any:
        return []

    def accumulate(self, acc: Any, value: Any) -> None:
        if value is not None:
            acc.append(value)
            acc.sort(reverse=True)
            del acc[3:]

    def merge(self, acc: Any, others: Any) -> None:
        for other in others:
            acc.extend(other)
        acc[:] = heapq.nlargest(3, acc)

    def get_value(self, acc: Any) -> Any:
        return acc


@sample("bigint", result="array<bigint>")
class TopOfHeap(TopThree):
    """A heap of the largest."""

    def accumulate(self, acc: Any, value: Any) -> None:
        if value is None:
            return
        if len(acc) < 3:
            heapq.heappush(acc, value)
        elif value > acc[0]:
            heapq.heapreplace(acc, value)

    def merge(self, acc: Any, others: Any) -> None:
        for other in others:
            for value in other:
                self.accumulate(acc, value)

    def get_value(self, acc: Any) -> Any:
        return sorted(acc, reverse=True)


@sample("double", "string", result="string", any_order=False)
class BestNames(nu.AggregateFunction):
    """A list of tuples."""

    def create_accumulator(self) -> Any:
        return []

    def accumulate(self, acc: Any, score: Any, name: Any) -> None:
        acc.append((score or 0.0, name))
        self.cut(acc)

    def cut(self, acc: Any) -> None:
        acc.sort(key=lambda pair: -pair[0])
        del acc[2:]

    def merge(self, acc: Any, others: Any) -> None:
        for other in others:
            acc += other
        self.cut(acc)

    def get_value(self, acc: Any) -> Any:
        return ", ".join(f"{name}" for _, name in acc)


@dataclass
class Moments:
    """Count, mean, and the sum of squares around it."""

    count: int = 0
    mean: float = 0.0
    squares: float = 0.0


@sample("double", result="double")
class Variance(nu.AggregateFunction):
    """Welford's way, in a dataclass."""

    def create_accumulator(self) -> Moments:
        return Moments()

    def accumulate(self, acc: Moments, value: Any) -> None:
        if value is None:
            return
        acc.count += 1
        before = value - acc.mean
        acc.mean += before / acc.count
        acc.squares += before * (value - acc.mean)

    def merge(self, acc: Moments, others: Any) -> None:
        for other in others:
            if other.count == 0:
                continue
            count = acc.count + other.count
            apart = other.mean - acc.mean
            acc.mean += apart * other.count / count
            acc.squares += other.squares + apart**2 * acc.count * other.count / count
            acc.count = count

    def get_value(self, acc: Moments) -> float | None:
        return acc.squares / (acc.count - 1) if acc.count > 1 else None


@sample("double", result="double")
class Deviation(nu.AggregateFunction):
    """The same in a list of places that are known."""

    def create_accumulator(self) -> Any:
        return [0, 0.0, 0.0]

    def accumulate(self, acc: Any, value: Any) -> None:
        value = 0.5 if value is None else value
        acc[0] += 1
        before = value - acc[1]
        acc[1] += before / acc[0]
        acc[2] += before * (value - acc[1])

    def merge(self, acc: Any, others: Any) -> None:
        for count, mean, squares in others:
            own, middle, spread = acc
            if own + count:
                apart = mean - middle
                acc[0] = own + count
                acc[1] = middle + apart * count / (own + count)
                acc[2] = spread + squares + apart * apart * own * count / (own + count)

    def get_value(self, acc: Any) -> Any:
        count, _, squares = acc
        return math.sqrt(squares / count) if count else None


@sample("double", result="string")
class Settled(nu.AggregateFunction):
    """A slot that is a whole number first, and a float then."""

    def create_accumulator(self) -> Any:
        return {"total": 0, "most": None}

    def accumulate(self, acc: Any, value: Any) -> None:
        if value is not None and value > 2:
            acc["total"] += 0.25
            if acc["most"] is None or acc["most"] < value:
                acc["most"] = value

    def merge(self, acc: Any, others: Any) -> None:
        for other in others:
            acc["total"] += other["total"]
            if acc["most"] is None or (other["most"] or 0) > acc["most"]:
                acc["most"] = other["most"]

    def get_value(self, acc: Any) -> Any:
        return f"{acc['total']!r} {acc['most']!r}"


@sample("bigint", result="bigint")
class Mode(nu.AggregateFunction):
    """Counts in a dict."""

    def create_accumulator(self) -> Any:
        return {}

    def accumulate(self, acc: Any, value: Any) -> None:
        acc[value] = acc.get(value, 0) + 1

    def merge(self, acc: Any, others: Any) -> None:
        for other in others:
            for value, count in other.items():
                acc[value] = acc.get(value, 0) + count

    def get_value(self, acc: Any) -> Any:
        known = {value: count for value, count in acc.items() if value is not None}
        return max(known, key=lambda value: (known[value], value)) if known else None


@sample("bigint", result="string")
class TotalsOfRests(nu.AggregateFunction):
    """Sums in a dict, beyond 64 bits, and beside it what was taken."""

    def create_accumulator(self) -> Any:
        return {"totals": {}, "kept": []}

    def accumulate(self, acc: Any, value: Any) -> None:
        if value is not None:
            acc["totals"][value % 3] = acc["totals"].get(value % 3, 0) + value
            acc["kept"].append(value * 2)
            acc["kept"].sort()
            del acc["kept"][3:]

    def merge(self, acc: Any, others: Any) -> None:
        for other in others:
            for rest, total in other["totals"].items():
                acc["totals"][rest] = acc["totals"].get(rest, 0) + total
            acc["kept"].extend(other["kept"])
            acc["kept"].sort()
            del acc["kept"][3:]

    def get_value(self, acc: Any) -> Any:
        totals = ", ".join(f"{rest} {acc['totals'][rest]}" for rest in sorted(acc["totals"]))
        return f"{totals}: {acc['kept']}"


@sample("string", result="string", any_order=False)
class Commonest(nu.AggregateFunction):
    """The same in a Counter."""

    def create_accumulator(self) -> Any:
        return Counter()

    def accumulate(self, acc: Any, value: Any) -> None:
        acc[value] += 1

    def merge(self, acc: Any, others: Any) -> None:
        for other in others:
            acc.update(other)

    def get_value(self, acc: Any) -> Any:
        return acc.most_common(1)[0][0] if acc else None


@sample("string", "double", result="string")
class MeansByName(nu.AggregateFunction):
    """A dict of tuples."""

    def create_accumulator(self) -> Any:
        return {}

    def accumulate(self, acc: Any, name: Any, value: Any) -> None:
        if name is not None and value is not None:
            count, total = acc.get(name, (0, 0.0))
            acc[name] = (count + 1, total + value)

    def merge(self, acc: Any, others: Any) -> None:
        for other in others:
            for name, (count, total) in other.items():
                own, sum_ = acc.get(name, (0, 0.0))
                acc[name] = (own + count, sum_ + total)

    def get_value(self, acc: Any) -> Any:
        return ", ".join(f"{name} {acc[name][1] / acc[name][0]:.6f}" for name in sorted(acc))


@sample("string", result="bigint")
class Most(nu.AggregateFunction):
    """Counts in a defaultdict."""

    def create_accumulator(self) -> Any:
        return defaultdict(int)

    def accumulate(self, acc: Any, value: Any) -> None:
        acc[value] += 1

    def merge(self, acc: Any, others: Any) -> None:
        for other in others:
            for value, count in other.items():
                acc[value] += count

    def get_value(self, acc: Any) -> Any:
        return max(acc.values(), default=0)


@sample("bigint", result="array<bigint>")
class Histogram(nu.AggregateFunction):
    """A list of so many counts, whose places vary."""

    def create_accumulator(self) -> Any:
        return [0] * 10

    def accumulate(self, acc: Any, value: Any) -> None:
        acc[min(max((value or 0) // 10, 0), 9)] += 1

    def merge(self, acc: Any, others: Any) -> None:
        for other in others:
            for place, count in enumerate(other):
                acc[place] += count

    def get_value(self, acc: Any) -> Any:
        return acc


@sample("bigint", result="string")
class Sketch(nu.AggregateFunction):
    """More places than are known one by one, of which another list is made."""

    def create_accumulator(self) -> Any:
        return [0] * 64

    def accumulate(self, acc: Any, value: Any) -> None:
        acc[abs(value or 0).bit_length() % 64] += 1

    def merge(self, acc: Any, others: Any) -> None:
        for other in others:
            acc[:] = [one + more for one, more in zip(acc, other, strict=True)]

    def get_value(self, acc: Any) -> Any:
        return " ".join(f"{place}:{count}" for place, count in enumerate(acc) if count)


@dataclass
class Latest:
    """What was last, and when."""

    at: dt.datetime | None = None
    status: str = ""


@sample("timestamp", "string", result="string", any_order=False)
class LastStatus(nu.AggregateFunction):
    def create_accumulator(self) -> Latest:
        return Latest()

    def accumulate(self, acc: Latest, at: Any, status: Any) -> None:
        if at is not None and (acc.at is None or at >= acc.at):
            acc.at = at
            acc.status = status or "?"

    def merge(self, acc: Latest, others: Any) -> None:
        for other in others:
            self.accumulate(acc, other.at, other.status)

    def get_value(self, acc: Latest) -> str:
        return f"{acc.at}: {acc.status}"


@dataclass
class Extent:
    """What is least and most, with methods of its own."""

    low: dt.date | None = None
    high: dt.date | None = None
    seen: list[dt.date] = field(default_factory=list)

    def take(self, day: dt.date) -> None:
        self.low = day if self.low is None else min(self.low, day)
        self.high = day if self.high is None else max(self.high, day)

    @property
    def days(self) -> int | None:
        return None if self.low is None or self.high is None else (self.high - self.low).days


@sample("date", result="bigint")
class Days(nu.AggregateFunction):
    def create_accumulator(self) -> Extent:
        return Extent()

    def accumulate(self, acc: Extent, day: Any) -> None:
        if day is not None:
            acc.take(day)
            if len(acc.seen) < 2:
                acc.seen.append(day)

    def merge(self, acc: Extent, others: Any) -> None:
        for other in others:
            for day in (other.low, other.high):
                if day is not None:
                    acc.take(day)
            acc.seen = (acc.seen + other.seen)[:2]

    def get_value(self, acc: Extent) -> Any:
        return None if acc.days is None else acc.days * 10 + len(acc.seen)


@sample("timestamp_ntz", "double", result="array<string>")
class Recent(nu.AggregateFunction):
    """Tuples of a time and a value, the latest first."""

    def create_accumulator(self) -> Any:
        return []

    def accumulate(self, acc: Any, at: Any, value: Any) -> None:
        if at is not None:
            acc.append((at, value))
            acc.sort(key=lambda pair: pair[0], reverse=True)
            del acc[3:]

    def merge(self, acc: Any, others: Any) -> None:
        for other in others:
            acc.extend(other)
        acc.sort(key=lambda pair: pair[0], reverse=True)
        del acc[3:]

    def get_value(self, acc: Any) -> Any:
        return [f"{at:%Y-%m-%d %H:%M:%S}" for at, _ in acc]


@sample("decimal(10,2)", result="decimal(20,2)")
class Paid(nu.AggregateFunction):
    """Decimals above a limit."""

    def create_accumulator(self) -> Any:
        return {"total": Decimal(0), "count": 0}

    def accumulate(self, acc: Any, amount: Any) -> None:
        if amount is not None and amount > Decimal("1.00"):
            acc["total"] += amount
            acc["count"] += 1

    def merge(self, acc: Any, others: Any) -> None:
        for other in others:
            acc["total"] += other["total"]
            acc["count"] += other["count"]

    def get_value(self, acc: Any) -> Any:
        return round(acc["total"], 2) if acc["count"] else None


@sample("bigint", result="string")
class Product(nu.AggregateFunction):
    """Whole numbers beyond 64 bits."""

    def create_accumulator(self) -> Any:
        return [1]

    def accumulate(self, acc: Any, value: Any) -> None:
        acc[0] *= value or 3

    def merge(self, acc: Any, others: Any) -> None:
        for other in others:
            acc[0] *= other[0]

    def get_value(self, acc: Any) -> Any:
        return str(acc[0])


@sample("double", result="double")
class GeometricMean(nu.AggregateFunction):
    """A tuple, of which each method gives another."""

    def create_accumulator(self) -> Any:
        return (0, 0.0)

    def accumulate(self, acc: Any, value: Any) -> Any:
        count, total = acc
        return (count + 1, total + math.log(1.0 if value is None else 1.0 + abs(value)))

    def merge(self, acc: Any, others: Any) -> Any:
        for count, total in others:
            acc = (acc[0] + count, acc[1] + total)
        return acc

    def get_value(self, acc: Any) -> Any:
        return math.exp(acc[1] / acc[0]) if acc[0] else None


class Best(NamedTuple):
    """A tuple with names."""

    count: int = 0
    most: tuple[int, str] = (-1, "")


@sample("bigint", "string", result="string")
class BestName(nu.AggregateFunction):
    """The greatest of tuples, within a tuple with names."""

    def create_accumulator(self) -> Best:
        return Best()

    def accumulate(self, acc: Best, value: Any, name: Any) -> Best:
        if value is None or name is None:
            return acc
        return acc._replace(count=acc.count + 1, most=max(acc.most, (value * 4, name)))

    def merge(self, acc: Best, others: Any) -> Best:
        for other in others:
            acc = Best(acc.count + other.count, max(acc.most, other.most))
        return acc

    def get_value(self, acc: Best) -> str:
        value, name = acc.most
        return f"{acc.count}: {name} {value}"


@sample("bigint", result="bigint")
class Longest(nu.AggregateFunction):
    """A bare number."""

    def create_accumulator(self) -> int:
        return 0

    def accumulate(self, acc: int, value: Any) -> int:
        # The half of the least BIGINT has a negative that fits.
        return max(acc, abs((value or 0) // 2))

    def merge(self, acc: int, others: Any) -> int:
        return max([acc, *others])

    def get_value(self, acc: int) -> int:
        return acc


@sample("string", result="string", any_order=False)
class FirstFew(nu.AggregateFunction):
    """A list and a set side by side, up to a limit."""

    def create_accumulator(self) -> Any:
        return {"parts": [], "seen": set()}

    def accumulate(self, acc: Any, value: Any) -> None:
        if value and value not in acc["seen"] and len(acc["parts"]) < 5:
            acc["seen"].add(value)
            acc["parts"].append(value)

    def merge(self, acc: Any, others: Any) -> None:
        for other in others:
            for value in other["parts"]:
                self.accumulate(acc, value)

    def get_value(self, acc: Any) -> Any:
        return "|".join(acc["parts"])


class Squares:
    """A plain class, with attributes of its own."""

    def __init__(self) -> None:
        self.total = 0.0
        self.count = 0

    def add(self, value: float) -> None:
        self.total += value * value
        self.count += 1


@sample("double", result="double")
class RootMeanSquare(nu.AggregateFunction):
    def create_accumulator(self) -> Squares:
        return Squares()

    def accumulate(self, acc: Squares, value: Any) -> None:
        acc.add(value or 0.5)

    def merge(self, acc: Squares, others: Any) -> None:
        for other in others:
            acc.total += other.total
            acc.count += other.count

    def get_value(self, acc: Squares) -> Any:
        return math.sqrt(acc.total / acc.count) if acc.count else None


@sample("double", result="string")
class Highest(nu.AggregateFunction):
    """A Row with names."""

    def create_accumulator(self) -> Any:
        return nu.Row(high=None, count=0)

    def accumulate(self, acc: Any, value: Any) -> None:
        acc.count += 1
        if value is not None and (acc.high is None or value > acc.high):
            acc["high"] = value

    def merge(self, acc: Any, others: Any) -> None:
        for other in others:
            acc.count += other.count
            if other.high is not None and (acc.high is None or other.high > acc[0]):
                acc.high = other.high

    def get_value(self, acc: Any) -> Any:
        return f"{acc.high} of {acc.count}"
