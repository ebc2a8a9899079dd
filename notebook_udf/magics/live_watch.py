"""Watches one run: selects the records and jobs that belong to it and sums them up.

Records come from ``telemetry.store.session_store``, jobs from ``host``; ``widgets.live``
shows the run's state.
"""

from __future__ import annotations

import threading
import time
from collections import Counter, deque
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from notebook_udf.plan.progress import Progress
from notebook_udf.sanitize import without_escapes
from notebook_udf.telemetry.records import (
    CallFailed,
    LogLines,
    Record,
    TaskEnded,
    TaskStarted,
    WorkerExited,
)
from notebook_udf.telemetry.store.function_sums import Tally
from notebook_udf.widgets.live import LOG_TAIL, Outcome, RunState, Split, Trouble, warnings

if TYPE_CHECKING:
    # It imports numpy, which loading the extension must not.
    from notebook_udf.telemetry.store.session_store import Store

# Queries that are kept one by one; those that ended before them are kept as a sum.
_MOST_QUERIES = 20
# The seconds that the current rate is measured over.
_MOMENT = 3.0


@dataclass
class _Sum:
    """Sums over several queries."""

    tally: Tally = field(default_factory=Tally)
    rows: int = 0
    bundles: int = 0
    split: Split = field(default_factory=Split)
    stages: dict[int, list[str]] = field(default_factory=dict)

    def add(self, store: Store, query: str) -> None:
        """Adds the totals and metrics that the store has of a query."""
        totals = store.totals(query)
        self.tally.add_totals(totals, store.metrics(query))
        self.rows += max((t.rows_in for t in totals), default=0)
        self.bundles += max((t.bundles for t in totals), default=0)
        for number, stage in store.totals_by_stage(query).items():
            self.stages[number] = [t.function for t in stage]
            # Functions of a stage that share its bundles each have the time of all of them.
            waiting = max(t.wait_ns for t in stage) if stage else 0
            writing = max(t.write_ns for t in stage) if stage else 0
            self.split = Split(
                self.split.waiting + waiting / 1e9,
                self.split.transfer
                + (writing + sum(t.decode_ns + t.encode_ns for t in stage)) / 1e9,
                self.split.user + sum(t.user_ns for t in stage) / 1e9,
            )

    def copy(self) -> _Sum:
        tally = Tally()
        tally.add(self.tally)
        return replace(self, tally=tally, stages={})


class Watch:
    """Selects a run's records: those of queries whose tasks began during it.

    Parameters
    ----------
    began
        When the run began, in seconds of ``time.monotonic``.
    """

    KINDS = (TaskStarted, TaskEnded, LogLines, CallFailed, WorkerExited)

    def __init__(self, store: Store, began: float) -> None:
        self._store = store
        self._began = began
        self._first_task: float | None = None
        self._changed = threading.Condition()
        # Each query, with its stages in which tasks have begun.
        self._queries: dict[str, set[int]] = {}
        self._ended = _Sum()
        # By query, worker and attempt: a task with several Python nodes begins and ends once for
        # each.
        self._open: Counter[tuple[str, int, int]] = Counter()
        self._lines: dict[str, int] = {}
        self._log: deque[tuple[str, str]] = deque(maxlen=50)
        self._outcomes: dict[str, str] = {}
        self._lost = 0
        self._dropped = 0
        self._rows: deque[tuple[float, int]] = deque()

    def apply(self, record: Record) -> None:
        """Applies a record of the session that is of one of ``KINDS``."""
        with self._changed:
            match record:
                case TaskStarted(task=task) if record.functions:
                    self._queries.setdefault(task.query, set()).add(task.stage)
                    self._open[task.query, record.pid, task.task_attempt] += 1
                    if self._first_task is None:
                        self._first_task = time.monotonic()
                case TaskEnded(task=task):
                    key = (task.query, record.pid, task.task_attempt)
                    self._open[key] -= 1
                    if self._open[key] <= 0:
                        del self._open[key]
                case LogLines(query=query) if query in self._queries:
                    count = len(record.lines) + max(0, record.dropped)
                    self._lines[query] = self._lines.get(query, 0) + count
                    self._dropped += max(0, record.dropped)
                    for line in record.lines[-LOG_TAIL:]:
                        self._log.append((query, line.text[:1000]))
                case CallFailed(task=task) if task.query in self._queries:
                    self._outcomes[record.failed.function] = record.outcome
                case WorkerExited(pid=pid):
                    self._lost += record.signal is not None and not record.requested
                    for key in [key for key in self._open if key[1] == pid]:
                        del self._open[key]
                case _:
                    return
            self._changed.notify_all()

    def settle(self, timeout: float, *, expected: bool) -> None:
        """Waits up to ``timeout`` seconds until begun tasks, at least one if ``expected``, end."""
        with self._changed:
            self._changed.wait_for(
                lambda: not self._busy() and (bool(self._queries) or not expected), timeout
            )

    def _busy(self) -> int:
        """The number of tasks of its queries that have begun and not ended."""
        return sum(query in self._queries for query, _, _ in self._open)

    def forget(self, stages: set[int]) -> None:
        """Removes queries of other cells: those that ran nothing but these stages."""
        with self._changed:
            for query in [q for q, ran in self._queries.items() if ran <= stages]:
                del self._queries[query]
                self._lines.pop(query, None)
            if not self._queries and not self._ended.rows:
                self._first_task = None

    def state(
        self, outcome: Outcome, now: float, progress: Progress, *, cancelling: bool = False
    ) -> RunState:
        """The state of the run at this moment."""
        with self._changed:
            while len(self._queries) > _MOST_QUERIES:
                query = next(iter(self._queries))
                self._ended.add(self._store, query)
                del self._queries[query]
                self._ended.stages.clear()
            queries, first = list(self._queries), self._first_task
            log = [text for query, text in self._log if query in self._lines]
            lines, busy = sum(self._lines.values()), self._busy()
            trouble = Trouble(dict(self._outcomes), self._lost, self._dropped, self._store.late)
        whole = self._ended.copy()
        for query in queries:
            whole.add(self._store, query)
        single = queries[0] if len(queries) == 1 else ""
        state = RunState(
            outcome=outcome,
            seconds=now - self._began,
            totals=tuple(whole.tally.totals(single)),
            metrics=tuple(whole.tally.metric_totals(single)),
            rows=whole.rows,
            bundles=whole.bundles,
            in_progress=busy if outcome == "running" else 0,
            rate=whole.rows / (now - first) if first is not None and now > first else 0.0,
            rate_now=self._rate_now(now, whole.rows) if first is not None else 0.0,
            split=whole.split,
            log_lines=lines,
            log=tuple(without_escapes(text) for text in log[-LOG_TAIL:]),
            progress=_named(progress, whole.stages),
            cancelling=cancelling,
        )
        return replace(state, warnings=warnings(state, trouble))

    def _rate_now(self, now: float, rows: int) -> float:
        """Rows a second over the last seconds; at the first call, since the first task."""
        if not self._rows:
            self._rows.append((self._first_task or now, 0))
        self._rows.append((now, rows))
        while len(self._rows) > 2 and self._rows[1][0] < now - _MOMENT:
            self._rows.popleft()
        then, before = self._rows[0]
        return (rows - before) / (now - then) if now > then else 0.0


def _named(progress: Progress, functions: dict[int, list[str]]) -> Progress:
    """Names stages after their functions, where they have any."""
    stages = (
        replace(stage, name=", ".join(functions.get(stage.number, [])) or stage.name)
        for stage in progress.stages
    )
    return replace(progress, stages=tuple(stages))
