"""What functions write: floods, forgeries, half lines, forks, bytes that are no text."""

from __future__ import annotations

import logging
import os
import sys
import warnings

import pytest

import notebook_udf as nu
from tests.written import lines_after


def test_every_way_of_writing_arrives_in_order_with_its_row(session: nu.Session) -> None:
    def writes(i: int) -> int:
        print("printed", i)
        logging.getLogger("mine").warning("logged %s", i)
        logging.getLogger("mine").debug("too quiet to be kept")
        warnings.warn(f"warned {i}", stacklevel=1)
        sys.stderr.write(f"to stderr {i}\n")
        return i

    lines = lines_after(session, writes, until="to stderr 1", rows=2)
    mine = [line for line in lines if line.function == "writes"]
    assert [line.sequence for line in mine] == sorted(line.sequence for line in mine)
    shown = [(line.level, line.row, line.text) for line in mine if line.row == 2]
    assert ("INFO", 2, "printed 1") in shown
    assert ("WARNING", 2, "logged 1") in shown
    assert any(level == "WARNING" and "warned 1" in text for level, _, text in shown)
    assert ("ERROR", 2, "to stderr 1") in shown
    assert not any("too quiet" in line.text for line in mine)


def test_native_output_arrives(session: nu.Session) -> None:
    def writes(i: int) -> int:
        os.write(2, b"from C to stderr\n")
        os.write(1, b"from C to stdout\n")
        return i

    lines = lines_after(session, writes, until="from C to stdout")
    assert {"from C to stderr", "from C to stdout"} <= {line.text for line in lines}


def test_half_a_line_is_not_lost(session: nu.Session) -> None:
    def writes(i: int) -> int:
        print("no newline at the end", end="")
        return i

    assert lines_after(session, writes, until="no newline at the end")


def test_log_level_of_a_worker_can_be_changed_while_it_lives(session: nu.Session) -> None:
    def writes(i: int) -> int:
        logging.getLogger("mine").debug("whispered")
        print("said")
        return i

    session.pool.set_log_level("debug")
    try:
        assert any("whispered" in line.text for line in lines_after(session, writes, until="said"))
    finally:
        session.pool.set_log_level("INFO")
    assert not any("whispered" in line.text for line in lines_after(session, writes, until="said"))
    with pytest.raises(nu.DeclarationError, match="is not one of"):
        session.pool.set_log_level("loud")
