"""Dicts of lists, tuples, dicts, sets and objects that a function knows, looked up in the JVM."""

from __future__ import annotations

import itertools
import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import pytest

from notebook_udf import udf
from notebook_udf.compile.java.java_class import translate
from notebook_udf.compile.java.writing.terms import NotCompiled
from tests.spark.java_calls import Java, answered_alike


class Plan(NamedTuple):
    price: float
    seats: int


@dataclass(frozen=True)
class Rule:
    low: int
    high: int

    def has(self, n: int) -> bool:
        return self.low <= n < self.high


STATES: dict[str, list[Any]] = {"CA": ["California", "West", 39.5], "NY": ["New York", "East", 19]}
TUPLES = {"CA": ("California", "West", 39), "NY": ("New York", None, 19)}
TIERS: dict[str, dict[str, Any]] = {
    "CA": {"rate": 0.2, "least": 100, "tags": ["a", "b"]},
    "NY": {"rate": 0.1, "least": 5, "tags": ["c"]},
    "": {"rate": None, "tags": []},
}
GROUPS: dict[str, list[str]] = {"CA": ["apple", "pear", "NY"], "NY": ["kale"], "": []}
SETS = {"CA": {1, 2}, "NY": frozenset([5])}
PLANS = {"CA": Plan(0.0, 0), "NY": Plan(9.5, 10)}
RULES = {"CA": Rule(0, 5), "NY": Rule(5, 100)}
MANY = {number: [number * number, str(number)] for number in range(60)}
NESTED = {"CA": {"CA": {"v": 1}, "NY": {"v": 2, "w": 3}}, "NY": {"NY": {"v": 4}}}
MAYBE: dict[str, list[int] | None] = {"CA": [1, 2], "NY": None, "": []}
WORDS = ["apple", "CA", "NY", "CA"]
NUMBERS = (5, 0, 2, 0, 60)
ROWS: tuple[tuple[str, ...], ...] = (("a", "b"), ("c",), ())


def item(k: str, n: int) -> str:
    return STATES[k][1]


def item_from_the_end(k: str, n: int) -> float:
    return STATES[k][-1]


def item_if_there(k: str, n: int) -> str:
    return STATES[k][0] if k in STATES else "?"


def place_that_varies(k: str, n: int) -> str | None:
    return TUPLES[k][n]  # type: ignore[return-value]


def taken_apart(k: str, n: int) -> str:
    name, area, number = TUPLES[k]
    return f"{name} {area} {number}"


def none_first(k: str, n: int) -> str:
    found = STATES.get(k)
    if found is None:
        return "none"
    return found[0]


def false_first(k: str, n: int) -> int:
    found = MAYBE.get(k)
    if not found:
        return -1
    first, second = found
    return first * 10 + second


def what_may_be_none(k: str, n: int) -> int:
    return MAYBE[k][0]  # type: ignore[index]


def length_of_what_may_be_none(k: str, n: int) -> int:
    return len(MAYBE[k])  # type: ignore[arg-type]


def attempted(k: str, n: int) -> int:
    try:
        return MAYBE[k][1]  # type: ignore[index]
    except (KeyError, IndexError):
        return -1
    except TypeError:
        return -2


def dict_of_dicts(k: str, n: int) -> bool:
    tier = TIERS.get(k)
    return tier is not None and n >= tier["least"]


def names_that_some_lack(k: str, n: int) -> float:
    return TIERS[k].get("least", 0) * 2.5


def with_an_empty_one(k: str, n: int) -> float | None:
    return TIERS.get(k, {}).get("rate", 1.5)


def with_another_one(k: str, n: int) -> float | None:
    return TIERS.get(k, TIERS["NY"])["rate"]


def lists_in_dicts(k: str, n: int) -> bool:
    return "c" in TIERS[k]["tags"]


def in_a_list(k: str, n: int) -> bool:
    return k in GROUPS["CA"] or "kale" in GROUPS.get(k, [])


def in_a_tuple_otherwise(k: str, n: int) -> bool:
    return str(n) not in GROUPS.get(k, ("1", "2"))


def in_a_set(k: str, n: int) -> bool:
    return n in SETS[k]


def first_that_has(k: str, n: int) -> str | None:
    for name, words in GROUPS.items():
        if k in words:
            return name
    return None


def records(k: str, n: int) -> float:
    return PLANS[k].price / PLANS[k].seats


def methods_of_objects(k: str, n: int) -> bool:
    return RULES[k].has(n) and RULES[k].low < n


def first_rule(k: str, n: int) -> str | None:
    return next((name for name, rule in RULES.items() if rule.has(n)), None)


def many(k: str, n: int) -> str:
    return MANY[n][1]


def deep(k: str, n: int) -> int:
    return NESTED[k][k]["v"]


