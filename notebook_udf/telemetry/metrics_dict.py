"""Metrics of queries and their functions as JSON-able data.

Times are nanoseconds where a name ends in ``_ns``, else seconds since the epoch.
"""

from __future__ import annotations

import dataclasses
from typing import cast

from notebook_udf.functions.metrics import describe
from notebook_udf.telemetry.query_data import (
    BundlePlace,
    FailedData,
    MetricData,
    QueryData,
    SlowData,
    TotalData,
)
from notebook_udf.telemetry.records import BundleDone, CallFailed
from notebook_udf.telemetry.store.function_sums import FunctionTotals, MetricTotal
from notebook_udf.telemetry.store.store_reader import StoreReader
from notebook_udf.telemetry.timeseries.bars import bars
from notebook_udf.telemetry.timeseries.latencies import Percentiles
from notebook_udf.telemetry.timeseries.timeline import SlowBundle

# The latest failed calls and the user metrics of a query that are included; the rest is counted.
MOST_FAILED = 20
MOST_METRICS = 200


def query_dict(store: StoreReader, query: str, points: int) -> QueryData:
    """The metrics of one query as JSON-able data."""
    totals = store.totals(query)
    ranks = {(p.function, p.version): p for p in store.percentiles(query)}
    timeline = store.timeline(query, points)
    metrics = store.metrics(query)
    failures = store.failures(query=query)
    return {
        "query": query,
        "name": store.name(query),
        "first": min((t.first for t in totals), default=None),
        "last": max((t.last for t in totals), default=None),
        "functions": [_total(t, ranks.get((t.function, t.version))) for t in totals],
        "timeline": None if timeline is None else dataclasses.asdict(timeline),
        "metrics": [_metric(each) for each in metrics[:MOST_METRICS]],
        "more_metrics": max(0, len(metrics) - MOST_METRICS),
        "slowest": [slow_dict(each) for each in store.slowest(query)],
        "failed": [_failed(each) for each in failures[: -MOST_FAILED - 1 : -1]],
        "more_failed": max(0, len(failures) - MOST_FAILED),
    }


def place_of(bundle: BundleDone) -> BundlePlace:
    """Identifies a bundle: its task, its worker and its time."""
    return {
        "query": bundle.task.query,
        "stage": bundle.task.stage,
        "partition": bundle.task.partition,
        "attempt": bundle.task.attempt,
        "bundle": bundle.bundle,
        "worker": bundle.pid,
        "time": bundle.time,
    }


def slow_dict(slow: SlowBundle) -> SlowData:
    """A slow bundle as JSON-able data: its task and worker, and what it cost."""
    bundle = slow.bundle
    return {
        **place_of(bundle),
        "rows": bundle.rows_in,
        "first_row": slow.first_row,
        "busy_ns": slow.busy_ns,
        "wait_ns": bundle.wait_ns + bundle.write_ns,
        "functions": [dataclasses.asdict(timing) for timing in bundle.functions],
        "sample": None
        if slow.sample is None
        else {
            "columns": list(slow.sample.columns),
            "rows": [list(row) for row in slow.sample.rows],
            "kept": [each.function for each in slow.sample.calls],
        },
    }


def _total(total: FunctionTotals, ranks: Percentiles | None) -> TotalData:
    found = dataclasses.asdict(total)
    del found["query"]
    shown = ("p50_ns", "p95_ns", "p99_ns", "max_ns", "exact")
    made = {
        **found,
        "rows_per_second": total.rows_per_second,
        **{name: None if ranks is None else getattr(ranks, name) for name in shown},
    }
    return cast("TotalData", made)


def _metric(metric: MetricTotal) -> MetricData:
    found: MetricData = {
        "function": metric.function,
        "name": metric.name,
        "kind": metric.kind,
        "text": describe(metric.kind, metric.value),
    }
    if metric.kind == "histogram":
        found["bars"] = [dataclasses.asdict(bar) for bar in bars(metric.value)]
    return found


def _failed(record: CallFailed) -> FailedData:
    failed = record.failed
    return {
        "function": failed.function,
        "error_id": failed.error_id,
        "outcome": record.outcome,
        "exception": failed.exception,
        "message": failed.message,
        "arguments": [list(pair) for pair in failed.arguments],
        "stage": failed.stage,
        "partition": failed.partition,
        "bundle": failed.bundle,
        "row": failed.row,
        "worker": failed.worker,
        "time": record.time,
    }
