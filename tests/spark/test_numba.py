"""``func_type="numba"``: loops over numbers and arrays, compiled, against plain Python."""

from __future__ import annotations

import importlib.util
import math
from collections.abc import Callable, Iterator
from typing import Any

import numba
import pytest

import notebook_udf as nu
from notebook_udf import udf

FACTOR = 3


def squares(xs: list[float]) -> float:
    total = 0.0
    for x in xs:
        total += x * x
    return total


def longest(xs: list[int]) -> int:
    """The length of the longest run of equal numbers."""
    best, run = 0, 0
    for place in range(len(xs)):
        run = run + 1 if place and xs[place] == xs[place - 1] else 1
        best = max(best, run)
    return best


def steps(number: int) -> int:
    found = 0
    while number > 1:
        number = number // 2 if number % 2 == 0 else 3 * number + 1
        found += 1
    return found


def mixed(number: int, share: float, flag: bool, weights: list[float], counts: list[int]) -> float:
    if flag:
        return number * share
    total = 0.0
    for weight, count in zip(weights, counts):  # noqa: B905
        total += weight * count - math.sqrt(abs(share))
    return total


def any_of(flags: list[bool]) -> bool:
    for flag in flags:  # noqa: SIM110
        if flag:
            return True
    return False


def root(number: float) -> float | None:
    if number < 0:
        return None
    return math.sqrt(number) * FACTOR


def divided(total: int, parts: int) -> float:
    return total / parts


def doubled(number: int) -> int:
    return number * 2


@pytest.fixture
def register(session: nu.Session) -> Iterator[Callable[..., Any]]:
    names: list[str] = []

    def made(function: Any, **options: Any) -> Any:
        name = f"nb_{function.__name__.strip('<>')}"
        names.append(name)
        return session.register_function(name, udf(function, func_type="numba", **options))

    yield made
    for name in names:
        session.drop_function(name)


@pytest.mark.parametrize(
    ("function", "arguments"),
    [
        (squares, "transform(sequence(0L, id % 13), x -> x / 7D)"),
        (squares, "IF(id % 3 = 0, array(), array(1D, double('nan'), -0D))"),
        (longest, "transform(sequence(0L, id % 17), x -> (x * id) % 3)"),
        (steps, "id + 1"),
        (steps, "int(id + 1)"),
        (
            mixed,
            "id - 300, id / 9D, id % 4 = 0, transform(sequence(0, 3), x -> x + 0.25D), "
            "transform(sequence(0L, id % 5), x -> x - id)",
        ),
        (any_of, "transform(sequence(0L, id % 6), x -> x * id % 5 = 3)"),
        (root, "id - 250D"),
    ],
)
def test_answers_are_those_of_python(
    session: nu.Session, register: Callable[..., Any], function: Any, arguments: str
) -> None:
    register(function)
    query = f"SELECT struct({arguments}) AS a, nb_{function.__name__}({arguments}) AS r"
    rows = session.sql(f"{query} FROM range(0, 600, 1, 3)").collect()
    assert len(rows) == 600
    for row in rows:
        expected = function(*row.a)
        assert type(row.r) is type(expected)
        assert row.r == expected or (math.isnan(row.r) and math.isnan(expected))


def test_arguments_of_narrower_types(session: nu.Session, register: Callable[..., Any]) -> None:
    # In 32 bits the product would be another one.
    def product(a: int, b: float, xs: list[float], counts: list[int]) -> float:
        return a * a * b * b * xs[0] * xs[1] * counts[0] * counts[1]

    register(product)
    query = """
        SELECT nb_product(2000000000, 0.1F, array(0.1F, 0.3F), array(2000000000, 2000000000)) AS p,
            nb_product(3Y, CAST(2.5 AS DECIMAL(3,1)), array(1, 2), array(1S, 2S)) AS q"""
    found = session.sql(query).first()
    # What FLOAT holds of 0.1 and 0.3.
    tenth, third = 0.10000000149011612, 0.30000001192092896
    wide = 2000000000 * 2000000000
    assert found is not None
    assert found.p == wide * tenth * tenth * tenth * third * 2000000000.0 * 2000000000.0
    assert found.q == 3 * 3 * 2.5 * 2.5 * 1 * 2 * 1 * 2


