"""A Spark as it comes, in a process of its own: what ours is compared to.

Reads the name of a case from stdin, runs it, answers with the seconds it needed.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from types import TracebackType
from typing import Any

from benchmarks.workload import PARTITIONS, ROWS, consume, increment, shout, table


class Rival:
    """The other end: starts the process and asks it."""

    def __init__(self) -> None:
        from notebook_udf.launch.java import find_java

        self._process = subprocess.Popen(
            [sys.executable, "-m", "benchmarks.rival"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env={**os.environ, **find_java().environment(), "PYSPARK_PYTHON": sys.executable},
        )
        assert self._answer() == "ready"

    def case(self, name: str) -> Callable[[], float]:
        """A case to measure, run over there."""

        def run() -> float:
            assert self._process.stdin is not None
            self._process.stdin.write(f"{name}\n")
            self._process.stdin.flush()
            return float(self._answer())

        return run

    def _answer(self) -> str:
        assert self._process.stdout is not None
        return self._process.stdout.readline().strip()

    def __enter__(self) -> Rival:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait(30)


def main() -> None:
    """Runs in the rival's process."""
    from pyspark.sql import SparkSession
    from pyspark.sql.functions import udf

    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)
    spark = SparkSession.builder.master(f"local[{PARTITIONS}]").getOrCreate()
    frame = table(spark, ROWS)
    columns: dict[str, Any] = {
        "default bigint": udf(increment, "bigint")("a", "b"),
        "pickled bigint": udf(increment, "bigint", useArrow=False)("a", "b"),
        "default string": udf(shout, "string")("s"),
        "pickled string": udf(shout, "string", useArrow=False)("s"),
    }
    answers.write("ready\n")
    for line in sys.stdin:
        start = time.perf_counter()
        consume(frame.select(columns[line.strip()]))
        answers.write(f"{time.perf_counter() - start}\n")
    spark.stop()


if __name__ == "__main__":
    main()
