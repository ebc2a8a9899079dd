"""Sessions through Spark Connect, one after the other: a process has one at a time.

``make test`` runs this folder in a process of its own, because other tests have a classic session.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import notebook_udf as nu
from tests.connect.server import ConnectServer

Opened = Callable[..., nu.Session]


@pytest.fixture(scope="module")
def local(tmp_path_factory: pytest.TempPathFactory) -> Iterator[nu.Session]:
    """A session with a server of its own, in this process."""
    os.environ["TZ"] = "Europe/Berlin"
    time.tzset()
    conf = {"spark.sql.shuffle.partitions": "2", "spark.ui.enabled": "false"}
    session = nu.session(remote="local[2]", conf=conf)
    yield session
    session.stop()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ConnectServer]:
    """A server in a process of its own, whose workers have everything but this package."""
    with ConnectServer(tmp_path_factory.mktemp("server")) as running:
        yield running


@pytest.fixture(scope="module")
def there(server: ConnectServer) -> Iterator[nu.Session]:
    """A session of that server."""
    session = nu.session(remote=server.url, conf={"spark.sql.shuffle.partitions": "2"})
    yield session
    session.stop()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder for what a test writes."""
    return tmp_path
