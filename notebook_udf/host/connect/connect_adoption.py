"""The beginning of a Connect session: its confs, and what its workers have of this package.

A server is somebody else's even where its session is ours: what it was started with can be read,
and not changed.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from pyspark.errors import AnalysisException

from notebook_udf.errors import SessionError
from notebook_udf.host.connect.connect_engine import worker_of
from notebook_udf.host.connect.connect_package import packed
from notebook_udf.launch.confs import DAEMON_CONF, DAEMON_MODULE, SQL_CONF

if TYPE_CHECKING:
    from notebook_udf.host.changes import Changes
    from notebook_udf.host.connect.connect_host import ConnectHost

# The server's stack is in the error as an attribute; in its text it hides what the error says.
CONNECT_CONF = {
    "spark.sql.connect.serverStacktrace.enabled": "false",
    "spark.connect.progress.reportInterval": "200ms",
}
# What a worker imports, by the names under which it is installed.
_NEEDED = {
    "pyarrow": "pyarrow",
    "numpy": "numpy",
    "zmq": "pyzmq",
    "psutil": "psutil",
}
_PACKAGE = "notebook_udf"
_OTHER_DAEMON = (
    f"workers are forked by Spark's own daemon: they start slower, and the signal that ended one "
    f"is not known, unless the server is started with --conf {DAEMON_CONF}={DAEMON_MODULE} where "
    f"its Python has notebook-udf"
)
_UNSEEN = (
    "the server's workers do not see the files of this kernel, though they are on this machine "
    "(another user, or a container): functions run, and no metrics, logs or cards of lost workers "
    "come back"
)


def adopt(host: ConnectHost, changes: Changes, folder: Path) -> list[str]:
    """Sets a session's confs, and sends workers this package if they lack it; see ``Host``."""
    # First: a server where functions cannot run is left as it was.
    worker = worker_of(host.spark, [*_NEEDED, _PACKAGE], folder)
    missing = sorted(_NEEDED[name] for name in worker.missing if name in _NEEDED)
    if missing:
        raise SessionError(
            f"the server's workers have no {', '.join(missing)} in {worker.program}: install "
            f"{'it' if len(missing) == 1 else 'them'} there, or start the server with a "
            f"PYSPARK_PYTHON that has {'it' if len(missing) == 1 else 'them'}"
        )
    notes = []
    for key, value in {**SQL_CONF, **CONNECT_CONF}.items():
        try:
            changes.sql(key, value)
        except AnalysisException:
            notes.append(f"{key} cannot be set here (wanted {value})")
    if host.settings.application.get(DAEMON_CONF) != DAEMON_MODULE:
        notes.append(_OTHER_DAEMON)
    if _PACKAGE in worker.missing:
        spark: Any = host.spark
        spark.addArtifacts(str(packed(folder)), pyfile=True)
    if host.cluster.shares_files and not worker.sees:
        host.cluster.sees_files = False
        notes.append(_UNSEEN)
    return notes
