"""``json.dumps`` in the JVM, next to Python's."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable
from typing import Any

import pytest
from java_calls import Java, answer, same, wrong_rows
from pyspark.sql.types import (
    ArrayType,
    BooleanType,
    DataType,
    DoubleType,
    LongType,
    StringType,
)
from test_java_documents import documents

import notebook_udf as nu
from notebook_udf import udf
from notebook_udf.compile.java.java_class import translate
from notebook_udf.compile.java.writing.terms import NotCompiled

TEXT, LONG, DOUBLE, BOOLEAN = StringType(), LongType(), DoubleType(), BooleanType()


def event(text: str) -> str:
    words = text.split()
    return json.dumps(
        {
            "kind": "é\n",
            "n": len(words),
            "words": words,
            "of": {"text": text, "": None},
            "t": (1, text),
        }
    )


def twice(text: str) -> str:
    made = {"a": text, "b": 1, "a": text.upper()}  # noqa: F601
    return json.dumps(made) + json.dumps([made, []])


def perhaps(text: str) -> str:
    found = re.search(r"(\d+)|(é)", text)
    number = int(found[1]) if found and found[1] else None
    return json.dumps([number, found.group(2) if found else None, bool(found)])


OF_TEXTS: list[tuple[Callable[..., Any], DataType]] = [
    (lambda s: json.dumps(s), TEXT),
    (lambda s: json.dumps({"a": s}), TEXT),
    (lambda s: json.dumps({"ä": s, "b": [s, 1.5]}, ensure_ascii=False), TEXT),
    (lambda s: json.dumps({"a": s, "b": [s, True]}, separators=(",", ":")), TEXT),
    (lambda s: json.dumps([1, None, "x"]) + s, TEXT),
    (lambda s: json.loads(json.dumps({"a": s}))["a"], TEXT),
    (event, TEXT),
    (twice, TEXT),
    (perhaps, TEXT),
]


def texts(seed: int, count: int) -> list[Any]:
    chance = random.Random(seed)
    letters = [chr(c) for c in range(160)] + [*"éß😀𐀀", "\u2028", "\ud7ff", "\ue000", "\uffff"]
    made: list[Any] = [None, "", *letters, "\U0010ffff", "a b  c", "12", "x 7"]
    for _ in range(count):
        made.append("".join(chance.choices(letters, k=chance.randint(1, 9))))
    return made


@pytest.mark.parametrize(("function", "result"), OF_TEXTS)
def test_texts_are_written_as_in_python(
    java: Java, function: Callable[..., Any], result: DataType
) -> None:
    assert wrong_rows(java, function, result, texts(2, 600)) == []


def test_documents_are_written_as_in_python(java: Java) -> None:
    def again(text: str) -> str:
        return json.dumps(json.loads(text)) + json.dumps({"d": [json.loads(text)]})

    assert wrong_rows(java, again, TEXT, documents(15, 2500)) == []


REALS = [
    *(0.0, -0.0, 1.0, 0.1, 1e16, 1e15, 123456789.125, 1e-5, 0.0001, 5e-324, 1.7976931348623157e308),
    *(float("nan"), float("inf"), float("-inf"), 1e22, 2.5, None),
]
WHOLES = [0, 1, -1, 2**63 - 1, -(2**63), 10**18, None]
CASES: list[tuple[Callable[..., Any], DataType, list[Any]]] = [
    (lambda x: json.dumps({"x": x, "y": [x, x is None]}), DOUBLE, REALS),
    (lambda n: json.dumps({"n": n, "twice": n * n * n}), LONG, WHOLES),
    (lambda n: json.dumps(n), LONG, WHOLES),
    (lambda b: json.dumps([b, not b, {"b": b}]), BOOLEAN, [True, False, None]),
    (lambda xs: json.dumps(xs), ArrayType(DOUBLE), [REALS, [], None]),
    (
        lambda xs: json.dumps({"n": len(xs), "xs": xs}),
        ArrayType(TEXT),
        [["a", None, "é"], [], None],
    ),
    (lambda xs: json.dumps([x + 1 for x in xs]), ArrayType(LONG), [[1, 2**63 - 1], [], [None]]),
]


@pytest.mark.parametrize(("function", "given", "values"), CASES)
def test_numbers_and_lists_are_written_as_in_python(
    java: Java, function: Callable[..., Any], given: DataType, values: list[Any]
) -> None:
    made = translate(function, [given], TEXT)
    rows = [(each,) for each in values]
    for row, found in zip(rows, java.rows(made, rows), strict=True):
        assert same(found, answer(function, row)), (row, found)


def test_a_document_in_a_query(session: nu.Session) -> None:
    made = udf(lambda m: json.dumps({"m": m}), input_types="map<string,int>", result_type="string")
    session.register_function("in_java_dumped", made)
    try:
        frame = session.sql(
            "SELECT in_java_dumped(map('z', 1, 'a', int(id), 'é', NULL)) AS d FROM range(2)"
        )
        assert "Python" not in frame._jdf.queryExecution().executedPlan().toString()
        found = [json.loads(row.d) for row in frame.collect()]
        assert found == [{"m": {"z": 1, "a": n, "é": None}} for n in range(2)]
        assert all(list(each["m"]) == ["z", "a", "é"] for each in found)
    finally:
        session.drop_function("in_java_dumped")


def test_what_stays_in_python() -> None:
    cases: list[tuple[Callable[..., Any], str]] = [
        (lambda s: json.dumps({1: s}), "keys may be no texts"),
        (lambda s: json.dumps({"a": s}, skipkeys=True), "these arguments"),
        (lambda s: json.dumps(s.encode()), "dumps of a bytes"),
        (lambda s: json.dumps(json.loads(s), ensure_ascii=False), "surrogate pair"),
        (lambda s: "x" if {"a": s} else "y", "a dict"),
        (lambda s: str({"a": s}), "a dict"),
    ]
    for function, why in cases:
        with pytest.raises(NotCompiled, match=why):
            translate(function, [TEXT], TEXT)
