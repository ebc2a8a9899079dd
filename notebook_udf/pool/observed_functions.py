"""Watches the functions that Spark's worker reads and that are not of this package.

``attach`` wraps what unpickles one of them, and what Spark calls when a batch was decoded and
evaluated; ``spark_worker`` has a task around the node. Of the exceptions that leave it, Spark's
text is to be what it is without a watch: ``without_own_frames`` sees to that.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from copy import copy
from functools import partial
from typing import Any, TypeAlias

from pyspark.serializers import BatchedSerializer

from notebook_udf.code_origin import PACKAGE
from notebook_udf.worker.call.function_call import arrived_count
from notebook_udf.worker.observed.node_watch import NodeWatch, Way
from notebook_udf.worker.observed.observed_call import ObservedCall, ObservedChain
from notebook_udf.worker.observed.sparks_own_functions import (
    WatchedProcessor,
    functions_of_rdd,
    is_users,
    named,
    processor_of,
    source_method_of,
)

# A conf of the SQL session; unless it is "false" functions are watched.
OBSERVE_CONF = "spark.notebookUdf.observe"
_FOLDERS = (f"{PACKAGE}pool/", f"{PACKAGE}worker/observed/")
# Spark then reads rows on a thread of its own while functions run, and nothing tells one from the
# other.
_READING_AHEAD = "SPARK_PIPELINED_UDF"

Process: TypeAlias = Callable[[int, Iterator[Any]], Any]
# Begins a task for the functions of a watch, and ends it.
Around: TypeAlias = Callable[[NodeWatch], AbstractContextManager[None]]


class _Node:
    """The node whose functions are read, or run; its watch is None where it has none to watch."""

    watch: NodeWatch | None = None


_node = _Node()


def begin(*, watched: bool) -> None:
    """The functions of a node are about to be read."""
    _node.watch = NodeWatch(is_on=watched)


def attach() -> None:
    """Wraps the functions of Spark's worker, in this process."""
    import pyspark.worker as spark

    spark.read_single_udf = _reading(spark.read_single_udf)
    spark.read_udtf = _reading_tables(spark.read_udtf)
    count, rows = spark.verify_result_row_count, spark.ArrowTableToRowsConversion

    def verify_result_row_count(result_length: int, expected: int) -> None:
        count(result_length, expected)
        if _node.watch is not None:
            _node.watch.evaluated()

    class ArrowTableToRowsConversion(rows):  # type: ignore[misc, valid-type]
        @staticmethod
        def _to_pylist(column: Any) -> Any:
            values = rows._to_pylist(column)
            if _node.watch is not None:
                _node.watch.decoded()
            return values

    spark.verify_result_row_count = verify_result_row_count
    spark.ArrowTableToRowsConversion = ArrowTableToRowsConversion


def _reading(original: Callable[..., Any]) -> Callable[..., Any]:
    """Wraps what reads one function that is not of tables."""
    from pyspark.util import PythonEvalType

    ways: dict[int, Way] = {
        PythonEvalType.SQL_ARROW_BATCHED_UDF: "rows",
        PythonEvalType.SQL_BATCHED_UDF: "whole",
    }

    def read(pickled: Any, info: Any, eval_type: int, *others: Any, **named: Any) -> Any:
        with_commands = partial(original, pickled, info, eval_type, *others, **named)
        made, commands = _commands_of(with_commands)
        call = _noted(commands, ways.get(eval_type, "calls"))
        if call is None or _node.watch is None or eval_type in ways:
            return made
        function, *rest = made
        return (_node.watch.around(call, function), *rest)

    return read


def _reading_tables(original: Callable[..., Any]) -> Callable[..., Any]:
    """Wraps what reads a table function: its handler is noted."""

    def read(*args: Any, **named: Any) -> Any:
        made, commands = _commands_of(partial(original, *args, **named))
        _noted(commands, "whole")
        return made

    return read


def _commands_of(read: Callable[[], Any]) -> tuple[Any, list[Any]]:
    """What a reader makes, and the functions that it unpickles; none if they are the session's."""
    import pyspark.worker as spark

    commands: list[Any] = []
    original, before = spark.read_command, arrived_count()

    def read_command(*args: Any) -> Any:
        command = original(*args)
        commands.append(command[0] if isinstance(command, tuple) else command)
        return command

    spark.read_command = read_command
    try:
        made = read()
        # What arrives here as a call is of this package, whatever class it is of.
        return made, commands if arrived_count() == before else []
    finally:
        spark.read_command = original


