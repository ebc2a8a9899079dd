"""Services that fail: retries, time-outs, lost connections. Every test ends with a good query."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from typing import Any

import pytest
from service import Asks, Service

import notebook_udf as nu
from notebook_udf import udf


@pytest.fixture
def service() -> Iterator[Service]:
    made = Service()
    yield made
    made.stop()


@pytest.fixture(autouse=True)
def next_query_succeeds(session: nu.Session) -> Iterator[None]:
    yield

    async def still_there(i: int) -> int:
        await asyncio.sleep(0)
        return i + 1

    session.register_function("still_there", still_there)
    rows = session.sql("SELECT still_there(id) FROM range(0, 4, 1, 2)").collect()
    assert sorted(row[0] for row in rows) == [1, 2, 3, 4]


def ask(session: nu.Session, service: Service, rows: int, **options: Any) -> list[Any]:
    session.register_function("asks", Asks(service.url), **options)
    query = f"SELECT asks(id) FROM range(0, {rows}, 1, 2)"
    return [row[0] for row in session.sql(query).collect()]


@pytest.mark.parametrize("fault", [503, "close", "half"])
def test_every_fifth_first_answer_is_a_failure(
    session: nu.Session, service: Service, fault: Any
) -> None:
    service.answer = lambda x, times: fault if x % 5 == 0 and times == 1 else 0.001
    assert ask(session, service, 200, fixed_delay="10ms") == list(range(200))
    # Clients repeat a request by themselves where the connection was closed under it.
    most = 2 if fault == 503 else 3
    asked = service.asked
    assert all(asked[x] == 1 for x in range(200) if x % 5)
    assert all(2 <= asked[x] <= most for x in range(0, 200, 5))


def test_attempts_are_counted(session: nu.Session, service: Service) -> None:
    service.answer = lambda x, times: 503 if x == 7 else 0.0
    with pytest.raises(nu.UserFunctionError, match=r"503.*\(after 4 attempts\)") as caught:
        ask(session, service, 20, max_attempts=4, fixed_delay="5ms")
    assert caught.value.failed is not None
    assert caught.value.failed.arguments == (("x", "7"),)
    assert (caught.value.failed.row, caught.value.failed.rows) == (8, 10)
    assert service.asked[7] == 4


def test_a_call_inside_another_leaves_rows_their_place(session: nu.Session) -> None:
    async def through(x: int) -> int:
        await asyncio.sleep(0)
        return x

    async def picky(x: int) -> int:
        if x in (50, 1_777):
            raise ValueError(x)
        return x

    session.register_function("through", through, buffer_capacity=2)
    session.register_function("picky", picky, retry_strategy="NO_RETRY", on_error="quarantine")
    rows = session.spark.conf.get("spark.sql.execution.arrow.maxRecordsPerBatch")
    session.spark.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", "1000")
    try:
        session.sql("SELECT picky(through(id)) FROM range(0, 2000, 1, 1)").collect()
    finally:
        session.spark.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", str(rows))
    # Results pass from one to the other some at a time, and bundles hold a thousand.
    kept = session.errors("picky").select("x", "bundle", "row").collect()
    assert sorted(map(tuple, kept)) == [(50, 1, 51), (1_777, 2, 778)]


def test_no_retry_and_other_exceptions(session: nu.Session, service: Service) -> None:
    service.answer = lambda x, times: 503 if x == 7 else 0.0
    for options in ({"retry_strategy": "NO_RETRY"}, {"retry_on": (TimeoutError, KeyError)}):
        service.asked.clear()
        with pytest.raises(nu.UserFunctionError, match="503") as caught:
            ask(session, service, 20, **options)
        assert service.asked[7] == 1
        assert "attempts" not in str(caught.value)


def test_exceptions_to_retry_on_include_derived_ones(session: nu.Session) -> None:
    class Busy(ConnectionError):
        pass

    tries: list[int] = []

    async def twice(x: int) -> int:
        tries.append(x)
        if len(tries) % 2:
            raise Busy("later")
        return len(tries)

    session.register_function("twice", twice, retry_on=ConnectionError, buffer_capacity=1)
    assert session.sql("SELECT twice(id) FROM range(0, 3, 1, 1)").collect() == [(2,), (4,), (6,)]


def test_one_that_hangs_is_given_up_in_time(session: nu.Session, service: Service) -> None:
    service.answer = lambda x, _: 3600.0 if x == 7 else 0.0
    ask(session, service, 1)
    start = time.monotonic()
    with pytest.raises(nu.FunctionTimeout, match=r"within 0\.5 s") as caught:
        ask(session, service, 20, timeout="500ms")
    assert time.monotonic() - start < 5
    error = caught.value
    assert error.timeout == 0.5
    assert error.failed is not None
    assert error.failed.arguments == (("x", "7"),)
    assert "self.client.get" in str(error)
    # The time-out is for all attempts together.
    assert service.asked[7] == 1


@pytest.mark.parametrize("on_error", ["null", "quarantine"])
def test_rows_may_be_let_go(session: nu.Session, service: Service, on_error: str) -> None:
    service.answer = lambda x, _: {3: 3600.0, 5: 503}.get(x, 0.0)
    found = ask(session, service, 200, timeout="400ms", fixed_delay="1ms", on_error=on_error)
    assert found == [None if i in (3, 5) else i for i in range(200)]
    assert service.asked[5] == 3
    if on_error == "quarantine":
        kept = session.errors("asks").select("x", "error", "row").collect()
        assert sorted(tuple(row) for row in kept) == [
            (3, "CallTimedOut", 4),
            (5, "ClientResponseError", 6),
        ]


def test_a_service_that_dies_half_way(session: nu.Session, service: Service) -> None:
    def answer(x: int, _: int) -> Any:
        if sum(service.asked.values()) == 50:
            service._loop.call_soon(service._loop.stop)
        return 0.01

    service.answer = answer
    with pytest.raises(nu.UserFunctionError, match=r"after 3 attempts") as caught:
        ask(session, service, 400, fixed_delay="10ms")
    assert "Client" in str(caught.value)
    assert max(service.asked.values()) == 1


def test_a_call_that_blocks_the_loop_is_named_and_ended(session: nu.Session) -> None:
    async def blocks(x: int) -> int:
        if x == 3:
            time.sleep(60)
        return x

    session.register_function("blocks", blocks, timeout="500ms")
    start = time.monotonic()
    with pytest.raises(nu.FunctionTimeout) as caught:
        session.sql("SELECT blocks(id) FROM range(0, 10, 1, 1)").collect()
    assert time.monotonic() - start < 20
    assert "time.sleep(60)" in str(caught.value)
    assert caught.value.failed is not None
    assert caught.value.failed.arguments == (("x", "3"),)
    told = "\n".join(line.text for line in session.logs(level="WARNING"))
    assert "blocks holds the event loop" in told
    assert "asyncio.to_thread" in told


def test_one_that_ignores_its_cancellation_is_ended(session: nu.Session) -> None:
    async def stubborn(x: int) -> int:
        while True:
            try:
                await asyncio.sleep(3600)
            except asyncio.CancelledError:
                continue

    session.register_function("stubborn", stubborn, timeout="200ms")
    with pytest.raises(nu.FunctionTimeout):
        session.sql("SELECT stubborn(id) FROM range(0, 10, 1, 1)").collect()


@pytest.mark.parametrize(
    "raised", [SystemExit, KeyboardInterrupt, GeneratorExit, asyncio.CancelledError]
)
@pytest.mark.parametrize("nested", [False, True])
def test_exits_fail_the_query(
    session: nu.Session, raised: type[BaseException], nested: bool
) -> None:
    async def leaves(i: int) -> int:
        async def inner() -> int:
            await asyncio.sleep(0)
            raise raised(4)

        return await (asyncio.ensure_future(inner()) if nested else inner())

    session.register_function("leaves", leaves, on_error="null" if nested else "fail")
    with pytest.raises(nu.UserFunctionError, match=raised.__name__):
        session.sql("SELECT leaves(id) FROM range(10)").collect()


def test_a_result_of_another_type_names_its_row(session: nu.Session) -> None:
    async def wrong(i: int) -> int:
        await asyncio.sleep(0)
        return "seven" if i == 7 else i  # type: ignore[return-value]

    session.register_function("wrong", wrong)
    with pytest.raises(nu.ResultError, match="seven") as caught:
        session.sql("SELECT wrong(id) FROM range(0, 10, 1, 1)").collect()
    assert caught.value.failed is not None
    assert (caught.value.failed.row, caught.value.failed.arguments) == (8, (("i", "7"),))
    session.register_function("wrong", wrong, on_error="null")
    found = session.sql("SELECT wrong(id) FROM range(6, 9, 1, 1)").collect()
    assert [row[0] for row in found] == [6, None, 8]


def test_a_failed_row_is_replayed_here(session: nu.Session) -> None:
    async def uneven(i: int) -> float:
        await asyncio.sleep(0)
        return 1 / (i - 3)

    session.register_function("uneven_one", uneven, max_attempts=2, fixed_delay="1ms")
    with pytest.raises(nu.UserFunctionError, match="ZeroDivisionError") as caught:
        session.sql("SELECT uneven_one(id) FROM range(10)").collect()

    async def in_a_loop() -> Any:
        return session.replay("uneven_one", caught.value)

    with pytest.raises(ZeroDivisionError):
        asyncio.run(in_a_loop())


def test_open_that_fails_is_told(session: nu.Session) -> None:
    class Refuses(nu.AsyncScalarFunction):
        async def open(self, function_context: nu.FunctionContext) -> None:  # type: ignore[override]
            await asyncio.sleep(0)
            raise ConnectionError("no such host")

        async def eval(self, x: int) -> int:
            return x

    session.register_function("refuses", Refuses())
    with pytest.raises(nu.UserFunctionError, match="no such host"):
        session.sql("SELECT refuses(id) FROM range(10)").collect()


def test_a_worker_that_dies_with_calls_in_flight(session: nu.Session) -> None:
    async def dies(x: int) -> int:
        import os

        await asyncio.sleep(0.01)
        if x == 5:
            os._exit(7)
        return x

    session.register_function("dies", udf(dies))
    with pytest.raises(nu.WorkerLost, match="exited with code 7") as caught:
        session.sql("SELECT dies(id) FROM range(0, 10, 1, 1)").collect()
    assert "while it ran dies" in str(caught.value)
    assert "rows 1 to 10 of 10" in str(caught.value)
