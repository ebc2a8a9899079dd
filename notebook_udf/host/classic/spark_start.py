"""Starts Spark as a notebook needs it: the kernel's Python, little output, large bundles.

``start`` launches a Spark of our own; ``adopt`` takes one that runs, changes its settings as far
as they can be changed, and reports the others. In both cases the workers get their environment
through the functions that are planned from then on, which keeps it off Spark's environment page.
"""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pyspark import SparkConf, SparkContext
from pyspark.java_gateway import launch_gateway
from pyspark.sql import SparkSession

from notebook_udf.errors import SessionError
from notebook_udf.host.changes import Changes
from notebook_udf.launch import packing
from notebook_udf.launch import warehouse as warehouses
from notebook_udf.launch.java import find_java
from notebook_udf.launch.machine import driver_memory
from notebook_udf.launch.warehouse import Warehouse
from notebook_udf.telemetry.receiver import BIND_CONF

DAEMON_CONF = "spark.python.daemon.module"
DAEMON_MODULE = "notebook_udf.pool.daemon"
CHANGELOG_CONF = "spark.sql.streaming.stateStore.rocksdb.changelogCheckpointing.enabled"

# Larger than Spark's 10,000: fewer crossings, and a slice still fits the processor's cache.
BUNDLE_ROWS = 32_768

# Confs of SQL sessions, which can be set on a running Spark as well.
_SQL_CONF = {
    "spark.sql.execution.arrow.maxRecordsPerBatch": str(BUNDLE_ROWS),
    "spark.sql.execution.arrow.pyspark.enabled": "true",
    # Spark 4.3 reads CAST(... AS TIME) only with this.
    "spark.sql.timeType.enabled": "true",
    # The only one that transformWithState runs on.
    "spark.sql.streaming.stateStore.providerClass": (
        "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
    ),
    # A commit writes the changes, and not a copy of the whole state.
    CHANGELOG_CONF: "true",
    # Without it a segfault in a worker is reported as 'crashed' and nothing more.
    "spark.sql.execution.pyspark.udf.faulthandler.enabled": "true",
}

# Confs read once, when Spark starts.
_START_CONF = {
    DAEMON_CONF: DAEMON_MODULE,
    "spark.ui.showConsoleProgress": "false",
    "spark.python.unix.domain.socket.enabled": "true",
    "spark.buffer.size": str(1 << 20),
    "spark.python.worker.faulthandler.enabled": "true",
}

# On one machine: few partitions, and their progress at once. A cluster's defaults are its own.
_LOCAL_CONF = {
    "spark.executor.heartbeatInterval": "500ms",
    "spark.sql.shuffle.partitions": "8",
}

# Four times the defaults of the JVM.
_LATE_OPTIMIZER = (
    "-XX:Tier4InvocationThreshold=20000",
    "-XX:Tier4MinInvocationThreshold=2400",
    "-XX:Tier4CompileThreshold=60000",
)

_JAVA_OPTIONS = "spark.driver.extraJavaOptions"
_PYTHON_CONF = "spark.pyspark.python"
_ARCHIVES_CONF = "spark.archives"
_OTHER_DAEMON = (
    f"executors that run already keep Spark's own daemon: their workers start slower, and of one "
    f"that crashes the row is not known, unless Spark is started with "
    f"--conf {DAEMON_CONF}={DAEMON_MODULE}"
)
_JVM_GRACE_SECONDS = 10.0


@dataclass(frozen=True)
class Started:
    """A Spark that was started.

    Attributes
    ----------
    place
        The folder for what Spark would else write beside the notebooks; None if there is none.
    keeps_tables
        Whether managed tables are kept in it: not if a conf sets another warehouse.
    notes
        What the user has to know about it, as texts.
    """

    spark: SparkSession
    place: Warehouse | None = None
    keeps_tables: bool = False
    notes: tuple[str, ...] = ()


