"""User metrics: counters, gauges, histograms and meters, in nested groups.

The four kinds and their methods are those of FLIP-58 ("User Defined Function",
class ``MetricGroup``) and of PyFlink. A metric here is plain state in the worker; its
``snapshot`` is sent to the kernel, where ``merge`` adds up the snapshots of all tasks by kind.
Sending is not done here.
"""

from __future__ import annotations

import collections
import math
import time
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from notebook_udf.errors import DeclarationError
from notebook_udf.functions import quantile_sketch
from notebook_udf.render.format import number

_MOST_WAITING = 100_000


class Counter:
    """A number that goes up and down.

    Examples
    --------
    >>> seen = nu.FunctionContext().get_metric_group().counter("seen")
    >>> seen.inc(3)
    >>> seen.dec()
    >>> seen.get_count()
    2
    """

    kind = "counter"

    def __init__(self) -> None:
        self._count = 0

    def inc(self, n: int = 1) -> None:
        """Adds ``n``."""
        self._count += n

    def dec(self, n: int = 1) -> None:
        """Subtracts ``n``."""
        self._count -= n

    def get_count(self) -> int:
        """The count of this task so far."""
        return self._count

    def snapshot(self) -> Any:
        return self._count


class Gauge:
    """A value read when a bundle ends: from a callable, or the last one given to ``set``.

    Examples
    --------
    >>> size = nu.FunctionContext().get_metric_group().gauge("size")
    >>> size.set(5)
    """

    kind = "gauge"

    def __init__(self, read: Callable[[], Any] | None = None) -> None:
        self._read = read
        self._value: Any = None

    def set(self, value: float) -> None:
        """Replaces the value."""
        self._value = value

    def snapshot(self) -> Any:
        value = self._read() if self._read is not None else self._value
        if value is not None and not isinstance(value, (int, float, str, bool)):
            value = repr(value)
        return [time.time(), value]


class Histogram:
    """The distribution of a value: count, sum, extremes and percentiles (within 2 %).

    Examples
    --------
    >>> minutes = nu.FunctionContext().get_metric_group().histogram("minutes")
    >>> minutes.update(2.5)
    >>> minutes.update(float("nan"))
    Traceback (most recent call last):
    ValueError: a histogram takes finite numbers, got nan
    """

    kind = "histogram"

    def __init__(self) -> None:
        self._count = 0
        self._sum = 0.0
        self._min = math.inf
        self._max = -math.inf
        self._buckets: quantile_sketch.Buckets = {}
        self._waiting: list[float] = []

    def update(self, value: float) -> None:
        """Adds one observation. NaN is refused, because the sum would be NaN from then on.

        Raises
        ------
        ValueError
            If ``value`` is NaN or infinite.
        """
        if not math.isfinite(value):
            raise ValueError(f"a histogram takes finite numbers, got {value!r}")
        # Sorted into buckets together later, which costs a tenth of doing it here.
        self._waiting.append(value)
        if len(self._waiting) >= _MOST_WAITING:
            self._sort_in()

    def _sort_in(self) -> None:
        if not self._waiting:
            return
        import numpy as np

        values, self._waiting = np.array(self._waiting, np.float64), []
        self._count += len(values)
        with np.errstate(over="ignore"):
            self._sum += float(values.sum())
        self._min = min(self._min, float(values.min()))
        self._max = max(self._max, float(values.max()))
        quantile_sketch.count(self._buckets, values)

    def snapshot(self) -> Any:
        self._sort_in()
        if not self._count:
            return {"count": 0, "sum": 0.0, "min": None, "max": None, "buckets": {}}
        return {
            "count": self._count,
            "sum": self._sum,
            "min": self._min,
            "max": self._max,
            # JSON takes only strings as names.
            "buckets": {str(number): count for number, count in self._buckets.items()},
        }


class Meter:
    """How often an event happens: a count and, over the time marked, a rate per second.

    Examples
    --------
    >>> calls = nu.FunctionContext().get_metric_group().meter("calls")
    >>> calls.mark_event()
    >>> calls.get_count()
    1
    """

    kind = "meter"

    def __init__(self) -> None:
        self._count = 0
        self._start = time.time()
        self._last = self._start

    def mark_event(self, n: int = 1) -> None:
        """Counts ``n`` events now."""
        self._count += n
        self._last = time.time()

    def get_count(self) -> int:
        """The events of this task so far."""
        return self._count

    def snapshot(self) -> Any:
        return {"count": self._count, "start": self._start, "last": self._last}


Distribution = Histogram
"""PyFlink's name for a histogram."""

Metric = Counter | Gauge | Histogram | Meter
_M = TypeVar("_M", Counter, Gauge, Histogram, Meter)


