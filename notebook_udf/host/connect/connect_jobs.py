"""What a Connect server runs for this session: tags, and progress as PySpark hears of it."""

from __future__ import annotations

import sys
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from notebook_udf.host.jobs import JobSums


class ConnectJobs:
    """See ``SparkJobs``.

    A job is here an operation of Connect's: what an action, or a command, makes Spark do. A
    property of the tasks is a conf of the session, whatever thread sets it.
    """

    def __init__(self, spark: Any) -> None:
        self._spark = spark

    def tag(self, tag: str) -> None:
        """See ``SparkJobs``."""
        self._spark.addTag(tag)

    def untag(self, tag: str) -> None:
        """See ``SparkJobs``."""
        self._spark.removeTag(tag)

    def cancel(self, tag: str) -> None:
        """See ``SparkJobs``."""
        self._spark.interruptTag(tag)

    def cancel_all(self) -> None:
        """See ``SparkJobs``."""
        self._spark.interruptAll()

    def property(self, name: str) -> str | None:
        """See ``SparkJobs``."""
        found: str | None = self._spark.conf.get(name, None)
        return found

    def set_property(self, name: str, value: str | None) -> None:
        """See ``SparkJobs``."""
        if value is None:
            self._spark.conf.unset(name)
        else:
            self._spark.conf.set(name, value)

    def reader(self, sums: JobSums) -> ConnectJobReader:
        """See ``SparkJobs``."""
        return ConnectJobReader(self._spark, sums)

    def computed(self, stage: int) -> tuple[int, ...] | None:
        """See ``SparkJobs``; the server does not tell."""
        return None


@dataclass
class _Stage:
    """A stage of an operation, and the last that was heard of it, as Spark's REST pages show jobs
    and stages: it is a job of its own here, since an operation tells of its stages one by one."""

    tags: tuple[str, ...]
    job: int
    number: int
    began: str
    tasks: int = 0
    done: int = 0
    running: int = 0
    status: str = "PENDING"
    ended: str | None = None

    def as_job(self) -> Mapping[str, Any]:
        return {
            "jobId": self.job,
            "jobTags": self.tags,
            "submissionTime": self.began,
            "stageIds": [self.number],
            "status": "RUNNING" if self.ended is None else "SUCCEEDED",
        }

    def as_stage(self) -> Mapping[str, Any]:
        return {
            "stageId": self.number,
            "status": self.status,
            "numTasks": self.tasks,
            "numCompletedIndices": self.done,
            "numActiveTasks": self.running,
            "numFailedTasks": 0,
            "firstTaskLaunchedTime": self.began,
            "completionTime": self.ended,
            "diskBytesSpilled": 0,
        }


class ConnectJobReader:
    """See ``JobReader``: hands on what PySpark's progress handlers are told.

    They are called on the thread that waits for an operation, every two seconds by default, with
    the numbers of tasks of each stage. Failed attempts, spilled bytes and skew are not among them.
    """

    def __init__(self, spark: Any, sums: JobSums) -> None:
        self._spark = spark
        self._sums = sums
        self._lock = threading.Lock()
        self._stages: dict[tuple[str, int], _Stage] = {}
        spark.registerProgressHandler(self._hear)

    def _hear(self, stages: Any, inflight_tasks: int, operation_id: str | None, done: bool) -> None:
        if not operation_id:
            return
        now = f"{datetime.now(UTC).strftime('%Y-%m-%dT%H:%M:%S.%f')[:-3]}GMT"
        # PySpark's last call is made while it raises what the operation fails with.
        failed = done and sys.exc_info()[0] is not None
        with self._lock:
            for each in stages or ():
                key = operation_id, each.stage_id
                if key not in self._stages:
                    tags = tuple(self._spark.getTags())
                    self._stages[key] = _Stage(tags, len(self._stages), each.stage_id, now)
                known = self._stages[key]
                known.tasks, known.done = each.num_tasks, each.num_completed_tasks
                left = known.tasks - known.done
                known.running = 0 if each.done or done else min(inflight_tasks, left)
                inflight_tasks -= known.running
                if known.ended is None and (each.done or done):
                    known.ended = now
                    known.status = "FAILED" if failed and left else "COMPLETE"
                elif known.ended is None and (known.running or known.done):
                    known.status = "ACTIVE"

    def read(self, now: float) -> None:
        """See ``JobReader``."""
        with self._lock:
            newest = sorted(self._stages.values(), key=lambda stage: stage.job, reverse=True)
            jobs = [stage.as_job() for stage in newest]
            by_number = sorted(newest, key=lambda stage: stage.number, reverse=True)
            stages = [stage.as_stage() for stage in by_number]
        self._sums.take_jobs(jobs)
        if self._sums.unfinished_span:
            self._sums.take_stages(stages, now)

    def settle(self) -> None:
        """See ``JobReader``: the end of an operation is heard before its rows are returned."""

    def close(self) -> None:
        """See ``JobReader``."""
        self._spark.removeProgressHandler(self._hear)