def deep_across(k: str, n: int) -> int:
    return NESTED["CA" if n else k][k].get("w", -1)


def lengths(k: str, n: int) -> int:
    return len(GROUPS[k]) + len(TIERS[k]["tags"])


def joined(k: str, n: int) -> str:
    return ",".join(GROUPS[k])


def sums(k: str, n: int) -> int:
    total = 0
    for at, word in enumerate(GROUPS[k]):
        total += at * len(word)
    return total + sum(len(each) for each in GROUPS[k])


def extremes(k: str, n: int) -> str | None:
    return max(GROUPS[k]) + min(GROUPS[k]) if GROUPS[k] else None


def made_of_them(k: str, n: int) -> list[str]:
    return [word.upper() for word in GROUPS[k]]


def copied(k: str, n: int) -> list[str]:
    words = list(GROUPS[k])
    words.append(k)
    return words


def place_in_a_list(k: str, n: int) -> int:
    return WORDS.index(k) * 100 + NUMBERS.index(n)


def any_of_them(k: str, n: int) -> bool:
    return any(each in k for each in ROWS[n])


STEPS: dict[str, Callable[[str], str] | None] = {"CA": str.lower, "NY": None, "": repr}


def function_that_may_be_missing(k: str, n: int) -> str:
    step = STEPS.get(k)
    if step is None:
        return "none"
    return step(k)


def function_if_there(k: str, n: int) -> str:
    step = STEPS.get(k)
    return step(k) if step else k


def function_or_another(k: str, n: int) -> str:
    return {"CA": str.lower, "NY": str.title}.get(k, lambda text: text[::-1] + "!")(k)


def function_unless_missing(k: str, n: int) -> int:
    steps = {"CA": lambda v: v * 2, "NY": operator.neg}
    step = steps.get(k)
    if not step:
        return 0
    return step(n)


def functions_beside_a_list(k: str, n: int) -> int:
    steps = {"CA": operator.add, "NY": operator.mul, "": operator.floordiv}
    kept = [n, 7]
    while len(kept) > 1:
        one, other = kept.pop(), kept.pop()
        if k in steps:
            kept.append(steps[k](one, other))
    return kept[0]


FUNCTIONS: list[Callable[..., Any]] = [
    item, item_from_the_end, item_if_there, place_that_varies, taken_apart, none_first,
    false_first, what_may_be_none, length_of_what_may_be_none, attempted, dict_of_dicts,
    names_that_some_lack, with_an_empty_one, with_another_one, lists_in_dicts, in_a_list,
    in_a_tuple_otherwise, in_a_set, first_that_has, records, methods_of_objects, first_rule, many,
    deep, deep_across, lengths, joined, sums, extremes, made_of_them, copied, place_in_a_list,
    any_of_them, function_that_may_be_missing, function_if_there, function_or_another,
    function_unless_missing, functions_beside_a_list,
]  # fmt: skip
GIVEN = list(
    itertools.product(["CA", "NY", "", "apple", "kale", None], [0, 1, 2, 5, 59, 60, -1, None])
)


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda each: each.__name__)
def test_it_answers_as_in_python(java: Java, function: Callable[..., Any]) -> None:
    declared = udf(function)
    types, result = declared.input_types, declared.result_type
    assert answered_alike(java, function, types, result, GIVEN) >= 4  # type: ignore[arg-type]


def changed(k: str, n: int) -> int:
    words = GROUPS.get(k, [])
    words.append("more")
    return len(words)


def changed_item(k: str, n: int) -> int:
    MANY[n][0] = 5
    return 1


def changed_elsewhere(k: str, n: int) -> int:
    words = GROUPS[k] if n else ["a"]
    words += ["b"]
    return len(words)


class Priced(Plan):
    """Its price is computed, and may be another one in each row."""

    @property
    def price(self) -> float:  # type: ignore[override]
        raise AssertionError("asked for before there is a row")


PRICED = Priced(1.0, 2)


def computed(k: str, n: int) -> float:
    return PRICED.price


def named(k: str, n: int) -> int:
    return len(obj=k)  # type: ignore[call-arg]


@pytest.mark.parametrize("function", [computed, named])
def test_what_is_not_what_it_looks_like_is_left_to_python(function: Callable[..., Any]) -> None:
    declared = udf(function)
    with pytest.raises(NotCompiled):
        translate(function, declared.input_types, declared.result_type)  # type: ignore[arg-type]


@pytest.mark.parametrize("function", [changed, changed_item, changed_elsewhere])
def test_what_changes_them_is_left_to_python(function: Callable[..., Any]) -> None:
    declared = udf(function)
    with pytest.raises(NotCompiled):
        translate(function, declared.input_types, declared.result_type)  # type: ignore[arg-type]
