"""Methods of a text one after the other, which Java does on the letters, give Python's texts."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest
from pyspark.sql.types import StringType
from test_java_text import MIXED, PLAIN, drawn

from notebook_udf.compile.java.java_class import translate
from tests.spark.java_calls import Java, wrong_rows

_CALLS = (
    *(".upper()", ".lower()", ".title()", ".capitalize()", ".swapcase()", ".casefold()"),
    *(".strip()", ".lstrip()", ".rstrip()", ".strip('a-')", ".lstrip('A ')", ".rstrip('é.')"),
    *(".replace('a', 'b')", ".replace(' ', '')", ".replace('A', 'xy')", ".replace('ab', 'c')"),
    *(".replace('a', 'é')", ".replace('é', 'a')", ".replace('', '.')", ".replace('b', 'c', 1)"),
    *(".removeprefix('a')", ".removeprefix('AB')", ".removesuffix('b')", ".removesuffix('')"),
    *("[::-1]", "[1:]", "[:-1]", "[2:5]", "[-3:]", "[::2]", "[5:2]", "[:0]", "[-4:-1:-1]"),
)
_TEXTS = ["", *PLAIN[:60], *MIXED[:120], *drawn(17, 60, [*map(chr, range(128)), *"aA "], 40)]


def chain(seed: int) -> tuple[str, Callable[..., Any]]:
    """Some methods in a row: in one expression, or by one name or several."""
    chance = random.Random(seed)
    calls = [chance.choice(_CALLS[:6]), *chance.choices(_CALLS, k=chance.randint(1, 5))]
    chance.shuffle(calls)
    lines = ["    return s" + "".join(calls)]
    spelling = seed % 3
    if spelling == 1:
        lines = [*(f"    s = s{call}" for call in calls), "    return s"]
    elif spelling == 2:
        names = ["s", *(f"s{i}" for i in range(len(calls)))]
        named = zip(names[1:], names, calls, strict=False)
        lines = [f"    {name} = {of}{call}" for name, of, call in named]
        # One of them is used again.
        lines.append(f"    return {names[-1]} + {chance.choice(names)}")
    source = "\n".join(["def changed(s):", *lines])
    scope: dict[str, Any] = {}
    exec(compile(source, f"<chain {seed}>", "exec"), scope)
    return source, scope["changed"]


@pytest.mark.parametrize("first", range(0, 120, 30))
def test_methods_one_after_the_other(java: Java, first: int) -> None:
    joined = 0
    for seed in range(first, first + 30):
        source, function = chain(seed)
        made = translate(function, [StringType()], StringType())
        joined += "new PySteps" in made.source
        assert wrong_rows(java, function, StringType(), _TEXTS) == [], source
    assert joined > 15


def _again(s: str) -> str:
    upper = s.upper()
    return upper[::-1] + upper


def _in_a_loop(s: str) -> str:
    lower = s.lower()
    made = ""
    for _ in range(3):
        made = made + lower[::-1]
    return made


def _in_a_branch(s: str) -> str:
    name = s.strip().title()
    if name.endswith("B"):
        name = name.replace("b", "").lower()
    return name.upper()[::-1]


def _one_part(s: str) -> str:
    parts = s.split(" ")
    return parts[0].upper().strip()


def _parts_by_turns(s: str) -> str:
    return s.split("a")[-1] + s.split()[0].lower() + str(len(s.split("b")))


def _parts_used_twice(s: str) -> str:
    parts = s.split("a")
    return parts[-1] + parts[0]


def _parts_changed(s: str) -> str:
    parts = s.split("a")
    parts.append("b")
    return parts[-1]


def _where_it_may_raise(s: str) -> str:
    try:
        return s.lower()[::-1].replace("a", "")[int(s) :]
    except ValueError:
        return s.upper().strip()


@pytest.mark.parametrize(
    ("function", "together"),
    [
        (_again, ""), (_in_a_loop, ""), (_in_a_branch, "new PySteps"),
        (_where_it_may_raise, "new PySteps"), (_one_part, "PyText.part("),
        (_parts_by_turns, "PyText.parts("), (_parts_used_twice, ""), (_parts_changed, ""),
    ],
)  # fmt: skip
def test_texts_that_are_used_again(java: Java, function: Callable[..., Any], together: str) -> None:
    assert wrong_rows(java, function, StringType(), ["1", "2 ab", "aB", *_TEXTS]) == []
    source = translate(function, [StringType()], StringType()).source
    joined = [each for each in ("new PySteps", "PyText.part") if each in source]
    assert bool(joined) == bool(together)
    assert together in source