class MetricGroup:
    """A named set of metrics, and of further groups.

    A name in a group is of one kind of metric only.

    Notes
    -----
    Source: [FLIP-58][flip-58], whose metrics are those of Flink. ``distribution`` is PyFlink's name
    for ``histogram``.

    Examples
    --------
    >>> metrics = nu.FunctionContext().get_metric_group()
    >>> metrics.add_group("carrier", "UA").counter("late").inc()
    >>> metrics.histogram("minutes").update(2.5)
    >>> metrics.distribution("minutes").update(4)
    >>> metrics.meter("calls").mark_event()
    >>> cached = metrics.gauge("cached", lambda: 3)
    >>> metrics
    MetricGroup(minutes histogram, calls meter, cached gauge, carrier.UA.late counter)
    >>> metrics.counter("minutes")
    Traceback (most recent call last):
    notebook_udf.errors.DeclarationError: metric 'minutes' is a histogram already, ...
    """

    def __init__(self, name: str = "") -> None:
        self._name = name
        self._metrics: dict[str, Metric] = {}
        self._groups: dict[str, MetricGroup] = {}

    def counter(self, name: str) -> Counter:
        """The counter of that name, made on first use."""
        return self._metric(name, Counter, Counter)

    def gauge(self, name: str, value: Callable[[], Any] | None = None) -> Gauge:
        """The gauge of that name; ``value`` is called when a bundle ends."""
        return self._metric(name, Gauge, lambda: Gauge(value))

    def histogram(self, name: str) -> Histogram:
        """The histogram of that name, made on first use."""
        return self._metric(name, Histogram, Histogram)

    # PyFlink's name for the same.
    distribution = histogram

    def meter(self, name: str, time_span_in_seconds: int = 60) -> Meter:
        """The meter of that name. The rate is over the meter's life; the span is accepted for
        PyFlink's signature."""
        return self._metric(name, Meter, Meter)

    def add_group(self, name: str, value: str | None = None) -> MetricGroup:
        """A group within this one; with ``value``, a group per value of a key."""
        group = self._groups.setdefault(name, MetricGroup(name))
        return group if value is None else group.add_group(value)

    def reset(self) -> None:
        """Resets counters, histograms and meters in place, so that references to them hold."""
        for metric in self._metrics.values():
            if not isinstance(metric, Gauge):
                metric.__init__()  # type: ignore[misc]
        for group in self._groups.values():
            group.reset()

    @property
    def is_empty(self) -> bool:
        """Whether it has neither a metric nor a group."""
        return not self._metrics and not self._groups

    def walk(self, prefix: str = "") -> Iterator[tuple[str, Metric]]:
        """Every metric with its dotted name."""
        for name, metric in self._metrics.items():
            yield prefix + name, metric
        for name, group in self._groups.items():
            yield from group.walk(f"{prefix}{name}.")

    def _metric(self, name: str, cls: type[_M], make: Callable[[], _M]) -> _M:
        metric = self._metrics.setdefault(name, make())
        if not isinstance(metric, cls):
            raise DeclarationError(
                f"metric {name!r} is a {metric.kind} already, so it cannot be a "
                f"{cls.__name__.lower()}: give one of them another name"
            )
        return metric

    def __repr__(self) -> str:
        names = ", ".join(f"{name} {metric.kind}" for name, metric in self.walk())
        return f"MetricGroup({names})"


def merge(kind: str, values: list[Any]) -> Any:
    """Adds up snapshots of one metric from several tasks.

    Counters are summed, the latest gauge wins, histograms merge bucket by bucket, meters sum
    their events over the span from the first start to the last event.

    Parameters
    ----------
    kind
        ``counter``, ``gauge``, ``histogram`` or ``meter``.
    values
        Snapshots, at least one.
    """
    if kind == "counter":
        return sum(values)
    if kind == "gauge":
        return max(values, key=lambda stamped: stamped[0])
    if kind == "meter":
        return {
            "count": sum(v["count"] for v in values),
            "start": min(v["start"] for v in values),
            "last": max(v["last"] for v in values),
        }
    if kind == "histogram":
        filled = [v for v in values if v["count"]]
        if not filled:
            return values[0]
        whole: collections.Counter[str] = collections.Counter()
        for value in filled:
            whole.update(value["buckets"])
        return {
            "count": sum(v["count"] for v in filled),
            "sum": sum(v["sum"] for v in filled),
            "min": min(v["min"] for v in filled),
            "max": max(v["max"] for v in filled),
            "buckets": dict(whole),
        }
    raise ValueError(f"no metric kind {kind!r}")


def describe(kind: str, value: Any) -> str:
    """A merged metric in a few words, for tables and live lines."""
    if kind == "counter":
        return f"{value:,}"
    if kind == "gauge":
        return number(value[1]) if isinstance(value[1], float) else f"{value[1]}"
    if kind == "meter":
        span = max(value["last"] - value["start"], 1e-3)
        return f"{value['count']:,} ({number(value['count'] / span)}/s)"
    if not value["count"]:
        return "0 values"
    return (
        f"{value['count']:,} values, mean {number(value['sum'] / value['count'])}, "
        f"p50 {number(percentile(value, 0.5))}, p95 {number(percentile(value, 0.95))}, "
        f"max {number(value['max'])}"
    )


def percentile(histogram: Any, fraction: float) -> float:
    """The value that ``fraction`` of a histogram's observations do not exceed, within 2 %."""
    (found,) = quantile_sketch.quantiles(buckets(histogram), [fraction])
    return float(min(max(found, histogram["min"]), histogram["max"]))


def buckets(histogram: Any) -> quantile_sketch.Buckets:
    """The quantile sketch in a histogram's snapshot."""
    return {int(number): count for number, count in histogram["buckets"].items()}
