"""A run as one line while it is in progress, and as a small report at its end: text and HTML.

The HTML holds no script and no style sheet, so that it looks the same where it is not trusted.
"""

from __future__ import annotations

from notebook_udf.plan.progress import Progress, StageProgress
from notebook_udf.render.format import counted, nanoseconds, seconds, versioned
from notebook_udf.render.markup import Child, Element, details, div, markup, span, summary
from notebook_udf.render.tables import Table
from notebook_udf.render.theme import (
    BORDER,
    BRAND,
    ERROR,
    POINTED_AT,
    QUIET,
    SUCCESS,
    VIOLET,
    WARN,
    painted,
)
from notebook_udf.sanitize import one_line
from notebook_udf.telemetry.store.function_sums import FunctionTotals
from notebook_udf.widgets.live import NAME, RunState, Split, metric_rows

_LOG = 120
_SHOWN_METRICS = 4
_DOT = {"running": BRAND, "done": SUCCESS, "failed": ERROR, "cancelled": WARN}
# The same as in the browser's style sheet.
_PARTS = (
    ("user", "user code", BRAND),
    ("transfer", "transfer", VIOLET),
    ("waiting", "waiting", BORDER),
)
_HEADERS = (
    "function", "rows", "bundles", "rows/s", "waiting", "decode", "user code", "encode", "errors",
)  # fmt: skip
_STAGE_HEADERS = ("stage", "", "tasks", "time")


def live_text(state: RunState) -> str:
    """The line of a run in progress."""
    outcome = "cancelling" if state.cancelling else state.outcome
    return " · ".join([outcome, *_parts(state), *_log(state)])


def summary_text(state: RunState, note: str = "") -> str:
    """The report of a run at its end: one line, and the tables of its functions."""
    lines = [_closing(state, note), *(f"! {warning}" for warning in state.warnings)]
    if state.split.whole > 0:
        lines.append(_split_text(state.split))
    return "\n\n".join(["\n".join(lines), *(table.text for table in _tables(state))])


def summary_html(state: RunState, note: str = "") -> str:
    """The report as HTML, with the stages."""
    dot = span("●", style=painted("color", _DOT[state.outcome]))
    return markup(
        div(
            div(dot, f" {_closing(state, note)}", style=QUIET),
            [div(f"⚠ {warning}", style=painted("color", WARN)) for warning in state.warnings],
            _bar(state.split),
            [
                div(table.html, style="overflow-x:auto;white-space:nowrap")
                for table in _tables(state)
            ],
            _stages(state.progress),
            style="font-size:13px",
        )
    )


def _parts(state: RunState) -> list[str]:
    parts = [seconds(state.seconds)]
    if state.progress.tasks:
        done = f"{state.progress.done:,} of {counted(state.progress.tasks, 'task')}"
        parts.append(f"{done} in {counted(state.progress.stage_count, 'stage')}")
    if state.totals:
        parts.append(f"{counted(state.rows, 'row')} in, {state.rate:,.0f} rows/s")
        parts.append(counted(state.bundles, "bundle"))
    errors = sum(t.errors for t in state.totals)
    if errors:
        parts.append(counted(errors, "error"))
    rows = metric_rows(state.metrics[:_SHOWN_METRICS])
    parts += [f"{name} {value}" for _, name, value in rows]
    if len(state.metrics) > _SHOWN_METRICS:
        parts.append(f"{len(state.metrics) - _SHOWN_METRICS:,} more metrics")
    return parts


def _log(state: RunState) -> list[str]:
    if not state.log_lines:
        return []
    last = one_line(state.log[-1], _LOG) if state.log else ""
    return [f"{counted(state.log_lines, 'log line')}: {last}"]


def _closing(state: RunState, note: str) -> str:
    how = {"done": "", "running": "running, "}.get(state.outcome, f"{state.outcome} after ")
    parts = [note] if note else []
    parts.append(f"{how}{seconds(state.seconds)}")
    if state.progress.jobs:
        stages = counted(state.progress.stage_count, "stage")
        parts.append(f"{counted(state.progress.tasks, 'task')} in {stages}")
    if state.log_lines:
        parts.append(f"{counted(state.log_lines, 'log line')} (%udf logs)")
    return " · ".join(parts)


def _split_text(split: Split) -> str:
    return "workers' time: " + ", ".join(
        f"{name} {seconds(getattr(split, part))}" for part, name, _ in _PARTS
    )


def _bar(split: Split) -> list[Element]:
    if split.whole <= 0:
        return []
    pieces: list[Child] = []
    legend: list[Child] = []
    for part, name, colour in _PARTS:
        time = getattr(split, part)
        width = f"width:{100 * time / split.whole:.2f}%"
        painting = painted("background", colour)
        pieces.append(div(style=("display:inline-block;height:8px", painting, width)))
        before = " · " if legend else ""
        mark = span("■", style=painted("color", colour))
        legend.append([before, mark, f" {name} {seconds(time)}"])
    row = (
        "max-width:480px;height:8px;line-height:0;white-space:nowrap;overflow:hidden;margin-top:4px"
    )
    return [div(pieces, style=row), div(legend, title="time of all workers together")]


def _stages(progress: Progress) -> Element | None:
    if not progress.stages:
        return None
    rows = [_stage(stage) for stage in progress.stages]
    count = progress.stage_count
    return details(
        summary(counted(count, "stage"), style=(POINTED_AT, QUIET)),
        div(f"the last {len(rows):,} of {count:,}", style=QUIET) if progress.earlier else None,
        Table(_STAGE_HEADERS, rows).html,
    )


def _stage(stage: StageProgress) -> tuple[str, ...]:
    tasks = f"{stage.done:,} of {stage.tasks:,}"
    if stage.failed:
        tasks += f", {stage.failed:,} failed"
    return (
        f"{stage.number} {one_line(stage.name, NAME)}".rstrip(),
        stage.state,
        tasks,
        seconds(stage.seconds),
    )


def _tables(state: RunState) -> list[Table]:
    totals = Table(_HEADERS, [_total(t) for t in state.totals])
    metrics = Table(("function", "metric", "value"), metric_rows(state.metrics))
    return [table for table in (totals, metrics) if table.rows]


def _total(t: FunctionTotals) -> tuple[str, ...]:
    return (
        versioned(one_line(t.function, NAME), t.version),
        f"{t.rows_in:,}",
        f"{t.bundles:,}",
        f"{t.rows_per_second:,.0f}",
        *map(nanoseconds, (t.wait_ns, t.decode_ns, t.user_ns, t.encode_ns)),
        f"{t.errors:,}",
    )