def _noted(commands: list[Any], way: Way) -> ObservedCall | None:
    """The call of what was unpickled, in the node's watch; None if it is no function of a user, or
    one that is wrapped already."""
    watch = _node.watch
    if watch is None or not commands:
        return None
    function = commands[-1]
    processor, source = processor_of(function), source_method_of(function)
    if processor is not None and is_users(processor) and watch.is_on:
        call = ObservedCall(processor.handleInputRows, type(processor).__name__)
        around = partial(watch.around, call)
        function.__self__._stateful_processor = WatchedProcessor(processor, around)
        watch.add(call, way)
        return None
    if source is not None:
        name, method = source
        call = ObservedCall(method, name)
    elif is_users(function):
        call = ObservedCall(function)
    else:
        return None
    watch.add(call, way)
    return call


def watched(func: Process, serializer: Any, deserializer: Any, around: Around) -> Process:
    """``func`` with its functions watched, if any of the node's are a user's."""
    watch = _node.watch
    if watch is None or not watch.is_on or not watch.calls:
        _node.watch = None
        return func
    if not hasattr(serializer, "_batched"):

        def run(split: int, batches: Iterator[Any]) -> Iterator[Any]:
            with around(watch):
                yield from watch.run(partial(func, split), batches)

        return run
    # Rows that are pickled come one by one: a loop around them would cost as much as they do.
    if _reads_ahead():
        _node.watch = None
        return func
    load, batched = deserializer._load_stream_without_unbatching, serializer._batched
    dump = serializer.dump_stream

    def dump_stream(rows: Iterator[Any], outfile: Any) -> Any:
        with around(watch):
            return dump(rows, outfile)

    deserializer._load_stream_without_unbatching = lambda stream: watch.pickled(load(stream))
    serializer._batched = lambda rows: watch.pickling(batched(rows))
    serializer.dump_stream = dump_stream
    return func


def guests() -> NodeWatch | None:
    """The watch of the functions that share the node with functions of the session, if any do."""
    watch, _node.watch = _node.watch, None
    return watch if watch is not None and watch.calls else None


def watched_rdd(command: tuple[Any, ...], around: Around) -> tuple[Any, ...]:
    """What is read for an RDD, with the user's functions in it watched, if there are any.

    They are one call: Spark has each take what the one before it gives, row by row.
    """
    func, profiler, deserializer, serializer = command
    watch, functions = _node.watch, functions_of_rdd(func)
    _node.watch = None
    if watch is None or not watch.is_on or not functions or _reads_ahead():
        return command
    watch.add(ObservedChain(functions, named(functions)), "whole")
    # Functions may use the very serializers for what they spill to disk.
    deserializer, serializer = copy(deserializer), copy(serializer)
    dump, load = serializer.dump_stream, deserializer.load_stream
    if type(deserializer).load_stream is BatchedSerializer.load_stream:
        lists = deserializer._load_stream_without_unbatching
        deserializer._load_stream_without_unbatching = lambda stream: watch.pickled(lists(stream))
    else:
        deserializer.load_stream = lambda stream: watch.items(load(stream))

    def dump_stream(results: Callable[[], Any], outfile: Any) -> Any:
        with around(watch):
            return watch.run_chain(results, lambda rows: dump(rows, outfile))

    serializer.dump_stream = dump_stream
    # Some take all rows before they give the first: that is to be within the task as well.
    return lambda split, rows: partial(func, split, rows), profiler, deserializer, serializer


def _reads_ahead() -> bool:
    return os.environ.get(_READING_AHEAD) == "1"


def without_own_frames(error: BaseException) -> None:
    """Leaves out of an exception's traceback, and of those of its causes, what this package adds
    around Spark's functions."""
    seen: set[int] = set()
    waiting: list[BaseException | None] = [error]
    while waiting:
        each = waiting.pop()
        if each is None or id(each) in seen:
            continue
        seen.add(id(each))
        waiting += [each.__cause__, each.__context__]
        frames = []
        traceback = each.__traceback__
        while traceback is not None:
            if not traceback.tb_frame.f_code.co_filename.startswith(_FOLDERS):
                frames.append(traceback)
            traceback = traceback.tb_next
        for at, own in enumerate(frames):
            own.tb_next = frames[at + 1] if at + 1 < len(frames) else None
        each.__traceback__ = frames[0] if frames else None
