"""``%udf bench`` and ``%udf profile`` in a real kernel."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest
from notebook_kernel import Kernel, Ran

Cell = Callable[[str], Ran]


@pytest.fixture
def doubled(cell: Cell) -> None:
    ran = cell(
        "%%udf\ndef doubled(x: int) -> str:\n    return f'{x!a}' * 2\n"
        "rows = session.sql('SELECT id AS x FROM range(500)')"
    )
    assert ran.ok, ran.errors


@pytest.mark.usefixtures("doubled")
def test_bench_of_a_query_and_of_a_variable(cell: Cell) -> None:
    for line in (
        "%udf bench doubled SELECT id AS x FROM range(500) WHERE '--rows' <> \"x\" --repeats 1",
        "%udf bench doubled SELECT x, doubled(x) FROM range(500) AS t(x) --repeats 1 --rows 400",
        "%udf bench SELECT upper(doubled(id)) FROM range(500) --repeats 1 --rows 400",
        "%udf bench doubled 'SELECT doubled(id) FROM range(500)' --repeats 1 --rows 400",
        "%udf bench doubled rows --against doubled --repeats 1 --rows 400",
    ):
        ran = cell(line)
        assert ran.ok, ran.errors
        assert len(ran.outputs) == 1, ran.outputs
        (output,) = ran.outputs
        assert "starting …" not in output["data"]["text/plain"]
        assert "as it is (general, row by row)" in output["data"]["text/plain"]
        assert "Advice: " in output["data"]["text/html"]
        said = [update["text/plain"] for update in ran.updates]
        assert any(words.startswith("run 1 of 1: ") for words in said)
    assert "doubled on 400 rows" in output["data"]["text/plain"]


@pytest.mark.usefixtures("doubled")
def test_a_bench_is_interrupted(running: Kernel, cell: Cell) -> None:
    ran = cell("%%udf\nimport time\ndef dozes(x: int) -> int:\n    time.sleep(0.05)\n    return x")
    assert ran.ok, ran.errors
    begun = running.start("%udf bench dozes rows --rows 500")
    seen = threading.Event()

    def running_now(message: dict[str, object]) -> bool:
        data = message["content"].get("data", {})  # type: ignore[attr-defined]
        if "as it is" in data.get("text/plain", ""):
            seen.set()
        return seen.is_set()

    ran = running.finish(begun, until=running_now)
    running.manager.interrupt_kernel()
    ran = running.finish(begun, ran=ran)
    assert [error["ename"] for error in ran.errors] == ["KeyboardInterrupt"]
    assert cell("%udf bench doubled rows --rows 100 --repeats 1").ok


SPINS = """\
%%udf
def spins(x: int) -> int:
    total = x
    for number in range(3000):
        total += number * number
    return total"""


def test_a_profile_of_a_query_shows_the_cell(cell: Cell) -> None:
    ran = cell(SPINS)
    assert ran.ok, ran.errors
    for line in (
        "%udf profile SELECT spins(id) AS y FROM range(0, 1500, 1, 1)",
        "%udf profile spins 'SELECT spins(id) AS y FROM range(0, 1500, 1, 1)'",
    ):
        ran = cell(line)
        assert ran.ok, ran.errors
        assert len(ran.outputs) == 1, ran.outputs
        (output,) = ran.outputs
        text, html = output["data"]["text/plain"], output["data"]["text/html"]
        assert "spins: 100 %" in text
        # The whole cell, with its lines that took no time, under its number.
        for shown in ("Cell In[", "def spins(x: int)", "total += number * number", "return total"):
            assert shown in html
        assert not [tag for tag in ("<script", "<svg", "<style") if tag in html]
        assert any(update["text/plain"] == "running the query …" for update in ran.updates)


def test_a_profile_of_what_another_thread_runs(cell: Cell) -> None:
    ran = cell(SPINS)
    assert ran.ok, ran.errors
    ran = cell(
        "import threading\n"
        "over, begun = threading.Event(), threading.Event()\n"
        "def repeat():\n"
        "    while not over.is_set():\n"
        "        session.sql('SELECT sum(spins(id)) FROM range(0, 500, 1, 1)').collect()\n"
        "        begun.set()\n"
        "thread = threading.Thread(target=repeat)\n"
        "thread.start()\n"
        "begun.wait(60)\n"
        "get_ipython().run_line_magic('udf', 'profile spins --seconds 1')\n"
        "over.set()\n"
        "thread.join()"
    )
    assert ran.ok, ran.errors
    assert any("total += number * number" in str(shown) for shown in ran.displays)


def test_what_a_line_lacks(cell: Cell) -> None:
    for line, said in (
        ("%udf bench", "takes the name of a function, and a query"),
        ("%udf bench doubled", "takes the name of a function, and a query"),
        ("%udf bench SELECT id FROM range(3)", "calls no registered function"),
        ("%udf bench SELECT doubled(spins(id)) FROM range(3)", "calls doubled, spins"),
        ("%udf bench doubled rows --rows", "--rows needs a value"),
        ("%udf bench doubled rows --repeats often", "--repeats often is not a number"),
        ("%udf bench nothing rows", "no function 'nothing'"),
        ("%udf profile SELECT 1 --seconds 3", "a query is profiled to its end"),
        ("%udf profile --seconds soon", "--seconds soon is not a number"),
    ):
        ran = cell(line)
        assert not ran.ok
        assert said in ran.errors[0]["evalue"]


@pytest.mark.usefixtures("doubled")
def test_tab_in_a_line_of_measures(running: Kernel) -> None:
    assert "doubled" in running.complete("%udf bench dou")
    assert "--against" in running.complete("%udf bench doubled rows --")
    assert "doubled" in running.complete("%udf bench doubled rows --against dou")
    assert "doubled" in running.complete("%udf profile dou")
    assert "--seconds" in running.complete("%udf profile doubled --")
