"""Scalar functions over both sides of joins, and over both queries of EXISTS and IN.

A query is written with marked calls: ``@same(a.x, b.y)`` calls our function, and stands for
``a.x % 3 = b.y % 3`` where the same query is given to Spark for comparison. Some queries are
written out here, others are generated.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from twins import difference

import notebook_udf as nu
from notebook_udf import udf

QUERIES = int(os.environ.get("NOTEBOOK_UDF_QUERIES", "25"))

# NULLs, equal rows, keys on one side alone.
TABLES = {
    "ja": "(1, 1, 'a'), (2, 4, 'b'), (2, 4, 'b'), (3, NULL, 'c'), (NULL, 6, 'd'), (5, 7, NULL)",
    "jb": "(1, 1, 'u'), (2, 1, 'v'), (2, 3, 'w'), (3, 2, 'x'), (NULL, 3, 'y'), (7, 7, 'z')",
    "jc": "(1, 10, 'k'), (2, 20, 'l'), (2, 20, 'l'), (5, 3, NULL), (NULL, NULL, 'm')",
}
COLUMNS = {"ja": ("k", "x", "s"), "jb": ("k", "y", "t"), "jc": ("k", "z", "r")}
KINDS = ("LEFT", "RIGHT", "FULL OUTER", "LEFT SEMI", "LEFT ANTI")

_CALL = re.compile(r"@(\w+)\(([\w.]+)(?:, ([\w.]+))?\)")
_BUILT_IN = {"same": "({0} % 3 = {1} % 3)", "even": "({0} % 2 = 0)"}


def built_in(query: str) -> str:
    """The query without functions of ours."""
    return _CALL.sub(lambda m: _BUILT_IN[m[1]].format(m[2], m[3]), query)


def ours(query: str) -> str:
    """The query with calls."""
    return query.replace("@", "join_")


@pytest.fixture(scope="module")
def tables(session: nu.Session) -> Iterator[nu.Session]:
    for name, rows in TABLES.items():
        k, x, s = COLUMNS[name]
        frame = session.spark.sql(f"SELECT * FROM VALUES {rows} AS t({k}, {x}, {s})")
        frame.repartition(3).createOrReplaceTempView(name)

    def same(a: int | None, b: int | None) -> bool | None:
        return None if a is None or b is None else a % 3 == b % 3

    def even(a: int | None) -> bool | None:
        return None if a is None else a % 2 == 0

    # Spark plans functions in the JVM as its own.
    session.register_function("join_same", udf(same, result_type="boolean", compile=False))
    session.register_function("join_even", udf(even, result_type="boolean", compile=False))
    yield session
    for name in TABLES:
        session.spark.catalog.dropTempView(name)


def complaint(session: nu.Session, query: str) -> str:
    """How our answer differs from Spark's; "" if it does not."""
    wanted = session.spark.sql(built_in(query))
    found = session.sql(ours(query))
    if found.columns != wanted.columns:
        return f"{query}\ncolumns {found.columns} instead of {wanted.columns}"
    differs = difference(wanted.collect(), found.collect(), ordered="ORDER BY" in query)
    return f"{query}\n{differs}" if differs else ""


EVERY_KIND = {
    "equal keys": "a.k = b.k AND @same(a.x, b.y)",
    "nothing else": "@same(a.x, b.y)",
    "names without tables": "a.k = b.k AND @same(x, y) AND s <> t",
    "cheap ones of each side": "@same(a.x, b.y) AND a.k = b.k AND a.k > 1 AND b.y < 7",
    "OR": "a.k = b.k OR @same(a.x, b.y)",
    "calls of one side": "@even(a.x) AND a.k = b.k AND @same(a.x, b.y) AND NOT @even(b.y)",
    "two calls": "@same(a.x, b.y) AND NOT @same(a.k, b.y)",
    "within CASE": "CASE WHEN a.k = b.k THEN @same(a.x, b.y) ELSE a.k = 1 END",
    "NULL": "a.k = b.k AND coalesce(@same(a.x, b.y), a.k = 3)",
}


@pytest.mark.one_in(3)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", EVERY_KIND)
def test_conditions_of_every_kind_of_join(tables: nu.Session, kind: str, name: str) -> None:
    query = f"SELECT * FROM ja a {kind} JOIN jb b ON {EVERY_KIND[name]}"
    assert not complaint(tables, query)


