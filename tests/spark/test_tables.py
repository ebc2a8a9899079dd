"""Table functions wherever they may stand, on a real Spark."""

from __future__ import annotations

import dataclasses
import datetime as dt
import threading
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from pyspark.errors import AnalysisException
from pyspark.sql import DataFrame
from pyspark.sql import Row as SparkRow
from pyspark.sql import functions as F

import notebook_udf as nu
from notebook_udf import DataTypes, FunctionContext, TableFunction, udf, udtf

PATIENCE = 20.0


def rows_of(session: nu.Session, query: str, **args: Any) -> list[tuple[Any, ...]]:
    return sorted(map(tuple, session.sql(query, **args).collect()), key=repr)


def passes(frame: DataFrame) -> int:
    plan = str(frame._jdf.queryExecution().optimizedPlan().toString())
    return plan.count("TablePass")


def words(text: str | None) -> Iterator[str]:
    yield from (text or "").split()


def times(value: str | None, count: int = 2) -> Iterator[tuple[str, int]]:
    for i in range(count or 0):
        yield value, i


def upto(count: int) -> Iterator[int]:
    yield from range(count)


@pytest.fixture(scope="module")
def tables(session: nu.Session) -> nu.Session:
    session.register_function("words", words)
    session.register_function("times", times)
    session.register_function("upto", upto)
    session.register_function("plus", udf(lambda n: n + 1, "bigint", "bigint", compile=False))
    session.spark.createDataFrame(
        [(1, "a b"), (2, ""), (3, "c d e"), (4, None)], "id int, text string"
    ).createOrReplaceTempView("lines")
    session.spark.createDataFrame(
        [(1, "one"), (3, "three")], "id int, name string"
    ).createOrReplaceTempView("named")
    return session


@pytest.fixture
def in_workers(tables: nu.Session) -> Iterator[nu.Session]:
    """The same, with a function in workers that Spark's JVM calls otherwise."""
    tables.register_function("words", words, compile=False)
    yield tables
    tables.register_function("words", words)


PAIRS = [(1, "a"), (1, "b"), (3, "c"), (3, "d"), (3, "e")]
OUTER = sorted([*PAIRS, (2, None), (4, None)], key=repr)

# --- the design's examples -------------------------------------------------------------------


def test_the_designs_classes_and_decorators(session: nu.Session) -> None:
    @udtf(input_types=[DataTypes.STRING()], result_types=DataTypes.STRING())
    class Split(TableFunction):
        def eval(self, x):  # type: ignore[no-untyped-def]
            for e in x.split("#"):  # noqa: UP028
                yield e

    @udtf(input_types=[DataTypes.STRING()], result_types=[DataTypes.STRING(), DataTypes.INT()])
    def numbered(x):  # type: ignore[no-untyped-def]
        for i, e in enumerate(x.split("#")):
            yield e, i

    session.create_temporary_function("py_split", Split)
    session.register_function("py_numbered", numbered)
    assert rows_of(
        session,
        "SELECT a, x, m, n FROM VALUES ('p#q') AS t(a), LATERAL py_split(a) AS s(x), "
        "LATERAL py_numbered(x) AS r(m, n)",
    ) == [("p#q", "p", "p", 0), ("p#q", "q", "q", 0)]


