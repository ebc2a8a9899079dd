"""A function without a limit takes all the memory there is: its worker ends before others do."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.scripts import script, told

ROOM = 3 << 30

BODY = """
with open(os.environ["GROUP"] + "/cgroup.procs", "w") as members:
    members.write(str(os.getpid()))
session = nu.session(workers=2)

def takes_lists(i: int) -> int:
    kept = []
    print("begins")
    while True:
        kept.append(list(range(i, i + 100_000)))

def takes_arrays(i: int) -> int:
    import numpy
    return sum(int(a.sum()) for a in [numpy.ones(1 << 29)])

def modest(i: int) -> int:
    return len(bytearray(100 << 20))

for function in (takes_lists, takes_arrays, modest):
    session.register_function(function.__name__, function)
for name in ("takes_lists", "takes_arrays"):
    try:
        session.sql(f"SELECT {name}(id) FROM range(0, 2, 1, 1)").collect()
    except nu.WorkerOutOfMemory as error:
        tell(said=str(error), limit=error.limit, peak=error.peak, function=error.function)
    rows = session.sql("SELECT modest(id) AS n FROM range(0, 4, 1, 2)").collect()
    tell(rows=[row.n >> 20 for row in rows])
ended = [worker["ended"] for worker in session.pool.to_dict()["ended"]]
tell(ended=[text for text in ended if "memory" in text])
session.stop()
"""


@pytest.fixture
def group() -> Iterator[Path]:
    """A control group with less memory than the machine."""
    for root, limit in (
        (Path("/sys/fs/cgroup"), "memory.max"),
        (Path("/sys/fs/cgroup/memory"), "memory.limit_in_bytes"),
    ):
        try:
            folder = Path(tempfile.mkdtemp(prefix="runaway-", dir=root))
        except OSError:
            continue
        try:
            with open(folder / limit, "r+") as file:
                file.write(str(ROOM))
            yield folder
            return
        except OSError:
            # No control groups are mounted there, or none with limits of memory.
            continue
        finally:
            folder.rmdir()
    pytest.skip("needs the right to make a control group with a limit of memory")


@pytest.mark.thorough
@pytest.mark.timeout(150)
def test_it_is_ended_with_the_figures_and_all_goes_on(group: Path) -> None:
    with script(BODY, {"GROUP": os.fspath(group)}) as process:
        for name in ("takes_lists", "takes_arrays"):
            facts = told(process)
            assert facts["function"] == name
            assert facts["limit"] == ROOM
            assert ROOM // 4 < facts["peak"] < ROOM
            assert facts["said"].startswith(f"{name} takes too much memory: worker ")
            assert "bundle 1" in facts["said"]
            assert len(facts["said"].splitlines()) < 12
            assert told(process) == {"rows": [100] * 4}
        ended = told(process)["ended"]
        assert len(ended) == 2
        assert all("for the machine ran out of memory" in text for text in ended)
        assert process.wait(60) == 0
