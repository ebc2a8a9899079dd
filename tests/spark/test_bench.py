"""``session.bench``: ways to run a function on the same rows, in turn, with the same results."""

from __future__ import annotations

import io
import json
import math

import pandas as pd
import pytest
from rich.console import Console
from sample_aggregates import CountAggregateFunction, Sum

import notebook_udf as nu
from notebook_udf import DataTypes, udf


@pytest.fixture(scope="module")
def numbers(session: nu.Session) -> str:
    session.sql(
        "SELECT id AS x, if(id = 700, NULL, id) AS y, concat('n', id) AS name FROM range(3000)"
    ).createOrReplaceTempView("bench_numbers")
    return "bench_numbers"


def kinds(found: object) -> dict[str, dict[str, object]]:
    return {way["kind"]: way for way in found.to_dict()["ways"]}  # type: ignore[attr-defined]


def test_a_general_function_is_run_in_every_way_that_can_be_derived(
    session: nu.Session, numbers: str
) -> None:
    session.register_function("tripled", lambda x: 3 * x, result_type="bigint")
    told: list[str] = []
    found = session.bench("tripled", f"SELECT x FROM {numbers}", rows=2_500, progress=told.append)
    ways = kinds(found)
    assert list(ways) == ["own", "compile=False", "vectorise=False", "pandas", "arrow"]
    assert ways["own"]["way"] == "as it is (general, in Spark's JVM)"
    assert all(way["same"] is True for way in ways.values())
    assert all(len(way["runs"]) == 5 for way in ways.values())  # type: ignore[arg-type]
    assert found.rows == 2_500
    assert ways["own"]["times_faster"] == 1.0
    assert found.reading > 0
    assert "run 5 of 5: arrow, calling it per element" in told
    assert "comparing results" in told


def test_results_that_differ_are_shown_with_their_row(session: nu.Session, numbers: str) -> None:
    def known(y: int | None) -> bool:
        return y is not None

    session.register_function("known", known)
    # NULL among integers is NaN to pandas, and the function takes it for a number.
    found = session.bench("known", f"SELECT y FROM {numbers}", repeats=1)
    ways = kinds(found)
    assert ways["own"]["way"] == "as it is (general, in Spark's JVM)"
    assert ways["compile=False"]["same"] is True
    assert ways["vectorise=False"]["same"] is True
    assert (ways["pandas"]["same"], ways["pandas"]["different_rows"]) == (False, 1)
    assert ways["arrow"]["same"] is True
    (said,) = found.to_dict()["differences"]
    assert said.endswith("(y = None) gives True instead of False")
    assert found.best.kind != "pandas"


def test_other_functions_are_compared_by_name(session: nu.Session, numbers: str) -> None:
    def root(x: int) -> float:
        return math.sqrt(x)

    def roots(x: pd.Series[int]) -> pd.Series[float]:
        return x**0.5

    def rooted(x: pd.Series[int]) -> pd.Series[float]:
        return x**0.5 * (1 + 1e-12)

    session.register_function("root", root)
    for name, function in (("roots", roots), ("rooted", rooted)):
        session.register_function(
            name, udf(function, result_type=DataTypes.DOUBLE(), func_type="pandas")
        )
    found = session.bench(
        "root", session.spark.table(numbers),
        against=["roots", "rooted"], repeats=1,
    )  # fmt: skip
    others = [way for way in found.to_dict()["ways"] if way["kind"] == "other"]
    assert [way["way"] for way in others] == ["roots", "rooted"]
    assert all(way["same"] for way in others)
    assert "yes, up to 1e-12" in repr(found)
    # And of one that is no general function nothing is derived.
    alone = session.bench("roots", numbers, repeats=1)
    assert [way.kind for way in alone.ways] == ["own"]


def test_a_class_is_opened_in_every_way(session: nu.Session, numbers: str) -> None:
    class Shifted(nu.ScalarFunction):
        def open(self, function_context: nu.FunctionContext) -> None:
            self.by = 7

        def eval(self, x: int) -> str:
            return f"{x + self.by}"

    session.register_function("shifted", Shifted())
    found = session.bench("shifted", numbers, repeats=1)
    assert [way["same"] for way in found.to_dict()["ways"]] == [True, True, True]


