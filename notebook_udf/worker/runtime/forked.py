"""Ends a process that a user's function forks where that function ends.

A copy of the worker that went on behind the user's code would answer in the worker's name, and the
rows of one query would be taken for those of the next. So the interpreter's tracing stops the copy
as soon as it returns to the code that called the function, by a result, an error or a ``yield``; in
the worker itself nothing is traced. What the copy does before that is the user's:
``multiprocessing`` and ``os._exit`` never return there.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextlib
import os
import socket
import sys
import threading
import traceback
import weakref
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import pyspark

from notebook_udf.code_origin import PACKAGE


def _folder(module: Any) -> str:
    return str(Path(module.__file__).parent) + os.sep


# Code that calls functions of the user's.
_CALLERS = (PACKAGE, _folder(pyspark))
# Code that calls them for a thread or an event loop, where nothing of the user's is around it.
_CARRIERS = (_folder(asyncio), _folder(concurrent.futures), threading.__file__)

_contained = False
# What rows and state come and go by, while it is open.
_connections: weakref.WeakSet[Any] = weakref.WeakSet()


def contain(*connections: Any) -> None:
    """From now on, every fork of this process ends where its function ends.

    In the copy the ``connections``, files or sockets, are closed: what is left in a buffer, and
    state that it asks for, cannot get among the rows and the state of the worker.
    """
    global _contained
    _connections.update(connections)
    if not _contained:
        _contained = True
        os.register_at_fork(after_in_child=_in_copy)


def _in_copy() -> None:
    _hang_up()
    caller = _caller(sys._getframe().f_back)
    if caller is None:
        return

    def entered(frame: FrameType, event: str, argument: Any) -> None:
        # The caller went straight on to the next row, as ``map`` does.
        if frame.f_back is caller:
            _end(frame, event, argument)

    # All of them: a coroutine that waits goes past its caller to the event loop.
    outer: FrameType | None = caller
    while outer is not None:
        outer.f_trace, outer.f_trace_opcodes = _end, True
        outer = outer.f_back
    sys.settrace(entered)


def _hang_up() -> None:
    if not _connections:
        return
    dead, other = socket.socketpair()
    other.close()
    for connection in _connections:
        # One that is closed has no descriptor, or a negative one.
        with contextlib.suppress(ValueError, OSError):
            os.dup2(dead.fileno(), connection.fileno())
    dead.close()


def _caller(frame: FrameType | None) -> FrameType | None:
    """The frame that the code which forks returns to; None if it ends with its thread."""
    carrier: FrameType | None = None
    while frame is not None:
        if _is_one_of(frame, _CALLERS):
            return carrier or frame
        carrier = (carrier or frame) if _is_one_of(frame, _CARRIERS) else None
        frame = frame.f_back
    return carrier


def _is_one_of(frame: FrameType, places: tuple[str, ...]) -> bool:
    return frame.f_code.co_filename.startswith(places)


def _end(_frame: FrameType, event: str, argument: Any) -> Callable[..., Any]:
    """Ends the copy, as a script would end there."""
    code = 0
    if event == "exception":
        error = argument[1]
        if isinstance(error, SystemExit):
            code = error.code if isinstance(error.code, int) else int(error.code is not None)
        else:
            code = 1
            traceback.print_exception(error)
    os._exit(code)
