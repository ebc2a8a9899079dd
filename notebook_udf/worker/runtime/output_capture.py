"""Captures everything a function writes: ``print``, ``logging``, warnings, stderr of native code.

Each line becomes a record with its level, function and row, in the order it was written. Lines
beyond a rate are withheld from the side channel and counted; the full text is in the worker's log
file, up to a cap. Nothing here waits.

``heartbeat`` sends the lines.
"""

from __future__ import annotations

import contextlib
import io
import logging
import os
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO

from notebook_udf.sanitize import cut
from notebook_udf.telemetry.records import LogLine

# Lines per second that reach the kernel, and how many may come at once. A person reads neither
# faster, and a flood must not slow the job.
_RATE = 1000.0
_BURST = 5000.0
# With the count of what is cut it has to fit into what the kernel keeps, or it is cut twice.
_MOST_LINE_CHARACTERS = 16 * 1024 - 64
_MOST_FILE_BYTES = 64 << 20

# Function, bundle and row that is running; ("", 0, -1) between calls.
Where = Callable[[], tuple[str, int, int]]


class OutputLog:
    """The lines of one worker that wait to be sent.

    Parameters
    ----------
    where
        Tells which row is running.
    path
        The log file, or None for none.
    """

    def __init__(self, where: Where, path: Path | None) -> None:
        self._where = where
        self._lines: list[LogLine] = []
        self._dropped = 0
        self._sequence = 0
        self._tokens = _BURST
        self._refilled = time.monotonic()
        self._lock = threading.Lock()
        self._file: BinaryIO | None = None
        self._file_room = _MOST_FILE_BYTES
        if path is not None:
            descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
            self._file = os.fdopen(descriptor, "wb", 1 << 18)

    def add(self, level: str, source: str, text: str) -> bool:
        """Adds one line. False if it is withheld, because there were too many."""
        with self._lock:
            self._sequence += 1
            self._keep(text.encode("utf-8", "backslashreplace") + b"\n")
            if self._tokens < 1 and not self._refill():
                self._dropped += 1
                return False
            self._tokens -= 1
            text = cut(text, _MOST_LINE_CHARACTERS)
            function, bundle, row = self._where()
            self._lines.append(
                LogLine(self._sequence, time.time(), level, source, function, bundle, row, text)
            )
            return True

    def withhold(self, data: bytes) -> None:
        """Adds many lines that are not to be sent: they are counted, and written to the file."""
        with self._lock:
            count = data.count(b"\n")
            self._sequence += count
            self._dropped += count
            self._keep(data)

    def _keep(self, data: bytes) -> None:
        if self._file is None or self._file_room <= 0:
            return
        self._file_room -= len(data)
        try:
            self._file.write(data)
        except OSError:
            self._file_room = 0  # disk full: the job goes on without the file

    @property
    def waits(self) -> bool:
        """Whether there are lines to be taken."""
        return bool(self._lines or self._dropped)

    def take(self) -> tuple[list[LogLine], int]:
        """The lines since the last call, and how many were withheld."""
        with self._lock:
            lines, self._lines = self._lines, []
            dropped, self._dropped = self._dropped, 0
            if self._file is not None:
                with contextlib.suppress(OSError):
                    self._file.flush()
            return lines, dropped

    def close(self) -> None:
        """Closes the log file."""
        with self._lock:
            if self._file is not None:
                with contextlib.suppress(OSError):
                    self._file.close()
                self._file = None

    def _refill(self) -> bool:
        now = time.monotonic()
        self._tokens = min(_BURST, self._tokens + (now - self._refilled) * _RATE)
        self._refilled = now
        return self._tokens >= 1


class _Withheld(io.RawIOBase):
    """Takes the lines of a flood: blocks of lines that nobody will read one by one."""

    def __init__(self, log: OutputLog) -> None:
        self._log = log
        self._rest = b""

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        # Whole lines only, or another stream's line could land in the middle of one.
        lines, newline, rest = bytes(data).rpartition(b"\n")
        if newline:
            self._log.withhold(self._rest + lines + newline)
            self._rest = rest
        else:
            self._rest += rest
        return len(data)