def test_a_way_that_fails_is_said_and_the_function_itself_raises(
    session: nu.Session, numbers: str
) -> None:
    def cut(y: int | None) -> str:
        return "none" if y is None else "xyz"[: y % 3]

    session.register_function("cut", cut)
    found = session.bench("cut", numbers, repeats=1)
    failed = kinds(found)["pandas"]
    assert "TypeError" in str(failed["error"])
    assert (failed["seconds"], failed["same"]) == (None, None)
    assert "failed: " in found._repr_html_()

    def breaks(x: int) -> str:
        raise ValueError(f"no {x}")

    session.register_function("breaks", breaks)
    with pytest.raises(nu.UserFunctionError, match="ValueError"):
        session.bench("breaks", numbers)


def test_aggregates_tables_and_async_functions(session: nu.Session, numbers: str) -> None:
    class Total(nu.AggregateFunction):
        def create_accumulator(self) -> list[int]:
            return [0]

        def accumulate(self, acc: list[int], x: int) -> None:
            acc[0] += x

        def merge(self, acc: list[int], others: list[list[int]]) -> None:
            for other in others:
                acc[0] += other[0]

        def get_value(self, acc: list[int]) -> int:
            return acc[0]

    session.register_function("bench_total", Total())
    found = session.bench("bench_total", numbers, repeats=1)
    ways = kinds(found)
    assert list(ways) == ["own", "compile=False"]
    assert ways["compile=False"]["same"] is True

    session.register_function(
        "bench_split", nu.udtf(lambda name: [(name,), (name,)], result_types=["string"])
    )
    assert session.bench("bench_split", numbers, repeats=1).ways[0].seconds

    async def asked(x: int) -> int:
        return x

    session.register_function("asked", asked)
    assert session.bench("asked", numbers, repeats=1).ways[0].seconds


def test_what_is_not_deterministic_is_not_compared(session: nu.Session, numbers: str) -> None:
    session.register_function("dice", udf(lambda x: x, result_type="bigint", deterministic=False))
    found = session.bench("dice", numbers, repeats=1)
    assert not found.compared
    assert "not compared" in repr(found)


def test_a_comparison_in_every_form(session: nu.Session, numbers: str) -> None:
    hostile = "<script>alert(1)</script>"
    session.register_function(hostile, lambda x: f"{x!a}", result_type="string")
    found = session.bench(hostile, numbers, repeats=1)
    assert json.loads(json.dumps(found.to_dict()))["rows"] == 3_000
    assert list(found.to_pandas()["kind"]) == ["own", "pandas", "arrow"]
    console = Console(width=200, file=io.StringIO())
    console.print(found)
    for shown in (repr(found), console.file.getvalue()):  # type: ignore[attr-defined]
        for part in ("times faster", "as it is (general, row by row)", "Advice: "):
            assert part in shown
    assert "<script" not in found._repr_html_()
    assert "&lt;script&gt;" in found._repr_html_()
    assert not session.spark.catalog.isCached(numbers)


def test_what_cannot_be_measured(session: nu.Session, numbers: str) -> None:
    session.register_function("plain", lambda x: x, result_type="bigint")
    with pytest.raises(nu.DeclarationError, match="no function 'nowhere'"):
        session.bench("nowhere", numbers)
    with pytest.raises(nu.DeclarationError, match="repeats=0"):
        session.bench("plain", numbers, repeats=0)
    with pytest.raises(nu.PlanningError, match="there are no rows"):
        session.bench("plain", "SELECT id FROM range(0)")
    with pytest.raises(nu.PlanningError, match="name the columns"):
        session.bench("plain", "SELECT id, id + 1 AS more FROM range(3)")
    with pytest.raises(nu.QueryError, match="TABLE_OR_VIEW_NOT_FOUND"):
        session.bench("plain", "no_such_table")


# --- a query that calls the function -----------------------------------------------------------