ON = "ON a.k = b.k AND @same(a.x, b.y)"
WRITTEN = {
    "a comma": "SELECT * FROM jc, ja a RIGHT JOIN jb b ON a.k = b.k AND @same(a.x, b.y)",
    "a comma behind": f"SELECT * FROM ja a FULL JOIN jb b {ON}, jc",
    "USING before": "SELECT * FROM ja a JOIN jc USING (k) LEFT JOIN jb b ON @same(a.x, b.y)",
    "names that USING leaves out": "SELECT jc.*, jc.k + 1, b.k, a.* FROM ja a LEFT JOIN jc "
        "USING (k) LEFT JOIN jb b ON @same(a.x, b.y) AND b.k = jc.k WHERE jc.k > 1",
    "a full USING": "SELECT *, a.k FROM ja a FULL JOIN jc USING (k) LEFT JOIN jb b "
        "ON @same(a.x, b.y)",
    "a right USING": "SELECT a.k, * FROM ja a RIGHT JOIN jc USING (k) LEFT JOIN jb b "
        "ON @same(a.x, b.y) AND jc.k = b.k",
    "USING behind": "SELECT * FROM ja a LEFT JOIN (SELECT k AS bk, y FROM jb) b "
        "ON a.k = bk AND @same(a.x, b.y) JOIN jc USING (k)",
    "NATURAL": "SELECT * FROM ja NATURAL JOIN jc LEFT JOIN jb ON @same(x, y)",
    "a join of joins": "SELECT * FROM ja a LEFT JOIN (jb b JOIN jc c ON b.k = c.k) "
        "ON @same(a.x, c.z) AND a.k = b.k",
    "three in a row": f"SELECT * FROM ja a LEFT JOIN jb b {ON} RIGHT JOIN jc c "
        "ON @same(b.y, c.z) AND @same(a.x, c.z) FULL JOIN ja d ON @same(c.z, d.x) AND d.k = a.k",
    "with itself": "SELECT a.*, b.x FROM ja a LEFT JOIN ja b ON @same(a.x, b.x) AND a.k <= b.k",
    "a subquery": "SELECT k, n FROM ja a LEFT JOIN (SELECT y, count(*) AS n FROM jb GROUP BY y) b "
        "ON @same(a.x, b.y)",
    "a subquery without a name": "SELECT * FROM (SELECT k, x FROM ja) LEFT JOIN (SELECT y FROM jb) "
        "ON @same(x, y)",
    "a table of WITH": "WITH q AS (SELECT * FROM ja), r AS (SELECT q.k, b.y FROM q LEFT JOIN jb b "
        "ON @same(q.x, b.y) AND q.k = b.k) SELECT * FROM r FULL JOIN q ON @same(r.y, q.x)",
    "VALUES and range": "SELECT * FROM VALUES (1), (4), (NULL) AS v(c) FULL JOIN range(4) AS r "
        "ON @same(v.c, r.id)",
    "LATERAL": "SELECT * FROM ja a, LATERAL (SELECT a.x + 1 AS w) l LEFT JOIN jb b "
        "ON @same(l.w, b.y) AND a.k = b.k",
    "LATERAL VIEW": f"SELECT a.k, b.y, e FROM ja a LEFT JOIN jb b {ON} "
        "LATERAL VIEW explode(array(a.x, b.y)) v AS e",
    "groups": f"SELECT a.s, count(b.y) AS n, max(b.t) FROM ja a LEFT JOIN jb b {ON} "
        "GROUP BY a.s HAVING count(*) > 0 ORDER BY a.s",
    "a window": "SELECT a.k, b.y, rank() OVER (PARTITION BY a.k ORDER BY b.y) FROM ja a "
        f"RIGHT JOIN jb b {ON}",
    "WHERE of either side": f"SELECT * FROM ja a LEFT JOIN jb b {ON} "
        "WHERE a.k < 4 AND b.k IS NULL AND (a.s > 'a' OR b.y IS NULL)",
    "WHERE before a full join": f"SELECT * FROM ja a LEFT JOIN jb b {ON} FULL JOIN jc c "
        "ON a.k = c.k WHERE a.x IS NULL",
    "only missing ones": f"SELECT a.*, a.k + 1 FROM ja a LEFT JOIN jb b {ON} WHERE b.t IS NULL",
    "stars": f"SELECT b.*, a.s, * EXCEPT (s, t), struct(*), count(*) OVER () FROM ja a "
        f"LEFT JOIN jb b {ON}",
    "a call selected as well": f"SELECT a.k, @same(a.x, b.y) AS f FROM ja a LEFT JOIN jb b {ON}",
    "ordered": f"SELECT a.k AS n, b.y FROM ja a LEFT JOIN jb b {ON} ORDER BY n, b.y LIMIT 5",
    "in a union": f"SELECT a.k FROM ja a LEFT JOIN jb b {ON} UNION ALL SELECT k FROM jc",
    "in a scalar subquery": "SELECT c.k, (SELECT count(b.y) FROM ja a LEFT JOIN jb b "
        "ON @same(a.x, b.y) AND a.k = b.k WHERE a.k = c.k) FROM jc c",
    "EXISTS": "SELECT * FROM ja WHERE EXISTS (SELECT 1 FROM jb WHERE @same(ja.x, jb.y))",
    "NOT EXISTS": "SELECT * FROM ja a WHERE NOT EXISTS "
        "(SELECT * FROM jb b WHERE a.k = b.k AND @same(a.x, b.y))",
    "EXISTS, names without tables": "SELECT * FROM ja WHERE EXISTS "
        "(SELECT 1 FROM jb WHERE k = ja.k AND @same(x, y) LIMIT 1) AND k > 0",
    "EXISTS below OR": "SELECT * FROM ja WHERE k = 3 OR EXISTS "
        "(SELECT 1 FROM jb WHERE @same(ja.x, jb.y) AND ja.k = jb.k)",
    "EXISTS selected": "SELECT k, EXISTS (SELECT 1 FROM jb WHERE @same(ja.x, jb.y)) FROM ja",
    "EXISTS over a join": "SELECT * FROM ja a WHERE EXISTS (SELECT 1 FROM jb b JOIN jc c "
        "ON b.k = c.k WHERE @same(a.x, c.z) AND @same(a.x, b.y))",
    "EXISTS over an outer join": "SELECT * FROM jc c WHERE EXISTS (SELECT 1 FROM ja a LEFT JOIN "
        "jb b ON @same(a.x, b.y) WHERE @same(c.z, b.y) AND a.k = c.k)",
    "EXISTS above an outer join": f"SELECT * FROM ja a LEFT JOIN jb b {ON} "
        "WHERE EXISTS (SELECT 1 FROM jc c WHERE @same(a.x, c.z) AND c.k = b.k)",
    "EXISTS within EXISTS": "SELECT * FROM ja a WHERE EXISTS (SELECT 1 FROM jb b "
        "WHERE @same(a.x, b.y) AND EXISTS (SELECT 1 FROM jc c WHERE @same(b.y, c.z)))",
    "EXISTS of groups": "SELECT s, count(*) FROM ja a WHERE EXISTS "
        "(SELECT 1 FROM jb b WHERE @same(a.x, b.y)) GROUP BY s",
    "EXISTS that has groups": "SELECT * FROM ja a WHERE EXISTS "
        "(SELECT k FROM jb b WHERE @same(a.x, b.y) GROUP BY k)",
    "EXISTS that has large groups": "SELECT * FROM ja a WHERE EXISTS "
        "(SELECT k FROM jb b WHERE @same(a.x, b.y) GROUP BY k HAVING count(*) > 1)",
    "IN of a union": "SELECT * FROM ja a WHERE a.k IN "
        "(SELECT k FROM jb b WHERE @same(a.x, b.y) UNION SELECT 1)",
    "two of EXISTS": "SELECT a.k FROM ja a WHERE EXISTS (SELECT 1 FROM jb b WHERE @same(a.x, b.y)) "
        "AND NOT EXISTS (SELECT 1 FROM jc c WHERE @same(a.x, c.z) AND c.k = a.k)",
    "IN": "SELECT * FROM ja WHERE ja.k IN (SELECT k FROM jb WHERE @same(x, y))",
    "NOT IN": "SELECT * FROM ja WHERE ja.k NOT IN (SELECT k FROM jb WHERE @same(x, y))",
    "NOT IN, NULLs there": "SELECT * FROM ja a WHERE a.k NOT IN "
        "(SELECT b.k FROM jb b WHERE NOT @same(a.x, b.y))",
    "IN below OR": "SELECT * FROM ja WHERE s = 'c' OR ja.k IN (SELECT k FROM jb WHERE @same(x, y))",
    "IN of two columns": "SELECT * FROM ja a WHERE (a.k, 'v') IN "
        "(SELECT b.k, b.t FROM jb b WHERE @same(a.x, b.y))",
    "NOT IN of two columns": "SELECT * FROM ja a WHERE (a.k, a.x) NOT IN "
        "(SELECT b.k, b.y FROM jb b WHERE @same(a.x, b.y))",
}  # fmt: skip


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", WRITTEN)
def test_written_queries(tables: nu.Session, name: str) -> None:
    assert not complaint(tables, " ".join(WRITTEN[name].split()))


