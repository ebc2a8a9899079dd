"""The adoption of a Spark that runs: its settings are changed as far as they can be."""

from __future__ import annotations

import json
import socket
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from notebook_udf.host.changes import Changes
from notebook_udf.launch import packing
from notebook_udf.launch.confs import (
    DAEMON_CONF,
    DAEMON_MODULE,
    SQL_CONF,
    is_local,
    start_conf,
)
from notebook_udf.launch.listening import ALONE, ports_outside
from notebook_udf.telemetry.receiver import BIND_CONF
from notebook_udf.telemetry.wire import CHANNEL_VARIABLE, ENVIRONMENT_CONF

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from notebook_udf.host.host import Host

_OTHER_DAEMON = (
    f"executors that run already keep Spark's own daemon: their workers start slower, the signal "
    f"that ended one is not known, and functions made by PySpark's own API are watched only in "
    f"workers that have run one of the session's, unless Spark is started with "
    f"--conf {DAEMON_CONF}={DAEMON_MODULE}"
)


def adopt(host: Host, changes: Changes, folder: Path, archive: Path | None = None) -> list[str]:
    """Adopts a running Spark; returns texts about settings that could not be changed.

    On a cluster the workers keep the Python that is set there, and what was made before is not
    seen.
    """
    here = is_local(host.cluster.master)
    current = host.settings.application
    wanted = start_conf(host.cluster.master)
    kept = [
        f"{key} stays {current.get(key) or 'at its default'} (wanted {value})"
        for key, value in wanted.items()
        if key not in (DAEMON_CONF, "spark.sql.shuffle.partitions") and current.get(key) != value
    ]
    if not here and current.get(DAEMON_CONF) != DAEMON_MODULE:
        kept.insert(0, _OTHER_DAEMON)
    changes.core(DAEMON_CONF, DAEMON_MODULE)
    if here:
        kept += open_to_others(host.spark)
        changes.python(sys.executable)
        # Spark has kept the environment of functions that were made before.
        changes.sql(ENVIRONMENT_CONF, json.dumps({CHANNEL_VARIABLE: str(folder)}))
    elif archive is not None:
        host.cluster.add_archive(archive, packing.FOLDER)
        changes.python(packing.PYTHON)
    for key, value in SQL_CONF.items():
        changes.sql(key, value)
    return kept


def open_to_others(spark: SparkSession) -> list[str]:
    """What to say of a Spark on this machine alone that other machines reach all the same."""
    jvm: Any = spark._jvm
    ports = ports_outside(int(jvm.java.lang.ProcessHandle.current().pid()))
    if not ports:
        return []
    return [
        f"other machines reach this Spark on port {', '.join(map(str, ports))}, where its pages "
        f"show queries and rows that failed: start it with {ALONE}"
    ]


def listening_address(host: Host) -> tuple[str, str]:
    """The host by which workers reach this process, and the address to listen on for them.

    Both "" if all of Spark is in one process on this machine: then no port is opened.
    """
    if is_local(host.cluster.master):
        return "", ""
    conf = host.settings.application
    name = conf.get("spark.driver.host") or socket.getfqdn()
    return name, conf.get(BIND_CONF) or conf.get("spark.driver.bindAddress") or ""
