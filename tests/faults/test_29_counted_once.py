"""A task that is retried: its metrics count once."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cluster import cluster
from tests.scripts import script, told


def test_metrics_of_an_attempt_that_failed_are_not_counted_twice() -> None:
    body = """
    session = nu.session(master="local[1,2]")
    class Counted(nu.ScalarFunction):
        def open(self, ctx):
            self.attempt = ctx.get_attempt_number()
            self.seen = ctx.get_metric_group().counter("seen")
        def eval(self, i: int) -> int:
            self.seen.inc()
            if i == 70000 and self.attempt == 0:
                raise ValueError("only the first time")
            return i
    session.register_function("counted", udf(Counted))
    ended = threading.Event()
    session.store.subscribe(
        lambda r: ended.set() if r.kind == "task-ended" and r.outcome == "done" else None
    )
    rows = len(session.sql("SELECT counted(id) FROM range(0, 100000, 1, 1)").collect())
    ended.wait(10)
    (total,) = session.metrics().totals
    (metric,) = session.metrics().user_metrics
    tell(rows=rows, counted=metric.value, rows_in=total.rows_in, tasks=total.tasks)
    """
    with script(body) as process:
        facts = told(process)
        assert facts == {"rows": 100_000, "counted": 100_000, "rows_in": 100_000, "tasks": 1}


# The first attempt of one task is slow, and Spark starts it a second time elsewhere.
TWINS = """
session = nu.session(master="URL", conf={
    "spark.speculation": "true",
    "spark.speculation.interval": "100ms",
    "spark.speculation.multiplier": "1.1",
    "spark.speculation.quantile": "0.5",
    "spark.speculation.minTaskRuntime": "100ms",
})
class Counted(nu.ScalarFunction):
    def open(self, ctx):
        self.first = ctx.get_attempt_number() == 0
        self.seen = ctx.get_metric_group().counter("seen")
    def eval(self, i: int) -> int:
        self.seen.inc()
        if i == 15 and self.first:
            open("FOLDER/" + str(os.getpid()), "w").close()
            time.sleep(60)
        return i
session.register_function("counted", udf(Counted))
rows = session.sql("SELECT counted(id) AS i FROM range(0, 16, 1, 4)").collect()
(total,) = session.metrics().totals
(metric,) = session.metrics().user_metrics
tell(rows=sorted(row.i for row in rows), counted=metric.value, rows_in=total.rows_in)
session.stop()
"""


@pytest.mark.thorough
@pytest.mark.timeout(240)
def test_the_slower_of_two_twins_does_not_count(tmp_path: Path) -> None:
    slow = tmp_path / "slow"
    slow.mkdir()
    with cluster(tmp_path) as spark:
        body = TWINS.replace("URL", spark.url).replace("FOLDER", str(slow))
        with script(body) as process:
            facts = told(process)
            assert process.wait(60) == 0
    # It had begun, and lost.
    assert len(list(slow.iterdir())) == 1
    assert facts == {"rows": list(range(16)), "counted": 16, "rows_in": 16}
