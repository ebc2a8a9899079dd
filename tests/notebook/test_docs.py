"""Every block of code on every page of the documentation runs, and says what the page says."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from doc_pages import DOCS, ROOT, Block, blocks, missing, pages, table_rows
from notebook_kernel import Kernel, Ran

Cell = Callable[[str], Ran]

PAGES = [page for page in pages() if blocks(page)]


@pytest.fixture
def page_cell(cell: Cell, running: Kernel) -> Iterator[Cell]:
    """Runs cells in a namespace in which nothing is but the magics."""
    assert cell("%reset -f").ok
    yield cell
    restored = running.run(
        "import notebook_udf as nu\nsession = nu.session()\nsession.live = False\n"
        "for query in session.spark.streams.active:\n    query.stop()"
    )
    assert restored.ok, restored.errors


@pytest.mark.one_in(2)
@pytest.mark.timeout(300)
@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_its_code_runs(page: Path, page_cell: Cell) -> None:
    for block in blocks(page):
        ran = page_cell(block.cell)
        where = f"{page.relative_to(ROOT)}:{block.line}"
        if block.raises:
            assert [error["ename"] for error in ran.errors] == [block.raises], where
        else:
            assert ran.ok, f"{where}\n{_shown(ran)}"
        absent = missing(block.output, _shown(ran))
        assert not absent, f"{where}\nmissing: {absent}\nshown:\n{_shown(ran)}"


MOVED = DOCS / "migrate" / "pyflink.md"
# A DataFrame that is shown has only been planned.
_EXECUTED = """
_result = {code}
if isinstance(_result, type(df)) and not _result.isStreaming:
    _result.collect()
_result
"""


@pytest.mark.timeout(600)
def test_what_is_written_for_each_name_of_pyflinks_runs(page_cell: Cell) -> None:
    for block in blocks(MOVED):
        ran = page_cell(block.cell)
        assert ran.ok, f"{block.line}\n{_shown(ran)}"
    rows = [row for row in table_rows(MOVED) if row.code]
    assert len(rows) > 100
    assert page_cell("_confs = dict(session.spark.conf.getAll)").ok
    for row in rows:
        magic = row.code.startswith("%")
        ran = page_cell(row.code if magic else _EXECUTED.format(code=row.code))
        assert ran.ok, f"{MOVED.name}:{row.line} {row.code}\n{_shown(ran)}"
    undone = page_cell(
        "for name in set(session.spark.conf.getAll) - set(_confs):\n"
        "    session.spark.conf.unset(name)\n"
        "for name, value in _confs.items():\n"
        "    if session.spark.conf.get(name) != value:\n"
        "        session.spark.conf.set(name, value)\n"
        "for path in ('moved.py', 'moved.zip', 'requirements.txt'):\n"
        "    session.remove_dependency(path)"
    )
    assert undone.ok, _shown(undone)


def test_every_name_of_pyflinks_has_its_row() -> None:
    listed = (ROOT / "tests" / "fixtures" / "pyflink_names.txt").read_text("utf-8")
    names = [line for line in listed.splitlines() if line and not line.startswith("#")]
    told = {name for row in table_rows(MOVED) for name in row.names}
    assert [name for name in names if name not in told] == []


def test_a_page_that_lies_is_found() -> None:
    block = Block(1, "print('a\\nb')", output="b\na\n")
    assert missing(block.output, "a\nb") == ["a"]
    assert missing("a\n…\nc", "a\nb\nc  ") == []


def _shown(ran: Ran) -> str:
    parts = [
        output.get("text")
        or "\n".join(output.get("traceback", ()))
        or output.get("data", {}).get("text/plain", "")
        for output in ran.outputs
    ]
    return "\n".join(parts)
