"""Iterators, what is unpacked, dicts put together and getters, in the JVM as in Python."""

# What is called here is what is asked about, whatever else it could be written as.
# ruff: noqa: B007, B031, B905, C406, C408, C417, RUF015

from __future__ import annotations

import bisect
import collections
import functools
import itertools
import operator
import random
from collections.abc import Callable
from typing import Any, NamedTuple

import pytest
from pyspark.sql.types import ArrayType, BooleanType, DataType, DoubleType, LongType, StringType

import notebook_udf as nu
from notebook_udf.compile.java.java_class import translate
from notebook_udf.compile.java.writing.terms import NotCompiled
from tests.spark.java_calls import Java, answered_alike

LONG, DOUBLE, TEXT, BOOLEAN = LongType(), DoubleType(), StringType(), BooleanType()
REALS, WHOLES, TEXTS = ArrayType(DOUBLE), ArrayType(LONG), ArrayType(TEXT)
FLAGS = ArrayType(BOOLEAN)
VALUES: dict[type[DataType], tuple[Any, ...]] = {
    DoubleType: (0.0, -0.0, 1.0, 0.1, -1.5, float("inf"), float("nan"), 1e308, 2.0**53),
    LongType: (0, 1, 1, 2, 2, 3, 4, -1, -1, 7, 2**62, 2**63 - 1, -(2**63)),
    BooleanType: (True, False),
    StringType: (
        "",
        "a",
        "b",
        "aab",
        "a b",
        "b  a c",
        "ß",
        "😀😀a",
        "1",
        "12,3",
        "3,4,5,6",
        "x1y22",
    ),
}


def value(chance: random.Random, kind: DataType, lacking: float = 0.0) -> Any:
    if chance.random() < lacking:
        return None
    if isinstance(kind, ArrayType):
        lacking = 0.2 if chance.random() < 0.25 else 0.0
        count = chance.choice((0, 1, 2, 3, 4, 6, 9))
        return [value(chance, kind.elementType, lacking) for _ in range(count)]
    return chance.choice(VALUES[type(kind)])


CASES: list[tuple[Callable[..., Any], list[DataType], DataType]] = []


def case(result: DataType, *types: DataType) -> Callable[[Any], Any]:
    """A function of columns of these types."""

    def add(function: Any) -> Any:
        CASES.append((function, list(types), result))
        return function

    return add


class Pair(NamedTuple):
    x: int
    y: int


PRICES = {(1, "a"): 5, (2, "b"): 6, (1, "b"): -1}
GRADES = (0, 3, 5)
zip_longest = itertools.zip_longest
FIRST = operator.itemgetter(0)


@case(TEXT, TEXT)
def head_and_rest(s: Any) -> Any:
    head, *rest = s.split(",")
    rest.append(head)
    return "|".join(rest) + str(len(rest))


@case(TEXT, TEXT)
def rest_in_the_middle(s: Any) -> Any:
    first, *middle, last = s.split(",")
    return f"{first};{last};{''.join(middle)}"


@case(TEXT, TEXT)
def rest_of_letters(s: Any) -> Any:
    *most, last = s
    return last + "".join(most)


