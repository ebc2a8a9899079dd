"""JSON documents and URLs in the JVM: each row's answer is Python's; what raises there raises."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable
from json import JSONDecodeError, loads
from typing import Any

import pytest
from java_calls import Java, wrong_rows
from pyspark.sql.types import (
    ArrayType,
    BooleanType,
    DataType,
    DoubleType,
    LongType,
    StringType,
)

import notebook_udf as nu
from notebook_udf import udf

LONG, DOUBLE, TEXT, BOOLEAN = LongType(), DoubleType(), StringType(), BooleanType()
CODES = {"a": 1, "ab": 2}


def gives_up(text: str) -> bool:
    """Whether a document has half of a surrogate pair, of which Java does not have the letters."""
    try:
        said = json.dumps(json.loads(text), ensure_ascii=False)
    except (ValueError, TypeError):
        return False
    return any("\ud800" <= letter < "\ue000" for letter in said)


TEXTS_IN_JSON = [
    *('""', '"a"', '"ab"', '"A b"', '"x\\"y"', '"\\u00e9"', '"\\ud83d\\ude00"', '"😀é"'),
    *('"\\b\\f\\n\\r\\t\\/\\\\"', '"\\ud800"', '"\\udc00x"', '"\\ud800\\ud83d\\ude00"', '"12"'),
    *(
        '" 3.5 "',
        '"1_0"',
        '"\\u0661"',
        '"\\u0000"',
        '"\x7f"',
        '"\\ud83d"',
        '"nan"',
        '"\u2028"',
        '"it\'s"',
        '"it\'s \\"so\\""',
        '"\u0378\U000e0001\xa0"',
    ),
]
NUMBERS_IN_JSON = [
    *("0", "-0", "1", "-1", "12", "-0.0", "0.0", "1.5", "-2.25", "1e2", "1E+2", "1e-2", "0e0"),
    *("1e400", "-1e400", "5e-324", "1e-400", "9223372036854775807", "9223372036854775808"),
    *("-9223372036854775808", "-9223372036854775809", "123456789012345678901234567890"),
    *("999999999999999999", "1000000000000000000", "0.1", "2.5e-3", "NaN", "Infinity", "-Infinity"),
    *("9007199254740993", "1.7976931348623159e308", "1" * 40 + ".5"),
]
OTHERS_IN_JSON = ["null", "true", "false", "[]", "{}", "[1]", '{"a": 1}', '["a", "b"]', "[[1, 2]]"]
# What is no value, or no value yet.
WRONG_IN_JSON = [
    *("", " ", "nul", "True", "'a'", '"', '"a', '"\\x"', '"\\u12"', '"\\u12g4"', '"\\ud800\\u12"'),
    *('"\t"', '"\n"', "01", "-", "+1", ".5", "1.", "1.e1", "1e", "1e+", "-a", "--1", "0x1", "1_0"),
    *("-Inf", "Infinit", "nan", "-NaN", "\u0661", "\ufeff1", "1,", "[1,]", "[,]", "[", "{", "{,}"),
    *('{"a"}', '{"a":}', '{"a":1,}', "{a:1}", "{1:1}", "]", "}", "[1 2]", "[1", '{"a":1', "tru"),
    *("\u00a01", "\x0b1", "1\x0c", "1\x00", "//", "/**/1", "'", "-\u0661", "1.\u0661", "1" * 4301),
    *("1" * 4301 + " x", "[" + "1" * 4301 + ",", "-" + "1" * 4301, "1" * 4300 + "x"),
]
VALUES_IN_JSON = [*TEXTS_IN_JSON, *NUMBERS_IN_JSON, *OTHERS_IN_JSON, "1" * 4300]
KEYS_IN_JSON = ['"a"', '"b"', '"\\u0061"', '"c d"', '""', '"\\ud800"', '"😀"', '"a "']


def document(chance: random.Random, depth: int, wrong: float) -> str:
    """A JSON document, which may be none."""
    if chance.random() < wrong:
        return chance.choice(WRONG_IN_JSON)
    blank = chance.choice(["", "", "", " ", "\n", "\t\r "])
    if depth == 0 or chance.random() < 0.3:
        return blank + chance.choice(VALUES_IN_JSON)
    parts = [document(chance, depth - 1, wrong / 2) for _ in range(chance.randint(0, 3))]
    if chance.random() < 0.3:
        return f"{blank}[{','.join(parts)}{blank}]"
    pairs = [f"{chance.choice(KEYS_IN_JSON)}{blank}:{blank}{part}" for part in parts]
    return f"{{{blank}{(blank + ',').join(pairs)}}}{blank}"


def documents(seed: int, count: int) -> list[Any]:
    chance = random.Random(seed)
    made = [document(chance, 3, 0.08) for _ in range(count)]
    # As they are, without their last letters, and with another letter somewhere.
    made += [text[: chance.randint(0, len(text))] for text in made[: count // 6]]
    for text in made[: count // 6]:
        at = chance.randint(0, len(text))
        made.append(text[:at] + chance.choice('",:[]{}\\ 0-e.\x00u') + text[at + 1 :])
    values = [*VALUES_IN_JSON, *WRONG_IN_JSON]
    return [None, *values, *(f'{{"a": {each}}}' for each in values), *made]


def nested(text: str) -> Any:
    return json.loads(text)["a"]["b"]


def several(text: str) -> str:
    found = json.loads(text)
    first, second = found["a"], found.get("b")
    if second is None:
        return "none"
    return second.upper() if first else second.strip("a")


def guarded(text: str) -> str:
    try:
        found = loads(text)
        return f"{found['a'].lower()}{found.get('b', 'x')[0]}"
    except JSONDecodeError:
        return "no document"
    except KeyError:
        return "no key"
    except (AttributeError, IndexError):
        return "another type"
    except ValueError:
        return "so many digits"
    except TypeError:
        return "none"


def total(text: str) -> float:
    found = 0
    for each in json.loads(text)["a"]:
        found += each
    return found


def product(text: str) -> float:
    found = json.loads(text)
    return found["a"] * 2 + found.get("b", 0)


def doubled(text: str) -> list[Any]:
    found = json.loads(text)
    return found["a"] * 2 + found["a"]


def kind(text: str) -> str:
    found = json.loads(text)
    if isinstance(found, dict):
        found = found.get("a")
    if found is None:
        return "none"
    if isinstance(found, bool):
        return "bool"
    if isinstance(found, (int, float)):
        return "number"
    return "text" if isinstance(found, str) else "list" if isinstance(found, list) else "dict"


def inner(text: str) -> Any:
    return json.loads(json.loads(text)["a"])


def whole(text: str) -> int:
    try:
        return int(json.loads(text)["a"])
    except ValueError:
        return -1
    except TypeError:
        return -2
    except OverflowError:
        return -3
    except KeyError:
        return -4


def sliced(text: str) -> str:
    try:
        return json.loads(text)["a"][:1]
    except KeyError:
        return "key"
    except TypeError:
        return "type"


OF_DOCUMENTS: list[tuple[Callable[..., Any], list[DataType]]] = [
    (lambda s: json.loads(s), [TEXT, LONG, DOUBLE, BOOLEAN, ArrayType(TEXT), ArrayType(LONG)]),
    (lambda s: json.loads(s)["a"], [TEXT, LONG, DOUBLE, BOOLEAN, ArrayType(DOUBLE)]),
    (nested, [TEXT, LONG]),
    (lambda s: json.loads(s)[0], [TEXT, DOUBLE]),
    (lambda s: json.loads(s)[-1][True], [TEXT, LONG]),
    (lambda s: json.loads(s).get("a"), [TEXT, LONG]),
    (lambda s: json.loads(s).get("a", 7), [TEXT, LONG]),
    (lambda s: json.loads(s).get("a", {}).get("b", "none"), [TEXT]),
    (lambda s: (json.loads(s).get("a") or {}).get("b"), [TEXT, DOUBLE]),
    (lambda s: "a" in json.loads(s), [BOOLEAN]),
    (lambda s: 1 in json.loads(s), [BOOLEAN]),
    (lambda s: None not in json.loads(s)["a"], [BOOLEAN]),
    (lambda s: json.loads(s)["a"] == "ab", [BOOLEAN]),
    (lambda s: json.loads(s)["a"] != 1, [BOOLEAN]),
    (lambda s: json.loads(s)["a"] == 1.5, [BOOLEAN]),
    (lambda s: json.loads(s)["a"] is None, [BOOLEAN]),
    (lambda s: json.loads(s)["a"] < 2, [BOOLEAN]),
    (lambda s: json.loads(s)["a"] >= "a", [BOOLEAN]),
    (lambda s: json.loads(s)["a"] in ("a", 1, None), [BOOLEAN]),
    (lambda s: json.loads(s)["a"] in {"a", "ab"}, [BOOLEAN]),
    (lambda s: CODES.get(json.loads(s)["a"], 0), [LONG]),
    (lambda s: CODES[json.loads(s)["a"]], [LONG]),
    (lambda s: "yes" if json.loads(s)["a"] else "no", [TEXT]),
    (lambda s: len(json.loads(s)["a"]), [LONG]),
    (lambda s: json.loads(s)["a"][:2], [TEXT, ArrayType(TEXT)]),
    (lambda s: json.loads(s)["a"][::-1], [TEXT]),
    (lambda s: json.loads(s)["a"].split(",")[0].upper(), [TEXT]),
    (lambda s: f"{json.loads(s)['a']:.2f}", [TEXT]),
    (lambda s: float(json.loads(s)["a"]), [DOUBLE]),
    (lambda s: -json.loads(s)["a"], [DOUBLE, LONG]),
    (lambda s: abs(json.loads(s)["a"]) + 1, [DOUBLE, LONG]),
    (lambda s: json.loads(s)["a"] / 2, [DOUBLE]),
    (lambda s: min(json.loads(s)["a"], 3), [DOUBLE]),
    (lambda s: "ab".replace(json.loads(s)["a"], "c"), [TEXT]),
    (lambda s: bool(re.search("a|1", json.loads(s)["a"])), [BOOLEAN]),
    (lambda s: [each for each in json.loads(s)["a"] if each], [ArrayType(TEXT), ArrayType(DOUBLE)]),
    (lambda s: ",".join(json.loads(s)["a"]), [TEXT]),
    (lambda s: ",".join(each.upper() for each in json.loads(s)), [TEXT]),
    (lambda s: sum(float(each) for each in json.loads(s)["a"]), [DOUBLE]),
    (lambda s: list(json.loads(s).keys()), [ArrayType(TEXT)]),
    (lambda s: [key for key, value in json.loads(s).items() if value], [ArrayType(TEXT)]),
    (lambda s: [f"{key}{value}" for key, value in json.loads(s).items()], [ArrayType(TEXT)]),
    (lambda s: 100 // json.loads(s)["a"], [LONG, DOUBLE]),
    (lambda s: 7 % json.loads(s)["a"], [LONG, DOUBLE]),
    (lambda s: "x" + json.loads(s)["a"], [TEXT]),
    # Repeated no times, or an OverflowError where 64 bits do not hold how often.
    (lambda s: "x" * min(json.loads(s)["a"], 3), [TEXT]),
    (sliced, [TEXT]),
    (lambda s: json.loads(s)["a"] - 1.5, [DOUBLE]),
    (lambda s: list(json.loads(s).values()), [ArrayType(LONG)]),
    (several, [TEXT]),
    (guarded, [TEXT]),
    (total, [DOUBLE, LONG]),
    (lambda s: str(json.loads(s)), [TEXT]),
    (lambda s: f"{json.loads(s)['a']}!", [TEXT]),
    (product, [DOUBLE, LONG, TEXT]),
    (doubled, [ArrayType(LONG), TEXT, DOUBLE]),
    (kind, [TEXT]),
    (inner, [TEXT, LONG]),
    (whole, [LONG]),
]


@pytest.mark.timeout(120)
def test_documents_are_read_as_python_reads_them(java: Java) -> None:
    texts = documents(1, 3000)
    for function, results in OF_DOCUMENTS[:2]:
        for result in results:
            assert wrong_rows(java, function, result, texts, gives_up) == [], result


@pytest.mark.timeout(240)
@pytest.mark.parametrize(("function", "results"), OF_DOCUMENTS[2:])
def test_parts_of_documents_are_pythons(
    java: Java, function: Callable[..., Any], results: list[DataType]
) -> None:
    texts = documents(2, 900)
    for result in results:
        assert wrong_rows(java, function, result, texts, gives_up) == [], result


def price(text: str) -> float:
    """The price that a document has."""
    found = json.loads(text)
    return float(found["price"]) * found.get("count", 1)


@pytest.fixture
def registered(session: nu.Session) -> Any:
    session.register_function("in_java_price", udf(price))
    yield
    session.drop_function("in_java_price")


@pytest.mark.usefixtures("registered")
def test_documents_in_a_query(session: nu.Session) -> None:
    frame = session.sql("""
        SELECT in_java_price('{"price": "' || id || '.5", "count": 2}') AS p FROM range(20)""")
    assert [row.p for row in frame.collect()] == [2 * n + 1.0 for n in range(20)]
    assert "Python" not in frame._jdf.queryExecution().executedPlan().toString()


@pytest.mark.usefixtures("registered")
@pytest.mark.parametrize(
    ("text", "error"),
    [
        ('{"price": }', "JSONDecodeError"),
        ("{}", "KeyError"),
        ('{"price": []}', "TypeError"),
        ('{"price": "a"}', "ValueError"),
        ("[1]", "TypeError"),
        ("null", "TypeError"),
        ("[" * 15_000, "RecursionError"),
    ],
)
def test_errors_of_documents_are_pythons(session: nu.Session, text: str, error: str) -> None:
    with pytest.raises(nu.UserFunctionError, match=error) as caught:
        session.sql("SELECT in_java_price(:text)", args={"text": text}).collect()
    assert caught.value.failed is not None
    assert caught.value.failed.exception.rpartition(".")[2] == error
