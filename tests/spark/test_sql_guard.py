"""What stands between a query that was read otherwise than by Spark and a wrong answer."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from pyspark.errors import AnalysisException, ParseException
from sqlglot import exp

import notebook_udf as nu
from notebook_udf.planner.syntax import dialect
from notebook_udf.planner.syntax.queries import Queries
from notebook_udf.planner.syntax.statements import Statements
from notebook_udf.planner.syntax.tokens import Unreadable


class GuardSum(nu.AggregateFunction):
    """``sum`` in Python."""

    def create_accumulator(self) -> list[int]:
        return [0]

    def accumulate(self, accumulator: list[int], value: int | None) -> None:
        accumulator[0] += value or 0

    def merge(self, accumulator: list[int], others: list[list[int]]) -> None:
        for other in others:
            accumulator[0] += other[0]

    def get_value(self, accumulator: list[int]) -> int:
        return accumulator[0]


class GuardSplit(nu.TableFunction):
    """The words of a text."""

    def eval(self, text: str) -> Iterator[str]:
        yield from text.split()


@pytest.fixture(scope="module")
def guarded(session: nu.Session) -> Iterator[nu.Session]:
    session.register_function("guard_sum", nu.udaf(GuardSum(), result_type="BIGINT", compile=False))
    session.register_function("guard_next", lambda x: x + 1, result_type="BIGINT")
    split = nu.udtf(GuardSplit(), result_types="w STRING")
    session.register_function("guard_split", split)
    rows = "SELECT id AS v, id % 3 AS k, concat('a b ', id) AS s FROM range(30)"
    session.spark.sql(rows).createOrReplaceTempView("guard_rows")
    yield session
    session.spark.catalog.dropTempView("guard_rows")


@pytest.fixture
def misreading(monkeypatch: pytest.MonkeyPatch) -> None:
    """A reader with a fault: it takes LIMIT for OFFSET."""
    organise = Queries._organise

    def wrong(self: Queries, node: exp.Expression) -> bool:
        found = organise(self, node)
        limit = node.args.get("limit")
        if limit is not None:
            node.set("limit", None)
            node.set("offset", self.made_up_to(exp.Offset(expression=limit.expression), 0, limit))
        return found

    monkeypatch.setattr(Queries, "_organise", wrong)


@pytest.mark.usefixtures("misreading")
def test_a_misread_query_with_an_aggregate_is_refused_with_its_place(guarded: nu.Session) -> None:
    with pytest.raises(nu.PlanningError) as caught:
        guarded.sql("SELECT k\nFROM (SELECT k, guard_sum(v) FROM guard_rows GROUP BY k LIMIT 2)")
    message = str(caught.value)
    assert message.startswith("line 2, column 7: this is read otherwise here than by Spark")
    assert "GROUP BY k LIMIT 2" in message
    assert "in a view of its own" in message


@pytest.mark.usefixtures("misreading")
@pytest.mark.parametrize(
    "query",
    [
        "SELECT guard_next(v) FROM guard_rows ORDER BY v LIMIT 2",
        "SELECT v, CASE WHEN v > 0 THEN guard_next(v) END FROM guard_rows ORDER BY v LIMIT 2",
        "SELECT w FROM guard_rows, LATERAL guard_split(s) LIMIT 2",
    ],
)
def test_a_misread_query_goes_to_spark_as_it_is_where_spark_can_answer(
    guarded: nu.Session, query: str
) -> None:
    assert guarded.sql(query).count() == 2
    assert not guarded.rewritten[guarded.sql(query)].steps


@pytest.mark.usefixtures("misreading")
def test_a_misread_left_lateral_without_on_is_refused(guarded: nu.Session) -> None:
    with pytest.raises(nu.PlanningError, match="read otherwise here"):
        guarded.sql("SELECT w FROM guard_rows LEFT JOIN LATERAL guard_split(s) LIMIT 2")


@pytest.fixture
def unreadable(monkeypatch: pytest.MonkeyPatch) -> None:
    """A reader that does not know what Spark knows."""

    def refuse(self: Statements) -> exp.Expression:
        raise Unreadable("this is new", 7)

    monkeypatch.setattr(Statements, "whole", refuse)


@pytest.mark.usefixtures("unreadable")
@pytest.mark.parametrize(
    "query",
    [
        "SELECT guard_sum(v) FROM guard_rows",
        "SELECT w FROM guard_rows LEFT JOIN LATERAL guard_split(s)",
        "SELECT w FROM guard_rows LATERAL VIEW guard_split(s) t AS w",
    ],
)
def test_what_spark_would_answer_otherwise_is_refused_if_it_is_not_read(
    guarded: nu.Session, query: str
) -> None:
    with pytest.raises(nu.PlanningError, match=r"line 1, column 8: .*this is new"):
        guarded.sql(query)


@pytest.mark.usefixtures("unreadable")
def test_what_is_no_sql_is_sparks_to_say(guarded: nu.Session) -> None:
    with pytest.raises(ParseException, match="PARSE_SYNTAX_ERROR"):
        guarded.sql("SELECT guard_sum(v FROM guard_rows")
    assert guarded.sql("SELECT guard_next(v) FROM guard_rows").count() == 30


@pytest.mark.parametrize(
    "query",
    [
        "SELECT guard_sum(v) FROM guard_rows",
        "SELECT k, guard_sum(v), sum(v) FROM guard_rows GROUP BY k HAVING guard_sum(v) > 1",
        "SELECT guard_sum(v) OVER (PARTITION BY k ORDER BY v) FROM guard_rows",
        "SELECT guard_next(v) AS n FROM guard_rows WHERE guard_next(v) > 3 ORDER BY n",
        "SELECT w, guard_sum(v) FROM guard_rows, LATERAL guard_split(s) a(w) GROUP BY w",
        "WITH a AS (SELECT k, guard_sum(v) AS s FROM guard_rows GROUP BY k) SELECT * FROM a, a b",
        "SELECT a.v FROM guard_rows a LEFT JOIN guard_rows b ON guard_next(a.v + b.v) = 4",
    ],
)
def test_a_query_is_read_once(
    guarded: nu.Session, monkeypatch: pytest.MonkeyPatch, query: str
) -> None:
    whole, read = Statements.whole, []

    def counted(self: Statements) -> exp.Expression:
        read.append(self.text)
        return whole(self)

    monkeypatch.setattr(Statements, "whole", counted)
    guarded.sql(query)
    assert read == [query]


SHAPES = [
    "SELECT k, guard_sum(v) AS s, count(*) AS n, count(v) FROM guard_rows GROUP BY k",
    "SELECT k, guard_sum(v) FROM guard_rows GROUP BY ROLLUP (k)",
    "SELECT v, k, guard_sum(v) OVER (PARTITION BY k ORDER BY v) FROM guard_rows",
    "SELECT coalesce(guard_sum(v), 0), k + 1 FROM guard_rows GROUP BY k",
    "SELECT *, guard_next(v), CASE WHEN v > 1 THEN guard_next(v) ELSE 0 END FROM guard_rows",
    "SELECT v, w FROM guard_rows, LATERAL guard_split(s) a(w)",
    "SELECT v, w FROM guard_rows LEFT JOIN LATERAL guard_split(s) a(w) ON true",
    "SELECT struct(k) AS t, array_sort(collect_list(v)), guard_sum(v) FROM guard_rows GROUP BY ALL",
]


@pytest.mark.parametrize("query", SHAPES)
def test_columns_hold_null_only_where_those_of_spark_may(guarded: nu.Session, query: str) -> None:
    plain = query.replace("guard_sum(v)", "sum(v)").replace("guard_next(v)", "nullif(v, -1L)")
    spark = guarded.spark.sql(plain).schema.fields
    found = guarded.sql(query)
    assert [f.nullable for f in found.schema.fields] == [f.nullable for f in spark]
    found.collect()


@pytest.mark.parametrize(
    "query",
    [
        "FROM guard_rows SELECT k, guard_sum(v) GROUP BY k SELECT k, sum(v) GROUP BY k",
        "SELECT TRANSFORM(guard_sum(v)) USING 'cat' AS (a) FROM guard_rows",
    ],
)
def test_an_aggregate_in_what_is_kept_as_text_is_refused(guarded: nu.Session, query: str) -> None:
    with pytest.raises(nu.PlanningError, match="line 1, column 1: a Python aggregate function"):
        guarded.sql(query)


def test_what_is_kept_as_text_may_stand_beside_a_call(guarded: nu.Session) -> None:
    query = (
        "SELECT guard_sum(s) FROM (FROM guard_rows SELECT v AS s WHERE k = 0 "
        "SELECT -v AS s WHERE k = 1)"
    )
    assert guarded.sql(query).collect()[0][0] == 135 - 145


def test_two_phases_and_passes_are_not_given_up_for_it(guarded: nu.Session) -> None:
    for query in (SHAPES[0], SHAPES[1], SHAPES[3], SHAPES[7]):
        assert {d.role for d in guarded.rewritten[guarded.sql(query)].choices} == {"partial"}
    assert {d.role for d in guarded.rewritten[guarded.sql(SHAPES[2])].choices} == {"window"}
    for query in (SHAPES[5], SHAPES[6]):
        assert guarded.rewritten[guarded.sql(query)].steps


WRONG = [
    ("SELECT k, guard_sum(v) AS s,\n  nosuch FROM guard_rows GROUP BY k", "line 2 pos 2"),
    ("SELECT k, guard_sum(wrong) FROM guard_rows GROUP BY k", "line 1 pos 20"),
    ("SELECT guard_sum(v), nofunction(k) FROM guard_rows GROUP BY k", "line 1 pos 21"),
    ("SELECT guard_sum(v)\nFROM\n   nowhere", "line 3 pos 3"),
    ("SELECT guard_sum(DISTINCT v), listagg(s, 3, 4) FROM guard_rows", "line 1 pos 30"),
    ("SELECT guard_sum(v) FILTER (WHERE v > 1) + array(1) FROM guard_rows", "line 1 pos 7"),
    ("SELECT k + array(guard_sum(v)) FROM guard_rows GROUP BY k", "line 1 pos 7"),
]


@pytest.mark.parametrize(("query", "place"), WRONG)
def test_an_error_of_sparks_speaks_of_the_typed_query(
    guarded: nu.Session, query: str, place: str
) -> None:
    with pytest.raises(AnalysisException) as caught:
        guarded.sql(query)
    message = str(caught.value)
    assert place in message
    assert "_nu_" not in message
    assert "collect_" not in message


def test_an_error_while_rows_are_computed_names_no_hidden_function(guarded: nu.Session) -> None:
    query = "SELECT 1 / (k - k), guard_sum(v) FROM guard_rows GROUP BY k"
    with pytest.raises(Exception, match="DIVIDE_BY_ZERO") as caught:
        guarded.sql(query).collect()
    assert "_nu_" not in str(caught.value)


def test_the_text_handed_to_spark_is_the_typed_one_around_the_calls(guarded: nu.Session) -> None:
    query = (
        "SELECT  k , /* the sum */ guard_sum( DISTINCT v )  AS s\n"
        "FROM guard_rows -- all of them\n  GROUP BY   k"
    )
    (*_, (_, handed)) = guarded.rewritten[guarded.sql(query)].steps
    before, _, behind = query.partition("guard_sum( DISTINCT v )")
    assert handed.startswith(before)
    assert handed.endswith(behind)
    made = handed[len(before) : -len(behind)]
    assert re.fullmatch(r"_nu_whole_guard_sum_\d+\(collect_set\(named_struct\('a0', v\)\)\)", made)


def test_what_is_used_of_the_grammar_library_holds() -> None:
    """A tree keeps, of each node, where it was read, and knows when it was changed."""
    tree = dialect.read("SELECT f(a), b FROM t WHERE c")
    copy = tree.copy()
    assert copy == tree
    assert hash(copy) == hash(tree)
    first = copy.expressions[0]
    assert first.meta.get("origin") is tree.expressions[0].meta_get("origin")
    first.expressions[0].replace(exp.column("z"))
    assert hash(copy) != hash(tree)
    assert {"from_", "where", "expressions"} <= set(tree.args)
    assert [type(n) for n in tree.walk(bfs=False)][:2] == [exp.Select, exp.Anonymous]
