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
    """The views of a ``Store``, which says what each of them holds."""

    @property
    def dropped_logs(self) -> int: ...

    @property
    def dropped_metrics(self) -> int: ...

    def bundles(self, query: str | None = None) -> list[BundleDone]: ...

    def changes(self, query: str) -> int: ...

    def failures(
        self, function: str | None = None, query: str | None = None
    ) -> list[CallFailed]: ...

    def kept_logs(self) -> KeptLogs: ...

    def metrics(self, query: str | None = None) -> list[MetricTotal]: ...

    def name(self, query: str) -> str: ...

    def percentiles(self, query: str | None = None) -> list[Percentiles]: ...

    def slowest(self, query: str | None = None) -> list[SlowBundle]: ...

    def timeline(self, query: str, points: int = MAX_POINTS) -> Timeline | None: ...

    def totals(self, query: str | None = None) -> list[FunctionTotals]: ...

    def workers(self) -> list[WorkerView]: ...
