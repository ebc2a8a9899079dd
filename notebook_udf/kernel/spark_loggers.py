"""PySpark's loggers of errors in queries, silent while a session lives.

PySpark logs each such error before it raises it, as a line of JSON with the JVM's stack; a card
shows it better. Only PySpark's own handler is silenced: a handler that a user has added gets every
error, and where a user has set a level, PySpark's handler logs as before. Errors in the planner's
tries are logged nowhere.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from pyspark.errors import PySparkException
from pyspark.logger import PySparkLogger
from pyspark.logger.logger import JSONFormatter

NAMES = ("SQLQueryContextLogger", "DataFrameQueryContextLogger")
# The level that PySpark gives each of its loggers.
_LEVEL = logging.WARNING

_trying: ContextVar[bool] = ContextVar("trying", default=False)


@contextmanager
def unlogged() -> Iterator[None]:
    """Errors in queries are not logged in the block."""
    token = _trying.set(True)
    try:
        yield
    finally:
        _trying.reset(token)


@contextmanager
def logged_if_raised() -> Iterator[None]:
    """Errors are not logged in the block; one that leaves it is logged like any other."""
    try:
        with unlogged():
            yield
    except PySparkException as error:
        error._log_exception()
        raise


class QuietLoggers:
    """The hook that silences the loggers, one per session; ``uninstall`` restores them."""

    def __init__(self) -> None:
        self._filtered: list[tuple[logging.Filterer, logging.Filter]] = []

    def install(self) -> None:
        """Silences PySpark's own handlers."""
        for name in NAMES:
            # Made as PySpark makes it, if it is not there yet.
            logger = PySparkLogger.getLogger(name)
            self._filter(logger, _NotWhileTrying())
            handler = _sparks_own(logger)
            if handler is not None:
                self._filter(handler, _OnlyAtALevelOfTheUsers())

    def _filter(self, filtered: logging.Filterer, chosen: logging.Filter) -> None:
        filtered.addFilter(chosen)
        self._filtered.append((filtered, chosen))

    def uninstall(self) -> None:
        """Removes the filters."""
        for filtered, chosen in self._filtered:
            filtered.removeFilter(chosen)
        self._filtered = []


class _NotWhileTrying(logging.Filter):
    def filter(self, record: logging.LogRecord) -> bool:
        return not _trying.get()


class _OnlyAtALevelOfTheUsers(logging.Filter):
    def filter(self, record: logging.LogRecord) -> bool:
        return logging.getLogger(record.name).level != _LEVEL


def _sparks_own(logger: logging.Logger) -> logging.Handler | None:
    """The handler that PySpark gave a logger when it made it, as far as can be told."""
    for handler in logger.handlers[:1]:
        if (
            type(handler) is logging.StreamHandler
            and type(handler.formatter) is JSONFormatter
            and handler.level == logging.NOTSET
            and not handler.filters
            and (
                handler.stream in (sys.stderr, sys.__stderr__)
                or getattr(handler.stream, "name", "") in ("stderr", "<stderr>")
            )
        ):
            return handler
    return None
