"""The confs that a Spark is started with, and those that a running one can still be given."""

from __future__ import annotations

DAEMON_CONF = "spark.python.daemon.module"
DAEMON_MODULE = "notebook_udf.pool.daemon"
SPARKS_DAEMON = "pyspark.daemon"
_SOCKETS_CONF = "spark.python.unix.domain.socket.enabled"
CHANGELOG_CONF = "spark.sql.streaming.stateStore.rocksdb.changelogCheckpointing.enabled"

# Larger than Spark's 10,000: fewer crossings, and a slice still fits the processor's cache.
BUNDLE_ROWS = 32_768

# Confs of SQL sessions, which can be set on a running Spark as well.
SQL_CONF = {
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
    # Or Spark computes what stands twice behind an AND or OR for rows that do not get there, and a
    # function raises for these.
    "spark.sql.subexpressionElimination.skipForShortcutExpr": "true",
    # Without it a segfault in a worker is reported as 'crashed' and nothing more.
    "spark.sql.execution.pyspark.udf.faulthandler.enabled": "true",
}

# Confs read once, when Spark starts.
START_CONF = {
    DAEMON_CONF: DAEMON_MODULE,
    "spark.ui.showConsoleProgress": "false",
    _SOCKETS_CONF: "true",
    "spark.buffer.size": str(1 << 20),
    "spark.python.worker.faulthandler.enabled": "true",
}

# On one machine: few partitions, and their progress at once. A cluster's defaults are its own.
LOCAL_CONF = {
    "spark.executor.heartbeatInterval": "500ms",
    # Spark ends Java where the 16 ports after its page's are taken: by as many other sessions.
    "spark.port.maxRetries": "500",
    "spark.sql.shuffle.partitions": "8",
}

# Where one process is all of Spark nobody else has to reach it, and what its pages show (rows on
# which a function failed, queries, the environment) is nobody else's.
LOOPBACK = "127.0.0.1"
ADDRESS_CONF = {"spark.driver.bindAddress": LOOPBACK, "spark.driver.host": LOOPBACK}
# The pages ask for no conf where to listen.
ADDRESS_VARIABLE = "SPARK_LOCAL_IP"
UI_CONF = "spark.ui.enabled"


def start_conf(master: str) -> dict[str, str]:
    """The confs that a Spark of that master is started with, besides those of its SQL sessions."""
    if is_local(master):
        return {**START_CONF, **LOCAL_CONF}
    # A container of YARN has its temporary folder so deep that no socket's path, of 107 bytes at
    # most, fits: no worker would start.
    spared = {_SOCKETS_CONF} if master.startswith("yarn") else set()
    return {key: value for key, value in START_CONF.items() if key not in spared}


def is_local(master: str) -> bool:
    """Whether one process on this machine is all of Spark."""
    return master == "local" or master.startswith("local[")
