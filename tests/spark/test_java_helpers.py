"""Helpers that go through values, in the JVM: filter, reduce, accumulate, Counter and iterators."""

from __future__ import annotations

import functools
import itertools
import operator
import random
import statistics
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from pyspark.sql.types import ArrayType, BooleanType, DataType, DoubleType, LongType, StringType

import notebook_udf as nu
from notebook_udf.compile.java.java_class import translate
from notebook_udf.compile.java.writing.terms import NotCompiled
from tests.spark.java_calls import Java, answered_alike

REALS, WHOLES, TEXTS = ArrayType(DoubleType()), ArrayType(LongType()), ArrayType(StringType())
FLAGS = ArrayType(BooleanType())
LONG, DOUBLE, TEXT, BOOLEAN = LongType(), DoubleType(), StringType(), BooleanType()
VALUES: dict[type[DataType], tuple[Any, ...]] = {
    DoubleType: (0.0, -0.0, 1.0, 2.0, 0.5, -1.5, float("inf"), 1e308, 2.0**53),
    LongType: (0, 1, 2, 3, 4, -1, 7, 2**62, 2**63 - 1, -(2**63)),
    BooleanType: (True, False),
    StringType: ("", "a", "b", "B", "a b", "b  a c", "ß", "😀", "1", "1 2", "3 4", "7 x"),
}


def value(chance: random.Random, kind: DataType, lacking: float = 0.0) -> Any:
    if chance.random() < lacking:
        return None
    if isinstance(kind, ArrayType):
        lacking = 0.2 if kind.containsNull and chance.random() < 0.25 else 0.0
        count = chance.choice((0, 1, 2, 3, 4, 6, 9))
        return [value(chance, kind.elementType, lacking) for _ in range(count)]
    return chance.choice(VALUES[type(kind)])


