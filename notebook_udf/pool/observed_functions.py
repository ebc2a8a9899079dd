"""Watches the functions that Spark's worker reads and that are not of this package.

``attach`` wraps what unpickles one of them, and what Spark calls when a batch was decoded and
evaluated; ``spark_worker`` has a task around the node. Of the exceptions that leave it, Spark's
text is to be what it is without a watch: ``without_own_frames`` sees to that.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from functools import partial
from typing import Any, TypeAlias

from notebook_udf.code_origin import PACKAGE
from notebook_udf.worker.call.function_call import arrived_count
from notebook_udf.worker.observed.node_watch import NodeWatch, Way
from notebook_udf.worker.observed.observed_call import ObservedCall

# A conf of the SQL session; unless it is "false" functions are watched.
OBSERVE_CONF = "spark.notebookUdf.observe"
_FOLDERS = (f"{PACKAGE}pool/", f"{PACKAGE}worker/observed/")
# Whose functions are no user's.
_OTHERS = ("notebook_udf.", "pyspark.")

Process: TypeAlias = Callable[[int, Iterator[Any]], Any]
# Begins a task for the functions of a watch, and ends it.
Around: TypeAlias = Callable[[NodeWatch], AbstractContextManager[None]]


class _Node:
    """The node whose functions are read, or run."""

    watch: NodeWatch | None = None


_node = _Node()


def begin(*, watched: bool) -> None:
    """The functions of a node are about to be read."""
    _node.watch = NodeWatch() if watched else None


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
    """The call of what was unpickled, in the node's watch; None if it is no function of a user."""
    if _node.watch is None or not commands or _is_others(commands[-1]):
        return None
    call = ObservedCall(commands[-1])
    _node.watch.add(call, way)
    return call


def _is_others(function: Any) -> bool:
    own = getattr(function, "__module__", None) or type(function).__module__
    return f"{own}.".startswith(_OTHERS)


def watched(func: Process, serializer: Any, deserializer: Any, around: Around) -> Process:
    """``func`` with its functions watched, if any of the node's are a user's."""
    watch = _node.watch
    if watch is None or not watch.calls:
        _node.watch = None
        return func
    if not hasattr(serializer, "_batched"):

        def run(split: int, batches: Iterator[Any]) -> Iterator[Any]:
            with around(watch):
                yield from watch.run(partial(func, split), batches)

        return run
    # Rows that are pickled come one by one: a loop around them would cost as much as they do.
    load, batched = deserializer._load_stream_without_unbatching, serializer._batched
    dump = serializer.dump_stream

    def dump_stream(rows: Iterator[Any], outfile: Any) -> Any:
        with around(watch):
            return dump(rows, outfile)

    deserializer._load_stream_without_unbatching = lambda stream: watch.pickled(load(stream))
    serializer._batched = lambda rows: watch.pickling(batched(rows))
    serializer.dump_stream = dump_stream
    return func


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
