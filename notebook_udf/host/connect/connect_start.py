"""Opens Connect sessions: to a server that runs, or to one that is started here.

The latter is a Spark as for a classic session, with Connect's service in it: so it has the same
confs, the same daemon and the same folders.
"""

from __future__ import annotations

import sys
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from notebook_udf.errors import SessionError
from notebook_udf.host.connect.connect_address import (
    ServerAddress,
    channel_to,
    check_handshake,
    reached,
)
from notebook_udf.host.connect.connect_adoption import CONNECT_CONF
from notebook_udf.host.connect.connect_host import ConnectHost
from notebook_udf.launch.variables import variables
from notebook_udf.launch.warehouse import WAREHOUSE_CONF, WAREHOUSE_CONFS

if TYPE_CHECKING:
    from notebook_udf.host.classic.spark_start import Started

_PLUGIN = "org.apache.spark.sql.connect.SparkConnectPlugin"
_PLUGINS_CONF = "spark.plugins"
_TOKEN_CONF = "spark.connect.authenticate.token"
_SERVER_CONF = {
    "spark.connect.grpc.binding.port": "0",
    "spark.connect.grpc.binding.address": "127.0.0.1",
    # Each session has modules and workers of its own.
    "spark.sql.artifact.isolation.enabled": "true",
    "spark.sql.artifact.isolation.alwaysApplyClassloader": "true",
    **CONNECT_CONF,
}


@dataclass(frozen=True)
class OpenedLocally:
    """A session with the server that was started for it.

    ``keeps_no_tables`` says whether the folder of managed tables ends with it.
    """

    host: ConnectHost
    server: Started
    keeps_no_tables: bool


def start_local(
    folder: Path,
    *,
    app_name: str,
    master: str,
    conf: Mapping[str, str],
    environment: Mapping[str, str],
) -> OpenedLocally:
    """Starts Java, Spark and Connect's service, and opens a session to it.

    Parameters
    ----------
    folder
        The session's, for logs and for managed tables: these end with the session.
    environment
        Variables of the workers. They hold no secret: every process of this Spark has them.

    Raises
    ------
    SessionError
        If Spark does not start, or a classic session lives in this process.
    """
    from notebook_udf.host.classic.connect_service import port_of_service
    from notebook_udf.host.classic.spark_start import start, stop

    _check_alone()
    token = uuid.uuid4().hex
    settings = {**_SERVER_CONF, **conf}
    settings[_PLUGINS_CONF] = ",".join(filter(None, (conf.get(_PLUGINS_CONF), _PLUGIN)))
    own_tables = not any(name in conf for name in WAREHOUSE_CONFS)
    if own_tables:
        settings[WAREHOUSE_CONF] = (folder / "tables").as_uri()
    with variables(environment):
        started = start(
            folder, app_name=app_name, master=master, conf=settings, unseen={_TOKEN_CONF: token}
        )
    try:
        port = port_of_service(started.spark)
        # By this name gRPC takes a token without TLS: the connection stays on this machine.
        host = _open(f"sc://localhost:{port}/;token={token}")
    except BaseException:
        stop(started.spark)
        raise
    host.serve(started.spark, environment)
    return OpenedLocally(host, started, own_tables)


def connect(url: str) -> ConnectHost:
    """Opens a session to a server that runs.

    Raises
    ------
    DeclarationError
        If the text is no address of a server.
    SessionError
        If nobody listens there, or a classic session lives in this process.
    """
    _check_alone()
    return _open(url)


def _check_alone() -> None:
    """Raises an error if a classic session lives here: PySpark's functions serve one kind only."""
    if "py4j.java_gateway" not in sys.modules:
        return
    from notebook_udf.host.classic.spark_start import active

    if active() is not None:
        raise SessionError(
            "a classic Spark runs in this process: stop it before a Spark Connect session is opened"
        )


def _open(url: str) -> ConnectHost:
    from pyspark.sql.connect.session import SparkSession

    channel = channel_to(url)
    address: ServerAddress = reached(channel)
    check_handshake(channel)
    return ConnectHost(SparkSession.builder.channelBuilder(channel).create(), address)
