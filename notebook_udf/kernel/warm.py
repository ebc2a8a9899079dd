"""Forks a first worker in the background, so that the first function is fast."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from pyspark.sql import functions as F
from pyspark.sql.types import LongType
from pyspark.util import PythonEvalType

from notebook_udf.host.spark_functions import column_function
from notebook_udf.kernel.background import Background
from notebook_udf.plan.progress import OWN_TAG
from notebook_udf.worker.runtime.warmup import same

if TYPE_CHECKING:
    from notebook_udf.kernel.notebook_session import Session

_log = logging.getLogger(__name__)


class Warmup(Background):
    """Runs a tiny query with a Python function: Java loads its classes, the daemon starts."""

    def __init__(self, session: Session) -> None:
        self._host = session.host
        super().__init__(
            self._query, name="notebook-udf-warm-up", log=_log, failed="the warm-up query failed"
        )

    def _query(self) -> None:
        host = self._host
        function = column_function(same, LongType(), "warm_up", PythonEvalType.SQL_SCALAR_ARROW_UDF)
        # It belongs to no cell, though one may run.
        host.jobs.tag(OWN_TAG)
        partitions = host.cluster.parallelism
        frame = host.spark.range(0, partitions, 1, partitions)
        # Without ``collect``: while one runs, PySpark tells Spark the line of no other query.
        frame.select(function(F.col("id"))).write.format("noop").mode("overwrite").save()
