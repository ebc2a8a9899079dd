"""Two kernels on one Spark at a time: each sees its own functions, rows, lines and errors."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from subprocess import Popen
from typing import Any

import pytest

from tests.cluster import cluster
from tests.connect.server import ConnectServer
from tests.scripts import script, told

# Both give their function the same name, and run it at the same time, round by round.
KERNEL = """
session = nu.session(OPENED)
def same(i: int) -> int:
    print("NAME sees", i)
    if i % 100 == DIGIT:
        raise ValueError("NAME")
    return FACTOR * i
session.register_function("same", udf(same, on_error="quarantine"))
session.register_function("strict", same)
tell(ready=True)
sums = []
for _ in range(3):
    sys.stdin.readline()
    sums.append(session.sql("SELECT sum(same(id)) FROM range(0, 1000, 1, 4)").collect()[0][0])
    tell(done=True)
try:
    session.sql("SELECT sum(strict(id)) FROM range(0, 1000, 1, 4)").collect()
except nu.UserFunctionError as error:
    failed = error.failed.message
errors = session.errors("same")
lines = {line.text.split()[0] for line in session.logs(function="same")}
pids = [worker.pid for worker in session.pool]
session.pool.restart()
tell(sums=sums, failed=failed, lines=sorted(lines), kept=errors.count(), pids=pids,
     messages=[row[0] for row in errors.select("message").distinct().collect()],
     rows=sum(t.rows_in for t in session.metrics().totals if t.function == "same"))
session.stop()
tell(stopped=True)
"""


@pytest.fixture(params=["connect", pytest.param("cluster", marks=pytest.mark.thorough)])
def opened(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The argument of ``nu.session`` for a Spark that is started for the test."""
    if request.param == "cluster":
        with cluster(tmp_path) as running:
            # Each takes one of its two cores.
            yield f'master="{running.url}", conf={{"spark.cores.max": 1}}'
    else:
        with ConnectServer(tmp_path) as running:
            yield f'remote="{running.url}"'


def say(process: Popen[str]) -> None:
    assert process.stdin is not None
    print(file=process.stdin, flush=True)


@pytest.mark.timeout(300)
def test_nothing_is_mixed(opened: str) -> None:
    facts: list[dict[str, Any]] = []
    with ExitStack() as stack:
        kernels = []
        for name, factor, digit in (("first", "1", "3"), ("second", "10", "4")):
            body = KERNEL.replace("OPENED", opened).replace("NAME", name)
            body = body.replace("FACTOR", factor).replace("DIGIT", digit)
            kernels.append(stack.enter_context(script(body)))
        for kernel in kernels:
            assert told(kernel) == {"ready": True}
        for _ in range(3):
            for kernel in kernels:
                say(kernel)
            for kernel in kernels:
                assert told(kernel) == {"done": True}
        facts = [told(kernel) for kernel in kernels]
        for kernel in kernels:
            assert told(kernel) == {"stopped": True}
            assert kernel.wait(60) == 0
    for found, name, factor, digit in zip(facts, ("first", "second"), (1, 10), (3, 4), strict=True):
        right = factor * (sum(range(1000)) - sum(range(digit, 1000, 100)))
        assert found["sums"] == [right] * 3
        assert found["failed"] == name
        assert found["lines"] == [name]
        assert (found["kept"], found["messages"], found["rows"]) == (30, [name], 3000)
    assert not set(facts[0]["pids"]) & set(facts[1]["pids"])