def test_what_in_says_where_it_is_null(tables: nu.Session) -> None:
    # Spark says false where SQL says NULL.
    query = "SELECT a.s, a.k IN (SELECT b.k FROM jb b WHERE @same(a.x, b.y)) AS v FROM ja a"
    found = {row.s: row.v for row in tables.sql(ours(query)).collect()}
    assert found == {"a": True, "b": True, "c": False, "d": None, None: False}


# Generated ---------------------------------------------------------------------------------------


@st.composite
def queries(draw: Callable[[st.SearchStrategy[Any]], Any]) -> str:
    def one_of(*values: str) -> str:
        found: str = draw(st.sampled_from(values))
        return found

    def number(table: str) -> str:
        return f"{table}.{one_of('k', COLUMNS[kinds[table]][1])}"

    def condition(left: list[str], right: str, depth: int = 0) -> str:
        mine, theirs = number(one_of(*left)), number(right)
        kind = one_of("both", "both", "equal", "equal", "mine", "theirs", "less", "and", "or")
        if kind in ("and", "or") and depth < 2:
            parts = [condition(left, right, depth + 1) for _ in range(2)]
            return f"({parts[0]} {kind.upper()} {parts[1]})"
        return {
            "both": f"@same({mine}, {theirs})",
            "mine": one_of(f"@even({mine})", f"{mine} > 1", f"{mine} IS NULL"),
            "theirs": one_of(f"NOT @even({theirs})", f"{theirs} < 7"),
            "less": f"{mine} <= {theirs}",
        }.get(kind, f"{mine} = {theirs}")

    kinds: dict[str, str] = {"t0": one_of(*TABLES)}
    visible, source = ["t0"], f"{kinds['t0']} t0"
    for place in range(1, draw(st.integers(2, 4))):
        table = f"t{place}"
        kinds[table] = one_of(*TABLES)
        kind = one_of(*KINDS, "LEFT", "INNER")
        on = f"@same({number(one_of(*visible))}, {number(table)})"
        more = condition(visible, table)
        on = one_of(f"{on} AND {more}", f"{more} AND {on}", f"({on} OR {more})", on)
        rows = f"(SELECT * FROM {kinds[table]} WHERE k < 9)" if draw(st.booleans()) else ""
        source += f" {kind} JOIN {rows or kinds[table]} {table} ON {on}"
        if kind not in ("LEFT SEMI", "LEFT ANTI"):
            visible.append(table)
    conditions = []
    for _ in range(draw(st.integers(0, 2))):
        column = number(one_of(*visible))
        conditions.append(one_of(f"{column} > 1", f"{column} IS NULL", f"@even({column})"))
    if draw(st.booleans()):
        kinds["e"] = one_of(*TABLES)
        on = condition(visible, "e")
        rows = (
            f"FROM {kinds['e']} e WHERE {on} AND @same({number(one_of(*visible))}, {number('e')})"
        )
        column = number(one_of(*visible))
        exists = one_of(f"EXISTS (SELECT 1 {rows})", f"{column} IN (SELECT e.k {rows})")
        conditions.append(one_of("", "NOT ") + exists)
    where = f" WHERE {' AND '.join(conditions)}" if conditions else ""
    selected = one_of("*", f"{visible[-1]}.*, t0.k + 1 AS n", "count(*), max(t0.k)", "groups")
    if selected == "groups":
        key = f"t0.{COLUMNS[kinds['t0']][2]}"
        return f"SELECT {key}, count(*), count({visible[-1]}.k) FROM {source}{where} GROUP BY {key}"
    return f"SELECT {selected} FROM {source}{where}"


