"""What a task finds of its process: what the task before it found, whatever that one changed.

Spark gives a worker to one query after the other. What a function does to its process (variables of
the environment, the working folder, the locale, the decimal context, handlers of signals, …) would
change the answers of functions that know nothing of it. So it is undone with the end of the task.

Modules stay, and the variables that they set as they were imported, since they are not imported
again. A function with ``open_scope="query"`` finds in each task of its query what it left in the
last, as it finds itself.
"""

from __future__ import annotations

import contextlib
import decimal
import gc
import importlib.abc
import importlib.machinery
import locale
import os
import random
import signal
import sys
import time
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from types import ModuleType
from typing import Any, cast

# Those that Python has no say in, or that end a process whatever it wants.
_SIGNALS = sorted(set(signal.valid_signals()) - {signal.SIGKILL, signal.SIGSTOP, signal.SIGALRM})


@dataclass(frozen=True)
class ProcessState:
    """The settings of a process that a function may change and another one depends on."""

    variables: Mapping[str, str]
    folder: str
    locale: str
    decimals: decimal.Context
    recursion: int
    streams: tuple[Any, Any, Any] | None
    handlers: tuple[Any, ...]
    filters: tuple[Any, ...]
    collects: bool
    numbers: tuple[Any, Any]

    @classmethod
    def now(cls) -> ProcessState:
        """The settings as they are."""
        try:
            folder = os.getcwd()
        except OSError:
            # It was removed by another process.
            folder = ""
        numpy: Any = sys.modules.get("numpy")
        return cls(
            dict(os.environ),
            folder,
            locale.setlocale(locale.LC_ALL),
            decimal.getcontext().copy(),
            sys.getrecursionlimit(),
            _streams(),
            tuple(map(signal.getsignal, _SIGNALS)),
            tuple(warnings.filters),
            gc.isenabled(),
            (random.getstate(), numpy.random.get_state() if numpy else None),
        )

    def apply(self, kept: Mapping[str, str] | None = None) -> None:
        """Makes them the settings again; ``kept`` are variables that stay as they are said."""
        self._apply_variables({**self.variables, **(kept or {})})
        if self.folder:
            with contextlib.suppress(OSError):
                os.chdir(self.folder)
        if locale.setlocale(locale.LC_ALL) != self.locale:
            locale.setlocale(locale.LC_ALL, self.locale)
        decimal.setcontext(self.decimals.copy())
        sys.setrecursionlimit(self.recursion)
        if self.streams is not None:
            sys.stdin, sys.stdout, sys.stderr = self.streams
        for number, handler in zip(_SIGNALS, self.handlers, strict=True):
            # None: it was set by native code, and Python cannot set it.
            if handler is not None and signal.getsignal(number) is not handler:
                signal.signal(number, handler)
        if tuple(warnings.filters) != self.filters:
            warnings.resetwarnings()
            cast(list[Any], warnings.filters).extend(self.filters)
        if self.collects != gc.isenabled():
            (gc.enable if self.collects else gc.disable)()
        random.setstate(self.numbers[0])
        if self.numbers[1] is not None:
            sys.modules["numpy"].random.set_state(self.numbers[1])

    @staticmethod
    def _apply_variables(wanted: Mapping[str, str]) -> None:
        zone = os.environ.get("TZ")
        for name in os.environ.keys() - wanted.keys():
            del os.environ[name]
        for name, value in wanted.items():
            if os.environ.get(name) != value:
                os.environ[name] = value
        if os.environ.get("TZ") != zone:
            time.tzset()


def _streams() -> tuple[Any, Any, Any]:
    return sys.stdin, sys.stdout, sys.stderr


class CleanProcess:
    """Keeps the tasks of a worker apart. For the thread that runs them."""

    def __init__(self) -> None:
        self._found: ProcessState | None = None
        # The last query that keeps functions, and what they have left.
        self._left: tuple[str, ProcessState] | None = None
        self._imported = _ImportedVariables()

    def begin(self) -> None:
        """Takes note of what a task finds."""
        if self._found is None:
            sys.meta_path.insert(0, self._imported)
        # Numbers that follow from another function's seed would be the same in every task.
        random.seed()
        if "numpy" in sys.modules:
            sys.modules["numpy"].random.seed()
        self._found = ProcessState.now()

    @contextlib.contextmanager
    def streams_replaced(self) -> Iterator[None]:
        """Until it is left, a task is to find the streams that Spark has set since it began."""
        found = self._found
        if found is None:
            yield
            return
        self._found = replace(found, streams=_streams())
        try:
            yield
        finally:
            # The rest may have been noted again, in the environment of the task's functions.
            self._found = replace(self._found, streams=found.streams)

    def resume(self, query: str) -> None:
        """Restores what the functions that a query keeps have left, or else what was found."""
        if self._left is not None and self._left[0] == query:
            self._left[1].apply(self._imported.values)
        else:
            self.end()

    def leave(self, query: str) -> None:
        """Takes note of what a task leaves to the next of its query."""
        left = ProcessState.now()
        if self._found is not None and left.streams == self._found.streams:
            # Spark gives each task streams of its own.
            left = replace(left, streams=None)
        self._left = query, left

    def end(self) -> None:
        """Undoes what has been changed since the task began."""
        if self._found is not None:
            self._found.apply(self._imported.values)


class _ImportedVariables(importlib.abc.MetaPathFinder):
    """Notes the variables that modules set while they are imported.

    Attributes
    ----------
    values
        The variables with their values.
    """

    def __init__(self) -> None:
        self.values: dict[str, str] = {}

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """The module as the other finders find it; it is watched while it runs."""
        for finder in list(sys.meta_path):
            find = getattr(finder, "find_spec", None)
            found = find(fullname, path, target) if find and finder is not self else None
            if found is not None:
                self._watch(found.loader)
                return found  # type: ignore[no-any-return]
        return None

    def _watch(self, loader: Any) -> None:
        run = getattr(loader, "exec_module", None)
        # Those of Python's own modules are classes, which all of them share.
        if run is not None and not isinstance(loader, type):
            with contextlib.suppress(AttributeError):
                loader.exec_module = partial(self._run, loader, run)

    def _run(self, loader: Any, run: Any, module: ModuleType) -> None:
        del loader.exec_module
        before = dict(os.environ)
        try:
            run(module)
        finally:
            for name, value in os.environ.items():
                if before.get(name) != value:
                    self.values[name] = value
