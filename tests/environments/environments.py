"""Sparks of each kind, and what every feature says in them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

from tests.cluster import cluster
from tests.connect.server import ConnectServer
from tests.scripts import ROOT

SCRIPT = Path(__file__).with_name("features.py")
# Spark's 200 partitions of a stream's state would take minutes on two processors.
FEW = {"spark.sql.shuffle.partitions": "2"}
QUIET = {**FEW, "spark.ui.enabled": "false"}

# What ``features.py`` is given.
Given = dict[str, Any]


@contextmanager
def local_started(_folder: Path) -> Iterator[Given]:
    yield {"master": "local[2]"}


@contextmanager
def local_adopted(_folder: Path) -> Iterator[Given]:
    yield {"adopt": {"master": "local[2]", "conf": QUIET}}


@contextmanager
def cluster_started(folder: Path) -> Iterator[Given]:
    with cluster(folder) as running:
        yield {"master": running.url, "conf": FEW}


@contextmanager
def cluster_adopted(folder: Path) -> Iterator[Given]:
    with cluster(folder) as running:
        yield {"adopt": {"master": running.url, "conf": QUIET}}


@contextmanager
def cluster_bare(folder: Path) -> Iterator[Given]:
    bare = {"PATH": f"{sys.base_prefix}/bin{os.pathsep}/usr/bin{os.pathsep}/bin"}
    with cluster(folder, hidden=[ROOT / "notebook_udf"], environment=bare) as running:
        yield {"master": running.url, "conf": FEW, "ship": True}


@contextmanager
def connect_started(_folder: Path) -> Iterator[Given]:
    yield {"remote": "local[2]"}


@contextmanager
def connect_adopted(folder: Path) -> Iterator[Given]:
    with ConnectServer(folder) as running:
        yield {"adopt": {"remote": running.url, "conf": FEW}}


ENVIRONMENTS: dict[str, Callable[[Path], AbstractContextManager[Given]]] = {
    "one machine, started": local_started,
    "one machine, adopted": local_adopted,
    "cluster, started": cluster_started,
    "cluster, adopted": cluster_adopted,
    "cluster without the package, `ship=True`": cluster_bare,
    "Connect, started": connect_started,
    "Connect, adopted": connect_adopted,
}


def tried(environment: str, folder: Path) -> dict[str, str]:
    """What each feature said there; "" where it was right."""
    with ENVIRONMENTS[environment](folder) as given:
        bare = {"PYSPARK_PYTHON": "python3"} if given.get("ship") else {}
        done = subprocess.run(
            [sys.executable, str(SCRIPT), json.dumps(given)],
            env={**os.environ, "PYTHONPATH": str(ROOT), **bare},
            capture_output=True,
            text=True,
            check=False,
            cwd=folder,
        )
    said = done.stdout.replace(sys.prefix, "…").splitlines()
    lines = [json.loads(line) for line in said if line.startswith('{"')]
    found = {line["feature"]: line["said"] for line in lines if "feature" in line}
    assert found, done.stderr[-3000:]
    return found