class OutputStream(io.TextIOBase):
    """Replaces ``sys.stdout`` or ``sys.stderr``; whole lines go to the log.

    When lines are withheld, ``flood`` replaces it until ``after_flood``: a buffer that costs
    ``print`` nothing beyond itself, where lines are only counted and written to the file.

    A child that a function forks writes to the file descriptor instead, which the parent reads: its
    lines come once, and what the parent had half written does not come twice.
    """

    def __init__(self, log: OutputLog, level: str, source: str, descriptor: int) -> None:
        self._log = log
        self._level = level
        self._source = source
        self._descriptor = descriptor
        self._partial = ""
        # To the descriptor: in a forked child, and where nothing is captured any more.
        self._direct = False
        self.flood = io.TextIOWrapper(
            io.BufferedWriter(_Withheld(log), 1 << 18), "utf-8", "backslashreplace", "\n"
        )
        os.register_at_fork(after_in_child=self._after_fork)

    @property
    def encoding(self) -> str:  # type: ignore[override]
        return "utf-8"

    @property
    def buffer(self) -> Any:
        """The binary stream underneath, for code that writes bytes."""
        return os.fdopen(os.dup(self._descriptor), "wb", 0)

    def writable(self) -> bool:
        return True

    def fileno(self) -> int:
        return self._descriptor

    def write(self, text: str) -> int:
        if self._direct:
            os.write(self._descriptor, text.encode("utf-8", "backslashreplace"))
            return len(text)
        if "\n" not in text and len(self._partial) < _MOST_LINE_CHARACTERS:
            self._partial += text
            return len(text)
        *lines, self._partial = (self._partial + text).split("\n")
        for line in lines:
            if not self._log.add(self._level, self._source, line) and not self._partial:
                self._give_way()
        return len(text)

    def after_flood(self) -> None:
        """Replaces the buffer of a flood again; called now and then, and at the end of a task."""
        if getattr(sys, self._source) is self.flood:
            self.flood.flush()
            setattr(sys, self._source, self)
        self.flood.flush()

    def _give_way(self) -> None:
        if getattr(sys, self._source) is self:
            setattr(sys, self._source, self.flood)

    def finish_line(self) -> None:
        """Logs a last line that has no line end; called at the end of a task."""
        if self._partial:
            line, self._partial = self._partial, ""
            self._log.add(self._level, self._source, line)

    def release(self) -> None:
        """Passes on what is written to it, by code that has kept it."""
        self._direct = True
        self._partial = ""

    def _after_fork(self) -> None:
        self.release()
        if getattr(sys, self._source, None) is self.flood:
            setattr(sys, self._source, self)


class LogHandler(logging.Handler):
    """Sends records of ``logging`` to the log."""

    def __init__(self, log: OutputLog) -> None:
        super().__init__()
        self._log = log

    def emit(self, record: logging.LogRecord) -> None:
        try:
            message = record.getMessage()
        except Exception:
            # Arguments that do not fit the format: the raw text is worth more than nothing.
            message = f"{record.msg!r} with arguments {record.args!r}"
        if record.exc_info and record.exc_info[1] is not None:
            message += "\n" + logging.Formatter().formatException(record.exc_info)
        for line in message.rstrip("\n").split("\n"):
            self._log.add(record.levelname, record.name, line)


class NativeOutput:
    """Captures, by a file, what reaches file descriptors 1 and 2 without passing Python.

    A file, because a pipe would block the one who fills it, and would die with the worker.
    """

    def __init__(self, log: OutputLog, path: Path) -> None:
        self._log = log
        self._descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
        self._before = {number: os.dup(number) for number in (1, 2)}
        for number in self._before:
            os.dup2(self._descriptor, number)
        self._offset = 0
        self._partial = b""

    def poll(self) -> None:
        """Logs what was written since the last call."""
        size = os.fstat(self._descriptor).st_size
        while self._offset < size:
            data = os.pread(self._descriptor, 1 << 16, self._offset)
            if not data:
                break
            self._offset += len(data)
            *lines, self._partial = (self._partial + data).split(b"\n")
            if len(self._partial) > 4 * _MOST_LINE_CHARACTERS:
                lines.append(self._partial)
                self._partial = b""
            for line in lines:
                self._log.add("ERROR", "native", line.decode("utf-8", "backslashreplace"))
        if self._offset > _MOST_FILE_BYTES:
            os.ftruncate(self._descriptor, 0)
            self._offset = 0

    def finish_line(self) -> None:
        """Logs a last line that has no line end."""
        self.poll()
        if self._partial:
            line, self._partial = self._partial, b""
            self._log.add("ERROR", "native", line.decode("utf-8", "backslashreplace"))

    def release(self) -> None:
        """Gives both descriptors back to what they were before."""
        for number, before in self._before.items():
            os.dup2(before, number)
            os.close(before)
        os.close(self._descriptor)


class Capture:
    """All captures together, installed once per worker.

    Attributes
    ----------
    streams
        The replacements of ``sys.stdout`` and ``sys.stderr``.
    """

    def __init__(self, where: Where, folder: Path | None) -> None:
        pid = os.getpid()
        self.log_path = folder / f"{pid}.log" if folder is not None else None
        self.log = OutputLog(where, self.log_path)
        self._native = (
            NativeOutput(self.log, folder / f"{pid}.native") if folder is not None else None
        )
        self.streams = (
            OutputStream(self.log, "INFO", "stdout", 1),
            OutputStream(self.log, "ERROR", "stderr", 2),
        )
        self._before = sys.stdout, sys.stderr, logging.getLogger().level
        sys.stdout, sys.stderr = self.streams
        self._handler = LogHandler(self.log)
        logging.getLogger().addHandler(self._handler)
        logging.captureWarnings(True)

    def set_level(self, level: str) -> None:
        """Sets the lowest level of ``logging`` that is logged."""
        logging.getLogger().setLevel(level)

    def poll(self) -> None:
        """Logs what native code wrote, and lets lines through again after a flood."""
        for stream in self.streams:
            stream.after_flood()
        if self._native is not None:
            self._native.poll()

    def finish_lines(self) -> None:
        """Logs lines that have no line end, at the end of a task."""
        for stream in self.streams:
            stream.after_flood()
            stream.finish_line()
        if self._native is not None:
            self._native.finish_line()

    def release(self) -> None:
        """Captures nothing from now on: what is written goes where it went before."""
        self.finish_lines()
        sys.stdout, sys.stderr, before = self._before
        logging.captureWarnings(False)
        logging.getLogger().removeHandler(self._handler)
        logging.getLogger().setLevel(before)
        for stream in self.streams:
            stream.release()
        self.log.close()
        if self._native is not None:
            self._native.release()
