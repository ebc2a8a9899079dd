"""A cluster whose workers cannot see the folders of the kernel, as on other machines."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

import notebook_udf as nu
from notebook_udf import doctor
from tests.cluster import cluster
from tests.scripts import MOST, ROOT, script, told


@pytest.fixture
def hidden() -> Iterator[Path]:
    """A folder that the workers will not see; its name is short, as paths of sockets must be."""
    folder = Path(tempfile.mkdtemp(prefix="far-"))
    yield folder
    shutil.rmtree(folder)


# One answer for each thing that a session promises.
FAR = """
import contextlib, io, pathlib, signal, tempfile
tempfile.tempdir = "HIDDEN"
session = nu.session(master="URL", worker_memory="1g")
assert str(session.folder).startswith("HIDDEN")
context = session.spark.sparkContext
secret = session._receiver.address.client_secret
shown = [*context.getConf().getAll(), *session.spark.conf.getAll.items()]
checked = session.check()
tell(executors=len(checked.found), problems=checked.problems)
tell(kept_secret=not any(secret in str(pair) for pair in shown),
     endpoint=session._receiver.address.endpoint.partition(":")[0])

def fails(i: int) -> int:
    print("at", i)
    return 10 // (5 - i)
def dwells(i: int) -> int:
    time.sleep(600)
    return i
def dies(i: int) -> int:
    if i == 7:
        os.kill(os.getpid(), signal.SIGKILL)
    return i
def hoards(i: int) -> int:
    return len(bytearray(2 << 30))
session.register_function("fails", fails)
session.register_function("keeps", udf(fails, on_error="quarantine"))
session.register_function("dwells", udf(dwells, timeout=1))
session.register_function("dies", dies)
session.register_function("hoards", hoards)

def outcome(query):
    try:
        return [list(row) for row in session.sql(query).collect()]
    except Exception as error:
        failed = getattr(error, "failed", None)
        facts = {"is": type(error).__name__, "text": str(error).split("\\n")[0]}
        return facts if failed is None else {**facts, "row": failed.row, "with": failed.arguments}

tell(whole=outcome("SELECT sum(fails(id)) FROM range(0, 4, 1, 2)"),
     failed=outcome("SELECT fails(id) FROM range(0, 8, 1, 1)"),
     kept=outcome("SELECT keeps(id) FROM range(0, 8, 1, 1)")["text"],
     late=outcome("SELECT dwells(id) FROM range(0, 1, 1, 1)")["is"],
     much=outcome("SELECT hoards(id) FROM range(0, 1, 1, 1)")["is"],
     lost=outcome("SELECT dies(id) FROM range(0, 20, 1, 1)"))
try:
    with contextlib.redirect_stdout(io.StringIO()):
        session.replay("fails")
except ZeroDivisionError:
    replayed = True
module = pathlib.Path("HIDDEN") / "rates.py"
package = pathlib.Path("HIDDEN") / "tables"
package.mkdir()
(package / "__init__.py").write_text("from pathlib import Path\\n"
                                     "TEXT = (Path(__file__).parent / 'data.txt').read_text()")
(package / "data.txt").write_text("beside it")
module.write_text("FACTOR = 2")
session.add_python_file(module)
session.add_python_file(package)
def scaled(i: int) -> str:
    import rates, tables
    return f"{i * rates.FACTOR} {tables.TEXT}"
session.register_function("scaled", scaled)
SCALED = "SELECT max(scaled(id)) FROM range(0, 4, 1, 2)"
first = outcome(SCALED)
module.write_text("FACTOR = 3")
imported = [first, outcome(SCALED)]
session.remove_dependency("rates.py")
imported.append(outcome(SCALED)["text"].partition(" (")[0])
hosts = {worker.host for worker in session.pool}
restarted = session.pool.restart()
tell(replayed=replayed, lines=sorted({line.text for line in session.logs(function="fails")})[:2],
     measured="fails" in repr(session.metrics()), hosts=len(hosts), restarted=len(restarted) > 0,
     alive=len(session.pool), imported=imported)