@pytest.mark.timeout(60 + 10 * QUERIES)
@settings(
    max_examples=QUERIES,
    deadline=None,
    phases=(Phase.explicit, Phase.reuse, Phase.generate),
    suppress_health_check=list(HealthCheck),
)
@given(query=queries())
def test_generated_queries(tables: nu.Session, query: str) -> None:
    found = complaint(tables, query)
    assert not found, found


# Calls -------------------------------------------------------------------------------------------


@pytest.fixture
def journal(tables: nu.Session, tmp_path: Path) -> Callable[[str], tuple[int, list[str]]]:
    path = tmp_path / "calls"

    def noted(a: int | None, b: int | None) -> bool | None:
        with open(path, "a") as file:
            file.write(f"{a},{b}\n")
        return None if a is None or b is None else a % 3 == b % 3

    tables.register_function("join_noted", udf(noted, result_type="boolean", compile=False))

    def run(query: str) -> tuple[int, list[str]]:
        path.write_text("")
        count = len(tables.sql(ours(query)).collect())
        return count, sorted(path.read_text().split())

    return run


PAIRS = {
    "LEFT JOIN jb b ON a.k = b.k AND @noted(a.x, b.y)": "1,1 4,1 4,1 4,3 4,3 None,2",
    "RIGHT JOIN jb b ON a.k = b.k AND @noted(a.x, b.y)": "1,1 4,1 4,1 4,3 4,3 None,2",
    "FULL JOIN jb b ON a.k = b.k AND @noted(a.x, b.y)": "1,1 4,1 4,1 4,3 4,3 None,2",
    "LEFT SEMI JOIN jb b ON a.k = b.k AND b.y > 1 AND @noted(a.x, b.y)": "4,3 4,3 None,2",
    "LEFT ANTI JOIN jb b ON @even(a.x) AND a.k = b.k AND @noted(a.x, b.y)": "4,1 4,1 4,3 4,3",
    "LEFT JOIN jb b ON a.k = b.k AND @noted(a.x, b.y) WHERE a.k < 2": "1,1",
    "LEFT JOIN jb b ON a.k = b.k AND (b.y = 1 OR @noted(a.x, b.y))": "4,3 4,3 None,2",
    "WHERE EXISTS (SELECT 1 FROM jb b WHERE a.k = b.k AND @noted(a.x, b.y)) AND a.x > 1": (
        "4,1 4,1 4,3 4,3"
    ),
    "WHERE a.k NOT IN (SELECT k FROM jb b WHERE @noted(a.x, b.y) AND b.y = 2) AND a.x > 4": (
        "6,2 7,2"
    ),
}


