"""The line under a running ``%%sparksql`` cell."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from notebook_kernel import Kernel, Ran

Cell = Callable[[str], Ran]


def test_the_line_moves_while_the_query_runs(cell: Cell, running: Kernel, tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    os.mkfifo(gate)
    ran = cell(
        "%%udf\ndef gated(x: int) -> int:\n"
        "    print(f'row [bold] {x}')\n"
        f"    if x == 3: open({str(gate)!r}, 'rb').read()\n"
        "    return x"
    )
    assert ran.ok, ran.errors
    begun = running.start("%%sparksql\nselect gated(id) from range(0, 4, 1, 1)")

    def logged(message: dict[str, Any]) -> bool:
        data = message["content"].get("data", {})
        return "row [bold] " in data.get("text/plain", "")

    # The query cannot end before the gate opens, so this is seen while it runs.
    live = running.finish(begun, until=logged)
    line = live.updates[-1]
    assert line["text/plain"].startswith("running · ")
    assert "\n" not in line["text/plain"]
    assert "log line" in line["text/plain"]
    assert set(line) == {"text/html", "text/plain"}
    with open(gate, "wb"):
        pass
    over = running.finish(begun, ran=live)
    assert over.ok, over.errors
    (output,) = over.outputs
    assert "4 rows, all shown" in output["data"]["text/plain"]
    assert "running" not in output["data"]["text/html"]
