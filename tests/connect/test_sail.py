"""Sail, a Connect server without a JVM, from an environment of its own.

``NOTEBOOK_UDF_SAIL`` names its program: it is not among the packages for development, since it is
larger than all others but Spark, and runs no PySpark 4.3.
"""

from __future__ import annotations

import os
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.scripts import script, told

SAIL = os.environ.get("NOTEBOOK_UDF_SAIL", "")

pytestmark = [
    pytest.mark.thorough,
    pytest.mark.skipif(
        not SAIL,
        reason="NOTEBOOK_UDF_SAIL is not set: pip install pysail 'pyspark-client<4.3' pandas "
        "pyarrow into another environment, and set it to that environment's bin/sail",
    ),
]


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server on loopback."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    folder = tmp_path_factory.mktemp("sail")
    with (folder / "log").open("w") as log:
        server = subprocess.Popen(
            [str(Path(SAIL).absolute()), "spark", "server", "--port", str(port)],
            cwd=folder,
            stdout=log,
            stderr=log,
        )
    try:
        _await(server, port)
        yield f"sc://127.0.0.1:{port}"
    finally:
        server.kill()
        server.wait()


def _await(server: subprocess.Popen[bytes], port: int) -> None:
    end = time.monotonic() + 60
    while server.poll() is None and time.monotonic() < end:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return
        except OSError:
            time.sleep(0.1)
    pytest.fail(f"the server did not start: exit code {server.poll()}")


ADOPTED = """
os.environ["SPARK_CONNECT_MODE_ENABLED"] = "1"
from pyspark.sql import SparkSession, functions as F
spark = SparkSession.builder.remote(os.environ["SERVER"]).getOrCreate()
given = [{"spark": spark}]
before = dict(spark.conf.getAll)
"""
OPENED = """
given, before, spark = [{"remote": os.environ["SERVER"]}] * 2, {}, None
"""
REFUSED = """
said = []
begun = time.monotonic()
for each in given:
    try:
        nu.session(**each)
    except nu.SessionError as error:
        said.append(str(error))
seconds = time.monotonic() - begun
plus = spark and F.udf(lambda i: i + 1, "bigint")
tell(said=said, seconds=seconds, opened=len(given),
     same=spark is None or dict(spark.conf.getAll) == before,
     answer=spark and [row[0] for row in spark.range(3).select(plus("id")).collect()])
"""


@pytest.mark.parametrize("given", [OPENED, ADOPTED], ids=["opened", "adopted"])
def test_a_session_is_refused_with_one_line(url: str, given: str) -> None:
    with script(given + REFUSED, {"SERVER": url}) as process:
        facts = told(process)
    assert len(facts["said"]) == facts["opened"]
    for said in facts["said"]:
        assert f"the server at {url} (its version() is" in said
        assert "runs functions outside of Spark's tasks" in said
        assert "use a server of Spark 4.3" in said
        assert "\n" not in said
    assert facts["seconds"] < 60
    # What is not of this package goes on as before.
    assert facts["same"]
    assert facts["answer"] in (None, [1, 2, 3])
