"""``session.profile``: where the time of functions goes, by line, from the running workers."""

from __future__ import annotations

import asyncio
import html.parser
import io
import json
import os
import subprocess
import sys
import threading
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console

import notebook_udf as nu
from notebook_udf.profile.profile_result import Profile
from tests.waiting import PATIENCE


def spin(turns: int) -> int:
    total = 0
    for number in range(turns):
        total += number * number  # the hot line
    return total


def busy(x: int) -> int:
    a = spin(4000)
    b = json.dumps(list(range(20)))  # a library's line
    return a + len(b) + x


def root(x: float) -> float:
    return float(np.sqrt(x))


HERE = Path(__file__).read_text("utf-8").splitlines()
HOT = next(n for n, text in enumerate(HERE, 1) if "# the hot line" in text and "next" not in text)


@pytest.fixture(scope="module")
def profiled(session: nu.Session) -> Profile:
    session.register_function("busy", nu.udf(busy, compile=False))
    # Workers that see this module for the first time import what it needs.
    session.sql("SELECT max(busy(id)) FROM range(0, 2, 1, 2)").collect()
    return session.profile("SELECT busy(id) AS y FROM range(0, 4000, 1, 2)")


def test_the_hot_line_comes_first_with_its_text(profiled: Profile) -> None:
    line = profiled.lines[0]
    assert (line.function, line.text.strip()) == (
        "spin",
        "total += number * number  # the hot line",
    )
    assert (line.title, line.line) == ("test_profile.py", HOT)
    (function,) = profiled.functions
    assert line.seconds > 0.5 * function.user
    assert line.share == pytest.approx(line.seconds / profiled.busy)
    # What a line calls counts for it as well, and not as its own.
    caller = next(each for each in profiled.lines if "a = spin" in each.text)
    assert caller.total > 0.5 * function.user > caller.seconds
    # json's own frames are no lines; what a worker imports that is new may be.
    files = {Path(json.__file__).name, Path(json.encoder.__file__).name}
    assert not files & {each.title for each in profiled.lines}, profiled.lines


def test_frames_of_ours_are_folded(profiled: Profile) -> None:
    (function,) = profiled.functions
    assert function.function == "busy"
    # A worker that was not there before imports them now.
    work = profiled.busy - function.ours.get("notebook-udf: unpacking", 0.0)
    assert function.user > 0.7 * work
    names = {f.name for stack in profiled.stacks for f in stack.frames if not f.file}
    assert names
    assert all(name.startswith("notebook-udf") for name in names)
    files = {f.file for stack in profiled.stacks for f in stack.frames}
    assert not [file for file in files if "notebook_udf/" in file or "pyspark" in file]
    assert len(profiled.workers) in (1, 2)
    assert profiled.samples > 20


def test_a_function_of_a_microsecond_is_seen_at_work(session: nu.Session) -> None:
    """Samples are taken within slices, and not only where the worker waits between them."""
    session.register_function("root", nu.udf(root, compile=False, vectorise=False))
    profile = session.profile("SELECT sum(root(id)) FROM range(0, 1000000, 1, 2)")
    (function,) = profile.functions
    # It was 6 % where samples fell between the slices; of what they are here machines differ.
    assert function.user > 0.2 * profile.busy, profile
    assert any("np.sqrt" in line.text for line in profile.lines), profile.lines


def test_a_profile_of_one_query_sees_no_other(session: nu.Session) -> None:
    session.register_function("busy", busy)
    session.register_function("other", lambda x: spin(2000) + x, result_type="bigint")
    with repeated(session, "SELECT sum(other(id)) FROM range(0, 500, 1, 1)"):
        found = session.profile("SELECT busy(id) AS y FROM range(0, 1000, 1, 1)")
    assert {stack.function for stack in found.working} == {"busy"}


@contextmanager
def repeated(session: nu.Session, query: str) -> Iterator[None]:
    """Runs a query in another thread, again and again."""
    begun, over = threading.Event(), threading.Event()

    def run() -> None:
        while not over.is_set():
            session.sql(query).collect()
            begun.set()

    thread = threading.Thread(target=run)
    thread.start()
    try:
        assert begun.wait(PATIENCE)
        yield
    finally:
        over.set()
        thread.join()


def test_what_runs_in_another_thread_is_profiled_for_a_while(session: nu.Session) -> None:
    session.register_function("busy", busy)
    told: list[str] = []
    with repeated(session, "SELECT sum(busy(id)) FROM range(0, 600, 1, 1)"):
        found = session.profile(seconds=1.0, function="BUSY", progress=told.append)
    assert told[0].startswith("profiling what runs")
    assert found.lines[0].function == "spin"
    assert 1.0 <= found.seconds < 5.0
    # It is over: workers take no more samples.
    assert session.profile("SELECT 1").stacks == ()


def test_async_calls_are_seen_at_work_and_where_they_await(session: nu.Session) -> None:
    async def asked(x: int) -> int:
        return spin(3000) + x

    async def answered(x: int) -> int:
        y = x + 1
        await asyncio.sleep(0.01)  # the answer
        return y

    session.register_function("answered", answered)
    found = session.profile("SELECT answered(id) AS y FROM range(0, 600, 1, 1)")
    assert "# the answer" in found.lines[0].text
    assert found.lines[0].share > 0.5

    session.register_function("asked", asked)
    found = session.profile("SELECT asked(id) AS y FROM range(0, 2000, 1, 1)")
    assert found.lines[0].function == "spin"
    assert {stack.function for stack in found.working} == {"asked"}


