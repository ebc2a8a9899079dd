"""Queries, their tasks, and the sums over them, with each row counted once.

Spark may run a partition several times: again after a failure, or twice at the same time when
one is slow; or again in a stage of another number, when an executor is lost whose output is needed.
Only one attempt counts. An attempt can span several workers (a stage with two
Python nodes), or the same worker twice, one node after the other.

``receiver`` brings the records; widgets show the sums.
"""

from __future__ import annotations

import math
from collections import OrderedDict, deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import chain, islice
from weakref import WeakValueDictionary

from notebook_udf.telemetry.query_names import query_name
from notebook_udf.telemetry.records import (
    BundleDone,
    BundlesDone,
    MetricValue,
    TaskEnded,
    TaskId,
    TaskStarted,
)
from notebook_udf.telemetry.store.function_sums import (
    FunctionSums,
    FunctionTotals,
    Key,
    MetricKey,
    MetricTotal,
    Tally,
    fits,
)

MAX_QUERIES = 100
MAX_BUNDLES = 2_000
MAX_ALL_BUNDLES = 50_000
MAX_PARTITIONS = 2_000
MAX_METRICS = 1_000
# Of each function, in the sums of queries that are not kept.
_MAX_VERSIONS = 100
_MAX_ATTEMPTS = 16
_MAX_FOLDED = 100_000

# The ``query`` of the sums over old queries that are no longer kept one by one. Spark's own ids
# are numbers.
EARLIER = "earlier"


def _keys(record: BundlesDone | TaskEnded) -> dict[Key, None]:
    """The distinct functions of a record, in its order."""
    return dict.fromkeys((timing.function, timing.version) for timing in record.functions)


class _Run:
    """The statistics of one worker in one task; metrics are the latest snapshots."""

    def __init__(self) -> None:
        # Whether its process has ended without a word about the end of the task.
        self.lost = False
        self._tally = Tally()
        self._first = math.inf
        self._last = -math.inf

    def see(self, time: float) -> None:
        self._first = min(self._first, time)
        self._last = max(self._last, time)

    def bundles(self, record: BundlesDone) -> None:
        self.see(min(record.time))
        self.see(max(record.time))
        for key in _keys(record):
            sums = self._tally.of(key)
            sums.bundles += len(record)
            sums.bytes_in += sum(record.bytes_in)
            sums.bytes_out += sum(record.bytes_out)
            sums.wait_ns += sum(record.wait_ns)
            sums.write_ns += sum(record.write_ns)
        for timings in record.functions:
            self._tally.of((timings.function, timings.version)).time(timings.total())

    def end(self, record: TaskEnded) -> None:
        self.see(record.time)
        for key in _keys(record):
            seen = self._tally.of(key)
            self._tally.sums[key] = FunctionSums(
                bundles=record.bundles,
                bytes_in=seen.bytes_in,
                bytes_out=seen.bytes_out,
                wait_ns=seen.wait_ns,
                write_ns=seen.write_ns,
            )
        for timing in record.functions:
            self._tally.of((timing.function, timing.version)).time(timing)

    def measure(self, metric: MetricValue) -> None:
        self._tally.metrics[(metric.function, metric.name, metric.kind)] = metric.value

    @property
    def keys(self) -> Iterable[Key]:
        """The functions that it has said anything of."""
        return self._tally.sums.keys()

    def tally(self) -> Tally:
        for sums in self._tally.sums.values():
            sums.first, sums.last = self._first, self._last
        return self._tally


class _Attempt:
    """One attempt at one partition, over all workers that took part."""

    def __init__(self, task: TaskId) -> None:
        self.order = (task.attempt, task.task_attempt)
        self.ended_at = 0
        self._outcomes: set[str] = set()
        self._ended = Tally()
        self._live: dict[int, _Run] = {}

    def start(self, record: TaskStarted) -> None:
        # The end of a run still open here was lost; what it reported so far counts.
        open_run = self._live.pop(record.pid, None)
        if open_run is not None:
            self._ended.add(open_run.tally())
        self.run(record.pid).see(record.time)

    def run(self, pid: int) -> _Run:
        return self._live.setdefault(pid, _Run())

    def end(self, record: TaskEnded, now: int) -> None:
        self.ended_at = now
        self._outcomes.add(record.outcome)
        self._ended.add(self._live.pop(record.pid).tally())

    def lose(self, pid: int) -> None:
        """The process has ended: what it said so far is all that will come, but for late words."""
        if pid in self._live:
            self._live[pid].lost = True

    @property
    def state(self) -> str:
        if "failed" in self._outcomes:
            return "failed"
        lost = [run.lost for run in self._live.values()]
        if not all(lost) or not (lost or self._outcomes):
            return "running"
        if lost:
            # Its task failed, unless it had given all its rows: no other attempt follows then.
            return "stopped"
        return "done" if "done" in self._outcomes else "stopped"

    @property
    def functions(self) -> int:
        """How many functions have been heard of in it."""
        return len({*self._ended.sums, *chain.from_iterable(r.keys for r in self._live.values())})

    def tally(self) -> Tally:
        whole = Tally()
        whole.add(self._ended)
        for run in self._live.values():
            whole.add(run.tally())
        for sums in whole.sums.values():
            sums.tasks = 1
        return whole


