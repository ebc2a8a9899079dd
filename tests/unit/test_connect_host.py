"""Spark Connect's host, as far as it needs no server."""

from __future__ import annotations

import json
import os
import socket
import sys
import zipfile
from pathlib import Path
from types import SimpleNamespace

import pytest
from pyspark.errors.exceptions import connect
from pyspark.sql.connect import functions as F
from pyspark.sql.connect.client.core import ChannelBuilder

import notebook_udf as nu
from notebook_udf.host.connect import connect_engine
from notebook_udf.host.connect.connect_address import channel_to, reached
from notebook_udf.host.connect.connect_errors import ConnectErrors
from notebook_udf.host.connect.connect_package import packed
from notebook_udf.host.sessions import columns_of
from notebook_udf.launch.variables import variables
from notebook_udf.pool import task_environment
from notebook_udf.telemetry.wire import CHANNEL_VARIABLE, ENVIRONMENT_CONF


@pytest.mark.parametrize(
    ("name", "alone"),
    [("a", "a"), ("`a.b`", "a.b"), ("`a``b`", "a`b"), ("a.b", None), ("`a`.`b`", None)],
)
def test_a_columns_name_is_read_without_its_quotes(name: str, alone: str | None) -> None:
    column = F.col(name)
    assert columns_of(column).attribute(column) == alone


def test_calls_are_read_from_columns() -> None:
    def written(column: object) -> object:
        return columns_of(column).written(column)

    call = written(F.count_distinct(F.col("a")).alias("n"))
    assert (call.name, len(call.arguments), call.distinct) == ("count", 1, True)
    assert written(F.count("*")).arguments == ()
    assert written(F.expr("sum(a)")) == "sum(a)"
    assert written(F.col("a")) is None
    assert columns_of(F.lit(1)).is_constant(F.lit(1).cast("string"))
    assert not columns_of(F.col("a")).is_constant(F.col("a"))


def test_a_place_is_found_in_the_text_that_spark_was_given() -> None:
    pointed = SimpleNamespace(start_index=7, stop_index=7, fragment="b")
    context = connect.SQLQueryContext(pointed)
    errors = ConnectErrors()
    assert errors.query_of(context, ["SELECT a", "SELECT b"]) == "SELECT b"
    assert errors.query_of(context, ["SELECT a"]) is None
    message = "no (line 1, pos 0)\n\n== SQL ==\nselec a,\n^^^\n  b\n"
    unread = connect.ParseException(message, errorClass="PARSE_SYNTAX_ERROR")
    assert errors.unparsed(unread, ["select 1", "selec a,\n  b"]) == "selec a,\n  b"
    assert errors.unparsed(unread, ["select 1"]) is None


def test_an_address_on_this_machine_is_known_as_one() -> None:
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen()
        port = listening.getsockname()[1]
        found = reached(channel_to(f"sc://localhost:{port}/;token=secret"))
    assert (found.port, found.own) == (port, "")


@pytest.mark.parametrize("url", ["sc://", "sc://host/path", "sc://host:port"])
def test_what_is_no_address_is_refused_without_its_token(url: str) -> None:
    with pytest.raises(nu.DeclarationError, match="sc://host:15002") as refused:
        channel_to(f"{url};token=secret" if url.endswith("path") else url)
    assert "secret" not in str(refused.value).partition(":")[0]


def test_the_environment_is_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("THERE", "before")
    before = dict(os.environ)
    with variables({"THERE": "within", "NEW": "1"}):
        assert os.environ["THERE"] == "within"
        os.environ["LATER"] = "1"
        del os.environ["NEW"]
    assert dict(os.environ) == before


