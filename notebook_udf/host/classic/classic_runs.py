"""Runs of queries in the JVM, by the store that Spark's own page shows."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from py4j.protocol import Py4JError

from notebook_udf.errors import SessionError
from notebook_udf.host.classic.scala import items
from notebook_udf.host.raw_plan import RawMetric, RawNode, is_reused
from notebook_udf.host.runs import Run, State

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_log = logging.getLogger(__name__)

_SEPARATOR = "\x01"
_DRAIN_MS = 2000


class ClassicRuns:
    """See ``SparkRuns``."""

    def __init__(self, spark: SparkSession) -> None:
        self._spark = spark
        self._context: Any = spark.sparkContext

    @cached_property
    def _store(self) -> Any:
        """Spark's ``SQLAppStatusStore``, a JVM object."""
        return self._spark._jsparkSession.sharedState().statusStore()

    def settle(self) -> None:
        """See ``SparkRuns``."""
        try:
            self._context._jsc.sc().listenerBus().waitUntilEmpty(_DRAIN_MS)
        except Py4JError:
            # A running query keeps the bus busy; what was seen by now is shown.
            _log.debug("Spark's listeners are behind", exc_info=True)

    def newest(self) -> int:
        """See ``SparkRuns``."""
        return max((int(run.query) for run in self.runs(1)), default=-1)

    def run(self, query: str) -> Run | None:
        """See ``SparkRuns``."""
        found = self._store.execution(int(query))
        return _run(found.get()) if found.isDefined() else None

    def runs(self, most: int, after: int = -1) -> Iterator[Run]:
        """See ``SparkRuns``."""
        for each in self._newest_first(most):
            if each.executionId() <= after:
                return
            yield _run(each)

    def counted(self, run: Run, accumulators: Sequence[int]) -> bool:
        """See ``SparkRuns``."""
        query = int(run.query)
        if run.state == "done":
            values = self._store.executionMetrics(query)
            return any(values.contains(each) for each in accumulators)
        # A metric without a value yet takes this slower way to find.
        metrics = _metrics(self._store.execution(query).get().metrics())
        return not {metric.id for metric in metrics}.isdisjoint(accumulators)

    def values(self, query: str) -> dict[int, str]:
        """See ``SparkRuns``."""
        text = str(self._store.executionMetrics(int(query)).mkString(_SEPARATOR))
        pairs = (pair.partition(" -> ") for pair in text.split(_SEPARATOR) if pair)
        return {int(accumulator): value for accumulator, _, value in pairs}

    def graph(self, query: str) -> RawNode | None:
        """See ``SparkRuns``."""
        try:
            graph = self._store.planGraph(int(query))
        except Py4JError:
            return None
        nodes = {
            int(node.id()): RawNode(
                str(node.name()).strip(), str(node.desc()), metrics=_metrics(node.metrics())
            )
            for node in items(graph.allNodes())
        }
        below: dict[int, list[int]] = {}
        for edge in items(graph.edges()):
            below.setdefault(int(edge.toId()), []).append(int(edge.fromId()))
        children = {each for ids in below.values() for each in ids}
        roots = [n for n in nodes if n not in children and not nodes[n].name.startswith("Whole")]
        return _assembled(nodes, below, roots[0]) if roots else None

    def listed(self, most: int) -> Iterator[ClassicListedQuery]:
        """See ``SparkRuns``."""
        return map(ClassicListedQuery, self._newest_first(most))

    def _newest_first(self, most: int) -> Iterator[Any]:
        """The last executions that Spark keeps; each is fetched when its turn comes."""
        count = int(self._store.executionsCount())
        found = self._store.executionsList(max(0, count - most), most)
        for place in reversed(range(found.size())):
            yield found.apply(place)

    def is_tagged(self, job: int, tag: str) -> bool:
        """See ``SparkRuns``."""
        store = self._context._jsc.sc().statusStore()
        return bool(store.job(job).jobTags().contains(tag))

    def cancel(self, number: int) -> int:
        """See ``SparkRuns``."""
        found = self._store.execution(number)
        if not found.isDefined():
            raise SessionError(f"Spark knows no query {number}")
        jobs = ClassicListedQuery(found.get()).jobs
        for job in jobs:
            self._context._jsc.sc().cancelJob(job)
        return len(jobs)


class ClassicListedQuery:
    """See ``ListedQuery``.

    Parameters
    ----------
    found
        Spark's ``SQLExecutionUIData``.
    """

    def __init__(self, found: Any) -> None:
        self._found = found

    @property
    def number(self) -> int:
        """See ``ListedQuery``."""
        return int(self._found.executionId())

    @property
    def description(self) -> str:
        """See ``ListedQuery``."""
        return str(self._found.description() or "")

    @property
    def began(self) -> float:
        """See ``ListedQuery``."""
        return float(self._found.submissionTime() / 1e3)

    @property
    def ended(self) -> float | None:
        """See ``ListedQuery``."""
        end = self._found.completionTime()
        return float(end.get().getTime() / 1e3) if end.isDefined() else None

    @property
    def error(self) -> str | None:
        """See ``ListedQuery``."""
        error = self._found.errorMessage()
        return str(error.get()) if error.isDefined() else None

    @property
    def jobs(self) -> list[int]:
        """See ``ListedQuery``."""
        text = str(self._found.jobs().keys().mkString(" "))
        return sorted(int(job) for job in text.split())


def _run(found: Any) -> Run:
    ended = found.completionTime()
    failed = found.errorMessage()
    state: State = "running"
    seconds = None
    if ended.isDefined():
        message = failed.get() if failed.isDefined() else ""
        state = "failed" if message else "done"
        seconds = (ended.get().getTime() - found.submissionTime()) / 1000
    return Run(str(found.executionId()), state, seconds, str(found.description()))


def _metrics(found: Any) -> tuple[RawMetric, ...]:
    """Parses the text of a sequence of ``SQLPlanMetric(name, accumulator, kind)``."""
    made = []
    for text in str(found.mkString(_SEPARATOR)).split(_SEPARATOR):
        name, _, rest = text.removeprefix("SQLPlanMetric(").removesuffix(")").rpartition(",")
        name, _, accumulator = name.rpartition(",")
        if accumulator.isdigit():
            made.append(RawMetric(name, rest, int(accumulator)))
    return tuple(made)


def _assembled(nodes: dict[int, RawNode], below: dict[int, list[int]], at: int) -> RawNode:
    ids = [] if is_reused(nodes[at].name) else below.get(at, [])
    children = tuple(_assembled(nodes, below, child) for child in ids)
    return replace(nodes[at], children=children)