session.stop()
"""


@pytest.mark.thorough
@pytest.mark.timeout(400)
def test_all_that_does_not_need_a_folder_is_there(tmp_path: Path, hidden: Path) -> None:
    work = tmp_path / "cluster"
    work.mkdir()
    with cluster(work, hidden=[hidden]) as running:
        body = FAR.replace("URL", running.url).replace("HIDDEN", str(hidden))
        with script(body) as process:
            assert told(process) == {"executors": 2, "problems": []}
            assert told(process) == {"kept_secret": True, "endpoint": "tcp"}
            facts = told(process)
            assert facts["whole"] == [[2 + 2 + 3 + 5]]
            assert facts["failed"]["is"] == "UserFunctionError"
            assert facts["failed"]["row"] == 6
            assert facts["failed"]["with"] == [["i", "5"]]
            assert "cannot be kept for session.errors('keeps')" in facts["kept"]
            assert (facts["late"], facts["much"]) == ("FunctionTimeout", "WorkerOutOfMemory")
            assert facts["lost"]["is"] == "WorkerLost"
            assert "dies" in facts["lost"]["text"]
            assert told(process) == {
                "replayed": True,
                "lines": ["at 0", "at 1"],
                "measured": True,
                "hosts": 1,
                "restarted": True,
                "alive": 0,
                "imported": [
                    [["6 beside it"]],
                    [["9 beside it"]],
                    "scaled: ModuleNotFoundError: No module named 'rates'",
                ],
            }
            assert process.wait(60) == 0
    assert not list(Path("/tmp").glob("nudf-worker-*"))


# No way from the workers to the kernel: what is there comes by Spark's own ways.
CUT_OFF = """
import tempfile
from notebook_udf.telemetry.wire import ADDRESS_VARIABLE
tempfile.tempdir = "HIDDEN"
session = nu.session(master="URL", quarantine_path="KEPT")
address = json.loads(session._receiver.address.text())
# A port of this machine that nobody listens on.
address["endpoint"] = "tcp://127.0.0.1:9"
session.changes.environment(ADDRESS_VARIABLE, json.dumps(address))
def fails(i: int) -> int:
    return 10 // (5 - i)
session.register_function("fails", udf(fails, timeout=20))
session.register_function("keeps", udf(fails, on_error="quarantine"))
def says(i: int) -> int:
    print("said", i)
    return i
session.register_function("says", says)
rows = session.sql("SELECT sum(says(id)) FROM range(0, 40, 1, 4)").collect()
calls = [total.rows_in for total in session.metrics().totals if total.function == "says"]
late = [note for note in session.notes if "when a task has ended" in note]
tell(sums=rows[0][0], rows=sum(calls), lines=len(session.logs(function="says")), said=len(late))
rows = session.sql("SELECT count(keeps(id)) FROM range(0, 8, 1, 1)").collect()
tell(counted=rows[0][0], kept=[row.i for row in session.errors("keeps").collect()])
checked = session.check()
tell(problems=[problem.partition(" (")[0] for problem in checked.problems])
try:
    session.sql("SELECT fails(id) FROM range(0, 8, 1, 1)").collect()
except nu.UserFunctionError as error:
    tell(row=error.failed.row, arguments=error.failed.arguments, clean="record 1" not in str(error),
         line=error.failed.frames[-1].name,
         times=sum(each.outcome == "fail" for each in session.store.failures()))
try:
    session.replay("fails")
except ZeroDivisionError:
    tell(replayed=True)
