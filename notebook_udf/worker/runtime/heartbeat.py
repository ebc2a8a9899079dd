"""The heartbeat: a worker's second thread, which sends records and obeys commands.

It wakes ten times a second, so that a line is seen at once, and watches the clock. It does nothing
else: every moment it runs is one in which the user's function does not.
"""

from __future__ import annotations

import logging
import os
import signal
import sys
import threading
import time
import traceback

from notebook_udf.telemetry.kernel_commands import Command
from notebook_udf.telemetry.records import QueryLeft, StackDump
from notebook_udf.telemetry.sender import WorkerCommands
from notebook_udf.worker.runtime.worker_process import Runtime

_TICK_MS = 100
_PULSE_SECONDS = 1.0

_log = logging.getLogger(__name__)


class Agent:
    """The thread beside the main thread of a worker, until its session is over."""

    def __init__(self, runtime: Runtime, commands: WorkerCommands) -> None:
        self._runtime = runtime
        self._commands = commands
        self._last_pulse = 0.0
        self._ending: list[Command] = []
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, name="notebook-udf-agent", daemon=True)

    def start(self) -> None:
        """Starts the thread."""
        # The default of 8 MB would count against the worker's memory limit.
        size = threading.stack_size(512 * 1024)
        try:
            self._thread.start()
        finally:
            threading.stack_size(size)

    def stop(self) -> None:
        """Ends the thread, and waits for it."""
        self._over.set()
        self._thread.join()
        self._commands.close()

    def _run(self) -> None:
        # A request to go is for the main thread: taken here, it would not wake that one from
        # waiting for its next task, nor wait until a task between two bundles is closed.
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
        while not self._over.is_set():
            try:
                for command in self._commands.poll(_TICK_MS):
                    self._obey(command)
                self._end_queries()
                self._runtime.flush_output()
                self._runtime.flush_due()
                self._pulse()
            except Exception:
                _log.exception("the worker's agent stumbled")
                time.sleep(1)

    def _obey(self, command: Command) -> None:
        if command.pids and os.getpid() not in command.pids:
            return
        if command.name == "welcome":
            self._runtime.welcome()
        elif command.name == "stacks":
            self._runtime.send(StackDump(os.getpid(), time.time(), stacks(), "asked for"))
        elif command.name == "log-level" and self._runtime.capture is not None:
            self._runtime.capture.set_level(command.argument)
        elif command.name == "restart":
            # To the main thread, as the daemon does it.
            os.kill(os.getpid(), signal.SIGTERM)
        elif command.name == "profile":
            profile, seconds = command.argument.split()
            self._runtime.profiler.ask(profile, float(seconds))
        elif command.name in ("end-query", "drain-query"):
            self._ending.append(command)

    def _end_queries(self) -> None:
        """Ends the queries that are over, unless a task of theirs is still in this worker."""
        for command in list(self._ending):
            task, query = self._runtime.task, command.argument
            if task is not None and task.scope == query:
                continue
            self._ending.remove(command)
            graceful = command.name == "drain-query"
            instances, errors = self._runtime.end_query(query, graceful=graceful)
            self._runtime.send(QueryLeft(os.getpid(), time.time(), query, instances, errors))

    def _pulse(self) -> None:
        now = time.monotonic()
        if now - self._last_pulse >= _PULSE_SECONDS:
            self._last_pulse = now
            self._runtime.send(self._runtime.pulse())


def stacks() -> str:
    """The stacks of all other threads of this process, as text."""
    names = {thread.ident: thread.name for thread in threading.enumerate()}
    return "\n".join(
        f"Thread {names.get(ident, ident)}:\n{''.join(traceback.format_stack(frame))}"
        for ident, frame in sys._current_frames().items()
        if ident != threading.get_ident()
    )
