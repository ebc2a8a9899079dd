"""Nobody on the network reaches a Spark of this machine alone: by the sockets that listen."""

from __future__ import annotations

import ipaddress
import os
import subprocess

import psutil
import pytest

from tests.scripts import script, told

pytestmark = pytest.mark.timeout(120)

OWN = """
session = nu.session(workers=1, conf={"spark.ui.enabled": "true"}, REMOTE)
def twice(i: int) -> int:
    return 2 * i
session.register_function("twice", twice)
rows = [row[0] for row in session.sql("SELECT twice(id) FROM range(3)").collect()]
tell(rows=rows, notes=session.notes, variable=os.environ.get("SPARK_LOCAL_IP"))
sys.stdin.readline()
"""
ADOPTED = """
from pyspark.sql import SparkSession
from notebook_udf.launch.java import find_java
os.environ.update({**find_java().environment(), "PYSPARK_PYTHON": sys.executable})
spark = SparkSession.builder.master("local[1]").CONF.getOrCreate()
session = nu.session(spark)
from notebook_udf import doctor
tell(notes=session.notes, doctor=[[f.state, f.found, f.mend] for f in doctor.check_listening()],
     port=int(spark.sparkContext.uiWebUrl.rpartition(":")[2]))
sys.stdin.readline()
"""


def listening(pid: int) -> list[tuple[str, int]]:
    """What a process and those below it listen on, as ``ss`` tells."""
    top = psutil.Process(pid)
    family = {process.pid for process in (top, *top.children(recursive=True))}
    told = subprocess.run(["ss", "-Hltnp"], capture_output=True, text=True, check=True).stdout
    found = []
    for line in told.splitlines():
        if any(f"pid={each}," in line for each in family):
            address, _, port = line.split()[3].rpartition(":")
            found.append((address.strip("[]").partition("%")[0], int(port)))
    return found


def is_outside(address: str) -> bool:
    if address == "*":
        return True
    one = ipaddress.ip_address(address)
    return not (getattr(one, "ipv4_mapped", None) or one).is_loopback


@pytest.mark.parametrize("remote", ["", "remote='local[1]'"], ids=["classic", "connect"])
def test_a_spark_we_start_is_reached_from_this_machine_alone(remote: str) -> None:
    body = OWN.replace("workers=1, ", "" if remote else "workers=1, ").replace("REMOTE", remote)
    with script(body) as process:
        facts = told(process)
        assert facts["rows"] == [0, 2, 4]
        # Only Java is told.
        assert facts["variable"] == os.environ.get("SPARK_LOCAL_IP")
        found = listening(process.pid)
        assert len(found) >= 2, found
        assert [each for each in found if is_outside(each[0])] == []


@pytest.mark.thorough
def test_an_adopted_one_that_is_open_to_others_is_told() -> None:
    with script(ADOPTED.replace("CONF", 'config("spark.ui.port", "0")')) as process:
        facts = told(process)
        outside = [port for address, port in listening(process.pid) if is_outside(address)]
        assert facts["port"] in outside
        (note,) = [each for each in facts["notes"] if "other machines" in each]
        assert str(facts["port"]) in note
        assert "spark.driver.bindAddress" in note
        (finding,) = facts["doctor"]
        assert finding[0] == "look"
        assert str(facts["port"]) in finding[1]


@pytest.mark.thorough
def test_an_adopted_one_that_is_not_is_no_matter() -> None:
    conf = 'config("spark.ui.port", "0").config("spark.driver.bindAddress", "127.0.0.1")'
    body = "os.environ['SPARK_LOCAL_IP'] = '127.0.0.1'\n" + ADOPTED.replace("CONF", conf)
    with script(body) as process:
        facts = told(process)
        assert not [each for each in facts["notes"] if "other machines" in each]
        assert facts["doctor"][0][0] == "fine"
