"""Cards, live lines and tables of rows as pure rendering: data in, text out."""

from __future__ import annotations

import linecache
from collections.abc import Iterator
from dataclasses import replace
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from notebook_udf.errors import (
    DeclarationError,
    FailedRow,
    Frame,
    FunctionTimeout,
    NotebookUdfError,
    UserFunctionError,
    WorkerLost,
    WorkerOutOfMemory,
)
from notebook_udf.kernel.translation import describe
from notebook_udf.render.format import seconds
from notebook_udf.sanitize import one_line, plain
from notebook_udf.telemetry.store.function_sums import FunctionTotals, MetricTotal
from notebook_udf.widgets.card import card_html, card_text, headline
from notebook_udf.widgets.live import RunState
from notebook_udf.widgets.live_forms import live_text, summary_html, summary_text
from notebook_udf.widgets.rows import RowsTable

FILE = "<a cell of these tests>"
SOURCE = """import json

def share(part, whole):
    known = json.loads('{}')
    return part / whole
"""
HOSTILE = "<script>alert(1)</script><img src=x onerror=alert(2)>\x1b[31m\x00\ud800\u202e"

ALLOWED = {
    "b", "code", "details", "div", "pre", "span", "summary", "table", "tbody", "td", "th",
    "thead", "tr",
}  # fmt: skip


class Reader(HTMLParser):
    """Collects the text of a page, and refuses what a card must not hold."""

    def __init__(self) -> None:
        super().__init__()
        self.text: list[str] = []
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in ALLOWED, tag
        assert {name for name, _ in attrs} <= {"style", "tabindex"}, attrs
        self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text.append(data)


def read(html: str) -> str:
    """The text of well-formed, harmless HTML that can be sent to a browser."""
    reader = Reader()
    reader.feed(html)
    reader.close()
    assert reader.open == []
    html.encode("utf-8")
    assert not {"\x00", "\x1b", "\u202e"} & set(html)
    return "".join(reader.text)


@pytest.fixture(autouse=True)
def source() -> Iterator[None]:
    lines = [line + "\n" for line in SOURCE.splitlines()]
    linecache.cache[FILE] = (len(SOURCE), None, lines, FILE)
    yield
    del linecache.cache[FILE]


FAILED = FailedRow(
    function="share",
    version=2,
    error_id="0123456789ab",
    exception="ZeroDivisionError",
    message="division by zero",
    frames=(Frame(FILE, 5, "share"),),
    arguments=(("part", "3"), ("whole", "0")),
    row=4,
    rows=10,
    bundle=2,
    partition=1,
    worker=4711,
    pickled_arguments=b"kept",
)


def failure(**changes: object) -> UserFunctionError:
    failed = replace(FAILED, **changes)  # type: ignore[arg-type]
    return UserFunctionError(describe(failed), failed=failed, jvm_stack="org.apache.Spark\n\tat x")


def test_a_failed_call() -> None:
    html = card_html(failure())
    text = read(html)
    assert "share: ZeroDivisionError: division by zero" in text
    assert "       4      known = json.loads('{}')\n-->    5      return part / whole" in text
    assert "       3  def share(part, whole):" in text
    assert "import json" not in text
    assert "part3whole0" in text
    assert "row 4 of 10 in bundle 2, partition 1, worker 4711" in text
    assert "session.replay('share') runs this row here" in text
    assert html.index("Next:") < html.index("org.apache.Spark")
    assert html.count("<details") == 1
    assert "open" not in html.split("<details", 1)[1].split(">", 1)[0]


def test_the_users_line_not_the_librarys() -> None:
    frames = (Frame(FILE, 4, "share"), Frame("/lib/json/decoder.py", 9, "decode", "    raise X"))
    error = failure(frames=frames)
    text = read(card_html(error))
    assert "-->    4      known = json.loads('{}')" in text
    assert "Traceback (2 frames)" in text
    assert "/lib/json/decoder.py, line 9, in decode\n    raise X" in text
    assert "-->    4     known" in card_text(error)


def test_without_source_frames_or_arguments() -> None:
    nowhere = read(card_html(failure(frames=(Frame("/gone.py", 8, "share"),))))
    assert "line 8, in share" in nowhere
    bare = failure(frames=(), arguments=(), row=-1, pickled_arguments=b"")
    text = read(card_html(bare))
    assert "partition 1, worker 4711" in text
    assert "-->" not in text


def test_lost_worker() -> None:
    error = WorkerLost(
        "worker 7 exited with code 3 while it ran share\nit was at row 4 of 10 in bundle 2\n\n"
        "its last output:\nbye\n\nsession.pool shows the workers",
        function="share",
        worker=7,
        output="bye",
        jvm_stack="stack",
    )
    text = read(card_html(error))
    assert "worker 7 exited with code 3 while it ran share" in text
    assert "it was at row 4 of 10 in bundle 2" in text
    assert "Next: session.pool shows the workers" in text
    assert "The worker's last output" in text


