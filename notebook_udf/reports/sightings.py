"""What a report knows of one session: read while it and its Spark can be asked, kept after that.

Functions, metrics, failed calls, logs and workers are in this process; queries and plans are
Spark's, and gone when it stops. Everything is bounded.
"""

from __future__ import annotations

import os
import threading
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from notebook_udf.host.call_failures import answered
from notebook_udf.host.runs import ListedQuery, Run, SparkRuns
from notebook_udf.kernel.run_plans import plan_of_run
from notebook_udf.plan.plan_model import Plan
from notebook_udf.plan.progress import OWN_TAG
from notebook_udf.pool.worker_table import how_it_ended
from notebook_udf.telemetry.query_names import query_name
from notebook_udf.telemetry.store.function_sums import FunctionTotals, MetricTotal
from notebook_udf.telemetry.store.log_blocks import LogEntry
from notebook_udf.telemetry.store.worker_store import WorkerView
from notebook_udf.telemetry.timeseries.latencies import Percentiles
from notebook_udf.telemetry.timeseries.timeline import Timeline
from notebook_udf.widgets.failed_calls import FailureData, failed_call

if TYPE_CHECKING:
    from notebook_udf.kernel import Session

# Of Spark's list, which has 1,000 by default; the plans are those of queries that failed, that
# call functions, or that took longest.
MOST_QUERIES = 300
MOST_PLANS = 40
MOST_LINES = 20_000
_SECONDS_TO_SETTLE = 2.0
# Of a job, micro-batches may be many thousands.
_MOST_SETTLING = 20
_COMMANDS = ("Execute ", "CommandResult")
# As the call site of a query that the session itself has run.
_OURS = f"{Path(__file__).resolve().parents[1]}{os.sep}"


@dataclass(frozen=True)
class SeenFunction:
    """A version of a function; ``source`` is "" where it is not known."""

    name: str
    version: int
    kind: str
    signature: str
    source: str


@dataclass(frozen=True)
class SeenQuery:
    """A query; times in seconds since the epoch. ``plan`` is None where it was not read."""

    number: int
    text: str
    began: float
    ended: float | None
    error: str
    functions: tuple[str, ...]
    plan: Plan | None = None

    @property
    def seconds(self) -> float:
        """How long it took; 0 if it has not ended."""
        return 0.0 if self.ended is None else self.ended - self.began


@dataclass(frozen=True)
class SeenCall:
    """A failed call: the class of what it raised, and its data with the lines of its source."""

    exception: str
    data: FailureData


@dataclass(frozen=True)
class SeenWorker:
    """A worker and how it ended, in words; "" if it lives."""

    view: WorkerView
    ended: str


@dataclass(frozen=True)
class Sighting:
    """All that was seen of a session; ``more_queries`` and ``missing_lines`` count the rest."""

    spark: str
    master: str
    app: str
    notes: tuple[str, ...]
    functions: tuple[SeenFunction, ...]
    queries: tuple[SeenQuery, ...]
    more_queries: int
    lists_queries: bool
    totals: tuple[FunctionTotals, ...]
    percentiles: tuple[Percentiles, ...]
    metrics: tuple[MetricTotal, ...]
    names: dict[str, str]
    failures: tuple[SeenCall, ...]
    lines: tuple[LogEntry, ...]
    line_count: int
    missing_lines: int
    workers: tuple[SeenWorker, ...]
    timelines: tuple[Timeline, ...]


