"""The attachment to Spark's Python worker: all that depends on how Spark 4.3 runs one.

Spark's ``pyspark.worker.main`` runs one task: it reads what to do, builds ``func`` from the
pickled functions with ``read_udfs``, and pumps batches through it. ``attach`` wraps ``main`` (a
task begins and ends), ``read_udfs`` and ``read_udtf`` (batches arrive and leave).
``spark_worker_logs`` has the part for output. The rest of the package knows only tasks and
bundles, so that another way of feeding workers needs just a second module like this one.
``tests/spark/test_worker_contract.py`` checks what is assumed here of Spark.
"""

from __future__ import annotations

import inspect
import json
import os
import select
import signal
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter_ns
from types import FrameType
from typing import Any

from notebook_udf.pool import observed_functions, spark_worker_logs, witness
from notebook_udf.pool.observed_functions import OBSERVE_CONF
from notebook_udf.pool.task_environment import enter_environment
from notebook_udf.specs.stream_confs import DRAINING_CONF, OUTPUT_MODE_CONF, SCOPE_CONF
from notebook_udf.telemetry.records import TASK_FAILED, TaskId
from notebook_udf.telemetry.sender import WorkerCommands, connect_from_environment
from notebook_udf.worker.call import quarantine
from notebook_udf.worker.call.function_call import FunctionCall, take_arrived
from notebook_udf.worker.observed.node_watch import NodeWatch
from notebook_udf.worker.runtime import channel_folder, failure, forked
from notebook_udf.worker.runtime.dependencies import DEPENDENCIES_CONF
from notebook_udf.worker.runtime.error_kinds import WorkerStopped
from notebook_udf.worker.runtime.failure import FunctionFailed
from notebook_udf.worker.runtime.heartbeat import Agent
from notebook_udf.worker.runtime.stop_signal import STOPPED_AT
from notebook_udf.worker.runtime.task import Task, TaskCall
from notebook_udf.worker.runtime.worker_process import Runtime, process
from notebook_udf.worker.stream.stream_operator import StreamPass, take_pass

# Set in the workers' environment by the session.
MEMORY_VARIABLE = "NOTEBOOK_UDF_WORKER_MEMORY"

# SQL confs that Spark sends with every query as local properties of its tasks.
JOB_PARAMETERS_CONF = "spark.notebookUdf.jobParameters"
LOG_LEVEL_CONF = "spark.notebookUdf.logLevel"
# A local property of the thread that runs a query, and with it of the query's tasks.
PROFILE_PROPERTY = "spark.notebookUdf.profile"
_QUERY_PROPERTY = "spark.sql.execution.id"
# A query's description: that of its thread, or else the place in Python where it was started.
_DESCRIPTIONS = ("spark.job.description", "callSite.short")
_MOST_DESCRIBED = 400
# What Spark Connect describes queries with that nobody has described: the whole plan, as text.
_UNDESCRIBED = "Spark Connect - session_id:"
# The micro-batches of a stream are queries of their own. Their jobs are in the group of the run.
_STREAM_PROPERTY = "sql.streaming.queryId"
_RUN_PROPERTY = "spark.jobGroup.id"

# Of an RDD a function, a profiler and two serializers are pickled; of others a function and a type.
_PARTS_OF_RDDS = 4

Batches = Iterator[Any]
Process = Callable[[int, Batches], Batches]


def attach() -> None:
    """Wraps the functions of Spark's worker, in this process."""
    import pyspark.worker as spark

    process.attached = True
    original_main = spark.main

    def main(infile: Any, outfile: Any) -> None:
        if process.stop_signal is not None:
            # Here and not earlier, because Spark resets the handlers before each task.
            process.stop_signal.listen(_stop)
        try:
            try:
                signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})
                if not infile.peek(1):
                    # Spark keeps workers for a minute after the last task of any, and hangs up.
                    process.stopped = "idle"
                    raise WorkerStopped(0)
                # Now and not before: the session may have ended while the worker waited.
                enter_process()
                watch(infile, outfile)
                process.clean.begin()
                try:
                    original_main(infile, outfile)
                finally:
                    process.clean.end()
                # An unfinished line of output, of a function without a task of ours.
                process.runtime.finish_output()
            finally:
                # Between two tasks nothing would close the instances kept: the signal waits.
                signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
                process.busy = False
        except BaseException:
            # The worker is about to exit: after an error, a cancel, or for lack of work.
            process.runtime.shut_down()
            if process.stopped == "idle":
                process.tell_end(0)
            raise

    original_handle = spark.handle_worker_exception

    def handle(error: BaseException, outfile: Any, *options: Any) -> None:
        if isinstance(error, WorkerStopped):
            # Without a message to the JVM, which then says itself why it ended the worker.
            raise error
        observed_functions.without_own_frames(error)
        process.tell_end(TASK_FAILED)
        original_handle(error, outfile, *options)

    spark_worker_logs.attach()
    spark.main, spark.handle_worker_exception = main, handle
    observed_functions.attach()
    spark.read_udfs, spark.read_udtf = _reading(spark.read_udfs), _reading(spark.read_udtf)
    spark.read_command = _reading_rdd(spark.read_command)


