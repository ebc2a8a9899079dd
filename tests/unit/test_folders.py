"""What a folder of tests promises: those in here start no JVM, and are found by their mark."""

from __future__ import annotations

import pytest
from pyspark import SparkConf, java_gateway
from pyspark.core import context


@pytest.mark.parametrize("module", [java_gateway, context])
def test_a_unit_test_that_starts_a_jvm_fails(module: object) -> None:
    with pytest.raises(pytest.fail.Exception, match="starts a JVM"):
        module.launch_gateway(SparkConf(loadDefaults=False))  # type: ignore[attr-defined]


def test_it_is_marked_by_its_folder(request: pytest.FixtureRequest) -> None:
    kinds = {"unit", "spark", "faults", "notebook", "browser"}
    assert kinds & {mark.name for mark in request.node.iter_markers()} == {"unit"}
