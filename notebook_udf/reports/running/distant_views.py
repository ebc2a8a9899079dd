"""The store and the workers of a job that is looked at, for the views and panels of a session."""

from __future__ import annotations

from dataclasses import replace
from typing import cast

from notebook_udf.pool.view import PoolView
from notebook_udf.reports.running.job_answers import NewLogs, PoolFacts
from notebook_udf.reports.running.job_link import JobLink
from notebook_udf.telemetry.records import BundleDone, CallFailed
from notebook_udf.telemetry.store.function_sums import FunctionTotals, MetricTotal
from notebook_udf.telemetry.store.log_store import KeptLogs
from notebook_udf.telemetry.store.worker_store import WorkerView
from notebook_udf.telemetry.timeseries.latencies import Percentiles
from notebook_udf.telemetry.timeseries.series import MAX_POINTS
from notebook_udf.telemetry.timeseries.timeline import SlowBundle, Timeline


class DistantStore:
    """The views of the store of a job's newest session, see ``StoreReader``."""

    def __init__(self, ask: JobLink) -> None:
        self._ask = ask
        # The lines read last, and the number of their session in the job.
        self._logs: tuple[int, KeptLogs | None] = (-1, None)

    @property
    def dropped_logs(self) -> int:
        """See ``StoreReader``."""
        return cast("int", self._ask("dropped")[0])

    @property
    def dropped_metrics(self) -> int:
        """See ``StoreReader``."""
        return cast("int", self._ask("dropped")[1])

    def bundles(self, query: str | None = None) -> list[BundleDone]:
        """See ``StoreReader``."""
        return cast("list[BundleDone]", self._ask("bundles", query=query))

    def changes(self, query: str) -> int:
        """See ``StoreReader``."""
        return cast("int", self._ask("changes", query=query))

    def failures(self, function: str | None = None, query: str | None = None) -> list[CallFailed]:
        """See ``StoreReader``."""
        return cast("list[CallFailed]", self._ask("failures", function=function, query=query))

    def kept_logs(self) -> KeptLogs:
        """See ``StoreReader``."""
        session, before = self._logs
        if before is not None and self._ask.is_over:
            return before
        blocks = () if before is None else before.blocks
        since = blocks[-1].end if blocks else 0
        new: NewLogs = self._ask("logs", session=session, since=since)
        kept = new.kept
        if new.session == session:
            # Blocks do not change once they are full: only later ones have come.
            old = (block for block in blocks if block.end > kept.first)
            kept = replace(kept, blocks=(*old, *kept.blocks))
        self._logs = new.session, kept
        return kept

    def metrics(self, query: str | None = None) -> list[MetricTotal]:
        """See ``StoreReader``."""
        return cast("list[MetricTotal]", self._ask("metrics", query=query))

    def name(self, query: str) -> str:
        """See ``StoreReader``."""
        return cast("str", self._ask("name", query=query))

    def percentiles(self, query: str | None = None) -> list[Percentiles]:
        """See ``StoreReader``."""
        return cast("list[Percentiles]", self._ask("percentiles", query=query))

    def slowest(self, query: str | None = None) -> list[SlowBundle]:
        """See ``StoreReader``."""
        return cast("list[SlowBundle]", self._ask("slowest", query=query))

    def timeline(self, query: str, points: int = MAX_POINTS) -> Timeline | None:
        """See ``StoreReader``."""
        return cast("Timeline | None", self._ask("timeline", query=query, points=points))

    def totals(self, query: str | None = None) -> list[FunctionTotals]:
        """See ``StoreReader``."""
        return cast("list[FunctionTotals]", self._ask("totals", query=query))

    def workers(self) -> list[WorkerView]:
        """See ``StoreReader``."""
        return cast("list[WorkerView]", self._ask("workers"))


class DistantPool(PoolView):
    """The workers of a job that is looked at."""

    def __init__(self, ask: JobLink, store: DistantStore) -> None:
        facts: PoolFacts = ask("pool")
        super().__init__(store, size=facts.size, log_level=facts.log_level)
        self._ask = ask

    def stacks(self, pid: int | None = None, *, timeout: float = 3.0) -> dict[int, str]:
        """The stacks of the workers' threads, see ``Pool``."""
        found = self._ask("stacks", within=timeout + 5, pid=pid, timeout=timeout)
        return cast("dict[int, str]", found)
