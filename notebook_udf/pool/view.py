"""The kernel's view of the workers: a list of them, what they do, and commands to them."""

from __future__ import annotations

import contextlib
import dataclasses
import os
import socket
import threading
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import psutil

from notebook_udf.errors import DeclarationError, SessionError
from notebook_udf.launch.confs import DAEMON_MODULE, SPARKS_DAEMON
from notebook_udf.pool.worker_table import HEADERS, how_it_ended, worker_rows
from notebook_udf.render.display import Displayed
from notebook_udf.render.tables import Table
from notebook_udf.telemetry.kernel_commands import Command
from notebook_udf.telemetry.receiver import Receiver
from notebook_udf.telemetry.store.session_store import Store
from notebook_udf.telemetry.store.store_reader import StoreReader
from notebook_udf.telemetry.store.worker_store import WorkerView
from notebook_udf.telemetry.worker_numbers import process_id

if TYPE_CHECKING:
    import pandas as pd

# Between the fork of a worker and its first word.
_FORK_SECONDS = 5.0

LOG_LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL")


class PoolView(Displayed):
    """The workers of a session. Displays as a table; iterates over the living ones.

    By itself it is only looked at: commands are refused.

    Attributes
    ----------
    size
        How many there can be at once.
    log_level
        The lowest level of ``logging`` that they send.
    """

    def __init__(self, store: StoreReader, *, size: int, log_level: str = "INFO") -> None:
        self._workers = store.workers
        self.size = size
        self.log_level = log_level
        self._restarted: set[int] = set()

    @property
    def workers(self) -> list[WorkerView]:
        """The living workers, oldest first.

        On this machine a worker that is gone is left out even if nobody could say how it ended.
        """
        told = (worker for worker in self._workers() if worker.exited is None)
        return [worker for worker in told if not is_gone(worker)]

    def __iter__(self) -> Iterator[WorkerView]:
        return iter(self.workers)

    def __len__(self) -> int:
        return len(self.workers)

    def stacks(self, pid: int | None = None, *, timeout: float = 3.0) -> dict[int, str]:
        """Refused, with a ``SessionError``: see ``Pool``."""
        raise _refused("asked for their stacks")

    def restart(self, pid: int | None = None) -> list[int]:
        """Refused, with a ``SessionError``: see ``Pool``."""
        raise _refused("restarted")

    def set_log_level(self, level: str) -> None:
        """Refused, with a ``SessionError``: see ``Pool``."""
        raise _refused("told what to log")

    def to_dict(self) -> dict[str, Any]:
        """The workers as JSON-able data.

        Returns
        -------
        dict
            ``size`` (workers at once, at most), ``log_level``, ``workers`` (the living ones) and
            ``ended`` (those that ended, latest last): dicts with the fields of ``WorkerView``, the
            task as one of ``TaskId``, and ``ended`` in words. Bytes, seconds, and seconds since
            the epoch.
        """
        every = self._workers()
        return {
            "size": self.size,
            "log_level": self.log_level,
            "workers": [self._facts(worker) for worker in every if worker.exited is None],
            "ended": [self._facts(worker) for worker in every if worker.exited is not None],
        }

    def _facts(self, worker: WorkerView) -> dict[str, Any]:
        facts = dataclasses.asdict(worker)
        del facts["exited"]
        ended = how_it_ended(worker, restarted=worker.pid in self._restarted)
        return {**facts, "ended": ended}

    def to_pandas(self) -> pd.DataFrame:
        """One row per worker, also of those that have ended."""
        import pandas as pd

        facts = self.to_dict()
        columns = [*(f.name for f in dataclasses.fields(WorkerView) if f.name != "exited"), "ended"]
        return pd.DataFrame([*facts["ended"], *facts["workers"]], columns=columns)

    def _blocks(self) -> list[Table]:
        caption = f"{len(self)} workers alive, up to {self.size} at once"
        return [Table(HEADERS, worker_rows(self.workers), caption)]