@pytest.mark.parametrize("rest", PAIRS)
def test_a_call_is_made_once_for_each_pair_that_needs_it(
    journal: Callable[[str], tuple[int, list[str]]], rest: str
) -> None:
    _, made = journal(f"SELECT * FROM ja a {rest}")
    assert made == sorted(PAIRS[rest].split())


def test_a_call_for_pairs_is_not_made_again_for_what_is_made_of_them(
    journal: Callable[[str], tuple[int, list[str]]],
) -> None:
    _, made = journal(
        "SELECT s, count(*) FROM (SELECT a.s, b.y FROM ja a LEFT JOIN jb b "
        "ON a.k = b.k AND @noted(a.x, b.y)) WHERE y > 0 OR y IS NULL GROUP BY s"
    )
    assert made == sorted(["1,1", "4,1", "4,1", "4,3", "4,3", "None,2"])


# Around them -------------------------------------------------------------------------------------


def test_functions_that_are_not_deterministic(tables: nu.Session) -> None:
    tables.register_function(
        "join_drawn",
        udf(lambda a, b: a is not None and a == b, result_type="boolean", deterministic=False),
    )
    query = "SELECT a.s, b.t FROM ja a LEFT JOIN jb b ON @drawn(a.x, b.y)"
    found = {tuple(row) for row in tables.sql(ours(query)).collect()}
    assert found == {("a", "u"), ("a", "v"), ("b", None), ("c", None), ("d", None), (None, "z")}


