"""The daemon Spark starts instead of its own: ``python -m notebook_udf.pool.daemon``.

It speaks the protocol of ``pyspark.daemon`` with the JVM (a port on stdout, one connection per
worker, process ids to kill on stdin) and adds what a managed pool needs: what functions need is
imported before the fork, so that a worker starts in milliseconds; a worker that is told to exit may
close its functions first; every exit is reported with its code or signal; and when the JVM ends,
nothing is left behind.

No thread may exist here before a fork. So a separate process reports each exit of a worker.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import gc
import importlib
import os
import pkgutil
import select
import shutil
import signal
import socket
import sys
import time
import traceback
import uuid
from collections.abc import Set
from pathlib import Path
from typing import NoReturn

from notebook_udf.pool import secret
from notebook_udf.pool.exit_report import kernel_is_gone, report_exit
from notebook_udf.pool.memory_watch import MemoryWatch
from notebook_udf.telemetry.records import Hogged
from notebook_udf.worker.runtime import channel_folder, stop_signal
from notebook_udf.worker.runtime.progress_file import read_task_start
from notebook_udf.worker.runtime.stop_signal import StopSignal

# How long a worker that was told to exit may take to close its functions.
GRACE_SECONDS = 3.0
# How long it may take to begin, if somebody else told it: native code may hold it up.
HEED_SECONDS = 0.5
# Spark waits for the daemon without end, so the daemon has to give up by itself.
START_SECONDS = 60
START_VARIABLE = "NOTEBOOK_UDF_START_SECONDS"
# Spark asks for a worker's end when its task was cancelled and is still not over after this time.
_KILL_TIMEOUT_SECONDS = 2.0
_FORK_RETRY_SECONDS = 1.0
_PR_SET_PDEATHSIG = 1


class Children:
    """The workers: which were told to exit, and their deadlines."""

    def __init__(self, folder: Path | None, poller: select.poll) -> None:
        self._folder = folder
        self._poller = poller
        self._alive: set[int] = set()
        self._asked: set[int] = set()
        self._deadlines: dict[int, float] = {}
        self._watch = MemoryWatch()
        self._hogged: dict[int, Hogged] = {}
        # Process ids by the descriptors of their lines (``StopSignal``).
        self._lines: dict[int, int] = {}

    def __len__(self) -> int:
        return len(self._alive)

    def add(self, pid: int, line: int) -> None:
        """Adds a forked worker and the descriptor of its line, on which it is heard."""
        self._alive.add(pid)
        self._lines[line] = pid
        self._poller.register(line, select.POLLIN)

    def hear(self, ready: Set[int]) -> None:
        """Notes which workers got SIGTERM, from any sender, and which have begun to exit."""
        for line in ready & self._lines.keys():
            pid, now = self._lines[line], time.monotonic()
            match stop_signal.hear(line):
                case "told":
                    self._deadlines.setdefault(pid, now + HEED_SECONDS)
                case "going":
                    self._deadlines[pid] = now + GRACE_SECONDS
                case "closed":
                    self._hang_up(line)

    def hang_up(self) -> None:
        """Closes the lines; in a worker, which inherits those of the others."""
        for line in list(self._lines):
            self._hang_up(line)

    def _hang_up(self, line: int) -> None:
        del self._lines[line]
        self._poller.unregister(line)
        os.close(line)

    def is_meant(self, pid: int) -> bool:
        """Whether a request to end a worker can be about its present task.

        Spark reuses a worker once it has sent its last row, while the cancelled task may go on
        aggregating: the request that follows would hit the next query's task, which is younger
        than any that Spark asks to end.
        """
        if self._folder is None:
            return True
        started = read_task_start(self._folder / "workers" / f"{pid}.position")
        return not started or time.monotonic() - started >= _KILL_TIMEOUT_SECONDS

    def ask_to_go(self, pid: int) -> None:
        """Sends SIGTERM now, and SIGKILL when the grace period is over."""
        if pid not in self._alive or pid in self._asked:
            return
        self._asked.add(pid)
        self._deadlines[pid] = time.monotonic() + GRACE_SECONDS
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGTERM)

    def tick(self) -> None:
        """Reaps workers that have ended; kills those whose grace period is over, and the one that
        leaves the machine no memory."""
        now = time.monotonic()
        self._end_hog()
        for pid, deadline in self._deadlines.items():
            if now >= deadline:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid == 0:
                return
            if pid in self._alive:
                self._alive.discard(pid)
                self._deadlines.pop(pid, None)
                for line in [line for line, owner in self._lines.items() if owner == pid]:
                    self._hang_up(line)
                hogged = self._hogged.pop(pid, None)
                report_exit(self._folder, pid, status, pid in self._asked, hogged)
                self._asked.discard(pid)

    def _end_hog(self) -> None:
        # What one held is free again when it has been reaped.
        if not self._alive or self._hogged:
            return
        found = self._watch.look(self._alive)
        if found is not None:
            pid, hogged = found
            self._hogged[pid] = hogged
            # At once: to close its functions it would need memory.
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    def end_all(self) -> None:
        """Ends all workers, by SIGTERM and, after the grace period, by SIGKILL."""
        for pid in list(self._alive):
            self.ask_to_go(pid)
        while self._alive:
            self.tick()
            time.sleep(0.02)

    @property
    def patience(self) -> float:
        """Seconds until the next ``tick`` is due, if nothing is heard before."""
        due = 0.2 if self._deadlines else 1.0
        return min(due, self._watch.seconds) if self._alive else due


def preload() -> None:
    """Imports what every worker needs, before the first fork."""
    # Arrow's spare allocator would start a thread as it is loaded.
    os.environ.setdefault("JE_ARROW_MALLOC_CONF", "background_thread:false")
    import pandas  # noqa: F401
    import pyarrow.parquet
    import pyspark.sql.streaming.proto.StateMessage_pb2  # noqa: F401
    import zmq  # noqa: F401

    import notebook_udf.worker
    from notebook_udf.pool import spark_worker

    for module in pkgutil.walk_packages(notebook_udf.worker.__path__, "notebook_udf.worker."):
        importlib.import_module(module.name)
    spark_worker.attach()
    # Arrow reserves its first gigabyte of addresses now, and not within a function's limit.
    pyarrow.array(range(100_000)).to_pylist()
    # What is here now stays shared with the workers: collecting it would copy every page.
    gc.collect()
    gc.freeze()


def listen() -> tuple[socket.socket, Path | None]:
    """The socket on which the JVM asks for workers, announced to it on stdout."""
    from pyspark.serializers import write_int, write_with_length

    stdout = os.fdopen(os.dup(1), "wb", 4)
    if os.environ.get("PYTHON_UNIX_DOMAIN_ENABLED", "false").lower() == "true":
        path = Path(os.environ["PYTHON_WORKER_FACTORY_SOCK_DIR"]) / f".{uuid.uuid4()}.sock"
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        listener.bind(str(path))
        listener.listen(1024)
        write_with_length(str(path).encode(), stdout)
        stdout.close()
        return listener, path
    six = os.environ.get("SPARK_PREFER_IPV6", "false").lower() == "true"
    listener = socket.socket(socket.AF_INET6 if six else socket.AF_INET, socket.SOCK_STREAM)
    listener.bind(("::1" if six else "127.0.0.1", 0))
    listener.listen(1024)
    write_int(listener.getsockname()[1], stdout)
    stdout.close()
    return listener, None


class Daemon:
    """The daemon's loop: forks and kills on request, reaps, ends with the JVM."""

    def __init__(self) -> None:
        self._folder = channel_folder.find_or_make()
        self._poller = select.poll()
        self._children = Children(self._folder, self._poller)
        self._listener, self._socket_path = listen()
        self._commands = os.fdopen(0, "rb", 4)
        self._reuse = os.environ.get("SPARK_REUSE_WORKER")

    def run(self) -> int:
        """Runs until the JVM closes stdin, SIGTERM comes, or the session that wanted it is over and
        its last worker has gone; returns the exit code."""
        wakeup, poke = os.pipe()
        os.set_blocking(poke, False)
        signal.set_wakeup_fd(poke, warn_on_full_buffer=False)
        stopping: list[int] = []
        signal.signal(signal.SIGTERM, lambda *_: stopping.append(1))
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        for descriptor in (0, self._listener.fileno(), wakeup):
            self._poller.register(descriptor, select.POLLIN)
        try:
            while not stopping:
                ready = {fd for fd, _ in self._poller.poll(self._children.patience * 1000)}
                if wakeup in ready:
                    os.read(wakeup, 4096)
                self._children.hear(ready)
                self._children.tick()
                if 0 in ready and not self._obey():
                    return 0
                if self._listener.fileno() in ready:
                    self._serve((wakeup, poke))
                elif self._is_over():
                    return 0
            return 1
        finally:
            self._end()

    def _is_over(self) -> bool:
        """Whether nobody will ask for a worker: a Spark that goes on starts another if one does."""
        return bool(not self._children and self._folder and not self._folder.exists())

    def _obey(self) -> bool:
        from pyspark.serializers import read_int

        try:
            pid = read_int(self._commands)
            if self._children.is_meant(pid):
                self._children.ask_to_go(pid)
        except EOFError:
            return False
        return True

    def _serve(self, inherited: tuple[int, int]) -> None:
        from pyspark.serializers import write_int

        connection, _ = self._listener.accept()
        line, workers_line = stop_signal.pipe()
        pid = -1
        try:
            pid = os.fork()
        except OSError as error:
            if error.errno in (errno.EAGAIN, errno.ENOMEM):
                time.sleep(_FORK_RETRY_SECONDS)
                with contextlib.suppress(OSError):
                    pid = os.fork()
            if pid < 0:
                os.close(line)
                os.close(workers_line)
                # Spark takes a negative process id for a refusal and fails the task, not the job.
                with connection, connection.makefile("wb") as reply:
                    write_int(-(error.errno or 1), reply)
                print(f"notebook-udf: no worker could be forked: {error}", file=sys.stderr)
                return
        if pid == 0:
            for descriptor in (*inherited, line):
                os.close(descriptor)
            self._become_worker(connection, workers_line)
        os.close(workers_line)
        self._children.add(pid, line)
        # Sent here and not by the worker, which could hang before it does.
        with connection, connection.makefile("wb") as reply:
            write_int(pid, reply)

    def _become_worker(self, connection: socket.socket, line: int) -> None:
        """Never returns."""
        code = 1
        try:
            stopping = StopSignal(line)
            stopping.listen()
            self._children.hang_up()
            # The workers of a killed daemon are killed with it, whatever they are doing.
            ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
            self._listener.close()
            with open(os.devnull, "rb") as nothing:
                os.dup2(nothing.fileno(), 0)
            code = work(connection, stopping, reuse=bool(self._reuse))
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(code)

    def _end(self) -> None:
        self._children.end_all()
        if self._socket_path is not None:
            self._socket_path.unlink(missing_ok=True)
        channel_folder.remove_if_made(self._folder)
        if self._folder is not None and kernel_is_gone():
            # It was killed and cannot tidy up itself.
            shutil.rmtree(self._folder, ignore_errors=True)


