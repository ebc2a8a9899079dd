"""The host of a Connect session: Spark's driver is a server that is reached by gRPC alone."""

from __future__ import annotations

import atexit
import os
import threading
import weakref
from collections.abc import Callable, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

from notebook_udf.host.changes import Changes
from notebook_udf.host.connect import connect_adoption
from notebook_udf.host.connect.connect_address import ServerAddress, reached
from notebook_udf.host.connect.connect_catalog import ConnectCatalog
from notebook_udf.host.connect.connect_cluster import ConnectCluster
from notebook_udf.host.connect.connect_connection import ConnectConnection
from notebook_udf.host.connect.connect_errors import ConnectErrors
from notebook_udf.host.connect.connect_frames import ConnectFrames
from notebook_udf.host.connect.connect_jobs import ConnectJobs
from notebook_udf.host.connect.connect_plans import ConnectPlans
from notebook_udf.host.connect.connect_settings import connect_settings
from notebook_udf.host.connect.connect_streams import ConnectStreams
from notebook_udf.host.settings import SparkSettings
from notebook_udf.telemetry.receiver import BIND_CONF, HOST_CONF

# By this PySpark's functions make columns of Connect's, and by nothing else.
MODE_VARIABLE = "SPARK_CONNECT_MODE_ENABLED"


class ConnectHost:
    """See ``Host``; its groups call the server only when they are asked something.

    Parameters
    ----------
    address
        Where the server listens, if that has been tried.
    """

    trees = None
    runs = None
    java = None

    def __init__(self, spark: Any, address: ServerAddress | None = None) -> None:
        self.spark: SparkSession = spark
        self._known_address = address
        # The classic session of a server that was started for this one.
        self._server: SparkSession | None = None
        self._launched: Mapping[str, str] = {}
        self._enabled = False
        self.connection = ConnectConnection()
        self.jobs = ConnectJobs(spark)
        self.plans = ConnectPlans(spark)
        self.catalog = ConnectCatalog(spark)
        self.streams = ConnectStreams(spark)
        self.frames = ConnectFrames(spark)
        self.errors = ConnectErrors()

    def serve(self, server: SparkSession, environment: Mapping[str, str]) -> None:
        """Has ``stop`` stop the server as well, which was started with an environment."""
        self._server, self._launched = server, environment

    @property
    def _client(self) -> Any:
        return self.spark.client

    @cached_property
    def _address(self) -> ServerAddress:
        return self._known_address or reached(self._client._builder)

    @cached_property
    def cluster(self) -> ConnectCluster:
        """See ``Host``."""
        return ConnectCluster(self.spark, sees_files=not self._address.own)

    @cached_property
    def settings(self) -> SparkSettings:
        """See ``Host``."""
        return connect_settings(self.spark, self._launched)

    @property
    def is_alive(self) -> bool:
        """See ``Host``."""
        return not self.spark.is_stopped

    def shares_session(self, other: SparkSession) -> bool:
        """See ``Host``."""
        if other is self.spark:
            return True
        client = getattr(other, "client", None)
        own = self._client
        return (
            client is not None
            and client._session_id == own._session_id
            and client._builder.endpoint == own._builder.endpoint
        )

    def shares_application(self, other: SparkSession) -> bool:
        """See ``Host``; sessions of one server have no function and no view in common."""
        return self.shares_session(other)

    def enter(self) -> None:
        """See ``Host``."""
        if MODE_VARIABLE not in os.environ:
            os.environ[MODE_VARIABLE] = "1"
            self._enabled = True

    def at_exit(self, stop: Callable[[], object]) -> None:
        """See ``Host``: what gRPC needs ends earlier than what is registered with ``atexit``."""
        later = weakref.WeakMethod(stop)

        def run() -> None:
            method = later()
            if method is not None:
                method()

        register: Any = getattr(threading, "_register_atexit", atexit.register)
        register(run)

    def leave(self) -> None:
        """See ``Host``."""
        if self.is_alive:
            self.streams.close()
            self.frames.release()
        if self._enabled:
            self._enabled = False
            os.environ.pop(MODE_VARIABLE, None)

    def adopt(self, changes: Changes, folder: Path, archive: Path | None) -> list[str]:
        """See ``Host``."""
        return connect_adoption.adopt(self, changes, folder)

    def listening_address(self) -> tuple[str, str]:
        """See ``Host``."""
        own, sql = self._address.own, self.settings.sql
        if not own:
            return "", ""
        return sql.get(HOST_CONF) or own, sql.get(BIND_CONF) or ""

    def stop(self) -> None:
        """See ``Host``."""
        self.streams.close()
        try:
            self.spark.stop()
        finally:
            if self._server is not None:
                from notebook_udf.host.classic import spark_start

                # PySpark's functions ask a session of the kind that the variable says.
                self.leave()
                spark_start.stop(self._server)