class Watched:
    """One session under a report.

    Parameters
    ----------
    since
        When the report began: what is older is left out.
    """

    def __init__(self, session: Session, since: float) -> None:
        self.session = session
        self._since = since
        self.confs: dict[str, str] = {}
        self._over = False
        # A job that is looked at is read by several threads.
        self._looking = threading.Lock()
        self._spark = self._master = self._app = ""
        self._functions: dict[tuple[str, int, str], SeenFunction] = {}
        # Those that were there before the report are of it if they are called.
        self._earlier = {(each.name, each.version, each.hash) for each in session.actions.seen()}
        self._queries: dict[int, SeenQuery] = {}
        self._more = 0
        runs = session.host.runs
        newest = None if runs is None else answered(runs.newest)
        # A query from before the report is none of its.
        self._before = -1 if newest is None else newest
        self._read_confs()

    def look(self, *, last: bool = False, settled: bool = True) -> None:
        """Reads what is gone when the session or its Spark ends; what was read before stays.

        After the ``last`` time nothing is read: another session may have the same Spark.

        Parameters
        ----------
        settled
            Waits until the last records of the latest queries have come, for a moment at most.
        """
        with self._looking:
            if not self._over:
                self._over = last
                self._read(settled=settled)

    def _read(self, *, settled: bool) -> None:
        for record in self.session.actions.seen():
            self._functions[record.name, record.version, record.hash] = SeenFunction(
                record.name, record.version, record.kind, record.signature, record.source
            )
        if not self.session.host.is_alive:
            return
        self._read_confs()
        runs = self.session.host.runs
        if settled:
            self._settle()
            if runs is not None:
                answered(runs.settle)
        if runs is not None:
            answered(lambda: self._read_queries(runs))

    def _read_confs(self) -> None:
        host = self.session.host
        self._spark = answered(lambda: host.spark.version) or self._spark
        self._master = answered(lambda: host.cluster.master) or self._master
        self.confs = answered(lambda: dict(host.spark.conf.getAll)) or self.confs
        self._app = self.confs.get("spark.app.name", "")

    def _settle(self) -> None:
        store = self.session.store
        queries = list(dict.fromkeys(total.query for total in store.totals()))
        until = time.monotonic() + _SECONDS_TO_SETTLE
        for query in queries[-_MOST_SETTLING:]:
            store.wait_settled(query, max(0.0, until - time.monotonic()))

    def _read_queries(self, runs: SparkRuns) -> None:
        found: dict[int, SeenQuery] = {}
        for each in runs.listed(MOST_QUERIES):
            number = each.number
            if number <= self._before:
                break
            known = self._queries.get(number)
            if known is not None and known.ended is not None:
                found[number] = known
            elif not _is_own(runs, each):
                found[number] = self._query(each)
        self._more = max(0, runs.newest() - self._before - MOST_QUERIES)
        for query in _most_telling(list(found.values()))[:MOST_PLANS]:
            if query.plan is None:
                found[query.number] = self._planned(runs, query)
        self._queries |= found

    def _query(self, each: ListedQuery) -> SeenQuery:
        totals = self.session.store.totals(str(each.number))
        return SeenQuery(
            each.number,
            query_name(each.description),
            each.began,
            each.ended,
            each.error or "",
            tuple(dict.fromkeys(total.function for total in totals)),
        )

    def _planned(self, runs: SparkRuns, query: SeenQuery) -> SeenQuery:
        run: Run | None = runs.run(str(query.number))
        plan = None if run is None else plan_of_run(self.session, runs, run)
        named = tuple(use.name for use in plan.functions) if plan is not None else ()
        functions = tuple(dict.fromkeys([*query.functions, *named]))
        return SeenQuery(
            query.number, query.text, query.began, query.ended, query.error, functions, plan
        )

    def sighting(self) -> Sighting:
        """What has been seen until now. Spark need not live."""
        with self._looking:
            functions_seen, queries_seen = dict(self._functions), dict(self._queries)
        store, since = self.session.store, self._since
        totals = [total for total in store.totals() if total.last >= since]
        queries = list(dict.fromkeys(total.query for total in totals))
        recent = set(queries)
        kept = store.kept_logs()
        lines = [line for line in kept.select(limit=MOST_LINES) if line.time >= since]
        called = {(total.function, total.version) for total in totals}
        functions = [
            function
            for key, function in functions_seen.items()
            if key not in self._earlier or key[:2] in called
        ]
        shown = sorted(queries_seen.values(), key=lambda query: query.number)
        found = (store.timeline(query) for query in queries)
        return Sighting(
            spark=self._spark,
            master=self._master,
            app=self._app,
            notes=tuple(self.session.notes),
            functions=tuple(functions),
            queries=tuple(shown),
            more_queries=self._more,
            lists_queries=self.session.host.runs is not None,
            totals=tuple(totals),
            percentiles=tuple(p for p in store.percentiles() if p.query in recent),
            metrics=tuple(m for m in store.metrics() if m.query in recent),
            names={query: store.name(query) for query in queries},
            failures=tuple(
                SeenCall(one.failed.exception, failed_call(one))
                for one in store.failures()
                if one.time >= since
            ),
            lines=tuple(lines),
            line_count=len(lines) if len(lines) < MOST_LINES else kept.end - kept.first,
            missing_lines=kept.dropped,
            workers=tuple(
                # What it said last may be long, and is in the error of its task.
                SeenWorker(replace(view, exited=None), how_it_ended(view, restarted=False))
                for view in store.workers()
                if view.seen >= since
            ),
            timelines=tuple(timeline for timeline in found if timeline is not None),
        )


def _is_own(runs: SparkRuns, each: ListedQuery) -> bool:
    """Whether a query is the session's own, or a command, which has no jobs."""
    if _OURS in each.description:
        return True
    jobs = each.jobs
    if not jobs and each.ended is None:
        # One that has only begun: what is tagged is its jobs.
        return True
    if jobs:
        return runs.is_tagged(jobs[0], OWN_TAG)
    graph = runs.graph(str(each.number))
    return graph is not None and graph.name.startswith(_COMMANDS)


def _most_telling(queries: list[SeenQuery]) -> list[SeenQuery]:
    """Queries that failed first, then those that call functions, then the longest."""
    return sorted(queries, key=lambda q: (not q.error, not q.functions, -q.seconds))
