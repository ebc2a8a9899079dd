"""The machines of a classic session, by its SparkContext."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

from notebook_udf.host.cluster import Probe


class ClassicCluster:
    """See ``SparkCluster``."""

    def __init__(self, spark: SparkSession) -> None:
        self._context: Any = spark.sparkContext

    @property
    def master(self) -> str:
        """See ``SparkCluster``."""
        return str(self._context.master)

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
