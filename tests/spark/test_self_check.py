"""``self_check``: a share of rows is computed both ways, and a difference fails the query."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import date, datetime
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pytest

import notebook_udf as nu
from notebook_udf import ScalarFunction, udf
from notebook_udf.planner.physical import in_java
from notebook_udf.worker.kernels.program import Answer, Program

MULTIPLIED = "Math.multiplyExact(t0, 3L)"


def tripled(number: int) -> int:
    return number * 3


def shared(total: int, people: int) -> float:
    return total / people


def described(number: int, text: str, share: float, day: date, flag: bool) -> str:
    return f"{number:05d} {text.upper()} {share:.3f} {day:%Y-%m} {flag}"


def moved(moment: datetime, price: Decimal, several: list[int]) -> Decimal:
    return price * sum(several) + moment.hour


def both(number: int, text: str) -> tuple[int, str]:
    return number + len(text), text[::-1]


def listed(number: int) -> list[float]:
    return [number / 7, number * 0.5]


@pytest.fixture
def register(session: nu.Session) -> Iterator[Callable[..., Any]]:
    names: list[str] = []

    def made(name: str, function: Any, **options: Any) -> Any:
        names.append(name)
        return session.register_function(name, udf(function, **options))

    yield made
    for name in names:
        session.drop_function(name)


@pytest.fixture(autouse=True)
def every_call_could_be_checked(session: nu.Session) -> Iterator[None]:
    yield
    assert not [note for note in session.notes if "could not be checked" in note]


@pytest.fixture
def wrong(
    register: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> Callable[[str, str, float], Any]:
    """Registers ``tripled`` with Java that computes something else where it triples."""

    def made(name: str, java: str, share: float) -> Any:
        right = in_java.java_class

        def planted(record: Any, *given: Any) -> Any:
            found = right(record, *given)
            assert MULTIPLIED in found.source
            return replace(found, source=found.source.replace(MULTIPLIED, java))

        with monkeypatch.context() as patch:
            patch.setattr(in_java, "java_class", planted)
            return register(name, tripled, self_check=share)

    return made


@pytest.mark.parametrize(
    "query",
    [
        "SELECT checked_rows(id) FROM range(0, 100, 1, 3)",
        "SELECT checked_rows(id) % 4 AS k, count(*) FROM range(0, 100, 1, 3) GROUP BY k",
        "SELECT max(checked_rows(id)) FROM range(0, 100, 1, 1)",
        "SELECT checked_rows(id) AS k FROM range(0, 100, 1, 3) ORDER BY k",
        "SELECT /*+ BROADCAST(b) */ count(*) FROM range(9) a JOIN (SELECT checked_rows(id) AS id "
        "FROM range(0, 100, 1, 3)) b ON a.id = b.id",
    ],
    ids=["rows", "grouped", "one task", "sorted", "broadcast"],
)
@pytest.mark.parametrize("adaptive", ["true", "false"])
def test_a_wrong_class_in_java_fails_the_query(
    session: nu.Session, wrong: Callable[..., Any], query: str, adaptive: str
) -> None:
    # Only one row of 100 is wrong.
    wrong("checked_rows", f"({MULTIPLIED} + (t0 == 77L ? 1L : 0L))", 1.0)
    session.spark.conf.set("spark.sql.adaptive.enabled", adaptive)
    try:
        with pytest.raises(nu.SelfCheckFailed) as caught:
            session.sql(query).collect()
    finally:
        session.spark.conf.unset("spark.sql.adaptive.enabled")
    said = str(caught.value)
    assert "checked_rows answered 232 (int) in Spark's JVM, where plain Python answers 231" in said
    assert "compile=False" in said
    assert "report it" in said
    failed = caught.value.failed
    assert failed is not None
    assert failed.arguments == (("number", "77"),)
    assert failed.row > 0
    assert session.replay("checked_rows") == 231
    # Spark goes on.
    assert session.sql("SELECT sum(id) FROM range(1000)").first()[0] == 499500


def test_a_wrong_class_fails_whatever_a_query_ends_in(
    session: nu.Session, wrong: Callable[..., Any], tmp_path: Any
) -> None:
    wrong("checked_ends", "(t0 * 3L + 1L)", 1.0)
    frame = session.sql("SELECT checked_ends(id) AS c FROM range(10)")
    for end in (
        frame.show,
        frame.toArrow,
        frame.first,
        lambda: frame.write.parquet(str(tmp_path / "rows")),
        lambda: list(frame.toLocalIterator()),
    ):
        with pytest.raises(nu.SelfCheckFailed, match="checked_ends answered"):
            end()


def test_a_share_is_of_the_whole_task(session: nu.Session, wrong: Callable[..., Any]) -> None:
    # Of the first 500 rows none is wrong.
    wrong("checked_late", "(t0 * 3L + (t0 > 150000L ? 1L : 0L))", 0.01)
    with pytest.raises(nu.SelfCheckFailed) as caught:
        session.sql("SELECT max(checked_late(id)) FROM range(0, 200000, 1, 1)").collect()
    assert caught.value.failed is not None
    assert caught.value.failed.row > 150000


def test_a_long_task_is_checked_from_end_to_end(
    session: nu.Session, wrong: Callable[..., Any]
) -> None:
    # More rows than are kept.
    wrong("checked_long", "(t0 * 3L + (t0 > 80000L ? 1L : 0L))", 1.0)
    with pytest.raises(nu.SelfCheckFailed):
        session.sql("SELECT max(checked_long(id)) FROM range(0, 100000, 1, 1)").collect()


def test_what_spark_computes_while_it_plans(session: nu.Session, wrong: Callable[..., Any]) -> None:
    wrong("checked_plan", "(t0 * 3L + 1L)", 1.0)
    for query in (
        "SELECT checked_plan(14)",
        "SELECT checked_plan(id) FROM VALUES (5L), (6L) AS t(id)",
    ):
        with pytest.raises(nu.SelfCheckFailed, match="in Spark's JVM, where plain Python answers"):
            session.sql(query).collect()


def test_a_class_that_answers_where_python_raises(
    session: nu.Session, register: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    right = in_java.java_class

    def planted(record: Any, *given: Any) -> Any:
        found = right(record, *given)
        body = "public Object call(Object x0, Object x1) {"
        assert body in found.source
        seven = f"{body} if (((Number) x1).longValue() == 0L) return Double.valueOf(7.0);"
        return replace(found, source=found.source.replace(body, seven))

    with monkeypatch.context() as patch:
        patch.setattr(in_java, "java_class", planted)
        register("checked_shared", shared, self_check=1.0)
    with pytest.raises(nu.SelfCheckFailed) as caught:
        session.sql("SELECT checked_shared(id, id - 3) FROM range(5)").collect()
    said = str(caught.value)
    assert (
        "answered 7.0 (float) in Spark's JVM, where plain Python raises ZeroDivisionError" in said
    )


def test_what_a_function_raises_is_its_own_error(
    session: nu.Session, register: Callable[..., Any]
) -> None:
    register("checked_raises", shared, self_check=1.0)
    with pytest.raises(nu.UserFunctionError, match="ZeroDivisionError"):
        session.sql("SELECT checked_raises(id, id - 3) FROM range(5)").collect()


@pytest.mark.parametrize(
    ("name", "function", "query"),
    [
        ("numbers", tripled, "{f}(id - 50)"),
        ("floats", shared, "{f}(id, id % 7 - 7)"),
        ("texts", described, "{f}(id, concat('ä', id), id / 3, date'2024-01-31', id % 2 = 0)"),
        (
            "decimals",
            moved,
            "{f}(timestamp'2024-03-31 01:59:59', CAST(id AS DECIMAL(9,2)), array(id, 2L))",
        ),
        ("rows", both, "{f}(id, string(id))"),
        ("lists", listed, "{f}(id)"),
    ],
)
def test_a_right_function_passes(
    session: nu.Session, register: Callable[..., Any], name: str, function: Any, query: str
) -> None:
    options: dict[str, Any] = {}
    if name == "rows":
        options["result_type"] = "struct<n: bigint, t: string>"
    if name == "decimals":
        options = {
            "input_types": ["timestamp_ntz", "decimal(9,2)", "array<bigint>"],
            "result_type": "decimal(20,2)",
        }
        query = query.replace("timestamp'", "timestamp_ntz'")
    ways = {}
    for share in (0.0, 1.0):
        called = f"right_{name}_{int(share)}"
        record = register(called, function, self_check=share, **options)
        assert "runs in Spark's JVM" in record.explain()
        assert ("self_check: all rows" in record.explain()) == bool(share)
        rows = session.sql(f"SELECT {query.format(f=called)} FROM range(0, 300, 1, 2)").collect()
        ways[share] = [row[0] for row in rows]
    assert ways[0.0] == ways[1.0]


def test_any_nan_is_any_nan(session: nu.Session, register: Callable[..., Any]) -> None:
    def passed(number: float) -> float:
        return number * 1.0

    register("checked_nan", passed, self_check=1.0)
    query = "SELECT checked_nan(CAST(t AS DOUBLE)) FROM VALUES ('nan'), ('-0.0'), ('inf') AS v(t)"
    found = [row[0] for row in session.sql(query).collect()]
    assert math.isnan(found[0])
    assert (str(found[1]), found[2]) == ("-0.0", math.inf)


def test_what_it_uses_is_as_it_was_registered(
    session: nu.Session, register: Callable[..., Any]
) -> None:
    factor = 2

    def times(number: int) -> int:
        return number * factor

    register("checked_times", times, self_check=1.0)
    factor = 3
    found = session.sql("SELECT sum(checked_times(id)) FROM range(100)").first()
    assert found is not None
    assert found[0] == 9900


def test_rows_are_counted_once(session: nu.Session, register: Callable[..., Any]) -> None:
    register("checked_count", tripled, self_check=1.0)
    register("checked_kernels", tripled, self_check=1.0, compile=False)
    for name in ("checked_count", "checked_kernels"):
        session.sql(f"SELECT sum({name}(id)) FROM range(0, 5000, 1, 2)").collect()
        (found,) = (each for each in session.metrics().totals if each.function == name)
        assert (found.rows_in, found.rows_out, found.tasks) == (5000, 5000, 2)


class Tripled(ScalarFunction):
    """Answers right, but for what it does to the kernels of the worker that it is opened in."""

    def open(self, function_context: nu.FunctionContext) -> None:
        self._right = Program.__call__
        right = self._right

        def planted(program: Program, columns: Any) -> Answer | None:
            answer = right(program, columns)
            if answer is None:
                return None
            wrong = pc.equal(columns[0], pa.scalar(4321, columns[0].type))
            result = pc.if_else(wrong, pc.add(answer.result, 1), answer.result)
            return Answer(result, answer.declined)

        Program.__call__ = planted  # type: ignore[method-assign]

    def eval(self, number: int) -> int:
        return number * 3 if number != 8 else 10 // (number - 8)

    def close(self) -> None:
        Program.__call__ = self._right  # type: ignore[method-assign]


@pytest.mark.parametrize("on_error", ["fail", "null"])
def test_a_wrong_kernel_fails_the_query(
    session: nu.Session, register: Callable[..., Any], on_error: str
) -> None:
    record = register("checked_kernel", Tripled, self_check=1.0, on_error=on_error)
    assert "self_check: all rows" in record.explain()
    query = "SELECT checked_kernel(id + 9) FROM range(0, 5000, 1, 1)"
    with pytest.raises(nu.SelfCheckFailed) as caught:
        session.sql(query).collect()
    said = str(caught.value)
    assert "answered 12964 (int) as Arrow kernels, where plain Python answers 12963" in said
    assert "vectorise=False" in said
    failed = caught.value.failed
    assert failed is not None
    assert (failed.arguments, failed.row, failed.rows) == ((("number", "4321"),), 4313, 5000)
    # Without the option nobody notices: this is what is compared.
    register("checked_kernel", Tripled, on_error=on_error)
    assert session.sql(query).collect()[4312][0] == 12964


@pytest.mark.parametrize(
    "call",
    [
        "CASE WHEN id > 4000 THEN checked_where(id) END",
        "element_at(transform(array(id, 3L), x -> checked_where(x)), 1)",
        "element_at(transform(array(id, 3L), x -> IF(x > 4000, checked_where(x), 0)), 1)",
    ],
    ids=["some rows", "elements", "some elements"],
)
def test_a_wrong_kernel_fails_wherever_it_runs(
    session: nu.Session, register: Callable[..., Any], call: str
) -> None:
    register("checked_where", Tripled, self_check=1.0)
    with pytest.raises(nu.SelfCheckFailed, match="answered 12964") as caught:
        session.sql(f"SELECT {call} FROM range(0, 5000, 1, 1)").collect()
    assert caught.value.failed is not None
    assert (caught.value.failed.row, caught.value.failed.rows) == (4322, 5000)


def test_a_right_kernel_passes(session: nu.Session, register: Callable[..., Any]) -> None:
    def share(number: int, parts: int) -> float | None:
        return None if parts == 3 else number / parts

    options = {"self_check": 1.0, "compile": False, "on_error": "null"}
    register("checked_parts", share, **options)
    found = session.sql("SELECT checked_parts(id, id % 5) AS s FROM range(0, 5000, 1, 2)").collect()
    assert [row.s for row in found] == [
        None if i % 5 in (0, 3) else i / (i % 5) for i in range(5000)
    ]


@pytest.mark.parametrize("share", [True, -0.1, 1.5, float("nan"), "many", (), 2])
def test_what_is_no_share(share: Any) -> None:
    with pytest.raises(nu.DeclarationError, match=r"write a number from 0 to 1, as 0\.001"):
        udf(tripled, self_check=share)


def test_a_share_as_text() -> None:
    assert udf(tripled, self_check="0.25").options.self_check == 0.25
    assert udf(tripled).options.self_check == 0.0


def test_functions_that_plain_python_runs() -> None:
    async def awaited(number: int) -> int:
        return number

    def rows(number: int) -> Iterator[tuple[int]]:
        yield (number,)

    class Total(nu.AggregateFunction):
        def create_accumulator(self) -> list[int]:
            return [0]

        def accumulate(self, accumulator: list[int], number: int) -> None:
            accumulator[0] += number

        def get_value(self, accumulator: list[int]) -> int:
            return accumulator[0]

    for declare in (
        lambda: udf(awaited, self_check=0.1),
        lambda: udf(tripled, func_type="arrow", result_type="bigint", self_check=0.1),
        lambda: nu.udtf(rows, result_types=["bigint"], self_check=0.1),
        lambda: nu.udaf(Total, self_check=0.1),
    ):
        with pytest.raises(nu.DeclarationError, match="self_check compares Arrow kernels"):
            declare()


def by_name(people: list[Any]) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    for person in people:
        found.setdefault(person.name, []).append(person.score)
    return found


def test_rows_and_what_holds_others_are_checked(
    session: nu.Session, register: Callable[..., Any], caplog: pytest.LogCaptureFixture
) -> None:
    register("checked_names", by_name, self_check=1.0)
    given = (
        "array(named_struct('name', 'a, (b', 'score', id), named_struct('name', NULL, 'score', 2L))"
    )
    frame = session.sql(f"SELECT checked_names({given}) AS n FROM range(3)")
    assert "EvalPython" not in frame._jdf.queryExecution().executedPlan().toString()
    with pytest.raises(nu.ResultError, match="a map's key is never NULL"):
        frame.collect()
    given = given.replace("NULL", "string(id)")
    frame = session.sql(f"SELECT checked_names({given}) AS n FROM range(3)")
    assert [row.n for row in frame.collect()] == [{"a, (b": [n], str(n): [2]} for n in range(3)]
    assert not [note for note in session.notes if "checked_names" in note]
