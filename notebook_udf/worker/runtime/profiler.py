"""The worker's sampling profiler: stacks of the main thread, of the event loop, of awaited calls.

A thread takes a sample every few milliseconds while a profile is on, and is parked while none is. A
sample stands for the time since the one before: a thread that holds the interpreter also holds up
the sampler, and would else seem to have taken less. Counts per stack go to the kernel about twice a
second and at the end of each task.
"""

from __future__ import annotations

import logging
import os
import signal
import sys
import threading
import time
from time import perf_counter_ns
from types import CodeType, FrameType
from typing import TYPE_CHECKING, Any

from notebook_udf.code_origin import PACKAGE
from notebook_udf.telemetry.records import StackFrame, StackSamples
from notebook_udf.telemetry.stacks import Paths, folded

if TYPE_CHECKING:
    from notebook_udf.worker.runtime.task import TaskCall
    from notebook_udf.worker.runtime.worker_process import Runtime

_log = logging.getLogger(__name__)

_PERIOD_SECONDS = 0.01
# How long the sampler waits for the interpreter. Python's own 5 ms are longer than a slice of rows
# takes: nearly all samples would be taken where Arrow gives the interpreter away between slices.
_PATIENCE_SECONDS = 0.0001
_SECONDS_TOGETHER = 0.5
# Stacks that are told apart between two records; of more only their number is known.
_MOST_STACKS = 1_000
# Frames of one stack: the outermost of a deeper recursion would take longer to walk to than the
# user's own code takes between two samples.
_DEEPEST = 1_500

# Where the main thread waits for calls in flight: a file of this package, and a function in it.
AWAITING = ("worker/async_/driver.py", "wait")

# Code and line, innermost first.
_Walk = tuple[tuple[CodeType, int], ...]
# Function, its file, and a number for each code and its line: code itself is dear to compare.
_Key = tuple[str, str, tuple[int, ...]]


class _Seen:
    """A sampled stack: how often it was seen, and the nanoseconds that it stands for."""

    __slots__ = ("count", "ns", "walk")

    def __init__(self, walk: _Walk, ns: int) -> None:
        # While it is here no other code gets the numbers that it is known by.
        self.walk = walk
        self.count = 1
        self.ns = ns