@case(LONG, WHOLES)
def rest_of_a_map(v: Any) -> Any:
    first, second, *rest = map(lambda x: 12 // x, v)
    return first * 100 + second + len(rest)


@case(WHOLES, WHOLES)
def rests_in_a_loop(v: Any) -> Any:
    found = []
    for head, *rest in [(1, 2, 3), (4, 5, 6)]:
        rest.append(len(v))
        found.append(head + sum(rest))
    return found


@case(LONG, TEXTS)
def rests_of_rows(v: Any) -> Any:
    return sum([len(rest) for _, *rest in [t.split(",") for t in v]])


@case(WHOLES, WHOLES)
def stars(v: Any) -> Any:
    return [*v, 5, *v[:1], *(1, 2)]


@case(LONG, WHOLES)
def stars_in_a_tuple(v: Any) -> Any:
    whole = (*v, 7)
    return whole[0] * 2 + len(whole)


@case(TEXT, TEXT, LONG)
def called_with_a_tuple(s: Any, n: Any) -> Any:
    parts = (s, n)
    joined = lambda one, other: f"{one}-{other}"  # noqa: E731
    return joined(*parts) + "{}{}".format(*parts)


@case(LONG, WHOLES)
def first_and_others(v: Any) -> Any:
    it = iter(v)
    first = next(it)
    return first % 1000 + sum(x % 100 for x in it)


@case(WHOLES, WHOLES)
def next_within_its_loop(v: Any) -> Any:
    it = iter(v)
    found = []
    for x in it:
        found.append(x)
        found.append(next(it, -5))
        found.append(x)
    return found


@case(LONG, WHOLES)
def a_value_outlives_its_iterator(v: Any) -> Any:
    it = reversed(v)
    for x in it:
        others = list(it)
        return x % 100 + 1000 * len(others)
    return -1


@case(WHOLES, WHOLES)
def pairs_of_one_iterator(v: Any) -> Any:
    it = iter(v)
    found = [a % 100 - b % 100 for a, b in zip(it, it, strict=False)]
    return [*found, len(list(it))]


@case(WHOLES, WHOLES)
def what_a_zip_takes(v: Any) -> Any:
    it = iter(v)
    found = [a for a, _ in zip(it, [1, 2], strict=False)]
    return [*found, -7, *it]


@case(WHOLES, WHOLES)
def what_a_zip_does_not_take(v: Any) -> Any:
    it = iter(v)
    found = [a for _, a in zip([1, 2], it, strict=False)]
    return [*found, -7, *it]


@case(WHOLES, WHOLES)
def what_islice_takes(v: Any) -> Any:
    it = iter(v)
    found = list(itertools.islice(it, 1, 4, 2))
    return [*found, -7, *it]


@case(WHOLES, WHOLES)
def what_takewhile_takes(v: Any) -> Any:
    it = iter(v)
    found = list(itertools.takewhile(lambda x: x > 0, it))
    return [*found, -7, *it]


@case(WHOLES, WHOLES)
def takewhile_has_ended(v: Any) -> Any:
    it = itertools.takewhile(lambda x: x > 0, v)
    found = list(it)
    return [*found, -7, *it]


@case(WHOLES, WHOLES)
def islice_has_ended(v: Any) -> Any:
    it = itertools.islice(v, 2)
    found = [next(it, -1), next(it, -2), next(it, -3)]
    return [*found, *it]


@case(LONG, WHOLES)
def chained_no_further(v: Any) -> Any:
    for x in itertools.chain(v, map(lambda y: 12 // y, v)):
        if x == 2:
            return x
    return -1


@case(LONG, WHOLES, WHOLES)
def chained_with_none(v: Any, w: Any) -> Any:
    return next(itertools.chain(v, w), -1)


@case(BOOLEAN, WHOLES, WHOLES)
def any_of_a_chain(v: Any, w: Any) -> Any:
    return any(x == 2 for x in itertools.chain(v, w))


@case(TEXT, TEXTS)
def first_of_flat(v: Any) -> Any:
    return next(itertools.chain.from_iterable(v), None)


@case(WHOLES, WHOLES)
def first_of_flat_lists(v: Any) -> Any:
    rows = [[x] * (x % 3) if x > -2 else None for x in v]
    it = itertools.chain.from_iterable(rows)
    return [next(it, -1), next(it, -2), -7, *it]


@case(WHOLES, WHOLES)
def next_within_a_map(v: Any) -> Any:
    it = iter(v)
    return list(map(lambda x: next(it, 0) % 100 * 100 + x % 10, it))


@case(WHOLES, WHOLES)
def changes_while_chained(v: Any) -> Any:
    made = [1, 2]
    found = []
    for x in itertools.chain(v, made):
        if len(made) < 5:
            made.append(x)
        found.append(x)
    return found


@case(WHOLES, WHOLES)
def changes_after_product(v: Any) -> Any:
    pairs = itertools.product(v, [1, 2])
    v.append(9)
    return [a % 100 * b for a, b in pairs]


@case(TEXT, TEXT)
def run_lengths(s: Any) -> Any:
    found = []
    for letter, group in itertools.groupby(s):
        found.append(f"{letter}{len(list(group))}")
    return "".join(found)


@case(TEXT, TEXT)
def groups_left_alone(s: Any) -> Any:
    found = ""
    for letter, group in itertools.groupby(s):
        found += letter
        if letter == "a":
            found += next(group) + next(group, "-") + next(group, "-")
    return found


@case(WHOLES, WHOLES)
def first_of_each_group(v: Any) -> Any:
    return [next(g) for _, g in itertools.groupby(v, key=lambda x: x % 2)]


@case(TEXT, WHOLES)
def groups_by_two(v: Any) -> Any:
    found = []
    for (odd, small), group in itertools.groupby(v, lambda x: (x % 2, x < 2)):
        found.append(f"{odd} {small}")
        found.append(str(sum(x % 100 for x in group)))
    return ";".join(found)


@case(WHOLES, WHOLES)
def group_after_a_break(v: Any) -> Any:
    found = []
    for _, group in itertools.groupby(v):
        for x in group:
            found.append(x)
            break
        found.append(len(list(group)))
        found.append(len(list(group)))
    return found


@case(WHOLES, WHOLES)
def the_last_group(v: Any) -> Any:
    found = []
    for key, group in itertools.groupby(v):
        if key == 2:
            break
    else:
        return found
    return list(group)


@case(WHOLES, TEXTS)
def groups_of_texts(v: Any) -> Any:
    return [sum(1 for _ in g) for _, g in itertools.groupby(v, key=lambda t: t[:1])]


@case(TEXT, TEXT)
def dict_of_names(s: Any) -> Any:
    made = dict(a=s, b="x")
    made["c"] = s + "!"
    made["a"] += "?"
    return ",".join(f"{k}={v}" for k, v in made.items())


@case(TEXT, TEXT)
def dicts_put_together(s: Any) -> Any:
    one = {"a": 1, "b": len(s)}
    other = {**one, "c": 3, **dict.fromkeys(s, 4), "z": 9}
    other |= {"z": 10, "y": 11}
    made = other | one | dict(zip(s, range(3), strict=False), x=-1)
    return ",".join(f"{k}{v}" for k, v in made.items()) + str(len(one))


@case(LONG, LONG, TEXT)
def by_two_keys(n: Any, s: Any) -> Any:
    if (n, s) in PRICES:
        return PRICES[(n, s)] * 100
    return PRICES.get((n, s[:1]), -9)


@case(LONG, LONG, TEXT)
def by_two_keys_or_raise(n: Any, s: Any) -> Any:
    return PRICES[n, s]


@case(WHOLES, WHOLES)
def sorted_by_insertion(v: Any) -> Any:
    found: list[int] = []
    for x in v:
        bisect.insort(found, x)
    return found


@case(WHOLES, WHOLES)
def named_getters(v: Any) -> Any:
    pairs = [Pair(x % 3, x) for x in v]
    pairs.sort(key=operator.attrgetter("x", "y"))
    return [pair.y for pair in pairs]


@case(WHOLES, WHOLES)
def getters(v: Any) -> Any:
    pairs = sorted(enumerate(v), key=operator.itemgetter(1), reverse=True)
    return [*map(FIRST, pairs), *map(operator.neg, v)]


@case(LONG, WHOLES)
def none_is_an_answer(v: Any) -> Any:
    found = next((x for x in v if x is None or x > 2), 5)
    return -1 if found is None else found


@case(TEXT, WHOLES)
def next_of_tuples(v: Any) -> Any:
    at, found = next(((i, x) for i, x in enumerate(v) if x > 1), (-1, None))
    return f"{at} {found}"


@case(LONG, WHOLES)
def next_goes_no_further(v: Any) -> Any:
    return next(x for x in v if 12 // x > 1)


@case(LONG, WHOLES)
def next_of_a_function(v: Any) -> Any:
    def large() -> Any:
        for x in v:
            if x > 3:
                yield x
            if x < 0:
                yield -1

    return next(large(), 0)


@case(LONG, WHOLES, LONG)
def sum_from(v: Any, n: Any) -> Any:
    return sum(v, n)


@case(LONG, WHOLES)
def extremes_beside_try(v: Any) -> Any:
    known = [x for x in v if x is not None]
    try:
        return max(w for w in known[1:]) % 100 - min(known[2:], default=7) % 100
    except ValueError:
        return -1


@case(LONG, TEXTS)
def longest_of_several(v: Any) -> Any:
    return len(max(v[0], v[1], key=len))


@case(WHOLES, WHOLES, LONG)
def varying_limits(v: Any, n: Any) -> Any:
    return list(itertools.islice(v, n))


@case(WHOLES, WHOLES)
def dropped(v: Any) -> Any:
    it = itertools.dropwhile(lambda x: 12 // x > 1, v)
    return [next(it, -1), -7, *it]


@case(WHOLES, WHOLES)
def chain_that_raised(v: Any) -> Any:
    it = itertools.chain(v, map(lambda y: 12 // y, v), v[:1])
    found = []
    for _ in range(3):
        try:
            for x in it:
                found.append(x % 100)
        except ZeroDivisionError:
            found.append(-100)
    return found


@case(WHOLES, WHOLES)
def takewhile_that_raised(v: Any) -> Any:
    it = itertools.takewhile(lambda y: 12 // y > 0, v)
    found = []
    for _ in range(3):
        try:
            for x in it:
                found.append(x % 100)
        except ZeroDivisionError:
            found.append(-100)
    return found


@case(WHOLES, WHOLES)
def dropwhile_that_raised(v: Any) -> Any:
    it = itertools.dropwhile(lambda y: 12 // y > 0, v)
    found = []
    for _ in range(3):
        try:
            for x in it:
                found.append(x % 100)
        except ZeroDivisionError:
            found.append(-100)
    return found


@case(WHOLES, WHOLES)
def islice_that_raised(v: Any) -> Any:
    it = itertools.islice(map(lambda y: 12 // y, v), 1, 5, 2)
    found = []
    for _ in range(3):
        try:
            for x in it:
                found.append(x % 100)
        except ZeroDivisionError:
            found.append(-100)
    return found


@case(WHOLES, WHOLES)
def pairwise_that_raised(v: Any) -> Any:
    it = itertools.pairwise(map(lambda y: 12 // y, v))
    found = []
    for _ in range(3):
        try:
            for x, y in it:
                found.append(x % 10 * 10 + y % 10)
        except ZeroDivisionError:
            found.append(-100)
    return found


@case(WHOLES, WHOLES)
def zip_longest_that_raised(v: Any) -> Any:
    it = zip_longest(v, map(lambda y: 12 // y, v[1:]), fillvalue=3)
    found = []
    for _ in range(3):
        try:
            for x, y in it:
                found.append(x % 10 * 10 + y % 10)
        except ZeroDivisionError:
            found.append(-100)
    return found


@case(WHOLES, WHOLES)
def zip_that_raised(v: Any) -> Any:
    it = zip(v, map(lambda y: 12 // y, v[1:]), v[2:])
    found = []
    for _ in range(3):
        try:
            for x, y, _ in it:
                found.append(x % 10 * 10 + y % 10)
        except ZeroDivisionError:
            found.append(-100)
    return found


@case(WHOLES, WHOLES)
def groupby_that_raised(v: Any) -> Any:
    found = []
    try:
        for key, group in itertools.groupby(v, key=lambda y: 12 // y):
            found.append(key)
            found.append(len(list(group)))
    except ZeroDivisionError:
        found.append(-100)
    return found


@case(WHOLES, WHOLES)
def groups_in_groups(v: Any) -> Any:
    return [
        sum(x % 10 for x in inner) + 1000 * odd
        for _, group in itertools.groupby(v, key=lambda x: x > 1)
        for odd, inner in itertools.groupby(group, key=lambda x: x % 2)
    ]


@case(WHOLES, WHOLES)
def group_beside_itself(v: Any) -> Any:
    found = []
    for large, group in itertools.groupby(v, key=lambda x: x > 1):
        found.append(next(group, -1))
        if not large:
            found.append(len(list(zip(group, group))))
            found.extend(group)
    return found


@case(LONG, WHOLES)
def a_zip_takes_of_the_first_one(v: Any) -> Any:
    return sum(x for x, _ in zip(map(lambda y: 12 // y, v), [1, 2]))


@case(WHOLES, WHOLES)
def loops_within_a_loop(v: Any) -> Any:
    it = filter(lambda x: x % 3, v)
    found = []
    for a in it:
        for b in it:
            found.append(a % 10 + 10 * (b % 10))
            if b % 2:
                break
    return found


@case(LONG, WHOLES)
def left_within_another(v: Any) -> Any:
    def inner(w: Any) -> Any:
        for x in w:
            yield 12 // x

    def outer() -> Any:
        yield from inner(v)
        yield from inner([0])

    return next(outer()) + any(outer())


@case(LONG, WHOLES)
def by_hand(v: Any) -> Any:
    it = iter(v)
    total = 0
    while (x := next(it, None)) is not None:
        total += x % 100
    return total


chain, product = itertools.chain, itertools.product
SHORT: list[tuple[Callable[..., Any], list[DataType], DataType]] = [
    (lambda s: [h for h, *t in [s.split(",")]][0], [TEXT], TEXT),
    (lambda s: [len(t) for h, *t in [s.split(",")]][0], [TEXT], LONG),
    (lambda v: sum(v, start=1), [WHOLES], LONG),
    (lambda v: sum((x / 2 for x in v), 0.0), [WHOLES], DOUBLE),
    (lambda v: sum(v, start=0.0), [REALS], DOUBLE),
    (lambda v: max(v, default=0), [WHOLES], LONG),
    (lambda v: min(v, default=None), [REALS], DOUBLE),
    (lambda v: max((x for x in v if x > 2), default=-1), [WHOLES], LONG),
    (lambda v: min(v, key=abs, default=0), [WHOLES], LONG),
    (lambda v: max(v, default="", key=len), [TEXTS], TEXT),
    (lambda v: max([(x, -x) for x in v], default=(0, 3))[1], [WHOLES], LONG),
    (lambda s: next((c for c in s if c.isdigit()), ""), [TEXT], TEXT),
    (lambda s: next(c for c in s if c.isdigit()), [TEXT], TEXT),
    (lambda s: next(iter(s), ""), [TEXT], TEXT),
    (lambda v: next(iter(v)), [REALS], DOUBLE),
    (lambda v: next(reversed(v), None), [TEXTS], TEXT),
    (lambda v: next(filter(lambda x: x > 1, v), None), [WHOLES], LONG),
    (lambda v: next(map(lambda x: 12 // x, v), -1), [WHOLES], LONG),
    (lambda v: next(iter(dict.fromkeys(v, 1)), -1), [WHOLES], LONG),
    (lambda v: list(chain([1], v, (2, 3))), [WHOLES], WHOLES),
    (lambda v, w: list(chain(v, w)), [WHOLES, WHOLES], WHOLES),
    (lambda v: [str(x) for x in chain(v, [True], "ab")], [REALS], TEXTS),
    (lambda v: [a - b for a, b in chain(enumerate(v), [(5, 3)])], [WHOLES], WHOLES),
    (lambda v: list(chain.from_iterable([list(range(x % 4)) for x in v])), [WHOLES], WHOLES),
    (lambda v: list(chain.from_iterable([v, v[:1]])), [WHOLES], WHOLES),
    (lambda v: "".join(chain.from_iterable(v)), [TEXTS], TEXT),
    (lambda s: list(chain.from_iterable([p.split(",") for p in s.split()])), [TEXT], TEXTS),
    (lambda s: list(chain.from_iterable(map(str.split, s.split(",")))), [TEXT], TEXTS),
    (lambda v: list(itertools.islice(v, 2)), [WHOLES], WHOLES),
    (lambda v: list(itertools.islice(v, 1, None)), [WHOLES], WHOLES),
    (lambda v: list(itertools.islice(v, 0, 5, 2)), [WHOLES], WHOLES),
    (lambda v: list(itertools.islice(v, None)), [TEXTS], TEXTS),
    (lambda v, n: list(itertools.islice(v, n, None, 2)), [WHOLES, LONG], WHOLES),
    (lambda v: [i * 10 for i, x in itertools.islice(enumerate(v), 3)], [WHOLES], WHOLES),
    (lambda v: [y % 100 - x % 100 for x, y in itertools.pairwise(v)], [WHOLES], WHOLES),
    (lambda s: [x + y for x, y in itertools.pairwise(s)], [TEXT], TEXTS),
    (lambda v: [b - d for (a, b), (c, d) in itertools.pairwise(enumerate(v))], [WHOLES], WHOLES),
    (lambda v: list(itertools.takewhile(lambda x: x > 0, v)), [WHOLES], WHOLES),
    (lambda v: list(itertools.dropwhile(lambda x: x > 0, v)), [WHOLES], WHOLES),
    (lambda v: list(itertools.filterfalse(lambda x: x > 0, v)), [WHOLES], WHOLES),
    (lambda v: list(itertools.filterfalse(None, v)), [WHOLES], WHOLES),
    (lambda s: "".join(itertools.takewhile(str.isalpha, s)), [TEXT], TEXT),
    (lambda v: [x % 100 * (y % 100) for x, y in product(v, v)], [WHOLES], WHOLES),
    (lambda s: [a + b + c for a, b, c in product(s[:3], repeat=3)], [TEXT], TEXTS),
    (lambda v, s: [f"{a}{b}{c}" for a, b, c in product(v, s, range(2))], [FLAGS, TEXT], TEXTS),
    (lambda v: [x % 9 * (y % 7) for x, y in itertools.combinations(v, 2)], [WHOLES], WHOLES),
    (lambda s: ["".join(c) for c in itertools.combinations(s, 3)], [TEXT], TEXTS),
    (lambda s: [a + b for a, b in itertools.permutations(s, r=2)], [TEXT], TEXTS),
    (
        lambda s: [a + b + c for a, b, c in itertools.combinations_with_replacement(s[:4], 3)],
        [TEXT],
        TEXTS,
    ),
    (lambda v: [(x or 0) % 9 - (y or 3) % 9 for x, y in zip_longest(v, v[1:])], [WHOLES],
     WHOLES),
    (lambda v, s: [f"{x}{y}" for x, y in zip_longest(v, s, fillvalue="-")], [WHOLES, TEXT],
     TEXTS),
    (lambda v, w: list(map(sum, zip_longest(v, w, fillvalue=0))), [WHOLES, WHOLES], WHOLES),
    (lambda s: "".join(k for k, _ in itertools.groupby(s)), [TEXT], TEXT),
    (lambda s: "".join(f"{k}{sum(1 for _ in g)}" for k, g in itertools.groupby(s)), [TEXT], TEXT),
    (lambda v: max((len(list(g)) for k, g in itertools.groupby(v) if k == 1), default=0), [WHOLES],
     LONG),
    (lambda v: [len(list(g)) for _, g in itertools.groupby(sorted(v), key=abs)], [WHOLES], WHOLES),
    (lambda v: [str(k) for k, g in itertools.groupby(v, lambda x: x > 1)], [REALS], TEXTS),
    (lambda s: [k for k, g in itertools.groupby(s.split(","), len)], [TEXT], WHOLES),
    (lambda v: [sum(g) for _, g in itertools.groupby(v, key=lambda x: x // 3)], [WHOLES], WHOLES),
    (lambda v: {k: list(g) for k, g in itertools.groupby(v)}.get(2), [WHOLES], WHOLES),
    (lambda v: list(itertools.repeat(1, len(v))), [WHOLES], WHOLES),
    (lambda v, n: [x + y % 9 for x, y in zip(itertools.repeat(7, times=n), v)], [WHOLES, LONG],
     WHOLES),
    (lambda v: list(map(max, v, v[1:])), [WHOLES], WHOLES),
    (lambda v: sum(a * b for a, b in zip(filter(None, v), v)), [WHOLES], LONG),
    (lambda v: [b - a for a, b in zip(v, itertools.islice(v, 1, None))], [WHOLES], WHOLES),
    (lambda v: (*v, 3), [WHOLES], WHOLES),
    (lambda s: [*s], [TEXT], TEXTS),
    (lambda s: len(dict(a=s, b=1)), [TEXT], LONG),
    (lambda s: dict(a=s, b=1)["a"], [TEXT], TEXT),
    (lambda s: list({"a": 1} | {s: 2}), [TEXT], TEXTS),
    (lambda s: dict((p + "=1").split("=", 1) for p in s.split(","))["a"], [TEXT], TEXT),
    (lambda v: dict(enumerate(v)).get(1) if v else dict([(1, 2)])[1], [WHOLES], LONG),
    (lambda n, s: (n, s) in {(1, "a"), (2, "b")}, [LONG, TEXT], BOOLEAN),
    (lambda n, s: PRICES.get((n, s)), [LONG, TEXT], LONG),
    (lambda n: bisect.bisect([0, 3, 5], n), [LONG], LONG),
    (lambda n: "ABCD"[bisect.bisect_left(GRADES, n)], [LONG], TEXT),
    (lambda d: bisect.bisect_right(GRADES, d), [DOUBLE], LONG),
    (lambda s: bisect.bisect_left(["a", "b", "ß"], s), [TEXT], LONG),
    (lambda s: bisect.bisect(["a", "b"], s), [TEXT], LONG),
    (lambda n, s: bisect.bisect([n, n + 1], 3), [LONG, TEXT], LONG),
    (lambda v: sorted(v, key=operator.methodcaller("lower")), [TEXTS], TEXTS),
    (lambda v: list(map(operator.methodcaller("replace", "a", "b"), v)), [TEXTS], TEXTS),
    (lambda v, n: bisect.bisect(v, n), [WHOLES, LONG], LONG),
    (lambda v, n: bisect.bisect_left(a=sorted(v), x=n), [REALS, DOUBLE], LONG),
    (lambda v: sorted(v, key=operator.neg), [WHOLES], WHOLES),
    (lambda v: functools.reduce(operator.add, map(operator.mul, v, v), 0), [WHOLES], LONG),
    (lambda v: max(enumerate(v), key=operator.itemgetter(1, 0))[0], [WHOLES], LONG),
    (lambda v: list(map(operator.truediv, v, v)), [WHOLES], REALS),
    (lambda v: list(map(operator.eq, v, v[1:])), [WHOLES], FLAGS),
]  # fmt: skip


@pytest.mark.parametrize("each", [*CASES, *SHORT], ids=lambda each: each[0].__name__)
def test_both_answer_alike(java: Java, each: Any) -> None:
    function, types, result = each
    chance = random.Random(7)
    rows = [tuple(value(chance, kind, 0.04) for kind in types) for _ in range(200)]
    rows += [tuple(None for _ in types)]
    if types == [LONG, TEXT]:
        rows += [(1, "a"), (2, "b"), (1, "ab"), (2, "a"), (None, "a")]
    assert answered_alike(java, function, types, result, rows) > 5


def two_groups(v: Any) -> Any:
    groups = itertools.groupby(v)
    for _, one in groups:
        for _, _other in groups:
            return len(list(one))
    return 0


def next_beside_try(v: Any) -> Any:
    try:
        return next(iter(v))
    except StopIteration:
        return 0


def first_of(v: Any) -> Any:
    return next(x for x in v if x > 1)


def cleaned_up(v: Any) -> Any:
    found = []

    def each() -> Any:
        try:
            yield from v
        finally:
            found.append(1)

    return next(each()) + len(found)


def changed_dict(v: Any) -> Any:
    made = collections.defaultdict(int)
    for x in v:
        made[x] += 1
    return len(made | {5: 1})


REFUSED: list[tuple[Callable[..., Any], str]] = [
    (two_groups, "iterator of iterators"),
    (next_beside_try, "beside try"),
    (lambda v: len(list(map(first_of, [v, v]))), "beside an iterator that calls"),
    (lambda v: len([g for k, g in itertools.groupby(v)]), "as a value"),
    (lambda v: len(list(itertools.groupby(x / 2 for x in v))), "a generator here"),
    (lambda v: sum(1 for _ in itertools.groupby([x / 2 for x in v])), "groupby by"),
    (lambda v: next(v), "no iterator"),
    (lambda v: next(itertools.repeat(1)), "without an end"),
    (lambda v: len(list(itertools.combinations(v, len(v)))), "length is not known"),
    (changed_dict, "no plain ones"),
    (cleaned_up, "with try"),
    (lambda v: len(list(itertools.repeat([len(v)], 2))), "as a value"),
    (lambda v: max(*v), "so many arguments as"),
    (lambda v: bisect.bisect(v, v), "values of bisect"),
    (lambda v: sum(v, 0.5), "none of the whole ones"),
]


@pytest.mark.parametrize(("function", "reason"), REFUSED)
def test_what_stays_in_python(function: Any, reason: str) -> None:
    with pytest.raises(NotCompiled, match=reason):
        translate(function, [ArrayType(LONG, False)], LONG)


def test_it_runs_in_java_in_a_query(session: nu.Session) -> None:
    session.register_function("in_java_iterating", nu.udf(run_lengths, result_type="string"))
    try:
        frame = session.sql("SELECT in_java_iterating(concat('aab', id, id)) AS w FROM range(3)")
        assert [row.w for row in frame.collect()] == ["a2b102", "a2b112", "a2b122"]
        assert "Python" not in frame._jdf.queryExecution().executedPlan().toString()
    finally:
        session.drop_function("in_java_iterating")
