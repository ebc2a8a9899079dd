"""The reader of SQL without a JVM: texts stay as they were typed, and trees say how they were read.

That Spark reads the same is for ``tests/spark/test_sql_corpus.py``.
"""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import nbformat
import pytest
import sqlglot
from grammar_versions import TRIED
from hypothesis import given
from hypothesis import strategies as st
from sql_corpus import entries
from sqlglot import exp

import notebook_udf as nu
from notebook_udf.planner.syntax.dialect import canonical, embedded, read, text, written_out
from notebook_udf.planner.syntax.nodes import OpaqueQuery, call, cast, origin_of

ROOT = Path(__file__).parents[2]
_QUERY = re.compile(r"\s*(SELECT|WITH|FROM|VALUES|INSERT|CREATE|CACHE|EXPLAIN)\b")
_STRING = re.compile(r'"""(.*?)"""|"((?:[^"\\\n]|\\.)*)"', re.DOTALL)


def written_queries() -> Iterator[tuple[str, str]]:
    """What looks like a query in the tests, the docs and the tutorials."""
    for path in sorted((ROOT / "tests").rglob("*.py")):
        for match in _STRING.finditer(path.read_text("utf-8")):
            yield path.name, match[1] or match[2] or ""
    for path in sorted((ROOT / "docs").rglob("*.md")):
        for block in re.findall(r"```sql\n(.*?)```", path.read_text("utf-8"), re.DOTALL):
            yield path.name, block
    for path in sorted((ROOT / "notebooks").glob("*.ipynb")):
        for cell in nbformat.read(path, as_version=4).cells:
            source = str(cell.source)
            if source.startswith("%%sparksql"):
                yield path.name, source.partition("\n")[2]
            for match in _STRING.finditer(source):
                yield path.name, match[1] or match[2] or ""
    for path in sorted((ROOT / "tests").rglob("*.sql")):
        yield path.name, path.read_text("utf-8")


def queries() -> list[str]:
    found = {query for _, query in written_queries() if _QUERY.match(query)}
    return sorted({*found, *(entry.marked.replace("@", "") for entry in entries())})


def readable(query: str) -> exp.Expression | None:
    try:
        return read(query)
    except nu.PlanningError:
        return None


TREES = {query: tree for query in queries() if (tree := readable(query)) is not None}


def test_most_of_what_looks_like_a_query_is_one() -> None:
    # The others are pieces of queries, and places for names in them.
    assert len(TREES) > 500


def test_what_nobody_changed_is_written_as_it_was_typed() -> None:
    for query, tree in TREES.items():
        assert text(tree) == query
        assert text(tree.copy()) == query


def test_nodes_stand_inside_of_each_other_and_never_overlap() -> None:
    for tree in TREES.values():
        for node in tree.walk():
            origin = origin_of(node)
            if origin is None:
                continue
            place = origin.start
            for hole in sorted(origin.shape.holes(), key=lambda hole: hole.start):
                assert place <= hole.start <= hole.end <= origin.end
                place = hole.end


def test_a_call_in_the_place_of_a_column_changes_nothing_else() -> None:
    for query, tree in TREES.items():
        columns = [c for c in tree.find_all(exp.Column) if not c.is_star and c.args.get("table")]
        for column in columns[:5]:
            origin = origin_of(column)
            if origin is None:
                continue
            made = tree.copy()
            found = next(c for c in made.find_all(exp.Column) if origin_of(c) is origin)
            found.replace(call("f", found.copy()))
            typed = query[origin.start : origin.end]
            assert text(made) == f"{query[: origin.start]}f({typed}){query[origin.end :]}"


def test_what_is_written_out_reads_as_the_same() -> None:
    for query, tree in TREES.items():
        if isinstance(tree, exp.Command) or tree.find(OpaqueQuery) is not None:
            continue
        again = written_out(read(written_out(tree)))
        # Equal texts are read as equal trees, and need not be read a third time.
        assert again == written_out(tree) or again == written_out(read(again)), query


@pytest.mark.parametrize(
    ("query", "shape"),
    [
        ("SELECT a + b * c", "SELECT a + (b * c)"),
        ("SELECT a = b IS NULL", "SELECT (a = b) IS NULL"),
        ("SELECT NOT a = b OR c", "SELECT (NOT (a = b)) OR c"),
        ("SELECT -1 :: int", "SELECT CAST(-1 AS int)"),
        ("SELECT - a :: int", "SELECT -CAST(a AS int)"),
        ("SELECT time '1:00' :: string", "SELECT CAST(time '1:00' AS string)"),
        ("SELECT a >>> 1 >> 2 << 3", "SELECT ((a >>> 1) >> 2) << 3"),
        ("SELECT a > > 1", ""),
        ("SELECT x -> x + 1", "SELECT x -> x + 1"),
        ("SELECT a FROM t UNION SELECT b FROM u INTERSECT SELECT c FROM v",
         "(SELECT a FROM t) UNION ((SELECT b FROM u) INTERSECT (SELECT c FROM v))"),
        ("SELECT 1 FROM a, b JOIN c USING (k)", "SELECT 1 FROM a JOIN b JOIN c USING (k)"),
        ("SELECT a BETWEEN b AND c AND d", "SELECT (a BETWEEN b AND c) AND d"),
        ("SELECT a IS NOT DISTINCT FROM b", "SELECT a IS NOT DISTINCT FROM b"),
        ("SELECT a NOT LIKE 'x' ESCAPE '!'", "SELECT a NOT LIKE 'x' ESCAPE '!'"),
        ("SELECT cast(a AS array<array<int>>) > 1", "SELECT CAST(a AS array<array<int>>) > 1"),
        ("SELECT date, year FROM t limit 1", "SELECT date, year FROM t LIMIT 1"),
        ("SELECT a date FROM t x WHERE x.a > 0", "SELECT a AS date FROM t AS x WHERE x.a > 0"),
        ("FROM t SELECT a WHERE b", "SELECT a FROM t WHERE b"),
        ("SELECT count(*) from from t", "SELECT count(*) AS from FROM t"),
    ],
)  # fmt: skip
def test_precedence_is_sparks(query: str, shape: str) -> None:
    if shape == "":
        with pytest.raises(nu.PlanningError, match="line 1, column 12"):
            read(query)
        return
    assert written_out(read(query)) == shape


