"""The host of a classic session: Spark's driver is a JVM of this machine."""

from __future__ import annotations

import atexit
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

from notebook_udf.host.changes import Changes
from notebook_udf.host.classic import classic_adoption, spark_start
from notebook_udf.host.classic.classic_catalog import ClassicCatalog
from notebook_udf.host.classic.classic_cluster import ClassicCluster
from notebook_udf.host.classic.classic_connection import ClassicConnection
from notebook_udf.host.classic.classic_errors import ClassicErrors
from notebook_udf.host.classic.classic_frames import ClassicFrames
from notebook_udf.host.classic.classic_java import ClassicJavaFunctions
from notebook_udf.host.classic.classic_jobs import ClassicJobs
from notebook_udf.host.classic.classic_plans import ClassicPlans
from notebook_udf.host.classic.classic_runs import ClassicRuns
from notebook_udf.host.classic.classic_settings import classic_settings
from notebook_udf.host.classic.classic_streams import ClassicStreams
from notebook_udf.host.classic.classic_trees import ClassicTrees
from notebook_udf.host.settings import SparkSettings


class ClassicHost:
    """See ``Host``; its groups call the JVM only when they are asked something."""

    def __init__(self, spark: SparkSession) -> None:
        self.spark = spark
        self._context: Any = spark.sparkContext
        self.cluster = ClassicCluster(spark)
        self.connection = ClassicConnection(spark)
        self.jobs = ClassicJobs(spark)
        self.plans = ClassicPlans(spark)
        self.runs = ClassicRuns(spark)
        self.catalog = ClassicCatalog(spark)
        self.frames = ClassicFrames(spark)
        self.streams = ClassicStreams(spark)
        self.errors = ClassicErrors(spark)
        self.java = ClassicJavaFunctions(spark)
        self.trees = ClassicTrees(spark, self.java)

    @property
    def is_alive(self) -> bool:
        """See ``Host``."""
        return self._context._jsc is not None

    def shares_session(self, other: SparkSession) -> bool:
        """See ``Host``."""
        own, its = self.spark, other
        return its is own or bool(own._jsparkSession == its._jsparkSession)

    def shares_application(self, other: SparkSession) -> bool:
        """See ``Host``."""
        return other.sparkContext is self._context

    def enter(self) -> None:
        """See ``Host``: PySpark makes these by itself."""

    def at_exit(self, stop: Callable[[], object]) -> None:
        """See ``Host``."""
        atexit.register(stop)

    def leave(self) -> None:
        """See ``Host``."""

    def adopt(self, changes: Changes, folder: Path, archive: Path | None) -> list[str]:
        """See ``Host``."""
        return classic_adoption.adopt(self, changes, folder, archive)

    def listening_address(self) -> tuple[str, str]:
        """See ``Host``."""
        return classic_adoption.listening_address(self)

    def stop(self) -> None:
        """See ``Host``."""
        spark_start.stop(self.spark)

    @cached_property
    def settings(self) -> SparkSettings:
        """See ``Host``."""
        return classic_settings(self.spark)
