"""A server that somebody else started, whose workers lack this package; and a session adopted."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys

import pytest
from pyspark.sql.connect.session import SparkSession as ConnectSession

import notebook_udf as nu
from notebook_udf import udf
from tests.connect.server import ConnectServer
from tests.scripts import script, told
from tests.waiting import awaited


def test_the_workers_get_the_package(there: nu.Session) -> None:
    there.register_function("plus", udf(lambda a: a + 1, ["bigint"], "bigint"))
    with awaited(there, lambda: "plus" in str(there.metrics())):
        assert there.sql("SELECT plus(id) FROM range(1)").collect() == [(1,)]


def test_the_session_says_what_the_server_lacks(there: nu.Session) -> None:
    (note,) = (note for note in there.notes if "daemon" in note)
    assert "spark.python.daemon.module=notebook_udf.pool.daemon" in note


def test_nothing_listens_outside_of_this_machine(there: nu.Session) -> None:
    assert there._receiver.address.endpoint.startswith("ipc://")


def test_a_failed_call_is_told(there: nu.Session) -> None:
    there.register_function("inverse", udf(lambda a: 1 // a, ["bigint"], "bigint"))
    with pytest.raises(nu.UserFunctionError, match="a = 0"):
        there.sql("SELECT inverse(id) FROM range(1)").collect()
    with pytest.raises(ZeroDivisionError):
        there.replay("inverse")


def test_a_crash_is_told_with_its_rows_in_each_task(there: nu.Session) -> None:
    there.sql("SELECT 1").collect()
    there.pool.restart()
    dies = udf(lambda a: a if a % 20 != 7 else os.kill(os.getpid(), 9), ["bigint"], "bigint")
    there.register_function("dies", dies)
    for first in (0, 20):
        if first:
            there.sql("SELECT sum(dies(id)) FROM range(0, 7, 1, 1)").collect()
        with pytest.raises(nu.WorkerLost, match="rows 1 to 20 of 20 in bundle 1") as caught:
            there.sql(f"SELECT dies(id) FROM range({first}, {first + 20}, 1, 1)").collect()
        assert "while it ran dies" in str(caught.value)
        assert caught.value.function == "dies"
        assert caught.value.worker not in [worker.pid for worker in there.pool]


def test_functions_find_no_children_in_their_workers(there: nu.Session) -> None:
    def alone(a: int) -> str:
        try:
            os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return "alone"
        return "not alone"

    there.register_function("alone", udf(alone, ["bigint"], "string"))
    assert there.sql("SELECT alone(id) FROM range(1)").collect() == [("alone",)]


def test_a_worker_whose_task_failed_is_told_to_have_ended_so(there: nu.Session) -> None:
    there.register_function("inverse", udf(lambda a: 1 // a, ["bigint"], "bigint"))
    there.sql("SELECT inverse(id) FROM range(1, 2)").collect()
    with pytest.raises(nu.UserFunctionError) as caught:
        there.sql("SELECT inverse(id) FROM range(0, 1, 1, 1)").collect()
    ended = there.store.wait_exit(caught.value.failed.worker, 20)
    assert ended is not None
    assert (ended.exit_code, ended.signal) == (255, None)


def test_aggregates_answer(there: nu.Session) -> None:
    class Most(nu.AggregateFunction):
        def create_accumulator(self) -> list[int]:
            return [0]

        def accumulate(self, acc: list[int], value: int) -> None:
            acc[0] = max(acc[0], value)

        def merge(self, acc: list[int], others: list[list[int]]) -> None:
            acc[0] = max([acc[0], *(other[0] for other in others)])

        def get_value(self, acc: list[int]) -> int:
            return acc[0]

    there.register_function("most", nu.udaf(Most(), accumulator_type="array<bigint>"))
    query = "SELECT id % 2 k, most(id), count(*) FROM range(10) GROUP BY 1 ORDER BY 1"
    assert there.sql(query).collect() == [(0, 8, 5), (1, 9, 5)]


ADOPTED = """
os.environ.pop("SPARK_CONNECT_MODE_ENABLED", None)
from pyspark.sql.connect.client.core import DefaultChannelBuilder
from pyspark.sql.connect.session import SparkSession
channel = DefaultChannelBuilder(os.environ["SERVER"])
spark = SparkSession.builder.channelBuilder(channel).create()
spark.range(1).createOrReplaceTempView("theirs")

