"""The beginning of a Connect session: its confs, and what its workers have of this package.

A server is somebody else's even where its session is ours: what it was started with can be read,
and not changed.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pyspark.errors import AnalysisException

from notebook_udf.errors import SessionError
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
    f"workers are forked by Spark's own daemon: they start slower, and of one that crashes the row "
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
    notes = []
    for key, value in {**SQL_CONF, **CONNECT_CONF}.items():
        try:
            changes.sql(key, value)
        except AnalysisException:
            notes.append(f"{key} cannot be set here (wanted {value})")
    if host.settings.application.get(DAEMON_CONF) != DAEMON_MODULE:
        notes.append(_OTHER_DAEMON)
    worker = _asked(host, folder)
    missing = sorted(_NEEDED[name] for name in worker["missing"] if name in _NEEDED)
    if missing:
        raise SessionError(
            f"the server's workers have no {', '.join(missing)} in {worker['program']}: install "
            f"{'it' if len(missing) == 1 else 'them'} there, or start the server with a "
            f"PYSPARK_PYTHON that has {'it' if len(missing) == 1 else 'them'}"
        )
    if _PACKAGE in worker["missing"]:
        spark: Any = host.spark
        spark.addArtifacts(str(packed(folder)), pyfile=True)
    if host.cluster.shares_files and not worker["sees"]:
        host.cluster.sees_files = False
        notes.append(_UNSEEN)
    return notes


def _asked(host: ConnectHost, folder: Path) -> Mapping[str, Any]:
    """What a worker lacks, and whether it sees the session's folder.

    By a function without Arrow, which may be what is missing.
    """
    from pyspark.sql.connect.udf import UserDefinedFunction
    from pyspark.sql.types import StringType
    from pyspark.util import PythonEvalType

    names, place = [*_NEEDED, _PACKAGE], str(folder)

    def look(_row: int) -> str:
        import importlib.util
        import json
        import os
        import sys

        # A folder of that name without modules has a spec, and no origin.
        specs = {name: importlib.util.find_spec(name) for name in names}
        there = [name for name, spec in specs.items() if spec is not None and spec.origin]
        return json.dumps(
            {
                "missing": [name for name in names if name not in there],
                "sees": os.access(place, os.W_OK),
                "program": sys.executable,
            }
        )

    look.__module__ = "__main__"
    function = UserDefinedFunction(
        look, StringType(), "look", PythonEvalType.SQL_BATCHED_UDF, deterministic=False
    )
    rows = host.spark.range(0, 1, 1, 1)
    answer: Iterator[Any] = rows.select(function(rows["id"])).collect()
    found: dict[str, Any] = json.loads(next(iter(answer))[0])
    return found