def test_nulls_are_nulls_without_a_call(session: nu.Session, register: Callable[..., Any]) -> None:
    def raising(a: int, xs: list[float]) -> float:
        if a > 4:
            raise ValueError("called")
        return a + len(xs)

    register(raising)
    rows = session.sql("""
        SELECT id, nb_raising(IF(id > 4 OR id = 1, NULL, id), IF(id = 2, NULL, array(1D))) AS r
        FROM range(0, 9, 1, 2)""").collect()
    assert [row.r for row in rows] == [1.0, None, None, 4.0, 5.0, None, None, None, None]
    assert session.sql("SELECT nb_raising(NULL, NULL)").first()[0] is None


def test_null_elements_are_nan_among_floats(
    session: nu.Session, register: Callable[..., Any]
) -> None:
    def last(xs: list[float]) -> float:
        return xs[-1]

    register(last)
    query = "SELECT nb_last(array(1D, IF(id % 2 = 0, NULL, 2D))) AS r FROM range(0, 6, 1, 1)"
    rows = session.sql(query).collect()
    assert [str(row.r) for row in rows] == ["nan", "2.0"] * 3


@pytest.mark.parametrize("on_error", ["fail", "null"])
def test_null_elements_are_an_error_among_ints(
    session: nu.Session, register: Callable[..., Any], on_error: str
) -> None:
    register(longest, on_error=on_error)
    query = """
        SELECT nb_longest(IF(id = 3, NULL, array(1L, 1L, IF(id IN (2, 3), NULL, id)))) AS r
        FROM range(0, 5, 1, 1)"""
    if on_error == "null":
        assert [row.r for row in session.sql(query).collect()] == [2, 3, None, None, 2]
        return
    with pytest.raises(nu.UserFunctionError, match=r"xs\[2\] is NULL") as caught:
        session.sql(query).collect()
    assert caught.value.failed is not None
    assert (caught.value.failed.row, caught.value.failed.rows) == (3, 5)
    assert caught.value.failed.arguments == (("xs", "[1, 1, None]"),)


def test_whole_numbers_wrap_around(session: nu.Session, register: Callable[..., Any]) -> None:
    record = register(doubled)
    assert session.sql("SELECT nb_doubled(9223372036854775807)").first()[0] == -2
    assert "64 bits and wrap around, where Python's grow" in record.explain()
    assert "numba" in (udf.__doc__ or "")


@pytest.mark.parametrize("given", ["int", "bigint"])
def test_an_int_that_does_not_fit(
    session: nu.Session, register: Callable[..., Any], given: str
) -> None:
    register(doubled, result_type="int", input_types=[given])
    rows = session.sql(f"SELECT nb_doubled(CAST(id AS {given})) FROM range(-3, 3, 1, 1)").collect()
    assert [row[0] for row in rows] == [-6, -4, -2, 0, 2, 4]
    with pytest.raises(nu.ResultError, match="INT cannot hold") as caught:
        session.sql(f"SELECT nb_doubled(CAST(id * 1000000000 AS {given})) FROM range(3)").collect()
    assert dict(caught.value.failed.arguments) == {"number": "2000000000"}
    register(doubled, result_type="int", input_types=[given], on_error="null")
    query = f"SELECT nb_doubled(CAST(id * 1000000000 AS {given})) FROM range(0, 3, 1, 1)"
    assert [row[0] for row in session.sql(query).collect()] == [0, 2000000000, None]


def test_results_of_other_types(session: nu.Session, register: Callable[..., Any]) -> None:
    register(doubled, result_type="double")
    assert session.sql("SELECT nb_doubled(7)").first()[0] == 14.0
    with pytest.raises(nu.ResultError, match="no double equals it"):
        session.sql("SELECT nb_doubled(4503599627370497L * 3)").collect()
    register(squares, result_type="float")
    found = session.sql("SELECT nb_squares(array(0.1D))").first()
    assert found is not None
    assert found[0] == pytest.approx(0.01)
    with pytest.raises(nu.ResultError, match="larger than any FLOAT"):
        session.sql("SELECT nb_squares(array(1e30D))").collect()


