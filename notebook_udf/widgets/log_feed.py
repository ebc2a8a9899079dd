"""Selects the messages that a log panel sends next, a bounded amount at a time.

Full blocks are sent as they are kept, the newest first, because people look at the end of a log.
Lines that are not in a full block yet are sent in pieces as they come; the block that holds them
in the end replaces the pieces. A browser ignores a block that it has already, so that sending
everything again does no harm.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal, TypedDict

from notebook_udf.telemetry.records import CallFailed
from notebook_udf.telemetry.store.log_blocks import Gap, LineOrigin, LogBlock
from notebook_udf.telemetry.store.log_store import KeptLogs
from notebook_udf.widgets.failed_calls import FailureData, failed_call

# Per refresh, of five a second: what a connection of 30 Mbit/s takes without falling behind.
MOST_BYTES = 768 * 1024
MOST_FAILURES = 200


class LinesMessage(TypedDict):
    """Log lines, as packed columns in the message's buffer: a ``full`` block, or a piece of one."""

    kind: Literal["lines"]
    start: int
    count: int
    full: bool
    origins: list[Annotated[list[Any], LineOrigin]]
    gaps: list[Annotated[list[Any], Gap]]


class FailuresMessage(TypedDict):
    """The calls that failed since the last message of this kind."""

    kind: Literal["failures"]
    failures: list[FailureData]


LogMessage = LinesMessage | FailuresMessage
Message = tuple[LogMessage, list[bytes]]


@dataclass
class LogFeed:
    """Decides which messages are due; the panel sends them."""

    _sent: set[int] = field(default_factory=set)
    _tail: int = -1
    _failures: set[str] = field(default_factory=set)

    def again(self) -> None:
        """Makes everything due once more."""
        self._sent, self._tail, self._failures = set(), -1, set()

    def due(self, kept: KeptLogs, failures: list[CallFailed]) -> Iterator[Message]:
        """The messages to send now."""
        yield from self._failed(failures)
        tail = kept.tail.since(max(self._tail, kept.tail.start))
        if len(tail):
            self._tail = kept.end
            yield _message(tail.pack(), full=False)
        sent = 0
        self._sent &= {block.start for block in kept.blocks}
        for block in reversed(kept.blocks):
            if block.start in self._sent:
                continue
            if sent >= MOST_BYTES:
                return
            sent += block.size
            self._sent.add(block.start)
            yield _message(block, full=True)

    def _failed(self, failures: list[CallFailed]) -> Iterator[Message]:
        recent = {each.failed.error_id: each for each in failures[-MOST_FAILURES:]}
        fresh = [failed_call(each) for name, each in recent.items() if name not in self._failures]
        self._failures = set(recent)
        if fresh:
            yield {"kind": "failures", "failures": fresh}, []


def _message(block: LogBlock, *, full: bool) -> Message:
    content: LinesMessage = {
        "kind": "lines",
        "start": block.start,
        "count": block.count,
        "full": full,
        "origins": [list(origin) for origin in block.origins],
        "gaps": [list(gap) for gap in block.gaps],
    }
    return content, [block.packed]
