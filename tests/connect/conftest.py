"""Sessions through Spark Connect, one after the other: a process has one at a time.

``make test`` runs this folder in a process of its own, because other tests have a classic session.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator

import pytest

import notebook_udf as nu
from notebook_udf.kernel.active_session import active_session
from tests.connect.server import ConnectServer


@pytest.fixture(scope="session")
def local() -> Iterator[nu.Session]:
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
    running_here = active_session()
    if running_here is not None:
        running_here.stop()
    with ConnectServer(tmp_path_factory.mktemp("server")) as running:
        yield running


@pytest.fixture(scope="module")
def there(server: ConnectServer) -> Iterator[nu.Session]:
    """A session of that server."""
    session = nu.session(remote=server.url, conf={"spark.sql.shuffle.partitions": "2"})
    yield session
    session.stop()