# --- where it may stand ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("SELECT id, w FROM lines, LATERAL words(text) AS s(w)", PAIRS),
        ("SELECT id, f0 FROM lines, LATERAL words(text)", PAIRS),
        ("SELECT l.id, s.w FROM lines l CROSS JOIN LATERAL words(l.text) AS s(w)", PAIRS),
        ("SELECT id, w FROM lines JOIN LATERAL words(text) s(w) ON w > 'b'", PAIRS[2:]),
        ("SELECT id, w FROM lines INNER JOIN LATERAL words(text) s(w) ON id = 1", PAIRS[:2]),
        ("SELECT id, w FROM lines LEFT JOIN LATERAL words(text) AS s(w)", OUTER),
        ("SELECT id, w FROM lines LEFT OUTER JOIN LATERAL words(text) AS s(w) ON TRUE", OUTER),
        (
            "SELECT id, w FROM lines LEFT JOIN LATERAL words(text) AS s(w) ON w > 'd' AND id > 1",
            [(1, None), (2, None), (3, "e"), (4, None)],
        ),
        (
            "SELECT id, n FROM lines LEFT JOIN LATERAL upto(id) s(n) ON plus(n) = id",
            [(1, 0), (2, 1), (3, 2), (4, 3)],
        ),
        (
            "SELECT id, w FROM lines LEFT JOIN LATERAL words(text) s(w) "
            "ON w IN (SELECT lower('B'))",
            [(1, "b"), (2, None), (3, None), (4, None)],
        ),
        (
            "SELECT id, w FROM lines LEFT JOIN LATERAL words(text) s(w) ON w < 'd' AND EXISTS "
            "(SELECT 1 FROM named WHERE named.id = lines.id AND length(w) = 1)",
            [(1, "a"), (1, "b"), (2, None), (3, "c"), (4, None)],
        ),
        (
            "SELECT id, w, n FROM lines, LATERAL words(text) s(w) "
            "LEFT JOIN LATERAL upto(2) r(n) ON n = (SELECT max(id) FROM lines) - 3 AND w < 'd'",
            [(id, w, 1 if w < "d" else None) for id, w in PAIRS],
        ),
        ("SELECT id, w FROM lines LATERAL VIEW words(text) s AS w", PAIRS),
        ("SELECT id, w FROM lines LATERAL VIEW OUTER words(text) s AS w", OUTER),
        ("SELECT id, f0 FROM lines LATERAL VIEW words(text) s", PAIRS),
        (
            "SELECT id, w FROM lines LATERAL VIEW explode(split(text, ' ')) x AS c "
            "LATERAL VIEW words(c) s AS w",
            PAIRS,
        ),
        ("SELECT * FROM upto(2)", [(0,), (1,)]),
        ("SELECT * FROM upto(count => plus(1)) AS u(n)", [(0,), (1,)]),
        ("SELECT u.n FROM lines JOIN upto(3) AS u(n) ON u.n = lines.id", [(1,), (2,)]),
        ("SELECT * FROM times(count => 1, value => 'x')", [("x", 0)]),
        ("SELECT * FROM times('x')", [("x", 0), ("x", 1)]),
        ("SELECT id, n FROM lines, LATERAL upto(plus(id)) s(n) WHERE id = 1", [(1, 0), (1, 1)]),
        ("SELECT id, w FROM lines, LATERAL words(text) s(w) WHERE w > 'd' AND id > 0", PAIRS[4:]),
        ("SELECT id, w FROM lines, LATERAL words(text) s(w) WHERE plus(id) = 2", PAIRS[:2]),
        ("FROM lines, LATERAL words(text) s(w) SELECT id, w", PAIRS),
        ("SELECT id, w FROM (lines CROSS JOIN LATERAL words(text) s(w))", PAIRS),
        ("SELECT id, w FROM lines, LATERAL (SELECT * FROM words(lines.text) z(w)) q", PAIRS),
        ("SELECT id, s.w FROM lines JOIN named USING (id), LATERAL words(text) s(w)", PAIRS),
        ("SELECT id, s.w FROM lines NATURAL JOIN named, LATERAL words(text) s(w)", PAIRS),
        ("SELECT lines.id, s.w FROM lines JOIN named USING (id), LATERAL words(text) s(w)", PAIRS),
        (
            "SELECT name, w FROM lines, LATERAL words(text) s(w) LEFT JOIN named USING (id) "
            "WHERE w = 'a'",
            [("one", "a")],
        ),
        (
            "SELECT named.id, w FROM lines, LATERAL words(text) s(w) "
            "RIGHT JOIN named ON named.id = lines.id AND w = 'a' WHERE named.id > 0",
            [(1, "a"), (3, None)],
        ),
        ("WITH q AS (SELECT id, w FROM lines, LATERAL words(text) s(w)) SELECT * FROM q", PAIRS),
        ("WITH q AS (SELECT * FROM lines) SELECT id, w FROM q, LATERAL words(q.text) s(w)", PAIRS),
        ("SELECT * FROM (SELECT id, w FROM lines, LATERAL words(text) s(w)) LIMIT 9", PAIRS),
        (
            "SELECT 1, w FROM lines, LATERAL words(text) s(w) WHERE id = 1 UNION ALL "
            "SELECT 3, w FROM lines, LATERAL words(text) s(w) WHERE id = 3",
            PAIRS,
        ),
        (
            "SELECT id, 'x' FROM lines WHERE EXISTS "
            "(SELECT 1 FROM named, LATERAL words(name) s(w) WHERE named.id = lines.id)",
            [(1, "x"), (3, "x")],
        ),
        (
            "SELECT id, (SELECT max(name) FROM named WHERE named.id = lines.id) AS m "
            "FROM lines, LATERAL words(text) s(w) WHERE w = 'a'",
            [(1, "one")],
        ),
        (
            "SELECT id, count(*) FROM lines, LATERAL words(text) s(w) GROUP BY id",
            [(1, 2), (3, 3)],
        ),
        ("SELECT count(*) FROM lines, LATERAL words(text)", [(5,)]),
        (
            "SELECT st.*, w FROM VALUES (named_struct('a', 'p', 'b', 2)) v(st) "
            "LEFT JOIN LATERAL words(v.st.a) s(w)",
            [("p", 2, "p")],
        ),
        ("SELECT (SELECT max(w) FROM words(l.text) s(w)) FROM lines l WHERE id = 1", [("b",)]),
        ("SELECT id, `w` FROM lines, LATERAL `words`(`text`) AS `s`(`w`)", PAIRS),
        ("SELECT DISTINCT plus(id) FROM lines, LATERAL words(text) s(w)", [(2,), (4,)]),
        (
            "SELECT w, row_number() OVER (PARTITION BY id ORDER BY w DESC) "
            "FROM lines, LATERAL words(text) s(w) WHERE id = 1",
            [("a", 2), ("b", 1)],
        ),
    ],
)
def test_wherever_it_stands(tables: nu.Session, query: str, expected: list[Any]) -> None:
    assert rows_of(tables, query) == sorted(expected, key=repr)


