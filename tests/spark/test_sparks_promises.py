"""What Spark promises of its Python workers holds under our daemon as in a plain Spark."""

from __future__ import annotations

from typing import Any

import pytest

from tests.scripts import script, told

pytestmark = [pytest.mark.thorough, pytest.mark.timeout(180)]

PLAIN = """
from pyspark.sql import SparkSession
from notebook_udf.launch.java import find_java
os.environ.update(find_java().environment())
builder = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
for key, value in CONF.items():
    builder = builder.config(key, value)
spark = builder.getOrCreate()
"""
OURS = """
session = nu.session(workers=1, conf=CONF)
session._warmup.wait()
spark = session.spark
"""


def facts(conf: dict[str, str], body: str) -> dict[str, dict[str, Any]]:
    """What a script finds in a plain Spark, in a session by Spark's own functions and by ours."""
    head = f"CONF = {conf!r}\nfrom pyspark.sql.functions import udf as spark_udf\n"
    sparks = "def made(function, kind):\n    return spark_udf(function, kind)\n"
    ours = (
        "def made(function, kind):\n"
        "    return session.register_function('made', udf(function, result_type=kind))\n"
    )
    found = {}
    for name, text in (("plain", PLAIN + sparks), ("theirs", OURS + sparks), ("ours", OURS + ours)):
        with script(head + text + body) as process:
            found[name] = told(process)
            process.kill()
    return found


@pytest.mark.parametrize("reuse", ["true", "false"])
def test_workers_are_reused_or_not(reuse: str) -> None:
    body = """
where = made(lambda i: os.getpid(), "bigint")
pids = [spark.range(0, 1, 1, 1).select(where("id")).first()[0] for _ in range(3)]
tell(workers=len(set(pids)))
"""
    expected = {"workers": 1 if reuse == "true" else 3}
    found = facts({"spark.python.worker.reuse": reuse}, body)
    assert found == {"plain": expected, "theirs": expected, "ours": expected}


def test_the_memory_of_workers_is_limited() -> None:
    body = """
def limits(i):
    import resource
    return resource.getrlimit(resource.RLIMIT_AS)[0]
tell(limit=spark.range(0, 1, 1, 1).select(made(limits, "bigint")("id")).first()[0])
"""
    expected = {"limit": 3 << 30}
    found = facts({"spark.executor.pyspark.memory": "3g"}, body)
    assert found == {"plain": expected, "theirs": expected, "ours": expected}


@pytest.mark.parametrize(
    "key",
    ["spark.python.worker.faulthandler.enabled",
     "spark.sql.execution.pyspark.udf.faulthandler.enabled"],
)  # fmt: skip
def test_a_crash_has_its_stack(key: str) -> None:
    body = """
def crashes(i):
    import ctypes
    return ctypes.string_at(0) and 1
try:
    spark.range(0, 1, 1, 1).select(made(crashes, "bigint")("id")).collect()
except Exception as error:
    text = str(error)
    tell(fatal="Segmentation fault" in text, where="crashes" in text)
"""
    expected = {"fatal": True, "where": True}
    found = facts({key: "true"}, body)
    assert found == {"plain": expected, "theirs": expected, "ours": expected}


def test_sparks_profiler_sees_functions() -> None:
    body = """
def slow(i):
    return sum(range(1000)) + i
spark.conf.set("spark.sql.pyspark.udf.profiler", "perf")
spark.range(0, 100, 1, 1).select(made(slow, "bigint")("id")).collect()
results = spark._profiler_collector._perf_profile_results
names = {name for stats in results.values() for (_, _, name) in stats.stats}
tell(profiles=len(results), seen="slow" in names)
"""
    expected = {"profiles": 1, "seen": True}
    assert facts({}, body) == {"plain": expected, "theirs": expected, "ours": expected}
