"""``json.loads`` in the JVM: each field, and each text that is none, as in Python."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import notebook_udf as nu
from notebook_udf import udf
from notebook_udf.compile.java.java_class import translate
from notebook_udf.compile.java.terms import NotCompiled
from notebook_udf.worker.codec.encode import encoder
from tests.fuzz.functions import comparable
from tests.spark.java_calls import Java, answer

NAMES = st.sampled_from(["a", "b", "n", "ä", ""])
LEAVES = (
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.integers(-9, 9)
    | st.floats()
    | st.text('aÄ😀"\\/\n\x1f {}[]', max_size=4)
    | st.sampled_from(["7", " 8 ", "2.5"])
)
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=6,
)
DOCUMENTS = st.builds(
    lambda value, plain, indent: json.dumps(value, ensure_ascii=plain, indent=indent),
    st.dictionaries(NAMES, VALUES, max_size=4) | VALUES,
    st.booleans(),
    st.sampled_from([None, 1]),
)
# What stands in a document in place of something, or beside it.
NOISE = ("", "{", "}", "[", "]", ",", ":", '"', "\\", "\\u00e", "\\ud83d\\ude00", "0", "01", "-")
MORE = ("1.", "1e", "1E+400", "-0", ".5", "NaN", "-Infinity", "nul", "true", "\ufeff", "\t", "'a'")


def text_field(s: str) -> str | None:
    return json.loads(s)["a"]


def number_field(s: str) -> int | None:
    return json.loads(s)["a"]


def real_field(s: str) -> float | None:
    return json.loads(s)["b"]


def truth_field(s: str) -> bool | None:
    return json.loads(s)["a"]


def nested(s: str) -> str | None:
    return json.loads(s)["a"]["b"]


def placed(s: str) -> int | None:
    return json.loads(s)[0]


def last(s: str) -> str | None:
    return json.loads(s)["a"][-1]


def got(s: str) -> str | None:
    return json.loads(s).get("a", "none")


def several(s: str) -> str:
    document = json.loads(s)
    if document.get("n") is None:
        return "no n"
    return document["a"].upper() if "a" in document else "no a"


def as_int(s: str) -> int:
    return int(json.loads(s)["a"]) + 1


def as_float(s: str) -> float:
    return float(json.loads(s).get("b", 0))


def caught(s: str) -> str:
    try:
        return json.loads(s)["a"].strip()
    except json.JSONDecodeError:
        return "no document"
    except (KeyError, TypeError):
        return "no field"


def caught_as_value(s: str) -> str | None:
    try:
        return json.loads(s)["a"]
    except ValueError:
        return "no document"


def is_seven(s: str) -> bool:
    document = json.loads(s)
    return document["a"] == 7 or document["a"] != document["b"]


def anything(s: str) -> bool:
    return bool(json.loads(s))


FUNCTIONS = (
    text_field, number_field, real_field, truth_field, nested, placed, last, got, several, as_int,
    as_float, caught, caught_as_value, is_seven, anything,
)  # fmt: skip


@pytest.fixture(scope="module")
def java(session: nu.Session) -> Java:
    return Java(session.spark._jvm)


def noisy(document: str, place: int, cut: int, noise: str) -> str:
    at = place % (len(document) + 1)
    return document[:at] + noise + document[at + cut :]


TEXTS = DOCUMENTS | st.builds(
    noisy, DOCUMENTS, st.integers(0, 99), st.integers(0, 2), st.sampled_from([*NOISE, *MORE])
)


@pytest.mark.timeout(240)
@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda each: each.__name__)
def test_fields(java: Java, function: Callable[[str], Any]) -> None:
    declared = udf(function)
    made = translate(function, declared.input_types, declared.result_type)  # type: ignore[arg-type]
    encode = encoder(declared.result_type)

    def in_column(text: Any) -> Any:
        return encode([function(text)]).to_pylist()[0]

    @settings(max_examples=30, deadline=None)
    @given(st.lists(TEXTS | st.none(), min_size=12, max_size=12))
    def check(texts: list[Any]) -> None:
        rows = [(text,) for text in texts]
        for row, found in zip(rows, java.rows(made, rows), strict=True):
            expected = answer(in_column, row)
            assert type(found) is type(expected), (row, found, expected)
            assert comparable(found) == comparable(expected), (row, found, expected)

    check()


@pytest.mark.parametrize(
    "function",
    [
        lambda s: json.loads(s, parse_float=str)["a"],
        lambda s: str(json.loads(s)["a"]),
        lambda s: json.loads(s)["a"] * 2,
        lambda s: len(json.loads(s)),
        lambda s: json.loads(s)["a"].count("x"),
        lambda s: json.loads(s)[s],
        lambda s: f"{json.loads(s)['a']}",
    ],
)
def test_what_depends_on_more_stays_in_python(function: Callable[[str], Any]) -> None:
    declared = udf(function, input_types="string", result_type="string")
    with pytest.raises(NotCompiled):
        translate(function, declared.input_types, declared.result_type)  # type: ignore[arg-type]