@pytest.mark.parametrize("func_type", ["pandas", "arrow"])
def test_vectorised_functions(tables: nu.Session, func_type: str) -> None:
    import pyarrow.compute as pc

    def equal(a: Any, b: Any) -> Any:
        return a == b if func_type == "pandas" else pc.equal(a, b)

    tables.register_function(
        "join_equal", udf(equal, result_type="boolean", func_type=func_type, compile=False)
    )
    query = "SELECT a.s, b.t FROM ja a LEFT JOIN jb b ON a.k = b.k AND @equal(a.x, b.y)"
    found = {tuple(row) for row in tables.sql(ours(query)).collect()}
    assert found == {("a", "u"), ("b", None), ("c", None), ("d", None), (None, None)}


def test_an_aggregate_function_on_top(tables: nu.Session) -> None:
    class Joined(nu.AggregateFunction):
        def create_accumulator(self) -> list[str]:
            return []

        def accumulate(self, accumulator: list[str], x: str | None) -> None:
            accumulator.append(str(x))

        def merge(self, accumulator: list[str], others: list[list[str]]) -> None:
            for other in others:
                accumulator += other

        def get_value(self, accumulator: list[str]) -> str:
            return " ".join(sorted(accumulator))

    tables.register_function("join_all", nu.udaf(Joined(), result_type="string"))
    query = f"SELECT a.k, join_all(b.t), count(*) FROM ja a LEFT JOIN jb b {ON} GROUP BY a.k"
    found = {tuple(row) for row in tables.sql(ours(query)).collect()}
    assert found == {
        (1, "u", 1), (2, "v v", 2), (3, "None", 1), (5, "None", 1), (None, "None", 1),
    }  # fmt: skip
    query = "SELECT join_all(s) FROM ja a WHERE EXISTS (SELECT 1 FROM jb b WHERE @same(a.x, b.y))"
    assert tables.sql(ours(query)).collect()[0][0] == "None a b b d"


def test_parameters_and_tables_by_their_full_names(tables: nu.Session) -> None:
    spark = tables.spark
    spark.sql("CREATE TABLE join_table USING parquet AS SELECT * FROM ja")
    try:
        query = (
            "SELECT default.join_table.k, join_table.s, b.y FROM default.join_table "
            "LEFT JOIN jb b ON join_table.k = b.k AND @same(default.join_table.x, b.y) "
            "AND b.y < :most"
        )
        wanted = spark.sql(built_in(query), {"most": 3}).collect()
        found = tables.sql(ours(query), args={"most": 3})
        assert found.columns == ["k", "s", "y"]
        assert not difference(wanted, found.collect())
    finally:
        spark.sql("DROP TABLE join_table")


def test_fields_of_structs(tables: nu.Session) -> None:
    query = (
        "SELECT a.v.p, v, b.w.q FROM (SELECT struct(k AS p, x AS q) AS v FROM ja) a LEFT JOIN "
        "(SELECT struct(k AS p, y AS q) AS w FROM jb) b ON v.p = b.w.p AND @same(a.v.q, w.q)"
    )
    assert not complaint(tables, query)


def test_a_join_by_equal_keys_stays_one(tables: nu.Session) -> None:
    rows = tables.sql(ours(f"SELECT a.k, b.y FROM ja a LEFT JOIN jb b {ON}"))
    plan = rows._jdf.queryExecution().optimizedPlan().toString()
    assert re.search(r"Join LeftOuter, \(\w+#\d+L? = \w+#\d+L?\)", plan), plan
    # The names come back without a join of their own.
    assert plan.count("Join") == 1


REFUSED = {
    "SELECT *\nFROM ja a FULL JOIN jb b ON @same(a.x, b.y) AND a.k IN (SELECT k FROM jc)": (
        r"line 2, column 29: join_same .* FULL JOIN.*subqueries"
    ),
    "SELECT s, count(*) FROM ja a GROUP BY s HAVING\nEXISTS (SELECT 1 FROM jb b WHERE "
    "@same(max(a.x), b.y))": r"line 2, column 34: join_same .* EXISTS",
    "SELECT *, (SELECT max(c.k) FROM jc c LEFT JOIN jb b ON @same(a.x, b.y)\nAND @same(c.z, b.y)) "
    "FROM ja a": r"line 1, column \d+: join_same .* LEFT JOIN",
}


@pytest.mark.parametrize("query", REFUSED)
def test_what_cannot_be_run_is_refused_by_name(tables: nu.Session, query: str) -> None:
    with pytest.raises(nu.PlanningError, match=f"(?s){REFUSED[query]}"):
        tables.sql(ours(query))