def test_names_of_columns(tables: nu.Session) -> None:
    def columns(query: str) -> list[str]:
        return tables.sql(query).columns

    assert columns("SELECT * FROM lines, LATERAL times(text) s(a, b)") == ["id", "text", "a", "b"]
    assert columns("SELECT s.*, lines.* FROM lines, LATERAL words(text) s") == ["f0", "id", "text"]
    assert columns("SELECT * EXCEPT (id) FROM lines, LATERAL words(text) s(w)") == ["text", "w"]
    assert columns("SELECT * FROM lines, LATERAL upto(lines.id) s(id)") == ["id", "text", "id"]
    both = "SELECT lines.id + s.id, s.id, upper(text) FROM lines, LATERAL upto(lines.id) s(id)"
    assert columns(both) == ["(id + id)", "id", "upper(text)"]
    joined = "SELECT * FROM lines, LATERAL upto(lines.id) s(id) JOIN named ON named.id = s.id"
    assert columns(joined) == ["id", "text", "id", "id", "name"]


@pytest.mark.parametrize(
    ("flinks", "sparks"),
    [
        (
            "SELECT id, w FROM lines, LATERAL TABLE(words(text)) AS s(w)",
            "SELECT id, w FROM lines, LATERAL words(text) AS s(w)",
        ),
        (
            "SELECT id, w FROM lines CROSS JOIN LATERAL TABLE (words(text)) s (w)",
            "SELECT id, w FROM lines CROSS JOIN LATERAL words(text) s(w)",
        ),
        (
            "SELECT id, w FROM lines LEFT JOIN LATERAL TABLE(words(text)) AS s(w) ON TRUE",
            "SELECT id, w FROM lines LEFT JOIN LATERAL words(text) AS s(w) ON TRUE",
        ),
        (
            "SELECT id, w FROM lines LEFT OUTER JOIN LATERAL table(words(text)) AS s(w) ON w > 'b'",
            "SELECT id, w FROM lines LEFT OUTER JOIN LATERAL words(text) AS s(w) ON w > 'b'",
        ),
        (
            "SELECT v, n FROM lines, LATERAL TABLE(words(text)) AS s(w), "
            "LATERAL TABLE(`times`(w, 3)) AS r(v, n) WHERE n > 0",
            "SELECT v, n FROM lines, LATERAL words(text) AS s(w), LATERAL times(w, 3) AS r(v, n) "
            "WHERE n > 0",
        ),
        (
            "SELECT * FROM lines JOIN LATERAL TABLE(times(count => 1, value => text)) ON TRUE",
            "SELECT * FROM lines JOIN LATERAL times(count => 1, value => text) ON TRUE",
        ),
        ("SELECT n FROM TABLE(upto(3)) AS s(n)", "SELECT n FROM upto(3) AS s(n)"),
        (
            "SELECT count(*), sum(plus(n)) FROM TABLE(upto(3)) AS s(n)",
            "SELECT count(*), sum(plus(n)) FROM upto(3) AS s(n)",
        ),
        (
            "WITH u AS (SELECT id, w FROM lines, LATERAL TABLE(words(text)) AS s(w)) "
            "SELECT * FROM u WHERE id IN (SELECT n FROM TABLE(upto(3)) s(n))",
            "WITH u AS (SELECT id, w FROM lines, LATERAL words(text) AS s(w)) "
            "SELECT * FROM u WHERE id IN (SELECT n FROM upto(3) s(n))",
        ),
        (
            "SELECT id, x FROM lines, LATERAL TABLE(explode(split(text, ' '))) AS s(x)",
            "SELECT id, x FROM lines, LATERAL explode(split(text, ' ')) AS s(x)",
        ),
        (
            "SELECT plus(id), x FROM lines, LATERAL TABLE(explode(array(1, 2))) AS s(x)",
            "SELECT plus(id), x FROM lines, LATERAL explode(array(1, 2)) AS s(x)",
        ),
    ],
)
def test_flinks_lateral_table(tables: nu.Session, flinks: str, sparks: str) -> None:
    frame, expected = tables.sql(flinks), tables.sql(sparks)
    assert frame.columns == expected.columns
    assert sorted(map(tuple, frame.collect()), key=repr) == rows_of(tables, sparks)
    assert passes(frame) == passes(expected)


