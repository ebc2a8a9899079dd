"""Ordinary functions run in the JVM, all of them, and answer there as in Python."""

from __future__ import annotations

import inspect
import random
from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest
from pyspark.sql.types import ArrayType, BooleanType, DataType, DoubleType, LongType, StringType

from notebook_udf import udf
from notebook_udf.compile.java.java_class import translate
from tests.fuzz.functions import comparable
from tests.ordinary import lists, numbers, texts
from tests.spark.java_calls import Java, answer, in_column

ROWS = 60
TEXTS = (
    *("", "a", "Ada Lovelace", "ada@example.com", "12,50", "$1,234.50", "007", "-5", "3.14"),
    *("x=1;id=7", "2024-02-29", "20240131", "DE89 3704 0044 0532 0130 00", "hello world"),
    *("https://www.example.com/a?b=c", "Straße ÄÖ", "5 kg", "700g", "#tag and #more", "a, b;c"),
    *("4006381333931", "abcba", "  x  ", "ΑΣ", "😀é", "ff", "zz", "0", "true", "Yes", "a.b.c"),
    *("snake_case_name", "CamelCaseName", "1.2.3.4", "aaabbc", "ABC", "\x1c1", "١٢"),
)
LETTERS = "abAB12 ,.-@#=;éß😀"
INTS = (
    *(0, 1, -1, 2, 5, 7, 12, 13, 15, 17, 30, 64, 65, 99, 100, 255, 1000, 1900, 2000, 3999),
    *(86_399, -255, 2**31, 2**62, -(2**63), 2**63 - 1),
)
FLOATS = (
    *(0.0, -0.0, 1.0, -1.5, 0.1, 2.675, 99.99, 1e300, -1e-300, 5e15, 123456.789, 32.0, 1024.0),
    *(1e22, float("inf"), float("nan")),
)
# A loop over as many as the number says.
SHORT = ("fib", "roman", "prime", "coll", "b36")


def value(chance: random.Random, kind: DataType) -> Any:
    """A value of a type, or None."""
    if chance.random() < 0.07:
        return None
    if isinstance(kind, ArrayType):
        return [value(chance, kind.elementType) for _ in range(chance.randrange(6))]
    if isinstance(kind, LongType):
        return chance.choice(INTS) if chance.random() < 0.6 else chance.randrange(-50, 5000)
    if isinstance(kind, DoubleType):
        return chance.choice(FLOATS) if chance.random() < 0.5 else chance.uniform(-1000, 1000)
    if isinstance(kind, BooleanType):
        return chance.random() < 0.5
    assert isinstance(kind, StringType)
    if chance.random() < 0.7:
        return chance.choice(TEXTS)
    return "".join(chance.choice(LETTERS) for _ in range(chance.randrange(12)))


def compared(found: Any) -> Any:
    """A result as others that are no other answer have it as well; with its types."""
    if isinstance(found, list):
        return [compared(each) for each in found]
    return type(found), comparable(found)


def functions(module: ModuleType) -> list[Any]:
    """The functions of a module, by their names."""
    found = inspect.getmembers(module, inspect.isfunction)
    return [pytest.param(each, id=name) for name, each in found]


@pytest.mark.parametrize("function", [*functions(texts), *functions(numbers), *functions(lists)])
def test_it_answers_as_in_python(java: Java, function: Callable[..., Any]) -> None:
    declared = udf(function)
    types = declared.input_types
    chance = random.Random(function.__name__)
    made = translate(function, types, declared.result_type)  # type: ignore[arg-type]
    rows = [tuple(value(chance, each) for each in types or ()) for _ in range(ROWS)]
    if function.__name__ in SHORT:
        rows = [(abs(row[0]) % 500 + 1 if row[0] is not None else None,) for row in rows]
    expected_of = in_column(function, declared.result_type)
    for row, found in zip(rows, java.rows(made, rows), strict=True):
        expected = answer(expected_of, row)
        assert compared(found) == compared(expected), (row, found, expected)
