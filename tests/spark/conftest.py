"""What tests of functions in Spark's JVM share."""

from __future__ import annotations

import pytest

import notebook_udf as nu
from tests.spark.java_calls import Java


@pytest.fixture(scope="session")
def java(session: nu.Session) -> Java:
    """The library that functions call, compiled once."""
    return Java(session.spark._jvm)
