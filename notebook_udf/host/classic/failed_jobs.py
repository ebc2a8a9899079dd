"""Fails Spark's jobs from this process, at the end of one of their tasks.

Spark's scheduler waits while this process takes what a task has counted, and goes on only then: to
the job's end, if that was its last task. A job that is cancelled meanwhile would end well before
Spark sees to it. So the caller that waits for the job is told that it failed, and the job is
cancelled too.
"""

from __future__ import annotations

from typing import Any

from pyspark.sql import SparkSession


def fail_jobs(spark: SparkSession, stage: int, why: str) -> bool:
    """Has the running jobs of a stage fail with a text; whether there is one.

    To be called by the thread that takes accumulators, while it takes those of a task of the stage.

    Raises
    ------
    Py4JError
        If this Spark has another scheduler.
    """
    jvm: Any = spark._jvm
    context: Any = spark.sparkContext._jsc.sc()
    scheduler = context.dagScheduler()
    error, failed = jvm.java.lang.IllegalStateException(why), False
    running = scheduler.activeJobs().toList().iterator()
    while running.hasNext():
        job = running.next()
        stages = scheduler.jobIdToStageIds().get(job.jobId())
        if not stages.isDefined() or not stages.get().contains(stage):
            continue
        job.listener().jobFailed(error)
        last = job.finalStage()
        if last.getClass().getSimpleName() == "ShuffleMapStage":
            # It would tell the job's end to one that was told of it already, which is an error
            # that stops Spark.
            last.removeActiveJob(job)
        context.cancelJob(job.jobId(), why)
        failed = True
    return failed
