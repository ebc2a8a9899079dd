"""Starts Java and Spark for a notebook: the kernel's Python, little output, large bundles.

A Spark that runs already is the matter of ``host.adoption``. In both cases the workers get their
environment through the functions that are planned from then on, which keeps it off Spark's
environment page.
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
from notebook_udf.launch import packing
from notebook_udf.launch import warehouse as warehouses
from notebook_udf.launch.confs import (
    ADDRESS_CONF,
    ADDRESS_VARIABLE,
    LOOPBACK,
    SQL_CONF,
    UI_CONF,
    is_local,
    start_conf,
)
from notebook_udf.launch.java import find_java, foreign_options
from notebook_udf.launch.machine import driver_memory, is_shared
from notebook_udf.launch.variables import variables
from notebook_udf.launch.warehouse import Warehouse

# Four times the defaults of the JVM.
_LATE_OPTIMIZER = (
    "-XX:Tier4InvocationThreshold=20000",
    "-XX:Tier4MinInvocationThreshold=2400",
    "-XX:Tier4CompileThreshold=60000",
)

_NO_PAGES = (
    "Spark's pages are off: others use this machine, and could read there the rows on which "
    f'functions failed; nu.session(conf={{"{UI_CONF}": "true"}}) turns them on'
)
_JAVA_OPTIONS = "spark.driver.extraJavaOptions"
_PYTHON_CONF = "spark.pyspark.python"
_ARCHIVES_CONF = "spark.archives"
_STANDALONE = "spark://"
_PATIENCE_SECONDS = 5.0
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
    unseen: Mapping[str, str] | None = None,
) -> Started:
    """Starts Java and Spark.

    The JVM's output goes to ``jvm.log`` in ``folder``, and what Spark keeps to the warehouse of
    this working folder: nothing is written beside the notebooks. ``unseen`` are confs that are no
    part of Java's command line, which every user of the machine can read.

    Raises
    ------
    SessionError
        If there is no Java, nobody answers at the master's address, or Spark does not start; with
        the end of its log.
    """
    _check_reached(master)
    java = find_java()
    log = folder / "jvm.log"
    here = is_local(master)
    notes: list[str] = []
    settings = {**start_conf(master), **SQL_CONF}
    if here:
        settings["spark.driver.memory"] = f"{driver_memory() >> 20}m"
        settings |= ADDRESS_CONF
        if UI_CONF not in conf and is_shared():
            settings[UI_CONF] = "false"
            notes.append(_NO_PAGES)
    settings |= conf
    if archive is not None:
        archives = [settings.get(_ARCHIVES_CONF, ""), f"{archive}#{packing.FOLDER}"]
        settings[_ARCHIVES_CONF] = ",".join(filter(None, archives))
        settings[_PYTHON_CONF] = packing.PYTHON
    options = _java_options(folder, computes=here)
    options += [*(foreign_options(java) if here else ()), conf.get(_JAVA_OPTIONS, "")]
    settings[_JAVA_OPTIONS] = " ".join(options).strip()
    spark_conf = SparkConf(loadDefaults=False).setMaster(master).setAppName(app_name)
    for key, value in settings.items():
        spark_conf.set(key, value)
    os.environ.update(java.environment())
    os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
    os.environ["PYSPARK_PYTHON"] = _workers_python(settings, here=here)
    ours = SparkContext._gateway is None
    try:
        outside = {} if not here or ADDRESS_VARIABLE in os.environ else {ADDRESS_VARIABLE: LOOPBACK}
        with variables(outside):
            _launch(spark_conf, log)
        for key, value in (unseen or {}).items():
            spark_conf.set(key, value)
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
        notes += [note] if note else []
        return Started(spark, place, tables and place is not None, tuple(notes))
    except Exception as error:
        tail = _tail(log)
        if ours:
            _end_jvm()
        raise SessionError(
            f"Spark did not start with {java.origin}: {error}\n{tail or 'Its log is empty.'}"
        ) from error


def _check_reached(master: str) -> None:
    """Raises if nobody answers at the address of a standalone master, which Spark tries for a
    minute before it says so.

    Raises
    ------
    SessionError
        If none of the masters that are named takes a connection.
    """
    if not master.startswith(_STANDALONE):
        return
    refused = []
    for address in master.removeprefix(_STANDALONE).split(","):
        host, _, port = address.rpartition(":")
        try:
            socket.create_connection((host, int(port)), _PATIENCE_SECONDS).close()
        except (OSError, ValueError) as error:
            refused.append(f"{address}: {error}")
        else:
            return
    raise SessionError(
        f"no Spark master answers ({'; '.join(refused)}): see that it runs, and that this machine "
        f"reaches it; its address is on the master's own page"
    )


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
    cost a tenth of such a query. A notebook's queries are short and planned again each time: by
    default the JVM spends another tenth on optimizing the planner, on cores that the query needs.
    What runs for each row is optimized within its first bundles all the same. Users' errors reach
    them by another way than the log.
    """
    settings = folder / "log4j2.properties"
    for file in (settings, folder / "spark.log"):
        file.touch(0o600)
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
    log.touch(0o600)
    # py4j's own INFO lines, and a wait of up to a second for the port file.
    with open(log, "ab") as file:
        gateway = launch_gateway(conf, popen_kwargs={"stdout": file, "stderr": subprocess.STDOUT})
    SparkContext._ensure_initialized(gateway=gateway, conf=conf)


def active() -> SparkSession | None:
    """The session that is active in this process, if Spark runs."""
    return SparkSession.getActiveSession() if SparkContext._active_spark_context else None


def stop(spark: SparkSession) -> None:
    """Stops a Spark that ``start`` started; see ``Host.stop``."""
    spark.stop()
    _end_jvm()


def _end_jvm() -> None:
    """Ends the JVM, which PySpark would leave running."""
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


def context_class() -> Any:
    """The class of what runs Spark in this process."""
    return SparkContext
