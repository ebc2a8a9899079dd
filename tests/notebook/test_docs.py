"""Every block of code on every page of the documentation runs, and says what the page says."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from doc_pages import ROOT, Block, blocks, missing, pages
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