def work(connection: socket.socket, stopping: StopSignal, *, reuse: bool) -> int:
    """Runs task after task on one connection, as a worker; returns the exit code."""
    from pyspark.daemon import worker
    from pyspark.util import enable_faulthandler

    from notebook_udf.pool import spark_worker
    from notebook_udf.worker.runtime.worker_process import process

    unix = os.environ.get("PYTHON_UNIX_DOMAIN_ENABLED", "false").lower() == "true"
    process.stop_signal = stopping
    with enable_faulthandler():
        spark_worker.enter_process()
        # Who reaches a Unix socket has the rights to its folder.
        if not unix and not secret.is_known(connection):
            return 1
        modules = len(sys.modules)
        while True:
            code = int(worker(connection, True))
            if process.stopped == "idle":
                return 0
            if process.stopped:
                end_by(signal.SIGTERM)
            if code:
                # Spark reads the error before it closes; an early exit could lose it.
                with contextlib.suppress(OSError):
                    while connection.recv(1024):
                        pass
                return code
            if not reuse:
                return 0
            gc.collect()
            if len(sys.modules) != modules:
                # Modules stay: going through them after every task takes milliseconds.
                modules = len(sys.modules)
                gc.freeze()


def end_by(number: signal.Signals) -> NoReturn:
    """Ends this process by a signal that it has handled, so that its exit status says why."""
    signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {number})
    os.kill(os.getpid(), number)
    raise AssertionError(f"{number.name} did not end the process")


def main() -> int:
    """The daemon's entry point, which Spark calls."""
    os.setpgid(0, 0)
    limit = int(os.environ.get(START_VARIABLE) or START_SECONDS)

    def give_up(*_: object) -> None:
        raise SystemExit(
            f"notebook-udf: importing what workers need took more than {limit} s "
            f"({START_VARIABLE}); is one of the folders on PYTHONPATH slow?"
        )

    signal.signal(signal.SIGALRM, give_up)
    signal.alarm(limit)
    preload()
    signal.alarm(0)
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    return Daemon().run()


if __name__ == "__main__":
    sys.exit(main())
