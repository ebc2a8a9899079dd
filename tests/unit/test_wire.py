"""The wire format: what goes in comes out, and what is not a record is refused."""

from __future__ import annotations

import copy
import json
import math
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from notebook_udf.errors import FailedRow, Frame, ProtocolError
from notebook_udf.telemetry import records, wire
from notebook_udf.telemetry.kernel_commands import Command, Leaving, Listening
from notebook_udf.telemetry.records import (
    BundleDone,
    BundleSampled,
    BundlesDone,
    CallFailed,
    FunctionTiming,
    LogLine,
    LogLines,
    MetricValue,
    QueryLeft,
    SampledCalls,
    StackDump,
    StackFrame,
    StackSamples,
    TaskEnded,
    TaskId,
    TaskStarted,
    WorkerExited,
    WorkerPulse,
    WorkerStarted,
)
from notebook_udf.telemetry.wire import HEADER, ChannelAddress, decode, encode

TASK = TaskId("12", 3, 7, 0, 55)
TIMING = FunctionTiming("normalize", 2, 1000, 990, 1, 2, 3, 10)
NASTY = "<script>\x00\x1b[31m\ud800 ✓ \u2028"

COUNTER = MetricValue("f", "n", "counter", 3)
RECORDS = [
    WorkerStarted(1, "host", "3.11.4", 1.5, "/logs/1"),
    WorkerPulse(1, 2.0, "running", "f", 3, -1, 10, 20, 0, 0.25, 4),
    WorkerExited(1, 2.0, None, 9, False, NASTY),
    WorkerExited(1, 2.0, 0, None, True, ""),
    TaskStarted(1, 2.0, TASK, ("f", "g")),
    *BundlesDone.of(
        [BundleDone(1, 2.0, TASK, n, 1, 1, 8, 8, 5, 6, (TIMING,), (COUNTER,)) for n in (1, 2)]
    ),
    BundleSampled(1, 2.0, TASK, 2, ("x", NASTY), (("1", NASTY), ("2", ""))),
    BundleSampled(1, 2.0, TASK, 2, ("x",), (("1",),), (SampledCalls("f", 2, b"\x80\xff"),)),
    TaskEnded(1, 3.0, TASK, "done", 5, 10, 9, (TIMING, TIMING)),
    LogLines(1, "12", (LogLine(1, 2.0, "INFO", "print", "f", 0, 3, NASTY),), 7),
    CallFailed(
        1,
        2.0,
        TASK,
        "fail",
        "UserFunctionError",
        FailedRow(
            "f",
            1,
            "e1",
            "ValueError",
            NASTY,
            frames=(Frame("a.py", 3, "f", "return 1 / x"),),
            arguments=(("x", "0"),),
            pickled_arguments=b"\x00\xff\x80",
        ),
        {"limit": 3, "nested": {"a": [1, None]}},
    ),
    StackDump(1, 2.0, "Thread 1", "asked"),
    Listening(1),
    Leaving(1),
    StackSamples(
        1,
        2.0,
        "p",
        "12",
        ("f",),
        (StackFrame("a.py", NASTY, 3), StackFrame("json.py", "dumps", 1, library=True)),
        ((0,), (0, 1)),
        (0, 0),
        (3, 4),
        (5, 6),
        7,
    ),
    QueryLeft(1, 2.0, "query/run", 2, ("close: ValueError: no",)),
    Command("stacks", (1, 2), "x"),
]


def message(document: Any) -> list[bytes]:
    return [HEADER, json.dumps(document).encode()]


def pulse(**changes: Any) -> dict[str, Any]:
    return {"kind": "worker-pulse", **vars(RECORDS[1]), **changes}


def bundles() -> dict[str, Any]:
    (record,) = [each for each in RECORDS if isinstance(each, BundlesDone)]
    document: dict[str, Any] = json.loads(encode(record)[1])
    return document


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: record.kind)
def test_a_record_survives_the_wire(record: records.Record) -> None:
    assert decode(encode(record)) == record