@pytest.fixture(scope="module")
def called(session: nu.Session, numbers: str) -> None:
    session.register_function("called", udf(lambda x: x * 10, ["bigint"], "bigint", compile=False))
    # It never agrees, so that the first row is shown with the arguments of both.
    session.register_function("never_so", udf(lambda x: -1, ["bigint"], "bigint"))
    session.register_function("called_twice", lambda a, b: a * b, result_type="bigint")
    session.register_function("called_pair", udf(lambda a, b: -1, result_type="bigint"))


ONE = {
    "SELECT called(x + 1) FROM bench_numbers WHERE x = 5": "x = 6",
    "select x, CALLED(x) + 1 as more from bench_numbers where x = 7 -- and so on": "x = 7",
    "SELECT x FROM bench_numbers WHERE called(x) > 3 AND x = 8": "x = 8",
    "SELECT called(t.x) FROM (SELECT x * 2 AS x FROM bench_numbers WHERE x = 4) t": "x = 8",
    "WITH few AS (SELECT x FROM bench_numbers WHERE x = 9) SELECT called(x) FROM few": "x = 9",
    "SELECT * FROM (SELECT called(x) AS y FROM bench_numbers WHERE x = 2) WHERE y > 100": "x = 2",
    "SELECT sum(called(x)) FROM bench_numbers WHERE x = 3 GROUP BY y HAVING count(*) > 5": "x = 3",
    "SELECT called(max(x)) FROM bench_numbers WHERE x < 6 ORDER BY called(max(x))": "x = 5",
    "SELECT called(x) FROM bench_numbers WHERE x = 1 GROUP BY called(x)": "x = 1",
    "SELECT called(called(x)) FROM bench_numbers WHERE x = 3": "x = 30",
    "SELECT e.* FROM bench_numbers LATERAL VIEW explode(array(called(x))) e WHERE x = 1": "",
    "SELECT CASE WHEN x > 1 THEN `called`(x) END FROM bench_numbers WHERE x = 6": "x = 6",
    "SELECT called(a.x) FROM bench_numbers a JOIN bench_numbers b USING (x) WHERE x = 4": "x = 4",
    "CREATE TEMPORARY VIEW bench_view AS SELECT called(x) FROM bench_numbers WHERE x = 5": "x = 5",
    "SELECT x FROM range(1) UNION ALL SELECT called(x) FROM bench_numbers WHERE x = 2": "x = 2",
}


@pytest.mark.usefixtures("called")
@pytest.mark.parametrize("query", ONE)
def test_the_arguments_of_a_call_are_taken_from_the_query(session: nu.Session, query: str) -> None:
    found = session.bench("called", query, against="never_so", repeats=1, rows=3_000)
    if ONE[query]:
        assert found.rows == 1
        (said,) = found.to_dict()["differences"]
        assert f"({ONE[query]}) gives -1" in said
    else:
        assert found.rows == 3_000
    assert any(note.startswith("called as in the query") for note in found.notes)
    assert not session.spark.catalog.tableExists("bench_view")


@pytest.mark.usefixtures("called")
def test_arguments_by_name_stand_in_the_places_of_parameters(session: nu.Session) -> None:
    found = session.bench(
        "called_twice",
        "SELECT called_twice(b => x, a => x + 1), called_twice(1, 2) FROM range(4, 5) t(x)",
        against="called_pair", repeats=1, rows=3_000,
    )  # fmt: skip
    assert "(a = 5, b = 4) gives -1" in found.to_dict()["differences"][0]
    assert any("left out: its other calls" in note for note in found.notes)


