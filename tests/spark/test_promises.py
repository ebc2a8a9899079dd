"""What session.sql keeps where Spark does not: short-circuit, once per row, lambdas.

Each function under test notes its arguments in a file, so that the exact calls can be compared
with the rows that reach it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import notebook_udf as nu
from notebook_udf import udf


class Calls:
    """Functions that keep a journal, and the queries that call them."""

    def __init__(self, session: nu.Session, path: Path) -> None:
        self.session = session
        self._path = path

    def function(self, name: str, body: Callable[..., Any], result: str, **options: Any) -> None:
        path = str(self._path)

        def noted(x: Any) -> Any:
            with open(path, "a") as file:
                file.write(f"{name}({x})\n")
            return body(x)

        self.session.register_function(name, udf(noted, result_type=result, **options))

    def of(self, query: str, **args: Any) -> tuple[list[Any], list[str]]:
        """The rows, plain if they have one column, and the calls that were made, in order."""
        self._path.write_text("")
        rows = [tuple(row) for row in self.session.sql(query, **args).collect()]
        plain = [row[0] if len(row) == 1 else row for row in rows]
        return plain, sorted(self._path.read_text().split())


def each(name: str, *arguments: Any) -> list[str]:
    return sorted(f"{name}({x})" for x in arguments)


@pytest.fixture
def calls(session: nu.Session, tmp_path: Path) -> Iterator[Calls]:
    made = Calls(session, tmp_path / "calls")
    made.function("inverse", lambda k: 100 // k, "bigint")
    made.function("even", lambda x: None if x is None else x % 2 == 0, "boolean")
    made.function("third", lambda x: None if x is None else x % 3 == 0, "boolean")
    made.function("twice", lambda x: None if x is None else x * 2, "bigint")
    made.function("next", lambda x: None if x is None else x + 1, "bigint")
    made.function("drawn", lambda x: x * 2, "bigint", deterministic=False)
    frame = session.spark.range(0, 10, 1, 2).selectExpr("id AS k", "if(id % 3 = 0, NULL, id) AS n")
    frame.createOrReplaceTempView("promised")
    session.spark.sql(
        "SELECT * FROM VALUES (1, array(1L, 2L, 3L)), (2, array()), (3, NULL), "
        "(4, array(4L, NULL)), (5, array(0L, 7L)) AS v(k, xs)"
    ).createOrReplaceTempView("listed")
    yield made
    session.spark.catalog.dropTempView("promised")
    session.spark.catalog.dropTempView("listed")


ALL = range(10)
ODD = (1, 3, 5, 7, 9)
EVEN = (0, 2, 4, 6, 8)
SAFE = "CASE WHEN k = 0 THEN 0 ELSE inverse(k) END"

# An expression, the same in Spark's own words, and the calls it takes.
REACHED = {
    "case": (SAFE, "CASE WHEN k = 0 THEN 0 ELSE 100 DIV k END", each("inverse", *range(1, 10))),
    "case of a value": (
        "CASE k WHEN 0 THEN 0 WHEN 5 THEN inverse(k) ELSE twice(k) END",
        "CASE k WHEN 0 THEN 0 WHEN 5 THEN 20 ELSE k * 2 END",
        each("inverse", 5) + each("twice", 1, 2, 3, 4, 6, 7, 8, 9),
    ),
    "no else": (
        "CASE WHEN k = 4 THEN inverse(k) END",
        "CASE WHEN k = 4 THEN 25 END",
        each("inverse", 4),
    ),
    "condition NULL": (
        "CASE WHEN n > 4 THEN twice(k) ELSE next(k) END",
        "CASE WHEN n > 4 THEN k * 2 ELSE k + 1 END",
        each("next", 0, 1, 2, 3, 4, 6, 9) + each("twice", 5, 7, 8),
    ),
    "if": ("if(k = 0, 0, inverse(k))", "if(k = 0, 0, 100 DIV k)", each("inverse", *range(1, 10))),
    "coalesce": (
        "coalesce(n, NULL, twice(k), inverse(k - k))",
        "coalesce(n, k * 2)",
        each("twice", 0, 3, 6, 9),
    ),
    "nvl": ("nvl(n, twice(k))", "nvl(n, k * 2)", each("twice", 0, 3, 6, 9)),
    "ifnull": ("ifnull(n, twice(k))", "nvl(n, k * 2)", each("twice", 0, 3, 6, 9)),
    "nvl2": ("nvl2(n, -1, twice(k))", "nvl2(n, -1, k * 2)", each("twice", 0, 3, 6, 9)),
    "and": ("k > 5 AND even(k)", "k > 5 AND k % 2 = 0", each("even", 6, 7, 8, 9)),
    "and, cheap one last": ("even(k) AND k > 5", "k > 5 AND k % 2 = 0", each("even", 6, 7, 8, 9)),
    "and, NULL": ("even(n) AND third(k)", "n % 2 = 0 AND k % 3 = 0",
        each("even", 1, 2, 4, 5, 7, 8, None, None, None, None)
        + each("third", 0, 2, 3, 4, 6, 8, 9)),
    "or": (
        "even(k) OR third(k)",
        "k % 2 = 0 OR k % 3 = 0",
        each("even", *ALL) + each("third", *ODD),
    ),
    "or of a cheap one": (
        "k = 0 OR inverse(k) > 20",
        "k = 0 OR 100 DIV k > 20",
        each("inverse", *range(1, 10)),
    ),
    "python conditions": (
        "CASE WHEN even(k) THEN inverse(k + 1) WHEN third(k) THEN twice(k) ELSE next(k) END",
        "CASE WHEN k % 2 = 0 THEN 100 DIV (k + 1) WHEN k % 3 = 0 THEN k * 2 ELSE k + 1 END",
        each("even", *ALL)
        + each("inverse", *ODD)
        + each("next", 1, 5, 7)
        + each("third", *ODD)
        + each("twice", 3, 9),
    ),
    "within another": (
        "if(k < 5, CASE WHEN k > 2 AND even(k) THEN twice(next(k)) END, coalesce(n, inverse(k)))",
        "if(k < 5, CASE WHEN k > 2 AND k % 2 = 0 THEN (k + 1) * 2 END, coalesce(n, 100 DIV k))",
        each("even", 3, 4) + each("inverse", 6, 9) + each("next", 4) + each("twice", 5),
    ),
    "condition and value": (
        "CASE WHEN twice(k) > 8 THEN twice(k) END",
        "CASE WHEN k > 4 THEN k * 2 END",
        each("twice", *ALL),
    ),
    "a text with a quote": (
        "CASE WHEN k = 0 THEN 'it''s' ELSE CAST(inverse(k) AS STRING) END",
        "CASE WHEN k = 0 THEN 'it\\'s' ELSE CAST(100 DIV k AS STRING) END",
        each("inverse", *range(1, 10)),
    ),
    "not deterministic": ("if(k = 3, drawn(k), 0)", "if(k = 3, 6, 0)", each("drawn", 3)),
}  # fmt: skip


@pytest.mark.parametrize("name", REACHED)
def test_a_function_is_called_for_the_rows_that_reach_it(calls: Calls, name: str) -> None:
    expression, plain, expected = REACHED[name]
    found, made = calls.of(f"SELECT k, {expression} FROM promised")
    wanted, _ = calls.of(f"SELECT k, {plain} FROM promised")
    assert sorted(found) == sorted(wanted)
    assert made == expected


def test_conditions_that_overlap_share_one_call_per_row(calls: Calls) -> None:
    found, made = calls.of(
        "SELECT if(k > 2, twice(k), 0), if(k < 5, twice(k), 0) FROM promised WHERE k < 7"
    )
    assert sorted(found) == [(0, 0), (0, 2), (0, 4), (6, 6), (8, 8), (10, 0), (12, 0)]
    assert made == each("twice", *range(7))


def test_a_condition_that_would_change_is_computed_once(calls: Calls) -> None:
    found, made = calls.of("SELECT if(rand() < 0.5, twice(k), next(k)) - k FROM promised")
    assert len(found) == 10
    assert made == each("next", *ALL) + each("twice", *ALL)
    # A copy of the condition would have drawn another number, and its row had got NULL.
    assert None not in found


@pytest.mark.parametrize("func_type", ["pandas", "arrow"])
def test_vectorised_functions_get_the_rows_that_reach_them(
    session: nu.Session, calls: Calls, func_type: str
) -> None:
    import pyarrow.compute as pc

    def divided(column: Any) -> Any:
        assert len(column) < 5
        return 100 // column if func_type == "pandas" else pc.divide(100, column)

    session.register_function("divided", udf(divided, result_type="bigint", func_type=func_type))
    query = "SELECT k, if(k % 5 = 0, twice(k), divided(next(k) - 1)) FROM promised"
    found, made = calls.of(query)
    assert sorted(found) == [(k, 100 // k if k % 5 else 2 * k) for k in ALL]
    rest = [k for k in ALL if k % 5]
    assert made == each("next", *rest) + each("twice", 0, 5)


def test_a_row_that_raises_where_it_is_reached_is_named(calls: Calls) -> None:
    with pytest.raises(nu.UserFunctionError, match="ZeroDivisionError") as caught:
        calls.of("SELECT CASE WHEN k >= 7 THEN inverse(k - 7) ELSE 0 END FROM promised")
    failed = caught.value.failed
    assert failed is not None
    assert (failed.function, failed.arguments) == ("inverse", (("x", "0"),))
    # The third of the second partition's five, though the first to reach the function.
    assert (failed.row, failed.rows) == (3, 5)


def test_a_vectorised_result_that_does_not_fit_names_its_row(
    session: nu.Session, calls: Calls
) -> None:
    session.register_function(
        "halved", udf(lambda s: s / 2, result_type="bigint", func_type="pandas")
    )
    with pytest.raises(nu.ResultError, match=r"3\.5") as caught:
        calls.of("SELECT CASE WHEN k = 7 THEN halved(k) END FROM promised")
    assert caught.value.failed is not None
    assert caught.value.failed.row == 3


def test_rows_let_go_keep_their_numbers(session: nu.Session, calls: Calls) -> None:
    for func_type in ("general", "pandas"):
        name = f"lenient_{func_type}"

        def strict(x: Any, vectorised: bool = func_type == "pandas") -> Any:
            if (x == 8).any() if vectorised else x == 8:
                raise ValueError("eight")
            return x

        function = udf(strict, result_type="bigint", func_type=func_type, on_error="quarantine")
        session.register_function(name, function)
        found, _ = calls.of(f"SELECT CASE WHEN k > 6 THEN {name}(k) END FROM promised")
        assert sorted(x for x in found if x is not None) == [7, 9]
        kept = session.errors(name).collect()
        assert [(row["row"], row["message"]) for row in kept] == [(4, "eight")]


def test_metrics_count_the_calls_that_were_made(session: nu.Session, calls: Calls) -> None:
    session.register_function("measured", udf(lambda x: x, result_type="bigint"))
    calls.of("SELECT CASE WHEN k > 6 THEN measured(k) END FROM promised")
    totals = [t for t in session.metrics().totals if t.function == "measured"]
    assert [(t.rows_in, t.rows_out) for t in totals] == [(3, 3)]


def test_plain_arithmetic_runs_where_it_is_reached(session: nu.Session, calls: Calls) -> None:
    session.register_function("quotient", udf(lambda x: 100 // x, result_type="bigint"))
    session.register_function("plus", udf(lambda x: x + 1, result_type="bigint"))
    found, _ = calls.of("SELECT if(k = 0, -1, quotient(k)), if(k > 7, plus(k), 0) FROM promised")
    assert sorted(found) == sorted((100 // k if k else -1, k + 1 if k > 7 else 0) for k in ALL)


def test_arguments_by_name_and_none_at_all(session: nu.Session, calls: Calls) -> None:
    session.register_function("less", udf(lambda a, b: a - 10 // b, result_type="bigint"))
    session.register_function("seven", udf(lambda: 7, result_type="bigint"))
    found, _ = calls.of(
        "SELECT if(k = 0, 0, less(b => k, a => 20)), if(k = 0, 0, seven()) "
        "FROM promised WHERE k < 3"
    )
    assert sorted(found) == [(0, 0), (10, 7), (15, 7)]


def test_year_month_intervals_below_a_condition(session: nu.Session, calls: Calls) -> None:
    later = udf(
        lambda m: m + 1,
        input_types="interval year to month",
        result_type="interval year to month",
    )
    session.register_function("later_promised", later)
    found, _ = calls.of(
        "SELECT CAST(if(m IS NULL, m, later_promised(m)) AS STRING), "
        "CAST(transform(array(m), x -> if(x IS NULL, x, later_promised(x))) AS STRING) "
        "FROM VALUES (INTERVAL '1-2' YEAR TO MONTH), (NULL) AS t(m)"
    )
    one = "INTERVAL '1-3' YEAR TO MONTH"
    assert found == [(one, f"[{one}]"), (None, "[null]")]


# Clauses -----------------------------------------------------------------------------------

ONCE = {
    "selected and filtered": (
        "SELECT k, twice(k) FROM promised WHERE twice(k) >= 10 ORDER BY k",
        [(k, 2 * k) for k in range(5, 10)],
        each("twice", *ALL),
    ),
    "cheap conditions first": (
        "SELECT twice(k) FROM promised WHERE twice(k) >= 10 AND k > 6",
        [14, 16, 18],
        each("twice", 7, 8, 9),
    ),
    "python conditions one after the other": (
        "SELECT k FROM promised WHERE even(k) AND third(k)",
        [0, 6],
        each("even", *ALL) + each("third", *EVEN),
    ),
    "all of it": (
        "SELECT *, third(k) FROM promised WHERE even(k) AND third(k) AND k > 1",
        [(6, None, True)],
        each("even", *range(2, 10)) + each("third", 2, 4, 6, 8),
    ),
    "twice in one list": (
        "SELECT twice(k), twice(k) + 1 FROM promised WHERE k < 2",
        [(0, 1), (2, 3)],
        each("twice", 0, 1),
    ),
    "sorted by": (
        "SELECT twice(k) FROM promised ORDER BY twice(k) DESC",
        [2 * k for k in reversed(ALL)],
        each("twice", *ALL),
    ),
    "filtered, selected and sorted by": (
        "SELECT twice(k) AS y FROM promised WHERE twice(k) > 4 ORDER BY twice(k) DESC LIMIT 2",
        [18, 16],
        each("twice", *ALL),
    ),
    "filter first": (
        "SELECT third(k) FROM promised WHERE even(k) ORDER BY third(k), k",
        [False, False, False, True, True],
        each("even", *ALL) + each("third", *EVEN),
    ),
    "needed by some rows of the filter": (
        "SELECT k, if(k > 0, inverse(k), 0) FROM promised WHERE k = 0 OR inverse(k) > 24",
        [(0, 0), (1, 100), (2, 50), (3, 33), (4, 25)],
        each("inverse", *range(1, 10)),
    ),
    "computed for those that the filter did not need": (
        "SELECT k, twice(k) FROM promised WHERE k < 2 OR twice(k) > 16",
        [(0, 0), (1, 2), (9, 18)],
        each("twice", *ALL),
    ),
    "nested": (
        "SELECT twice(next(k)), next(k) FROM promised WHERE next(k) > 8",
        [(18, 9), (20, 10)],
        each("next", *ALL) + each("twice", 10, 9),
    ),
    "grouped by": (
        "SELECT twice(k), count(*) FROM promised WHERE twice(k) > 10 "
        "GROUP BY twice(k) HAVING twice(k) < 18 ORDER BY twice(k)",
        [(12, 1), (14, 1), (16, 1)],
        each("twice", *ALL),
    ),
    "of groups": (
        "SELECT k % 3, twice(sum(k)) FROM promised GROUP BY k % 3 "
        "HAVING twice(sum(k)) < 36 ORDER BY twice(sum(k))",
        [(1, 24), (2, 30)],
        each("twice", 12, 15, 18),
    ),
    "of all rows": (
        "SELECT twice(max(k)) FROM promised HAVING twice(max(k)) > 3",
        [18],
        each("twice", 9),
    ),
    "in aggregates": (
        "SELECT sum(twice(k)), max(twice(k)) FROM promised WHERE twice(k) > 12",
        [(48, 18)],
        each("twice", *ALL),
    ),
    "a subquery's column": (
        "SELECT y FROM (SELECT k, twice(k) AS y FROM promised) WHERE y > 10 AND k > 2",
        [12, 14, 16, 18],
        each("twice", *range(3, 10)),
    ),
    "grouped by its place": (
        "SELECT twice(k), count(*) FROM promised WHERE twice(k) > 14 GROUP BY 1",
        [(16, 1), (18, 1)],
        each("twice", *ALL),
    ),
    "grouped by its name": (
        "SELECT twice(k) AS t, count(*) FROM promised GROUP BY t HAVING t > 14 ORDER BY t",
        [(16, 1), (18, 1)],
        each("twice", *ALL),
    ),
    "a column comes before a name of what is selected": (
        "SELECT even(n) AS k, count(*) FROM promised GROUP BY n, k HAVING k > 7",
        [(True, 1), (None, 1)],
        each("even", 8, None),
    ),
    "grouped by ALL": (
        "SELECT twice(k), count(*) FROM promised WHERE twice(k) > 14 GROUP BY ALL",
        [(16, 1), (18, 1)],
        each("twice", *ALL),
    ),
    "sets of groups": (
        "SELECT twice(k), even(k), count(*) FROM promised WHERE twice(k) > 14 "
        "GROUP BY GROUPING SETS ((twice(k)), (even(k)), ())",
        [(16, None, 1), (18, None, 1), (None, False, 1), (None, True, 1), (None, None, 2)],
        each("even", 8, 9) + each("twice", *ALL),
    ),
    "above sets of groups": (
        "SELECT k, grouping(k), twice(sum(k)) FROM promised WHERE k > 7 GROUP BY ROLLUP(k) "
        "HAVING twice(sum(k)) > 16 ORDER BY twice(sum(k))",
        [(9, 0, 18), (None, 1, 34)],
        each("twice", 8, 9, 17),
    ),
    "sorted by, and not selected": (
        "SELECT k FROM promised ORDER BY twice(k) DESC",
        list(reversed(ALL)),
        each("twice", *ALL),
    ),
    "sorted by its name": (
        "SELECT k, twice(k) AS t FROM promised ORDER BY t",
        [(k, 2 * k) for k in ALL],
        each("twice", *ALL),
    ),
    "selected, and sorted by another": (
        "SELECT twice(k) FROM promised ORDER BY k",
        [2 * k for k in ALL],
        each("twice", *ALL),
    ),
    "of a subquery that is sorted": (
        "SELECT t FROM (SELECT twice(k) AS t FROM promised) ORDER BY t",
        [2 * k for k in ALL],
        each("twice", *ALL),
    ),
    "in a subquery of IN": (
        "SELECT k FROM promised WHERE k IN (SELECT twice(k) FROM promised WHERE twice(k) < 9)",
        [0, 2, 4, 6, 8],
        each("twice", *ALL),
    ),
    "in a subquery of one value": (
        "SELECT k + (SELECT max(twice(k)) FROM promised WHERE twice(k) < 9) FROM promised "
        "WHERE k > 8",
        [17],
        each("twice", *ALL),
    ),
    "a union's column": (
        "SELECT t FROM (SELECT k AS t FROM promised UNION ALL SELECT twice(k) FROM promised) "
        "WHERE t > 9",
        [10, 12, 14, 16, 18],
        each("twice", *ALL),
    ),
    "a table of WITH": (
        "WITH c AS (SELECT k, twice(k) FROM promised) SELECT k FROM c WHERE `twice(k)` > 16",
        [9],
        each("twice", *ALL),
    ),
    "names of two tables": (
        "SELECT a.k, b.k, twice(a.k) FROM promised a JOIN promised b ON a.k = b.k "
        "WHERE twice(a.k) > 14",
        [(8, 8, 16), (9, 9, 18)],
        each("twice", *ALL),
    ),
    "not deterministic": (
        "SELECT drawn(k), drawn(k) FROM promised WHERE drawn(k) > 14 AND k > 5",
        [(16, 16), (18, 18)],
        sorted(each("drawn", 6, 7, 8, 9) + each("drawn", 8, 9) * 2),
    ),
}


@pytest.mark.parametrize("name", ONCE)
def test_a_call_is_made_once_per_row(calls: Calls, name: str) -> None:
    query, expected, wanted = ONCE[name]
    found, made = calls.of(query)
    if "ORDER BY" not in query:
        found, expected = sorted(found, key=repr), sorted(expected, key=repr)
    assert found == expected
    assert made == wanted


def test_order_by_means_what_is_selected(calls: Calls) -> None:
    found, _ = calls.of("SELECT -k AS k, twice(k) FROM promised WHERE k < 3 ORDER BY twice(k)")
    assert found == [(-2, 4), (-1, 2), (0, 0)]


def test_columns_have_the_names_spark_gives_them(session: nu.Session, calls: Calls) -> None:
    queries = [
        f"SELECT {SAFE}, k + 1, nvl(n, twice(k)) FROM promised",
        "SELECT *, twice(k), promised.* FROM promised WHERE twice(k) > 3",
        f"SELECT * FROM (SELECT k, {SAFE}, *, if(k > 1, twice(k), 0) FROM promised)",
        f"WITH c AS (SELECT {SAFE} FROM promised) SELECT * FROM c",
        "SELECT twice(max(k)), count(*) FROM promised HAVING twice(max(k)) > 3",
        "SELECT k AS a, twice(k) FROM promised GROUP BY k HAVING twice(k) > 3",
    ]
    for query in queries:
        assert session.sql(query).columns == session.spark.sql(query).columns, query


def test_a_query_that_needs_nothing_goes_to_spark_as_it_is(
    session: nu.Session, calls: Calls, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[str] = []
    plain = type(session.spark).sql

    def noted(spark: Any, query: str, *args: Any, **kwargs: Any) -> Any:
        seen.append(query)
        return plain(spark, query, *args, **kwargs)

    monkeypatch.setattr(type(session.spark), "sql", noted)
    for query in (
        "select  twice(k)  from promised where  even( k )",
        "SELECT upper('it''s'), twice(next(k)) FROM promised ORDER BY k LIMIT 3",
        "SELECT if(k > 1, k, 0) FROM promised",
    ):
        seen.clear()
        session.sql(query)
        assert seen == [query]


def test_statements_that_take_a_query(session: nu.Session, calls: Calls) -> None:
    spark = session.spark
    reached = each("inverse", 1, 2)
    small = f"SELECT k, {SAFE} AS i FROM promised WHERE k < 3"
    rows = [(0, 0), (1, 100), (2, 50)]
    try:
        assert calls.of(f"CREATE TABLE promised_table USING parquet AS {small}")[1] == reached
        assert sorted(calls.of("SELECT * FROM promised_table")[0]) == rows
        assert calls.of(f"INSERT INTO promised_table {small}")[1] == reached
        assert sorted(calls.of("SELECT * FROM promised_table")[0]) == sorted(rows * 2)
        assert calls.of(f"CACHE TABLE promised_cache AS {small}")[1] == reached
        assert sorted(calls.of("SELECT * FROM promised_cache")[0]) == rows
        spark.catalog.uncacheTable("promised_cache")
        calls.of(f"CREATE OR REPLACE TEMPORARY VIEW promised_view AS {small}")
        found, made = calls.of("SELECT * FROM promised_view")
        assert (sorted(found), made) == (rows, reached)
        # Plain spark.sql sees the view as it was made.
        assert len(spark.sql("SELECT * FROM promised_view").collect()) == 3
    finally:
        spark.sql("DROP TABLE IF EXISTS promised_table")
        spark.catalog.dropTempView("promised_cache")
        spark.catalog.dropTempView("promised_view")


def test_parameters_and_frames_of_a_query(session: nu.Session, calls: Calls) -> None:
    found, made = calls.of(
        "SELECT CASE WHEN k = :none THEN 0 ELSE inverse(k) END FROM {rows} WHERE k < 3",
        args={"none": 0},
        rows=session.spark.table("promised"),
    )
    assert (sorted(found), made) == ([0, 50, 100], each("inverse", 1, 2))


def test_queries_inside_queries(calls: Calls) -> None:
    found, made = calls.of(
        f"SELECT k FROM promised WHERE k IN (SELECT {SAFE} FROM promised WHERE k < 3) "
        "UNION ALL SELECT if(k > 7, twice(k), -1) FROM promised WHERE k > 6"
    )
    assert sorted(found) == [-1, 0, 16, 18]
    assert made == each("inverse", 1, 2) + each("twice", 8, 9)


def test_below_and_above_a_python_aggregate(session: nu.Session, calls: Calls) -> None:
    class Total(nu.AggregateFunction):
        def create_accumulator(self) -> list[int]:
            return [0]

        def accumulate(self, accumulator: list[int], x: int) -> None:
            accumulator[0] += x

        def merge(self, accumulator: list[int], others: list[list[int]]) -> None:
            for other in others:
                accumulator[0] += other[0]

        def get_value(self, accumulator: list[int]) -> int:
            return accumulator[0]

    session.register_function("total", nu.udaf(Total(), result_type="bigint"))
    found, made = calls.of(
        f"SELECT total({SAFE}), if(total(k) > 99, twice(total(k)), -1) FROM promised WHERE k < 3"
    )
    assert (found, made) == ([(150, -1)], each("inverse", 1, 2))
    found, made = calls.of("SELECT total(twice(k)) FROM promised WHERE twice(k) > 10")
    assert (found, made) == ([60], each("twice", *ALL))


# Lambdas -----------------------------------------------------------------------------------

FLAT = (0, 1, 2, 3, 4, 7, None)
LAMBDAS = {
    "transform": ("transform(xs, x -> twice(x) + 1)", "transform(xs, x -> x * 2 + 1)",
        each("twice", *FLAT)),
    "filter": ("filter(xs, x -> even(x))", "filter(xs, x -> x % 2 = 0)", each("even", *FLAT)),
    "exists": ("exists(xs, x -> even(x))", "exists(xs, x -> x % 2 = 0)", each("even", *FLAT)),
    "forall": ("forall(xs, x -> even(x))", "forall(xs, x -> x % 2 = 0)", each("even", *FLAT)),
    "an index": ("transform(xs, (x, i) -> twice(x + i) + i)",
        "transform(xs, (x, i) -> (x + i) * 2 + i)", each("twice", 0, 1, 3, 4, 5, 8, None)),
    "filter with an index": ("filter(xs, (x, i) -> even(x + i))",
        "filter(xs, (x, i) -> (x + i) % 2 = 0)", each("even", 0, 1, 3, 4, 5, 8, None)),
    "nested calls": ("transform(xs, x -> twice(next(x)) + next(x))",
        "transform(xs, x -> (x + 1) * 2 + x + 1)",
        each("next", *FLAT) + each("twice", 1, 2, 3, 4, 5, 8, None)),
    "a column from outside": ("transform(xs, x -> twice(x + k))",
        "transform(xs, x -> (x + k) * 2)", each("twice", 2, 3, 4, 5, 8, 12, None)),
    "a call of the row": ("transform(xs, x -> x + twice(k))", "transform(xs, x -> x + k * 2)",
        each("twice", 1, 2, 3, 4, 5)),
    "a condition in it": (
        "transform(xs, x -> CASE WHEN x = 0 THEN 0 WHEN x IS NULL THEN -1 ELSE inverse(x) END)",
        "transform(xs, x -> CASE WHEN x = 0 THEN 0 WHEN x IS NULL THEN -1 ELSE 100 DIV x END)",
        each("inverse", 1, 2, 3, 4, 7)),
    "a condition around it": ("if(k = 1, transform(xs, x -> inverse(x)), NULL)",
        "if(k = 1, transform(xs, x -> 100 DIV x), NULL)", each("inverse", 1, 2, 3)),
    "lists of lists": ("transform(array(xs, array(9L)), ys -> transform(ys, x -> twice(x) + k))",
        "transform(array(xs, array(9L)), ys -> transform(ys, x -> x * 2 + k))",
        each("twice", *FLAT, 9, 9, 9, 9, 9)),
    "one in the list of another": (
        "transform(filter(xs, x -> even(x)), x -> twice(x))",
        "transform(filter(xs, x -> x % 2 = 0), x -> x * 2)",
        each("even", *FLAT) + each("twice", 0, 2, 4)),
    "fields": (
        "transform(transform(xs, x -> named_struct('v', x)), s -> twice(s.v))",
        "transform(xs, x -> x * 2)", each("twice", *FLAT)),
    "not deterministic": ("transform(filter(xs, x -> x > 0), x -> drawn(x))",
        "transform(filter(xs, x -> x > 0), x -> x * 2)", each("drawn", 1, 2, 3, 4, 7)),
}  # fmt: skip


@pytest.mark.parametrize("name", LAMBDAS)
def test_functions_in_lambdas(calls: Calls, name: str) -> None:
    expression, plain, expected = LAMBDAS[name]
    found, made = calls.of(f"SELECT k, {expression} AS y FROM listed")
    wanted, _ = calls.of(f"SELECT k, {plain} FROM listed")
    assert sorted(found, key=lambda row: row[0]) == sorted(wanted, key=lambda row: row[0])
    assert made == expected


def test_lambdas_in_where_and_of_several_arguments(session: nu.Session, calls: Calls) -> None:
    found, made = calls.of("SELECT k FROM listed WHERE exists(xs, x -> even(x) AND third(x + 1))")
    assert found == [1]
    assert made == each("even", *FLAT) + each("third", 1, 3, 5, None)
    session.register_function("joined", udf(lambda a, b: f"{a}{b}", result_type="string"))
    session.register_function(
        "first_arrow", udf(lambda a, b: a, result_type="bigint", func_type="arrow")
    )
    query = "SELECT transform(xs, (x, i) -> joined(b => i, a => x)) FROM listed WHERE k = 1"
    assert calls.of(query)[0] == [["10", "21", "32"]]
    query = "SELECT transform(xs, (x, i) -> first_arrow(x, i)) FROM listed WHERE k = 1"
    assert calls.of(query)[0] == [[1, 2, 3]]


def test_an_element_that_raises_names_the_row_of_its_list(calls: Calls) -> None:
    with pytest.raises(nu.UserFunctionError, match="ZeroDivisionError") as caught:
        calls.of("SELECT transform(xs, x -> inverse(x)) FROM (SELECT /*+ COALESCE(1) */ * FROM "
                 "(SELECT explode(array(array(1L, 2L), array(4L, 0L))) AS xs))")  # fmt: skip
    failed = caught.value.failed
    assert failed is not None
    assert (failed.function, failed.row, failed.rows) == ("inverse", 2, 2)


@pytest.mark.parametrize(
    ("expression", "construct"),
    [
        ("aggregate(xs, 0L, (a, x) -> a + twice(x))", "aggregate"),
        ("zip_with(xs, xs, (x, y) -> twice(x))", "zip_with"),
        ("map_filter(map(1, 2), (a, b) -> even(a))", "map_filter"),
        ("array_sort(xs, (a, b) -> twice(a))", "array_sort"),
    ],
)
def test_lambdas_of_other_functions_are_refused_by_name(
    calls: Calls, expression: str, construct: str
) -> None:
    with pytest.raises(nu.PlanningError, match=rf"line 2, column \d+: .*a lambda of {construct}"):
        calls.of(f"SELECT k,\n{expression} FROM listed")


# Everything else that may hold a scalar function ---------------------------------------------

PLACES = {
    "SELECT, WHERE, GROUP BY, HAVING, ORDER BY": (
        "SELECT even(k) AS e, count(*) FROM promised WHERE NOT third(k) GROUP BY even(k) "
        "HAVING max(twice(k)) > 2 ORDER BY e",
        [(False, 3), (True, 3)],
    ),
    "a key of a join": (
        "SELECT a.k, b.k FROM promised a JOIN promised b ON twice(a.k) = twice(next(b.k)) "
        "WHERE a.k < 3",
        [(1, 0), (2, 1)],
    ),
    "one side of a join": (
        "SELECT a.k, b.k FROM promised a LEFT JOIN promised b ON a.k = b.k AND even(b.k) "
        "WHERE a.k < 3",
        [(0, 0), (1, None), (2, 2)],
    ),
    "one side of a join, below a condition": (
        "SELECT a.k, b.k FROM promised a LEFT JOIN promised b "
        "ON a.k = b.k AND (b.k = 0 OR inverse(b.k) < 60) WHERE a.k < 3",
        [(0, 0), (1, None), (2, 2)],
    ),
    "one side of EXISTS": (
        "SELECT k FROM promised a WHERE EXISTS (SELECT 1 FROM promised b "
        "WHERE b.k = a.k AND (b.k = 0 OR inverse(b.k) > 40))",
        [0, 1, 2],
    ),
    "both sides of an inner join": (
        "SELECT a.k, b.k FROM promised a JOIN promised b ON even(a.k + b.k) AND a.k < b.k "
        "AND b.k < 4",
        [(0, 2), (1, 3)],
    ),
    "a window": (
        "SELECT k, sum(if(k = 0, 0, inverse(k))) OVER (ORDER BY k) FROM promised WHERE k < 3",
        [(0, 0), (1, 100), (2, 150)],
    ),
}


@pytest.mark.parametrize("name", PLACES)
def test_places_that_spark_allows(calls: Calls, name: str) -> None:
    query, expected = PLACES[name]
    key = repr if any(None in row for row in expected if isinstance(row, tuple)) else None
    assert sorted(calls.of(query)[0], key=key) == sorted(expected, key=key)


def test_general_and_vectorised_functions_nested_and_side_by_side(
    session: nu.Session, calls: Calls
) -> None:
    session.register_function(
        "more", udf(lambda s: s + 1, result_type="bigint", func_type="pandas")
    )
    session.register_function("same", udf(lambda a: a, result_type="bigint", func_type="arrow"))
    found, made = calls.of(
        "SELECT same(more(twice(k))), if(k > 0, more(twice(same(k))), -1), more(k) "
        "FROM promised WHERE more(k) < 4"
    )
    assert sorted(found) == [(1, -1, 1), (3, 3, 2), (5, 5, 3)]
    assert made == each("twice", 0, 1, 1, 2, 2)


def test_an_outer_join_that_spark_makes_an_inner_one_runs(calls: Calls) -> None:
    found, _ = calls.of(
        "SELECT a.k, b.k FROM promised a LEFT JOIN promised b ON even(a.k + b.k) AND a.k < b.k "
        "WHERE b.k < 4"
    )
    assert sorted(found) == [(0, 2), (1, 3)]


def test_mistakes_are_told_by_spark_about_the_query_as_written(calls: Calls) -> None:
    from pyspark.errors import AnalysisException

    with pytest.raises(AnalysisException, match="missing") as caught:
        calls.of("SELECT if(k = 0, 0, inverse(missing)) FROM promised")
    assert "_nu_" not in str(caught.value)
