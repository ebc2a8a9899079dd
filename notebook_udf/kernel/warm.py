"""Forks a first worker in the background, so that the first function is fast."""

from __future__ import annotations

import logging
import threading
from typing import TYPE_CHECKING

from pyspark.sql import functions as F
from pyspark.sql.types import LongType
from pyspark.util import PythonEvalType

from notebook_udf.host.spark_functions import column_function
from notebook_udf.plan.progress import OWN_TAG
from notebook_udf.worker.runtime.warmup import same

if TYPE_CHECKING:
    from notebook_udf.kernel.notebook_session import Session

_log = logging.getLogger(__name__)


class Warmup:
    """Runs a tiny query with a Python function: Java loads its classes, the daemon starts."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._cancelled = False
        self._thread = threading.Thread(target=self._run, name="notebook-udf-warm-up", daemon=True)

    def start(self) -> None:
        """Starts the query."""
        self._thread.start()

    def cancel(self) -> None:
        """Keeps errors of a Spark that is being stopped from being reported."""
        self._cancelled = True

    def wait(self, timeout: float | None = None) -> bool:
        """Waits for its end; returns whether it has ended."""
        self._thread.join(timeout)
        return not self._thread.is_alive()

    def _run(self) -> None:
        host = self._session.host
        try:
            function = column_function(
                same, LongType(), "warm_up", PythonEvalType.SQL_SCALAR_ARROW_UDF
            )
            # It belongs to no cell, though one may run.
            host.jobs.tag(OWN_TAG)
            partitions = host.cluster.parallelism
            frame = host.spark.range(0, partitions, 1, partitions)
            frame.select(function(F.col("id"))).collect()
        except Exception:
            if not self._cancelled:
                _log.warning("the warm-up query failed", exc_info=True)
