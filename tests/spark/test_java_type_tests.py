"""``isinstance`` and ``type`` in the JVM, next to Python's."""

from __future__ import annotations

import datetime as dt
import json
import numbers
from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import Any

import pytest
from java_calls import Java, answered_alike
from pyspark.sql.types import (
    BooleanType,
    DataType,
    DateType,
    DecimalType,
    DoubleType,
    LongType,
    StringType,
    TimestampNTZType,
)

TEXT = StringType()


def said(value: Any) -> str:
    found = [isinstance(value, int), isinstance(value, (float, str)), isinstance(value, bool)]
    found += [isinstance(value, dt.date), isinstance(value, dt.datetime)]
    found += [isinstance(value, numbers.Number), isinstance(value, Sequence)]
    found += [isinstance(value, Decimal), isinstance(value, list), isinstance(value, int | str)]
    found += [type(value) == int, type(value) is str, type(value) != float]  # noqa: E721
    found += [type(value) is type(None), type(value) in (dt.date, bool), str is not type(value)]
    return "".join("1" if each else "0" for each in found)


def of_several(value: Any) -> str:
    mixed = value if value is None or value > 2 else str(value)
    other = 1.5 if value == 3 else mixed
    return said(other)


def of_a_document(text: Any) -> str:
    try:
        found = json.loads(text)
    except ValueError:
        return "none"
    kinds = [type(found) is dict, type(found) == bool, type(found) == int]  # noqa: E721
    kinds += [type(found) in (float, list), isinstance(found, int | str), found is None]
    return "".join("1" if each else "0" for each in kinds)


def read(value: Any) -> float:
    return value * 2.0 if type(value) is float else -1.0


WHEN = dt.datetime(2024, 2, 29, 12, 30)
CASES: list[tuple[Callable[..., Any], DataType, DataType, list[Any]]] = [
    (said, LongType(), TEXT, [1, 0, -5, None]),
    (said, DoubleType(), TEXT, [1.0, float("nan"), None]),
    (said, BooleanType(), TEXT, [True, False, None]),
    (said, TEXT, TEXT, ["", "a", None]),
    (said, DateType(), TEXT, [WHEN.date(), None]),
    (said, TimestampNTZType(), TEXT, [WHEN, None]),
    (said, DecimalType(10, 2), TEXT, [Decimal("1.50"), None]),
    (of_several, LongType(), TEXT, [*range(6), None]),
    (of_a_document, TEXT, TEXT, ["{}", "[]", "true", "1", "1.5", '"a"', "null", "x", "1e400"]),
    (read, DoubleType(), DoubleType(), [1.5, None]),
]


@pytest.mark.parametrize(("function", "given", "result", "values"), CASES)
def test_each_value(
    java: Java, function: Callable[..., Any], given: DataType, result: DataType, values: list[Any]
) -> None:
    rows = [(value,) for value in values]
    assert answered_alike(java, function, [given], result, rows) == len(rows)