def seen():
    return {
        "conf": dict(spark.conf.getAll),
        "variables": dict(os.environ),
        "views": sorted(table.name for table in spark.catalog.listTables()),
        "functions": sorted(row[0] for row in spark.sql("SHOW USER FUNCTIONS").collect()),
        "class": {k: id(v) for k, v in vars(SparkSession).items() if callable(v)},
        "handlers": len(spark.client._progress_handlers),
    }

before = seen()
answers = []
for number in (1, 2):
    session = nu.session(spark, conf={"spark.sql.ansi.enabled": "false"})
    session.register_function("plus", udf(lambda a: a + number, ["bigint"], "bigint"))
    frame = session.sql("SELECT plus(id) AS x FROM theirs")
    answers.append(frame.collect()[0][0])
    end = time.monotonic() + 20
    while "plus" not in str(session.metrics()) and time.monotonic() < end:
        time.sleep(0.05)
    answers.append("plus" in str(session.metrics()))
    del frame
    session.stop()
after = seen()
changed = {k: [before[k], after[k]] for k in before if before[k] != after[k] and k != "class"}
same = before["class"] == after["class"]
tell(answers=answers, changed=changed, same=same, alive=spark.range(1).count(),
     java=[name for name in sys.modules if name.startswith("py4j.java_gateway")])