def start(
    folder: Path,
    *,
    app_name: str,
    master: str,
    conf: Mapping[str, str],
    archive: Path | None = None,
) -> Started:
    """Starts Java and Spark.

    The JVM's output goes to ``jvm.log`` in ``folder``, and what Spark keeps to the warehouse of
    this working folder: nothing is written beside the notebooks.

    Raises
    ------
    SessionError
        If there is no Java, or Spark does not start; with the end of its log.
    """
    java = find_java()
    log = folder / "jvm.log"
    here = is_local(master)
    settings = {**_START_CONF, **_SQL_CONF}
    if here:
        settings |= {**_LOCAL_CONF, "spark.driver.memory": f"{driver_memory() >> 20}m"}
    settings |= conf
    if archive is not None:
        archives = [settings.get(_ARCHIVES_CONF, ""), f"{archive}#{packing.FOLDER}"]
        settings[_ARCHIVES_CONF] = ",".join(filter(None, archives))
        settings[_PYTHON_CONF] = packing.PYTHON
    options = [*_java_options(folder, computes=here), conf.get(_JAVA_OPTIONS, "")]
    settings[_JAVA_OPTIONS] = " ".join(options).strip()
    spark_conf = SparkConf(loadDefaults=False).setMaster(master).setAppName(app_name)
    for key, value in settings.items():
        spark_conf.set(key, value)
    os.environ.update(java.environment())
    os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
    os.environ["PYSPARK_PYTHON"] = _workers_python(settings, here=here)
    try:
        _launch(spark_conf, log)
        said = SparkConf(loadDefaults=True)
        tables = _keeps_tables(said, master)
        place, note = _apart(folder, said, tables=tables)
        if place is not None and tables:
            # As Hadoop takes a path: without URI encoding.
            spark_conf.set(warehouses.WAREHOUSE_CONF, f"file:{place.tables}")
        interrupt = signal.getsignal(signal.SIGINT)
        spark = SparkSession.builder.config(conf=spark_conf).getOrCreate()
        if (
            threading.current_thread() is threading.main_thread()
            and interrupt is not signal.default_int_handler
        ):
            # PySpark installs a handler of its own, which would replace that of the magics.
            signal.signal(signal.SIGINT, interrupt)
        return Started(spark, place, tables and place is not None, (note,) if note else ())
    except Exception as error:
        tail = _tail(log)
        raise SessionError(
            f"Spark did not start with {java.origin}: {error}\n{tail or 'Its log is empty.'}"
        ) from error


def adopt(spark: SparkSession, changes: Changes, archive: Path | None = None) -> list[str]:
    """Adopts a running Spark; returns texts about settings that could not be changed.

    On a cluster the workers keep the Python that is set there.

    Raises
    ------
    SessionError
        If it is stopped.
    """
    context = spark.sparkContext
    here = is_local(context.master)
    current = context.getConf()
    wanted = {**_START_CONF, **_LOCAL_CONF} if here else _START_CONF
    kept = [
        f"{key} stays {current.get(key) or 'at its default'} (wanted {value})"
        for key, value in wanted.items()
        if key not in (DAEMON_CONF, "spark.sql.shuffle.partitions") and current.get(key) != value
    ]
    if not here and current.get(DAEMON_CONF) != DAEMON_MODULE:
        kept.insert(0, _OTHER_DAEMON)
    changes.core(DAEMON_CONF, DAEMON_MODULE)
    if here:
        changes.python(sys.executable)
    elif archive is not None:
        context.addArchive(f"{archive}#{packing.FOLDER}")
        changes.python(packing.PYTHON)
    for key, value in _SQL_CONF.items():
        changes.sql(key, value)
    return kept


def listening_address(spark: SparkSession) -> tuple[str, str]:
    """The host by which workers reach this process, and the address to listen on for them.

    Both "" if all of Spark is in one process on this machine: then no port is opened.
    """
    context = spark.sparkContext
    if is_local(context.master):
        return "", ""
    conf = context.getConf()
    host = conf.get("spark.driver.host") or socket.getfqdn()
    return host, conf.get(BIND_CONF) or conf.get("spark.driver.bindAddress") or ""


def is_local(master: str) -> bool:
    """Whether one process on this machine is all of Spark."""
    return master == "local" or master.startswith("local[")