def test_generated_text_uses_the_fewest_forms() -> None:
    tree = read("SELECT /* one */ a  ,b FROM t  -- end\n WHERE a IS NOT NULL and b not in (1,2)")
    tree.set("limit", exp.Limit(expression=exp.Literal.number(3)))
    assert text(tree).startswith(
        "SELECT a, b FROM t WHERE a IS NOT NULL and b not in (1,2) LIMIT 3"
    )
    made = exp.Mul(
        this=exp.Add(this=exp.column("a"), expression=exp.column("b")),
        expression=cast(exp.column("c"), "INT"),
    )
    assert embedded(made) == "(a + b) * CAST(c AS INT)"


def test_what_gives_way_to_a_looser_operator_stands_in_parentheses() -> None:
    tree = read("SELECT  a*b ,  c FROM t")
    column = next(c for c in tree.find_all(exp.Column) if c.name == "b")
    column.replace(exp.Add(this=column.copy(), expression=exp.Literal.number(1)))
    assert text(tree) == "SELECT  a*(b + 1) ,  c FROM t"


def test_with_stays_where_it_stands() -> None:
    query = "SELECT * FROM (WITH a AS (SELECT f(x) AS y FROM t) SELECT y FROM a) JOIN a"
    tree = read(query)
    found = next(tree.find_all(exp.Anonymous))
    found.set("this", "g")
    assert text(tree) == query.replace("f(x)", "g(x)")


def test_spellings_of_one_expression_have_one_canonical_text() -> None:
    spellings = ["f( a,b )", "F(a , b)", "f(/* */a, (b))", "`f`(a, `b`)"]
    (one,) = {canonical(read(f"SELECT {s}").expressions[0]) for s in spellings}
    assert one == "f(a, b)"
    assert canonical(read("SELECT f(A)").expressions[0]) != one.replace(", b", "")


def test_more_conditions_in_a_row_than_calls_may_nest_are_read_and_written() -> None:
    count = sys.getrecursionlimit() + 100
    for word in (" OR ", " AND "):
        query = f"SELECT 1 FROM t WHERE {word.join(f'f(a{i})' for i in range(count))}"
        tree = read(query)
        next(tree.find_all(exp.Anonymous)).set("this", "g")
        assert text(tree).count("g(") == 1
        assert written_out(read(query)).count(word) == count - 1


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("SELECT f(a FROM t", "line 1, column 12"),
        ("SELECT\n  f(a) +\n  FROM t WHERE", "line 3"),
        ("SELECT f(a) /* never ends", "this comment does not end"),
        ("SELECT f(a) FROM t ORDER BY", "the end of the query"),
        (f"SELECT {'(' * 3000}f(a){')' * 3000}", "nested too deeply"),
    ],
)
def test_what_cannot_be_read_is_said_with_its_place(query: str, said: str) -> None:
    with pytest.raises(nu.PlanningError, match=said):
        read(query)


def test_double_quotes_are_names_where_spark_takes_them_for_names() -> None:
    (value,) = read('SELECT "a"').expressions
    assert isinstance(value, exp.Literal)
    (name,) = read('SELECT "a"', double_quoted_identifiers=True).expressions
    assert isinstance(name, exp.Column)
    assert name.name == "a"


WORDS = st.lists(
    st.sampled_from(
        [
            "SELECT", "a", "f(", ")", "(", ",", "FROM", "t", "'x'", "1", "+", "--c\n", "/*c*/",
            "*", "WHERE", "AND", "NOT", "CASE", "WHEN", "THEN", "END", "|>", "GROUP BY", ".", "`q`",
            "IN", "OVER", "JOIN", "ON", "UNION", "WITH", "AS", "VALUES", "::", "[", "]", "INTERVAL",
            "DATE",
        ]
    ),
    max_size=14,
)  # fmt: skip


@given(WORDS)
def test_any_words_are_read_as_typed_or_refused(words: list[str]) -> None:
    query = "SELECT " + " ".join(words)
    tree = readable(query)
    if tree is not None:
        assert text(tree) == query
        assert text(readable(written_out(tree)) or tree)


def test_the_versions_of_the_tree_library_are_those_that_were_tried() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    (range_,) = [each for each in project["dependencies"] if each.startswith("sqlglot")]
    oldest, newest = (tuple(map(int, version.split("."))) for version in (TRIED[0], TRIED[-1]))
    assert range_ == f"sqlglot>={oldest[0]},<{newest[0] + 1}"
    assert oldest[1:] == (0, 0)
    installed = tuple(map(int, sqlglot.__version__.split(".")[:3]))
    assert oldest <= installed
    assert installed[0] == newest[0]
