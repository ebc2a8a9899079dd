"""Names of types, objects that are called, and lists with None beside try, as in Python."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from pyspark.sql.types import ArrayType, DoubleType, LongType, StringType

import notebook_udf as nu
from notebook_udf.compile.java.java_class import translate
from notebook_udf.compile.java.writing.terms import NotCompiled
from tests.spark.java_calls import Java, answered_alike, wrong_rows

TEXT, LONG, DOUBLE = StringType(), LongType(), DoubleType()
TEXTS: tuple[str | None, ...] = (None, "", "1", "-7", "1.5", "x", "nan", " 2 ", "1e3", "a,b", "é")
DOCUMENTS: tuple[str | None, ...] = (
    *(
        None,
        "1",
        "1.5",
        '"x"',
        "true",
        "null",
        "[1, 2]",
        '{"a": 1}',
        "{",
        "",
        '{"b": null, "a": 2}',
    ),
    *(
        '[{"n": "x"}, {"n": "a"}]',
        '[{"n": "x"}, {"n": 1}]',
        '[{"n": "x"}, {"m": "y"}]',
        '[{"n": "b"}]',
        '["b", null]',
        '["b", "a"]',
        "[3, 1.5, true]",
        '{"a": [1, null]}',
    ),
)
LISTS: tuple[tuple[Any, ...], ...] = (
    *((None,), ([],), ([1],), ([3, 1, 2],), ([1, None],), ([None],), ([None, None],), ([2, 2],)),
    ([5, None, -5, 7],),
)


@pytest.fixture(scope="module")
def java(session: nu.Session) -> Java:
    return Java(session.spark._jvm)


def kind_of(s: str) -> str:
    for cast in (int, float):
        try:
            return type(cast(s)).__name__
        except ValueError:
            pass
    return "str"


def error_of(s: str) -> str:
    try:
        return str(10 // int(s) + [1, 2][len(s)] + {"1": 5}[s])
    except Exception as e:
        return type(e).__name__


def error_and_text(s: str) -> str:
    try:
        return str(int(s))
    except (TypeError, ValueError) as error:
        return f"{type(error).__name__}: {error}"


class Refused(ValueError):
    pass


def refused(s: str) -> int:
    if s == "":
        raise Refused("empty")
    if s == "x":
        raise NotImplementedError
    return int(s)


def own_error(s: str) -> str:
    try:
        return str(10 // (refused(s) - 1))
    except ArithmeticError as error:
        return error.__class__.__name__
    except Exception as error:
        return f"{type(error).__name__}: {error}"


def one_of_several(s: str) -> str:
    found = int(s) if s.isdigit() else s if s else None
    return f"{type(found).__name__} {type(found).__qualname__}"


def of_document(s: str) -> str:
    return type(json.loads(s)).__name__


class Scaled:
    def __init__(self, low: float, high: float) -> None:
        self.low, self.high = low, high

    def __call__(self, value: float, digits: int = 2) -> float:
        return round((value - self.low) / (self.high - self.low), digits)


@dataclass(frozen=True)
class Prefixed:
    prefix: str

    def __call__(self, text: str) -> str:
        return self.prefix + text.strip()


SCALED, PREFIXED = Scaled(2.0, 10.0), Prefixed("id-")


def scaled(s: str) -> str:
    return f"{SCALED(float(s))} {SCALED(float(s), 1)} {SCALED(float(s), digits=3)}"


def prefixed(s: str) -> str:
    return PREFIXED(s) + "".join(map(PREFIXED, s))


@pytest.mark.parametrize(
    "function",
    [kind_of, error_of, error_and_text, own_error, one_of_several, scaled, prefixed],
)
def test_of_texts(java: Java, function: Callable[..., Any]) -> None:
    assert answered_alike(java, function, [TEXT], TEXT, [(text,) for text in TEXTS]) > 2


def keys_of(s: str) -> str:
    try:
        found = json.loads(s)
    except json.JSONDecodeError:
        return "none"
    return ",".join(sorted(found)) if isinstance(found, dict) else "other"


def names_of(s: str) -> str:
    try:
        return ",".join(sorted(each["n"] for each in json.loads(s)))
    except (ValueError, KeyError, TypeError):
        return "wrong"


def any_in_order(s: str) -> str:
    try:
        found = sorted(json.loads(s), reverse=True)
    except (TypeError, ValueError) as error:
        return type(error).__name__
    return ",".join([json.dumps(each) for each in found])


def greatest_name(s: str) -> str:
    return max(json.loads(s), key=lambda each: each["n"])["n"]


def test_of_listed_documents(java: Java) -> None:
    assert answered_alike(java, greatest_name, [TEXT], TEXT, [(text,) for text in DOCUMENTS]) > 1


@pytest.mark.parametrize("function", [of_document, keys_of, names_of])
def test_of_documents(java: Java, function: Callable[..., Any]) -> None:
    assert answered_alike(java, function, [TEXT], TEXT, [(text,) for text in DOCUMENTS]) > 4


def test_any_document_in_order(java: Java) -> None:
    def may_give_up(text: str) -> bool:
        # Of dicts, of halves of pairs, and of NaNs in lists.
        return any(each in text for each in ("{", "ud800", "NaN"))

    assert wrong_rows(java, any_in_order, TEXT, list(DOCUMENTS), may_give_up) == []


def second(numbers: list[int]) -> int | None:
    try:
        return sorted(set(numbers), reverse=True)[1]
    except IndexError:
        return None


def in_order(numbers: list[int]) -> str:
    try:
        return ",".join(str(each) for each in sorted(numbers))
    except TypeError:
        return "type"


def by_key(numbers: list[int]) -> str:
    try:
        return str(sorted(numbers, key=lambda n: (-n, n))[0])
    except TypeError:
        return "type"
    except IndexError:
        return "index"


def by_what_may_be_none(numbers: list[int]) -> str:
    try:
        return str(sorted(numbers, key=lambda n: n if n != 5 else None))
    except TypeError:
        return "type"


def sorted_there(numbers: list[int]) -> str:
    made = list(numbers)
    try:
        made.sort(reverse=True)
    except TypeError:
        return "type"
    return str(made)


def extremes(numbers: list[int]) -> str:
    try:
        return f"{max(numbers)} {min(numbers)} {max(set(numbers))}"
    except (TypeError, ValueError) as error:
        return type(error).__name__


def total(numbers: list[int]) -> int:
    try:
        return sum(numbers)
    except TypeError:
        return -1


@pytest.mark.parametrize(
    "function", [second, in_order, by_key, by_what_may_be_none, sorted_there, extremes, total]
)
def test_of_lists(java: Java, function: Callable[..., Any]) -> None:
    result = LONG if function in (second, total) else TEXT
    assert answered_alike(java, function, [ArrayType(LONG)], result, LISTS) > 3


def total_of_reals(numbers: list[float]) -> str:
    try:
        return f"{sum(numbers)} {max(numbers)}"
    except TypeError:
        return "type"
    except ValueError:
        return "value"


def test_of_lists_of_reals(java: Java) -> None:
    rows = [(None,), ([],), ([1.5],), ([None, 1.0],), ([1e308, 1e308, None],), ([0.1] * 10,)]
    assert answered_alike(java, total_of_reals, [ArrayType(DOUBLE)], TEXT, rows) > 3


def as_it_comes(numbers: list[int]) -> str:
    try:
        # Python raises at the None, before it divides by what comes after it.
        return str(sum(10 // each if each else each for each in numbers))
    except TypeError:
        return "type"
    except ZeroDivisionError:
        return "zero"


def test_what_a_generator_gives_one_by_one_is_left_to_python() -> None:
    with pytest.raises(NotCompiled, match="beside try"):
        translate(as_it_comes, [ArrayType(LONG)], TEXT)
