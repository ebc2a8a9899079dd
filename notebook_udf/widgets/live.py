"""A running query in one line, and a finished one in one small table: state in, text out.

Collecting the state and bringing it to a screen is the business of ``magics.live_run``.
"""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import Literal

from notebook_udf.functions.metrics import describe
from notebook_udf.tables import html_table, text_table
from notebook_udf.telemetry.store import FunctionTotals, MetricTotal
from notebook_udf.text import one_line

Outcome = Literal["running", "done", "failed", "cancelled"]

_LOG = 120
_SHOWN_METRICS = 4
_VALUE = 80
_NAME = 60
_QUIET = "opacity:.72"
_DOT = {
    "running": "var(--jp-brand-color1, #1976d2)",
    "done": "var(--jp-success-color1, #388e3c)",
    "failed": "var(--jp-error-color1, #d32f2f)",
    "cancelled": "var(--jp-warn-color1, #f57c00)",
}
_HEADERS = (
    "function", "rows", "bundles", "rows/s", "waiting", "decode", "user code", "encode", "errors",
)  # fmt: skip


@dataclass(frozen=True)
class RunState:
    """What is known of a run at one moment.

    Attributes
    ----------
    seconds
        Since it began.
    totals, metrics
        Of the queries that began during the run, and of no other.
    rate
        Rows a second that went in since the first task began.
    log_lines, last_log
        How many lines functions wrote, and the latest.
    """

    outcome: Outcome = "running"
    seconds: float = 0.0
    totals: tuple[FunctionTotals, ...] = ()
    metrics: tuple[MetricTotal, ...] = ()
    rate: float = 0.0
    log_lines: int = 0
    last_log: str = ""

    @property
    def rows(self) -> int:
        """Rows that went in; functions that share a query's bundles share its rows."""
        most: dict[str, int] = {}
        for t in self.totals:
            most[t.query] = max(most.get(t.query, 0), t.rows_in)
        return sum(most.values())

    @property
    def bundles(self) -> int:
        """Bundles that went through."""
        most: dict[str, int] = {}
        for t in self.totals:
            most[t.query] = max(most.get(t.query, 0), t.bundles)
        return sum(most.values())


def live_text(state: RunState) -> str:
    """The line of a run in progress."""
    return " · ".join([state.outcome, *_parts(state), *_log(state)])


def live_html(state: RunState) -> str:
    """The same for a browser."""
    parts = [
        f'<span style="color:{_DOT[state.outcome]}">●</span> {escape(state.outcome)}',
        *(escape(part) for part in _parts(state)),
        *(f'<span style="{_QUIET}">{escape(part)}</span>' for part in _log(state)),
    ]
    return (
        '<div style="font-size:13px;white-space:nowrap;overflow:hidden;text-overflow:ellipsis;'
        'font-variant-numeric:tabular-nums">' + " · ".join(parts) + "</div>"
    )


def summary_text(state: RunState, note: str = "") -> str:
    """A run that is over: one line, and the tables of the functions that ran in it."""
    tables = [text_table(head, rows) for head, rows in _tables(state)]
    return "\n\n".join([_closing(state, note), *tables])


def summary_html(state: RunState, note: str = "") -> str:
    """The same for a browser."""
    tables = [html_table(head, rows) for head, rows in _tables(state)]
    return (
        f'<div style="font-size:12px;{_QUIET}">'
        f'<span style="color:{_DOT[state.outcome]}">●</span> {escape(_closing(state, note))}</div>'
        + "".join(
            f'<div style="overflow-x:auto;white-space:nowrap">{table}</div>' for table in tables
        )
    )


def _parts(state: RunState) -> list[str]:
    parts = [duration(state.seconds)]
    if state.totals:
        rows = f"{state.rows:,} row{'' if state.rows == 1 else 's'} in"
        parts.append(f"{rows}, {state.rate:,.0f} rows/s")
        parts.append(f"{state.bundles:,} bundle{'' if state.bundles == 1 else 's'}")
    errors = sum(t.errors for t in state.totals)
    if errors:
        parts.append(f"{errors:,} error{'' if errors == 1 else 's'}")
    for metric in state.metrics[:_SHOWN_METRICS]:
        value = one_line(describe(metric.kind, metric.value), _VALUE)
        parts.append(f"{one_line(metric.name, _NAME)} {value}")
    if len(state.metrics) > _SHOWN_METRICS:
        parts.append(f"{len(state.metrics) - _SHOWN_METRICS:,} more metrics")
    return parts


def _log(state: RunState) -> list[str]:
    if not state.log_lines:
        return []
    return [f"{_lines(state.log_lines)}: {one_line(state.last_log, _LOG)}"]


def _closing(state: RunState, note: str) -> str:
    how = {"done": "", "running": "running, "}.get(state.outcome, f"{state.outcome} after ")
    parts = [note] if note else []
    parts.append(f"{how}{duration(state.seconds)}")
    if state.log_lines:
        parts.append(f"{_lines(state.log_lines)} (%udf logs)")
    return " · ".join(parts)


def _tables(state: RunState) -> list[tuple[tuple[str, ...], list[tuple[str, ...]]]]:
    tables: list[tuple[tuple[str, ...], list[tuple[str, ...]]]] = []
    if state.totals:
        tables.append((_HEADERS, [_total(t) for t in state.totals]))
    if state.metrics:
        rows: list[tuple[str, ...]] = [
            (
                one_line(m.function, _NAME),
                one_line(m.name, _NAME),
                one_line(describe(m.kind, m.value), _VALUE),
            )
            for m in state.metrics
        ]
        tables.append((("function", "metric", "value"), rows))
    return tables


def _total(t: FunctionTotals) -> tuple[str, ...]:
    return (
        f"{one_line(t.function, _NAME)} v{t.version}",
        f"{t.rows_in:,}",
        f"{t.bundles:,}",
        f"{t.rows_per_second:,.0f}",
        *(duration(ns / 1e9) for ns in (t.wait_ns, t.decode_ns, t.user_ns, t.encode_ns)),
        f"{t.errors:,}",
    )


def duration(seconds: float) -> str:
    """A time for people: ``12.3 ms``, ``1.25 s``, ``3 min 20 s``."""
    if seconds < 1:
        return f"{seconds * 1e3:,.1f} ms"
    if seconds < 60:
        return f"{seconds:,.2f} s"
    return f"{int(seconds // 60):,} min {int(seconds % 60)} s"


def _lines(count: int) -> str:
    return f"{count:,} log line{'' if count == 1 else 's'}"
