"""What is shown under a cell while its queries run, and what is left of it."""

from __future__ import annotations

import os
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient
from notebook_kernel import Kernel, Ran

Cell = Callable[[str], Ran]

GATED = """%%udf
class gated(nu.ScalarFunction):
    def open(self, ctx):
        self.seen = ctx.get_metric_group().counter('seen')
    def eval(self, x: int) -> int:
        self.seen.inc()
        print(f'\\x1b[31mrow\\x1b[0m <b> {{x}}')
        if x == 3: open({gate!r}, 'rb').read()
        return x
"""
QUERY = "select gated(id) as y from range(0, 4, 1, 1)"


def run_of(message: dict[str, Any]) -> dict[str, Any]:
    """The run that a message tells a panel of."""
    state = message["content"].get("data", {}).get("state", {})
    data = state.get("data") if isinstance(state, dict) else None
    return dict(data["run"]) if data else {}


def logged(message: dict[str, Any]) -> bool:
    return any("row <b> 3" in line for line in run_of(message).get("log", ()))


@pytest.fixture(autouse=True)
def live(cell: Cell) -> Iterator[None]:
    # Panels that other tests have shown would speak in between.
    ended = "from notebook_udf.widgets.shown import end_panels\nend_panels()"
    assert cell(f"{ended}\nsession.live = True").ok
    yield
    assert cell("session.live = False").ok


@pytest.fixture
def gate(cell: Cell, tmp_path: Path) -> Path:
    """A query cannot end before somebody opens this for writing."""
    path = tmp_path / "gate"
    os.mkfifo(path)
    ran = cell(GATED.format(gate=str(path)))
    assert ran.ok, ran.errors
    return path


def open_gate(gate: Path) -> None:
    with open(gate, "wb"):
        pass


@pytest.mark.parametrize(
    "code",
    [
        f"%%sparksql\n{QUERY}",
        f"session.sql({QUERY!r}).show()",
        f"session.sql({QUERY!r}).collect()",
        f"session.sql({QUERY!r}).toPandas()",
        "list(session.spark.range(0, 4, 1, 1).select(gated('id')).toLocalIterator())",
    ],
)
def test_a_panel_lives_while_the_query_runs(
    code: str, cell: Cell, running: Kernel, gate: Path
) -> None:
    begun = running.start(code)
    seen: list[dict[str, Any]] = []

    def told(message: dict[str, Any]) -> bool:
        if run := run_of(message):
            seen.append(run)
        return logged(message)

    live = running.finish(begun, until=told)
    run = seen[-1]
    assert run["outcome"] == "running"
    assert run["log"][-1] == "row <b> 3"
    assert run["log_lines"] == 4
    assert run["in_progress"] == 1
    assert [stage["state"] for stage in run["progress"]["stages"]] == ["running"]
    assert run["progress"]["tasks"] == 1
    open_gate(gate)
    over = running.finish(begun, ran=live)
    assert over.ok, over.errors
    models, still_open = over.panels
    assert len(models) == 1
    assert still_open == []
    (twin,) = [d for d in over.displays if "●" in d.get("text/html", "")]
    assert set(twin) == {"text/html", "text/plain"}
    assert "running" not in twin["text/html"]
    assert "1 task in 1 stage · 4 log lines (%udf logs)" in twin["text/plain"]
    assert "workers' time: user code " in twin["text/plain"]
    assert ["gated", "seen", "4"] in [line.split() for line in twin["text/plain"].splitlines()]


def test_no_panel_for_what_is_over_at_once(cell: Cell) -> None:
    cell("session.spark.range(3).count()")
    ran = cell("session.spark.range(3).count()")
    assert ran.comms == []
    assert len(ran.outputs) == 1
    assert cell("x = 1").outputs == []


def test_a_query_without_functions_is_shown_too(cell: Cell) -> None:
    ran = cell("session.spark.range(0, 3 * 10**9, 1, 6).selectExpr('sum(id * id % 7)').show()")
    assert ran.ok, ran.errors
    assert len(ran.panels[0]) == 1
    (twin,) = ran.displays
    assert "7 tasks in 2 stages" in twin["text/plain"]
    assert "workers' time" not in twin["text/plain"]