def _workers_python(conf: Mapping[str, str], *, here: bool) -> str:
    """The Python that runs functions: on this machine the kernel's.

    The first python3 on PATH may be another one, without pyarrow. A cluster has folders of its
    own, or an archive that was sent to it: there it is the user's setting.
    """
    said = conf.get(_PYTHON_CONF) or os.environ.get("PYSPARK_PYTHON")
    return sys.executable if here or not said else said


def _keeps_tables(said: SparkConf, master: str) -> bool:
    """Whether managed tables go to the working folder's warehouse.

    Not where a conf of the user sets another one. Nor on a cluster: what executors write has to be
    on storage that all of them share, and none is known here.
    """
    return master.startswith("local") and not any(map(said.contains, warehouses.WAREHOUSE_CONFS))


def _apart(folder: Path, said: SparkConf, *, tables: bool) -> tuple[Warehouse | None, str]:
    """The folder for what Spark would write beside the notebooks, and a note about it.

    None if Hive is configured by a file, or if its catalog is beside the notebooks already, where
    it has to be found again.
    """
    jvm: Any = SparkContext._jvm
    loader = jvm.java.lang.Thread.currentThread().getContextClassLoader()
    hive = said.get(warehouses.CATALOG_CONF, "") == "hive"
    if loader.getResource("hive-site.xml") is not None:
        return None, ""
    if not (hive or tables) or (hive and Path(warehouses.METASTORE).exists()):
        return None, ""
    place, note = warehouses.made(folder, alone=hive)
    if hive:
        jvm.java.lang.System.setProperty(warehouses.DERBY_PROPERTY, str(place.metastore))
    return place, note


def _java_options(folder: Path, *, computes: bool) -> list[str]:
    """JVM options: Spark's log in a file and, where the driver itself computes, a collector for
    throughput and an optimizer that waits for hot code.

    The rows between Java and Python live briefly and are many: the default collector's barriers
    cost a tenth of such a query. A notebook's queries are short and planned anew each time: by
    default the JVM spends another tenth on optimizing the planner, on cores that the query needs.
    What runs for each row is optimized within its first bundles all the same. Users' errors reach
    them by another way than the log.
    """
    settings = folder / "log4j2.properties"
    settings.write_text(
        "\n".join(
            (
                "status = error",
                "rootLogger.level = warn",
                "rootLogger.appenderRef.file.ref = file",
                "appender.file.type = File",
                "appender.file.name = file",
                f"appender.file.fileName = {folder}/spark.log",
                "appender.file.layout.type = PatternLayout",
                "appender.file.layout.pattern = %d{HH:mm:ss} %p %c{1}: %m%n%ex",
                "",
            )
        ),
        encoding="utf-8",
    )
    log = f"-Dlog4j2.configurationFile=file:{settings}"
    return ["-XX:+UseParallelGC", *_LATE_OPTIMIZER, log] if computes else [log]


def _launch(conf: SparkConf, log: Path) -> None:
    if SparkContext._gateway is not None:
        return
    # py4j's own INFO lines, and a wait of up to a second for the port file.
    with open(log, "ab") as file:
        gateway = launch_gateway(conf, popen_kwargs={"stdout": file, "stderr": subprocess.STDOUT})
    SparkContext._ensure_initialized(gateway=gateway, conf=conf)


def stop(spark: SparkSession) -> None:
    """Stops a Spark that ``start`` started, and its JVM, which PySpark would leave running."""
    spark.stop()
    gateway = SparkContext._gateway
    if gateway is None:
        return
    SparkContext._gateway = SparkContext._jvm = None
    gateway.shutdown()
    process = getattr(gateway, "proc", None)
    if process is None:
        return
    # The JVM ends when the other end of its stdin is closed.
    process.stdin.close()
    try:
        process.wait(_JVM_GRACE_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _tail(path: Path, lines: int = 12) -> str:
    try:
        return "\n".join(path.read_text("utf-8", "replace").splitlines()[-lines:])
    except OSError:
        return ""
