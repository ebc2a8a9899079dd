"""Failed calls that travel in the text of an exception."""

from __future__ import annotations

import base64
import os
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from notebook_udf.errors import FailedRow
from notebook_udf.telemetry.carried import line_of, record_in, without_record
from notebook_udf.telemetry.records import CallFailed, TaskId

TASK = TaskId("1", 2, 3, 0, 5)


def failed(message: str = "m", arguments: bytes = b"") -> CallFailed:
    row = FailedRow("f", 1, "e1", "ValueError", message, pickled_arguments=arguments)
    return CallFailed(1, 2.0, TASK, "fail", "UserFunctionError", row, {})


@given(st.text(st.characters(exclude_categories=[]), max_size=200), st.binary(max_size=200))
def test_a_record_comes_back_out_of_any_text(message: str, arguments: bytes) -> None:
    record = failed(message, arguments)
    text = f"org.apache.spark.Nothing: told\n  {line_of(record)}\n\tat a.b.C(D.scala:1)"
    assert record_in(text) == record
    assert without_record(text) == "org.apache.spark.Nothing: told\n\tat a.b.C(D.scala:1)"


def test_what_is_too_large_travels_without_its_arguments_or_not_at_all() -> None:
    large = failed(arguments=os.urandom(100_000))
    back = record_in(line_of(large))
    assert isinstance(back, CallFailed)
    assert back.failed.pickled_arguments == b""
    assert line_of(failed(message=os.urandom(100_000).hex())) == ""


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[notebook-udf record 1 ]",
        "[notebook-udf record 1 AAAA]",
        "[notebook-udf record 1 A]",
        line_of(failed()).replace("record 1", "record 7"),
        f"[notebook-udf record 1 {base64.b64encode(zlib.compress(b'{}')).decode()}]",
        f"[notebook-udf record 1 {base64.b64encode(zlib.compress(bytes(64 << 20))).decode()}]",
    ],
    ids=["nothing", "empty", "noise", "torn", "another version", "no record", "a bomb"],
)
def test_what_is_no_record_is_none(text: str) -> None:
    assert record_in(text) is None