class Profiler:
    """Takes samples while a profile is on."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._thread: threading.Thread | None = None
        self._wanted = threading.Event()
        self._lock = threading.Lock()
        # Profiles of all that runs, with the time of their end; and the one of the task.
        self._windows: dict[str, float] = {}
        self._of_task = ""
        self._counts: dict[_Key, _Seen] = {}
        self._dropped = 0
        self._query = ""
        self._paths: Paths | None = None
        self._sent = 0.0
        # Of the task that has ended last: a sample that comes after its end is nobody's.
        self._ended = -1
        self._turn = 0
        self._main = threading.main_thread().ident

    def ask(self, profile: str, seconds: float) -> None:
        """Takes samples of every task for so long; asked again it goes on, with 0 it ends."""
        if seconds > 0:
            self._windows[profile] = time.monotonic() + seconds
            self._start()
        elif profile in self._windows:
            self._flush()
            self._close(profile)
        else:
            self._send(profile, {}, 0, last=True)

    def begin(self, profile: str) -> None:
        """Takes samples of the task that begins."""
        self._of_task = profile
        self._start()

    def end_task(self) -> None:
        """Sends the samples of the task that ends."""
        task = self._runtime.task
        with self._lock:
            self._ended = task.identity.task_attempt if task is not None else -1
        if not self._wanted.is_set():
            return
        self._flush()
        if self._of_task:
            profile, self._of_task = self._of_task, ""
            self._send(profile, {}, 0, last=True)
            self._rest()

    def _close(self, profile: str) -> None:
        self._windows.pop(profile, None)
        self._send(profile, {}, 0, last=True)
        self._rest()

    def _rest(self) -> None:
        if not self._of_task and not self._windows:
            with self._lock:
                self._wanted.clear()
                # A sample that came between the last record and this would be the next profile's.
                self._counts, self._dropped = {}, 0

    def _start(self) -> None:
        self._wanted.set()
        if self._thread is None:
            self._paths = Paths.here(PACKAGE)
            self._thread = threading.Thread(
                target=self._run, name="notebook-udf-profiler", daemon=True
            )
            # The default of 8 MB would count against the worker's memory limit.
            size = threading.stack_size(256 * 1024)
            try:
                self._thread.start()
            finally:
                threading.stack_size(size)

    def _run(self) -> None:
        # A request to go is for the main thread.
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
        while self._wanted.wait():
            last = perf_counter_ns()
            while self._wanted.is_set():
                _slept()
                now = perf_counter_ns()
                try:
                    self._sample(now - last)
                    self._look_at_clock()
                except Exception:
                    # Nobody waits for this thread: what it found is missing, and no row is.
                    _log.exception("a sample could not be taken")
                last = now

    def _look_at_clock(self) -> None:
        now = time.monotonic()
        if now - self._sent >= _SECONDS_TOGETHER:
            self._flush()
        for profile, end in list(self._windows.items()):
            if now >= end:
                # The kernel that began it may be gone.
                self._flush()
                self._close(profile)

    def _sample(self, ns: int) -> None:
        runtime = self._runtime
        task = runtime.task
        if task is None:
            return
        call = task.active or (task.calls[0] if task.calls else None)
        if call is None or call.file is None:
            return
        frames = sys._current_frames()
        walk = self._where(call, frames)
        # What the user's code holds must not live longer because it was looked at.
        del frames
        numbers = tuple([number for code, line in walk for number in (id(code), line)])
        key = call.name, call.file, numbers
        with self._lock:
            if task.identity.task_attempt == self._ended or not self._wanted.is_set():
                return
            self._query = task.identity.query
            known = self._counts.get(key)
            if known is not None:
                known.count += 1
                known.ns += ns
            elif len(self._counts) < _MOST_STACKS:
                self._counts[key] = _Seen(walk, ns)
            else:
                self._dropped += 1

    def _where(self, call: TaskCall, frames: dict[int, FrameType]) -> _Walk:
        """The stack of the function; of one whose calls are awaited, that of one of them."""
        thread = self._runtime.loop_thread
        inside = frames.get(thread) if thread is not None else None
        if inside is not None and not _idle(inside):
            return _walked(inside)
        walked = _walked(frames.get(self._main or 0))
        if inside is None or not walked or not _awaits(walked[0][0]):
            return walked
        # Each time another one: which are in flight for long is seen often.
        self._turn += 1
        return _suspended(call.awaiting(self._turn)) or walked

    def _flush(self) -> None:
        self._sent = time.monotonic()
        with self._lock:
            counts, self._counts = self._counts, {}
            dropped, self._dropped = self._dropped, 0
        if counts:
            for profile in {*self._windows, self._of_task} - {""}:
                self._send(profile, counts, dropped, last=False)

    def _send(self, profile: str, counts: dict[_Key, _Seen], dropped: int, *, last: bool) -> None:
        names: dict[str, int] = {}
        frames: dict[StackFrame, int] = {}
        stacks: dict[tuple[int, tuple[int, ...]], list[int]] = {}
        for (name, file, _), seen in counts.items():
            places = [
                (code.co_filename, code.co_name, line, code.co_firstlineno)
                for code, line in reversed(seen.walk)
            ]
            assert self._paths is not None
            found = folded(places, self._paths, file)
            numbers = tuple(frames.setdefault(frame, len(frames)) for frame in found)
            total = stacks.setdefault((names.setdefault(name, len(names)), numbers), [0, 0])
            total[0] += seen.count
            total[1] += seen.ns
        self._runtime.send(
            StackSamples(
                pid=os.getpid(),
                time=time.time(),
                profile=profile,
                query=self._query,
                names=tuple(names),
                frames=tuple(frames),
                stacks=tuple(stack for _, stack in stacks),
                functions=tuple(function for function, _ in stacks),
                counts=tuple(count for count, _ in stacks.values()),
                ns=tuple(ns for _, ns in stacks.values()),
                dropped=dropped,
                last=last,
            )
        )


def _slept() -> None:
    """Waits for the next sample. Python's own patience is back before it is taken: with less, the
    function's thread would interrupt that."""
    patience = sys.getswitchinterval()
    sys.setswitchinterval(min(patience, _PATIENCE_SECONDS))
    try:
        time.sleep(_PERIOD_SECONDS)
    finally:
        sys.setswitchinterval(patience)


def _walked(frame: FrameType | None) -> _Walk:
    found: list[tuple[CodeType, int]] = []
    while frame is not None and len(found) < _DEEPEST:
        found.append((frame.f_code, frame.f_lineno or frame.f_code.co_firstlineno))
        frame = frame.f_back
    return tuple(found)


def _suspended(coroutine: Any) -> _Walk:
    """The stack of a suspended coroutine, in the same form."""
    found: list[tuple[CodeType, int]] = []
    while (frame := getattr(coroutine, "cr_frame", None)) is not None and len(found) < _DEEPEST:
        found.append((frame.f_code, frame.f_lineno or frame.f_code.co_firstlineno))
        coroutine = coroutine.cr_await
    return tuple(reversed(found))


def _awaits(code: CodeType) -> bool:
    """Whether a stack is that of the main thread waiting for calls in flight."""
    file, function = AWAITING
    return code.co_name == function and code.co_filename.endswith(file)


def _idle(frame: FrameType) -> bool:
    """Whether a stack is that of an event loop waiting for something to happen."""
    return frame.f_code.co_name == "select" and frame.f_globals.get("__name__") == "selectors"
