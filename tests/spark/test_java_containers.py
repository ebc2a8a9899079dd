"""What a list, a dict or a tuple is does not depend on how a function came by it."""

from __future__ import annotations

from collections import deque, namedtuple
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from java_calls import Java, answered_alike
from pyspark.sql.types import LongType, StringType

from notebook_udf.compile.java.java_class import translate
from notebook_udf.compile.java.writing.terms import NotCompiled

LONG, TEXT = LongType(), StringType()
NUMBERS = [(0,), (1,), (2,), (5,), (-3,), (None,)]
TEXTS = [(text,) for text in ("", "1.2", "3.9", "3.10.1", "10", "a.b", "12.50", "3.9.x", None)]
LEAST = (3, 9)

Pair = namedtuple("Pair", "a b")


@dataclass
class Point:
    a: int
    b: int


def keys_of_a_dict(n: int) -> str:
    kept = {"x": str(n), "y": "b"}
    return f"{max(kept)}{min(kept)}{''.join(kept)}{[*map(str.upper, kept)]}"


def a_loop_over_dicts(n: int) -> str:
    said = []
    for each in [{"a": n, "b": 1}, {"a": 2, "b": n}]:
        said.append(f"{each['a']}{list(each)}{max(each)}{len(each)}")
        said.append(",".join(key for key in each))
    return ";".join(said)


def a_loop_over_lists(n: int) -> str:
    return ";".join(str([*each, 3]) + str(each) for each in [[n, 1], [2, n]])


def a_tuple_or_none(n: int) -> str:
    found = (n, 1) if n > 1 else None
    other = Pair(n, 1) if n > 2 else None
    return f"{found == (2, 1)}{found != (2, 1)}{found == other}{found == found}"


def multiplied_in_place(n: int) -> str:
    one = [n, 1]
    other, outer = one, [one, one]
    one *= 2
    outer[0] *= n
    return f"{one}{other}{outer[0]}{outer[1]}"


def updated(n: int) -> str:
    best: dict[str, Any] = {"score": n, "who": "-"}
    other: dict[str, Any] = {"who": "b", "score": 2}
    best["score"] += 1
    if n > 1:
        best.update(other)
    best.update(who="c" if n > 2 else best["who"])
    grown = {f"k{n}": 1}
    grown.update({"a": n}, b=2)
    return f"{best['score']}{best['who']}" + ",".join(f"{k}={v}" for k, v in grown.items())


def an_empty_tuple_or_none(n: int) -> str:
    found = () if n > 1 else None
    return f"{not found}{found or 'none'}"


def a_tuple_in_a_text(n: int) -> str:
    def made() -> tuple[()]:
        return ()

    return f"{made()}{(1, 2)}"


def of_other_lengths(n: int) -> str:
    return f"{(n, 1) > (2,)}{(n,) <= (2, 1)}{(n, 1) < (2, 1, 0)}{(n,) == (2, 1)}"


def a_version(s: str) -> str:
    parts = tuple(int(part) for part in s.split("."))
    return f"{parts >= LEAST}{parts < (3, 10)}{parts == (3, 9)}{parts != (10,)}{parts >= (1, 2)}"


def texts_of_a_version(s: str) -> str:
    return f"{tuple(s.split('.')) > ('3',)}{tuple(s.split('.')) == ('a', 'b')}"


@pytest.mark.parametrize(
    "function",
    [
        *(keys_of_a_dict, a_loop_over_dicts, a_loop_over_lists),
        *(a_tuple_or_none, multiplied_in_place, updated, an_empty_tuple_or_none, a_tuple_in_a_text),
        of_other_lengths,
    ],
)
def test_containers(java: Java, function: Callable[[int], str]) -> None:
    assert answered_alike(java, function, [LONG], TEXT, NUMBERS) > 2


@pytest.mark.parametrize("function", [a_version, texts_of_a_version])
def test_tuples_of_any_length(java: Java, function: Callable[[str], str]) -> None:
    assert answered_alike(java, function, [TEXT], TEXT, TEXTS) > 4


def a_dict_of_a_template(n: int) -> str:
    return "%s-%s" % {"a": n, "b": 1}  # noqa: UP031, F503, F507


def an_object_of_a_template(n: int) -> str:
    return "%s-%s" % Point(n, 1)  # noqa: UP031


def an_object_that_is_gone_through(n: int) -> int:
    return max(Point(n, 1))  # type: ignore[call-overload,no-any-return]


def a_list_or_a_deque(n: int) -> str:
    return str(([n, 1] if n > 1 else deque([n, 1])) * 2)


def a_dict_or_an_empty_tuple(n: int) -> str:
    found: Any = {n: 1} if n > 1 else ()
    return str(not found)


def dicts_and_tuples_in_a_loop(n: int) -> str:
    return str([list(each) for each in [{"a": n, "b": 1}, (n, 1)]])


@pytest.mark.parametrize(
    "function",
    [
        *(a_dict_of_a_template, an_object_of_a_template, an_object_that_is_gone_through),
        *(a_list_or_a_deque, a_dict_or_an_empty_tuple, dicts_and_tuples_in_a_loop),
    ],
)
def test_what_is_left_to_python(function: Callable[[int], Any]) -> None:
    with pytest.raises(NotCompiled):
        translate(function, [LONG], TEXT)
