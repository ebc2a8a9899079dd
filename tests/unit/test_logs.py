"""Lines as columns: nothing is lost but what is counted, whatever is packed and let go."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import astuple, dataclass

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from notebook_udf.telemetry.records import LogLine, LogLines
from notebook_udf.telemetry.store import log_store
from notebook_udf.telemetry.store.log_store import MAX_BYTES, MAX_LINES, LogChoice, Logs


@dataclass(frozen=True)
class Written:
    """A line before it is in a record."""

    pid: int
    query: str
    function: str
    level: str
    text: str


LINES = st.builds(
    Written,
    st.integers(1, 3),
    st.sampled_from(["1", "2"]),
    st.sampled_from(["f", "g", ""]),
    st.sampled_from(["DEBUG", "INFO", "ERROR", "loud"]),
    st.text(st.characters() | st.sampled_from("\ud800\x00\x1b✓"), max_size=6),
)
CHOICES = st.builds(
    LogChoice,
    query=st.sampled_from([None, "1"]),
    function=st.sampled_from([None, "f"]),
    level=st.sampled_from([None, "INFO", "loud"]),
    pid=st.sampled_from([None, 2]),
    text=st.sampled_from([None, "a", "✓"]),
)


def record(*lines: Written, first: int = 1, dropped: int = 0) -> LogLines:
    pid, query = lines[0].pid, lines[0].query
    made = tuple(
        LogLine(first + n, float(n), each.level, "print", each.function, n, -1, each.text)
        for n, each in enumerate(lines)
    )
    return LogLines(pid, query, made, dropped)


@pytest.fixture
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log_store, "BLOCK_LINES", 4)


def fits(line: Written, choice: LogChoice) -> bool:
    severe = ["DEBUG", "INFO", "ERROR"]
    if choice.level in severe and line.level in severe:
        loud = severe.index(line.level) >= severe.index(choice.level)
    else:
        loud = choice.level in (None, line.level)
    return (
        loud
        and choice.query in (None, line.query)
        and choice.function in (None, line.function)
        and choice.pid in (None, line.pid)
        and (choice.text or "").lower() in line.text.lower()
    )


@settings(max_examples=150, deadline=None)
@given(st.lists(LINES, max_size=30), CHOICES, st.none() | st.integers(0, 5), st.integers(1, 20))
def test_against_a_plain_list(
    lines: list[Written], choice: LogChoice, limit: int | None, most: int
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(log_store, "BLOCK_LINES", 4)
        logs = Logs(max_lines=most)
        for line in lines:
            logs.add(record(line))
    held = lines[-most:]
    wanted = [line for line in held if fits(line, choice)]
    kept = logs.kept()
    assert logs.dropped == kept.dropped == len(lines) - len(held)
    assert [e.text for e in kept.entries(choice)] == [line.text for line in wanted]
    assert kept.count(choice) == len(wanted)
    found = kept.select(choice, limit)
    assert [(e.pid, e.query, e.function, e.level, e.text) for e in found] == [
        (*astuple(line)[:4], line.text) for line in (wanted[-limit:] if limit else wanted)
    ][: None if limit is None else limit]


def missing(logs: Logs) -> Iterator[tuple[int, int]]:
    """Before which lines how many are missing."""
    kept = logs.kept()
    for block in (*kept.blocks, kept.tail.pack()):
        yield from ((block.start + gap.at, gap.missing) for gap in block.gaps)


@pytest.mark.usefixtures("small_blocks")
def test_missing_lines_have_their_place() -> None:
    logs = Logs()
    line = Written(1, "q", "f", "INFO", "x")
    logs.add(record(*[line] * 5, dropped=7))
    logs.add(record(*[line] * 2, first=13))
    logs.add(record(line, first=25, dropped=10))
    logs.add(record(line, first=27, dropped=0))
    assert list(missing(logs)) == [(5, 7), (7, 10)]
    assert logs.dropped == 17


@pytest.mark.usefixtures("small_blocks")
def test_what_is_missing_last_stands_before_the_line_to_come() -> None:
    logs = Logs()
    line = Written(1, "q", "f", "INFO", "x")
    logs.add(record(*[line] * 4, dropped=9))
    assert list(missing(logs)) == [(4, 9)]
    logs.add(record(line, first=14))
    assert list(missing(logs)) == [(4, 9)]


def test_numbers_of_any_size_are_kept_or_clipped() -> None:
    logs = Logs()
    huge = 10**30
    logs.add(LogLines(1, "q", (LogLine(huge, 1.0, "INFO", "x", "f", huge, -huge, "t"),)))
    block = logs.kept().tail.pack()
    entry = block.unpack().entry(0)
    assert (entry.bundle, entry.row, entry.sequence) == (2**31 - 1, -1, 2**63 - 1)


def test_a_line_takes_so_little_that_all_fit() -> None:
    # Blocks are packed one by one, so that a fifth of the lines takes a fifth of the memory.
    lines = MAX_LINES // 5
    logs = Logs()
    for start in range(0, lines, 50_000):
        made = tuple(
            LogLine(
                n, 1e9 + n, "INFO", "print", "f", n // 1000, n % 1000, f"line {n} of it {n % 7}"
            )
            for n in range(start, start + 50_000)
        )
        logs.add(LogLines(1, "q", made))
    kept = logs.kept()
    assert (kept.first, kept.end, kept.dropped) == (0, lines, 0)
    assert sum(block.size for block in kept.blocks) < MAX_BYTES / 2 / 5
    assert kept.select(LogChoice(text="line 123 "))[0].row == 123
