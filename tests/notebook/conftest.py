"""A real kernel for the tests of the notebook: one for all of them, with one Spark session."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from notebook_kernel import Kernel, Ran, drain


@pytest.fixture(scope="session")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kernel]:
    """A kernel in which nothing has happened yet; its tests never start Spark."""
    kernel = Kernel(tmp_path_factory.mktemp("bare"))
    yield kernel
    kernel.stop()


@pytest.fixture(scope="session")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kernel]:
    """A kernel with the magics and a session of two workers."""
    kernel = Kernel(tmp_path_factory.mktemp("kernel"))
    begun = kernel.run(
        "%load_ext notebook_udf\n"
        "import notebook_udf as nu\n"
        "session = nu.session(workers=2)\n"
        "assert session._warmup.wait(60) and session.java.wait(60)\n"
        # What a slow machine shows of a query besides its result is the business of test_live.
        "session.live = False"
    )
    assert begun.ok, begun.errors
    yield kernel
    ended = kernel.run("session.stop()")
    assert ended.ok, ended.errors
    kernel.stop()


@pytest.fixture
def cell(running: Kernel) -> Callable[[str], Ran]:
    """Runs a cell in the kernel that has a session."""
    drain(running.client)
    return running.run
