"""Spark's own logs of workers beside ours: each has every line once, in its own form."""

from __future__ import annotations

import json
import logging
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import notebook_udf as nu
from notebook_udf import AggregateFunction, udaf, udf, udtf
from tests.waiting import awaited

_CONF = "spark.sql.pyspark.worker.logging.enabled"

# Written with PySpark alone, and run on a Spark that knows nothing of this package as well.
_MODULE = """
import logging, os, sys, warnings
from pyspark.sql.functions import udf

class Speaks:
    def say(self, x):
        print("from a method", x)

def body(x):
    print("printed", x)
    print("to stderr", x, file=sys.stderr)
    log = logging.getLogger("mine")
    log.setLevel(logging.INFO)
    log.info("info %s", x)
    log.warning("warning %s", x)
    logging.getLogger("other").info("too low")
    try:
        1 / x
    except ZeroDivisionError:
        log.exception("caught")
    warnings.warn(f"careful {x}")
    Speaks().say(x)
    os.write(1, b"native\\n")
    sys.stdout.write(f"half a line {x}")
    return x

def view(spark):
    spark.range(0, 2, 1, 1).select(udf(body, "long")("id")).collect()
    rows = spark.tvf.python_worker_logs().collect()
    return [row.asDict(recursive=True) | {"ts": None} for row in rows]
"""
_PLAIN = """
import json, sys
from pyspark.sql import SparkSession
import said_by_spark
spark = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").getOrCreate()
spark.conf.set("spark.sql.pyspark.worker.logging.enabled", "true")
sys.stdout.write("\\nVIEW " + json.dumps(said_by_spark.view(spark)))
"""


@pytest.fixture
def logged(session: nu.Session) -> Iterator[nu.Session]:
    """The session, with Spark's own logging of workers."""
    session.spark.conf.set(_CONF, "true")
    yield session
    session.spark.conf.unset(_CONF)


def view(session: nu.Session) -> list[Any]:
    return session.spark.tvf.python_worker_logs().collect()


@pytest.mark.thorough
def test_the_view_is_that_of_spark_alone(
    logged: nu.Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "said_by_spark.py").write_text(_MODULE)
    (tmp_path / "plain.py").write_text(_PLAIN)
    environment = {
        **os.environ, "PYTHONPATH": str(tmp_path),
        "PYSPARK_PYTHON": sys.executable, "PYSPARK_DRIVER_PYTHON": sys.executable,
    }  # fmt: skip
    ran = subprocess.run(
        [sys.executable, "plain.py"],
        cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    wanted = json.loads(ran.stdout.rpartition("VIEW ")[2])
    assert len(wanted) > 10
    monkeypatch.syspath_prepend(str(tmp_path))
    import said_by_spark  # type: ignore[import-not-found]

    # By value, because the workers have no such folder on their path.
    from pyspark import cloudpickle

    cloudpickle.register_pickle_by_value(said_by_spark)
    try:
        before = len(session_logs(logged))
        with awaited(logged, lambda: "half a line 1" in session_logs(logged)[before:]):
            found = said_by_spark.view(logged.spark)
    finally:
        cloudpickle.unregister_pickle_by_value(said_by_spark)
    assert found == wanted
    said = session_logs(logged)[before:]
    assert not [line for line in said if "PYTHON_WORKER_LOGGING" in line]
    for line in ("printed 0", "to stderr 1", "info 0", "warning 1", "from a method 0", "caught"):
        assert sum(each == line or each.endswith(line) for each in said) == 1, line
    assert sum("careful 1" in line for line in said) == 1


def session_logs(session: nu.Session) -> list[str]:
    return [line.text for line in session.logs()]


def _scalar(session: nu.Session) -> None:
    def spoken(i: int) -> int:
        print(f"scalar says {i}")
        return i

    session.register_function("spoken_scalar", udf(spoken))
    session.sql("SELECT spoken_scalar(id) FROM range(0, 2, 1, 1)").collect()


def _pandas(session: nu.Session) -> None:
    def spoken(i: Any) -> Any:
        print(f"pandas says {len(i)}")
        return i

    record = udf(spoken, input_types=["bigint"], result_type="bigint", func_type="pandas")
    session.register_function("spoken_pandas", record)
    session.sql("SELECT spoken_pandas(id) FROM range(0, 2, 1, 1)").collect()


def _async(session: nu.Session) -> None:
    async def spoken(i: int) -> int:
        import asyncio

        await asyncio.sleep(0.01)
        print(f"async says {i}")
        return i

    session.register_function("spoken_async", udf(spoken))
    session.sql("SELECT spoken_async(id) FROM range(0, 2, 1, 1)").collect()


def _table(session: nu.Session) -> None:
    def spoken(i: int) -> Iterator[int]:
        print(f"table says {i}")
        yield i

    session.register_function("spoken_table", udtf(spoken))
    query = "SELECT t.* FROM range(0, 2, 1, 1) AS r, LATERAL spoken_table(r.id) AS t(x)"
    session.sql(query).collect()


class Spoken(AggregateFunction):
    def create_accumulator(self) -> list[int]:
        return [0]

    def accumulate(self, accumulator: list[int], value: int) -> None:
        logging.getLogger("aggregate").warning("aggregate says %d", value)
        accumulator[0] += value

    def merge(self, accumulator: list[int], others: Any) -> None:
        accumulator[0] += sum(other[0] for other in others)

    def get_value(self, accumulator: list[int]) -> int:
        return accumulator[0]


def _aggregate(session: nu.Session) -> None:
    record = udaf(Spoken(), result_type="bigint", accumulator_type="array<bigint>", compile=False)
    session.register_function("spoken_aggregate", record)
    session.sql("SELECT spoken_aggregate(id) FROM range(0, 2, 1, 1)").collect()


@pytest.mark.parametrize(
    ("kind", "run", "name"),
    [
        ("scalar", _scalar, "spoken"),
        ("pandas", _pandas, "spoken"),
        ("async", _async, "spoken"),
        ("table", _table, "spoken"),
        ("aggregate", _aggregate, "accumulate"),
    ],
)
def test_functions_of_each_kind_are_in_both(
    logged: nu.Session, kind: str, run: Any, name: str
) -> None:
    lines = [f"{kind} says {i}" for i in ((0, 1) if kind != "pandas" else (2,))]

    def said() -> list[str]:
        return [text for text in session_logs(logged) if text in lines]

    # Twice, because the second finds workers that have been through it.
    for round_ in (1, 2):
        with awaited(logged, lambda wanted=round_: len(said()) >= wanted * len(lines)):  # type: ignore[misc]
            run(logged)
        rows = [row for row in view(logged) if row.msg in lines]
        assert sorted(row.msg for row in rows) == sorted(said()) == sorted(lines * round_)
    assert {row.context["func_name"] for row in rows} == {name}
    classes = {row.context.get("class_name") for row in rows}
    assert classes == {"Spoken" if kind == "aggregate" else None}
