"""``%udf bench`` in a real kernel."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest
from notebook_kernel import Kernel, Ran

Cell = Callable[[str], Ran]


@pytest.fixture
def doubled(cell: Cell) -> None:
    ran = cell(
        "%%udf\ndef doubled(x: int) -> str:\n    return f'{x}' * 2\n"
        "rows = session.sql('SELECT id AS x FROM range(500)')"
    )
    assert ran.ok, ran.errors


@pytest.mark.usefixtures("doubled")
def test_bench_of_a_query_and_of_a_variable(cell: Cell) -> None:
    for line in (
        "%udf bench doubled SELECT id AS x FROM range(500) WHERE '--rows' <> \"x\" --repeats 1",
        "%udf bench doubled rows --against doubled --repeats 1 --rows 400",
    ):
        ran = cell(line)
        assert ran.ok, ran.errors
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


def test_what_a_line_lacks(cell: Cell) -> None:
    for line, said in (
        ("%udf bench", "takes the name of a function and the rows"),
        ("%udf bench doubled", "takes the name of a function and the rows"),
        ("%udf bench doubled rows --rows", "--rows needs a value"),
        ("%udf bench doubled rows --repeats often", "--repeats often is not a number"),
        ("%udf bench nothing rows", "no function 'nothing'"),
    ):
        ran = cell(line)
        assert not ran.ok
        assert said in ran.errors[0]["evalue"]


@pytest.mark.usefixtures("doubled")
def test_tab_in_a_line_of_measures(running: Kernel) -> None:
    assert "doubled" in running.complete("%udf bench dou")
    assert "--against" in running.complete("%udf bench doubled rows --")
    assert "doubled" in running.complete("%udf bench doubled rows --against dou")
