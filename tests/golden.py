"""What the planner's tests hand to Spark, kept as text: a change of the planner that is to change
no query shows here if it does.

Every ``session.sql`` of a test below ``tests/spark`` that is rewritten is compared with what stands
in ``tests/fixtures/planner/golden``; ``python -m pytest --write-golden tests/spark/…`` writes again
what the tests that it runs have rewritten. Tests that draw their queries at random have none:
those of hypothesis, and those marked ``drawn``.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame

import notebook_udf as nu
from notebook_udf.kernel.java_calls import JavaCalls
from notebook_udf.planner.physical import aggregate_in_spark

FOLDER = Path(__file__).parent / "fixtures" / "planner" / "golden"
# Functions and views that the session numbers as they come.
_NUMBERED = re.compile(r"\b_nu_\w+?_(\d+)\b")
# Names that are others in each run: Spark's own for DataFrames, and folders of tests.
_DRAWN = re.compile(r"(?<=_pyspark_)[0-9a-f]{32}|(?<=')/[^']*(?=/\w+')")
_HEAD = "=== "
_PART = re.compile(r"^=== (.*)\n", re.MULTILINE)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--write-golden", action="store_true", help="write what the planner hands to Spark again"
    )


@pytest.fixture(autouse=True)
def golden(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Compares what a test's queries become with what they became when it was written."""
    drawn = request.node.get_closest_marker("drawn") or hasattr(request.function, "hypothesis")
    if drawn or request.path.parent.name != "spark":
        yield
        return
    recorded: list[str] = []
    module = sys.modules[nu.Session.__module__]
    run_query = vars(module)["run_query"]

    def recording(session: nu.Session, query: str, args: Mapping[str, Any]) -> DataFrame:
        rows: DataFrame = run_query(session, query, args)
        rewriting = session.rewritten.get(rows)
        if rewriting is not None and rewriting.steps:
            recorded.append(_entry(query, rewriting.steps))
        return rows

    # Errors show the innermost frame outside of the package, which is to be the test's.
    inside = recording.__code__.replace(co_filename=run_query.__code__.co_filename)
    recording.__code__ = inside
    monkeypatch.setattr(module, "run_query", recording)
    path = FOLDER / f"{request.path.stem}.sql"
    kept = read(path)
    writes = request.config.getoption("--write-golden")
    if (writes or kept.get(request.node.name)) and not request.path.stem.startswith("test_java"):
        # What is compared is how functions in workers are called; those that declare no types are
        # kept there, and so are the accumulators and the values of groups.
        monkeypatch.setattr(JavaCalls, "is_worth_an_attempt", lambda *_: False)
        monkeypatch.setattr(aggregate_in_spark, "_group_call", lambda *_: None)
        monkeypatch.setattr(aggregate_in_spark, "_folded", lambda *_: None)
    yield
    found = "".join(dict.fromkeys(recorded))
    if writes:
        if kept.get(request.node.name, "") != found:
            kept[request.node.name] = found
            write(path, kept)
        return
    assert found == kept.get(request.node.name, ""), (
        f"the planner hands other queries to Spark than {path.name} says: if that is meant, run "
        f"the test with --write-golden, and read the difference"
    )


def read(path: Path) -> dict[str, str]:
    """The entries of a file, by the names of tests."""
    if not path.exists():
        return {}
    pieces = _PART.split(path.read_text("utf-8"))[1:]
    return dict(zip(pieces[::2], pieces[1::2], strict=True))


def write(path: Path, entries: dict[str, str]) -> None:
    """Writes them in the order of their names, so that a difference is small."""
    path.parent.mkdir(parents=True, exist_ok=True)
    kept = (f"{_HEAD}{name}\n{entries[name]}" for name in sorted(entries) if entries[name])
    path.write_text("".join(kept), "utf-8")


def _entry(query: str, steps: tuple[tuple[str, str], ...]) -> str:
    became = "".join(f"--> {name}\n{text}\n" for name, text in steps)
    seen: dict[str, str] = {}

    def renumbered(match: re.Match[str]) -> str:
        start, end = match.start(1) - match.start(), match.end(1) - match.start()
        number = seen.setdefault(match[0], f"{match[0][:start]}{len(seen)}{match[0][end:]}")
        return number

    return _DRAWN.sub("", f"{query.strip()}\n{_NUMBERED.sub(renumbered, became)}")