def test_an_error_is_that_of_its_row_and_line(
    session: nu.Session, register: Callable[..., Any]
) -> None:
    register(divided)
    with pytest.raises(nu.UserFunctionError, match="ZeroDivisionError") as caught:
        session.sql("SELECT nb_divided(id, id - 7) FROM range(0, 20, 1, 1)").collect()
    failed = caught.value.failed
    assert failed is not None
    assert (failed.exception, failed.row, failed.rows) == ("ZeroDivisionError", 8, 20)
    assert failed.arguments == (("total", "7"), ("parts", "0"))
    assert "return total / parts" in str(caught.value)
    with pytest.raises(ZeroDivisionError):
        session.replay("nb_divided")


def test_rows_that_raise_may_be_null_or_kept(
    session: nu.Session, register: Callable[..., Any]
) -> None:
    query = "SELECT id, nb_divided(id, id % 10 - 7) AS r FROM range(0, 500, 1, 2)"
    expected = [None if i % 10 == 7 else i / (i % 10 - 7) for i in range(500)]
    register(divided, on_error="null")
    assert [row.r for row in session.sql(query).collect()] == expected
    register(divided, on_error="quarantine")
    assert [row.r for row in session.sql(query).collect()] == expected
    kept = session.errors("nb_divided").select("total", "parts", "error").collect()
    assert sorted(row.total for row in kept) == list(range(7, 500, 10))
    assert {(row.parts, row.error) for row in kept} == {(0, "ZeroDivisionError")}


def test_an_index_out_of_its_array(session: nu.Session, register: Callable[..., Any]) -> None:
    def third(xs: list[float]) -> float:
        return xs[2]

    register(third)
    with pytest.raises(nu.UserFunctionError, match="IndexError") as caught:
        session.sql("SELECT nb_third(array(1D, 2D))").collect()
    assert "return xs[2]" in str(caught.value)


def test_arguments_cannot_be_changed(session: nu.Session) -> None:
    def emptied(xs: list[float]) -> float:
        xs[0] = 0.0
        return xs[0]

    with pytest.raises(nu.DeclarationError, match=r"emptied cannot be compiled by numba: .*leave"):
        udf(emptied, func_type="numba")


def test_what_numba_cannot_compile(session: nu.Session) -> None:
    def typed(number: int) -> int:
        return open(f"{number}").fileno()

    with pytest.raises(nu.DeclarationError) as caught:
        udf(typed, func_type="numba")
    said = str(caught.value)
    assert said.startswith("typed cannot be compiled by numba: ")
    assert said.endswith("leave func_type out, and it runs as it is")
    assert "\x1b" not in said
    assert "Failed in nopython" not in said

    # Its types are known with its columns only.
    def untyped(number):  # type: ignore[no-untyped-def]
        return open(f"{number}").fileno()

    session.register_function("nb_untyped", udf(untyped, result_type="int", func_type="numba"))
    with pytest.raises(nu.DeclarationError, match="nb_untyped cannot be compiled by numba: "):
        session.sql("SELECT nb_untyped(id) FROM range(3)").collect()
    with pytest.raises(nu.DeclarationError, match=r"takes whole numbers, DOUBLE, .*, not string"):
        session.sql("SELECT nb_untyped('a')").collect()
    session.drop_function("nb_untyped")


