"""Servers that are no Spark are refused with one line, whatever they do instead of an answer."""

from __future__ import annotations

import pytest

from tests.scripts import script, told

# What listens, as the lines of a script; ``port`` is where.
NO_GRPC = """
import socket
listening = socket.create_server(("127.0.0.1", 0))
port = listening.getsockname()[1]
"""
A_SERVICE = """
from concurrent.futures import ThreadPoolExecutor
import grpc
from pyspark.sql.connect.proto.base_pb2_grpc import (
    SparkConnectServiceServicer as Service,
    add_SparkConnectServiceServicer_to_server as add,
)
{service}
server = grpc.server(ThreadPoolExecutor(2))
add(Service(), server)
port = server.add_insecure_port("127.0.0.1:0")
server.start()
"""
REFUSING = """
def refuse(self, request, context):
    context.abort(grpc.StatusCode.INTERNAL, "unsupported version: 4.3\\nwith a trace")
Service.Config = Service.AnalyzePlan = Service.ExecutePlan = refuse
"""
OPENED = """
# Of the session of the process that runs the tests.
os.environ.pop("SPARK_CONNECT_MODE_ENABLED", None)
begun = time.monotonic()
try:
    nu.session(remote=f"sc://127.0.0.1:{port}")
except nu.SessionError as error:
    tell(said=str(error), port=port, seconds=time.monotonic() - begun,
         mode=os.environ.get("SPARK_CONNECT_MODE_ENABLED"))
os._exit(0)
"""


@pytest.mark.parametrize(
    ("listening", "said"),
    [
        (NO_GRPC, "does not answer as a Spark Connect server"),
        (A_SERVICE.format(service=""), "runs no function: Method not implemented!; use a server"),
        (A_SERVICE.format(service=REFUSING), "runs no function: unsupported version: 4.3; use a"),
    ],
    ids=["no gRPC", "without its methods", "another version"],
)
def test_what_is_no_spark_is_refused_with_one_line(listening: str, said: str) -> None:
    with script(listening + OPENED) as process:
        facts = told(process)
    assert said in facts["said"]
    assert f"sc://127.0.0.1:{facts['port']}" in facts["said"]
    assert "\n" not in facts["said"]
    assert facts["seconds"] < 60
    assert facts["mode"] is None