def test_an_aggregate_is_measured_by_the_groups_of_the_query(
    session: nu.Session, numbers: str
) -> None:
    session.register_function("bench_sum", nu.udaf(Sum(), ["bigint"], "bigint"))
    session.register_function(
        "bench_count", nu.udaf(CountAggregateFunction(), ["bigint"], "bigint")
    )
    for query, rows, groups in (
        ("SELECT x % 5 AS k, bench_sum(x), count(*) FROM {t} GROUP BY k", 3_000, 5),
        ("SELECT x % 5, bench_sum(x) FROM {t} WHERE x < 50 GROUP BY ALL", 50, 5),
        ("SELECT bench_sum(x) FILTER (WHERE x < 20) FROM {t} GROUP BY x % 4, true", 20, 4),
        ("SELECT x, bench_sum(x) OVER (PARTITION BY x % 3 ORDER BY x) FROM {t}", 3_000, 3),
        ("SELECT bench_sum(DISTINCT x % 10) FROM {t}", 10, 1),
        ("SELECT x % 2, x % 5 FROM {t} GROUP BY CUBE (1, 2) HAVING bench_sum(x) > 3", 3_000, 10),
    ):
        found = session.bench(
            "bench_sum", query.format(t=numbers), against="bench_count", repeats=1, rows=3_000
        )
        assert found.rows == rows, query
        ways = {way["way"]: way for way in found.to_dict()["ways"]}
        assert ways["compile=False"]["same"] is True
        # A row of the result for each group, and none of them is a count.
        assert ways["bench_count"]["different_rows"] in (groups, groups - 1), query


def test_a_table_function_in_the_from_of_a_query(session: nu.Session, numbers: str) -> None:
    session.register_function(
        "bench_parts", nu.udtf(lambda text: [(text,), (text,)], result_types=["string"])
    )
    for query, rows in (
        ("SELECT p.* FROM {t}, LATERAL bench_parts(name) AS p WHERE x < 7", 3_000),
        ("SELECT * FROM (SELECT * FROM {t} LIMIT 9) LATERAL VIEW bench_parts(name) AS p", 9),
        ("SELECT * FROM bench_parts('a b')", 1),
    ):
        found = session.bench("bench_parts", query.format(t=numbers), repeats=1, rows=3_000)
        assert found.rows == rows


@pytest.mark.usefixtures("called")
def test_a_call_whose_arguments_are_no_columns(session: nu.Session, numbers: str) -> None:
    for query, said in (
        ("SELECT transform(array(1L, 2L), n -> called(n))", "give a query of them instead"),
        ("FROM bench_numbers |> SELECT called(x)", "give a query of them instead"),
        ("SELECT called(nowhere) FROM bench_numbers", "UNRESOLVED_COLUMN"),
        ("SELECT called(x) FRO bench_numbers", "PARSE_SYNTAX_ERROR"),
    ):
        with pytest.raises((nu.PlanningError, nu.QueryError), match=said):
            session.bench("called", query)
    # A DataFrame is rows of arguments, whatever they were made by; that is said.
    rows = session.sql(f"SELECT called(x) AS x FROM {numbers} WHERE x = 5")
    found = session.bench("called", rows, repeats=1)
    assert any("its result was taken for an argument" in note for note in found.notes)


@pytest.mark.parametrize("key", ["k", "1", "part"])
def test_a_scalar_call_over_groups_by_ordinals_and_aliases(
    session: nu.Session, numbers: str, key: str
) -> None:
    session.register_function("tripled", lambda x: 3 * x, result_type="bigint")
    given = f"(SELECT x % 5 AS k, x FROM {numbers})"
    query = f"SELECT k AS part, tripled(sum(x)) AS t FROM {given} GROUP BY {key}"
    found = session.bench("tripled", query, repeats=1)
    assert found.rows == 5
    assert all(way["same"] for way in kinds(found).values())


@pytest.mark.parametrize("key", ["tripled(x % 5)", "1", "t"])
def test_a_scalar_call_that_makes_the_groups(session: nu.Session, numbers: str, key: str) -> None:
    session.register_function("tripled", lambda x: 3 * x, result_type="bigint")
    query = f"SELECT tripled(x % 5) AS t, count(*) AS n FROM {numbers} GROUP BY {key}"
    assert session.bench("tripled", query, repeats=1).rows == 3_000


@pytest.mark.parametrize("key", ["x % 5", "1", "part"])
def test_an_aggregates_groups_by_ordinals_and_aliases(
    session: nu.Session, numbers: str, key: str
) -> None:
    session.register_function("total_of_groups", Sum())
    query = f"SELECT x % 5 AS part, total_of_groups(x) AS t FROM {numbers} GROUP BY {key}"
    found = session.bench("total_of_groups", query, repeats=1)
    assert all(way["same"] for way in kinds(found).values())
