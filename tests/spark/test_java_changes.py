"""Lists, dicts and objects that a function changes: in the JVM they are left as in Python."""

from __future__ import annotations

import dataclasses
import heapq
import random
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any, NamedTuple

import pytest
from pyspark.sql.types import (
    ArrayType,
    DataType,
    DateType,
    DoubleType,
    LongType,
    StringType,
)

from notebook_udf.compile.java.java_class import translate
from notebook_udf.compile.java.writing.terms import NotCompiled
from tests.spark.java_calls import Java, answered_alike

LONG, TEXT = LongType(), StringType()
WHOLES, TEXTS, REALS = ArrayType(LONG), ArrayType(TEXT), ArrayType(DoubleType())


def pushed(v: list[int]) -> list[int]:
    heap: list[int] = []
    for each in v:
        heapq.heappush(heap, each)
    return heap


def popped(v: list[int]) -> list[int]:
    heap = list(v)
    heapq.heapify(heap)
    made = []
    while len(heap) > 2:
        made.append(heapq.heappop(heap))
    return made + heap


def largest(v: list[int], n: int) -> list[int]:
    heap: list[int] = []
    for each in v:
        if len(heap) < n:
            heapq.heappush(heap, each)
        elif each > heap[0]:
            heapq.heapreplace(heap, each)
    return sorted(heap, reverse=True)


def pushed_and_popped(v: list[float]) -> list[float]:
    heap = [1.5]
    left = [heapq.heappushpop(heap, each) for each in v]
    return left + heap


def popped_of_none(v: list[int]) -> int:
    heap = list(v)
    try:
        return heapq.heappop(heap)
    except IndexError:
        return -1


def in_order_of_pairs(v: list[str]) -> list[str]:
    heap: list[tuple[int, str]] = []
    for each in v:
        heapq.heappush(heap, (len(each), each))
    return [heapq.heappop(heap)[1] for _ in range(len(heap))]


def without_the_rest(v: list[int], n: int) -> list[int]:
    kept = list(v)
    del kept[n:]
    return kept


def without_one(v: list[int], n: int) -> list[int]:
    kept = list(v)
    del kept[n]
    return kept


def with_others(v: list[int], n: int) -> list[int]:
    kept = list(v)
    kept[n:-1] = [n, *kept]
    return kept


def turned_in_place(v: list[int], n: int) -> list[int]:
    kept = list(v)
    kept[:] = kept[::-1]
    kept[:0] = (n,)
    return kept


def without_a_key(v: list[str]) -> list[str]:
    counts: dict[str, int] = {}
    for each in v:
        counts[each] = counts.get(each, 0) + 1
    del counts["a"]
    last = counts.pop("b", 0)
    if last > 1:
        counts.clear()
    counts["rest"] = last
    return [f"{key}{n}" for key, n in counts.items()]


def counted_twice(v: list[str]) -> list[str]:
    counts = Counter(v)
    more: defaultdict[str, int] = defaultdict(int)
    for each in v:
        more[each[:1]] += 2
    counts.update(more)
    counts.update(counts)
    counts.update(["z", "z"])
    return [f"{key}{n}" for key, n in counts.most_common()]


def doubled(v: list[int]) -> list[int]:
    kept = list(v)
    kept.extend(kept)
    return kept


@dataclass
class Run:
    """A run of values that rise."""

    length: int = 0
    longest: int = 0
    last: int | None = None

    def take(self, value: int) -> None:
        self.length = self.length + 1 if self.last is not None and value > self.last else 1
        self.longest = max(self.longest, self.length)
        self.last = value

    @property
    def said(self) -> str:
        return f"{self.longest} to {self.last}"


def longest_run(v: list[int]) -> str:
    run = Run()
    for each in v:
        run.take(each)
    same = run
    same.longest += 1
    return f"{run.said}, {run is same}"


def by_its_methods_alone(v: list[int]) -> str:
    run = Run()
    for each in v:
        run.take(each)
    return run.said


@dataclass
class Stack:
    """Whose methods call each other, and give the object itself."""

    depth: int = 0
    top: int = 0

    def push(self, value: int) -> Stack:
        self.depth += 1
        self.top = value
        return self

    def push_all(self, values: list[int]) -> None:
        for each in values:
            self.push(each)


def stack_of(depth: int) -> Stack:
    return Stack(depth)


def stacked(v: list[int]) -> str:
    stack = stack_of(len(v))
    same = stack
    stack.push_all([x % 9 for x in v])
    stacks = [Stack(), Stack(5)]
    for each in stacks:
        each.push(9)
    said = f"{stacks[0].depth} {stacks[1].depth} {same.depth} {same.top}"
    return f"{said} {stack.push(5).push(7).depth}"


def in_a_list(v: list[int]) -> list[int]:
    runs = [Run(), Run(3)]
    for each in v:
        run = runs[0] if each % 2 else runs[1]
        run.length += each
        run.longest = max(run.longest, each)
    return [part for run in runs for part in (run.length, run.longest)]