def test_flinks_lateral_table_in_other_places(tables: nu.Session) -> None:
    tables.sql(
        "CREATE OR REPLACE TEMPORARY VIEW by_word AS "
        "SELECT id, w FROM lines, LATERAL TABLE(words(text)) AS s(w)"
    )
    assert rows_of(tables, "SELECT * FROM by_word") == PAIRS
    tables.spark.catalog.dropTempView("by_word")
    query = "SELECT w FROM {rows}, LATERAL TABLE(words(text)) AS s(w) WHERE id < :most"
    rows = tables.spark.table("lines")
    assert rows_of(tables, query, rows=rows, args={"most": 2}) == [("a",), ("b",)]


def test_what_is_wrong_in_flinks_lateral_table_is_said_of_the_function(tables: nu.Session) -> None:
    with pytest.raises(AnalysisException, match="nowhere") as caught:
        tables.sql("SELECT * FROM lines, LATERAL TABLE(nowhere(text)) AS s(w)")
    assert "`TABLE`" not in str(caught.value)
    with pytest.raises(nu.PlanningError, match="words gives 1 columns"):
        tables.sql("SELECT * FROM lines, LATERAL TABLE(words(text)) AS s(w, x)")


def test_an_alias_is_not_taken_for_a_column(tables: nu.Session) -> None:
    query = "SELECT upper(lines.text), w AS text FROM lines, LATERAL words(lines.text) s(w) "
    ordered = [row[1] for row in tables.sql(query + "ORDER BY text DESC").collect()]
    assert ordered == ["e", "d", "c", "b", "a"]


def test_named_and_formatted_parameters(tables: nu.Session) -> None:
    query = "SELECT id, w FROM lines, LATERAL words(text) s(w) WHERE id = :one"
    assert rows_of(tables, query, args={"one": 1}) == PAIRS[:2]
    frame = tables.spark.table("lines")
    assert rows_of(tables, "SELECT id, w FROM {f}, LATERAL words(text) s(w)", f=frame) == PAIRS


def test_statements(tables: nu.Session, tmp_path: Path) -> None:
    query = "SELECT id, w FROM lines LEFT JOIN LATERAL words(text) s(w)"
    tables.sql(f"CREATE OR REPLACE TEMP VIEW made (k, v) AS {query}")
    assert tables.spark.table("made").columns == ["k", "v"]
    assert rows_of(tables, "SELECT * FROM made") == OUTER
    tables.spark.catalog.dropTempView("made")
    tables.sql(f"CACHE TABLE kept AS {query}")
    assert rows_of(tables, "SELECT * FROM kept") == OUTER
    tables.sql("UNCACHE TABLE kept")
    where = f"USING parquet LOCATION '{tmp_path / 'stored'}'"
    tables.sql(f"CREATE TABLE stored {where} AS {query}")
    try:
        tables.sql(f"INSERT INTO stored {query} WHERE id = 1")
        assert rows_of(tables, "SELECT * FROM stored") == sorted([*OUTER, *PAIRS[:2]], key=repr)
    finally:
        tables.sql("DROP TABLE stored")


# --- one pass --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("query", "count"),
    [
        ("SELECT w, n FROM lines, LATERAL words(text) s(w), LATERAL times(w, id) r(v, n)", 1),
        (
            "SELECT n FROM lines LATERAL VIEW OUTER words(text) s LATERAL VIEW upto(id) r AS n",
            1,
        ),
        ("SELECT v FROM lines LEFT JOIN LATERAL words(text) s(w), LATERAL times(w, id) r(v, n)", 1),
        (
            "SELECT v FROM lines, LATERAL words(text) s(w) "
            "LEFT JOIN LATERAL times(w, id) r(v, n) ON n > 0",
            1,
        ),
        ("SELECT v FROM lines, LATERAL words(text) s(w), LATERAL times(upper(w)) r(v, n)", 2),
        (
            "SELECT v FROM lines JOIN LATERAL words(text) s(w) ON w > 'a', "
            "LATERAL times(w) r(v, n)",
            2,
        ),
    ],
)
def test_calls_in_a_row_share_a_pass(in_workers: nu.Session, query: str, count: int) -> None:
    frame = in_workers.sql(query)
    frame.collect()
    assert passes(frame) == count


def test_calls_in_a_row_see_the_ones_before(tables: nu.Session) -> None:
    query = (
        "SELECT id, w, n, m FROM lines, LATERAL words(text) s(w), LATERAL times(w, id) r(v, n) "
        "LEFT JOIN LATERAL upto(r.n) q(m)"
    )
    expected = [
        (row, word, n, m)
        for row, word in PAIRS
        for n in range(row)
        for m in (range(n) if n else [None])
    ]
    assert rows_of(tables, query) == sorted(expected, key=repr)


