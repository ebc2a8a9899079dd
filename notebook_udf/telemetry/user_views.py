"""The user's views of metrics and logs: printable tables and DataFrames."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Iterator
from os import PathLike
from typing import TYPE_CHECKING, Any

from pyspark.sql import DataFrame, SparkSession

from notebook_udf.errors import SessionError
from notebook_udf.render.display import Displayed, Paragraph
from notebook_udf.render.markup import pre
from notebook_udf.render.tables import Table
from notebook_udf.sanitize import plain
from notebook_udf.telemetry.comparison import Comparison, compared
from notebook_udf.telemetry.metrics_dict import place_of, query_dict
from notebook_udf.telemetry.metrics_tables import metrics_tables
from notebook_udf.telemetry.query_data import QueryData
from notebook_udf.telemetry.records import BundleDone, CallFailed
from notebook_udf.telemetry.store.function_sums import FunctionTotals, MetricTotal
from notebook_udf.telemetry.store.log_blocks import LogEntry, without_colours
from notebook_udf.telemetry.store.log_store import KeptLogs, LogChoice
from notebook_udf.telemetry.store.run_store import EARLIER
from notebook_udf.telemetry.store.store_reader import StoreReader
from notebook_udf.telemetry.timeseries.latencies import Percentiles
from notebook_udf.telemetry.timeseries.series import MAX_POINTS
from notebook_udf.telemetry.timeseries.timeline import SlowBundle, Timeline

if TYPE_CHECKING:
    import pandas as pd

_SHOWN_LINES = 50


class _View(Displayed):
    """A view of a session, or of a job elsewhere, whose Spark is not at hand."""

    def __init__(self, store: StoreReader, spark: SparkSession | None) -> None:
        self._store = store
        self._spark = spark

    @property
    def is_here(self) -> bool:
        """Whether it is of this process's session."""
        return self._spark is not None