def test_aggregates_and_table_functions(session: nu.Session) -> None:
    class Spun(nu.AggregateFunction):
        def create_accumulator(self) -> list[int]:
            return [0]

        def accumulate(self, acc: list[int], x: int) -> None:
            acc[0] = max(acc[0], spin(2000) + x)

        def get_value(self, acc: list[int]) -> int:
            return acc[0]

    session.register_function("spun", Spun())
    session.register_function(
        "spins", nu.udtf(lambda x: [(spin(2000) + x,)], result_types=["bigint"])
    )
    for query in (
        "SELECT spun(id) FROM range(0, 1500, 1, 1)",
        "SELECT s.* FROM range(0, 1500, 1, 1), LATERAL spins(id) AS s",
    ):
        assert session.profile(query).lines[0].function == "spin"


def test_functions_without_lines_say_so(session: nu.Session) -> None:
    session.register_function("doubled", lambda x: 2 * x, result_type="bigint")
    found = session.profile("SELECT doubled(id) AS y FROM range(500000)")
    assert found.lines == ()
    assert any("doubled has no lines" in note and "vectorise=False" in note for note in found.notes)
    assert "vectorise=False" in repr(found)
    nothing = session.profile("SELECT id FROM range(3)")
    assert nothing.to_svg().startswith("<svg")
    assert "no samples" in nothing._repr_html_()


class _Texts(html.parser.HTMLParser):
    """The tags of a page, and what a reader is told by titles."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.titles: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.titles += [value or "" for name, value in attrs if name == "title"]


HOSTILE = '</title><script>alert("1")</script>\x1b[31m\x00\ud800&'


def test_a_hostile_name_is_text_everywhere(session: nu.Session, tmp_path: Path) -> None:
    in_workers = nu.udf(busy, compile=False)
    session.register_function(HOSTILE.replace("\x00", "").replace("\ud800", ""), in_workers)
    record = session.functions[HOSTILE.replace("\x00", "").replace("\ud800", "")]
    frame = session.spark.range(0, 1500, 1, 1).select(record("id").alias("y"))
    found = session.profile(frame)
    svg = found.to_svg()
    root = ET.fromstring(svg)
    space = "{http://www.w3.org/2000/svg}"
    assert {element.tag for element in root.iter()} <= {
        space + tag for tag in ("svg", "g", "title", "rect", "text")
    }
    assert any("<script>" in (title.text or "") for title in root.iter(f"{space}title"))
    page = found.save(tmp_path / "profile.html").read_text("utf-8")
    assert "\x1b" not in page
    for shown in (page, found._repr_html_()):
        parsed = _Texts(shown)
        assert "script" not in parsed.tags
        assert "&lt;script&gt;" in shown
    # As a sanitiser leaves it: no SVG, no style sheet, boxes with their titles.
    parsed = _Texts(found._repr_html_())
    assert not {"svg", "style"} & parsed.tags
    assert any("the hot line" in title for title in parsed.titles)
    assert any(element.get("tabindex") == "0" for element in root.iter(f"{space}g"))


def test_a_profile_in_every_form(profiled: Profile) -> None:
    data = json.loads(json.dumps(profiled.to_dict()))
    assert data["lines"][0]["function"] == "spin"
    assert data["stacks"][0]["frames"][-1]["line"] == HOT
    assert data["functions"][0]["share"] == pytest.approx(1.0)
    assert profiled.to_pandas().loc[0, "function"] == "spin"
    console = Console(width=200, file=io.StringIO())
    console.print(profiled)
    for shown in (repr(profiled), console.file.getvalue()):  # type: ignore[attr-defined]
        assert "total += number * number" in shown
        assert "samples" in shown
    assert f"spin:{HOT}" in console.file.getvalue()  # type: ignore[attr-defined]


def test_what_cannot_be_profiled(session: nu.Session) -> None:
    with pytest.raises(nu.DeclarationError, match="no function 'nowhere'"):
        session.profile("SELECT 1", function="nowhere")
    with pytest.raises(nu.DeclarationError, match="seconds=0"):
        session.profile(seconds=0)
    stream = session.spark.readStream.format("rate").load()
    with pytest.raises(nu.PlanningError, match="start it"):
        session.profile(stream)


FIRST = """
import notebook_udf as nu

def halved(x: int) -> int:
    total = 0
    for digit in str(x):
        total += int(digit)
    return total // 2

session = nu.session()
session.register_function("halved", nu.udf(halved, vectorise=False))
print(session.profile("SELECT sum(halved(id)) FROM range(200000)"))
"""


@pytest.mark.timeout(120)
def test_the_first_query_of_a_session_has_lines(tmp_path: Path) -> None:
    # What brings functions to the JVM arrives while it is planned or runs.
    script = tmp_path / "first.py"
    script.write_text(FIRST)
    given = {**os.environ, "PYTHONPATH": str(Path(nu.__file__).parents[1])}
    ran = subprocess.run(
        [sys.executable, script], env=given, cwd=tmp_path, capture_output=True, text=True
    )
    assert "total += int(digit)" in ran.stdout, ran.stdout + ran.stderr[-2000:]
    assert "halved runs in Spark's JVM; for its lines it ran in Python workers here" in ran.stdout
