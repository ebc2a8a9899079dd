"""Functions in the JVM whose calls leave out parameters with defaults."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from decimal import Decimal
from typing import Any

import pytest
from pyspark.sql import DataFrame

import notebook_udf as nu
from notebook_udf import udf

Made = Callable[..., Any]


@pytest.fixture
def register(session: nu.Session) -> Iterator[Made]:
    names: list[str] = []

    def made(name: str, function: Any, **options: Any) -> Any:
        names.append(name)
        return session.register_function(name, udf(function, **options))

    yield made
    for name in names:
        session.drop_function(name)


def in_java(frame: DataFrame) -> bool:
    return "EvalPython" not in frame._jdf.queryExecution().executedPlan().toString()


def priced(amount: int, rate: float = 0.5, places: int = 1) -> float:
    return round(amount * rate, places)


def test_a_call_gives_as_many_as_it_likes(session: nu.Session, register: Made) -> None:
    register("priced", priced)
    query = "SELECT priced(id) AS a, priced(id, 0.25D) AS b, priced(id, 1/3D, 2L) AS c"
    frame = session.sql(f"{query} FROM range(4)")
    assert in_java(frame)
    for n, row in enumerate(frame.collect()):
        assert tuple(row) == (priced(n), priced(n, 0.25), priced(n, 1 / 3, 2))
    assert session.spark.sql("SELECT priced(7L)").first()[0] == priced(7)


def test_columns_and_constants(session: nu.Session, register: Made) -> None:
    function = register("priced", priced)
    calls = function("id"), function("id", 0.25), function("id", 2, 0)
    frame = session.spark.range(3).select(*calls)
    assert in_java(frame)
    assert [tuple(row) for row in frame.collect()] == [
        (priced(n), priced(n, 0.25), priced(n, 2, 0)) for n in range(3)
    ]


def test_a_default_of_a_type_that_is_not_declared(session: nu.Session, register: Made) -> None:
    made = register(
        "labelled", lambda i, by={1: "one"}: by.get(i, "many"), input_types=["bigint"],
        result_type="string",
    )  # fmt: skip
    assert "runs in Spark's JVM" in made.explain()
    frame = session.sql("SELECT labelled(id) AS l FROM range(3)")
    assert in_java(frame)
    assert [row.l for row in frame.collect()] == ["many", "one", "many"]


def test_the_type_of_what_is_given_instead(session: nu.Session, register: Made) -> None:
    made = register("added", lambda i, n=2: i + n, input_types=["bigint"], result_type="bigint")
    for given, expected in (("id", 5), ("id, 7L", 10), ("id, int(id)", 6), ("id", 5)):
        frame = session.sql(f"SELECT added({given}) AS a FROM range(3, 4)")
        assert [row.a for row in frame.collect()] == [expected]
        assert in_java(frame)
    assert "called with BIGINT, INT" in made.explain()


def test_no_argument_at_all(session: nu.Session, register: Made) -> None:
    register("one_more", lambda i=1: i + 1, result_type="bigint")
    frame = session.sql("SELECT one_more() AS a, one_more(id) AS b FROM range(3)")
    assert [tuple(row) for row in frame.collect()] == [(2, 1), (2, 2), (2, 3)]


def test_a_parameter_without_a_place(session: nu.Session, register: Made) -> None:
    def scaled(i: int, *, by: int = 3) -> int:
        return i * by

    register("scaled", scaled)
    assert session.sql("SELECT scaled(id) AS s FROM range(2, 3)").first().s == 6
    query = "SELECT CASE WHEN id > 0 THEN scaled(100 * id, by => 2L) END AS s FROM range(3)"
    assert [row.s for row in session.sql(query).collect()] == [None, 200, 400]


def test_a_named_call_is_made_for_the_rows_that_reach_it(
    session: nu.Session, register: Made
) -> None:
    def divided(n: int, by: int = 1) -> int:
        return n // by

    register("divided", divided)
    query = "SELECT if(id = 0, -1, divided(by => id, n => 6L)) AS d FROM range(4)"
    assert [row.d for row in session.sql(query).collect()] == [-1, 6, 3, 2]


def test_an_error_names_what_was_given(session: nu.Session, register: Made) -> None:
    def share(total: int, people: int = 0) -> int:
        return total // people

    register("share", share)
    with pytest.raises(nu.UserFunctionError, match="ZeroDivisionError") as raised:
        session.sql("SELECT share(id) FROM range(1)").collect()
    assert raised.value.failed.arguments == (("total", "0"),)
    with pytest.raises(ZeroDivisionError):
        session.replay("share")


def test_a_decimal_as_a_default(session: nu.Session, register: Made) -> None:
    def net(price: Decimal, tax: Decimal = Decimal("1.19")) -> float:
        return float(price / tax)

    register("net", net, input_types=["decimal(10,2)", "decimal(4,2)"])
    found = session.sql("SELECT net(id * 1.5BD) AS n FROM range(3)").collect()
    assert [row.n for row in found] == [net(Decimal("1.5") * n) for n in range(3)]


def test_a_number_of_places_that_may_be_none(session: nu.Session, register: Made) -> None:
    def rounded(amount: float, places: int = 2) -> str:
        return str(round(amount, places))

    register("rounded", rounded)
    frame = session.sql("SELECT rounded(id / 3D, nullif(id, 1)) AS r FROM range(4)")
    assert in_java(frame)
    expected = [str(round(n / 3, None if n == 1 else n)) for n in range(4)]
    assert [row.r for row in frame.collect()] == expected


def test_one_count_of_arguments_has_java(session: nu.Session, register: Made) -> None:
    def powered(number: int, exponent: int = 3) -> int:
        return 10**exponent + number

    made = register("powered", powered)
    assert "runs in Spark's JVM" in made.explain()
    frame = session.sql("SELECT powered(id) AS p FROM range(2)")
    assert in_java(frame)
    assert [row.p for row in frame.collect()] == [1000, 1001]
    both = session.sql("SELECT powered(id) AS p, powered(id, id) AS q FROM range(2)")
    assert [tuple(row) for row in both.collect()] == [(1000, 1), (1001, 11)]


def shown(x: float, xs: list[float]) -> str:
    return f"{x} {xs[0]}"


@pytest.mark.parametrize("compiled", [True, False])
def test_a_literal_with_a_point_is_a_float(
    session: nu.Session, register: Made, compiled: bool
) -> None:
    register("shown", shown, compile=compiled)
    for x, y in ("0.1", "1.5"), ("23902757.9407", "-0.0"), ("1234567890.123456789", "2.0"):
        frame = session.sql(f"SELECT shown({x}, array({y}D)) AS s FROM range(1)")
        assert in_java(frame) == compiled
        assert frame.collect()[0].s == shown(float(x), [float(y)])


@pytest.mark.parametrize("compiled", [True, False])
def test_an_array_of_other_values_than_declared_is_what_it_is(
    session: nu.Session, register: Made, compiled: bool
) -> None:
    register("shown", shown, compile=compiled)
    query = "SELECT shown(1, array(1, 2)) AS s, shown(1, array('a')) AS d FROM range(1)"
    frame = session.sql(query)
    assert in_java(frame) == compiled
    assert tuple(frame.collect()[0]) == ("1.0 1", "1.0 a")