def parts(text: str, sep: str = ",") -> Iterator[tuple[str, str]]:
    for part in text.split(sep):
        key, found, value = part.partition("=")
        if found:
            yield key.strip(), value


def chosen(v: str) -> list[str]:
    made = [f"{value}:{key}" for key, value in parts(v) if key]
    for key, value in parts(v, ";"):
        made.append(key + value)
    return made


def summed(v: str) -> int:
    total = 0
    for _, value in parts(v):
        total += int(value)
    return total


def as_dict(v: str) -> list[str]:
    return [*dict(parts(v))]


def spread(v: list[date]) -> list[int]:
    ordered = sorted(v, reverse=True)
    return [(ordered[0] - min(v)).days, (max(v) - ordered[-1]).days]


WHOLE_LISTS = [([],), ([3],), ([2, 1],), ([5, 3, 5, 1, 4, 1, 2**63 - 1],), ([1, None, 2],)]
PLACES = [([1, 2, 3, 4], n) for n in (0, 1, 3, 4, 9, -1, -4, -9)] + [([], 0), ([7], -1)]
WORDS = [([],), (["a"],), (["a", "b", "b", "ab"],), (["b", "a", "c", "a"],), (["a", "b"],)]
PAIRED = [("",), ("a=1",), ("a=1, b=2,c=,=4",), ("x,y=5;z=6",), ("n=1,n=2",)]

CASES: list[tuple[Callable[..., Any], list[DataType], DataType, list[tuple[Any, ...]]]] = [
    (pushed, [WHOLES], WHOLES, WHOLE_LISTS),
    (popped, [WHOLES], WHOLES, WHOLE_LISTS),
    (largest, [WHOLES, LONG], WHOLES, PLACES),
    (pushed_and_popped, [REALS], REALS, [([],), ([2.0, -1.0, float("nan"), 1.5, 0.0],)]),
    (popped_of_none, [ArrayType(LONG, False)], LONG, [([],), ([2, 1],)]),
    (in_order_of_pairs, [TEXTS], TEXTS, WORDS),
    (without_the_rest, [WHOLES, LONG], WHOLES, PLACES),
    (without_one, [WHOLES, LONG], WHOLES, PLACES),
    (with_others, [WHOLES, LONG], WHOLES, PLACES),
    (turned_in_place, [WHOLES, LONG], WHOLES, PLACES),
    (without_a_key, [TEXTS], TEXTS, WORDS),
    (counted_twice, [TEXTS], TEXTS, WORDS),
    (doubled, [WHOLES], WHOLES, WHOLE_LISTS[:-1]),
    (longest_run, [WHOLES], TEXT, WHOLE_LISTS),
    (by_its_methods_alone, [WHOLES], TEXT, WHOLE_LISTS),
    (stacked, [WHOLES], TEXT, WHOLE_LISTS),
    (in_a_list, [WHOLES], WHOLES, WHOLE_LISTS),
    (chosen, [TEXT], TEXTS, PAIRED),
    (summed, [TEXT], LONG, PAIRED),
    (as_dict, [TEXT], TEXTS, PAIRED),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case[0].__name__)
def test_what_is_changed_is_left_as_in_python(java: Java, case: Any) -> None:
    function, types, result, rows = case
    assert answered_alike(java, function, types, result, rows) > 0


def test_heaps_compare_what_python_compares(java: Java) -> None:
    chance = random.Random(8)

    def value() -> float:
        return chance.choice([float("nan"), 1.0, chance.random()])

    rows = [([value() for _ in range(chance.randrange(40))],) for _ in range(200)]
    assert answered_alike(java, pushed, [REALS], REALS, rows) == 200
    assert answered_alike(java, popped, [REALS], REALS, rows) == 200


def test_days_in_order(java: Java) -> None:
    first = date(2024, 1, 1)

    def of(start: date, step: int) -> list[int]:
        return spread([start + timedelta(days=step * n) for n in (3, -1, 2)])

    rows = [(first, step) for step in (0, 1, -5)]
    assert answered_alike(java, of, [DateType(), LONG], WHOLES, rows) == 3


def left_early(v: str) -> str:
    for key, _ in parts(v):
        return key
    return ""


def every_other(v: list[int]) -> list[int]:
    kept = list(v)
    del kept[::2]
    return kept


def gone_through_while_it_changes(v: list[int]) -> int:
    run = Run()
    for run.length in v:
        run.longest += run.length
    return run.longest


@dataclass
class Watched:
    value: int = 0

    def __setattr__(self, name: str, value: Any) -> None:
        super().__setattr__(name, value * 2)


def watched(v: int) -> int:
    made = Watched()
    made.value = v
    return made.value


