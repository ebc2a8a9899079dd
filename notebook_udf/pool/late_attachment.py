"""Attaches this package to a worker that another daemon than ours has forked.

Such a worker is not attached before its first task. So it is attached when the first function of
ours arrives, while Spark is still reading that task's functions: the task is wrapped around them
through the serializers that Spark is about to call. Tasks that follow go through ``main`` as under
our own daemon.

Only our daemon has: modules that are loaded before the fork, and a quick end of idle workers. How a
worker ended is told by its ``witness``, but for the signal.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import pyspark.worker

from notebook_udf.pool import spark_worker
from notebook_udf.pool.task_environment import enter_environment
from notebook_udf.worker.call.function_call import take_arrived
from notebook_udf.worker.runtime.error_kinds import WorkerStopped
from notebook_udf.worker.runtime.worker_process import process
from notebook_udf.worker.stream.stream_operator import take_pass

_READING = ("read_udfs", "read_udtf")


def attach() -> None:
    """Attaches the worker, and wraps a task around the functions that are being read."""
    reading, invoking, main = _frame_of(*_READING), _frame_of("invoke_udf"), _frame_of("main")
    if reading is None or invoking is None or main is None:
        # Not in a task of Spark's, as in the kernel.
        return
    spark_worker.attach()
    pyspark.worker.main = _ending(pyspark.worker.main)
    enter_environment(spark_worker.task_properties())
    spark_worker.enter_process()
    spark_worker.watch(main.f_locals["infile"], main.f_locals["outfile"])
    process.busy = True
    _when_returned(reading, lambda read: _put_around(read, reading, invoking))


def _ending(main: Callable[..., None]) -> Callable[..., None]:
    """Ends the process with the worker.

    Spark's daemon would call one that ends in order for its next task, again and again, though
    nobody is left to send one.
    """

    def run(infile: Any, outfile: Any) -> None:
        try:
            main(infile, outfile)
        except WorkerStopped:
            os._exit(0)

    return run


def _frame_of(*names: str) -> FrameType | None:
    """The frame of a function of Spark's worker that is on the stack."""
    frame: FrameType | None = sys._getframe()
    while frame is not None:
        code = frame.f_code
        if code.co_name in names and code.co_filename == pyspark.worker.__file__:
            return frame
        frame = frame.f_back
    return None


def _when_returned(frame: FrameType, take: Callable[[Any], None]) -> None:
    """Calls ``take`` with what the function of a frame returns, if it returns."""
    before = sys.gettrace()

    def trace(_frame: FrameType, event: str, value: Any) -> Any:
        if event == "return":
            sys.settrace(before)
            if value is not None:
                take(value)
        return trace

    frame.f_trace = trace
    frame.f_trace_lines = False
    # Trace functions of frames are called only if the thread has one.
    sys.settrace(lambda *_: None)


def _put_around(read: Any, reading: FrameType, invoking: FrameType) -> None:
    """Has Spark write the rows of the functions with a task around them.

    Spark already holds what it has read: it gets no rows to run that on, and what it writes in the
    end is replaced.
    """
    func, _, deserializer, serializer = read
    passed, calls = take_pass(), take_arrived()
    if passed is not None:
        func = spark_worker.with_state(passed, func)
    around = spark_worker.around(func, calls, reading.f_locals["runner_conf"].timezone)
    load, dump = deserializer.load_stream, serializer.dump_stream

    def load_nothing(_stream: Any) -> Any:
        return iter(())

    def dump_ours(unused: Any, outfile: Any) -> Any:
        if hasattr(unused, "close"):
            unused.close()
        known = invoking.f_locals
        process.clean.begin()
        rows = around(known["init_info"].split_index, load(known["input_data_stream"]))
        try:
            return dump(rows, outfile)
        finally:
            process.clean.end()
            process.runtime.finish_output()
            process.busy = False

    deserializer.load_stream = load_nothing
    serializer.dump_stream = dump_ours
