"""A run as data: the state of a cell's queries at one moment, and warnings about it.

``magics.live_watch`` collects it; ``live_forms`` shows it as text and static HTML, ``live_panel``
live in a browser.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal, TypedDict

from notebook_udf.functions.metrics import describe
from notebook_udf.plan.progress import Progress, StageProgress
from notebook_udf.render.format import counted, size, versioned
from notebook_udf.sanitize import one_line
from notebook_udf.telemetry.store.function_sums import FunctionTotals, MetricTotal

Outcome = Literal["running", "done", "failed", "cancelled"]

LOG_TAIL = 5
VALUE = 80
NAME = 60
_LOG = 240
_METRICS = 60
_SKEWED = 3.0
# Below this many rows, handing over a bundle costs more than its rows are worth.
_SMALL = 200
_MANY = 200


@dataclass(frozen=True)
class Split:
    """How the workers' time was spent: seconds, summed over workers.

    ``waiting`` for rows, ``transfer`` (decoding rows, encoding and handing over results), and
    ``user``, the functions' own code.
    """

    waiting: float = 0.0
    transfer: float = 0.0
    user: float = 0.0

    @property
    def whole(self) -> float:
        """The sum of all parts."""
        return self.waiting + self.transfer + self.user


class RunData(TypedDict):
    """The state of a run as sent to a browser; a metric is its function, name and value."""

    outcome: Outcome
    seconds: float
    functions: list[str]
    rows: int
    bundles: int
    in_progress: int
    rate: float
    rate_now: float
    split: Annotated[dict[str, Any], Split]
    metrics: list[Annotated[list[str], tuple[str, str, str]]]
    hidden_metrics: int
    log_lines: int
    log: list[str]
    progress: Annotated[dict[str, Any], Progress]
    warnings: list[str]
    cancelling: bool


@dataclass(frozen=True)
class RunState:
    """The state of a run at one moment.

    Attributes
    ----------
    seconds
        Since it began.
    totals, metrics
        Sums over its own queries.
    rows, bundles
        Input rows and bundles; functions that share a query's bundles share its rows.
    in_progress
        Bundles that workers are busy with.
    rate, rate_now
        Rows a second since the first task began, and in the last seconds.
    log_lines, log
        The number of log lines, and the last of them.
    cancelling
        Whether it was interrupted and has not ended yet.
    """

    outcome: Outcome = "running"
    seconds: float = 0.0
    totals: tuple[FunctionTotals, ...] = ()
    metrics: tuple[MetricTotal, ...] = ()
    rows: int = 0
    bundles: int = 0
    in_progress: int = 0
    rate: float = 0.0
    rate_now: float = 0.0
    split: Split = field(default_factory=Split)
    log_lines: int = 0
    log: tuple[str, ...] = ()
    progress: Progress = field(default_factory=Progress)
    warnings: tuple[str, ...] = ()
    cancelling: bool = False

    def to_dict(self) -> RunData:
        """The state as bounded, JSON-able data; times in seconds."""
        return {
            "outcome": self.outcome,
            "seconds": self.seconds,
            "functions": [one_line(versioned(t.function, t.version), NAME) for t in self.totals],
            "rows": self.rows,
            "bundles": self.bundles,
            "in_progress": self.in_progress,
            "rate": self.rate,
            "rate_now": self.rate_now,
            "split": dataclasses.asdict(self.split),
            "metrics": [list(row) for row in metric_rows(self.metrics[:_METRICS])],
            "hidden_metrics": max(0, len(self.metrics) - _METRICS),
            "log_lines": self.log_lines,
            "log": [one_line(line, _LOG) for line in self.log],
            "progress": _bounded(self.progress).to_dict(),
            "warnings": list(self.warnings),
            "cancelling": self.cancelling,
        }


@dataclass(frozen=True)
class Trouble:
    """Problems of a run that its totals do not show.

    Attributes
    ----------
    outcomes
        The outcome of failed rows by function: ``fail``, ``null`` or ``quarantine``.
    lost_workers
        The number of workers that ended without being told to.
    dropped_lines
        The number of log lines that were not sent.
    late
        Whether what is known came when tasks had ended, since executors do not reach this kernel.
    """

    outcomes: Mapping[str, str] = field(default_factory=dict)
    lost_workers: int = 0
    dropped_lines: int = 0
    late: bool = False


_LEADS_TO = {
    "null": "gave NULL",
    "quarantine": "went into quarantine: %udf errors {function}",
}


def warnings(state: RunState, trouble: Trouble) -> tuple[str, ...]:
    """The warnings about a run, the worst first."""
    found = [
        f"{counted(t.errors, 'row')} failed in {one_line(t.function, NAME)}"
        + _consequence(t.function, trouble)
        for t in state.totals
        if t.errors
    ]
    # A cancel ends workers that are busy.
    if trouble.lost_workers and state.outcome != "cancelled" and not state.cancelling:
        found.append(f"{counted(trouble.lost_workers, 'worker')} died and had to be replaced")
    if state.progress.failed:
        found.append(f"{counted(state.progress.failed, 'task')} failed")
    found += [_skew(s) for s in state.progress.stages if s.skew is not None and s.skew >= _SKEWED]
    if state.progress.spilled:
        found.append(f"{size(state.progress.spilled)} did not fit into memory and went to disk")
    if state.bundles >= _MANY and state.rows < _SMALL * state.bundles:
        found.append(
            f"bundles hold {state.rows / state.bundles:,.0f} rows on average: fewer partitions or "
            f"a larger bundle_size would cost less"
        )
    if trouble.late:
        found.append(
            "figures and logs as of the tasks that have ended: executors do not reach this kernel, "
            "session.check() says what to set"
        )
    if trouble.dropped_lines:
        found.append(f"{counted(trouble.dropped_lines, 'log line')} not shown: too many at once")
    return tuple(found)


def metric_rows(metrics: tuple[MetricTotal, ...]) -> list[tuple[str, str, str]]:
    """User metrics as function, name and value."""
    return [
        (
            one_line(m.function, NAME),
            one_line(m.name, NAME),
            one_line(describe(m.kind, m.value), VALUE),
        )
        for m in metrics
    ]


def _bounded(progress: Progress) -> Progress:
    stages = (dataclasses.replace(s, name=one_line(s.name, NAME)) for s in progress.stages)
    return dataclasses.replace(progress, stages=tuple(stages))


def _consequence(function: str, trouble: Trouble) -> str:
    text = _LEADS_TO.get(trouble.outcomes.get(function, ""), "")
    return f" and {text.format(function=one_line(function, NAME))}" if text else ""


def _skew(stage: StageProgress) -> str:
    return (
        f"stage {stage.number} is skewed: its slowest task took {stage.skew:.0f} times as long as "
        f"the median one"
    )
