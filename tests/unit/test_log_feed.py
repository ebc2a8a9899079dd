"""What a log panel sends: everything once, the newest first, and no more at a time than fits."""

from __future__ import annotations

import zlib

import pytest

from notebook_udf.errors import FailedRow, Frame
from notebook_udf.telemetry.records import CallFailed, LogLine, LogLines, TaskId
from notebook_udf.telemetry.store import log_store
from notebook_udf.telemetry.store.log_store import Logs
from notebook_udf.widgets import log_feed
from notebook_udf.widgets.log_feed import LogFeed, Message


@pytest.fixture
def logs(monkeypatch: pytest.MonkeyPatch) -> Logs:
    monkeypatch.setattr(log_store, "BLOCK_LINES", 4)
    return Logs()


def write(logs: Logs, *texts: str) -> None:
    made = tuple(LogLine(n, 1.0, "INFO", "print", "f", 0, n, t) for n, t in enumerate(texts, 1))
    logs.add(LogLines(1, "q", made))


def spans(messages: list[Message]) -> list[tuple[int, int, bool]]:
    return [(head["start"], head["count"], head["full"]) for head, _ in messages]


def due(feed: LogFeed, logs: Logs) -> list[Message]:
    return list(feed.due(logs.kept(), []))


def failure(error_id: str) -> CallFailed:
    frames = (Frame("<cell>", 3, "f", "  raise ValueError"), Frame("lib.py", 9, "g"))
    row = FailedRow("f", 1, error_id, "ValueError", "no\x00" + "x" * 10_000, frames,
                    (("i", "7"),), row=3, rows=9, bundle=2, query="q", worker=1)  # fmt: skip
    return CallFailed(1, 3.0, TaskId("q", 1, 0, 0, 5), "fail", "UserFunctionError", row)


def test_pieces_first_then_the_block_that_holds_them(logs: Logs) -> None:
    feed = LogFeed()
    write(logs, "a", "b")
    assert spans(due(feed, logs)) == [(0, 2, False)]
    assert due(feed, logs) == []
    write(logs, "c")
    assert spans(due(feed, logs)) == [(2, 1, False)]
    write(logs, "d", "e")
    assert spans(due(feed, logs)) == [(4, 1, False), (0, 4, True)]
    assert due(feed, logs) == []


def test_all_again_when_a_browser_asks(logs: Logs) -> None:
    feed = LogFeed()
    write(logs, *"abcdef")
    first = due(feed, logs)
    feed.again()
    assert due(feed, logs) == first


def test_a_bounded_part_at_a_time_the_newest_first(
    logs: Logs, monkeypatch: pytest.MonkeyPatch
) -> None:
    feed = LogFeed()
    write(logs, *"abcdefghijkl")
    monkeypatch.setattr(log_feed, "MOST_BYTES", 1)
    assert spans(due(feed, logs)) == [(8, 4, True)]
    assert spans(due(feed, logs)) == [(4, 4, True)]
    assert spans(due(feed, logs)) == [(0, 4, True)]
    assert due(feed, logs) == []


def test_what_is_sent_is_what_the_kernel_keeps(logs: Logs) -> None:
    write(logs, "eins", "zwei ✓", "\ud800", "")
    ((_, (packed,)),) = due(LogFeed(), logs)
    assert packed == logs.kept().blocks[0].packed
    assert zlib.decompress(packed).endswith("einszwei ✓\ud800".encode("utf-8", "surrogatepass"))


def test_failures_come_once_bounded_and_fit_for_a_screen(logs: Logs) -> None:
    feed = LogFeed()
    failures = [failure(str(n)) for n in range(300)]
    ((head, buffers),) = feed.due(logs.kept(), failures)
    assert (head["kind"], len(head["failures"]), buffers) == ("failures", 200, [])
    told = head["failures"][-1]
    assert (told["id"], told["row"], told["bundle"], told["pid"]) == ("299", 3, 2, 1)
    assert told["arguments"] == [["i", "7"]]
    assert told["code"] == [[3, "  raise ValueError", True]]
    assert told["message"].startswith("no␀xxx")
    assert told["message"].endswith("more characters)")
    assert len(told["message"]) < 5_000
    assert list(feed.due(logs.kept(), failures)) == []
    ((head, _),) = feed.due(logs.kept(), [*failures, failure("new")])
    assert [each["id"] for each in head["failures"]] == ["new"]
