"""BINARY columns in the JVM as in Python."""

from __future__ import annotations

import base64
import hashlib
import json
import random
import zlib
from collections.abc import Callable
from typing import Any

import pytest
from pyspark.sql.types import ArrayType, BinaryType, LongType, StringType

import notebook_udf as nu
from notebook_udf.compile.java.java_class import translate
from notebook_udf.compile.java.writing.terms import NotCompiled
from tests.spark.java_calls import RAISED, answer

TEXT, LONG, BINARY = StringType(), LongType(), BinaryType()
VALUES: list[bytes | None] = [
    *(
        None,
        b"",
        b"a",
        b"\x00\xff",
        b'{"a": 1, "b": [1, 2]}',
        "é ß".encode(),
        b"\xff\xfe",
        b"id=7;x",
    ),
    *(b"  padded \n", bytes(range(256)), "\U0001f600".encode(), b"YWJj", b"it's", b'it\'s "so"\\'),
]


def decoded(data: bytes) -> str:
    return data.decode().strip().upper()


def leniently(data: bytes) -> str:
    return data.decode("utf-8", errors="replace") + data.decode("latin-1")


def or_nothing(data: bytes | None) -> str | None:
    if not data:
        return None
    try:
        return str(data, "ascii")
    except UnicodeDecodeError:
        return "no ascii"


def document(data: bytes) -> int:
    return int(json.loads(data.decode())["a"])


def of_document(data: bytes) -> str | None:
    try:
        found = json.loads(data)
    except ValueError as error:
        return type(error).__name__
    return str(found.get("a")) if isinstance(found, dict) else None


def told_apart(data: bytes | None) -> str:
    if isinstance(data, (bytes, bytearray)):
        return type(data).__name__ + data.decode("latin-1")
    return "none"


def as_hex(data: bytes) -> str:
    return data.hex() + hashlib.md5(data).hexdigest() + base64.b64encode(data).decode()


def first_and_last(data: bytes) -> int:
    return data[0] * 256 + data[-1]


def parts(data: bytes) -> str:
    return f"{data[2:].hex()} {data[:-1].hex()} {data[1:3].hex()} {data[-300:1].hex()}"


def summed(data: bytes) -> int:
    total = zlib.crc32(data)
    for each in data:
        total = (total * 31 + each) % 1_000_003
    return total + sum(data) + len(data)


def is_there(data: bytes | None) -> str:
    return "none" if data is None else "some" if data else "empty"


def masked(data: bytes) -> bytes:
    return data[:2]


def encoded(data: bytes | None) -> bytes | None:
    return data if data is None else base64.b64encode(data.decode().upper().encode())


def twice(data: bytes) -> bytes:
    return data + data[1:] + data


def compared(data: bytes) -> str:
    return f"{data < data[1:]} {data[:2] >= data[2:4]} {data == data[:3]} {data != data[0:]}"


def compared_with_text(data: bytes | None) -> str:
    try:
        return f"{data == 'a'} {data != 'a'}" + data.decode()[:0]
    except AttributeError:
        return "none"
    except UnicodeDecodeError:
        return "other"


def in_a_text(data: bytes) -> str:
    return f"<{data}> {data[:2]}" + str(data[1:3])


def greatest(data: bytes) -> bytes:
    return max(data[:1], data[1:2], data[2:])


ALL: list[Callable[..., Any]] = [
    *(decoded, leniently, or_nothing, document, as_hex, first_and_last, parts, summed, is_there),
    *(masked, encoded, of_document, told_apart, twice, compared, compared_with_text, in_a_text),
    greatest,
]


@pytest.mark.parametrize("function", ALL)
def test_answers_are_those_of_python(session: nu.Session, function: Callable[..., Any]) -> None:
    wanted = BINARY if function in (masked, encoded, twice, greatest) else TEXT
    wanted = LONG if function in (document, first_and_last, summed) else wanted
    expected = {value: answer(function, (value,)) for value in VALUES}
    given = [(value,) for value in VALUES if expected[value] != RAISED]
    assert len(given) > (0 if function is document else 4)
    made = session.register_function("in_java", nu.udf(function, result_type=wanted))
    assert session.java.wait(60)
    assert "not in Spark's JVM" not in made.explain()
    session.spark.createDataFrame(given, "data BINARY").createOrReplaceTempView("binaries")
    for row in session.sql("SELECT data, in_java(data) AS found FROM binaries").collect():
        value = None if row.data is None else bytes(row.data)
        assert row.found == expected[value], value


def test_documents_in_any_encoding(session: nu.Session) -> None:
    chance = random.Random(5)
    texts = ['{"a": 1}', '{"a": "é😀"}', "[]", "7", "", "{", '"x"', "nul", "1.5"]
    encodings = ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le"]
    given = [text.encode(encoding) for text in texts for encoding in [*encodings, "utf-32-be"]]
    for _ in range(600):
        changed = bytearray(chance.choice(given) or b"\0")
        changed[chance.randrange(len(changed))] = chance.choice(
            [0, 1, 0x22, 0x7F, 0x80, 0xC3, 0xFF]
        )
        given.append(
            bytes(changed[: chance.choice([len(changed), chance.randint(1, len(changed))])])
        )
    made = session.register_function("of_any", nu.udf(of_document, result_type=TEXT))
    assert session.java.wait(60)
    assert "not in Spark's JVM" not in made.explain()
    frame = session.spark.createDataFrame([(value,) for value in given], "data BINARY")
    frame.createOrReplaceTempView("documents")
    for row in session.sql("SELECT data, of_any(data) AS found FROM documents").collect():
        assert row.found == of_document(bytes(row.data)), bytes(row.data)


def test_what_python_raises_is_raised(session: nu.Session) -> None:
    session.register_function("first_byte", nu.udf(first_and_last, result_type=LONG))
    assert session.java.wait(60)
    with pytest.raises(nu.UserFunctionError, match="index out of range"):
        session.sql("SELECT first_byte(X'')").collect()


def equal(data: bytes) -> bool:
    return data == b"a"


def begins(data: bytes) -> bool:
    return data.startswith(b"a")


def within(data: bytes) -> bool:
    return b"a" in data


def shown(data: bytes) -> str:
    return f"{data!r} {data}"


def as_key(data: bytes) -> str:
    return {data: "x"}[data]


def steps(data: bytes) -> bytes:
    return data[::2]


def in_list(data: bytes) -> int:
    return [data, data].index(data)


def sorted_bytes(data: bytes) -> int:
    return len(sorted([data, data]))


def known(data: bytes) -> bytes:
    return b"x" if data else data


@pytest.mark.parametrize(
    "function",
    [equal, begins, within, shown, as_key, steps, in_list, sorted_bytes, known],
)
def test_what_is_left_to_python(function: Callable[..., Any]) -> None:
    result = BINARY if function in (steps, known) else TEXT
    with pytest.raises(NotCompiled):
        translate(function, [BINARY], result)


def test_bytes_in_lists_are_left_to_python() -> None:
    with pytest.raises(NotCompiled):
        translate(lambda data: [data], [BINARY], ArrayType(BINARY))
