"""Metrics and logs as a user sees them: tables that are worth printing, and data frames."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Iterator
from html import escape
from os import PathLike
from typing import TYPE_CHECKING, Any

from notebook_udf.functions.metrics import describe
from notebook_udf.tables import html_table, text_table
from notebook_udf.telemetry.log_blocks import without_colours
from notebook_udf.telemetry.records import BundleDone, CallFailed
from notebook_udf.telemetry.store_logs import KeptLogs, LogChoice, LogEntry
from notebook_udf.telemetry.store_sums import FunctionTotals, MetricTotal
from notebook_udf.text import plain

if TYPE_CHECKING:
    import pandas as pd
    from pyspark.sql import DataFrame, SparkSession

    from notebook_udf.telemetry.store import Store

_SHOWN_LINES = 50
_TOTAL_HEADERS = (
    "query", "function", "rows", "bundles", "rows/s", "waiting", "decode", "user code",
    "encode", "errors",
)  # fmt: skip


class MetricsView:
    """What functions cost and counted, live: read it again and it has moved on."""

    def __init__(self, store: Store, spark: SparkSession, query: str | None) -> None:
        self._store = store
        self._spark = spark
        self._query = query

    @property
    def totals(self) -> list[FunctionTotals]:
        """One entry per query, function and version; attempts that lost are not in it."""
        return self._store.totals(self._query)

    @property
    def user_metrics(self) -> list[MetricTotal]:
        """Counters, gauges, histograms and meters, merged over workers."""
        return self._store.metrics(self._query)

    @property
    def bundles(self) -> list[BundleDone]:
        """The latest bundles, oldest first."""
        return self._store.bundles(self._query)

    def to_pandas(self) -> pd.DataFrame:
        """One row per bundle and function; times in nanoseconds."""
        import pandas as pd

        rows = [
            {
                "query": bundle.task.query,
                "stage": bundle.task.stage,
                "partition": bundle.task.partition,
                "attempt": bundle.task.attempt,
                "bundle": bundle.bundle,
                "worker": bundle.pid,
                "time": bundle.time,
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
        """The same as a Spark DataFrame.

        Raises
        ------
        SessionError
            If no bundle has gone through yet, so that there are no columns.
        """
        return _to_spark(self._spark, self.to_pandas(), "no bundle has gone through yet")

    def _tables(self) -> list[tuple[tuple[str, ...], list[tuple[str, ...]]]]:
        totals: list[tuple[str, ...]] = [
            (
                t.query or "–",
                f"{t.function} v{t.version}",
                f"{t.rows_in:,}",
                f"{t.bundles:,}",
                f"{t.rows_per_second:,.0f}",
                _time(t.wait_ns),
                _time(t.decode_ns),
                _time(t.user_ns),
                _time(t.encode_ns),
                f"{t.errors:,}",
            )
            for t in self.totals
        ]
        user: list[tuple[str, ...]] = [
            (m.query or "–", m.function, m.name, describe(m.kind, m.value))
            for m in self.user_metrics
        ]
        tables: list[tuple[tuple[str, ...], list[tuple[str, ...]]]] = [(_TOTAL_HEADERS, totals)]
        if user:
            tables.append((("query", "function", "metric", "value"), user))
        return tables

    def __repr__(self) -> str:
        return "\n\n".join(text_table(head, rows) for head, rows in self._tables())

    def _repr_html_(self) -> str:
        return "".join(html_table(head, rows) for head, rows in self._tables())


class LogView:
    """The lines functions wrote, live. Iterates oldest first; displays the last ones.

    Attributes
    ----------
    choice
        Which lines are in it.
    """

    def __init__(self, store: Store, spark: SparkSession, choice: LogChoice) -> None:
        self.choice = choice
        self._store = store
        self._spark = spark

    @property
    def lines(self) -> list[LogEntry]:
        """The lines kept, oldest first."""
        return self.last(None)

    def last(self, count: int | None) -> list[LogEntry]:
        """The last lines, that many at most, oldest first."""
        return self.kept.select(self.choice, count)

    @property
    def kept(self) -> KeptLogs:
        """All lines of the session that are kept, chosen or not."""
        return self._store.kept_logs()

    @property
    def failures(self) -> list[CallFailed]:
        """Calls that failed, of the query and function that were chosen, oldest first."""
        return self._store.failures(self.choice.function, self.choice.query)

    @property
    def dropped(self) -> int:
        """Lines of the session that were not sent because there were too many."""
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
        """The same as a Spark DataFrame.

        Raises
        ------
        SessionError
            If there are no lines, so that there are no columns.
        """
        return _to_spark(self._spark, self.to_pandas(), "nothing has been written yet")

    def save(self, path: str | PathLike[str]) -> int:
        """Writes the lines to a file, as UTF-8 text without colours; returns how many.

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

    def _head(self) -> str:
        text = f"{len(self):,} lines"
        if self.dropped:
            text += f", {self.dropped:,} more not sent (they stand in the workers' log files)"
        return text

    def _shown(self) -> str:
        return "\n".join(plain(line_text(line)) for line in self.last(_SHOWN_LINES))

    def __repr__(self) -> str:
        return f"{self._head()}\n{self._shown()}".rstrip("\n")

    def _repr_html_(self) -> str:
        return f"<div>{escape(self._head())}</div><pre>{escape(self._shown())}</pre>"


def line_text(line: LogEntry) -> str:
    """A log line in one line of text: when, who, where, what."""
    clock = time.strftime("%H:%M:%S", time.localtime(line.time))
    place = f"{line.function}[{line.row}]" if line.row >= 0 else line.function or "worker"
    return f"{clock} {line.level:<7} {line.pid} {place}: {without_colours(line.text)}"


def _time(nanoseconds: int) -> str:
    if nanoseconds >= 10**9:
        return f"{nanoseconds / 1e9:,.2f} s"
    return f"{nanoseconds / 1e6:,.1f} ms"


def _to_spark(spark: SparkSession, frame: pd.DataFrame, empty: str) -> DataFrame:
    from notebook_udf.errors import SessionError

    if frame.empty:
        raise SessionError(empty)
    return spark.createDataFrame(frame)