def looped(v: list[int]) -> int:
    total = 0
    for each in filter(lambda x: 12 // x > 1, v):
        if each == 3:
            break
        total += each
    return total


def any_kept(v: list[int]) -> bool:
    return any(filter(lambda x: 12 // x > 1, v))


def continued(v: list[int]) -> list[int]:
    rest = filter(lambda x: x % 2, v)
    made = []
    for each in rest:
        made.append(each)
        if each == 3:
            break
    made.append(-1)
    for each in rest:
        made.append(each)
    return made


def used_twice(v: list[int]) -> list[int]:
    doubled = map(abs, [each % 100 for each in v])
    return [sum(doubled), len(list(doubled))]


def begun_again(v: list[float]) -> int:
    pairs = zip(v, v, strict=False)
    count = 0
    for _ in range(3):
        for one, other in pairs:
            if one != other or one == 2.0:
                break
            count += 1
    return count


def backwards_of_changed(v: list[int]) -> list[int]:
    turned = reversed(v)
    v.append(5)
    v.sort()
    return list(turned)


def grown_after(v: list[int]) -> int:
    counted = enumerate(v)
    count = sum([each for each, _ in counted])
    v.append(1)
    return count * 10 + len([each for each, _ in counted])


def parts_of(s: str) -> int:
    a, b = map(int, s.split())
    return a * 10 + b


def parts_of_pairs(v: list[int]) -> int:
    (a, b), (c, d) = enumerate(v)
    return a * 1000 + b % 10 + c * 100 + d % 10


def of_twelve(number: int) -> int:
    return 12 // number


def one_more_is_asked_for(v: list[int]) -> int:
    try:
        a, b = map(of_twelve, v)
    except ZeroDivisionError:
        return -1
    except ValueError:
        return -2
    return a + b


def most_common_words(s: str) -> list[str]:
    return [word + str(count) for word, count in Counter(s.split()).most_common(2)]


def counts(v: list[str], s: str) -> list[int]:
    found = Counter(v)
    made = list(found.values())
    made.append(found[s] * 100 + found["nothing"] + found.get(s, -1))
    made.append(len(found) * 100 + found.total())
    return made


def first_of_most(v: list[int]) -> int:
    found = Counter(v)
    return max(found, key=found.get)  # type: ignore[arg-type]


def ranked(v: list[int], n: int) -> list[int]:
    return [each for each, _ in Counter(v).most_common(n)]


def looked_up(v: list[int], n: int) -> bool | None:
    known = dict.fromkeys(v)
    return n in known and len(known) < 4


def stored_and_zipped(v: list[int]) -> int:
    one = map(abs, v)
    return sum(a + b for a, b in zip(one, [1, 2], strict=False)) + len(list(one))


def paired_with_itself(v: list[int]) -> int:
    one = reversed(v)
    return sum([a * b for a, b in zip(one, one, strict=False)])


def scaled(value: int, by: int, *, plus: int = 0) -> int:
    return value * by + plus


DOUBLED = functools.partial(scaled, by=2)
MORE = functools.partial(functools.partial(scaled, 3), plus=1)
TO_TENTHS = functools.partial(round, ndigits=1)


def partials(v: list[int]) -> list[int]:
    half = functools.partial(scaled, by=5, plus=-1)
    return [DOUBLED(v[0]), DOUBLED(v[0], plus=7), MORE(v[0]), MORE(by=v[-1], plus=v[0]), half(v[0])]


HELPERS: list[tuple[Callable[..., Any], list[DataType], DataType]] = [
    (looped, [WHOLES], LONG),
    (any_kept, [WHOLES], BOOLEAN),
    (continued, [ArrayType(LONG, False)], WHOLES),
    (used_twice, [ArrayType(LONG, False)], WHOLES),
    (begun_again, [REALS], LONG),
    (backwards_of_changed, [WHOLES], WHOLES),
    (grown_after, [WHOLES], LONG),
    (stored_and_zipped, [ArrayType(LONG, False)], LONG),
    (paired_with_itself, [ArrayType(LONG, False)], LONG),
    (parts_of, [TEXT], LONG),
    (parts_of_pairs, [ArrayType(LONG, False)], LONG),
    (one_more_is_asked_for, [ArrayType(LONG, False)], LONG),
    (most_common_words, [TEXT], TEXTS),
    (counts, [TEXTS, TEXT], WHOLES),
    (first_of_most, [WHOLES], LONG),
    (ranked, [WHOLES, LONG], WHOLES),
    (looked_up, [WHOLES, LONG], BOOLEAN),
    (lambda v: list(filter(lambda x: x % 2 == 0, v)), [WHOLES], WHOLES),
    (lambda v: list(filter(None, v)), [REALS], REALS),
    (lambda v: list(filter(bool, v)), [TEXTS], TEXTS),
    (lambda v: ",".join(filter(None, v)), [TEXTS], TEXT),
    (lambda v: sum(filter(None, v)), [WHOLES], LONG),
    (lambda s: "".join(filter(str.isalpha, s)), [TEXT], TEXT),
    (lambda v: list(filter(None, filter(lambda x: x != 2, v))), [WHOLES], WHOLES),
    (lambda v: list(map(abs, filter(None, v))), [WHOLES], WHOLES),
    (lambda v: [i * 10 for i, x in enumerate(filter(None, v))], [WHOLES], WHOLES),
    (lambda v: [i for i, x in filter(lambda p: p[1] > 1, enumerate(v))], [WHOLES], WHOLES),
    (lambda v: functools.reduce(lambda a, b: a * b, v, 1), [WHOLES], LONG),
    (lambda v: functools.reduce(lambda a, b: a + b, v), [REALS], DOUBLE),
    (lambda v: functools.reduce(operator.mul, v), [REALS], DOUBLE),
    (lambda v: functools.reduce(max, v), [WHOLES], LONG),
    (lambda v: functools.reduce(lambda a, b: a + b / 2, v, 0), [WHOLES], DOUBLE),
    (lambda v: functools.reduce(lambda a, b: f"{a}<{b}>", v, ""), [TEXTS], TEXT),
    (lambda v: functools.reduce(lambda a, b: b if a is None else a - b, v, None), [WHOLES], LONG),
    (lambda v: functools.reduce(lambda a, b: a - b, map(float, v)), [WHOLES], DOUBLE),
    (lambda v: list(itertools.accumulate(v)), [WHOLES], WHOLES),
    (lambda v: list(itertools.accumulate(v)), [REALS], REALS),
    (lambda v: list(itertools.accumulate(v)), [TEXTS], TEXTS),
    (lambda v: [str(x) for x in itertools.accumulate(v)], [FLAGS], TEXTS),
    (lambda v: list(itertools.accumulate(v, max)), [WHOLES], WHOLES),
    (lambda v: list(itertools.accumulate(v, lambda a, b: a * b)), [REALS], REALS),
    (lambda v: list(itertools.accumulate(v, initial=5)), [WHOLES], WHOLES),
    (lambda v: list(itertools.accumulate(filter(None, v), initial=0.5)), [WHOLES], REALS),
    (lambda v: list(itertools.accumulate(v, func=operator.sub, initial=None)), [WHOLES], WHOLES),
    (lambda v: list(dict.fromkeys(v)), [TEXTS], TEXTS),
    (lambda v: list(dict.fromkeys(v)), [WHOLES], WHOLES),
    (lambda v, w: [str(x) for x in dict.fromkeys(v + w)], [REALS, WHOLES], TEXTS),
    (lambda s: "".join(dict.fromkeys(s)), [TEXT], TEXT),
    (lambda v: Counter(v).most_common(1)[0][0], [TEXTS], TEXT),
    (lambda v: Counter(v).most_common(1)[0][1], [WHOLES], LONG),
    (lambda v: [n for _, n in Counter(v).most_common()], [TEXTS], WHOLES),
    (lambda v, n: Counter(v)[n], [WHOLES, LONG], LONG),
    (lambda s: max(Counter(s).values()), [TEXT], LONG),
    (lambda s: len(Counter(c for c in s if c != " ")), [TEXT], LONG),
    (lambda v: [k for k, n in Counter(v).items() if n > 1], [TEXTS], TEXTS),
    (lambda v: bool(Counter(v)), [WHOLES], BOOLEAN),
    (lambda v: statistics.median(v), [REALS], DOUBLE),
    (lambda v: statistics.median(v), [WHOLES], DOUBLE),
    (partials, [ArrayType(LONG, False)], WHOLES),
    (lambda v: list(map(DOUBLED, v)), [WHOLES], WHOLES),
    (lambda v: sorted(v, key=functools.partial(scaled, by=-1)), [WHOLES], WHOLES),
    (lambda v: [TO_TENTHS(each) for each in v], [REALS], REALS),
]


@pytest.mark.parametrize("each", HELPERS, ids=lambda each: each[0].__name__)
def test_helpers_answer_as_in_python(java: Java, each: Any) -> None:
    function, types, result = each
    chance = random.Random(4)
    rows = [tuple(value(chance, kind, 0.03) for kind in types) for _ in range(150)]
    rows += [tuple(None for _ in types)]
    assert answered_alike(java, function, types, result, rows) > 10


def counted_dict(v: list[int]) -> int:
    return Counter(Counter(v))[1]


REFUSED: list[tuple[Callable[..., Any], DataType, str]] = [
    (counted_dict, LONG, "a Counter of a dict"),
    (lambda v: Counter(x / 2 for x in v).most_common(1)[0][1], LONG, "a Counter of what"),
    (lambda v: Counter(v).pop(1), LONG, "pop of a Counter"),
    (lambda v: Counter(set(v)).total(), LONG, "order of a set"),
    (lambda v: list(dict.fromkeys(set(v))), WHOLES, "order of a set"),
    (lambda v: functools.partial(scaled, v[0])(2), LONG, "a partial of what varies"),
    (lambda v: len(filter(None, v)), LONG, "as a value"),  # type: ignore[arg-type]
]


@pytest.mark.parametrize(("function", "result", "reason"), REFUSED)
def test_what_stays_in_python(function: Any, result: DataType, reason: str) -> None:
    with pytest.raises(NotCompiled, match=reason):
        translate(function, [ArrayType(LONG, False)], result)


def test_it_runs_in_java_in_a_query(session: nu.Session) -> None:
    session.register_function("in_java_common", nu.udf(most_common_words))
    try:
        frame = session.sql("SELECT in_java_common(concat('b a a b b c ', id)) AS w FROM range(3)")
        assert [row.w for row in frame.collect()] == [["b3", "a2"]] * 3
        assert "Python" not in frame._jdf.queryExecution().executedPlan().toString()
    finally:
        session.drop_function("in_java_common")