def _reading_rdd(original_read: Callable[..., Any]) -> Callable[..., Any]:
    """Wraps Spark's reader of pickled functions: those of RDDs come with their serializers."""

    def read(*args: Any) -> Any:
        command = original_read(*args)
        if not isinstance(command, tuple) or len(command) != _PARTS_OF_RDDS:
            return command
        process.busy = True
        observed_functions.begin(watched=_is_watched())
        return observed_functions.watched_rdd(command, _around_watch)

    return read


def _is_watched() -> bool:
    """Whether functions of PySpark's own API are, in the task that begins."""
    observes = process.runtime.sender is not None
    return observes and task_properties().get(OBSERVE_CONF) != "false"


def _reading(original_read: Callable[..., Any]) -> Callable[..., Any]:
    """Wraps Spark's reader of functions, scalar or table: ours get a task around them."""

    def read(*args: Any, **kwargs: Any) -> tuple[Process, Any, Any, Any]:
        take_arrived()
        if enter_environment(task_properties()):
            enter_process()
            process.clean.begin()
        process.busy = True
        observed_functions.begin(watched=_is_watched())
        func, profiler, deserializer, serializer = original_read(*args, **kwargs)
        passed = take_pass()
        calls = take_arrived()
        if passed is not None:
            func = with_state(passed, func)
        if calls:
            # The fourth argument of both, under Spark's name for it.
            runner_conf = kwargs["runner_conf"] if "runner_conf" in kwargs else args[3]
            guests = observed_functions.guests()
            func = around(func, calls, runner_conf.timezone, guests)
        else:
            func = observed_functions.watched(func, serializer, deserializer, _around_watch)
        return func, profiler, deserializer, serializer

    return read


@contextmanager
def _around_watch(watch: NodeWatch) -> Iterator[None]:
    """A task around functions that Spark calls itself; what they raise is raised on."""
    ended_by: BaseException | None = None
    task = _task(watch.calls, None)
    try:
        watch.begin(task)
        yield
    except BaseException as error:
        ended_by = error
        raise
    finally:
        watch.end(ended_by)
    process.runtime.leave_records()


def with_state(passed: StreamPass, func: Process) -> Process:
    """Gives the pass whole batches and the state server's connection, in place of Spark's ``func``.

    Spark's own would give it row by row, of one key at a time.
    """
    client = inspect.getclosurevars(func).nonlocals["stateful_processor_api_client"]

    def run(_split: int, batches: Batches) -> Batches:
        from pyspark import TaskContext

        context = TaskContext.get()
        assert context is not None
        mode = (context._localProperties or {}).get(OUTPUT_MODE_CONF) or "update"
        forked.contain(client._client_socket)
        return passed.run(client, batches, mode)

    return run


def watch(infile: Any, outfile: Any) -> None:
    """Tells the process its connection to the JVM, which no child of a function may inherit."""
    process.runtime.hung_up = _watching(infile)
    process.runtime.flush_rows = outfile.flush
    forked.contain(infile, outfile)


def _stop(_number: int, _frame: FrameType | None) -> None:
    if process.stop_signal is not None:
        process.stop_signal.going()
    process.stopped = "busy" if process.busy else "idle"
    raise WorkerStopped(0)


def _watching(stream: Any) -> Callable[[], bool]:
    """A check whether the JVM has closed its end, without reading from the connection."""
    poller = select.poll()
    try:
        poller.register(stream.fileno(), select.POLLRDHUP)
    except (AttributeError, OSError, ValueError):
        # Not a socket of ours: it is then noticed with the next rows.
        return lambda: False
    return lambda: bool(poller.poll(0))


def enter_process() -> None:
    """Opens the channel and captures output, once for each session that the worker has."""
    if process.runtime.sender is not None:
        if not channel_folder.is_gone():
            return
        # An adopted Spark goes on without the session, and what functions print is its own again.
        process.leave()
        channel_folder.forget()
    folder = channel_folder.find_or_make()
    sender = connect_from_environment()
    if sender is None or folder is None:
        # The kernel is gone: functions run, and nobody watches.
        return
    memory = int(os.environ.get(MEMORY_VARIABLE) or 0)
    spark_worker_logs.jvm_stream.keep()
    before = process.runtime
    process.runtime = Runtime.attached(sender, folder, memory=memory)
    # Where the environment came with a task, its connection is being watched already.
    process.runtime.hung_up, process.runtime.flush_rows = before.hung_up, before.flush_rows
    if process.stop_signal is None:
        process.tell_end = _posted(folder)
    process.agent = Agent(process.runtime, WorkerCommands(sender.address))
    process.agent.start()


def _posted(folder: Path) -> Callable[[int], None]:
    """A witness of this process's end, which its daemon would tell nobody."""
    try:
        return witness.post(folder)
    except OSError as error:
        process.runtime.note("WARNING", f"how this worker ends will not be known: {error}")
        return lambda _: None