def test_a_worker_takes_the_environment_of_one_session(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(task_environment, "_entered", "")
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setenv("OF_A_TASK", "")
    monkeypatch.setenv("PYTHONPATH", "")
    monkeypatch.setenv(CHANNEL_VARIABLE, "")
    for name in ("one", "two", "three"):
        (tmp_path / name).mkdir()

    def properties(value: str) -> dict[str, str]:
        variables = {
            "OF_A_TASK": value,
            "PYTHONPATH": str(tmp_path),
            CHANNEL_VARIABLE: str(tmp_path / value),
        }
        return {ENVIRONMENT_CONF: json.dumps(variables)}

    assert not task_environment.enter_environment({})
    assert task_environment.enter_environment(properties("one"))
    assert os.environ["OF_A_TASK"] == "one"
    assert sys.path[-1] == str(tmp_path)
    assert not task_environment.enter_environment(properties("one"))
    with pytest.raises(nu.SessionError, match="a Connect session of its own"):
        task_environment.enter_environment(properties("two"))
    # The one that it reported to is over.
    (tmp_path / "one").rmdir()
    assert task_environment.enter_environment(properties("two"))
    assert os.environ["OF_A_TASK"] == "two"


def test_the_session_that_functions_came_from_goes_before_that_of_the_task(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(task_environment, "_entered", "")
    monkeypatch.setenv(CHANNEL_VARIABLE, str(tmp_path))
    told = {ENVIRONMENT_CONF: json.dumps({CHANNEL_VARIABLE: "/another"})}
    assert not task_environment.enter_environment(told)
    assert os.environ[CHANNEL_VARIABLE] == str(tmp_path)


def test_the_package_is_named_by_its_content(tmp_path: Path) -> None:
    made = packed(tmp_path)
    assert packed(tmp_path) == made
    names = zipfile.ZipFile(made).namelist()
    assert "notebook_udf/__init__.py" in names
    assert "notebook_udf/worker/column_node.py" in names
    assert all(name.endswith(".py") for name in names)


class Server:
    """As much of a session's as is asked before a function has run there."""

    version = "4.3.0"

    def __init__(self, version: str | connect.SparkConnectGrpcException) -> None:
        self.client = SimpleNamespace(_builder=SimpleNamespace(endpoint="host:15002"))
        self._version = version

    def sql(self, query: str) -> Server:
        return self

    def collect(self) -> list[tuple[str]]:
        if isinstance(self._version, str):
            return [(self._version,)]
        raise self._version


@pytest.mark.parametrize(
    ("version", "said"),
    [
        ("0.7.2", "(its version() is '0.7.2') runs functions outside of Spark's tasks"),
        (connect.AnalysisException("no version\nat all"), "(no version) runs functions outside"),
    ],
)
def test_a_server_without_tasks_is_refused(
    version: str, said: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    found = connect_engine.FoundWorker("python", ("pyarrow",), sees=True, in_task=False)
    monkeypatch.setattr(connect_engine, "_asked", lambda *_: found)
    with pytest.raises(nu.SessionError) as refused:
        connect_engine.worker_of(Server(version), ["pyarrow"], tmp_path)
    assert f"the server at sc://host:15002 {said}" in str(refused.value)
    assert "use a server of Spark 4." in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("message", "line"),
    [
        ("unsupported PySpark version: 4.3.0", "unsupported PySpark version: 4.3.0"),
        ("\n  first\nsecond", "first"),
        (
            "\n  An exception was thrown from the Python worker.\nTraceback (most recent call "
            'last):\n  File "worker.py", line 1\npyspark.errors.PySparkRuntimeError: '
            "[PYTHON_VERSION_MISMATCH] other versions.\nPlease check the environment.\n",
            "pyspark.errors.PySparkRuntimeError: [PYTHON_VERSION_MISMATCH] other versions.",
        ),
        ("", "PythonException"),
    ],
)
def test_a_server_that_runs_no_function_says_why_in_a_line(
    message: str, line: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def fail(*_: object) -> None:
        raise connect.PythonException(message)

    monkeypatch.setattr(connect_engine, "_asked", fail)
    with pytest.raises(nu.SessionError) as refused:
        connect_engine.worker_of(Server(""), [], tmp_path)
    assert f"runs no function: {line}; use a server of Spark" in str(refused.value)


def test_a_server_of_another_version_is_refused(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    found = connect_engine.FoundWorker("python", (), sees=True, in_task=True)
    monkeypatch.setattr(connect_engine, "_asked", lambda *_: found)
    server = Server("")
    assert connect_engine.worker_of(server, [], tmp_path) == found
    server.version = "4.1.2"
    with pytest.raises(nu.SessionError, match=r"runs Spark 4\.1\.2; use a server of Spark 4\.3"):
        connect_engine.worker_of(server, [], tmp_path)


def test_a_channel_without_an_address_is_refused() -> None:
    class Tunnel(ChannelBuilder):
        def toChannel(self) -> None:  # noqa: N802
            raise AssertionError

    with pytest.raises(nu.SessionError, match="a Tunnel does not say where its server is"):
        reached(Tunnel())