def _counts(attempts: Iterable[_Attempt]) -> _Attempt:
    """Which of a partition's attempts counts."""
    by_state: dict[str, list[_Attempt]] = {}
    for attempt in attempts:
        by_state.setdefault(attempt.state, []).append(attempt)
    if "done" in by_state:
        # A worker may have given all its rows, and the executor be lost before the whole task is
        # over: of what else ran in it nothing will be heard. Where all is heard, the first counts.
        return min(by_state["done"], key=lambda each: (-each.functions, each.ended_at))
    rest = by_state.get("running") or [each for group in by_state.values() for each in group]
    return max(rest, key=lambda attempt: attempt.order)


class _Query:
    """One query: its name, its latest bundles, and its tasks by stage and partition."""

    def __init__(self, computed: Mapping[int, object]) -> None:
        self._computed = computed
        self.name = ""
        # Which start of a task was its latest, of all starts of the session.
        self.latest_start = 0
        self.bundles: deque[BundlesDone] = deque()
        self.count = 0
        self._names: set[MetricKey] = set()
        self._partitions: OrderedDict[tuple[int, int], dict[tuple[int, int], _Attempt]] = (
            OrderedDict()
        )
        self._folded: OrderedDict[tuple[int, int], None] = OrderedDict()
        # The sums over closed partitions, by stage.
        self._closed: dict[int, Tally] = {}
        self._sum: Tally | None = None

    def keep(self, record: BundlesDone) -> None:
        """Adds bundles, and removes the oldest beyond ``MAX_BUNDLES``."""
        self.bundles.append(record)
        self.count += len(record)
        while self.count - len(self.bundles[0]) >= MAX_BUNDLES:
            self.drop()

    def drop(self) -> None:
        """Removes the oldest record of bundles."""
        self.count -= len(self.bundles.popleft())

    def attempt(self, task: TaskId) -> _Attempt | None:
        """The attempt a record belongs to; None if its partition is closed."""
        self._sum = None
        place = (task.stage, task.partition)
        if place in self._folded:
            return None
        attempts = self._partitions.setdefault(place, {})
        self._partitions.move_to_end(place)
        order = (task.attempt, task.task_attempt)
        if order not in attempts:
            if len(attempts) >= _MAX_ATTEMPTS:
                counting = _counts(attempts.values())
                del attempts[next(o for o, each in attempts.items() if each is not counting)]
            attempts[order] = _Attempt(task)
        if len(self._partitions) > MAX_PARTITIONS:
            self._fold()
        return attempts[order]

    def knows(self, metric: MetricValue) -> bool:
        """Whether a metric is kept: not if its shape is wrong, or beyond ``MAX_METRICS`` names."""
        name = (metric.function, metric.name, metric.kind)
        if not fits(metric.kind, metric.value):
            return False
        if name not in self._names and len(self._names) >= MAX_METRICS:
            return False
        self._names.add(name)
        return True

    def tally(self) -> Tally:
        """The sums over the attempts that count."""
        if self._sum is None:
            self._sum = Tally()
            for tally in self.by_stage().values():
                self._sum.add(tally)
        return self._sum

    def recount(self) -> None:
        """Forgets the sums, since other attempts may count."""
        self._sum = None

    def by_stage(self) -> dict[int, Tally]:
        """The sums over the attempts that count, by Spark's stage."""
        found: dict[int, Tally] = {}
        for stage, tally in self._closed.items():
            found.setdefault(stage, Tally()).add(tally)
        for stage, attempt in self._counting():
            found.setdefault(stage, Tally()).add(attempt.tally())
        return found

    @property
    def stages(self) -> set[int]:
        """The stages of the partitions that are not closed."""
        return {stage for stage, _ in self._partitions}

    @property
    def running(self) -> bool:
        """Whether an attempt that counts has not ended."""
        return any(attempt.state == "running" for _, attempt in self._counting())

    def _counting(self) -> Iterator[tuple[int, _Attempt]]:
        """The attempt that counts at each partition, with the first stage that computed it."""
        first: dict[object, int] = {}
        for stage in sorted(self.stages):
            first.setdefault(self._computed.get(stage, stage), stage)
        places: dict[tuple[int, int], list[_Attempt]] = {}
        for (stage, partition), attempts in self._partitions.items():
            place = (first[self._computed.get(stage, stage)], partition)
            places.setdefault(place, []).extend(attempts.values())
        for (stage, _), found in places.items():
            yield stage, _counts(found)

    def _fold(self) -> None:
        """Closes the partition longest without a record, a done one if possible: sums remain."""
        quiet = list(islice(self._partitions, 100))
        place = next(
            (p for p in quiet if _counts(self._partitions[p].values()).state == "done"), quiet[0]
        )
        closed = self._closed.setdefault(place[0], Tally())
        closed.add(_counts(self._partitions.pop(place).values()).tally())
        self._folded[place] = None
        if len(self._folded) > _MAX_FOLDED:
            self._folded.popitem(last=False)


