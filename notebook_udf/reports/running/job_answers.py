"""What can be asked of a running job: all of it is read, and nothing is changed by asking."""

from __future__ import annotations

import os
import sys
import threading
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol

from notebook_udf.errors import ProtocolError, SessionError
from notebook_udf.kernel import Session
from notebook_udf.reports.sightings import Sighting
from notebook_udf.telemetry.store.log_store import KeptLogs
from notebook_udf.telemetry.store.session_store import Store

# What is read of a session's store as it is; log lines are asked for from where one has them.
STORE = (
    "bundles", "changes", "failures", "metrics", "name", "percentiles", "slowest", "timeline",
    "totals", "workers",
)  # fmt: skip
_OURS = f"{Path(__file__).resolve().parents[2]}{os.sep}"


@dataclass(frozen=True)
class JobFacts:
    """A job: its process, what it is called, how it was started, when (seconds since the epoch)."""

    pid: int
    title: str
    command: str
    began: float


@dataclass(frozen=True)
class PoolFacts:
    """How many workers there can be at once, and the lowest level of lines that they send."""

    size: int
    log_level: str


@dataclass(frozen=True)
class NewLogs:
    """Log lines without the blocks that are known already, and which session's they are."""

    session: int
    kept: KeptLogs


class LookedAt(Protocol):
    """What is told of a job; see ``JobReport``."""

    def facts(self) -> JobFacts:
        """What it is."""

    def sessions(self) -> Sequence[Session]:
        """Its sessions, oldest first; some may be stopped."""

    def sightings(self) -> list[Sighting]:
        """What its sessions saw until now, without secrets."""

    def page(self) -> str:
        """The same as an HTML page."""


class JobAnswers:
    """Answers questions about a job, on any thread."""

    def __init__(self, job: LookedAt) -> None:
        self._job = job
        self._before = Store()
        self._known: dict[str, Callable[..., Any]] = {
            "facts": job.facts,
            "logs": self._logs,
            "page": job.page,
            "pool": self._pool,
            "sightings": job.sightings,
            "stack": _stack,
            "stacks": self._stacks,
            "dropped": self._dropped,
        }

    def to(self, name: str, values: dict[str, Any]) -> Any:
        """What is asked for.

        Raises
        ------
        ProtocolError
            If nothing of that name can be asked for.
        """
        if name in self._known:
            return self._known[name](**values)
        if name in STORE:
            return getattr(self._store, name)(**values)
        raise ProtocolError(f"a job cannot be asked for {name!r}")

    @property
    def _store(self) -> Store:
        """The newest session's; an empty one before there is any."""
        sessions = self._job.sessions()
        return sessions[-1].store if sessions else self._before

    def _logs(self, session: int, since: int) -> NewLogs:
        kept, number = self._store.kept_logs(), len(self._job.sessions())
        if session == number:
            kept = replace(kept, blocks=tuple(b for b in kept.blocks if b.start >= since))
        return NewLogs(number, kept)

    def _dropped(self) -> tuple[int, int]:
        return self._store.dropped_logs, self._store.dropped_metrics

    def _pool(self) -> PoolFacts:
        sessions = self._job.sessions()
        if not sessions:
            return PoolFacts(0, "INFO")
        return PoolFacts(sessions[-1].pool.size, sessions[-1].pool.log_level)

    def _stacks(self, pid: int | None, timeout: float) -> dict[int, str]:
        sessions = self._job.sessions()
        if not sessions:
            raise SessionError("the job has no workers yet")
        return sessions[-1].pool.stacks(pid, timeout=min(timeout, 10.0))


def _stack() -> str:
    """Where the job's own code is, innermost call last."""
    frame = sys._current_frames().get(threading.main_thread().ident or 0)
    frames = traceback.extract_stack(frame)
    # The job begins where this package has run it.
    first = next((at for at, each in enumerate(frames) if each.filename.startswith(_OURS)), -1)
    own = frames[first + 1 :] if first >= 0 else frames
    while own and own[0].filename.startswith(_OURS):
        own = own[1:]
    return "".join(traceback.format_list(own))
