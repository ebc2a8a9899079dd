"""What a variable is in a handler, where it is set inside ``try``, is as in Python."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from pyspark.sql.types import ArrayType, LongType, StringType

from notebook_udf.compile.java.java_class import translate
from notebook_udf.compile.java.writing.terms import NotCompiled
from tests.spark.java_calls import Java, answered_alike, wrong_rows

TEXTS = [
    *("", "0", "1", "7", " 12 ", "-3", "12,5", "1,x", "x,1", "a,b", "3,,4", "100", "abc"),
    *("9" * 25, "1_0", "1e3", "nan", "5,0,2", "0,0", "é,1", None),
]


def cleaned(s: str) -> str:
    text = s.strip()
    try:
        text = text.replace(",", "")
        return str(float(text))
    except ValueError:
        return text


def steps(s: str) -> str:
    state = "start"
    try:
        n = int(s)
        state = "parsed"
        r = 10 // n
        state = "divided"
        state = s[r]
    except ValueError:
        return state + " value"
    except ZeroDivisionError:
        return state + " zero"
    except IndexError:
        state += " index"
    return state


def in_a_loop(s: str) -> str:
    total = 0
    for part in s.split(","):
        n = -1
        try:
            n = int(part)
            total += 100 // n
        except ValueError:
            total += n
        except ZeroDivisionError:
            total -= 5 + n
    return str(total)


def of_several_types(s: str) -> str:
    found: Any = None
    try:
        found = s.strip()
        real = float(found)
        found = real * 2
        inverse = 1 / found
    except (ValueError, ZeroDivisionError) as error:
        return f"{type(error).__name__} {found}"
    return str(inverse)


def one_within_another(s: str) -> str:
    step = 0
    try:
        try:
            step = 1
            n = int(s)
            step = 2
        except ValueError:
            step += 10
            n = int(s + "0")
            step += 20
        rest = 5 % n
        step += 100
    except ValueError:
        return f"outer {step}"
    except ZeroDivisionError:
        return f"zero {step}"
    return f"{step} {rest}"


def with_a_finally(s: str) -> str:
    found = "none"
    try:
        found = s.split(",")[1]
        found = found + str(int(found))
    except IndexError:
        pass
    except ValueError:
        found = found.upper()
    found = found + "!"
    return found


def unpacked(s: str) -> str:
    a, b = "x", "y"
    try:
        a, b = s.split(",")
        b = str(int(b) + 1)
        a = str(int(a) + 1)
    except ValueError:
        return f"{a}|{b}"
    return f"{b}|{a}"


def raised_by_itself(s: str) -> str:
    seen = ""
    try:
        for letter in s:
            seen += letter
            if letter == ",":
                raise ValueError
            seen = seen + "."
    except ValueError:
        return seen + "<"
    return seen


def until_it_fails(s: str) -> str:
    key = ""
    while True:
        try:
            key = s[len(key) : len(key) + 2]
            if int(key) > 10:
                break
            s = s[1:]
        except ValueError:
            if not s:
                return "end" + key
            s = s[1:]
    return key


@pytest.mark.parametrize(
    "function",
    [
        *(cleaned, steps, in_a_loop, of_several_types, one_within_another, with_a_finally),
        *(unpacked, raised_by_itself, until_it_fails),
    ],
)
def test_of_texts(java: Java, function: Callable[..., Any]) -> None:
    assert wrong_rows(java, function, StringType(), TEXTS) == []


def test_what_a_loop_came_to(java: Java) -> None:
    def product(xs: list[int]) -> int:
        at, found = 0, 1
        try:
            while True:
                found = found * xs[at]
                at = at + 1
        except IndexError:
            return found * 10 + at

    rows = [([],), ([3],), ([2, 3, 4],), ([1 << 62, 4],), ([0, 1, -1],)]
    assert answered_alike(java, product, [ArrayType(LongType())], LongType(), rows) == 4


def deleted_before(s: str) -> str:
    text = s
    try:
        del text
        return str(int(s))
    except ValueError:
        return text  # noqa: F821


def deleted_after(s: str) -> str:
    text = s
    try:
        n = int(s)
        del text
        return str(1 // n)
    except (ValueError, ZeroDivisionError):
        return text  # noqa: F821


def deleted_without_a_value(s: str) -> str:
    text = "old"
    try:
        if s == "a":
            late = 1
        text = "new"
        del late
        text = "newer"
    except NameError:
        return text
    return text


@pytest.mark.parametrize("function", [deleted_before, deleted_after, deleted_without_a_value])
def test_what_is_deleted_within_try_has_no_java(function: Callable[..., Any]) -> None:
    with pytest.raises(NotCompiled, match="may have no value"):
        translate(function, [StringType()], StringType())


def test_what_is_deleted_otherwise(java: Java) -> None:
    def found(s: str) -> str:
        text, parts = s.strip(), s.split(",")
        try:
            n = int(text)
            del text
        except ValueError as error:
            text = str(error)[:7]
            return text + str(len(parts))
        del parts
        return str(n)

    assert wrong_rows(java, found, StringType(), TEXTS) == []
