"""Unit tests start no JVM, and those that do a worker's work leave the process the kernel's."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NoReturn

import pytest
from pyspark import java_gateway
from pyspark.core import context

from notebook_udf.functions.definition import doorway


@pytest.fixture(autouse=True)
def in_the_kernel_again() -> Iterator[None]:
    before = doorway.inside_worker
    yield
    doorway.inside_worker = before


@pytest.fixture(autouse=True)
def no_jvm(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Fails a test that starts a JVM, or asks for the session that other tests have started."""

    def refuse(*_: Any, **__: Any) -> NoReturn:
        pytest.fail("a unit test starts a JVM; its place is below tests/spark")

    if "session" in request.fixturenames:
        refuse()
    for module in (java_gateway, context):
        monkeypatch.setattr(module, "launch_gateway", refuse)
