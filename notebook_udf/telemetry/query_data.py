"""The types of the data that ``metrics_dict`` makes, also generated for the browser's scripts.

Times are nanoseconds where a name ends in ``_ns``, else seconds since the epoch.
"""

from __future__ import annotations

from typing import Annotated, Any, NotRequired, TypedDict

from notebook_udf.telemetry.records import FunctionTiming
from notebook_udf.telemetry.timeseries.bars import Bar
from notebook_udf.telemetry.timeseries.timeline import Timeline


class TotalData(TypedDict):
    """What one version of a function cost in a query: sums, and percentiles of its bundles'
    durations; ``exact`` is False where these come from a histogram, within 2 %."""

    function: str
    version: int
    tasks: int
    bundles: int
    rows_in: int
    rows_out: int
    bytes_in: int
    bytes_out: int
    wait_ns: int
    decode_ns: int
    user_ns: int
    encode_ns: int
    write_ns: int
    errors: int
    first: float
    last: float
    rows_per_second: float
    p50_ns: int | None
    p95_ns: int | None
    p99_ns: int | None
    max_ns: int | None
    exact: bool | None


class MetricData(TypedDict):
    """A user metric with its value as text; a histogram has ``bars`` as well."""

    function: str
    name: str
    kind: str
    text: str
    bars: NotRequired[list[Annotated[dict[str, Any], Bar]]]


class BundlePlace(TypedDict):
    """Identifies a bundle: its task, its worker and its time."""

    query: str
    stage: int
    partition: int
    attempt: int
    bundle: int
    worker: int
    time: float


class SampleData(TypedDict):
    """The first rows of a bundle, as text, and the functions whose calls for them are kept."""

    columns: list[str]
    rows: list[list[str]]
    kept: list[str]


class SlowData(BundlePlace):
    """A slow bundle: its task and worker, and what it cost."""

    rows: int
    first_row: int | None
    busy_ns: int
    wait_ns: int
    functions: list[Annotated[dict[str, Any], FunctionTiming]]
    sample: SampleData | None


class FailedData(TypedDict):
    """A call that failed."""

    function: str
    error_id: str
    outcome: str
    exception: str
    message: str
    arguments: list[Annotated[list[str], tuple[str, str]]]
    stage: int
    partition: int
    bundle: int
    row: int
    worker: int
    time: float


class LeftOut(TypedDict):
    """How many functions and workers a panel's timeline leaves out; any other has all."""

    more_functions: NotRequired[int]
    more_workers: NotRequired[int]


class QueryData(TypedDict):
    """A query's totals, timeline, user metrics, slowest bundles and failed calls."""

    query: str
    name: str
    first: float | None
    last: float | None
    functions: list[TotalData]
    timeline: Annotated[dict[str, Any], Timeline, LeftOut] | None
    metrics: list[MetricData]
    more_metrics: int
    slowest: list[SlowData]
    failed: list[FailedData]
    more_failed: int
