"""Reduces a sampled stack to the user's frames, or to the kind of work this package was doing.

A worker's stack begins with Spark and this package, then comes the user's function, then what it
calls. A frame's file tells whose it is.

What it leaves to others: taking samples (``worker.runtime.profiler``), summing them up
(``profile``).
"""

from __future__ import annotations

import sysconfig
from collections.abc import Sequence
from dataclasses import dataclass

from notebook_udf.telemetry.records import StackFrame

# The name of the frame that stands for this package's own.
OURS = "notebook-udf"
WAITING = "waiting for rows"
KERNELS = "Arrow kernels"
DECODE, ENCODE = "decode", "encode"
_CALLS = "calls"
_HANDING = "handing over results"
_OTHER = "bookkeeping"

# The kind of work of each worker module, or of its functions where they differ.
_WORK = {
    "worker/call/coerce.py": DECODE,
    "worker/codec/column_encoder.py": DECODE,
    "worker/codec/decode.py": DECODE,
    "worker/aggregate/window_frame.py": DECODE,
    "worker/codec/encode.py": ENCODE,
    "worker/codec/primitives.py": ENCODE,
    "worker/codec/table_rows.py": ENCODE,
    "worker/process/process_kernels.py": KERNELS,
    "worker/scalar/row_runner.py:_map": _CALLS,
    "worker/scalar/row_runner.py:_noting": _CALLS,
    "worker/async_/driver.py:wait": "waiting for answers",
    # With the imports that a function needs.
    "specs/payload.py": "unpacking",
    "worker/scalar/vectorized.py:_timed": _CALLS,
    "worker/scalar/vectorized.py:_enter": DECODE,
    "worker/scalar/vectorized.py:_leave": ENCODE,
    "worker/scalar/vectorized.py:_cast": ENCODE,
    "worker/scalar/vectorized.py:cast": ENCODE,
    "pool/spark_worker.py:arriving": WAITING,
    "pool/spark_worker.py:main": _HANDING,
}
# The same of whole folders.
_FOLDERS = {"worker/kernels": KERNELS}
# Libraries that this package itself calls: their frames do not show that user code runs.
_ASSISTANTS = ("pyspark", "pyarrow", "pandas", "numpy", "zmq")
# The file of methods that a dataclass writes itself: they are whose the call is.
_GENERATED = "<string>"
_LONGEST = 80
_INNERMOST = 20

# File, function, line, first line of the function.
Place = tuple[str, str, int, int]


@dataclass(frozen=True)
class Paths:
    """The folders of this package, of Python and of installed packages, with a trailing slash."""

    package: str
    python: tuple[str, ...]
    installed: tuple[str, ...]

    @classmethod
    def here(cls, package: str) -> Paths:
        """The folders of this process."""
        known = sysconfig.get_paths()

        def folders(*names: str) -> tuple[str, ...]:
            return tuple({f"{known[name]}/" for name in names})

        return cls(package, folders("stdlib", "platstdlib"), folders("purelib", "platlib"))

    def is_library(self, file: str) -> bool:
        """Whether a file belongs to Python or to an installed package."""
        return file.startswith((*self.python, *self.installed, "<frozen "))

    def is_assistant(self, file: str) -> bool:
        """Whether this package itself calls code of that file."""
        for folder in self.installed:
            if file.startswith(folder):
                return file[len(folder) :].split("/", 1)[0] in _ASSISTANTS
        return self.is_library(file)


def folded(stack: Sequence[Place], paths: Paths, own_file: str) -> tuple[StackFrame, ...]:
    """Folds a stack, outermost first, to the frames from the user's first one on.

    A stack without user code becomes a single frame that names this package's work. Library
    frames have the line at which their function begins; the middle of a deep stack is left out.

    Parameters
    ----------
    own_file
        The file of the function that runs; it counts as user code, wherever it is.
    """
    start = _entry(stack, own_file, paths)
    if start is None:
        return (StackFrame("", f"{OURS}: {_work(stack, paths)}", 0),)
    frames: list[StackFrame] = []
    for file, name, line, first in stack[start:]:
        if file.startswith(paths.package):
            if not frames or frames[-1].file:
                frames.append(StackFrame("", OURS, 0))
        elif file != own_file and paths.is_library(file):
            frames.append(StackFrame(file, name, first, library=True))
        else:
            frames.append(StackFrame(file, name, line))
    if len(frames) > _LONGEST:
        cut = len(frames) - _LONGEST
        middle = StackFrame("", f"… ({cut} more)", 0)
        frames = [*frames[: _LONGEST - _INNERMOST], middle, *frames[-_INNERMOST:]]
    return tuple(frames)


def _entry(stack: Sequence[Place], own_file: str, paths: Paths) -> int | None:
    """The index of the first frame of user code called by this package; None without one."""
    ours = False
    for at, (file, *_) in enumerate(stack):
        if file.startswith(paths.package):
            ours = True
        elif ours and file == own_file:
            return at
        elif file == _GENERATED:
            continue
        elif ours and not paths.is_assistant(file):
            return at
        else:
            ours = False
    return None


def _work(stack: Sequence[Place], paths: Paths) -> str:
    """The kind of work this package is doing, by its innermost frame."""
    for file, name, *_ in reversed(stack):
        if file.startswith(paths.package):
            module = file[len(paths.package) :].partition(":")[0]
            own = _WORK.get(f"{module}:{name}") or _WORK.get(module)
            return own or _FOLDERS.get(module.rpartition("/")[0], _OTHER)
    return _OTHER
