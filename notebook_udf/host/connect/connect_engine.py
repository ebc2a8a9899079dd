"""Whether functions can run on a Connect server, which need not be a Spark.

The first thing that a session asks of a server, before it changes anything there: it runs a
function, which tells what it runs in.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import grpc
import pyspark
from pyspark.errors import PySparkException

from notebook_udf.errors import SessionError
from notebook_udf.host.connect.connect_errors import message_of

_SPARK = ".".join(pyspark.__version__.split(".")[:2])
# The line of a traceback that says what was raised.
_RAISED = re.compile(r"(?m)^[\w.]+(?:Error|Exception): .+$")


@dataclass(frozen=True)
class FoundWorker:
    """What a function runs in on a server.

    Attributes
    ----------
    program
        Its Python.
    missing
        The modules that it lacks, of those that were asked for.
    sees
        Whether it can write to the folder that was asked for.
    in_task
        Whether Spark has told it of a task.
    """

    program: str
    missing: tuple[str, ...]
    sees: bool
    in_task: bool


def worker_of(spark: Any, modules: Iterable[str], folder: Path) -> FoundWorker:
    """Asks a worker of the server which modules it lacks, and whether it sees a folder.

    Raises
    ------
    SessionError
        If functions do not run there, or not in tasks of Spark, or in one of another version.
    """
    server = f"the server at sc://{spark.client._builder.endpoint}"
    needed = (
        f"use a server of Spark {_SPARK} whose workers have Python "
        f"{sys.version_info.major}.{sys.version_info.minor}"
    )
    try:
        # A server that takes no session says why to the first call alone.
        version = spark.version
        found = _asked(spark, list(modules), str(folder))
    except PySparkException as error:
        # Without the server's trace, which would be printed above the line; its context has it.
        raise SessionError(f"{server} runs no function: {_line_of(error)}; {needed}") from None
    if not found.in_task:
        # There, threads may share a function's instance, and what it keeps between two lines:
        # scalar functions, too, answer with another row's value.
        raise SessionError(
            f"{server} ({_said_of(spark)}) runs functions outside of Spark's tasks, where their "
            f"answers could be wrong, and limits, logs and metrics have nothing to hold on to; "
            f"{needed}, or PySpark's own functions without nu.session"
        )
    if not version.startswith(f"{_SPARK}."):
        # Workers would not attach to the session: no limit held, and nothing seen.
        raise SessionError(f"{server} runs Spark {version}; {needed}")
    return found


def _asked(spark: Any, modules: list[str], folder: str) -> FoundWorker:
    """By a function without Arrow, which may be what is missing."""
    from pyspark.sql.connect.udf import UserDefinedFunction
    from pyspark.sql.types import StringType
    from pyspark.util import PythonEvalType

    def look(_row: int) -> str:
        import importlib.util
        import json
        import os
        import sys

        from pyspark import TaskContext

        # A folder of that name without modules has a spec, and no origin.
        specs = {name: importlib.util.find_spec(name) for name in modules}
        there = [name for name, spec in specs.items() if spec is not None and spec.origin]
        return json.dumps(
            {
                "program": sys.executable,
                "missing": [name for name in modules if name not in there],
                "sees": os.access(folder, os.W_OK),
                "in_task": TaskContext.get() is not None,
            }
        )

    look.__module__ = "__main__"
    function = UserDefinedFunction(
        look, StringType(), "look", PythonEvalType.SQL_BATCHED_UDF, deterministic=False
    )
    rows = spark.range(0, 1, 1, 1)
    (answer,) = rows.select(function(rows["id"])).collect()
    found = json.loads(answer[0])
    return FoundWorker(**{**found, "missing": tuple(found["missing"])})


def _said_of(spark: Any) -> str:
    """What the server says that it is."""
    try:
        (row,) = spark.sql("SELECT version()").collect()
    except PySparkException as error:
        return _line_of(error)
    return f"its version() is {str(row[0])!r}"


def _line_of(error: Any) -> str:
    """What an error says, in a line: the last that a traceback names, else the first."""
    text, call = message_of(error), error.__context__
    # Of a server that does not explain itself, PySpark's message is gRPC's object as text.
    if isinstance(call, grpc.Call) and str(call) in text:
        text = str(call.details())
    raised = _RAISED.findall(text)
    return raised[-1] if raised else next(iter(text.strip().splitlines()), type(error).__name__)
