"""The worker's second thread: it sends what piled up, obeys commands, and watches the clock.

It wakes ten times a second, so that a line is seen at once and a stuck call is noticed, and does
nothing else: every moment it runs is one in which the user's function does not.
"""

from __future__ import annotations

import logging
import os
import signal
import threading
import time
from types import FrameType

from notebook_udf.telemetry.sender import Commands
from notebook_udf.telemetry.wire import Command, StackDump
from notebook_udf.worker.blame import TIMEOUT_SIGNAL, CallTimedOut, stacks
from notebook_udf.worker.runtime import Runtime

_TICK_MS = 100
_PULSE_SECONDS = 1.0
# A call that has not noticed its time-out after this is in native code that never returns.
_GRACE_SECONDS = 5.0

_log = logging.getLogger(__name__)


class Agent:
    """Runs beside the main thread of a worker for as long as the process lives."""

    def __init__(self, runtime: Runtime, commands: Commands) -> None:
        self._runtime = runtime
        self._commands = commands
        self._watch = CallWatch(runtime)
        self._last_pulse = 0.0
        self._last_state = ""
        self._thread = threading.Thread(target=self._run, name="notebook-udf-agent", daemon=True)

    def start(self) -> None:
        """Starts the thread; called in the main thread, whose signal it will use."""
        signal.signal(TIMEOUT_SIGNAL, self._watch.on_signal)
        # The default of 8 MB would count against the worker's memory limit.
        size = threading.stack_size(512 * 1024)
        try:
            self._thread.start()
        finally:
            threading.stack_size(size)

    def _run(self) -> None:
        while True:
            try:
                for command in self._commands.poll(_TICK_MS):
                    self._obey(command)
                self._runtime.flush_output()
                self._watch.tick()
                self._pulse()
            except Exception:
                _log.exception("the worker's agent stumbled")
                time.sleep(1)

    def _obey(self, command: Command) -> None:
        if command.pids and os.getpid() not in command.pids:
            return
        if command.name == "stacks":
            self._runtime.send(StackDump(os.getpid(), time.time(), stacks(), "asked for"))
        elif command.name == "log-level" and self._runtime.capture is not None:
            self._runtime.capture.set_level(command.argument)
        elif command.name == "end-query" and self._runtime.task is None:
            self._runtime.end_query(command.argument)

    def _pulse(self) -> None:
        now = time.monotonic()
        state = "idle" if self._runtime.task is None else "busy"
        if now - self._last_pulse >= _PULSE_SECONDS or state != self._last_state:
            self._last_pulse, self._last_state = now, state
            self._runtime.send(self._runtime.pulse())


class CallWatch:
    """Notices a call that takes longer than its function's time-out."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._seen: tuple[int, str, int, int] | None = None
        self._since = 0.0
        self._signalled = 0.0
        self._stack = ""

    def tick(self) -> None:
        """Called by the agent; ends a call that is over its time."""
        now = time.monotonic()
        position = self._position()
        if position is None or position != self._seen:
            self._seen, self._since, self._signalled = position, now, 0.0
            return
        task = self._runtime.task
        call = task.active if task is not None else None
        if call is None or not call.timeout:
            return
        if not self._signalled and now - self._since >= call.timeout:
            self._signalled = now
            self._stack = stacks()
            self._runtime.send(
                StackDump(os.getpid(), time.time(), self._stack, f"{call.name} timed out")
            )
            signal.pthread_kill(threading.main_thread().ident or 0, TIMEOUT_SIGNAL)
        elif self._signalled and now - self._signalled >= _GRACE_SECONDS:
            self._kill()

    def on_signal(self, _number: int, _frame: FrameType | None) -> None:
        """Runs in the main thread. The call may have returned meanwhile: then it goes on."""
        if self._signalled and self._position() == self._seen:
            raise CallTimedOut(self._stack)

    def _kill(self) -> None:
        """Native code holds the main thread: report in its place and end the process."""
        task = self._runtime.task
        call = task.active if task is not None else None
        if call is not None:
            call.report_stuck(CallTimedOut(self._stack))
        self._runtime.shut_down()
        os.kill(os.getpid(), signal.SIGKILL)

    def _position(self) -> tuple[int, str, int, int] | None:
        task = self._runtime.task
        if task is None or task.active is None:
            return None
        call = task.active
        return task.identity.task_attempt, call.name, task.bundle, call.running[0]
