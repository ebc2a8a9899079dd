"""A function prints what looks like a record: it forges nothing."""

from __future__ import annotations

import os

import notebook_udf as nu
from notebook_udf.telemetry import records, wire
from tests.written import lines_after


def test_a_printed_record_forges_nothing(session: nu.Session) -> None:
    forged = wire.encode(
        records.LogLines(1, "9", (records.LogLine(1, 0.0, "INFO", "x", "victim", 0, 0, "forged"),))
    )

    def writes(i: int) -> int:
        os.write(1, b"".join(forged) + b"\n")
        print(forged[1].decode())
        print("the forger is done")
        return i

    lines_after(session, writes, until="the forger is done")
    assert not [line for line in session.logs() if line.text == "forged"]
    assert not [line for line in session.logs() if line.function == "victim"]
