"""A function forks, and the copy goes on: it ends with the function."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from streaming import Stream

import notebook_udf as nu
from notebook_udf import OneInputStreamProcessFunction, StateDeclarations, udaf, udf, udtf
from tests.forking import check

pytestmark = pytest.mark.usefixtures("no_copy_is_left")


@pytest.mark.thorough
def test_a_hundred_rounds_of_a_copy_that_returns(session: nu.Session) -> None:
    def forks(i: int) -> int:
        if i % 20 == 0:
            os.fork()
        return 100 + i

    session.register_function("forks", udf(forks, result_type="bigint"))
    check(session, rounds=100)


@pytest.mark.parametrize("code", [None, 0, 3, "a word"])
def test_a_copy_that_exits(session: nu.Session, code: Any, tmp_path: Path) -> None:
    def forks(i: int) -> int:
        if i == 3:
            copy = os.fork()
            if copy == 0:
                sys.exit(code)
            _, status = os.waitpid(copy, 0)
            (tmp_path / "status").write_text(str(os.waitstatus_to_exitcode(status)))
        return 100 + i

    session.register_function("forks", udf(forks, result_type="bigint"))
    check(session)
    expected = code if isinstance(code, int) else int(code is not None)
    assert (tmp_path / "status").read_text() == str(expected)


def test_the_copy_does_nothing_that_comes_after(session: nu.Session, tmp_path: Path) -> None:
    """Rows behind the one that forked are done once, by the worker."""

    def forks(i: int) -> int:
        if i == 3:
            copy = os.fork()
            if copy:
                os.waitpid(copy, 0)
        with open(tmp_path / "done", "a") as done:
            done.write(f"{i}\n")
        return 100 + i

    session.register_function("forks", udf(forks, result_type="bigint"))
    session.sql("SELECT sum(forks(id)) FROM range(0, 40, 1, 1)").collect()
    done = [int(line) for line in (tmp_path / "done").read_text().split()]
    assert sorted(done) == sorted([*range(40), 3])


def _square(i: int) -> int:
    return i * i


def test_multiprocessing_inside_a_function(session: nu.Session) -> None:
    def forks(i: int) -> int:
        if i % 20 == 0:
            context = multiprocessing.get_context("fork")
            with context.Pool(2) as pool:
                assert pool.map(_square, range(5)) == [0, 1, 4, 9, 16]
            results = context.Queue()
            child = context.Process(target=results.put, args=(i,))
            child.start()
            assert results.get(timeout=30) == i
            child.join()
            assert child.exitcode == 0
            with ProcessPoolExecutor(2, mp_context=context) as executor:
                assert list(executor.map(_square, range(3))) == [0, 1, 4]
        return 100 + i

    session.register_function("forks", udf(forks, result_type="bigint"))
    check(session, rounds=3)


def test_a_copy_that_is_told_to_go_goes(session: nu.Session) -> None:
    def forks(i: int) -> int:
        if i == 3:
            context = multiprocessing.get_context("fork")
            child = context.Process(target=time.sleep, args=(600,))
            child.start()
            child.terminate()
            child.join(10)
            assert child.exitcode == -15
        return 100 + i

    session.register_function("forks", udf(forks, result_type="bigint"))
    check(session)


def test_forks_in_threads_of_a_function(session: nu.Session) -> None:
    def forks(i: int) -> int:
        if i % 20 == 5:
            thread = threading.Thread(target=os.fork)
            thread.start()
            thread.join()
            with ThreadPoolExecutor(1) as threads:
                threads.submit(os.fork).result()
        return 100 + i

    session.register_function("forks", udf(forks, result_type="bigint"))
    check(session, rounds=3)


def test_vectorised_functions(session: nu.Session) -> None:
    import pandas as pd
    import pyarrow as pa

    def series(i: pd.Series) -> pd.Series:
        os.fork()
        return i + 100

    def table(i: pa.Array) -> pa.Array:
        os.fork()
        return pa.array([v + 100 for v in i.to_pylist()])

    for function, kind in ((series, "pandas"), (table, "arrow")):
        session.register_function("forks", udf(function, result_type="bigint", func_type=kind))
        check(session, rounds=3)


def test_async_functions(session: nu.Session) -> None:
    """Calls that are in flight beside the one that forks are not made again by the copy."""

    async def forks(i: int) -> int:
        await asyncio.sleep(0.01)
        if i % 20 == 5:
            os.fork()
        await asyncio.sleep(0.01)
        return 100 + i

    session.register_function("forks", udf(forks, result_type="bigint"))
    check(session, rounds=5)


def test_table_functions(session: nu.Session) -> None:
    @udtf(result_types=["bigint"])
    def forks(i: int) -> Iterator[int]:
        yield i
        if i % 20 == 5:
            os.fork()
        yield 100 + i

    session.register_function("twice", forks)
    session.register_function("other", udf(lambda i: -i, result_type="bigint", compile=False))
    for _ in range(5):
        rows = session.sql("SELECT x FROM range(0, 40, 1, 2), LATERAL twice(id) AS t(x)").collect()
        assert sorted(r[0] for r in rows) == sorted([*range(40), *range(100, 140)])
        others = session.sql("SELECT sum(other(id)) FROM range(40)").collect()
        assert others == [(-780,)]


class Forking(nu.AggregateFunction):
    def create_accumulator(self) -> list[int]:
        return [0]

    def accumulate(self, accumulator: list[int], value: int) -> None:
        if value % 20 == 5:
            os.fork()
        accumulator[0] += value

    def merge(self, accumulator: list[int], others: Any) -> None:
        os.fork()
        accumulator[0] += sum(other[0] for other in others)

    def get_value(self, accumulator: list[int]) -> int:
        os.fork()
        return accumulator[0]


def test_aggregate_functions(session: nu.Session) -> None:
    declared = udaf(Forking(), result_type="bigint", accumulator_type="array<bigint>")
    session.register_function("forking", declared)
    session.register_function("other", udf(lambda i: -i, result_type="bigint", compile=False))
    query = "SELECT id % 3, forking(id) FROM range(0, 40, 1, 2) GROUP BY ALL ORDER BY ALL"
    for _ in range(5):
        assert session.sql(query).collect() == [(0, 273), (1, 247), (2, 260)]
        assert session.sql("SELECT sum(other(id)) FROM range(40)").collect() == [(-780,)]


SEEN = StateDeclarations.value_state("seen", int)


class Counting(OneInputStreamProcessFunction):
    def uses_states(self) -> Any:
        return [SEEN]

    def process_record(self, record: Any, output: Any, ctx: Any) -> None:
        seen = ctx.get_state(SEEN)
        if record.v % 20 == 5 and os.fork() == 0:
            seen.update(1000)
            output.collect((record.k, -1))
            return
        seen.update((seen.value() or 0) + 1)
        output.collect((record.k, seen.value()))


def test_process_functions_and_their_state(session: nu.Session, tmp_path: Path) -> None:
    """The copy neither writes rows nor speaks with the store that keeps the worker's state."""
    function = nu.process(Counting(), "k", "k string, seen bigint")
    batches = [[(f"k{i % 3}", i) for i in range(start, start + 20)] for start in (0, 20)]
    stream = Stream(session.spark, tmp_path, "k string, v bigint").put(*batches)
    expected = sorted((f"k{k}", i) for k in range(3) for i in range(1, 14 + (k == 0)))
    streamed = stream.run(stream.rows.transform(function))
    assert sorted(row for batch in streamed for row in batch) == expected
    rows = session.spark.createDataFrame([*batches[0], *batches[1]], "k string, v bigint")
    assert sorted(map(tuple, rows.transform(function).collect())) == expected