def test_only_the_columns_that_are_needed_travel(in_workers: nu.Session) -> None:
    frame = in_workers.sql("SELECT w FROM lines, LATERAL words(text) s(w), LATERAL upto(2) r(n)")
    plan = str(frame._jdf.queryExecution().optimizedPlan().toString())
    (line,) = [line for line in plan.splitlines() if "TablePass" in line]
    assert line.count("#") == 4  # the text and a constant go in, a struct and the word come out


def test_conditions_on_the_input_come_first(tables: nu.Session) -> None:
    def picky(n: int) -> Iterator[int]:
        if n > 2:
            raise ValueError(n)
        yield n

    tables.register_function("picky", picky)
    query = "SELECT id, n FROM lines LEFT JOIN LATERAL picky(id) s(n) WHERE id < 3 AND n > 1"
    assert rows_of(tables, query) == [(2, 2)]


# --- DataFrames ------------------------------------------------------------------------------


def test_transform(in_workers: nu.Session) -> None:
    lines = in_workers.spark.table("lines")
    split, repeat = in_workers.functions["words"], in_workers.functions["times"]
    inner = lines.transform(nu.join_lateral(split("text"), "w"))
    assert inner.columns == ["id", "text", "w"]
    assert [(r.id, r.w) for r in inner.collect()] == PAIRS
    outer = lines.transform(nu.left_outer_join_lateral(split(lines["text"])))
    assert sorted(((r.id, r.f0) for r in outer.collect()), key=repr) == OUTER
    both = inner.transform(nu.left_outer_join_lateral(repeat("w", "id"), ["v", "n"]))
    assert passes(both) == 1
    assert len(both.collect()) == 2 * 1 + 3 * 3
    apart = inner.transform(nu.join_lateral(repeat(F.upper("w"), count=F.lit(1)), ["v", "n"]))
    assert passes(apart) == 2
    assert [r.v for r in apart.collect()] == ["A", "B", "C", "D", "E"]
    filtered = inner.where("id = 1").transform(nu.join_lateral(repeat("w"), ["v", "n"]))
    assert passes(filtered) == 2
    assert filtered.count() == 4


def test_names_of_columns_by_alias(tables: nu.Session) -> None:
    lines = tables.spark.table("lines")
    split, repeat = tables.functions["words"], tables.functions["times"]
    inner = lines.transform(nu.join_lateral(split("text").alias("w")))
    assert inner.columns == ["id", "text", "w"]
    both = inner.transform(nu.left_outer_join_lateral(repeat("w", "id").alias("v", "n")))
    assert both.columns == ["id", "text", "w", "v", "n"]
    assert passes(both) == 1
    renamed = lines.transform(nu.join_lateral(split("text").alias("w"), "word"))
    assert renamed.columns == ["id", "text", "word"]
    with pytest.raises(nu.PlanningError, match=r"gives 1 columns \(f0\), and there are 2 names"):
        nu.join_lateral(split("text").alias("a", "b"))
    # As a DataFrame: one name is its own, as PySpark has it, several are those of its columns.
    joined = lines.lateralJoin(split(F.col("text").outer()).alias("s")).select("id", "s.f0")
    assert sorted(map(tuple, joined.collect())) == PAIRS
    named = lines.lateralJoin(repeat(F.col("text").outer(), F.col("id").outer()).alias("v", "n"))
    assert named.columns == ["id", "text", "v", "n"]


def test_constants_beside_columns(tables: nu.Session) -> None:
    lines = tables.spark.table("lines").where("id = 1")
    split, repeat = tables.functions["words"], tables.functions["times"]
    inner = lines.transform(nu.join_lateral(split("text").alias("w")))
    twice = inner.transform(nu.join_lateral(repeat("w", 2).alias("v", "n")))
    assert [(r.v, r.n) for r in twice.collect()] == [("a", 0), ("a", 1), ("b", 0), ("b", 1)]
    by_name = inner.transform(nu.join_lateral(repeat(count=1, value="w").alias("v", "n")))
    assert [(r.v, r.n) for r in by_name.collect()] == [("a", 0), ("b", 0)]
    # A constant needs no row: the call stays in the pass of the one before it.
    assert passes(twice) == passes(by_name) == 1
    assert [r.f0 for r in tables.functions["upto"](3).collect()] == [0, 1, 2]


def test_functions_of_one_name_that_were_never_registered(session: nu.Session) -> None:
    rows = session.spark.range(1)
    one, two = (udf(lambda x, n=n: x + n, "bigint", "bigint") for n in (1, 2))
    assert tuple(rows.select(one("id"), two("id")).first()) == (1, 2)
    once, twice = (udtf(lambda x, n=n: [x] * n, "bigint", "bigint") for n in (1, 2))
    for call, count in ((once, 1), (twice, 2)):
        assert rows.transform(nu.join_lateral(call("id"))).count() == count
        assert rows.lateralJoin(call(F.col("id").outer())).count() == count


