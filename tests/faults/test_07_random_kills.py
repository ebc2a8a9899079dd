"""Workers are killed at random moments of queries, again and again: nothing differs, nothing stays.

Spark is told to try a task again; what it then counts, sets aside and answers is that of a quiet
run.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.scripts import script, told

SEED = int(os.environ.get("NOTEBOOK_UDF_SEED", "7"))

PROGRAM = """
import asyncio, random, psutil
from collections import Counter
session = nu.session(master="local[2,50]", conf={"spark.sql.shuffle.partitions": 2})
session.live = False
def picky(i: int) -> int:
    time.sleep(0.0001)
    if i % 1000 == 3:
        raise ValueError(f"not {i}")
    return i
class Total(nu.AggregateFunction):
    def create_accumulator(self): return [0]
    def accumulate(self, acc, v: int):
        time.sleep(0.0001)
        if v is not None: acc[0] += v
    def merge(self, acc, others):
        for other in others: acc[0] += other[0]
    def get_value(self, acc) -> int: return acc[0]
def parts(i: int):
    time.sleep(0.0001)
    for n in range(i % 3):
        yield i, n
async def asks(i: int) -> int:
    await asyncio.sleep(0.001)
    return i + 1
session.register_function("picky", udf(picky, on_error="quarantine"))
session.register_function("total", Total)
session.register_function("parts", nu.udtf(parts, result_types=["bigint", "bigint"]))
session.register_function("asks", asks)
session.spark.range(0, 4000, 1, 4).selectExpr("id AS i").createOrReplaceTempView("numbers")
QUERIES = {
    "scalar": "SELECT picky(i) AS v FROM numbers",
    "aggregate": "SELECT i % 4 AS k, total(picky(i)) AS t FROM numbers GROUP BY 1",
    "window": "SELECT i, total(i) OVER (PARTITION BY i % 40 ORDER BY i "
              "ROWS BETWEEN 2 PRECEDING AND CURRENT ROW) AS t FROM numbers",
    "table": "SELECT i, n, m FROM numbers, LATERAL parts(i) AS t(n, m)",
    "async": "SELECT asks(i) AS a FROM numbers",
}
def set_aside():
    return Counter(row.i for row in session.errors("picky").collect())
def answered(query):
    began, before = time.monotonic(), set_aside()
    rows = sorted(map(tuple, session.sql(query).collect()), key=str)
    seconds = time.monotonic() - began
    newest = max(session.metrics().queries, key=int)
    assert session.store.wait_settled(newest, 20)
    functions = session.metrics().query(newest)["functions"]
    counted = {f["function"]: (f["rows_in"], f["rows_out"], f["errors"]) for f in functions}
    return (rows, sorted((set_aside() - before).elements()), counted), seconds
quiet = {kind: answered(query) for kind, query in QUERIES.items()}
quiet = {kind: answered(query) for kind, query in QUERIES.items()}
tell(folder=str(session.folder), counted={kind: each[0][2] for kind, each in quiet.items()},
     kept=len(quiet["scalar"][0][1]))
chance = random.Random(SEED)
def busy():
    return [worker.pid for worker in session.pool.workers if worker.state == "busy"]
def kill(pause):
    # Of the time that workers take: a busy machine takes longer to begin.
    while not busy() and not ended.wait(0.02):
        pass
    if not ended.wait(pause) and (found := busy()):
        psutil.Process(chance.choice(found)).kill()
        killed.append(kind)
killed, different, tries = [], [], 0
while len(killed) < KILLS:
    kind = list(QUERIES)[tries % len(QUERIES)]
    tries += 1
    right, seconds = quiet[kind]
    ended = threading.Event()
    killer = threading.Thread(target=kill, args=[chance.uniform(0, seconds / 2)])
    killer.start()
    found, _ = answered(QUERIES[kind])
    ended.set()
    killer.join()
    if found != right:
        different.append((kind, [str((a, b))[:900] for a, b in zip(found, right) if a != b]))
tell(killed={kind: killed.count(kind) for kind in QUERIES}, different=different, tries=tries)
session.stop()
"""


@pytest.fixture
def folder() -> Iterator[Path]:
    """One with a path so short that sockets fit below it."""
    with tempfile.TemporaryDirectory(prefix="kills") as made:
        yield Path(made)


@pytest.mark.thorough
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("kills", [4, 100])
def test_of_a_query_that_is_tried_again(folder: Path, kills: int) -> None:
    body = PROGRAM.replace("KILLS", str(kills)).replace("SEED", str(SEED))
    with script(body, {"TMPDIR": str(folder)}) as process:
        quiet: dict[str, Any] = told(process)
        assert quiet["counted"]["scalar"] == {"picky": [4000, 4000, 4]}
        assert quiet["kept"] == 4
        found = told(process)
        family = psutil.Process(process.pid).children(recursive=True)
        assert process.wait(60) == 0
        _, alive = psutil.wait_procs(family, timeout=15)
    assert not found["different"], found
    assert sum(found["killed"].values()) == kills
    if kills >= 100:
        assert min(found["killed"].values()) >= 5, found
    assert not alive
    assert not Path(quiet["folder"]).exists()
    assert not list(folder.iterdir())
