"""Sorting in the JVM: Python's order, also where a NaN has none, and Python's errors."""

from __future__ import annotations

import random
import sys
from collections.abc import Callable
from typing import Any

import pytest
from pyspark.sql.types import ArrayType, BooleanType, DataType, DoubleType, LongType, StringType

import notebook_udf as nu
from notebook_udf.compile.java.java_class import translate
from notebook_udf.compile.java.writing.terms import NotCompiled
from tests.spark.java_calls import Java, answered_alike

NAN, INF = float("nan"), float("inf")
LONG_RUNS = sys.version_info >= (3, 13)
REALS, WHOLES, TEXTS = ArrayType(DoubleType()), ArrayType(LongType()), ArrayType(StringType())
LISTS = ArrayType(WHOLES)
FLOATS = (0.0, -0.0, 1.0, 1.5, -1.5, 2.0, 1e300, 5e-324, INF, -INF, 2.0**53, 2.0**63)
MIXED = (
    *(
        0,
        1,
        -1,
        2,
        2**53,
        2**53 + 1,
        -(2**53) - 1,
        2**63 - 1,
        2**63,
        2**64 + 1,
        10**400,
        -(10**400),
    ),
    *(True, False),
    *FLOATS,
)
WORDS = ("", "a", "B", "b", "aa", "Ab", "ß", "ẞ", "é", "😀", "\uffff", "z", "10", "9")


