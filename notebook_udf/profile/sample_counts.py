"""Counts the samples of all workers per stack, bounded however long a profile runs."""

from __future__ import annotations

import threading
from dataclasses import dataclass

from notebook_udf.telemetry.records import Record, StackFrame, StackSamples
from notebook_udf.telemetry.stacks import OURS, WAITING

_MOST_STACKS = 20_000


@dataclass(frozen=True)
class Stack:
    """One stack of a function, outermost frame first, with its samples and their time."""

    function: str
    frames: tuple[StackFrame, ...]
    samples: int
    seconds: float

    @property
    def waits(self) -> bool:
        """Whether the function was waiting for rows."""
        return not self.frames[0].file and self.frames[0].name == f"{OURS}: {WAITING}"


class SampleCollector:
    """Collects the records of one profile, from any thread.

    Parameters
    ----------
    profile
        Its name in the records.
    function
        Only samples of that function, whatever the case of its letters; None for all.
    """

    def __init__(self, profile: str, function: str | None = None) -> None:
        self._profile = profile
        self._function = function.lower() if function is not None else None
        self._stacks: dict[tuple[str, tuple[StackFrame, ...]], list[int]] = {}
        self._changed = threading.Condition()
        self.workers: set[int] = set()
        self.queries: set[str] = set()
        self.dropped = 0
        # Workers that have sent their last record of it.
        self.ended: set[int] = set()

    def add(self, record: Record) -> None:
        """Adds the samples of a record, if it belongs to this profile."""
        if not isinstance(record, StackSamples) or record.profile != self._profile:
            return
        with self._changed:
            if record.query:
                self.queries.add(record.query)
            if record.stacks:
                self.workers.add(record.pid)
            if record.last:
                self.ended.add(record.pid)
            self.dropped += record.dropped
            for numbers, name, count, ns in zip(
                record.stacks, record.functions, record.counts, record.ns, strict=True
            ):
                frames = tuple(record.frames[number] for number in numbers)
                self._count(record.names[name], frames, count, ns)
            self._changed.notify_all()

    def _count(self, name: str, frames: tuple[StackFrame, ...], count: int, ns: int) -> None:
        if not frames or (self._function is not None and name.lower() != self._function):
            return
        known = self._stacks.get((name, frames))
        if known is not None:
            known[0] += count
            known[1] += ns
        elif len(self._stacks) < _MOST_STACKS:
            self._stacks[name, frames] = [count, ns]
        else:
            self.dropped += count

    def wait_ended(self, pids: set[int], timeout: float) -> bool:
        """Waits up to ``timeout`` seconds until those workers have ended it; any worker if none."""
        with self._changed:
            return self._changed.wait_for(
                lambda: pids <= self.ended if pids else bool(self.ended), timeout
            )

    def stacks(self) -> tuple[Stack, ...]:
        """The stacks so far, the longest first."""
        with self._changed:
            found = [
                Stack(name, frames, count, ns / 1e9)
                for (name, frames), (count, ns) in self._stacks.items()
            ]
        return tuple(sorted(found, key=lambda stack: stack.seconds, reverse=True))