def test_columns_of_one_name(tables: nu.Session) -> None:
    upto_, lines = tables.functions["upto"], tables.spark.table("lines")
    twice = lines.transform(nu.join_lateral(upto_("id"), "id"))
    assert twice.columns == ["id", "text", "id"]
    assert [(r[0], r[2]) for r in twice.where("text = 'a b'").collect()] == [(1, 0)]
    again = twice.transform(nu.join_lateral(upto_(F.lit(1)), "id"))
    assert again.columns == ["id", "text", "id", "id"]
    assert again.count() == 10


def test_sparks_own_ways_give_the_same(tables: nu.Session) -> None:
    plain = "SELECT id, w FROM lines, LATERAL words(text) AS s(w)"
    assert sorted(map(tuple, tables.spark.sql(plain).collect())) == PAIRS
    joined = tables.spark.table("lines").lateralJoin(
        tables.functions["words"](F.col("text").outer())
    )
    assert [(r.id, r.f0) for r in joined.collect()] == PAIRS
    call = tables.functions["times"](F.lit("x"), count=F.lit(1))
    assert repr(call).startswith("<call times('x', count => 1) of a table function")
    assert [tuple(r) for r in call.collect()] == [("x", 0)]


def test_a_worker_that_is_used_again_opens_the_function_again(session: nu.Session) -> None:
    counting = session.register_function("counting", Counting)
    for _ in range(4):
        assert [r.f0 for r in session.spark.sql("SELECT * FROM counting(1)").collect()] == [100]
    frame = counting(F.lit(1))
    assert [frame.count() for _ in range(4)] == [1, 1, 1, 1]
    plain = session.spark.range(0, 6, 1, 2).lateralJoin(counting(F.col("id").outer()))
    assert [plain.count() for _ in range(3)] == [15, 15, 15]


def test_tables_as_arguments(tables: nu.Session) -> None:
    def told(row: Any) -> Iterator[tuple[int, str]]:
        yield row.id, row.text

    tables.register_function("told", udtf(told, result_types="id int, text string"))
    query = "SELECT * FROM told(TABLE(SELECT * FROM lines) PARTITION BY id ORDER BY text)"
    assert rows_of(tables, query) == [(1, "a b"), (2, ""), (3, "c d e"), (4, None)]
    assert len(rows_of(tables, "SELECT * FROM told(TABLE(lines))")) == 4
    frame = tables.functions["told"](tables.spark.table("lines").asTable().partitionBy("id"))
    assert frame.count() == 4


# --- values ----------------------------------------------------------------------------------


@dataclasses.dataclass
class Point:
    x: int
    y: str | None


def test_rows_of_every_shape(session: nu.Session) -> None:
    def shapes() -> Iterator[Point]:
        yield (1, "tuple")
        yield [2, "list"]
        yield nu.Row(y="row", x=3)
        yield nu.Row(4, "by position")
        yield SparkRow(y="spark", x=5)
        yield {"y": "dict", "x": 6}
        yield Point(7, None)

    session.register_function("shapes", shapes)
    assert [tuple(row) for row in session.sql("SELECT * FROM shapes()").collect()] == [
        (1, "tuple"), (2, "list"), (3, "row"), (4, "by position"), (5, "spark"), (6, "dict"),
        (7, None),
    ]  # fmt: skip


def test_one_column_bare_or_as_a_row(session: nu.Session) -> None:
    def bare(kind: str) -> Any:
        yield from {
            "mixed": [1, None, (2,), [3], nu.Row(4), {"n": 5}],
            "bare": [6, None],
        }[kind]

    session.register_function("bare", udtf(bare, "string", "n int"))
    query = "SELECT n FROM VALUES ('mixed'), ('bare') AS t(k), LATERAL bare(k)"
    assert [row.n for row in session.sql(query).collect()] == [1, None, 2, 3, 4, 5, 6, None]
    lists = udtf(lambda: [[1, 2], ([3],), None], result_types="array<int>")
    session.register_function("lists", lists)
    assert [row.f0 for row in session.sql("SELECT * FROM lists()").collect()] == [[1, 2], [3], None]


@dataclasses.dataclass
class Word:
    word: str
    length: int


class Pair(NamedTuple):
    word: str
    length: int


