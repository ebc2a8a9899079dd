"""The magics in a plain terminal: text instead of HTML, and the same answers."""

from __future__ import annotations

import os
import pty
import select
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


class Terminal:
    """IPython in a pseudo-terminal."""

    def __init__(self, folder: Path) -> None:
        self._end, other = pty.openpty()
        self._process = subprocess.Popen(
            [sys.executable, "-m", "IPython", "--simple-prompt", "--no-banner", "--colors=NoColor"],
            stdin=other,
            stdout=other,
            stderr=other,
            cwd=folder,
            env={
                **os.environ,
                "PYTHONPATH": str(ROOT),
                "IPYTHONDIR": str(folder),
                "COLUMNS": "200",
                "TERM": "xterm",
            },
            start_new_session=True,
        )
        os.close(other)
        self.read_until("In [1]: ")

    def run(self, code: str, *, until: str) -> str:
        """Types a line of code; what is printed up to ``until``."""
        os.write(self._end, code.encode() + b"\n")
        return self.read_until(until)

    def read_until(self, text: str, timeout: float = 60.0) -> str:
        seen = ""
        deadline = time.monotonic() + timeout
        while text not in seen:
            ready, _, _ = select.select([self._end], [], [], deadline - time.monotonic())
            assert ready, f"{text!r} did not come; {seen[-2000:]!r} did"
            seen += os.read(self._end, 65536).decode("utf-8", "replace")
        return seen

    def close(self) -> None:
        os.write(self._end, b"exit()\n")
        self._process.wait(30)
        os.close(self._end)


@pytest.fixture
def terminal(tmp_path: Path) -> Iterator[Terminal]:
    running = Terminal(tmp_path)
    yield running
    running.close()


@pytest.mark.timeout(180)
def test_a_function_a_query_and_an_error(terminal: Terminal) -> None:
    terminal.run("%load_ext notebook_udf", until="In [2]: ")
    terminal.run("import notebook_udf as nu; session = nu.session(workers=1)", until="In [3]: ")
    cell = r"get_ipython().run_cell_magic('udf', '', 'def inv(i: int) -> int:\n    return 12 // i')"
    assert "registered inv(i bigint) -> bigint" in terminal.run(cell, until="In [4]: ")
    query = "get_ipython().run_cell_magic('sparksql', '', 'SELECT inv(id) AS y FROM range({})')"
    good = terminal.run(query.format("1, 4"), until="In [5]: ")
    assert "3 rows, all shown" in good
    assert "inv v1" in good
    bad = terminal.run(query.format("0, 4"), until="In [6]: ")
    assert "ZeroDivisionError" in bad
    assert "return 12 // i" in bad
    assert "i = 0" in bad
    assert "<div" not in bad
    assert "py4j" not in bad


@pytest.mark.timeout(180)
@pytest.mark.parametrize("magics", [True, False], ids=["magics", "no magics"])
def test_a_mistake_in_a_query_is_a_few_lines(terminal: Terminal, magics: bool) -> None:
    terminal.run("%load_ext notebook_udf" if magics else "1 + 1", until="In [2]: ")
    terminal.run("import notebook_udf as nu; session = nu.session(workers=1)", until="In [3]: ")
    wrong = "session.sql('SELECT uper(id)\\nFROM range(3)')"
    shown = terminal.run(wrong, until="In [4]: ").partition("FROM range(3)')")[2]
    lines = [line.rstrip() for line in shown.replace("\r", "").split("\n")][:-1]
    assert "AnalysisException: there is no function uper: did you mean upper?" in lines
    marked = lines.index("-->    1 SELECT uper(id)")
    assert lines[marked + 1] == "                ^^^^"
    assert "UNRESOLVED_ROUTINE, SQLSTATE 42883" in lines
    assert len([line for line in lines if line]) < 12, shown
