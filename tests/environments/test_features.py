"""Every feature in every Spark: the table on the page of environments is what was found here."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.cluster import cluster
from tests.scripts import ROOT

PAGE = ROOT / "docs/how-to/environments.md"
SCRIPT = Path(__file__).with_name("features.py")
QUIET = {"spark.ui.enabled": "false", "spark.sql.shuffle.partitions": "2"}

Found = dict[str, str]


@contextmanager
def local_started(_folder: Path) -> Iterator[dict[str, Any]]:
    yield {"master": "local[2]"}


@contextmanager
def local_adopted(_folder: Path) -> Iterator[dict[str, Any]]:
    yield {"adopt": {"master": "local[2]", "conf": QUIET}}


@contextmanager
def cluster_started(folder: Path) -> Iterator[dict[str, Any]]:
    with cluster(folder) as running:
        yield {"master": running.url, "quarantine_path": str(folder / "kept")}


@contextmanager
def cluster_adopted(folder: Path) -> Iterator[dict[str, Any]]:
    with cluster(folder) as running:
        yield {
            "adopt": {"master": running.url, "conf": QUIET},
            "quarantine_path": str(folder / "kept"),
        }


@contextmanager
def cluster_bare(folder: Path) -> Iterator[dict[str, Any]]:
    bare = {"PATH": f"{sys.base_prefix}/bin{os.pathsep}/usr/bin{os.pathsep}/bin"}
    with cluster(folder, hidden=[ROOT / "notebook_udf"], environment=bare) as running:
        yield {"master": running.url, "ship": True, "quarantine_path": str(folder / "kept")}


ENVIRONMENTS: dict[str, Callable[[Path], Any]] = {
    "one machine, started": local_started,
    "one machine, adopted": local_adopted,
    "cluster, started": cluster_started,
    "cluster, adopted": cluster_adopted,
    "cluster without the package, ship=True": cluster_bare,
}


def tried(environment: str, folder: Path) -> Found:
    """What each feature said there; "" where it was right."""
    with ENVIRONMENTS[environment](folder) as given:
        bare = {"PYSPARK_PYTHON": "python3"} if given.get("ship") else {}
        done = subprocess.run(
            [sys.executable, str(SCRIPT), json.dumps(given)],
            env={**os.environ, "PYTHONPATH": str(ROOT), **bare},
            capture_output=True,
            text=True,
            check=False,
            cwd="/",
        )
    lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith('{"')]
    found = {line["feature"]: line["said"] for line in lines if "feature" in line}
    assert found, done.stderr[-3000:]
    return found


def shown() -> dict[str, Found]:
    """The page's table: by environment what stands beside each feature."""
    table = [
        [cell.strip() for cell in line.strip("|\n").split("|")]
        for line in PAGE.read_text().splitlines()
        if line.startswith("| ")
    ]
    heads, *cells = table
    return {
        head: {row[0]: row[place] for row in cells}
        for place, head in enumerate(heads)
        if head in ENVIRONMENTS
    }


@pytest.mark.thorough
@pytest.mark.timeout(900)
@pytest.mark.parametrize("environment", ENVIRONMENTS)
def test_what_the_page_says_is_so(environment: str, tmp_path: Path) -> None:
    found = tried(environment, tmp_path)
    raw = {name: said for name, said in found.items() if re.match("WRONG|RAW", said)}
    assert not raw
    assert {name: said or "✓" for name, said in found.items()} == shown()[environment]