@pytest.mark.parametrize(
    "returned",
    [
        lambda s: (s, len(s)),
        lambda s: nu.Row(s, len(s)),
        lambda s: nu.Row(word=s, length=len(s)),
        lambda s: SparkRow(word=s, length=len(s)),
        lambda s: {"word": s, "length": len(s)},
        lambda s: Word(s, len(s)),
        lambda s: Pair(s, len(s)),
        lambda s: [(s, len(s))],
        lambda s: {(s, len(s))},
        lambda s: iter([(s, len(s))]),
        lambda s: zip([s], [len(s)], strict=True),
    ],
)
@pytest.mark.parametrize("on_error", ["fail", "null"])
def test_one_row_that_is_returned_is_one_row(
    session: nu.Session, returned: Any, on_error: str
) -> None:
    declared = udtf(returned, result_types="word string, length int", on_error=on_error)
    record = session.register_function("returned", declared)
    query = "SELECT r.* FROM VALUES ('ab'), ('cde') AS t(s), LATERAL returned(s) AS r"
    assert rows_of(session, query) == [("ab", 2), ("cde", 3)]
    plain = session.spark.sql("SELECT * FROM returned('ab')").collect()
    assert list(map(tuple, plain)) == [("ab", 2)]
    assert len(record.eval("ab")) == 1


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("string", "text"),
        ("int", 3),
        ("binary", b"ab"),
        ("map<string,int>", {"a": 1}),
        ("date", dt.date(2026, 1, 2)),
        ("decimal(3,1)", Decimal("1.5")),
        ("double", 0.5),
    ],
)
def test_one_value_that_is_returned_is_one_row(
    session: nu.Session, column: str, value: Any
) -> None:
    session.register_function("gives", udtf(lambda n: value, result_types=f"x {column}"))
    assert rows_of(session, "SELECT x FROM range(2), LATERAL gives(id)") == [(value,), (value,)]


def test_one_row_is_declared_by_its_annotation(session: nu.Session) -> None:
    @udtf
    def first_two(text: str) -> tuple[str, int] | None:
        return (text[:2], len(text)) if text else None

    class Longest(TableFunction):
        def eval(self, text: str) -> Word:
            longest = max(text.split(), key=len)
            return Word(longest, len(longest))

    session.register_function("first_two", first_two)
    session.register_function("longest", Longest)
    lines = "VALUES ('to be or'), ('') AS t(s)"
    query = f"SELECT r.* FROM {lines}, LATERAL first_two(s) AS r"
    assert rows_of(session, query) == [("to", 8)]
    query = "SELECT word, length FROM longest('not to be')"
    assert rows_of(session, query) == [("not", 3)]


def test_values_of_many_types_pass_from_call_to_call(session: nu.Session) -> None:
    made = (
        True, 1, 2.5, "ü", b"b", Decimal("1.50"), dt.date(2024, 2, 29),
        dt.datetime(2024, 3, 31, 2, 30, 1, 5), [1, None], {"k": 2}, SparkRow(a=1, b="x"),
    )  # fmt: skip
    types = (
        "a boolean, b int, c float, d string, e binary, f decimal(10, 2), g date, h timestamp_ntz, "
        "i array<int>, j map<string, bigint>, k struct<a: int, b: string>"
    )
    session.register_function("one_of_each", udtf(lambda: [made], result_types=types))
    session.register_function("same", udtf(lambda *v: [tuple(v)], result_types=types))
    names = ", ".join("abcdefghijk")
    query = f"SELECT r.* FROM one_of_each() s, LATERAL same({names}) r"
    (first,) = session.sql("SELECT * FROM one_of_each()").collect()
    (last,) = session.sql(query).collect()
    assert tuple(first) == tuple(last) == made


def test_columns_that_pass_through_keep_their_values(tables: nu.Session) -> None:
    kept = (
        "SELECT INTERVAL '1-2' YEAR TO MONTH AS a, INTERVAL '3' DAY AS b, DATE'2024-01-01' AS c, "
        "TIMESTAMP'2024-07-01 12:00:00' AS d, map('k', array(1, 2)) AS e, parse_json('[1]') AS f, "
        "named_struct('x', 1, 'y', NULL) AS g, CAST(NULL AS BIGINT) AS h, 1.5BD AS i"
    )
    (before,) = tables.spark.sql(
        f"SELECT string(a), b, c, d, e, to_json(f), g, h, i FROM ({kept})"
    ).collect()
    query = f"SELECT string(a), b, c, d, e, to_json(f), g, h, i FROM ({kept}), LATERAL upto(2) s(n)"
    frame = tables.sql(query)
    assert [tuple(row) for row in frame.collect()] == [tuple(before)] * 2


def test_calendar_intervals_pass_through_or_are_refused(tables: nu.Session) -> None:
    made = "(SELECT make_interval(-1, 3, 0, -40, 25, 0, -7.000001) AS a)"
    query = f"SELECT string(a) FROM {made}"
    kept = tables.spark.sql(query).collect()
    assert tables.sql(f"{query}, LATERAL upto(2) s(n)").collect() == kept * 2
    with pytest.raises(nu.PlanningError, match=r"column l, of type array<interval>, cannot pass"):
        tables.sql(f"SELECT l FROM (SELECT array(a) AS l FROM {made}) LATERAL VIEW upto(2) s")
    with pytest.raises(nu.PlanningError, match="upto was given an INTERVAL of months"):
        tables.sql(f"SELECT n FROM {made}, LATERAL upto(a) s(n)")