def test_samples_refer_to_what_they_bring() -> None:
    frames = (StackFrame("a.py", "f", 1),)
    for stack, functions in (((1,), (0,)), ((0,), (1,)), ((-1,), (0,)), ((0,), (0, 0))):
        with pytest.raises(ValueError, match="samples"):
            StackSamples(1, 2.0, "p", "", ("f",), frames, (stack,), functions, (1,), (1,))


def test_every_kind_of_record_is_tried() -> None:
    assert {record.kind for record in RECORDS} == set(wire.RECORDS)


@given(st.text(st.characters(exclude_categories=[]), max_size=50), st.binary(max_size=20))
def test_any_text_and_bytes_survive(text: str, data: bytes) -> None:
    failed = FailedRow("f", 1, "e", text, "", pickled_arguments=data)
    sent = CallFailed(1, 0.0, TASK, "fail", "x", failed, {"t": "a"})
    back = decode(encode(sent))
    assert isinstance(back, CallFailed)
    # A high and a low surrogate side by side are one character after any trip through JSON.
    assert back.failed.exception.encode("utf-16", "surrogatepass") == text.encode(
        "utf-16", "surrogatepass"
    )
    assert back.failed.pickled_arguments == data


def test_values_that_json_has_no_word_for_do_not_stop_a_record() -> None:
    class Scalar:
        def item(self) -> int:
            return 5

    class Broken:
        def item(self) -> object:
            return self

        def __repr__(self) -> str:
            return "Broken()"

    def sent(value: Any) -> Any:
        metric = MetricValue("f", "n", "gauge", [1.0, value])
        record = decode(encode(TaskEnded(1, 2.0, TASK, "done", 1, 1, 1, (), (metric,))))
        assert isinstance(record, TaskEnded)
        return record.metrics[0].value[1]

    assert sent(Scalar()) == 5
    assert sent(Broken()) == "Broken()"
    assert sent(int) == "<class 'int'>"
    assert math.isnan(sent(math.nan))
    with pytest.raises(ProtocolError, match="cannot be sent"):
        sent({(1, 2): 3})


@pytest.mark.parametrize(
    "frames",
    [
        [],
        [b""],
        [HEADER],
        [HEADER, b"{}", b""],
        [b"HTTP/", b"{}"],
        [b"", b""],
        [HEADER[:4], encode(RECORDS[0])[1]],
        [HEADER, b""],
        [HEADER, b"\xff\xfe\xfd"],
        [HEADER, b"[" * 100_000],
        [HEADER, b"9" * 10_000],
        message([]),
        message(None),
        message("worker-pulse"),
        message({}),
        message({"kind": []}),
        message({"kind": "no-such"}),
        message({"kind": "worker-pulse"}),
        message(pulse(extra=1)),
        message(pulse(pid="1")),
        message(pulse(pid=True)),
        message(pulse(pid=1.0)),
        message(pulse(pid=None)),
        message(pulse(time="now")),
        message(pulse(time=10**400)),
        message(pulse(time=1e18)),
        message(pulse(time=-1)),
        message(pulse(cpu_seconds=math.nan)),
        message(pulse(time=math.inf)),
        message(pulse(memory=2**63)),
        message({**bundles(), "time": [2.0, math.nan]}),
        message({**bundles(), "wait_ns": [1, 2**70]}),
        message(pulse(state=["a"])),
        message({"kind": "command", "name": "x", "pids": 3}),
        message({"kind": "command", "name": "x", "pids": {"a": 1}}),
        message({"kind": "command", "name": "x", "pids": [1, "2"]}),
        message({"kind": "task-started", "pid": 1, "time": 1, "task": [], "functions": []}),
        message({"kind": "task-started", "pid": 1, "time": 1, "task": {}, "functions": []}),
    ],
)
def test_what_is_not_a_record_is_refused(frames: list[bytes]) -> None:
    with pytest.raises(ProtocolError):
        decode(frames)


