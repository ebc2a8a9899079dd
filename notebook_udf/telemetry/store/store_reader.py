"""What is read of a session's store, in this process or from that of a job which is looked at."""

from __future__ import annotations

from typing import Protocol

from notebook_udf.telemetry.records import BundleDone, CallFailed
from notebook_udf.telemetry.store.function_sums import FunctionTotals, MetricTotal
from notebook_udf.telemetry.store.log_store import KeptLogs
from notebook_udf.telemetry.store.worker_store import WorkerView
from notebook_udf.telemetry.timeseries.latencies import Percentiles
from notebook_udf.telemetry.timeseries.series import MAX_POINTS
from notebook_udf.telemetry.timeseries.timeline import SlowBundle, Timeline


class StoreReader(Protocol):
    """The views of a ``Store``, which says more of each."""

    @property
    def dropped_logs(self) -> int:
        """The number of missing log lines."""

    @property
    def dropped_metrics(self) -> int:
        """The number of snapshots of user metrics that were dropped."""

    def bundles(self, query: str | None = None) -> list[BundleDone]:
        """The bundles that are kept, each query's in order."""

    def changes(self, query: str) -> int:
        """A number that changes with each record of bundles of a query."""

    def failures(self, function: str | None = None, query: str | None = None) -> list[CallFailed]:
        """Calls that failed, oldest first."""

    def kept_logs(self) -> KeptLogs:
        """A snapshot of the log lines in the order of arrival."""

    def metrics(self, query: str | None = None) -> list[MetricTotal]:
        """User metrics per query and function."""

    def name(self, query: str) -> str:
        """A query's readable name; "" if it is not known."""

    def percentiles(self, query: str | None = None) -> list[Percentiles]:
        """How long bundles took, per query, function and version."""

    def slowest(self, query: str | None = None) -> list[SlowBundle]:
        """The slowest bundles of each query, slowest first."""

    def timeline(self, query: str, points: int = MAX_POINTS) -> Timeline | None:
        """A query over time; None without bundles of it."""

    def totals(self, query: str | None = None) -> list[FunctionTotals]:
        """Sums per query, function and version."""

    def workers(self) -> list[WorkerView]:
        """Every worker, also those that have ended."""
