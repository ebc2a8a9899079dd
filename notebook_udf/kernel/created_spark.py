"""Adopts the Spark that a job creates by itself, and says when it is about to stop.

The job's own builder decides everything: the session adopts what it made, before the job gets it.
"""

from __future__ import annotations

import functools
import threading
from typing import Any

from pyspark.sql import SparkSession

from notebook_udf.host.sessions import active_spark, stopped_by
from notebook_udf.kernel.active_session import active_session
from notebook_udf.kernel.hooks import Replacing
from notebook_udf.kernel.open_session import adopt_created
from notebook_udf.kernel.session_watchers import (
    SessionWatcher,
    tell_ending,
    tell_refused,
    watchers,
)

_changing = threading.RLock()


class CreatedSpark(Replacing):
    """The hook on PySpark's builder, and on the end of its Spark."""

    def install(self) -> None:
        """Replaces PySpark's functions."""
        create: Any = SparkSession.Builder.getOrCreate

        @functools.wraps(create)
        def get_or_create(builder: Any) -> SparkSession:
            spark: SparkSession = create(builder)
            _adopt(spark)
            return spark

        self._replace(SparkSession.Builder, "getOrCreate", get_or_create)
        ending = stopped_by()
        if ending is None:
            return
        stop: Any = ending.stop

        @functools.wraps(stop)
        def stopping(context: Any) -> None:
            session = active_session()
            if session is not None and session.host.is_alive:
                tell_ending(session)
            stop(context)

        self._replace(ending, "stop", stopping)


_hook = CreatedSpark()


def watch(watcher: SessionWatcher) -> None:
    """Tells a watcher of all sessions from now on: of that which runs, and of those that begin.

    A Spark that runs without a session is adopted, as is every one that is created.
    """
    with _changing:
        if not watchers:
            _hook.install()
        watchers.append(watcher)
    session = active_session()
    if session is not None and session.host.is_alive:
        watcher.began(session)
        return
    spark = active_spark()
    if spark is not None:
        _adopt(spark)


def unwatch(watcher: SessionWatcher) -> None:
    """Ends ``watch``. Idempotent."""
    with _changing:
        if watcher in watchers:
            watchers.remove(watcher)
            if not watchers:
                _hook.uninstall()


def _adopt(spark: SparkSession) -> None:
    try:
        adopt_created(spark)
    except Exception as error:
        # The job does not ask for a session, and runs without one.
        tell_refused(error)
