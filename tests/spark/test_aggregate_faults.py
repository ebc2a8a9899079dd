"""What goes wrong in and around aggregate functions: typed errors that say where and what next."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from pyspark.errors import ParseException
from sample_aggregates import Sum

import notebook_udf as nu
from notebook_udf import FunctionContext, udaf


@pytest.fixture(autouse=True)
def the_next_query_succeeds(session: nu.Session) -> Iterator[None]:
    session.register_function("sound", udaf(Sum))
    yield
    rows = session.sql("SELECT id % 2, sound(id) FROM range(0, 10, 1, 2) GROUP BY 1").collect()
    assert sorted(map(tuple, rows)) == [(0, 20), (1, 25)]


def failure(
    session: nu.Session,
    function: Any,
    *,
    error: type[Exception] = nu.UserFunctionError,
    query: str = "SELECT id % 3 AS k, broken(id) FROM range(0, 30, 1, 2) GROUP BY id % 3",
    **options: Any,
) -> Any:
    """The error that a query with the function ends with."""
    session.register_function("broken", udaf(function, **options))
    with pytest.raises(error) as caught:
        session.sql(query).collect()
    assert isinstance(caught.value, nu.NotebookUdfError)
    # The JVM's stack is for whoever asks for it, never first.
    assert "org.apache.spark" not in str(caught.value)
    return caught.value


# --- the user's methods raise ----------------------------------------------------------------


class AccumulateRaises(Sum):
    def accumulate(self, accumulator: Any, value: int) -> Any:
        if value == 7:
            raise ValueError(f"cannot take {value}")
        accumulator[0] += value


class SortedAccumulateRaises(AccumulateRaises):
    def merge(self, accumulator: Any, accumulators: Any) -> Any:
        pass


@pytest.mark.parametrize("function", [AccumulateRaises, SortedAccumulateRaises])
def test_accumulate_that_raises_names_function_group_values_and_row(
    session: nu.Session, function: Any
) -> None:
    error = failure(session, function)
    failed = error.failed
    assert failed is not None
    assert (failed.function, failed.exception) == ("broken", "ValueError")
    assert failed.message == "cannot take 7"
    assert failed.arguments == (("value", "7"),)
    assert [value for _, value in failed.group] == ["1"]
    assert "id" in failed.group[0][0]
    assert failed.row >= 0
    assert failed.frames[-1].name == "accumulate"
    assert "raise ValueError" in failed.frames[-1].text
    for text in ("broken: ValueError: cannot take 7", "value = 7", "= 1"):
        assert text in str(error)


@pytest.mark.parametrize(
    "query",
    [
        "SELECT broken(id) FROM range(0, 30, 1, 2)",
        "SELECT broken(DISTINCT id) FROM range(0, 30, 1, 2)",
        "SELECT broken(id) OVER (ORDER BY id ROWS 2 PRECEDING) FROM range(0, 30, 1, 2)",
        "SELECT broken(id) OVER (PARTITION BY id % 3) FROM range(0, 30, 1, 2)",
        "SELECT broken(id) FILTER (WHERE id > 5) FROM range(0, 30, 1, 2)",
    ],
)
def test_accumulate_that_raises_wherever_it_is_called(session: nu.Session, query: str) -> None:
    error = failure(session, AccumulateRaises, query=query)
    assert error.failed is not None
    assert error.failed.arguments == (("value", "7"),)
    assert "cannot take 7" in str(error)


class Unchangeable(Sum):
    """Accumulates into a number and has to return it."""

    def create_accumulator(self) -> Any:
        return 0

    def accumulate(self, accumulator: Any, value: int) -> Any:
        if value == 7:
            raise ValueError("cannot take 7")
        return accumulator + value

    def merge(self, accumulator: Any, accumulators: Any) -> Any:
        return accumulator + sum(accumulators)

    def get_value(self, accumulator: Any) -> int:
        return int(accumulator)


def test_accumulate_of_a_number_that_raises(session: nu.Session) -> None:
    error = failure(session, Unchangeable)
    assert error.failed is not None
    assert error.failed.arguments == (("value", "7"),)
    assert [value for _, value in error.failed.group] == ["1"]


class CreateRaises(Sum):
    def create_accumulator(self) -> Any:
        raise OSError("no model there")


class GetValueRaises(Sum):
    def get_value(self, accumulator: Any) -> int:
        raise ZeroDivisionError("of nothing")


class MergeRaises(Sum):
    def merge(self, accumulator: Any, accumulators: Any) -> Any:
        raise RuntimeError("cannot merge")


class OpenRaises(Sum):
    def open(self, function_context: FunctionContext) -> None:
        raise ConnectionError("no way")


class CloseRaises(Sum):
    def close(self) -> None:
        raise ConnectionError("no way back")


@pytest.mark.parametrize(
    ("function", "text", "method"),
    [
        (CreateRaises, "broken: OSError: no model there", "create_accumulator"),
        (GetValueRaises, "broken: ZeroDivisionError: of nothing", "get_value"),
        (MergeRaises, "broken: RuntimeError: cannot merge", "merge"),
        (OpenRaises, "broken: ConnectionError: no way", "open"),
        (CloseRaises, "broken: ConnectionError: no way back", "close"),
    ],
)
def test_every_method_that_raises_is_the_users_error(
    session: nu.Session, function: Any, text: str, method: str
) -> None:
    error = failure(session, function)
    assert text in str(error)
    assert error.failed is not None
    assert error.failed.frames[-1].name == method
    if method in ("get_value", "merge"):
        assert len(error.failed.group) == 1


def test_a_value_that_cannot_be_made_shows_the_accumulator(session: nu.Session) -> None:
    error = failure(session, GetValueRaises, query="SELECT broken(id) FROM range(0, 4, 1, 2)")
    assert error.failed is not None
    assert [value for _, value in error.failed.arguments] == ["[6]"]


# --- what the methods return -----------------------------------------------------------------


class ForgetsInAccumulate(Unchangeable):
    def accumulate(self, accumulator: Any, value: int) -> Any:
        accumulator += value


class ForgetsInMerge(Unchangeable):
    def accumulate(self, accumulator: Any, value: int) -> Any:
        return accumulator + value

    def merge(self, accumulator: Any, accumulators: Any) -> Any:
        accumulator += sum(accumulators)


class AnotherList(Sum):
    def accumulate(self, accumulator: Any, value: int) -> Any:
        return [accumulator[0] + value]


class AnotherListInMerge(Sum):
    def merge(self, accumulator: Any, accumulators: Any) -> Any:
        return [accumulator[0] + sum(other[0] for other in accumulators)]


@pytest.mark.parametrize("on_error", ["fail", "null"])
@pytest.mark.parametrize(
    ("function", "texts"),
    [
        (ForgetsInAccumulate, ["broken.accumulate returned None", "an int", "return the new"]),
        (ForgetsInMerge, ["broken.merge returned None", "an int", "return the new"]),
        (AnotherList, ["broken.accumulate returned a list of its own", "return nothing"]),
        (AnotherListInMerge, ["broken.merge returned a list of its own", "return nothing"]),
    ],
)
def test_a_method_that_breaks_its_promise(
    session: nu.Session, function: Any, texts: list[str], on_error: str
) -> None:
    # Whatever becomes of rows that fail: no row is at fault here.
    error = failure(session, function, error=nu.DeclarationError, on_error=on_error)
    for text in texts:
        assert text in str(error)


class Text(Sum):
    """Puts into its accumulator what the declared type has no room for."""

    def accumulate(self, accumulator: Any, value: int) -> Any:
        accumulator[0] = "seven" if value == 7 else accumulator[0]


class Handle(Sum):
    def create_accumulator(self) -> Any:
        return [threading.Lock()]

    def accumulate(self, accumulator: Any, value: int) -> Any:
        pass


def test_an_accumulator_that_does_not_fit_its_type(session: nu.Session) -> None:
    error = failure(session, Text, error=nu.DeclarationError, acc_type="array<bigint>")
    for text in ("accumulator of broken", "'seven' at [0]", "BIGINT", "id % 3 = 1"):
        assert text in str(error)


def test_an_accumulator_that_cannot_be_pickled(session: nu.Session) -> None:
    error = failure(session, Handle, error=nu.DeclarationError)
    for text in (
        "accumulator of broken",
        "cannot be sent to another worker",
        "lock",
        "pickled",
        "id % 3 = ",
    ):
        assert text in str(error)


class Large(Sum):
    def get_value(self, accumulator: Any) -> int:
        return 2**63 + int(accumulator[0])


class Half(Sum):
    def get_value(self, accumulator: Any) -> Any:
        return accumulator[0] + 0.5


class Words(Sum):
    def get_value(self, accumulator: Any) -> Any:
        return "many"


@pytest.mark.parametrize(
    ("function", "shown"), [(Large, "92233720368547"), (Half, ".5"), (Words, "'many'")]
)
@pytest.mark.parametrize("grouped", [True, False])
def test_a_value_that_does_not_fit_the_result_type(
    session: nu.Session, function: Any, shown: str, grouped: bool
) -> None:
    query = "SELECT broken(id) FROM range(0, 30, 1, 2)" + " GROUP BY id % 3" * grouped
    error = failure(session, function, error=nu.ResultError, query=query, result_type="bigint")
    for text in ("broken", shown, "BIGINT"):
        assert text in str(error)
    assert error.failed is not None
    assert len(error.failed.group) == grouped


def test_functions_of_columns_that_fail(session: nu.Session) -> None:
    def raises(values: Any) -> Any:
        raise ValueError("all of it")

    session.register_function("broken", udaf(raises, result_type="int", func_type="pandas"))
    with pytest.raises(nu.UserFunctionError, match="broken: ValueError: all of it"):
        session.sql("SELECT broken(id) FROM range(5)").collect()
    session.register_function("broken", udaf(lambda v: v, result_type="bigint", func_type="pandas"))
    with pytest.raises(nu.ResultError, match="broken"):
        session.sql("SELECT broken(id) FROM range(5)").collect()


# --- rows that are let go --------------------------------------------------------------------


def test_a_row_that_is_let_go_is_counted_and_known(session: nu.Session) -> None:
    session.register_function("lenient", udaf(AccumulateRaises, on_error="null"))
    rows = session.sql("SELECT lenient(id) FROM range(0, 10, 1, 2)").collect()
    assert rows[0][0] == 45 - 7
    session.register_function("lenient", udaf(Unchangeable, on_error="null"))
    rows = session.sql("SELECT id % 2, lenient(id) FROM range(0, 10, 1, 2) GROUP BY 1").collect()
    assert sorted(map(tuple, rows)) == [(0, 20), (1, 25 - 7)]


def test_a_group_whose_merge_fails_is_null(session: nu.Session) -> None:
    session.register_function("lenient", udaf(MergeRaises, on_error="null"))
    query = "SELECT g, lenient(id) FROM (SELECT id, IF(id = 9, 1, 0) AS g FROM range(0, 10, 1, 2))"
    rows = session.sql(query + " GROUP BY g").collect()
    # What one partition saw of the first would look like its result.
    assert sorted(map(tuple, rows)) == [(0, None), (1, 9)]


KEPT = {
    "two phases": "SELECT id % 2 AS k, kept(id) AS v FROM range(0, 10, 1, 2) GROUP BY id % 2",
    "a condition": "SELECT id % 2 AS k, kept(id) FILTER (WHERE id > 6) AS v, count(*) AS n "
        "FROM range(0, 10, 1, 2) GROUP BY id % 2",
    "collected rows": "SELECT id % 2 AS k, kept(DISTINCT id) AS v FROM range(0, 10, 1, 2) "
        "GROUP BY id % 2",
    "a window": "SELECT DISTINCT id % 2 AS k, kept(id) OVER (PARTITION BY id % 2) AS v "
        "FROM range(0, 10, 1, 2)",
}  # fmt: skip


@pytest.mark.parametrize("function", [AccumulateRaises, SortedAccumulateRaises, Unchangeable])
@pytest.mark.parametrize("name", KEPT)
def test_a_row_that_is_quarantined_is_kept_with_its_group(
    session: nu.Session, name: str, function: Any
) -> None:
    record = session.register_function("kept", udaf(function, on_error="quarantine"))
    rows = {row.k: row.v for row in session.sql(KEPT[name]).collect()}
    assert rows == ({0: 8, 1: 9} if name == "a condition" else {0: 20, 1: 25 - 7})
    kept = session.errors("kept").where(f"version = {record.version}").collect()
    assert [(row.value, row.error, row.message) for row in kept] == [
        (7, "ValueError", "cannot take 7")
    ]
    # Of collected rows the function does not learn what they were grouped by.
    assert kept[0].group == ("" if name == "collected rows" else "id % 2 = 1")
    with pytest.raises(ValueError, match="cannot take 7"):
        session.replay("kept")


def test_many_rows_of_many_bundles_are_kept_once_each(session: nu.Session) -> None:
    class Refuses(Sum):
        def accumulate(self, accumulator: Any, value: int) -> Any:
            if value % 1000 == 7:
                raise ValueError(value)
            accumulator[0] += 1

    session.register_function("refuses", udaf(Refuses, on_error="quarantine"))
    assert session.errors("refuses").columns[-1] == "group"
    rows = session.sql("SELECT refuses(id) FROM range(0, 30000, 1, 2)").collect()
    assert rows[0][0] == 30000 - 30
    kept = session.errors("refuses").orderBy("value").collect()
    assert [row.value for row in kept] == [1000 * n + 7 for n in range(30)]
    # The place in the bundle, whatever parts the bundle was taken in.
    assert [row.row for row in kept] == [(1000 * n + 7) % 15000 + 1 for n in range(30)]


@pytest.mark.parametrize("func_type", ["pandas", "arrow"])
def test_the_rows_of_a_group_that_fails_as_a_whole_are_kept(
    session: nu.Session, func_type: str
) -> None:
    import pyarrow.compute as pc

    def total(values: Any) -> int:
        found = int(values.sum() if func_type == "pandas" else pc.sum(values).as_py())
        if found == 25:
            raise ValueError("twenty-five")
        return found

    name = f"total_{func_type}"
    function = udaf(total, result_type="bigint", func_type=func_type, on_error="quarantine")
    session.register_function(name, function)
    query = f"SELECT id % 2 AS k, {name}(id) AS v FROM range(10) GROUP BY 1"
    assert {row.k: row.v for row in session.sql(query).collect()} == {0: 20, 1: None}
    kept = session.errors(name).orderBy("values").collect()
    assert [(row["values"], row.message) for row in kept] == [
        (n, "twenty-five") for n in (1, 3, 5, 7, 9)
    ]
    # The group is there to be retried.
    with pytest.raises(ValueError, match="twenty-five"):
        session.replay(name)


# --- workers ---------------------------------------------------------------------------------


class Dies(Sum):
    def accumulate(self, accumulator: Any, value: int) -> Any:
        os._exit(3)


class Sticks(Sum):
    def accumulate(self, accumulator: Any, value: int) -> Any:
        while value == 7:
            pass
        accumulator[0] += value


def test_a_worker_that_is_lost_while_it_accumulates(session: nu.Session) -> None:
    error = failure(session, Dies, error=nu.WorkerLost)
    assert error.function == "broken"


def test_accumulate_that_takes_too_long(session: nu.Session) -> None:
    error = failure(session, Sticks, error=nu.FunctionTimeout, timeout="1s")
    assert "broken" in str(error)


# --- queries ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("query", "texts"),
    [
        ("SELECT sound(sound(id)) FROM range(3)", ["line 1, column 14", "sound(id)", "subquery"]),
        ("SELECT sound(sum(id)) FROM range(3)", ["sum(id)", "subquery"]),
        ("SELECT\n  sound(*) FROM range(3)", ["line 2, column 3", "sound(*)", "name the columns"]),
        ("SELECT sound(id, wrong => 3) FROM range(3)", ["sound takes value", "wrong"]),
        ("SELECT sound(wrong => id) FROM range(3)", ["sound takes value", "wrong"]),
        ("CREATE VIEW kept AS SELECT sound(id) FROM range(3)", ["persistent view", "kept"]),
        (
            "SELECT sound(id) WITHIN GROUP (ORDER BY id) FROM range(3)",
            ["WithinGroup", "sound"],
        ),
    ],
)
def test_a_query_that_cannot_be_planned_says_where_and_why(
    session: nu.Session, query: str, texts: list[str]
) -> None:
    with pytest.raises(nu.PlanningError) as caught:
        session.sql(query)
    for text in texts:
        assert text.lower() in str(caught.value).lower()


@pytest.mark.parametrize(
    "query",
    [
        "SELECT id FROM range(3) WHERE sound(id) > 1",
        "SELECT id FROM range(3) GROUP BY sound(id)",
        "SELECT missing, sound(id) FROM range(3)",
        "SELECT sound(missing) FROM range(3)",
        "SELECT id, sound(id) FROM range(3)",
    ],
)
def test_what_spark_refuses_is_said_of_the_users_query(session: nu.Session, query: str) -> None:
    from pyspark.errors import AnalysisException

    with pytest.raises((nu.PlanningError, AnalysisException)) as caught:
        session.sql(query).collect()
    # Names of the planner's own would be of no use to anybody.
    assert "_nu_key" not in str(caught.value)
    assert "_nu_rows" not in str(caught.value)


def test_too_many_or_too_few_arguments(session: nu.Session) -> None:
    for arguments in ("", "id, id"):
        with pytest.raises(nu.NotebookUdfError, match="sound"):
            session.sql(f"SELECT sound({arguments}) FROM range(3)").collect()


def test_a_column_that_does_not_fit_a_declared_parameter(session: nu.Session) -> None:
    for query in (
        "SELECT sound('a') FROM range(3)",
        "SELECT sound(CAST(id AS STRING)) FROM range(0, 30, 1, 2) GROUP BY id % 3",
        "SELECT sound(DISTINCT CAST(id AS STRING)) FROM range(3)",
    ):
        with pytest.raises(nu.DeclarationError, match="sound declares value as BIGINT"):
            session.sql(query).collect()


def test_what_nobody_can_read_is_told_by_spark(session: nu.Session) -> None:
    with pytest.raises(ParseException, match=r"line 1, pos 16"):
        session.sql("SELECT sound(id FROM range(3)")


def test_a_call_on_a_value_and_by_a_wrong_name(session: nu.Session) -> None:
    record = session.functions["sound"]
    with pytest.raises(nu.PlanningError, match=r"sound .*object.* BIGINT cannot hold"):
        record(object())
    with pytest.raises(nu.PlanningError, match="sound takes value"):
        record(wrong="id")


def test_rows_of_one_group_that_come_apart_without_a_merge(session: nu.Session) -> None:
    from notebook_udf.functions.capture import freeze
    from notebook_udf.functions.definition import doorway
    from notebook_udf.specs.payload import ship
    from notebook_udf.worker.aggregate.accumulator import Accumulation
    from notebook_udf.worker.aggregate.collected import MergeRunner
    from notebook_udf.worker.call.function_call import FunctionCall
    from notebook_udf.worker.runtime.failure import FunctionFailed

    definition = udaf(SortedAccumulateRaises, name="apart")
    call = FunctionCall(ship("apart", 1, definition, freeze(definition), role="merge"))
    with doorway.as_in_worker():
        assert call.task is not None
        runner = MergeRunner(call)
        encoded: Callable[..., Any] = Accumulation(call).codec.encode
        assert encoded([[1]]) is not None
        # An empty merge would answer with what the first of them has seen.
        with pytest.raises(FunctionFailed, match="apart has no merge"):
            runner._merged([[1], [2]], lambda place: {"k": 1}, 0)