def test_out_of_memory_and_timeout() -> None:
    text = "share took 5 s\n\n    part = 3\n\nraise timeout="
    late = FunctionTimeout(text, function="share", worker=7, failed=FAILED)
    late.stack = "File x, line 1"
    shown = read(card_html(late))
    assert "share took 5 s" in shown
    assert "-->    5" in shown
    assert "Next: raise timeout=" in shown
    assert "Where the worker was stuckFile x, line 1" in shown
    full = WorkerOutOfMemory("share ran out of memory\n\nrow\nraise memory=", failed=FAILED)
    assert "Next: raise memory=" in read(card_html(full))


def test_an_error_without_a_call() -> None:
    text = read(card_html(DeclarationError("no such option\n\nusage: this\nand that")))
    assert text == "DeclarationErrorno such optionusage: this\nand that"
    assert read(card_html(NotebookUdfError(""))) == "NotebookUdfErrorNotebookUdfError"


def test_hostile_text_everywhere() -> None:
    error = failure(
        function=HOSTILE,
        exception=HOSTILE,
        message=HOSTILE,
        frames=(Frame(HOSTILE, 1, HOSTILE, HOSTILE), Frame(HOSTILE, 2, HOSTILE, HOSTILE)),
        arguments=((HOSTILE, HOSTILE),),
        error_id=HOSTILE,
    )
    error.jvm_stack = HOSTILE
    text = read(card_html(error))
    assert text.count("<script>alert(1)</script>") >= 6
    assert "␛[31m␀\\ud800\ufffd" in text
    assert "\x1b" not in card_text(error)


def test_length_is_bounded() -> None:
    long = "x" * 10_000_000
    error = failure(
        message=long,
        arguments=(("part", long),),
        frames=tuple(Frame(FILE, 5, "share", "y" * 100_000) for _ in range(3_000)),
    )
    error.jvm_stack = long
    html = card_html(error)
    assert len(html) < 120_000
    assert "more characters" in html
    assert "2,960 frames more" in html


@given(st.text(), st.text(), st.text())
def test_any_text_is_only_text(message: str, name: str, value: str) -> None:
    error = failure(message=message, arguments=((name, value),))
    read(card_html(error))
    assert "\n" not in headline(error)


TOTALS = FunctionTotals(
    query="5", function="share", version=2, tasks=1, bundles=11, rows_in=336_776,
    rows_out=336_776, bytes_in=1, bytes_out=1, wait_ns=12_000_000, decode_ns=0,
    user_ns=1_250_000_000, encode_ns=0, write_ns=0, errors=2, first=0.0, last=2.0,
)  # fmt: skip
RUN = RunState(
    seconds=2.5,
    totals=(TOTALS, replace(TOTALS, function="other")),
    metrics=(MetricTotal("5", "share", "late", "counter", 81_234),),
    rows=336_776,
    bundles=11,
    rate=168_388.0,
    log_lines=3,
    log=("first\nsecond " + HOSTILE,),
)


def test_live_line() -> None:
    text = live_text(RUN)
    assert text.startswith(
        "running · 2.50 s · 336,776 rows in, 168,388 rows/s · 11 bundles · 4 errors · late 81,234 "
        "· 3 log lines: first⏎second <script>"
    )
    assert "\n" not in text
    assert live_text(RunState()) == "running · 0.0 ms"


def test_summary() -> None:
    text = summary_text(replace(RUN, outcome="done"), "7 rows, all shown")
    lines = [line.split() for line in text.splitlines()]
    assert text.startswith("7 rows, all shown · 2.50 s · 3 log lines (%udf logs)\n\n")
    assert ["share", "v2", "336,776", "11", "168,388"] in [line[:5] for line in lines]
    assert ["share", "late", "81,234"] in lines
    shown = read(summary_html(replace(RUN, outcome="done"), "7 rows, all shown"))
    assert "share v2336,77611168,388" in shown
    assert summary_text(RunState("cancelled", 3.0)) == "cancelled after 3.00 s"
    assert read(summary_html(RunState("failed", 0.5))) == "● failed after 500.0 ms"


def test_rows() -> None:
    table = RowsTable(("id", HOSTILE), [(1, None), (2, HOSTILE), (3, b"\x00\xff")], True)
    shown = read(table._repr_html_())
    assert "<script>alert(1)</script>" in shown
    assert "NULL" in shown
    assert "0x00ff" in shown
    assert table.count == "the first 3 rows; there are more"
    assert "\x1b" not in repr(table)
    assert RowsTable(("a",), [], False).count == "0 rows, all shown"
    wide = RowsTable(tuple(map(str, range(500))), [tuple(range(500))], False)
    assert "300 more columns" in repr(wide)
    assert len(RowsTable(("a",), [("x" * 10_000_000,)], False)._repr_html_()) < 1_000


def test_durations() -> None:
    assert [seconds(s) for s in (0.0123, 1.25, 59.99, 200)] == [
        "12.3 ms",
        "1.25 s",
        "59.99 s",
        "3 min 20 s",
    ]


def test_plain_text() -> None:
    assert plain("a\tb\nc") == "a\tb\nc"
    assert plain("abcdef", 4) == "abcd… (2 more characters)"
    assert one_line("a\r\nb\tc", 99) == "a⏎b c"