def runs(chance: random.Random, count: int) -> list[float]:
    """Values in rising and falling runs, with equal ones, and some NaN."""
    made: list[float] = []
    while len(made) < count:
        start, step = chance.randrange(50), chance.choice((-1, -1, 0, 1, 1, 2))
        made += [float(start + step * i // 2) for i in range(chance.randrange(1, 80))]
    del made[count:]
    for _ in range(chance.choice((1, 1, 2, 5, count // 4)) if count else 0):
        made[chance.randrange(count)] = NAN
    return made


def unordered(chance: random.Random) -> list[Any]:
    """A list with a NaN in most cases, of up to 300 numbers."""
    count = chance.choice((chance.randrange(12), chance.randrange(63, 67), chance.randrange(301)))
    how = chance.randrange(4)
    if how == 0:
        return [chance.choice((*FLOATS, NAN)) for _ in range(count)]
    if how == 1:
        return [chance.choice((*MIXED, NAN)) for _ in range(count)]
    if how == 2:
        return runs(chance, count)
    several = chance.choice((3, 1000))
    return [NAN if chance.random() < 0.02 else chance.randrange(several) / 2 for _ in range(count)]


def test_a_list_with_nan_is_left_as_python_leaves_it(java: Java) -> None:
    chance = random.Random(5)
    calls = [(unordered(chance), chance.random() < 0.4, LONG_RUNS) for _ in range(1500)]
    calls += [([NAN] * count, turned, LONG_RUNS) for count in range(4) for turned in (False, True)]
    found = java.results("PyListSort.sorted", calls)
    for (values, backwards, _), ordered in zip(calls, found, strict=True):
        # By their texts -0.0 is not 0.0, and 1 neither 1.0 nor True.
        assert repr(ordered) == repr(sorted(values, reverse=backwards)), (values, backwards)


def test_values_are_left_as_their_keys_with_nan_are(java: Java) -> None:
    chance = random.Random(6)
    keys = [unordered(chance) for _ in range(500)]
    calls = [(list(range(len(each))), each, i % 2 == 0, LONG_RUNS) for i, each in enumerate(keys)]
    found = java.results("PyListSort.sortedBy", calls)
    for (places, given, backwards, _), ordered in zip(calls, found, strict=True):
        assert ordered == sorted(places, key=given.__getitem__, reverse=backwards)


@pytest.mark.parametrize("backwards", [False, True])
def test_what_has_no_order_raises(java: Java, backwards: bool) -> None:
    lists = [[1, "a"], [NAN, "a", 2.0], [None, NAN], ["b", "a", None], [2, None], [None], []]
    calls = [(each, backwards, LONG_RUNS) for each in lists]
    wrong = java.differences("PyListSort.sorted", lambda v, b, _: sorted(v, reverse=b), calls)
    assert wrong == []


def median(v: list[float]) -> float | None:
    s = sorted(v)
    n = len(s)
    if n == 0:
        return None
    return s[n // 2] if n % 2 else (s[n // 2 - 1] + s[n // 2]) / 2


def in_place(v: list[float]) -> list[float]:
    kept = v
    v.sort()
    return kept


def by_distance(v: list[float]) -> list[float]:
    middle = 1.0
    v.sort(key=lambda x: abs(x - middle), reverse=True)
    return v


def of_its_own(v: list[float]) -> list[float]:
    v.sort(key=lambda x: len(v))
    return v


def grown(v: list[int]) -> list[int]:
    made = [each * -1 for each in v]
    made.append(3)
    made.sort(reverse=True)
    return made


def mixed(v: list[float], w: list[int]) -> list[float]:
    return sorted(v + w)


def mixed_down(v: list[float], w: list[int]) -> list[str]:
    return [str(each) for each in sorted(w + v, reverse=True)]


def of_a_tuple(v: list[float]) -> float:
    whole = tuple(v)
    return sorted(whole)[-1] + whole[0]


def flags(v: list[bool]) -> list[bool]:
    return sorted(v, reverse=True)


def tried(v: list[int]) -> int | None:
    try:
        return sorted([each // (each - 1) for each in v])[1]
    except (ZeroDivisionError, IndexError):
        return None


def joined_spans(spans: list[list[int]]) -> list[list[int]]:
    made: list[list[int]] = []
    for low, high, *_ in sorted(spans):
        if made and low <= made[-1][1]:
            made[-1][1] = max(made[-1][1], high)
        else:
            made.append([low, high])
    return made


def lists_tried(v: list[list[int]]) -> str:
    try:
        return f"{sorted(v)[0]} {max(v)} {min(v, key=lambda each: each[0])}"
    except (TypeError, IndexError) as error:
        return type(error).__name__


SORTING: list[tuple[Callable[..., Any], list[DataType], DataType]] = [
    (median, [REALS], DoubleType()),
    (in_place, [REALS], REALS),
    (by_distance, [REALS], REALS),
    (of_its_own, [REALS], REALS),
    (grown, [WHOLES], WHOLES),
    (mixed, [REALS, WHOLES], REALS),
    (mixed_down, [REALS, WHOLES], TEXTS),
    (flags, [ArrayType(BooleanType())], ArrayType(BooleanType())),
    (tried, [ArrayType(LongType(), False)], LongType()),
    (lambda v: sorted(v), [REALS], REALS),
    (lambda v: sorted(v, reverse=True), [REALS], REALS),
    (lambda v: sorted(v, key=None, reverse=True), [REALS], REALS),
    (lambda v: sorted(v, key=lambda x: -x), [REALS], REALS),
    (lambda v: sorted(v, key=lambda x: x % 2, reverse=True), [REALS], REALS),
    (lambda v: sorted(v, key=abs), [REALS], REALS),
    (lambda v: sorted(v, key=lambda x: -x), [WHOLES], WHOLES),
    (lambda v: sorted(v, key=abs, reverse=True), [WHOLES], WHOLES),
    (lambda v: sorted(v, key=lambda x: x / 3), [WHOLES], WHOLES),
    (lambda v: sorted(v, key=lambda x: x if x > 2 else 2.0), [WHOLES], WHOLES),
    (lambda v: sorted(v, key=bool), [WHOLES], WHOLES),
    (lambda v: sorted(v, key=len), [TEXTS], TEXTS),
    (lambda v: sorted(v, key=str.lower, reverse=True), [TEXTS], TEXTS),
    (lambda v: sorted(v, key=lambda x: x[::-1]), [TEXTS], TEXTS),
    (lambda v: sorted(v, key=lambda x: (len(x), x)), [TEXTS], TEXTS),
    (lambda v: sorted(v, key=lambda x: (-len(x), x.lower()), reverse=True), [TEXTS], TEXTS),
    (lambda v: sorted(v, key=lambda x: (x is None, x)), [WHOLES], WHOLES),
    (lambda v: sorted(v, key=lambda x: (x % 2, (x > 1, -x))), [WHOLES], WHOLES),
    (lambda v: sorted(v, key=lambda x: (x % 3 == 1, x % 2 or None)), [WHOLES], WHOLES),
    (lambda v: max(v, key=lambda x: (len(x), x)), [TEXTS], StringType()),
    (lambda v: min(v, key=lambda x: (x % 3, x / 2)), [WHOLES], LongType()),
    (lambda v: min(v, key=abs), [REALS], DoubleType()),
    (lambda v: max(v, key=lambda x: -x), [REALS], DoubleType()),
    (of_a_tuple, [REALS], DoubleType()),
    (lambda s: "".join(sorted(s, key=str.lower)), [StringType()], StringType()),
    (lambda s: sorted([len(w) / 2 for w in s.split()]), [StringType()], REALS),
    (lambda s: sorted(map(float, s.split())), [StringType()], REALS),
]


def value(chance: random.Random, kind: DataType) -> Any:
    if isinstance(kind, ArrayType):
        lacking = kind.containsNull and chance.random() < 0.15
        return [
            None if lacking and chance.random() < 0.3 else value(chance, kind.elementType)
            for _ in range(chance.choice((0, 1, 2, 3, 5, 70)))
        ]
    if isinstance(kind, DoubleType):
        return chance.choice((*FLOATS, NAN) if chance.random() < 0.2 else FLOATS)
    if isinstance(kind, LongType):
        return chance.choice((0, 1, 2, 3, -1, -2, 5, 2**53 + 1, 2**63 - 1, -(2**63)))
    if isinstance(kind, BooleanType):
        return chance.random() < 0.5
    return " ".join(chance.choice((*WORDS, "1.5", "nan")) for _ in range(chance.choice((1, 1, 4))))


@pytest.mark.parametrize("each", SORTING, ids=lambda each: each[0].__name__)
def test_functions_that_sort_answer_as_in_python(java: Java, each: Any) -> None:
    function, types, result = each
    chance = random.Random(7)
    rows = [tuple(value(chance, kind) for kind in types) for _ in range(150)]
    rows += [tuple(None for _ in types)]
    assert answered_alike(java, function, types, result, rows) > 20


def changes_a_tuple(v: list[int]) -> int:
    whole = tuple(v)
    whole.sort()  # type: ignore[attr-defined]
    return whole[0]


def adds_to_a_tuple(v: list[int]) -> int:
    whole = tuple(v)
    whole.append(1)  # type: ignore[attr-defined]
    return whole[0]


def keyed_beside_try(v: list[int]) -> list[int]:
    try:
        v.sort(key=lambda x: 1 // x)
    except ZeroDivisionError:
        v.append(0)
    return v


@pytest.mark.parametrize(
    ("function", "reason"),
    [
        (changes_a_tuple, "a tuple"),
        (adds_to_a_tuple, "a tuple"),
        (keyed_beside_try, "beside try"),
        (lambda v: sorted(v, reverse=bool(v)), "reverse= that varies"),
        (lambda v: v.sort(None), "does not fit"),
    ],
)
def test_what_stays_in_python(function: Callable[..., Any], reason: str) -> None:
    with pytest.raises(NotCompiled, match=reason):
        translate(function, [WHOLES], LongType() if "tuple" in reason else WHOLES)


def test_a_tuple_with_nan_as_a_key_is_not_compared(java: Java) -> None:
    made = translate(lambda v: sorted(v, key=lambda x: (x, 1)), [REALS], REALS)
    # Two of them may be one object; one alone is equal to no other value.
    found = java.rows(made, [([NAN, NAN],), ([NAN],), ([2.0, NAN],), ([2.0, -0.0, -1.0],)])
    assert repr(found) == "['<raised>', [nan], [2.0, nan], [-1.0, -0.0, 2.0]]"


def test_it_runs_in_java_in_a_query(session: nu.Session) -> None:
    session.register_function("in_java_median", nu.udf(median, input_types="array<double>"))
    try:
        frame = session.sql(
            "SELECT in_java_median(array(double(id), 0.5D, double('NaN'))) AS m FROM range(4)"
        )
        found = [row.m for row in frame.collect()]
        expected = [median([float(each), 0.5, NAN]) for each in range(4)]
        assert repr(found) == repr(expected)
        assert "Python" not in frame._jdf.queryExecution().executedPlan().toString()
    finally:
        session.drop_function("in_java_median")
