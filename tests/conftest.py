"""What all tests share: one Spark session per process, and a check that nothing is left behind."""

from __future__ import annotations

import atexit
import gc
import os
import shutil
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest
from golden import golden, pytest_addoption
from hypothesis import settings

import notebook_udf as nu

__all__ = ["golden", "pytest_addoption"]

TESTS = Path(__file__).parent

# Tables of tests do not go where a person's are, nor those of processes beside each other together.
if "NOTEBOOK_UDF_WAREHOUSE" not in os.environ or "PYTEST_XDIST_WORKER" in os.environ:
    os.environ["NOTEBOOK_UDF_WAREHOUSE"] = tempfile.mkdtemp(prefix="tables-of-tests-")
    atexit.register(shutil.rmtree, os.environ["NOTEBOOK_UDF_WAREHOUSE"], ignore_errors=True)

# A change is not to fail for an example its author never saw; by hand they are drawn again. Nor is
# it to fail because the machine was busy.
settings.register_profile("ci", derandomize=True, deadline=None)
settings.register_profile("hand", deadline=None)
settings.load_profile("ci" if os.environ.get("CI") else "hand")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Marks each test by its folder, so that ``-m unit`` chooses those of ``tests/unit``.

    Leaves out what is ``thorough`` unless ``-m`` speaks of it, whatever else it chooses.
    """
    cases: Counter[tuple[Path, str]] = Counter()
    for item in items:
        item.add_marker(item.path.relative_to(TESTS).parts[0])
        taken = item.get_closest_marker("one_in")
        if taken is not None:
            test = item.path, item.nodeid.partition("[")[0]
            if cases[test] % taken.args[0]:
                item.add_marker("thorough")
            cases[test] += 1
    if "thorough" in config.getoption("markexpr"):
        return
    left_out = [item for item in items if item.get_closest_marker("thorough")]
    config.hook.pytest_deselected(items=left_out)
    items[:] = [item for item in items if not item.get_closest_marker("thorough")]


def pytest_collection_finish() -> None:
    """Has the garbage collector pass over what modules hold: it looks for cycles among that again
    and again, which takes as long as the tests of a small module."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session", autouse=True)
def nothing_left_behind() -> Iterator[None]:
    """After the last test: no process, no thread, no session folder that was not there before."""
    threads = set(threading.enumerate())
    yield
    from notebook_udf.kernel import active_session

    running = active_session()
    if running is not None:
        folder = running.folder
        running.stop()
        assert not folder.exists()
    children = psutil.Process().children(recursive=True)
    _, alive = psutil.wait_procs(children, timeout=15)
    assert not alive, f"processes left behind: {alive}"
    left = [t for t in threading.enumerate() if t not in threads and t.name.startswith("notebook")]
    assert not left, f"threads left behind: {left}"


@pytest.fixture(scope="session")
def session() -> nu.Session:
    """The session of this test process, with two workers, as a user would start it."""
    # A zone with daylight saving, so that a confusion of zones shows.
    os.environ["TZ"] = "Europe/Berlin"
    time.tzset()
    conf = {
        "spark.sql.shuffle.partitions": "2",
        # As in a session of many hours, Spark has forgotten its first queries.
        "spark.sql.ui.retainedExecutions": "60",
    }
    running = nu.session(workers=2, conf=conf)
    assert running._warmup.wait(60)
    # Until then functions run in workers.
    assert running.java.wait(60)
    return running
