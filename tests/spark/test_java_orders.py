"""Lists and dicts' items in order, and functions as values, in the JVM as in Python."""

from __future__ import annotations

import collections
import functools
import re
from collections.abc import Callable

import pytest
from pyspark.sql.types import ArrayType, DoubleType, LongType, StringType

from notebook_udf.compile.java.java_class import translate
from notebook_udf.compile.java.writing.terms import NotCompiled
from tests.spark.java_calls import Java, answered_alike

TEXT = StringType()
TEXTS: tuple[str | None, ...] = (
    *(None, "", "a", "b a", "bb a aa b", "1.2,1.10,1.9.3", "2,1.5,2.0", "3 km", "7 cm", "x", "1,b"),
    *("é ß Z a", "10.0.1,10.0", "0,0.0,-1", "a  A a", "12 m", " Ab ", "\u0130x y"),
)
STEPS = (str.strip, str.title, str.swapcase)
CASES = {"up": str.upper, "low": str.lower, "ß": str.casefold}
NO, YES = "no", "yes"


def items_of_lists(s: str) -> str:
    groups: dict[str, list[str]] = {}
    for word in s.split():
        groups.setdefault(word[0], []).append(word)
    return ";".join(f"{k}:{','.join(v)}" for k, v in sorted(groups.items()))


def items_backwards(s: str) -> str:
    groups = collections.defaultdict(list)
    for word in s.split():
        groups[len(word)].append(word)
    return ";".join(f"{k}={'/'.join(v)}" for k, v in sorted(groups.items(), reverse=True))


def greatest_item(s: str) -> str:
    groups = collections.defaultdict(list)
    for word in s.split():
        groups[len(word)].append(word)
    return str(max(groups.items())[1]) + str(min(groups.items())[0])


def newest(s: str) -> str:
    return max(s.split(","), key=lambda v: [int(part) for part in v.split(".")])


def newest_of_tuples(s: str) -> str:
    return ".".join(map(str, max([tuple(map(int, v.split("."))) for v in s.split(",")])))


def lists_in_order(s: str) -> str:
    return "|".join("/".join(parts) for parts in sorted([w.split("a") for w in s.split()]))


def by_lists(s: str) -> str:
    return ",".join(sorted(s.split(), key=lambda w: ([ord(c) for c in w], len(w)), reverse=True))


def in_steps(s: str) -> str:
    for step in STEPS:
        s = step(s)
    return s


def in_steps_of_its_own(s: str) -> str:
    for step in (str.strip, str.lower):
        s = step(s)
    return s


def by_name(s: str) -> str:
    return CASES[s.split()[0]](s) if s.split()[0] in CASES else CASES["ß"](s)


def one_of_two(s: str) -> str:
    change = str.upper if len(s) > 3 else str.lower
    return change(s) + "".join(map(str.swapcase, s.split()))


def reduced(s: str) -> str:
    return functools.reduce(lambda v, f: f(v), (str.strip, str.capitalize), s)


def by_operator(s: str) -> str:
    does = {"a": lambda v, w: v + w, "b": lambda v, w: v * w if w else v, "x": max}
    return str(does[s.strip()[0].lower()](len(s), 7))


def cleaned_in_steps(s: str) -> str:
    for step in [str.strip, lambda t: t.replace(" ", "-"), str.upper, lambda t: t[:5]]:
        s = step(s)
    return s


def with_what_varies(s: str) -> str:
    size = len(s)
    steps = [lambda t: t + str(size), lambda t: t[::-1]]
    return steps[1](s)


def of_units(s: str) -> str:
    units = dict(km=1000, m=1, cm=0.01)  # noqa: C408
    number, unit = s.split()
    return str(int(number) * units[unit])


def of_truth(s: str) -> str:
    return {True: YES, False: NO}[s.startswith("a")] + {True: "+", False: "-"}[len(s) > 3]


def roman(s: str) -> str:
    values = dict(a=1, b=5, x=10)  # noqa: C408
    total = 0
    for one, following in zip(s, s[1:] + " ", strict=True):
        total += -values[one] if values.get(following, 0) > values[one] else values[one]
    return str(total)


def replaced(s: str) -> str:
    return re.sub(r"[ab]+", lambda found: str.upper(found.group()), s)


FUNCTIONS: list[Callable[[str], object]] = [
    items_of_lists, items_backwards, greatest_item, newest, newest_of_tuples, lists_in_order,
    by_lists, in_steps, in_steps_of_its_own, by_name, one_of_two, reduced, of_units, of_truth,
    roman, replaced, by_operator, cleaned_in_steps, with_what_varies,
]  # fmt: skip


@pytest.mark.parametrize("function", FUNCTIONS)
def test_it_is_as_in_python(java: Java, function: Callable[[str], object]) -> None:
    assert answered_alike(java, function, [TEXT], TEXT, [(s,) for s in TEXTS])


def lists_and_tuples(s: str) -> str:
    parts = [[int(v) for v in s.split(".")]]
    parts.append(tuple(map(int, s.split(","))))  # type: ignore[arg-type]
    return str(max(parts))


def test_lists_are_not_compared_with_tuples() -> None:
    with pytest.raises(NotCompiled, match="some are lists and some tuples"):
        translate(lists_and_tuples, [TEXT], TEXT)


def test_lists_of_floats_are_left_to_python() -> None:
    with pytest.raises(NotCompiled, match="neither numbers nor texts"):
        translate(
            lambda v: len(sorted([[x, 1.0] for x in v])), [ArrayType(DoubleType())], LongType()
        )