@pytest.mark.parametrize("data", [5, "a", "#", ["x"]])
def test_bytes_that_are_not_base64_are_refused(data: Any) -> None:
    (failed,) = [record for record in RECORDS if isinstance(record, CallFailed)]
    frames = encode(failed)
    document = json.loads(frames[1])
    document["failed"]["pickled_arguments"] = data
    with pytest.raises(ProtocolError):
        decode(message(document))


@given(st.binary(max_size=60))
def test_garbage_raises_nothing_else(body: bytes) -> None:
    with pytest.raises(ProtocolError):
        decode([HEADER, body])


def test_another_version_is_named() -> None:
    with pytest.raises(ProtocolError, match="wire version 63, this end speaks 1"):
        decode([b"NUDF\x63", encode(RECORDS[0])[1]])


def test_whole_numbers_stand_for_times() -> None:
    record = decode(message(pulse(time=3)))
    assert isinstance(record, WorkerPulse)
    assert isinstance(record.time, float)


def test_a_record_that_is_too_large_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wire, "MAX_MESSAGE_BYTES", 1000)
    with pytest.raises(ProtocolError, match=r"stack-dump record of 1,0.. bytes is too large"):
        encode(StackDump(1, 2.0, "x" * 1000, ""))


ADDRESS = ChannelAddress("ipc:///a", "S" * 40, "P" * 40, "secret")


def test_an_address_is_written_for_the_owner_only(tmp_path: Path) -> None:
    old = os.umask(0)
    try:
        path = ADDRESS.write(tmp_path)
    finally:
        os.umask(old)
    assert path.stat().st_mode & 0o777 == 0o600
    assert ChannelAddress.read(tmp_path) == ADDRESS
    with pytest.raises(FileExistsError):
        ADDRESS.write(tmp_path)


def test_the_secret_is_not_in_the_repr() -> None:
    assert "secret" not in repr(ADDRESS).replace("client_secret", "")


@pytest.mark.parametrize(
    "text", [None, "", "[]", "{}", '{"a": 1}', '"x"', '{"endpoint": 1}', "\udcff"]
)
def test_an_unreadable_address_is_a_protocol_error(tmp_path: Path, text: str | None) -> None:
    if text is not None:
        (tmp_path / "channel.json").write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(ProtocolError, match=r"channel\.json"):
        ChannelAddress.read(tmp_path)


def test_an_address_with_a_field_of_another_type_is_a_protocol_error(tmp_path: Path) -> None:
    (tmp_path / "channel.json").write_text(json.dumps({**vars(ADDRESS), "endpoint": 3}))
    with pytest.raises(ProtocolError):
        ChannelAddress.read(tmp_path)


# Their times are until the end of the year 9999.
@given(st.lists(st.tuples(st.integers(0, 1), st.integers(0, 2), st.integers(0, 253_402_300_799))))
def test_bundles_that_travel_together_are_those_that_were_sent(
    drawn: list[tuple[int, int, int]],
) -> None:
    tasks = [TASK, replace(TASK, partition=9)]
    kinds = [(), (TIMING,), (TIMING, replace(TIMING, function="h", user_ns=5))]
    sent = [
        BundleDone(1, float(n), tasks[at], n, n, 1, 8, 8, 5, n, kinds[kind])
        for at, kind, n in drawn
    ]
    records = [decode(encode(record)) for record in BundlesDone.of(sent)]
    assert [bundle for record in records for bundle in record] == sent


def test_bundles_that_lack_a_field_are_refused() -> None:
    (record,) = BundlesDone.of(
        [BundleDone(1, 2.0, TASK, n, 1, 1, 8, 8, 5, 6, (TIMING,)) for n in (1, 2)]
    )
    with pytest.raises(ProtocolError, match="some of them only"):
        decode(encode(replace_unchecked(record, rows_in=(1,))))
    with pytest.raises(ProtocolError, match="expected int, got"):
        decode(encode(replace(record, rows_in=(1, "2"))))


def replace_unchecked(record: BundlesDone, **fields: Any) -> BundlesDone:
    """A copy that is as wrong as a peer may be."""
    made = copy.copy(record)
    vars(made).update(fields)
    return made