@pytest.mark.parametrize(
    ("function", "given", "result", "why"),
    [
        (left_early, TEXT, TEXT, "a generator in a loop that may end before it does"),
        (every_other, WHOLES, WHOLES, "every so manyth"),
        (watched, LONG, LONG, "Watched"),
        (lambda n: dataclasses.replace(Window(n), size=1).start, LONG, LONG, "does not fit it"),
        (lambda n: dataclasses.replace(Pair(n), count=1).count, LONG, LONG, "no dataclass"),
    ],
)
def test_what_is_left_to_python(
    function: Callable[..., Any], given: DataType, result: DataType, why: str
) -> None:
    with pytest.raises(NotCompiled, match=why):
        translate(function, [given], result)


def test_an_attribute_set_by_a_loop(java: Java) -> None:
    assert answered_alike(java, gone_through_while_it_changes, [WHOLES], LONG, WHOLE_LISTS) > 0


class Pair(NamedTuple):
    """A value and its place."""

    value: int
    count: int = 0

    def more(self) -> Pair:
        return self._replace(count=self.count + 1)


def best(v: list[int]) -> str:
    found, count = (float("-inf"), -1), 0
    for place, value in enumerate(v):
        found = max(found, (value * 1.0, place))
        count += sum(each.count for each in [Pair(0), Pair(2, 5)] if each.value < value)
    return f"{found[1]} {count}"


def replaced_in_turn(v: list[int]) -> list[int]:
    pair = Pair(value=0)
    for value in v:
        pair = pair._replace(value=value)
        pair = pair.more()
    return [part for each in [pair, Pair(1, 2)] for part in (each.count, each.value)]


@dataclass(frozen=True)
class Window:
    start: int
    end: int = 9
    name: str = "w"

    def later(self, by: int) -> Window:
        return dataclasses.replace(self, start=self.start + by, end=self.end + by)


def windows(v: list[int]) -> str:
    found = Window(v[0])
    for each in v:
        found = found.later(each % 7)
        if each > found.start:
            found = dataclasses.replace(found, name=f"{found.name}{each % 10}")
    return f"{found.start}-{found.end} {dataclasses.replace(found).name}"


def runs_apart(v: list[int]) -> str:
    run = Run(len(v))
    other = dataclasses.replace(run, last=v[0])
    run.length += 1
    other.take(v[-1])
    return f"{run.length} {run.said} {other.length} {other.said}"


@pytest.mark.parametrize("function", [windows, runs_apart])
def test_copies_with_other_fields(java: Java, function: Callable[..., Any]) -> None:
    rows = [row for row in WHOLE_LISTS if None not in row[0]]
    assert answered_alike(java, function, [WHOLES], TEXT, rows) == sum(bool(v) for (v,) in rows)


@pytest.mark.parametrize("function", [best, replaced_in_turn])
def test_tuples_with_names(java: Java, function: Callable[..., Any]) -> None:
    result = TEXT if function is best else WHOLES
    rows = [row for row in WHOLE_LISTS if None not in row[0]]
    assert answered_alike(java, function, [WHOLES], result, rows) == len(rows)


def items_that_change(n: int) -> str:
    d, seen = {"a": n}, []
    d["b"] = 2
    for k, v in d.items():
        d["b"] = v * 10
        seen.append(f"{k}{v}")
    for v in d.values():
        d["b"] = v + 1
        seen.append(str(v))
    for k in d:
        d[k] = d[k] * 2 + d["b"]
        seen.append(f"{k}{d[k]}")
    for (k, v), w in zip(d.items(), d.values()):  # noqa: B905
        d["b"] = w + 100
        seen.append(f"{k}{v}{w}")
    return ",".join(seen)


def a_dict_that_grows(n: int) -> int:
    d = {}
    d["a"] = n
    for k in d:
        if n > 3:
            d["c"] = len(k)
    return len(d)


def totals(v: list[int]) -> str:
    """A dict and a list of known places, gone through and set by keys that vary."""
    counts = [0, 0, 0]
    for each in v:
        counts[each % 3] += 1
        counts[-1] += each
    for i in range(len(counts)):
        counts[i] = counts[i] * 2
    seen = sum(x for x in counts)
    return f"{seen} {counts[0]} {counts[-1]}"


@pytest.mark.parametrize("function", [items_that_change, a_dict_that_grows])
def test_a_dict_is_gone_through_as_it_is_now(java: Java, function: Callable[..., Any]) -> None:
    result = LONG if function is a_dict_that_grows else TEXT
    rows = [(n,) for n in (1, 3, 5, 2**62, -7)]
    answered = answered_alike(java, function, [LONG], result, rows)
    # Python raises for the one that has grown.
    assert answered == (3 if function is a_dict_that_grows else 5)


def test_lists_whose_places_vary(java: Java) -> None:
    rows = [row for row in WHOLE_LISTS if None not in row[0]]
    assert answered_alike(java, totals, [WHOLES], TEXT, rows) == len(rows)