"""


def test_an_adopted_session_is_left_as_it_was(server: ConnectServer) -> None:
    with script(ADOPTED, {"SERVER": server.url}) as process:
        facts = told(process)
    assert facts["answers"] == [1, True, 2, True]
    assert facts["changed"] == {}
    assert facts["same"]
    assert facts["alive"] == 1


def test_a_kernel_without_java_works(server: ConnectServer) -> None:
    body = """
    session = nu.session(remote=os.environ["SERVER"])
    session.register_function("plus", udf(lambda a: a + 1, ["bigint"], "bigint"))
    answer = session.sql("SELECT plus(id) FROM range(2)").collect()
    import psutil
    tell(answer=[row[0] for row in answer], folder=str(session.folder),
         children=[child.name() for child in psutil.Process().children(recursive=True)])
    """
    variables = {"SERVER": server.url, "PATH": "/nonexistent", "JAVA_HOME": ""}
    with script(body, variables) as process:
        facts = told(process)
        # Nobody stops the session: it ends with its process, and says nothing.
        _, errors = process.communicate(timeout=60)
    assert facts["answer"] == [1, 2]
    assert facts["children"] == []
    assert process.returncode == 0
    assert not os.path.exists(facts["folder"])
    assert "Traceback" not in errors


def test_an_address_where_nobody_listens_is_said_at_once() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    body = f"""
    begun = time.monotonic()
    try:
        nu.session(remote="sc://127.0.0.1:{port}")
    except nu.SessionError as error:
        tell(said=str(error), seconds=time.monotonic() - begun,
             mode=os.environ.get("SPARK_CONNECT_MODE_ENABLED"))
    """
    with script(body) as process:
        facts = told(process)
    assert f"127.0.0.1:{port}" in facts["said"]
    assert "start-connect-server.sh" in facts["said"]
    assert facts["seconds"] < 10


def test_what_is_no_address_is_refused() -> None:
    body = """
    said = []
    wrong = ("spark://host:7077", {}), ("sc://", {}), ("sc://h", {"master": "local"})
    for remote, others in wrong:
        try:
            nu.session(remote=remote, **others)
        except nu.NotebookUdfError as error:
            said.append([type(error).__name__, str(error)])
    tell(said=said)
    """
    with script(body) as process:
        said = told(process)["said"]
    assert [kind for kind, _ in said] == ["DeclarationError"] * 3
    assert "local[N]" in said[0][1]
    assert "sc://host:15002" in said[1][1]
    assert "remote cannot be given together with master" in said[2][1]


def test_without_grpc_the_error_says_what_to_install() -> None:
    body = """
    class Hidden:
        def find_spec(self, name, path=None, target=None):
            if name.partition(".")[0] in ("grpc", "grpc_status"):
                raise ModuleNotFoundError(f"No module named {name!r}", name=name)
    sys.meta_path.insert(0, Hidden())
    said = []
    for remote in ("sc://localhost:1", "local[2]"):
        try:
            nu.session(remote=remote)
        except nu.SessionError as error:
            said.append(str(error))
    tell(said=said)
    """
    with script(body) as process:
        said = told(process)["said"]
    assert len(said) == 2
    assert all("pip install notebook-udf[connect]" in each for each in said)


def test_the_mode_variable_is_this_sessions_alone(there: nu.Session) -> None:
    assert os.environ["SPARK_CONNECT_MODE_ENABLED"]
    assert isinstance(there.spark, ConnectSession)


CELLS = r'''
import signal
# As a kernel does: a program that a shell runs in the background ignores it.
signal.signal(signal.SIGINT, signal.default_int_handler)
from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell.instance()
run = lambda code: shell.run_cell(code, store_history=True)
run("%load_ext notebook_udf")
run("import os, time, notebook_udf as nu; session = nu.session(remote=os.environ['SERVER'])")
session = shell.user_ns["session"]
run("""@nu.register
def nap(a: int) -> int:
    print('asleep')
    time.sleep(60)
    return a""")

def interrupt():
    while "asleep" not in str(session.logs()):
        time.sleep(0.1)
    os.kill(os.getpid(), signal.SIGINT)

cells = [
    "%%udf\ndef more(a: int) -> int:\n    return a + 1",
    "%%sparksql answer\nSELECT more(id) AS x FROM range(2)",
    "values = sorted(row.x for row in answer.collect())",
    "%%sparksql --plan\nSELECT more(id) FROM range(2)",
    *(f"%udf {page}" for page in ("functions", "pool", "metrics", "logs", "errors more")),
    "%udf plan SELECT more(id) FROM range(2)",
    "%udf replay inverse",
]
failed = {}
for cell in cells:
    done = run(cell)
    if not done.success:
        failed[cell] = repr(done.error_before_exec or done.error_in_exec)
threading.Thread(target=interrupt, daemon=True).start()
begun = time.monotonic()
result = run("%%sparksql\nSELECT nap(id) FROM range(4)")
after = time.monotonic()
count = run("session.spark.range(3).selectExpr('count(*)').collect()[0][0]").result
tell(error=type(result.error_in_exec).__name__, failed=failed,
     values=shell.user_ns.get("values"), count=count, seconds=time.monotonic() - after,
     left=session.spark.conf.get("spark.job.description", None))
session.stop()
'''


def test_magics_work_and_an_interrupted_cell_ends_on_the_server_too(server: ConnectServer) -> None:
    variables = {"SERVER": server.url}
    with script(CELLS, variables) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if line.startswith('{"error"'):
                break
        else:
            pytest.fail(process.communicate()[1][-3000:])
    facts = json.loads(line)
    # Nothing of that name has failed.
    assert list(facts["failed"]) == ["%udf replay inverse"], facts["failed"]
    assert facts["values"] == [1, 2]
    assert facts["error"] == "KeyboardInterrupt"
    assert facts["count"] == 3
    assert facts["seconds"] < 20
    assert facts["left"] is None


@pytest.mark.timeout(200)
def test_the_doctor_asks_a_server(server: ConnectServer) -> None:
    command = [sys.executable, "-m", "notebook_udf.cli", "doctor", "--json", "--spark"]
    done = subprocess.run([*command, server.url], capture_output=True, text=True, check=False)
    findings = json.loads(done.stdout)["findings"]
    (executor,) = (each for each in findings if each["what"].startswith("executor on"))
    assert f"notebook-udf {nu.__version__}" in executor["found"]
