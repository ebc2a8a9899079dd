"""The queries of a session, running and past, and its streaming queries. Bounded.

Spark's own list of queries is read once a second; those that cannot change any more are not read
again. Where Spark does not show it, only streaming queries are known.
"""

from __future__ import annotations

import logging
from collections import OrderedDict
from typing import Any

from pyspark.sql.streaming import StreamingQuery

from notebook_udf.errors import SessionError
from notebook_udf.host.runs import ListedQuery, SparkRuns
from notebook_udf.kernel import Session
from notebook_udf.lab.panel_data import QueryNews, QueryState, StreamNews
from notebook_udf.plan.progress import OWN_TAG
from notebook_udf.sanitize import one_line
from notebook_udf.telemetry.query_names import query_name

_log = logging.getLogger(__name__)

MOST_QUERIES = 20
MOST_STREAMS = 20
MOST_ENDED = 10
# Micro-batches are queries as well in Spark's list; they are shown with their stream.
_MOST_READ = 100
_TEXT = 200
_ERROR = 400
_BATCH = "runId = "
_CANCELLED = "SPARK_JOB_CANCELLED"


class QueryList:
    """The queries of a session. One per session, used by one thread at a time."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._known: OrderedDict[int, QueryNews] = OrderedDict()
        self._skipped: set[int] = set()

    def read(self) -> list[QueryNews]:
        """The last queries that are neither micro-batches nor commands, newest first."""
        try:
            self._look()
        except Exception:
            _log.debug("Spark does not say what its queries are", exc_info=True)
        shown = list(self._known.values())[-MOST_QUERIES:]
        return shown[::-1]

    def _look(self) -> None:
        runs = self._session.host.runs
        if runs is None:
            return
        skipped = set()
        # Newest first: what is older than enough of them is not shown.
        for index, each in enumerate(runs.listed(_MOST_READ)):
            if len(self._known) >= MOST_QUERIES and index >= MOST_QUERIES:
                break
            number = each.number
            if number in self._skipped:
                skipped.add(number)
                continue
            known = self._known.get(number)
            if known is not None and known["settled"]:
                continue
            text = each.description
            if _BATCH in text or _is_no_work(runs, each):
                skipped.add(number)
                self._known.pop(number, None)
                continue
            self._known[number] = self._query(number, text, each, known)
        self._skipped = skipped
        self._known = OrderedDict(sorted(self._known.items())[-MOST_QUERIES:])

    def cancel(self, number: int) -> int:
        """Cancels the jobs of a query; returns how many there are.

        Raises
        ------
        SessionError
            If Spark knows no such query, or tells nobody of its queries.
        """
        runs = self._session.host.runs
        if runs is None:
            raise SessionError(
                f"this Spark does not say what jobs query {number} has: interrupt the cell that "
                f"runs it"
            )
        return runs.cancel(number)

    def _query(
        self, number: int, text: str, each: ListedQuery, before: QueryNews | None
    ) -> QueryNews:
        failed, ended = each.error or "", each.ended
        totals = self._session.store.totals(str(number))
        state: QueryState = "running" if ended is None else "failed" if failed else "done"
        if _CANCELLED in failed:
            state, failed = "cancelled", ""
        return {
            "query": number,
            "text": query_name(text),
            "state": state,
            "began": each.began,
            "ended": ended,
            "error": one_line(failed, _ERROR),
            "functions": [one_line(t.function, _TEXT) for t in totals[:10]],
            "rows": max((t.rows_in for t in totals), default=0),
            # Records take the side channel: it is read once more after its end.
            "settled": before is not None and before["state"] == state != "running",
        }


def _is_no_work(runs: SparkRuns, each: ListedQuery) -> bool:
    """Whether it has ended without a job, as a command does, or is the session's own."""
    jobs = each.jobs
    if not jobs:
        return each.ended is not None and each.error is None
    return runs.is_tagged(jobs[0], OWN_TAG)


class StreamQueries:
    """The streaming queries that run, and the last of those that have ended."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._running: dict[str, tuple[StreamingQuery, StreamNews]] = {}
        self._ended: OrderedDict[str, StreamNews] = OrderedDict()

    def read(self) -> list[StreamNews]:
        """Those that run, then those that ended, the latest first."""
        running = {str(each.runId): each for each in self._session.spark.streams.active}
        for run, (query, facts) in self._running.items():
            if run not in running:
                self._ended[run] = _ended(facts, query)
                while len(self._ended) > MOST_ENDED:
                    self._ended.popitem(last=False)
        self._running = {run: (query, _stream(query)) for run, query in running.items()}
        living = [facts for _, facts in self._running.values()][:MOST_STREAMS]
        return [*living, *reversed(self._ended.values())]


def _stream(query: StreamingQuery) -> StreamNews:
    last = query.lastProgress
    return {
        "run": str(query.runId),
        "name": one_line(query.name or "", _TEXT),
        "id": str(query.id),
        "state": "running",
        "message": one_line(str(query.status["message"]), _TEXT),
        "batch": last["batchId"] if last else None,
        "rows": last["numInputRows"] if last else None,
        "rate": _number(last["processedRowsPerSecond"]) if last else None,
        "error": "",
    }


def _ended(facts: StreamNews, query: StreamingQuery) -> StreamNews:
    failed = query.exception()
    if failed is None:
        return {**facts, "message": "", "state": "ended", "error": ""}
    error = one_line(str(failed), _ERROR)
    return {**facts, "message": "", "state": "failed", "error": error}


def _number(value: Any) -> float | None:
    # Spark writes NaN for a batch that took no time.
    return round(float(value), 1) if value is not None and value == value else None