class Pool(PoolView):
    """The workers of this process's session, and commands to them.

    Examples
    --------
    >>> half = nu.udf(lambda x: x / 2, result_type="double", compile=False)
    >>> half = session.register_function("half", half)
    >>> rows = session.sql("SELECT half(id) FROM range(3)").collect()
    >>> pids = [worker.pid for worker in session.pool.workers]
    >>> len(session.pool) > 0, session.pool.stacks().keys() <= set(pids)
    (True, True)
    >>> session.pool.set_log_level("WARNING")
    >>> session.pool.to_dict()["log_level"], "pid" in session.pool.to_pandas()
    ('WARNING', True)
    >>> session.pool.set_log_level("INFO")
    >>> session.pool.end_idle()
    >>> set(session.pool.restart()) <= set(pids)
    True
    """

    def __init__(
        self,
        store: Store,
        receiver: Receiver,
        *,
        size: int,
        on_log_level: Callable[[str], None],
    ) -> None:
        super().__init__(store, size=size)
        self._store = store
        self._receiver = receiver
        self._on_log_level = on_log_level

    def end_idle(self) -> None:
        """Ends the workers of this machine that run nothing, without waiting for them."""
        for worker in self.workers:
            if worker.state == "idle":
                _kill(worker)

    def restart(self, pid: int | None = None) -> list[int]:
        """Ends one worker, or all; Spark forks new ones when they are needed.

        A task that runs in one of them fails, as with any worker that is lost.

        Returns
        -------
        list of int
            Process ids of the workers that have ended, as the pool shows them. One of an
            adopted Spark that does not obey is not among them.

        Raises
        ------
        DeclarationError
            If ``pid`` is not one of the session's workers.
        """
        started = {worker.pid: worker for worker in self.workers}
        pids = list(started)
        if pid is not None and pid not in pids:
            raise DeclarationError(f"{pid} is not a worker of this session; there are {pids}")
        chosen = pids if pid is None else [pid]
        self._restarted.update(chosen)
        self._receiver.send(Command("restart", tuple(chosen)))
        return [
            one
            for one in chosen
            if self._store.wait_exit(one, 3.0) is not None or _kill(started[one])
        ]

    def stacks(self, pid: int | None = None, *, timeout: float = 3.0) -> dict[int, str]:
        """The stack of every thread of each worker now, as text by process id.

        A worker that holds the interpreter in native code does not answer and is left out.
        """
        wanted = {worker.pid for worker in self.workers if pid in (None, worker.pid)}
        answers: dict[int, str] = {}
        complete = threading.Event()
        asked = time.time()

        def collect(_record: object) -> None:
            for dump in self._store.stacks():
                if dump.pid in wanted and dump.time >= asked:
                    answers[dump.pid] = dump.text
            if wanted <= answers.keys():
                complete.set()

        unsubscribe = self._store.subscribe(collect)
        try:
            self._receiver.send(Command("stacks", tuple(wanted)))
            if wanted:
                complete.wait(timeout)
        finally:
            unsubscribe()
        return answers

    def send(self, command: Command) -> None:
        """Sends a command to the workers."""
        self._receiver.send(command)

    def set_log_level(self, level: str) -> None:
        """The lowest level of ``logging`` that workers send, from now on and in later queries.

        Raises
        ------
        DeclarationError
            If ``level`` is not a level.
        """
        if not isinstance(level, str) or level.upper() not in LOG_LEVELS:
            raise DeclarationError(f"{level!r} is not one of {', '.join(LOG_LEVELS)}")
        self._on_log_level(level.upper())
        self.log_level = level.upper()
        self._receiver.send(Command("log-level", argument=self.log_level))


def _refused(what: str) -> SessionError:
    return SessionError(
        f"the workers of a job that is only looked at are not {what}: its own session does that"
    )


def is_gone(worker: WorkerView) -> bool:
    """Whether there is no such process on this machine any more; False for those elsewhere."""
    if worker.host != socket.gethostname():
        return False
    try:
        process = psutil.Process(process_id(worker.pid))
        # It said that it had started when it had: one that is younger has only the same number.
        if process.create_time() > worker.started + _FORK_SECONDS:
            return True
        return process.status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True
    except psutil.Error:
        return False


def _kill(worker: WorkerView) -> bool:
    """Ends a worker that does not obey, if it is certainly one of this machine; whether it did.

    Its process id is what a record says, and who sends records is not trusted with signals: the
    process has to be below this one and the child of a daemon.
    """
    if worker.host != socket.gethostname():
        return False
    with contextlib.suppress(psutil.Error, ValueError):
        process = psutil.Process(process_id(worker.pid))
        above = process.parents()
        if above and _is_daemon(above[0]) and os.getpid() in (each.pid for each in above):
            process.kill()
            return True
    return is_gone(worker)


def _is_daemon(process: psutil.Process) -> bool:
    return any(module in process.cmdline() for module in (DAEMON_MODULE, SPARKS_DAEMON))
