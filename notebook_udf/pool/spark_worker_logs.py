"""Spark's own logging of workers, ``spark.tvf.python_worker_logs()``, beside our capture of output.

With ``spark.sql.pyspark.worker.logging.enabled`` Spark's worker takes what functions write and
writes it, as lines of JSON with a marker, to the standard output that the JVM reads. Our capture
has replaced that by then: so the lines go to a copy of the original, and their content to our log
as the function wrote it. ``tests/spark/test_worker_contract.py`` checks what is assumed here of
Spark.
"""

from __future__ import annotations

import contextlib
import logging
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from types import FrameType
from typing import Any, TextIO

from notebook_udf.code_origin import is_machinery, is_pythons
from notebook_udf.worker.runtime.worker_process import process

# Set in the environment of workers whose output Spark keeps.
_ENABLED_VARIABLE = "PYSPARK_SPARK_SESSION_UUID"

Context = Callable[[], dict[str, str]]


class _JvmStream:
    """The standard output inherited from the daemon, which the JVM reads."""

    def __init__(self) -> None:
        self.stream: TextIO | None = None

    def keep(self) -> None:
        """Copies it before our capture replaces it; once in each worker."""
        if self.stream is None and _ENABLED_VARIABLE in os.environ:
            self.stream = os.fdopen(os.dup(1), "w", encoding="utf-8")


jvm_stream = _JvmStream()


def attach() -> None:
    """Wraps the capture of output of Spark's worker, in this process."""
    import pyspark.worker
    from pyspark.logger import worker_io

    capture: Any = _beside_ours(worker_io.capture_outputs)
    # Spark's other mains import them by name when they start, which is after this.
    worker_io.capture_outputs = pyspark.worker.capture_outputs = capture
    worker_io.context_provider = writer


def _beside_ours(
    original: Callable[[Context], AbstractContextManager[None]],
) -> Callable[..., AbstractContextManager[None]]:
    """Spark's capture of output, which passes it on to ours."""

    @contextlib.contextmanager
    def capture_outputs(context_provider: Context = writer) -> Iterator[None]:
        capture, stream = process.runtime.capture, jvm_stream.stream
        if capture is None or stream is None:
            with original(context_provider):
                yield
            return
        earlier = sys.stdout, sys.stderr
        # Where Spark writes its lines; it takes this for the process's own.
        sys.stdout = stream
        try:
            with original(context_provider):
                # It would pass both on to stderr.
                for spark, ours in zip((sys.stdout, sys.stderr), capture.streams, strict=True):
                    spark._delegate = ours  # type: ignore[union-attr]
                _take_warnings(logging.getLogger().handlers[-1])
                with process.clean.streams_replaced():
                    yield
        finally:
            sys.stdout, sys.stderr = earlier

    return capture_outputs


def _take_warnings(handler: logging.Handler) -> None:
    """Keeps warnings on stderr, as Spark has them, though our capture logs them as records."""

    def keep(record: logging.LogRecord) -> bool:
        if record.name != "py.warnings":
            return True
        text = record.getMessage().strip()
        handler.handle(logging.LogRecord("stderr", logging.ERROR, "", 0, text, None, None))
        return False

    handler.addFilter(keep)


def writer() -> dict[str, str]:
    """The function that writes, as Spark describes it: the outermost one of the user.

    Spark's own way to find it takes the code around it, this package, for the user's.
    """
    found: FrameType | None = None
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        filename = frame.f_code.co_filename
        if not is_machinery(filename) and not is_pythons(filename):
            found = frame
        frame = frame.f_back
    if found is None:
        return {}
    context = {"func_name": found.f_code.co_name}
    if "self" in found.f_locals:
        context["class_name"] = type(found.f_locals["self"]).__name__
    elif isinstance(found.f_locals.get("cls"), type):
        context["class_name"] = found.f_locals["cls"].__name__
    return context
