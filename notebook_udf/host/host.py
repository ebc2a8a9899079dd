"""``Host``: a Spark session as the rest of the package sees it.

``host.sessions`` finds the one of a session. ``classic`` has the implementation for a session whose
driver is a JVM of this machine, ``connect`` the one for Spark Connect; another kind of session gets
a folder beside them. What a kind of
session cannot do at all is None here, so that callers say what they do without it.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from notebook_udf.host.catalog import SparkCatalog
from notebook_udf.host.changes import Changes
from notebook_udf.host.cluster import SparkCluster
from notebook_udf.host.connection import SparkConnection
from notebook_udf.host.java_functions import JavaFunctions
from notebook_udf.host.jobs import SparkJobs
from notebook_udf.host.plans import PlanTrees, SparkPlans
from notebook_udf.host.runs import SparkRuns
from notebook_udf.host.settings import SparkSettings
from notebook_udf.host.spark_errors import SparkErrors
from notebook_udf.host.spark_frames import SparkFrames
from notebook_udf.host.streams import SparkStreams

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


class Host(Protocol):
    """What the package asks of a Spark session, in groups."""

    @property
    def spark(self) -> SparkSession:
        """The session itself, for all that every kind of session does alike."""

    @property
    def is_alive(self) -> bool:
        """Whether Spark can still be called: it was not stopped. Asks this process alone."""

    def shares_session(self, other: SparkSession) -> bool:
        """Whether another object is the same session: with the same functions and views."""

    def shares_application(self, other: SparkSession) -> bool:
        """Whether another session is one of the same running Spark."""

    def enter(self) -> None:
        """Has PySpark make columns and functions of this kind of session, before any is made."""

    def at_exit(self, stop: Callable[[], object]) -> None:
        """Has ``stop`` called at the end of this process, while Spark can still be called."""

    def leave(self) -> None:
        """Undoes ``enter``, and ends what this process has on the session beside its changes."""

    def adopt(self, changes: Changes, folder: Path, archive: Path | None) -> list[str]:
        """Sets what can be set on a Spark that runs; returns texts about what cannot.

        ``folder`` is the session's, ``archive`` the kernel's packages for a cluster.

        Raises
        ------
        SessionError
            If functions cannot run there at all.
        """

    def listening_address(self) -> tuple[str, str]:
        """The host by which workers reach this process, and the address to listen on for them.

        Both "" if all of Spark is on this machine: then no port is opened.
        """

    def stop(self) -> None:
        """Stops the session that this process started, and its JVM, which PySpark would leave
        running."""

    @property
    def settings(self) -> SparkSettings:
        """Its settings."""

    @property
    def cluster(self) -> SparkCluster:
        """The machines that it runs on."""

    @property
    def connection(self) -> SparkConnection:
        """The way on which this process calls it."""

    @property
    def jobs(self) -> SparkJobs:
        """Its jobs."""

    @property
    def plans(self) -> SparkPlans:
        """What it makes of queries before it runs them."""

    @property
    def trees(self) -> PlanTrees | None:
        """Its plans as trees with metrics; None where only Spark's text of a plan is known."""

    @property
    def runs(self) -> SparkRuns | None:
        """Its list of queries; None where Spark tells it to nobody but its own page."""

    @property
    def catalog(self) -> SparkCatalog:
        """Its catalog."""

    @property
    def frames(self) -> SparkFrames:
        """Its DataFrames."""

    @property
    def streams(self) -> SparkStreams:
        """Its streaming queries."""

    @property
    def java(self) -> JavaFunctions | None:
        """Its functions in the JVM; None where no class can be brought there."""

    @property
    def errors(self) -> SparkErrors:
        """The errors that calls of it raise."""
