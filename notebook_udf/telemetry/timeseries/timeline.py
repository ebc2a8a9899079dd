"""A query over time, as frozen data made by ``series``."""

from __future__ import annotations

from dataclasses import dataclass

from notebook_udf.telemetry.records import BundleDone, BundleSampled


@dataclass(frozen=True)
class FunctionLine:
    """A version of a function in a timeline: a value for each point.

    ``rows`` are input rows; times are nanoseconds, summed over workers, with ``wait_ns`` for
    waiting for rows and handing results over. Percentiles are of the durations of the bundles
    that ended in the point (within 2 %), None where none did.
    """

    function: str
    version: int
    rows: tuple[float, ...]
    errors: tuple[float, ...]
    wait_ns: tuple[float, ...]
    decode_ns: tuple[float, ...]
    user_ns: tuple[float, ...]
    encode_ns: tuple[float, ...]
    p50_ns: tuple[int | None, ...]
    p95_ns: tuple[int | None, ...]
    p99_ns: tuple[int | None, ...]


@dataclass(frozen=True)
class WorkerLine:
    """A worker in a timeline; ``busy_ns`` is time in functions, with decoding and encoding."""

    pid: int
    rows: tuple[float, ...]
    busy_ns: tuple[float, ...]


@dataclass(frozen=True)
class Timeline:
    """A query over time: points of ``width`` seconds, the first one at ``start`` (epoch)."""

    query: str
    start: float
    width: float
    functions: tuple[FunctionLine, ...]
    workers: tuple[WorkerLine, ...]


@dataclass(frozen=True)
class SlowBundle:
    """One of the slowest bundles of a query.

    ``busy_ns`` is what all its functions took, decoding and encoding included. ``first_row``
    counts from the beginning of the partition, which is row 1; None if records of bundles before
    it were lost. ``sample`` holds its first rows as text; many have none, because a worker sends
    them only of a bundle slower than all before it in a query.
    """

    bundle: BundleDone
    busy_ns: int
    first_row: int | None
    sample: BundleSampled | None = None
