"""The machines of a classic session, by its SparkContext."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from pyspark import accumulators
from pyspark.sql import SparkSession

from notebook_udf.host.cluster import Gathering, Probe


class ClassicCluster:
    """See ``SparkCluster``."""

    def __init__(self, spark: SparkSession) -> None:
        self._context: Any = spark.sparkContext

    @property
    def master(self) -> str:
        """See ``SparkCluster``."""
        return str(self._context.master)

    @property
    def shares_files(self) -> bool:
        """See ``SparkCluster``."""
        return self.master.startswith("local")

    @property
    def parallelism(self) -> int:
        """See ``SparkCluster``."""
        return int(self._context.defaultParallelism)

    @property
    def executors(self) -> int:
        """See ``SparkCluster``."""
        found = self._context._jsc.sc().statusTracker().getExecutorInfos()
        # The driver is among them, and computes only where it is alone.
        return max(1, len(found) - 1)

    def ask(self, probe: Probe, tasks: int) -> list[Mapping[str, Any]]:
        """See ``SparkCluster``."""
        numbers = self._context.parallelize(range(tasks), tasks)
        found: list[Mapping[str, Any]] = numbers.mapPartitions(probe).collect()
        return found

    def add_archive(self, archive: Path, folder: str) -> None:
        """See ``SparkCluster``."""
        self._context.addArchive(f"{archive}#{folder}")

    def add_file(self, file: Path) -> None:
        """See ``SparkCluster``."""
        self._context.addFile(str(file))

    def gather(self, take: Callable[[list[list[bytes]]], None]) -> Gathering | None:
        """See ``SparkCluster``."""
        taken = self._context.accumulator([], Taking(take))

        def end() -> None:
            accumulators._accumulatorRegistry.pop(taken.aid, None)

        return Gathering(taken.aid, end)


class Taking:
    """The ``AccumulatorParam`` of one that hands on what is added to it, and stays empty."""

    def __init__(self, take: Callable[[Any], None]) -> None:
        self._take = take

    def zero(self, value: list[Any]) -> list[Any]:
        """Nothing."""
        return []

    def addInPlace(self, value1: list[Any], value2: list[Any]) -> list[Any]:  # noqa: N802
        """Nothing: what was added has been handed on."""
        self._take(value2)
        return value1