class Runs:
    """The queries that are kept, the one that started a task last at the end.

    What comes later of one that was interrupted does not make it the latest again; only which is
    dropped first goes by any word of it. Not thread-safe by itself.

    Attributes
    ----------
    dropped_metrics
        The number of snapshots dropped: of a shape that cannot be merged, or beyond
        ``MAX_METRICS`` metrics of a query.
    """

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        """Removes all queries."""
        self._queries: OrderedDict[str, _Query] = OrderedDict()
        # The attempt that each process runs; that of a query that is kept no more is forgotten.
        self._at: WeakValueDictionary[int, _Attempt] = WeakValueDictionary()
        self._computed: dict[int, object] = {}
        self._earlier = Tally()
        self._bundles = 0
        self._starts = 0
        self._ends = 0
        self.dropped_metrics = 0

    def apply(self, record: TaskStarted | BundlesDone | TaskEnded) -> None:
        """Applies a record of a task."""
        query = self._query(record.task.query)
        if isinstance(record, BundlesDone):
            self._keep(query, record)
        attempt = query.attempt(record.task)
        if attempt is None:
            self._at.pop(record.pid, None)
            return
        self._at[record.pid] = attempt
        if isinstance(record, TaskStarted):
            self._starts += 1
            query.latest_start = self._starts
            query.name = query.name or query_name(record.description)
            attempt.start(record)
            return
        run = attempt.run(record.pid)
        for metric in record.metrics:
            if query.knows(metric):
                run.measure(metric)
            else:
                self.dropped_metrics += 1
        if isinstance(record, BundlesDone):
            run.bundles(record)
        else:
            run.end(record)
            self._ends += 1
            attempt.end(record, self._ends)
            del self._at[record.pid]

    def lose(self, pid: int) -> None:
        """Tells that a process has ended; a task that it has not ended does not run any more."""
        attempt = self._at.pop(pid, None)
        if attempt is not None:
            attempt.lose(pid)

    def doubtful_stages(self, query: str | None = None) -> list[int]:
        """The stages that may compute again what another one of their query has computed."""
        return [
            stage
            for _, each in self._chosen(query)
            if len(each.stages) > 1
            for stage in each.stages
            if stage not in self._computed
        ]

    def identify(self, stage: int, computed: object) -> None:
        """Tells what a stage computes: the same as all others of which the same is told."""
        self._computed[stage] = computed
        for query in self._queries.values():
            query.recount()

    def bundles(self, query: str | None = None) -> list[BundleDone]:
        """The bundles that are kept, each query's in order, without their metrics."""
        return [
            bundle
            for _, each in self._chosen(query)
            for bundle in list(chain.from_iterable(each.bundles))[-MAX_BUNDLES:]
        ]

    def totals(self, query: str | None = None) -> list[FunctionTotals]:
        """Sums per query, function and version."""
        found = [row for name, each in self._chosen(query) for row in each.tally().totals(name)]
        return (self._earlier.totals(EARLIER) if query in (None, EARLIER) else []) + found

    def name(self, query: str) -> str:
        """A query's readable name; "" if it is not known."""
        found = self._queries.get(query)
        return "" if found is None else found.name

    def totals_by_stage(self, query: str) -> dict[int, list[FunctionTotals]]:
        """Sums per function and version of one query, by Spark's number of the stage."""
        found = self._queries.get(query)
        stages = {} if found is None else found.by_stage()
        return {stage: tally.totals(query) for stage, tally in sorted(stages.items())}

    def settled(self, query: str) -> bool:
        """Whether tasks of the query were seen, and each has ended."""
        found = self._queries.get(query)
        return found is not None and not found.running

    def metrics(self, query: str | None = None) -> list[MetricTotal]:
        """User metrics per query and function."""
        found = [
            row for name, each in self._chosen(query) for row in each.tally().metric_totals(name)
        ]
        return (self._earlier.metric_totals(EARLIER) if query in (None, EARLIER) else []) + found

    def _chosen(self, query: str | None) -> Iterator[tuple[str, _Query]]:
        if query is None:
            yield from sorted(self._queries.items(), key=lambda each: each[1].latest_start)
        elif query in self._queries:
            yield query, self._queries[query]

    def _query(self, name: str) -> _Query:
        query = self._queries.setdefault(name, _Query(self._computed))
        self._queries.move_to_end(name)
        if len(self._queries) > MAX_QUERIES:
            _, oldest = self._queries.popitem(last=False)
            self._bundles -= oldest.count
            self._earlier.add(oldest.tally())
            self._earlier.fold_versions(_MAX_VERSIONS)
            for stage in oldest.stages:
                self._computed.pop(stage, None)
        return query

    def _keep(self, query: _Query, record: BundlesDone) -> None:
        self._bundles -= query.count
        query.keep(replace(record, metrics=()) if record.metrics else record)
        self._bundles += query.count
        while self._bundles > MAX_ALL_BUNDLES:
            oldest = next(each for each in self._queries.values() if each.bundles)
            self._bundles -= len(oldest.bundles[0])
            oldest.drop()
