"""Function totals and user metrics as text tables: the static form of the live charts."""

from __future__ import annotations

from collections.abc import Sequence

from notebook_udf.functions.metrics import describe
from notebook_udf.render.format import nanoseconds, versioned
from notebook_udf.render.tables import Table
from notebook_udf.sanitize import one_line
from notebook_udf.telemetry.query_names import first_words
from notebook_udf.telemetry.records import IN_JVM
from notebook_udf.telemetry.store.function_sums import FunctionTotals
from notebook_udf.telemetry.store.store_reader import StoreReader
from notebook_udf.telemetry.timeseries.bars import spark_line
from notebook_udf.telemetry.timeseries.latencies import Percentiles
from notebook_udf.telemetry.timeseries.timeline import SlowBundle

_SLOW = 5
_QUERIES = 20
_NAME = 80
_WORDS = 44
_BLOCKS = 40
_TOTALS = (
    "query", "function", "rows", "bundles", "rows/s", "waiting", "decode", "user code",
    "encode", "p50", "p99", "errors",
)  # fmt: skip
_METRICS = ("query", "function", "metric", "value")
_OVER_TIME = ("query", "time in functions, from its first bundle to its last")
_SLOWEST = ("slowest bundles", "query", "stage", "partition", "bundle", "rows", "worker")


def metrics_tables(store: StoreReader, query: str | None, queries: Sequence[str]) -> list[Table]:
    """Tables of totals, the latest queries over time, user metrics and slowest bundles.

    Empty tables are left out, except for the totals.
    """
    ranks = {(p.query, p.function, p.version): p for p in store.percentiles(query)}
    totals = [
        _total(store.name(t.query), t, ranks.get((t.query, t.function, t.version)))
        for t in store.totals(query)
    ]
    lines = [
        (_named(each, store.name(each)), _over_time(store, each)) for each in queries[-_QUERIES:]
    ]
    user = [
        (_query(m.query), _name(m.function), _name(m.name), _name(describe(m.kind, m.value)))
        for m in store.metrics(query)
    ]
    slow = [_slow(each) for each in store.slowest(query)[:_SLOW]]
    more = [Table(_OVER_TIME, lines), Table(_METRICS, user), Table(_SLOWEST, slow)]
    return [Table(_TOTALS, totals), *(table for table in more if table.rows)]


def _total(name: str, t: FunctionTotals, ranks: Percentiles | None) -> tuple[str, ...]:
    times = (t.wait_ns, t.decode_ns, t.user_ns, t.encode_ns)
    return (
        _named(t.query, name),
        versioned(_name(t.function), t.version),
        f"{t.rows_in:,}",
        f"{t.bundles:,}",
        f"{t.rows_per_second:,.0f}",
        *map(nanoseconds, times),
        *(("–", "–") if ranks is None else map(nanoseconds, (ranks.p50_ns, ranks.p99_ns))),
        f"{t.errors:,}",
    )


def _over_time(store: StoreReader, query: str) -> str:
    timeline = store.timeline(query, _BLOCKS)
    if timeline is None:
        return ""
    busy = [sum(column) for column in zip(*(w.busy_ns for w in timeline.workers), strict=True)]
    return f"{spark_line(busy)} {timeline.width * len(busy):,.1f} s"


def _slow(slow: SlowBundle) -> tuple[str, ...]:
    bundle, task = slow.bundle, slow.bundle.task
    rows = f"{bundle.rows_in:,}"
    if slow.first_row is not None and bundle.rows_in:
        rows += f" (from {slow.first_row:,})"
    place = (task.stage, task.partition, bundle.bundle)
    worker = "Spark's JVM" if bundle.pid == IN_JVM else str(bundle.pid)
    return nanoseconds(slow.busy_ns), _query(task.query), *map(str, place), rows, worker


def _named(query: str, name: str) -> str:
    return f"{_query(query)} {first_words(name, _WORDS)}".rstrip()


def _query(query: str) -> str:
    return one_line(query, _NAME) or "–"


def _name(text: str) -> str:
    return one_line(text, _NAME)
