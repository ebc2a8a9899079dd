"""Megabytes on stderr without a newline: nothing blocks."""

from __future__ import annotations

import os

import notebook_udf as nu
from tests.written import lines_after


def test_a_long_run_on_stderr_without_newline_does_not_block(session: nu.Session) -> None:
    def writes(i: int) -> int:
        for _ in range(40):
            os.write(2, b"x" * 65536)
        os.write(2, b"\nthe end\n")
        return i

    lines = lines_after(session, writes, until="the end")
    assert sum(len(line.text) for line in lines if set(line.text) == {"x"}) <= 40 * 65536
