"""Reads the jobs of a classic Spark session from its status store, with few calls to the JVM.

The store is what Spark's own page shows; it lags by a tenth of a second at most. Many jobs are
read as one text: a call for each would slow the query down.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from py4j.protocol import Py4JJavaError

from notebook_udf.host.jobs import JobSums

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# The most that is read at a time; of a cell that starts more jobs between two reads, the ones in
# between are missing from the sums.
_MOST = 400
_GUESS = 4
_DRAIN_MS = 1000


class ClassicJobs:
    """See ``SparkJobs``."""

    def __init__(self, spark: SparkSession) -> None:
        self._spark = spark
        self._context: Any = spark.sparkContext

    def tag(self, tag: str) -> None:
        """See ``SparkJobs``."""
        self._context.addJobTag(tag)

    def untag(self, tag: str) -> None:
        """See ``SparkJobs``."""
        self._context.removeJobTag(tag)

    def cancel(self, tag: str) -> None:
        """See ``SparkJobs``."""
        self._context.cancelJobsWithTag(tag)

    def cancel_all(self) -> None:
        """See ``SparkJobs``."""
        self._context.cancelAllJobs()

    def property(self, name: str) -> str | None:
        """See ``SparkJobs``."""
        found: str | None = self._context.getLocalProperty(name)
        return found

    def set_property(self, name: str, value: str | None) -> None:
        """See ``SparkJobs``."""
        self._context.setLocalProperty(name, value)

    def reader(self, sums: JobSums) -> ClassicJobReader:
        """See ``SparkJobs``."""
        return ClassicJobReader(self._spark, sums)

    def computed(self, stage: int) -> tuple[int, ...] | None:
        """See ``SparkJobs``."""
        store = self._context._jsc.sc().statusStore()
        try:
            rdds: str = store.lastStageAttempt(stage).rddIds().mkString(",")
        except Py4JJavaError:
            return None
        return tuple(sorted(map(int, rdds.split(","))))


class ClassicJobReader:
    """See ``JobReader``.

    Raises
    ------
    Py4JError
        If the JVM does not answer.
    """

    def __init__(self, spark: SparkSession, jobs: JobSums) -> None:
        self._jobs = jobs
        jvm: Any = spark._jvm
        self._gateway: Any = spark.sparkContext._gateway
        self._context: Any = spark.sparkContext._jsc.sc()
        self._store: Any = self._context.statusStore()
        # The writer of Spark's own REST pages.
        self._mapper: Any = jvm.org.apache.spark.status.api.v1.JacksonMessageWriter().mapper()
        self._nothing: Any = jvm.java.util.ArrayList()
        self._double: Any = jvm.double

    def read(self, now: float) -> None:
        """See ``JobReader``."""
        jobs = self._jobs
        jobs.take_jobs(self._newest(self._store.jobsList(None), _GUESS, jobs.wants_job))
        span = jobs.unfinished_span
        if span:
            stages = self._store.stageList(None, False, False, self._numbers(), self._nothing)
            jobs.take_stages(self._newest(stages, span, jobs.wants_stage), now)
        for number in jobs.unmeasured():
            self._measure(number)

    def settle(self) -> None:
        """See ``JobReader``."""
        self._context.listenerBus().waitUntilEmpty(_DRAIN_MS)

    def close(self) -> None:
        """See ``JobReader``: there is nothing to let go of."""

    def _newest(
        self, newest_first: Any, count: int, wants_more: Callable[[dict[str, Any]], bool]
    ) -> list[dict[str, Any]]:
        """Reads at least ``count`` of them, and more while those before the last are wanted."""
        while True:
            count = min(count, _MOST)
            text = self._mapper.writeValueAsString(newest_first.take(count))
            found: list[dict[str, Any]] = json.loads(text)
            if len(found) < count or count == _MOST or not wants_more(found[-1]):
                return found
            count *= 4

    def _measure(self, number: int) -> None:
        found = self._store.taskSummary(number, 0, self._numbers(0.5, 1.0))
        if found.isDefined():
            text = self._mapper.writeValueAsString(found.get().duration())
            median, most = json.loads(text)
            self._jobs.measured(number, median / 1e3, most / 1e3)

    def _numbers(self, *numbers: float) -> Any:
        array = self._gateway.new_array(self._double, len(numbers))
        for place, number in enumerate(numbers):
            array[place] = number
        return array
