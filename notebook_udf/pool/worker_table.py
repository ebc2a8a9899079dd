"""The workers as a table of texts: for a terminal, a page, a panel's static form."""

from __future__ import annotations

from collections.abc import Iterable

from notebook_udf.render.format import megabytes
from notebook_udf.sanitize import one_line
from notebook_udf.telemetry.records import TASK_FAILED
from notebook_udf.telemetry.store.worker_store import WorkerView

HEADERS = ("worker", "state", "function", "bundle", "memory", "limit", "CPU time", "rows", "error")
_NAME = 60
_ERROR = 200


def worker_rows(workers: Iterable[WorkerView]) -> list[tuple[str, ...]]:
    """A row for each worker, under ``HEADERS``."""
    return [
        (
            str(w.pid),
            one_line(w.state, _NAME),
            one_line(w.function, _NAME) or "–",
            f"{w.bundle:,}" if w.function else "–",
            megabytes(w.memory),
            megabytes(w.memory_limit) if w.memory_limit else "none",
            f"{w.cpu_seconds:,.1f} s",
            f"{w.rows_done:,}",
            one_line(w.last_error, _ERROR) or "–",
        )
        for w in workers
    ]


def how_it_ended(worker: WorkerView, *, restarted: bool) -> str:
    """How a worker ended, in words; "" while it lives. ``restarted``: the kernel ended it."""
    ended = worker.exited
    if ended is None:
        return ""
    if restarted:
        return "was restarted"
    if ended.hogged is not None:
        return f"was ended at {megabytes(ended.hogged.held)}, for the machine ran out of memory"
    if ended.requested:
        return "was told to go"
    if ended.signal is not None:
        return f"was ended by {_signal(ended.signal)}"
    if ended.exit_code == TASK_FAILED:
        return "ended with a task that failed or was stopped"
    if ended.exit_code == 0:
        return "was let go, having nothing to do"
    if ended.exit_code is None:
        return "ended"
    return f"exited with code {ended.exit_code}"


def _signal(number: int) -> str:
    import signal

    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