def test_what_is_refused_where_it_is_declared(
    session: nu.Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    def text(word: str) -> int:
        return len(word)

    def number(share: float) -> int:
        return share  # type: ignore[return-value]

    def rows(number: int) -> Iterator[tuple[int]]:
        yield (number,)

    def whole(numbers: Any) -> int:
        return len(numbers)

    class Eval(nu.ScalarFunction):
        def eval(self, number: int) -> int:
            return number

    class Same(nu.OneInputStreamProcessFunction):
        def process_record(self, record: Any, output: Any, context: Any) -> None:
            output.collect(record)

    for declare, said in [
        (lambda: udf(text, func_type="numba"), "and arrays of these, not STRING"),
        (lambda: udf(divided, result_type="string", func_type="numba"), "not STRING"),
        (lambda: udf(number, func_type="numba"), "returns float64 of numba's, and BIGINT is"),
        (lambda: udf(Eval, func_type="numba"), "is no plain function"),
        (lambda: nu.udaf(whole, result_type="int", func_type="numba"), "is for scalar functions"),
        (lambda: nu.udtf(rows, result_types=["int"], func_type="numba"), "is for scalar functions"),
        (
            lambda: session.register_function(
                "nb_same", Same, output_type="a int", func_type="numba"
            ),
            "is for scalar functions",
        ),
        (lambda: udf(steps, func_type="numba", self_check=0.1), "self_check compares"),
        (lambda: udf(steps, func_type="numbax"), r"\(did you mean numba\?\)"),
    ]:
        with pytest.raises(nu.DeclarationError, match=said):
            declare()
    found = importlib.util.find_spec

    def without(name: str, *rest: Any) -> Any:
        return None if name == "numba" else found(name, *rest)

    monkeypatch.setattr(importlib.util, "find_spec", without)
    with pytest.raises(nu.DeclarationError, match=r"pip install 'notebook-udf\[numba\]'"):
        udf(steps, func_type="numba")


steps_of = numba.njit(steps)


@numba.njit  # type: ignore[untyped-decorator]
def helper(number: int) -> int:
    return number + FACTOR


def test_helpers_defaults_names_and_columns(
    session: nu.Session, register: Callable[..., Any]
) -> None:
    def helped(number: int, more: int = 10, less: int = 1) -> int:
        return int(helper(number)) + more - less

    register(helped)
    query = """
        SELECT nb_helped(id), nb_helped(id, 20), nb_helped(id, less => 5), nb_helped(id, id, id)
        FROM range(2)"""
    rows = [tuple(row) for row in session.sql(query).collect()]
    assert rows == [(12, 22, 8, 3), (13, 23, 9, 4)]
    called = session.functions["nb_helped"]
    found = session.spark.range(2).select(called("id", 7).alias("r")).collect()
    assert [row.r for row in found] == [9, 10]


def test_where_some_rows_reach_it(session: nu.Session, register: Callable[..., Any]) -> None:
    register(divided)
    query = """
        SELECT CASE WHEN id % 4 <> 0 THEN nb_divided(12, id % 4) END AS r,
            transform(array(id, 0L, 2L), x -> IF(x = 0, -1D, nb_divided(6, x))) AS t
        FROM range(0, 8, 1, 1)"""
    for i, row in enumerate(session.sql(query).collect()):
        assert row.r == (12 / (i % 4) if i % 4 else None)
        assert row.t == [6 / i if i else -1.0, -1.0, 3.0]
    with pytest.raises(nu.UserFunctionError) as caught:
        session.sql("""
            SELECT CASE WHEN id > 2 THEN nb_divided(id, id - 5) END FROM range(0, 8, 1, 1)
            """).collect()
    assert caught.value.failed is not None
    assert (caught.value.failed.row, caught.value.failed.rows) == (6, 8)


def test_a_plan_and_the_metrics_say_so(session: nu.Session, register: Callable[..., Any]) -> None:
    def counted(number: int) -> int:
        return steps_of(number)

    record = register(counted)
    assert "in a loop that numba compiles" in record.explain()
    frame_query = "SELECT sum(nb_counted(id)) FROM range(0, 900, 1, 2)"
    frame = session.sql(frame_query)
    frame.collect()
    assert "numba compiles" in str(session.plan(frame))
    (found,) = (each for each in session.metrics().totals if each.function == "nb_counted")
    assert (found.rows_in, found.rows_out) == (900, 900)
    assert record.eval(27) == steps(27) == 111
    assert any("compiled by numba" in note for note in session.profile(frame_query).notes)


def test_a_benchmark_has_the_general_way_too(
    session: nu.Session, register: Callable[..., Any]
) -> None:
    register(squares)
    query = "SELECT nb_squares(array(id / 7D, 2D)) FROM range(2000)"
    ways = {
        way["kind"]: way for way in session.bench("nb_squares", query, repeats=1).to_dict()["ways"]
    }
    assert list(ways) == ["own", "general"]
    assert ways["general"]["same"] is True