def test_none_and_nothing_are_no_rows(session: nu.Session) -> None:
    session.register_function("nothing", udtf(lambda n: None if n else (), "int", "int"))
    query = "SELECT n, f0 FROM VALUES (0), (1) AS t(n) LEFT JOIN LATERAL nothing(n)"
    assert rows_of(session, query) == [(0, None), (1, None)]


# --- life, size, and what is shown -----------------------------------------------------------


class Counting(TableFunction):
    def open(self, function_context: FunctionContext) -> None:
        self.base = int(function_context.get_job_parameter("base", "100"))
        self.seen = function_context.get_metric_group().counter("seen")

    def eval(self, n: int) -> Iterator[int]:
        self.seen.inc()
        for i in range(n):
            yield self.base + i

    def close(self) -> None:
        print("closed")


def test_open_close_and_metrics(session: nu.Session) -> None:
    counting = session.register_function("counting", Counting)
    assert counting.eval(2) == [100, 101]
    frame = session.spark.range(4).transform(nu.join_lateral(counting("id"), "n"))

    def seen() -> dict[str, tuple[int, int]]:
        return {t.function: (t.rows_in, t.rows_out) for t in session.metrics().totals}

    changed = threading.Event()
    end = session.store.subscribe(lambda record: changed.set())
    try:
        assert sorted(row.n for row in frame.collect()) == [100, 100, 100, 101, 101, 102]
        while seen().get("counting") != (4, 6):
            assert changed.wait(PATIENCE), seen()
            changed.clear()
    finally:
        end()


def resident(session: nu.Session) -> Iterator[int]:
    """Ten million rows, and now and then what the worker holds, in megabytes."""
    from pathlib import Path

    for i in range(10_000_000):
        if i % 1_000_000 == 0:
            status = Path("/proc/self/status").read_text()
            line = next(line for line in status.splitlines() if line.startswith("VmRSS"))
            yield int(line.split()[1]) >> 10
        else:
            yield 0


def test_ten_million_rows_of_one_input_take_no_memory(session: nu.Session) -> None:
    session.register_function("resident", udtf(lambda: resident(None), result_types="int"))
    first, most, count = session.sql(
        "SELECT min(f0) FILTER (WHERE f0 > 0), max(f0), count(*) FROM resident()"
    ).first()
    assert count == 10_000_000
    assert most - first < 100


def test_limit_ends_an_input_early(session: nu.Session) -> None:
    def endless() -> Iterator[int]:
        i = 0
        while True:
            yield i
            i += 1

    session.register_function("endless", endless)
    assert [row.f0 for row in session.sql("SELECT * FROM endless() LIMIT 3").collect()] == [0, 1, 2]


def test_eval_try_and_explain(tables: nu.Session) -> None:
    split = tables.functions["words"]
    assert split.eval("a b") == ["a", "b"]
    assert tables.register_function("none", udtf(lambda: None, result_types="int")).eval() == []
    tried = split.try_("SELECT id, text FROM lines WHERE id < 3").to_pandas()
    assert [tuple(row) for row in tried.values] == [(1, "a b", "a"), (1, "a b", "b"), (2, "", None)]
    assert "share one pass" in split.explain()
    assert split.signature == "words(text string) -> table<f0:string>"


def test_the_plan_shows_what_a_pass_calls(in_workers: nu.Session) -> None:
    query = "SELECT count(*) FROM lines, LATERAL words(text) s(w), LATERAL upto(id) r(n)"
    shown = repr(in_workers.plan(query))
    assert "words: any number of rows for each row; upto: any" in shown
    assert "words" in repr(
        in_workers.plan("SELECT * FROM lines LEFT JOIN LATERAL words(text) s ON f0 > 'a'")
    )


def test_a_stream_of_rows(session: nu.Session, tmp_path: Path) -> None:
    session.register_function("words", words)
    session.spark.createDataFrame([("a b",)], "text string").write.parquet(str(tmp_path / "in"))
    stream = session.spark.readStream.schema("text string").parquet(str(tmp_path / "in"))
    made = stream.transform(nu.join_lateral(session.functions["words"]("text"), "w"))
    query = (
        made.writeStream.format("memory").queryName("streamed")
        .option("checkpointLocation", str(tmp_path / "state"))
        .trigger(availableNow=True).start()
    )  # fmt: skip
    query.awaitTermination(60)
    assert [row.w for row in session.spark.table("streamed").collect()] == ["a", "b"]
