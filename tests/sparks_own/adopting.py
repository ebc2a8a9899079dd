"""A plugin of pytest for Spark's own tests: a session adopts each Spark that they start.

It finds their modules in the folder that ``PYSPARK_TESTS`` names; ``PYSPARK_TESTS_WITH`` is "us"
for a run in which Spark is adopted.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyspark
import pyspark.sql
import pyspark.testing.sqlutils as sql_cases
import pyspark.testing.utils as cases
from pyspark.sql import SparkSession

FOLDER, WITH = "PYSPARK_TESTS", "PYSPARK_TESTS_WITH"


def pytest_configure() -> None:
    """Makes their modules importable under their own names, and adopts what they start."""
    source = Path(os.environ[FOLDER])
    for package in (pyspark, pyspark.sql):
        package.__path__.append(str(source.joinpath(*package.__name__.split("."))))
    # Tests of another version import names from where they stood then.
    for name in set(vars(cases)) - set(vars(sql_cases)):
        setattr(sql_cases, name, getattr(cases, name))
    _around(cases.ReusedPySparkTestCase, "setUpClass", "tearDownClass", _of_context)
    _around(sql_cases.ReusedSQLTestCase, "setUpClass", "tearDownClass", lambda case: case.spark)
    _around(cases.PySparkTestCase, "setUp", "tearDown", _of_context)


def _of_context(case: Any) -> SparkSession:
    """A SparkSession of a case that has none, with us or without: PySpark's errors are others as
    soon as there is one."""
    return SparkSession(case.sc)


def _around(kind: Any, begin: str, end: str, spark_of: Callable[[Any], SparkSession]) -> None:
    """Has a session adopt the Spark of a case after it has begun, and leave it before it ends."""
    import notebook_udf as nu
    from notebook_udf.kernel.active_session import active_session

    before, after = getattr(kind, begin), getattr(kind, end)
    by_class = hasattr(before, "__self__")
    before, after = getattr(before, "__func__", before), getattr(after, "__func__", after)

    def beginning(case: Any) -> None:
        before(case)
        # A class that derives from another one has begun that as well.
        leaving(case)
        spark = spark_of(case)
        if os.environ[WITH] == "us":
            nu.session(spark)

    def leaving(_case: Any) -> None:
        session = active_session()
        if session is not None:
            session.stop()

    def ending(case: Any) -> None:
        leaving(case)
        after(case)

    setattr(kind, begin, classmethod(beginning) if by_class else beginning)
    setattr(kind, end, classmethod(ending) if by_class else ending)