session.stop()
"""


@pytest.mark.thorough
@pytest.mark.timeout(300)
def test_a_failed_call_comes_whole_where_there_is_no_channel(tmp_path: Path, hidden: Path) -> None:
    work = tmp_path / "cluster"
    work.mkdir()
    with cluster(work, 1, hidden=[hidden]) as running:
        body = CUT_OFF.replace("URL", running.url).replace("HIDDEN", str(hidden))
        with script(body.replace("KEPT", str(tmp_path / "kept"))) as process:
            # By Spark's accumulator, with the end of each task.
            assert told(process) == {"sums": 780, "rows": 40, "lines": 40, "said": 1}
            assert told(process) == {"counted": 7, "kept": [5]}
            (problem,) = told(process)["problems"]
            assert problem.endswith("does not reach this kernel")
            facts = told(process)
            assert facts == {
                "row": 6,
                "arguments": [["i", "5"]],
                "clean": True,
                "line": "fails",
                # Spark tries a task four times.
                "times": 1,
            }
            assert told(process) == {"replayed": True}
            assert process.wait(60) == 0
    # What was put there is a person's.
    assert len(list((tmp_path / "kept").rglob("*.parquet"))) == 1


# Machines with Python, Java and Spark, and no package of ours.
BARE = """
session = nu.session(master="URL", ship=SHIP)
def doubles(i: int) -> int:
    return 2 * i
session.register_function("doubles", doubles)
session.register_function("most", nu.udaf(Most(), accumulator_type="array<bigint>", compile=False))
try:
    rows = session.sql("SELECT most(doubles(id)), count(*) FROM range(0, 100, 1, 4)").collect()
    tell(answer=[list(row) for row in rows], problems=session.check().problems)
except nu.SessionError as error:
    tell(error=str(error), problems=session.check().problems)
session.stop()
"""


@pytest.mark.thorough
@pytest.mark.timeout(300)
@pytest.mark.parametrize("ship", [True, False])
def test_a_cluster_without_the_package(tmp_path: Path, ship: bool) -> None:
    work = tmp_path / "cluster"
    work.mkdir()
    bare = f"{sys.base_prefix}/bin{os.pathsep}/usr/bin{os.pathsep}/bin"
    hidden = [ROOT / "notebook_udf"]
    with cluster(work, 1, hidden=hidden, environment={"PATH": bare}) as running:
        body = MOST + BARE.replace("URL", running.url).replace("SHIP", str(ship))
        with script(body, {"PYSPARK_PYTHON": "python3"}) as process:
            facts = told(process)
            if ship:
                assert facts == {"answer": [[198, 100]], "problems": []}
            else:
                assert "ship=True" in facts["error"]
                assert facts["problems"] == [facts["error"]]
            assert process.wait(60) == 0


@pytest.mark.thorough
@pytest.mark.timeout(200)
def test_the_doctor_asks_executors(tmp_path: Path) -> None:
    with cluster(tmp_path, 1) as running:
        command = [sys.executable, "-m", "notebook_udf.cli", "doctor", "--json", "--spark"]
        done = subprocess.run([*command, running.url], capture_output=True, text=True, check=False)
    document = json.loads(done.stdout)
    (executor,) = (each for each in document["findings"] if each["what"].startswith("executor on"))
    assert f"notebook-udf {nu.__version__}" in executor["found"]
    assert not [each for each in document["findings"] if each["what"] == running.url]


@pytest.mark.timeout(200)
def test_the_doctor_names_a_cluster_that_is_not_there() -> None:
    command = [sys.executable, "-m", "notebook_udf.cli", "doctor", "--json", "--spark"]
    there = "spark://127.0.0.1:9"
    done = subprocess.run([*command, there], capture_output=True, text=True, check=False)
    found = {each["what"]: each for each in json.loads(done.stdout)["findings"]}
    assert found[there]["state"] == "wrong"
    assert "127.0.0.1" in found[there]["found"]


def test_the_doctor_leaves_a_session_that_runs(session: nu.Session) -> None:
    found = {each.what: each for each in doctor.examine("spark://127.0.0.1:9")}
    assert found["spark://127.0.0.1:9"].found == "another session runs in this process"
    assert session.sql("SELECT 1").collect()[0][0] == 1
