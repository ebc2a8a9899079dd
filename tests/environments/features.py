"""Everything that a session promises, tried one by one in the Spark at hand.

A script, so that its functions travel by value, as a notebook's do. Its argument is what
``nu.session`` gets, as JSON, with ``adopt`` for the builder of a Spark that is started first. It
prints a line of JSON for each feature: its name, and "" if it is there, else what was said.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from IPython.core.interactiveshell import InteractiveShell

import notebook_udf as nu
from notebook_udf import udaf, udf, udtaf, udtf

FEATURES: dict[str, Callable[[nu.Session], None]] = {}


def feature(name: str) -> Callable[[Callable[[nu.Session], None]], Callable[[nu.Session], None]]:
    """Adds a feature: what is not there raises an error of ours, a wrong answer an assertion."""

    def add(trial: Callable[[nu.Session], None]) -> Callable[[nu.Session], None]:
        FEATURES[name] = trial
        return trial

    return add


# Functions -----------------------------------------------------------------------------------


def plus(i: int) -> int:
    return i + 1


def adds(a: int, b: int) -> int:
    return a + b


def upper(s: pd.Series) -> pd.Series:
    return s.str.upper()


async def asks(i: int) -> int:
    await asyncio.sleep(0.001)
    return i * 10


def pairs(i: int) -> Iterator[tuple[int, int]]:
    for n in range(i):
        yield i, n


def tells(i: int) -> int:
    print("told", i)
    return i


def breaks(i: int) -> int:
    return 10 // (5 - i)


def dwells(i: int) -> int:
    time.sleep(600)
    return i


def hoards(i: int) -> int:
    return len(bytearray(i))


def dies(i: int) -> int:
    if i == 7:
        os.kill(os.getpid(), signal.SIGKILL)
    return i


class Most(nu.AggregateFunction):
    """The greatest value, in an accumulator of its own."""

    def create_accumulator(self) -> list[int]:
        return [0]

    def accumulate(self, accumulator: list[int], v: int) -> None:
        accumulator[0] = max(accumulator[0], v)

    def merge(self, accumulator: list[int], others: Any) -> None:
        for other in others:
            accumulator[0] = max(accumulator[0], other[0])

    def get_value(self, accumulator: list[int]) -> int:
        return accumulator[0]


class Two(nu.TableAggregateFunction):
    """The two greatest values."""

    def create_accumulator(self) -> list[int]:
        return []

    def accumulate(self, accumulator: list[int], v: int) -> None:
        accumulator.append(v)
        accumulator.sort(reverse=True)
        del accumulator[2:]

    def merge(self, accumulator: list[int], others: Any) -> None:
        for other in others:
            for v in other:
                self.accumulate(accumulator, v)

    def emit_value(self, accumulator: list[int]) -> Iterator[tuple[int]]:
        for v in accumulator:
            yield (v,)


def mean(v: pd.Series) -> float:
    return float(v.mean())


COUNT = nu.StateDeclarations.value_state("count", "BIGINT")


class Counts(nu.OneInputStreamProcessFunction):
    """How many records a key has had."""

    def uses_states(self) -> Any:
        return {COUNT}

    def process_record(self, record: Any, output: Any, ctx: Any) -> None:
        state = ctx.get_state(COUNT)
        state.update((state.value() or 0) + 1)
        output.collect(state.value())


def register(session: nu.Session) -> None:
    """Registers all of them."""
    session.register_function("plus", plus)
    session.register_function("adds", adds)
    session.register_function("loud", udf(upper, result_type="string", func_type="pandas"))
    session.register_function("asks", asks)
    session.register_function("pairs", udtf(pairs, result_types=["bigint", "bigint"]))
    session.register_function("tells", tells)
    session.register_function("breaks", breaks)
    session.register_function("keeps", udf(breaks, on_error="quarantine"))
    session.register_function("dwells", udf(dwells, timeout=1))
    session.register_function("hoards", udf(hoards, memory="400m"))
    session.register_function("dies", dies)
    session.register_function("most", udaf(Most(), accumulator_type="array<bigint>", compile=False))
    session.register_function("two", udtaf(Two(), result_type="bigint"))
    session.register_function("mid", udaf(mean, result_type="double", func_type="pandas"))


# Where a function may stand ------------------------------------------------------------------

T = "VALUES (1, 'a'), (2, 'b'), (3, 'a') AS t(i, s)"
U = "VALUES (2, 'x'), (3, 'y'), (9, 'z') AS u(j, w)"
QUERIES: dict[str, tuple[str, list[list[Any]]]] = {
    "scalar in SELECT, WHERE, GROUP BY, HAVING, ORDER BY": (
        f"SELECT plus(i) p, count(*) FROM {T} WHERE plus(i) > 2 GROUP BY plus(i) "
        "HAVING plus(max(i)) > 2 ORDER BY plus(p)",
        [[3, 1], [4, 1]],
    ),
    "scalar in CASE, called only where reached": (
        "SELECT CASE WHEN id = 5 THEN -1 ELSE breaks(id) END FROM range(4, 7)",
        [[-10], [-1], [10]],
    ),
    "scalar selected and filtered on": (
        f"SELECT plus(i) FROM {T} WHERE plus(i) > 2",
        [[3], [4]],
    ),
    "scalar in an equi-join key": (
        f"SELECT i, j FROM {T} JOIN {U} ON plus(i) = j",
        [[1, 2], [2, 3]],
    ),
    "scalar over both sides of an inner join": (
        f"SELECT i, j FROM {T} JOIN {U} ON adds(i, j) = 5",
        [[2, 3], [3, 2]],
    ),
    "scalar over both sides of an outer join": (
        f"SELECT i, j FROM {T} LEFT JOIN {U} ON adds(i, j) = 5",
        [[1, None], [2, 3], [3, 2]],
    ),
    "scalar over both sides of a semi, an anti and a full join, in EXISTS": (
        f"SELECT (SELECT count(*) FROM {T} LEFT SEMI JOIN {U} ON adds(i, j) = 5), "
        f"(SELECT count(*) FROM {T} LEFT ANTI JOIN {U} ON adds(i, j) = 5), "
        f"(SELECT count(*) FROM {T} FULL JOIN {U} ON adds(i, j) = 5), "
        f"(SELECT count(*) FROM {T} WHERE EXISTS (SELECT 1 FROM {U} WHERE adds(i, j) = 5))",
        [[2, 1, 4, 2]],
    ),
    "scalar in a higher-order lambda": (
        "SELECT transform(array(1L, 2L), x -> plus(x))",
        [[[2, 3]]],
    ),
    "general and vectorised scalars nested": (
        f"SELECT loud(concat(s, plus(i))) FROM {T}",
        [["A2"], ["A4"], ["B3"]],
    ),
    "table function, cross lateral": (
        f"SELECT i, p.b FROM {T}, LATERAL pairs(i) AS p(a, b) WHERE i < 3",
        [[1, 0], [2, 0], [2, 1]],
    ),
    "table function, left lateral with a condition": (
        f"SELECT i, p.b FROM {T} LEFT JOIN LATERAL pairs(i) AS p(a, b) ON p.b > 1",
        [[1, None], [2, None], [3, 2]],
    ),
    "table function standing alone in FROM": (
        "SELECT * FROM pairs(2) AS p(a, b)",
        [[2, 0], [2, 1]],
    ),
    "table function in LATERAL VIEW OUTER": (
        f"SELECT i, b FROM {T} LATERAL VIEW OUTER pairs(i - 1) p AS a, b WHERE i < 3",
        [[1, None], [2, 0]],
    ),
    "table function over a scalar, filtered on its output": (
        f"SELECT i, p.b FROM {T}, LATERAL pairs(plus(i)) AS p(a, b) WHERE p.b > 1",
        [[2, 2], [3, 2], [3, 3]],
    ),
    "table functions, two in a row": (
        f"SELECT i, p.b, q.b FROM {T}, LATERAL pairs(i) AS p(a, b), LATERAL pairs(p.b) AS q(a, b)",
        [[2, 1, 0], [3, 1, 0], [3, 2, 0], [3, 2, 1]],
    ),
    "aggregate in GROUP BY, beside built-ins": (
        f"SELECT s, most(i), count(*) FROM {T} GROUP BY s",
        [["a", 3, 2], ["b", 2, 1]],
    ),
    "aggregate of an empty input": (
        f"SELECT most(i) FROM {T} WHERE i > 9",
        [[0]],
    ),
    "vectorised aggregate": (
        f"SELECT s, mid(i) FROM {T} GROUP BY s",
        [["a", 2.0], ["b", 2.0]],
    ),
    "aggregate with FILTER and DISTINCT": (
        f"SELECT most(i) FILTER (WHERE s = 'b'), most(DISTINCT i) FROM {T}",
        [[2, 3]],
    ),
    "general and vectorised aggregates in one query": (
        f"SELECT s, most(i), mid(i) FROM {T} GROUP BY s HAVING most(i) > 2",
        [["a", 3, 2.0]],
    ),
    "aggregate in ROLLUP": (
        f"SELECT s, most(i) FROM {T} GROUP BY ROLLUP (s)",
        [[None, 3], ["a", 3], ["b", 2]],
    ),
    "aggregate in PIVOT": (
        f"SELECT * FROM (SELECT * FROM {T}) PIVOT (most(i) FOR s IN ('a' AS a, 'b' AS b))",
        [[3, 2]],
    ),
    "aggregate in tumbling, sliding and session windows": (
        f"WITH e AS (SELECT timestamp_seconds(10 * i) AS at, i FROM {T}) "
        "SELECT (SELECT array_agg(m) FROM (SELECT most(i) m FROM e "
        "GROUP BY window(at, '20 seconds') ORDER BY m)), "
        "(SELECT array_agg(m) FROM (SELECT most(i) m FROM e "
        "GROUP BY window(at, '20 seconds', '10 seconds') ORDER BY m)), "
        "(SELECT array_agg(m) FROM (SELECT most(i) m FROM e "
        "GROUP BY session_window(at, '15 seconds') ORDER BY m))",
        [[[1, 3], [1, 2, 3, 3], [3]]],
    ),
    "aggregate OVER bounded and unbounded": (
        f"SELECT i, most(i) OVER (ORDER BY i DESC ROWS BETWEEN 1 PRECEDING AND CURRENT ROW), "
        f"most(i) OVER (PARTITION BY s) FROM {T}",
        [[1, 2, 3], [2, 3, 2], [3, 3, 3]],
    ),
    "aggregates of joined CTEs": (
        f"WITH a AS (SELECT s, most(i) m FROM {T} GROUP BY s), "
        f"b AS (SELECT s, count(*) n FROM {T} GROUP BY s) SELECT a.s, m, n FROM a JOIN b USING (s)",
        [["a", 3, 2], ["b", 2, 1]],
    ),
    "async in SELECT, WHERE, CASE, nested with sync": (
        f"SELECT asks(plus(i)), CASE WHEN i = 1 THEN 0 ELSE asks(i) END FROM {T} WHERE asks(i) > 5",
        [[20, 0], [30, 20], [40, 30]],
    ),
}


def rows(frame: Any) -> list[list[Any]]:
    """The rows in an order of their own."""
    return sorted(([*row] for row in frame.collect()), key=repr)


def asked(query: str, expected: list[list[Any]]) -> Callable[[nu.Session], None]:
    """A feature that is an answer."""

    def trial(session: nu.Session) -> None:
        found = rows(session.sql(query))
        assert found == sorted(expected, key=repr), found

    return trial


for _name, (_query, _expected) in QUERIES.items():
    feature(_name)(asked(_query, _expected))


@feature("table aggregate")
def _(session: nu.Session) -> None:
    two = session.functions["two"]
    frame = session.sql(f"SELECT s, CAST(i AS BIGINT) i FROM {T}")
    found = rows(frame.transform(nu.flat_aggregate(two("i").alias("v"), by="s")))
    assert found == [["a", 1], ["a", 3], ["b", 2]], found


@feature("scalar in CREATE VIEW")
def _(session: nu.Session) -> None:
    session.sql(f"CREATE OR REPLACE TEMPORARY VIEW seen AS SELECT plus(i) p FROM {T}")
    assert rows(session.sql("SELECT * FROM seen")) == [[2], [3], [4]]


@feature("scalar in CREATE TABLE … AS and INSERT")
def _(session: nu.Session) -> None:
    session.sql(f"CREATE TABLE made_of_ours USING parquet AS SELECT plus(i) p FROM {T}")
    try:
        session.sql(f"INSERT INTO made_of_ours SELECT plus(i) FROM {T} WHERE plus(i) = 2")
        assert rows(session.sql("SELECT * FROM made_of_ours")) == [[2], [2], [3], [4]]
    finally:
        session.sql("DROP TABLE made_of_ours")


@feature("any in a persistent view: an error that says so")
def _(session: nu.Session) -> None:
    with pytest.raises(nu.QueryError, match=r"plus|most"):
        session.sql(f"CREATE VIEW kept_for_good AS SELECT plus(i) p FROM {T}")


@feature("process function")
def _(session: nu.Session) -> None:
    frame = session.sql(f"SELECT s FROM {T}")
    counted = frame.transform(nu.process(Counts(), key_by="s", output_type="bigint"))
    assert sorted(row[0] for row in counted.collect()) == [1, 1, 2]


# What is seen --------------------------------------------------------------------------------


@feature("metrics")
def _(session: nu.Session) -> None:
    session.sql("SELECT sum(tells(id)) FROM range(0, 40, 1, 4)").collect()
    found = sum(t.rows_in for t in session.metrics().totals if t.function == "tells")
    assert found
    assert found % 40 == 0, f"{found} rows"


@feature("logs")
def _(session: nu.Session) -> None:
    session.sql("SELECT sum(tells(id)) FROM range(0, 40, 1, 4)").collect()
    found = len({line.text for line in session.logs(function="tells")})
    assert found == 40, f"{found} lines"


@feature("card of a failed call")
def _(session: nu.Session) -> None:
    with pytest.raises(nu.UserFunctionError) as caught:
        session.sql("SELECT breaks(id) FROM range(0, 8, 1, 1)").collect()
    failed = caught.value.failed
    assert [tuple(argument) for argument in failed.arguments] == [("i", "5")]
    assert failed.row == 6


@feature("replay")
def _(session: nu.Session) -> None:
    with pytest.raises(ZeroDivisionError):
        session.replay("breaks")


@feature("quarantine")
def _(session: nu.Session) -> None:
    assert rows(session.sql("SELECT count(keeps(id)) FROM range(0, 8, 1, 2)")) == [[7]]
    kept = [row.i for row in session.errors("keeps").collect()]
    assert kept == [5], kept


@feature("pool")
def _(session: nu.Session) -> None:
    session.sql("SELECT sum(tells(id)) FROM range(0, 40, 1, 4)").collect()
    if not session.pool:
        raise nu.SessionError("the pool shows no worker")


@feature("plan explorer")
def _(session: nu.Session) -> None:
    assert "plus" in repr(session.plan("SELECT plus(id) FROM range(10)"))


@feature("profile")
def _(session: nu.Session) -> None:
    found = session.profile("SELECT busy(id) FROM range(0, 2000, 1, 2)")
    if not found.stacks:
        raise nu.SessionError("the profile has no sample")


@feature("bench")
def _(session: nu.Session) -> None:
    session.bench("plus", "SELECT id AS i FROM range(1000)", repeats=1)


# What is held --------------------------------------------------------------------------------


@feature("time-out")
def _(session: nu.Session) -> None:
    with pytest.raises(nu.FunctionTimeout):
        session.sql("SELECT dwells(id) FROM range(0, 1, 1, 1)").collect()


@feature("memory limit")
def _(session: nu.Session) -> None:
    with pytest.raises(nu.WorkerOutOfMemory):
        session.sql(f"SELECT hoards({2 << 30}L) FROM range(0, 1, 1, 1)").collect()


@feature("crash")
def _(session: nu.Session) -> None:
    with pytest.raises(nu.WorkerLost) as caught:
        session.sql("SELECT dies(id) FROM range(0, 20, 1, 1)").collect()
    if "dies" not in str(caught.value):
        raise nu.SessionError("the error does not name the function")


@feature("interrupt")
def _(session: nu.Session) -> None:
    shell = InteractiveShell.instance()
    shell.user_ns["session"] = session
    timer = threading.Timer(4, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    long = "SELECT count(plus(id)), sum(hash(id)) FROM range(0, 200000000000, 1, 2)"
    done = shell.run_cell(f"session.sql({long!r}).collect()")
    timer.join()
    assert isinstance(done.error_in_exec, KeyboardInterrupt), repr(done.error_in_exec)
    began = time.monotonic()
    assert rows(session.sql("SELECT plus(id) FROM range(0, 1, 1, 1)")) == [[1]]
    assert time.monotonic() - began < 30, "the interrupted query goes on"


# What changes --------------------------------------------------------------------------------


@feature("redefinition")
def _(session: nu.Session) -> None:
    session.register_function("changes", lambda: 1, result_type="int")
    old = session.sql("SELECT changes() c")
    session.register_function("changes", lambda: 2, result_type="int")
    new = session.sql("SELECT changes() c")
    assert (rows(old), rows(new)) == ([[1]], [[2]])


@feature("dependencies")
def _(session: nu.Session) -> None:
    module = Path(tempfile.mkdtemp()) / "factors.py"

    def scaled(i: int) -> int:
        import factors  # type: ignore[import-not-found]

        return i * int(factors.FACTOR)

    module.write_text("FACTOR = 2")
    session.add_python_file(module)
    session.register_function("scaled", scaled)
    found = [rows(session.sql("SELECT scaled(1)"))]
    module.write_text("FACTOR = 30")
    found.append(rows(session.sql("SELECT scaled(1)")))
    assert found == [[[2]], [[30]]], found


# Streams -------------------------------------------------------------------------------------


def stream(session: nu.Session, folder: Path) -> Any:
    """An aggregate over a stream, with state; two batches have run."""
    source = folder / "in"
    source.mkdir()
    read = session.spark.readStream.schema("k STRING, v BIGINT").json(str(source))
    sums = read.transform(nu.aggregate(by="k", m=session.functions["most"]("v")))
    (source / "1.json").write_text('{"k": "a", "v": 1}\n{"k": "b", "v": 7}\n')
    query = (
        sums.writeStream.outputMode("update")
        .format("memory")
        .queryName("most_seen")
        .option("checkpointLocation", str(folder / "checkpoint"))
        .start()
    )
    query.processAllAvailable()
    (source / "2.json").write_text('{"k": "a", "v": 5}\n')
    query.processAllAvailable()
    return query


@feature("stream with state")
def _(session: nu.Session) -> None:
    with tempfile.TemporaryDirectory() as folder:
        query = stream(session, Path(folder))
        found = rows(session.spark.sql("SELECT * FROM most_seen"))
        query.stop()
        assert found == [["a", 1], ["a", 5], ["b", 7]], found


@feature("state reader")
def _(session: nu.Session) -> None:
    with tempfile.TemporaryDirectory() as folder:
        query = stream(session, Path(folder))
        try:
            found = session.state(query).to_dict()
        finally:
            query.stop()
        assert "most" in json.dumps(found, default=str), found


@feature("drain")
def _(session: nu.Session) -> None:
    with tempfile.TemporaryDirectory() as folder:
        query = stream(session, Path(folder))
        try:
            session.drain(query)
        finally:
            query.stop()
        assert not query.isActive


def busy(i: int) -> int:
    return sum(range(20_000)) + i


def opened(given: dict[str, Any]) -> nu.Session:
    """The session that is to be tried."""
    builder = given.pop("adopt", None)
    if builder is None:
        return nu.session(**given)
    from pyspark.sql import SparkSession

    from notebook_udf.launch.java import find_java

    os.environ.update({**find_java().environment(), "PYSPARK_PYTHON": sys.executable})
    make: Any = SparkSession.builder
    for key, value in builder.get("conf", {}).items():
        make = make.config(key, value)
    make = make.remote(builder["remote"]) if "remote" in builder else make.master(builder["master"])
    spark = make.getOrCreate()
    # Its executors run, and have forked workers, before there is a session.
    spark.range(0, 8, 1, 4).mapInPandas(lambda frames: frames, "id BIGINT").collect()
    return nu.session(spark, **given)


def main() -> None:
    """Tries all features, or the ones that are named."""
    # A shell that runs this in the background has it ignored.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    InteractiveShell.instance().run_line_magic("load_ext", "notebook_udf")
    session = opened(json.loads(sys.argv[1]))
    register(session)
    session.register_function("busy", busy)
    for name, trial in FEATURES.items():
        if sys.argv[2:] and name not in sys.argv[2:]:
            continue
        said = ""
        began = time.monotonic()
        try:
            trial(session)
        except (AssertionError, pytest.fail.Exception) as error:
            said = f"WRONG: {error}"
        except nu.NotebookUdfError as error:
            said = f"{type(error).__name__}: {str(error).splitlines()[0]}"
        except Exception as error:
            said = f"RAW: {type(error).__name__}: {str(error).splitlines()[0]}"
        seconds = round(time.monotonic() - began, 1)
        print(json.dumps({"feature": name, "said": said, "seconds": seconds}), flush=True)
    print(json.dumps({"notes": session.notes}), flush=True)
    session.stop()


if __name__ == "__main__":
    main()