class MetricsView(_View):
    """Live metrics: what functions cost and their user metrics, read again at each access.

    Examples
    --------
    >>> class Counted(nu.ScalarFunction):
    ...     def open(self, function_context):
    ...         self.calls = function_context.get_metric_group().counter("calls")
    ...
    ...     def eval(self, x: int) -> int:
    ...         self.calls.inc()
    ...         return x
    >>> counted = session.register_function("counted", Counted)
    >>> for rows in (5, 10):
    ...     found = session.sql(f"SELECT sum(counted(id)) AS s FROM range({rows})").first()
    >>> first, second = session.metrics().queries[-2:]
    >>> metrics = session.metrics(second)
    >>> [(each.function, each.rows_in) for each in metrics.totals]
    [('counted', 10)]
    >>> [(each.name, each.value) for each in metrics.user_metrics]
    [('calls', 10)]
    >>> sum(bundle.rows_in for bundle in metrics.bundles), metrics.dropped_metrics >= 0
    (10, True)
    >>> [each.function for each in metrics.percentiles()], len(metrics.slowest(1))
    (['counted'], 1)
    >>> metrics.timeline().query == metrics.query(second)["query"] == second
    True
    >>> compared = metrics.compare(first, second).to_pandas()
    >>> list(compared.columns)
    ['function', 'measure', 'unit', 'before', 'after', 'percent']
    >>> metrics.changes(second) > 0, metrics.is_here, metrics.name("no such query")
    (True, True, '')
    >>> len(metrics.to_dict()["queries"]), len(metrics.to_pandas()) == metrics.to_spark().count()
    (1, True)
    """

    _between = "\n\n"

    def __init__(self, store: StoreReader, spark: SparkSession | None, query: str | None) -> None:
        super().__init__(store, spark)
        self._query = query

    @property
    def totals(self) -> list[FunctionTotals]:
        """One entry per query, function and version, over the attempts that count."""
        return self._store.totals(self._query)

    @property
    def user_metrics(self) -> list[MetricTotal]:
        """Counters, gauges, histograms and meters, merged over workers."""
        return self._store.metrics(self._query)

    @property
    def bundles(self) -> list[BundleDone]:
        """The latest bundles, oldest first."""
        return self._store.bundles(self._query)

    @property
    def queries(self) -> list[str]:
        """The queries that are kept one by one, the one that started a task last at the end."""
        return [each for each in dict.fromkeys(t.query for t in self.totals) if each != EARLIER]

    def name(self, query: str) -> str:
        """A query's readable name: its cell and first words; "" if it is not known."""
        return self._store.name(query)

    def percentiles(self) -> list[Percentiles]:
        """How long bundles took, per query, function and version."""
        return self._store.percentiles(self._query)

    def slowest(self, n: int = 10) -> list[SlowBundle]:
        """The slowest bundles, slowest first; at most twenty of a query."""
        return self._store.slowest(self._query)[:n]

    def timeline(self, query: str | None = None, points: int = MAX_POINTS) -> Timeline:
        """A query over time.

        Parameters
        ----------
        query
            Spark's execution id; by default the view's, else the last active query.
        points
            The largest number of points, up to 600.

        Raises
        ------
        SessionError
            If no bundle of it is known.
        """
        query = query or self._query or next(reversed(self.queries), "")
        found = self._store.timeline(query, points)
        if found is None:
            raise self._unknown(query)
        return found

    def compare(self, query1: str, query2: str) -> Comparison:
        """Compares what functions cost in two queries, with the differences in %.

        Raises
        ------
        SessionError
            If nothing is known of one of them.
        """
        first, second = str(query1), str(query2)
        totals = self._store.totals(first), self._store.totals(second)
        for query, found in zip((first, second), totals, strict=True):
            if not found:
                raise self._unknown(query)
        percentiles = self._store.percentiles(first), self._store.percentiles(second)
        return compared(first, second, totals, percentiles)

    def query(self, query: str, points: int = MAX_POINTS) -> QueryData:
        """One of the ``queries`` of ``to_dict``.

        Raises
        ------
        SessionError
            If nothing is known of it.
        """
        if not self._store.totals(query):
            raise self._unknown(query)
        return query_dict(self._store, query, points)

    def changes(self, query: str) -> int:
        """A number that changes with each record of a query's bundles, to detect changes by."""
        return self._store.changes(query)

    @property
    def dropped_metrics(self) -> int:
        """The number of snapshots of user metrics that were dropped."""
        return self._store.dropped_metrics

    def _unknown(self, query: str) -> SessionError:
        known = ", ".join(t or "–" for t in dict.fromkeys(t.query for t in self._store.totals()))
        return SessionError(
            f"no function was seen in a query {query!r}; there are: {known or 'none yet'}"
        )

    def to_dict(self, points: int = MAX_POINTS) -> dict[str, Any]:
        """The metrics as JSON-able data.

        Parameters
        ----------
        points
            The largest number of points of a timeline.

        Returns
        -------
        dict
            ``queries``, each with ``name`` (its cell and first words), ``functions`` (totals and
            percentiles), ``timeline``, ``metrics``, ``slowest`` and ``failed``;
            ``dropped_metrics``. Names that end in ``_ns`` are nanoseconds, other times seconds
            since the epoch.
        """
        return {
            "queries": [query_dict(self._store, query, points) for query in self.queries],
            "dropped_metrics": self.dropped_metrics,
        }

    def to_pandas(self) -> pd.DataFrame:
        """One row per bundle and function; times in nanoseconds."""
        import pandas as pd

        rows = [
            {
                **place_of(bundle),
                "bytes_in": bundle.bytes_in,
                "bytes_out": bundle.bytes_out,
                "wait_ns": bundle.wait_ns,
                "write_ns": bundle.write_ns,
                **dataclasses.asdict(timing),
            }
            for bundle in self.bundles
            for timing in bundle.functions
        ]
        return pd.DataFrame(rows)

    def to_spark(self) -> DataFrame:
        """The rows of ``to_pandas`` as a Spark DataFrame.

        Raises
        ------
        SessionError
            If no bundle is known yet, so that there are no columns, or no Spark runs here.
        """
        return _to_spark(self._spark, self.to_pandas(), "no bundle has gone through yet")

    def _blocks(self) -> list[Table]:
        return metrics_tables(self._store, self._query, self.queries)