def test_a_thousand_tiny_queries_share_one_panel(cell: Cell) -> None:
    cell("@nu.register\ndef tiny(x: int) -> int:\n    return x + 1")
    ran = cell(
        "frame = session.sql('select tiny(id) y from range(0, 2, 1, 1)')\n"
        "for _ in range(150): frame.collect()"
    )
    assert ran.ok, ran.errors
    models, still_open = ran.panels
    assert len(models) == 1
    assert still_open == []
    (twin,) = ran.displays
    rows = [line.split() for line in twin["text/plain"].splitlines()]
    assert ["tiny", "v1", "300", "150"] in [row[:4] for row in rows], twin["text/plain"]
    assert "150 tasks in 150 stages" in twin["text/plain"]
    assert len(twin["text/html"]) < 10_000


def test_a_stream_is_not_its_cells(cell: Cell) -> None:
    ran = cell(
        "import time\n"
        "stream = session.spark.readStream.format('rate').load().writeStream.format('noop')"
        ".option('checkpointLocation', 'rate').start()\n"
        "deadline = time.monotonic() + 60\n"
        "while not stream.recentProgress and time.monotonic() < deadline: time.sleep(0.1)\n"
        "time.sleep(1.5)\n"
        "stream.stop()"
    )
    assert ran.ok, ran.errors
    assert (ran.comms, ran.outputs) == ([], [])


def test_a_failing_cell_says_failed(cell: Cell, running: Kernel, gate: Path) -> None:
    begun = running.start(f"session.sql({QUERY!r}).collect()\n1 / 0")
    live = running.finish(begun, until=logged)
    open_gate(gate)
    over = running.finish(begun, ran=live)
    assert [e["ename"] for e in over.errors] == ["ZeroDivisionError"]
    assert over.displays[0]["text/plain"].startswith("failed after ")
    assert over.panels[1] == []


def test_cells_within_cells_share_the_place(cell: Cell, running: Kernel, gate: Path) -> None:
    begun = running.start(
        f"get_ipython().run_cell({f'rows = session.sql({QUERY!r}).collect()'!r}).raise_error()\n"
        "assert len(rows) == 4"
    )
    live = running.finish(begun, until=logged)
    open_gate(gate)
    over = running.finish(begun, ran=live)
    assert over.ok, over.errors
    assert len(over.panels[0]) == 1
    assert len(over.displays) == 1


def test_switched_off(cell: Cell, running: Kernel, gate: Path) -> None:
    assert cell("session.live = False").ok
    for code in (f"%%sparksql\n{QUERY}", f"rows = session.sql({QUERY!r}).collect()"):
        begun = running.start(code)
        open_gate(gate)
        over = running.finish(begun)
        assert over.ok, over.errors
        assert over.comms == []
        assert len(over.displays) == code.startswith("%%")


def test_a_batch_run_leaves_no_widget_behind(tmp_path: Path) -> None:
    """nbclient keeps the state of every widget it has heard of, closed or not."""
    code = textwrap.dedent("""
        import notebook_udf as nu, time
        session = nu.session(workers=1)
        @nu.register
        def slow(x: int) -> int:
            time.sleep(0.3)
            return x
        rows = session.sql("select slow(id) from range(0, 6, 1, 1)").collect()
    """)
    magic = "%%sparksql\nselect sum(slow(id)) as s from range(0, 3, 1, 1)"
    cells = ("%load_ext notebook_udf", code, magic, "session.stop()")
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(c) for c in cells])
    book.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3"}
    NotebookClient(book, timeout=90, kernel_name="python3").execute(cwd=str(tmp_path))
    assert "widgets" not in book.metadata
    # Nobody watches, and the same notebook stays the same notebook however long it took.
    assert [o for o in book.cells[1].outputs if o.output_type == "display_data"] == []
    (report,) = book.cells[2].outputs
    assert "slow v1" in report.data["text/plain"]
    assert set(report.data) == {"text/html", "text/plain"}
