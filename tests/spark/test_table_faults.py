"""What goes wrong in and around table functions: typed errors that say where and what next."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from typing import Any

import pytest

import notebook_udf as nu
from notebook_udf import FunctionContext, TableFunction, udtf


@pytest.fixture(autouse=True)
def the_next_query_succeeds(session: nu.Session) -> Iterator[None]:
    session.register_function("sound", udtf(lambda n: [n, n], "bigint", "bigint", compile=False))
    yield
    rows = session.sql("SELECT f0 FROM range(0, 4, 1, 2), LATERAL sound(id)").collect()
    assert sorted(row.f0 for row in rows) == [0, 0, 1, 1, 2, 2, 3, 3]


LATERAL = "SELECT id, s.* FROM range(0, 10, 1, 2), LATERAL broken(id) AS s"
PLAIN = "SELECT id, s.* FROM range(0, 10, 1, 2) JOIN LATERAL broken(id) AS s"


def failure(
    session: nu.Session,
    function: Any,
    *,
    error: type[Exception] = nu.UserFunctionError,
    query: str = LATERAL,
    plain: bool = False,
    **options: Any,
) -> Any:
    """The error that a query with the function ends with."""
    session.register_function("broken", udtf(function, **{"result_types": "int", **options}))
    with pytest.raises(error) as caught:
        (session.spark if plain else session).sql(query).collect()
    assert isinstance(caught.value, nu.NotebookUdfError)
    # The JVM's stack is for whoever asks for it, never first.
    assert "org.apache.spark" not in str(caught.value)
    return caught.value


def raises_late(n: int) -> Any:
    yield n
    if n == 7:
        raise ValueError(f"cannot take {n}")


def raises_at_once(n: int) -> Any:
    if n == 7:
        raise ValueError(f"cannot take {n}")
    return [n]


@pytest.mark.parametrize("function", [raises_late, raises_at_once])
@pytest.mark.parametrize("plain", [False, True])
def test_a_function_that_raises_names_itself_its_values_and_the_row(
    session: nu.Session, function: Any, plain: bool
) -> None:
    error = failure(session, function, plain=plain, query=PLAIN if plain else LATERAL)
    failed = error.failed
    assert (failed.function, failed.exception) == ("broken", "ValueError")
    assert failed.message == "cannot take 7"
    assert dict(failed.arguments) == {"n": "7"}
    assert failed.row == 3
    assert failed.frames[0].name == function.__name__
    with pytest.raises(ValueError, match="cannot take 7"):
        session.replay("broken")


def test_the_second_call_of_a_pass_names_the_row_of_the_bundle(session: nu.Session) -> None:
    query = "SELECT s.f0 FROM range(0, 10, 1, 1), LATERAL sound(id) r(n), LATERAL broken(n) s"
    error = failure(session, raises_late, query=query, compile=False)
    assert (error.failed.function, error.failed.row) == ("broken", 8)


@pytest.mark.parametrize("on_error", ["null", "quarantine"])
@pytest.mark.parametrize("function", [raises_late, raises_at_once])
def test_an_input_that_is_let_go_has_no_rows(
    session: nu.Session, function: Any, on_error: str
) -> None:
    session.register_function("lenient", udtf(function, result_types="int", on_error=on_error))
    query = "SELECT id, f0 FROM range(5, 9, 1, 1) LEFT JOIN LATERAL lenient(id)"
    rows = sorted(map(tuple, session.sql(query).collect()))
    assert rows == [(5, 5), (6, 6), (7, None), (8, 8)]
    plain = "SELECT id, f0 FROM range(5, 9, 1, 1), LATERAL lenient(id)"
    assert [row.id for row in session.spark.sql(plain).collect()] == [5, 6, 8]
    if on_error == "quarantine":
        kept = session.errors("lenient").collect()
        assert [(row["n"], row["row"], row["error"]) for row in kept][:1] == [(7, 3, "ValueError")]


def test_a_value_that_does_not_fit_lets_the_whole_input_go(session: nu.Session) -> None:
    def mixed(n: int) -> Any:
        yield n
        yield "text" if n == 1 else n
        yield n

    session.register_function("mixed", udtf(mixed, result_types="int", on_error="null"))
    query = "SELECT f0 FROM range(3), LATERAL mixed(id)"
    assert sorted(row.f0 for row in session.sql(query).collect()) == [0, 0, 0, 2, 2, 2]


@pytest.mark.parametrize(
    ("function", "types", "said"),
    [
        (lambda n: ["x"] if n == 7 else [1], "n int", [".n", "'x'", "INT"]),
        (lambda n: [1 << 40], "n int", [".n", str(1 << 40)]),
        (lambda n: [1.5], "n int", [".n", "1.5"]),
        (lambda n: [(1, 2, 3)], "a int, b int", ["2 fields (a, b)", "has 3"]),
        (lambda n: [1], "a int, b int", ["a, b", "1 (int)"]),
        (lambda n: [None], "a int, b int", ["a row has the columns a, b"]),
        (lambda n: [(1, "x")], "a int, b int", [".b", "'x'"]),
        (lambda n: [{"a": 1}], "a int, b int", ["'b' is missing"]),
        (lambda n: [None], "a int not null", [".a", "NOT NULL"]),
    ],
)
@pytest.mark.parametrize("plain", [False, True])
def test_rows_that_do_not_fit_name_column_and_value(
    session: nu.Session, function: Any, types: str, said: list[str], plain: bool
) -> None:
    query = PLAIN if plain else LATERAL
    error = failure(
        session, function, error=nu.ResultError, result_types=types, plain=plain, query=query
    )
    assert all(part in str(error) for part in ["broken", "n = ", *said]), str(error)
    if not plain:
        with pytest.raises(nu.ResultError, match="broken"):
            session.functions["broken"].eval(7)


@pytest.mark.parametrize("made", ["text", object(), (1, 2), {"m": 1}, nu.Row("text")])
@pytest.mark.parametrize("plain", [False, True])
def test_one_row_that_does_not_fit(session: nu.Session, made: Any, plain: bool) -> None:
    query = PLAIN if plain else LATERAL
    error = failure(session, lambda n: made, error=nu.ResultError, plain=plain, query=query)
    assert "broken" in str(error)


def test_a_function_that_raises_stop_iteration(session: nu.Session) -> None:
    def stops(n: int) -> Any:
        if n == 7:
            raise StopIteration
        return [n]

    error = failure(session, stops)
    assert error.failed.row == 3
    assert "StopIteration" in str(error)


class Fussy(TableFunction):
    def open(self, function_context: FunctionContext) -> None:
        raise RuntimeError("no connection")

    def eval(self, n: int) -> Any:
        yield n


def test_open_that_raises(session: nu.Session) -> None:
    assert failure(session, Fussy).failed.message == "no connection"
    assert failure(session, Fussy, plain=True, query=PLAIN).failed.message == "no connection"


def test_a_call_that_takes_too_long_and_one_that_only_has_many_rows(session: nu.Session) -> None:
    def sticks(n: int) -> Any:
        yield n
        while n == 7:
            pass

    error = failure(session, sticks, error=nu.FunctionTimeout, timeout="1s")
    assert "broken" in str(error)

    def patient(n: int) -> Any:
        for i in range(150_000):
            if i % 30_000 == 0:
                time.sleep(0.3)
            yield n

    session.register_function("patient", udtf(patient, result_types="int", timeout="1s"))
    assert session.sql("SELECT count(*) FROM patient(1)").first()[0] == 150_000


def test_a_worker_that_is_lost(session: nu.Session) -> None:
    def dies(n: int) -> Any:
        yield n
        if n == 7:
            os._exit(3)

    assert failure(session, dies, error=nu.WorkerLost).function == "broken"


def test_a_column_that_does_not_fit_a_declared_parameter(session: nu.Session) -> None:
    query = "SELECT s.* FROM VALUES ('x') AS t(v), LATERAL broken(v) AS s"
    for options, said in (
        ({"compile": False}, "declares n as BIGINT"),
        ({}, "was given a column of type STRING as n, which does not fit it"),
    ):
        error = failure(
            session,
            lambda n: [n],
            error=nu.DeclarationError,
            input_types="bigint",
            query=query,
            **options,
        )
        assert said in str(error)


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("SELECT broken(id) FROM range(3)", ["line 1, column 8", "LATERAL broken"]),
        ("SELECT 1\nFROM range(3), LATERAL broken(id) s(a, b)", ["line 2, column 24", "a, b"]),
        ("SELECT * FROM broken(m => 1)", ["broken takes n", "m"]),
        ("SELECT * FROM broken(1, 2)", ["broken(n) takes 1 argument", "is given 2"]),
        ("CREATE VIEW kept AS SELECT * FROM broken(1)", ["persistent view", "kept"]),
        (
            "SELECT id FROM range(3) WHERE EXISTS (SELECT 1 FROM range(2) q "
            "LATERAL VIEW broken(range.id) s AS n)",
            ["LATERAL VIEW broken"],
        ),
    ],
)
def test_a_query_that_cannot_be_planned_says_where_and_why(
    session: nu.Session, query: str, said: list[str]
) -> None:
    session.register_function("broken", udtf(lambda n: [n], result_types="int"))
    with pytest.raises(nu.PlanningError) as caught:
        session.sql(query)
    assert all(part in str(caught.value) for part in said), str(caught.value)


@pytest.mark.parametrize(
    "query",
    [
        "SELECT nope FROM range(3), LATERAL broken(id)",
        "SELECT f0 FROM range(3), LATERAL broken(nope)",
        "SELECT id FROM range(3), LATERAL broken(id) s(id)",
    ],
)
def test_what_spark_refuses_is_said_of_the_users_query(session: nu.Session, query: str) -> None:
    session.register_function("broken", udtf(lambda n: [n], result_types="int"))
    with pytest.raises(Exception, match=r"`(nope|id)`") as caught:
        session.sql(query)
    assert "_nu_" not in str(caught.value)


def test_calls_that_cannot_be_joined(session: nu.Session) -> None:
    broken = session.register_function("broken", udtf(lambda n: [n], result_types="int"))
    with pytest.raises(nu.PlanningError, match=r"call of a table function on columns"):
        nu.join_lateral("broken", "a")  # type: ignore[arg-type]
    with pytest.raises(nu.PlanningError, match=r"gives 1 columns \(f0\), and there are 2 names"):
        nu.join_lateral(broken("id"), ["a", "b"])
    with pytest.raises(nu.PlanningError, match=r"\(object\), which is no column and no constant"):
        broken(object())