class LogView(_View):
    """A live view of the functions' log lines. Iterates oldest first; displays the last ones.

    Attributes
    ----------
    choice
        The filter of the lines.

    Examples
    --------
    >>> def murmured(x: int) -> int:
    ...     print("row", x)
    ...     return x
    >>> murmured = session.register_function("murmured", murmured)
    >>> found = session.sql("SELECT sum(murmured(id)) AS s FROM range(3)").first()
    >>> metrics = session.metrics()
    >>> logs = session.logs(function="murmured")
    >>> sorted(line.text for line in logs.lines), len(logs.last(1)), logs.dropped >= 0
    (['row 0', 'row 1', 'row 2'], 1, True)
    >>> len(logs.to_dict()["lines"]), len(logs.to_pandas()), logs.to_spark().count()
    (3, 3, 3)
    >>> logs.save(f"{folder}/murmured.log"), logs.failures, len(logs.kept.select()) >= len(logs)
    (3, [], True)
    """

    def __init__(self, store: StoreReader, spark: SparkSession | None, choice: LogChoice) -> None:
        super().__init__(store, spark)
        self.choice = choice

    @property
    def lines(self) -> list[LogEntry]:
        """The lines that are kept, oldest first."""
        return self.last(None)

    def last(self, count: int | None) -> list[LogEntry]:
        """The last ``count`` lines, or all if it is None, oldest first."""
        return self.kept.select(self.choice, count)

    @property
    def kept(self) -> KeptLogs:
        """All lines of the session that are kept, whatever the filter."""
        return self._store.kept_logs()

    @property
    def failures(self) -> list[CallFailed]:
        """Failed calls of the filter's query and function, oldest first."""
        return self._store.failures(self.choice.function, self.choice.query)

    @property
    def dropped(self) -> int:
        """The number of the session's missing lines: withheld by workers, or no longer kept."""
        return self._store.dropped_logs

    def __iter__(self) -> Iterator[LogEntry]:
        return self.kept.entries(self.choice)

    def __len__(self) -> int:
        return self.kept.count(self.choice)

    def to_dict(self) -> dict[str, Any]:
        """The lines as JSON-able data.

        Returns
        -------
        dict
            ``lines`` (a dict for each, oldest first, with the fields of ``LogEntry``; times in
            seconds since the epoch), ``dropped`` (lines of the session that are missing).
        """
        return {"lines": [vars(line) for line in self], "dropped": self.dropped}

    def to_pandas(self) -> pd.DataFrame:
        """One row per line."""
        import pandas as pd

        names = [field.name for field in dataclasses.fields(LogEntry)]
        return pd.DataFrame(map(vars, self), columns=names)

    def to_spark(self) -> DataFrame:
        """The lines as a Spark DataFrame.

        Raises
        ------
        SessionError
            If there are no lines, so that there are no columns, or no Spark runs here.
        """
        return _to_spark(self._spark, self.to_pandas(), "nothing has been written yet")

    def save(self, path: str | PathLike[str]) -> int:
        """Writes the lines to a file, as UTF-8 text without colours; returns their number.

        Raises
        ------
        OSError
            If the file cannot be written.
        """
        count = 0
        with open(path, "w", encoding="utf-8", errors="backslashreplace") as file:
            for count, line in enumerate(self, 1):  # noqa: B007
                file.write(f"{line_text(line)}\n")
        return count

    def _blocks(self) -> list[Paragraph]:
        text = f"{len(self):,} lines"
        if self.dropped:
            text += f", {self.dropped:,} more not sent (they stand in the workers' log files)"
        lines = "\n".join(plain(line_text(line)) for line in self.last(_SHOWN_LINES))
        return [Paragraph(text), Paragraph(lines, pre)] if lines else [Paragraph(text)]


def line_text(line: LogEntry) -> str:
    """A log entry as one line of text: time, level, worker, function and row, text."""
    clock = time.strftime("%H:%M:%S", time.localtime(line.time))
    place = f"{line.function} row {line.row}" if line.row >= 0 else line.function or "worker"
    return f"{clock} {line.level:<7} {line.pid} {place}: {without_colours(line.text)}"


def _to_spark(spark: SparkSession | None, frame: pd.DataFrame, empty: str) -> DataFrame:
    if frame.empty:
        raise SessionError(empty)
    spark = spark or SparkSession.getActiveSession()
    if spark is None:
        raise SessionError("no Spark runs here; start one with nu.session(), or take to_pandas()")
    return spark.createDataFrame(frame)