def around(
    func: Process,
    calls: list[FunctionCall],
    time_zone: str | None,
    guests: NodeWatch | None = None,
) -> Process:
    """``func`` with a task around it and a bundle around each batch.

    Parameters
    ----------
    guests
        Functions of PySpark's own API in the same node.
    """

    def run(split: int, batches: Batches) -> Generator[Any, None, None]:
        watched = guests.calls if guests is not None and guests.is_on else []
        task = _task([*calls, *watched], time_zone)
        capture = process.runtime.capture
        if capture is not None:
            capture.set_level(task_properties().get(LOG_LEVEL_CONF) or "INFO")
        for call in calls:
            call.join(task)
        if guests is not None:
            guests.join(task)
        outcome = "failed"
        try:
            process.imports.enter(task_properties().get(DEPENDENCIES_CONF) or "")
            task.start()
            yield from _bundles(task, calls, func, split, batches)
            task.close(failed=False)
            quarantine.commit(task)
            outcome = "done"
        except (GeneratorExit, ConnectionError):
            # The JVM needs no more rows (LIMIT), or the query was cancelled.
            outcome = "stopped"
            raise
        except WorkerStopped as stopped:
            outcome = "stopped"
            stack = failure.stack_text(stopped.__traceback__)
            if stack:
                process.runtime.note("WARNING", f"{STOPPED_AT}\n{stack}")
            raise
        except FunctionFailed:
            raise
        except BaseException as error:
            if guests is not None and guests.tell(error):
                raise
            # Not in the user's function: a column that does not fit, say, or a missing package.
            _claim(calls).fail(error)
        finally:
            if guests is not None:
                guests.leave()
            if outcome != "done":
                task.close(failed=True)
            task.end(outcome)
            if process.runtime.keeps(task.scope):
                process.clean.leave(task.scope)
        process.runtime.leave_records()

    return run


def _bundles(
    task: Task, calls: list[FunctionCall], func: Process, split: int, batches: Batches
) -> Batches:
    def arriving() -> Batches:
        while True:
            start = perf_counter_ns()
            try:
                batch = next(batches, None)
            except (OSError, EOFError, ValueError) as error:
                # Half a batch: the JVM has closed, because another task failed or by cancel.
                raise ConnectionError("the JVM sends no more rows") from error
            if pairing is False:
                task.end_bundle()
            if batch is None:
                return
            task.begin_bundle(batch.num_rows, batch.nbytes, perf_counter_ns() - start)
            task.arrived = batch
            yield batch

    # A scalar function's result belongs to the rows that came last; a pass over the partition
    # returns rows at any time, and its bundles end when it asks for the next ones.
    pairing = not any(call.in_pass for call in calls)
    for result in func(split, arriving()):
        start = perf_counter_ns()
        yield result
        task.leave(result.num_rows, result.nbytes, perf_counter_ns() - start)
        if pairing:
            task.end_bundle()
    task.end_bundle()


def stream_scope(properties: dict[str, str]) -> str:
    """Identifies the run of a streaming query that a task is part of, or that its run continues;
    "" for other tasks."""
    query = properties.get(_STREAM_PROPERTY)
    if not query:
        return ""
    return properties.get(SCOPE_CONF) or f"{query}/{properties.get(_RUN_PROPERTY)}"


def _claim(calls: list[FunctionCall]) -> FunctionCall:
    """The call that was running, or else the first."""
    task = calls[0].task
    return task.active if isinstance(task.active, FunctionCall) else calls[0]


def task_properties() -> dict[str, str]:
    """The local properties that the query gives its tasks."""
    from pyspark import TaskContext

    context = TaskContext.get()
    return (context._localProperties if context is not None else None) or {}


def _description(properties: Mapping[str, str]) -> str:
    found = (properties.get(name) or "" for name in _DESCRIPTIONS)
    said = (text for text in found if text and not text.startswith(_UNDESCRIBED))
    return next(said, "")[:_MOST_DESCRIBED]


def _task(calls: Sequence[TaskCall], time_zone: str | None) -> Task:
    from pyspark import TaskContext

    context = TaskContext.get()
    assert context is not None
    properties = task_properties()
    runtime = process.runtime
    task = Task(
        TaskId(
            query=properties.get(_QUERY_PROPERTY) or "",
            stage=context.stageId(),
            partition=context.partitionId(),
            attempt=context.attemptNumber(),
            task_attempt=context.taskAttemptId(),
        ),
        calls,
        runtime,
        job_parameters=json.loads(properties.get(JOB_PARAMETERS_CONF) or "{}"),
        time_zone=time_zone,
        scope=stream_scope(properties),
        draining=properties.get(DRAINING_CONF) == properties.get(_RUN_PROPERTY, ""),
        profile=properties.get(PROFILE_PROPERTY) or "",
        description=_description(properties),
    )
    return task
