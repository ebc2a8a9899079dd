"""Queries in every form that Spark's grammar has, with a call of ours beside: read as Spark reads
them, kept letter for letter, and answered as Spark answers them."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator
from typing import Any

import pytest
from py4j.protocol import Py4JJavaError
from pyspark.errors import AnalysisException
from sql_corpus import TABLES, Entry, entries

import notebook_udf as nu
from notebook_udf.planner.syntax.dialect import embedded, read, text, written_out
from notebook_udf.planner.syntax.nodes import CacheTable, CreateView

ENTRIES = entries()
OURS = {"sum": "corpus_sum", "inc": "corpus_inc"}
SPARKS = {"sum": "sum", "inc": "corpus_plain_inc"}
# Spark names a column after a Python function in another way than after one in SQL.
NAMES = {"sum": "sum", "inc": "corpus_python_inc"}


class CorpusSum(nu.AggregateFunction):
    """``sum`` of integers, in Python."""

    def create_accumulator(self) -> list[int | None]:
        return [None]

    def accumulate(self, accumulator: list[int | None], value: int | None) -> None:
        if value is not None:
            accumulator[0] = (accumulator[0] or 0) + value

    def retract(self, accumulator: list[int | None], value: int | None) -> None:
        if value is not None:
            accumulator[0] = (accumulator[0] or 0) - value

    def merge(self, accumulator: list[int | None], others: list[list[int | None]]) -> None:
        for other in others:
            self.accumulate(accumulator, other[0])

    def get_value(self, accumulator: list[int | None]) -> int | None:
        return accumulator[0]


def plus_one(x: int | None) -> int | None:
    """``x + 1``, in Python."""
    return None if x is None else x + 1


@pytest.fixture(scope="module")
def corpus(session: nu.Session) -> Iterator[nu.Session]:
    """The session with the tables and the functions of the corpus."""
    spark = session.spark
    for name, query in TABLES.items():
        spark.sql(query).createOrReplaceTempView(name)
    declared = nu.udaf(CorpusSum(), result_type="BIGINT", accumulator_type="ARRAY<BIGINT>")
    session.register_function("corpus_sum", declared)
    session.register_function("corpus_inc", plus_one, result_type="BIGINT", compile=False)
    spark.sql(
        "CREATE OR REPLACE TEMPORARY FUNCTION corpus_plain_inc(x BIGINT) RETURNS BIGINT "
        "RETURN x + 1"
    )
    spark.udf.register("corpus_python_inc", plus_one, "BIGINT")
    yield session
    spark.sql("DROP TEMPORARY FUNCTION corpus_plain_inc")
    spark.sql("DROP TEMPORARY FUNCTION corpus_python_inc")
    for name in TABLES:
        spark.catalog.dropTempView(name)


def plan_of(session: nu.Session, query: str) -> str:
    """The plan that Spark's parser reads, with all it knows of it."""
    parser = session.spark._jsparkSession.sessionState().sqlParser()
    plan = parser.parsePlan(query)
    shown = str(plan.treeString(True, False, 2**31 - 1, False, False))
    # Some parts of a plan have no form in JSON.
    with contextlib.suppress(Py4JJavaError):
        shown += str(plan.toJSON())
    seen: dict[str, str] = {}
    # Numbers and addresses, of which each reading has its own.
    numbers = r'"id":\d+,"jvmId":"[^"]*"|#\d+L?|\$\$Lambda[\w/$]*@?\w*|\[B@\w+'
    numbers += r'|posparameter\(\d+\)|(?<="pos":)\d+'
    return re.sub(numbers, lambda match: seen.setdefault(match[0], f"<{len(seen)}>"), shown)


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.name)
def test_it_is_read_as_spark_reads_it(corpus: nu.Session, entry: Entry) -> None:
    query = entry.written(OURS)
    tree = read(query)
    assert text(tree) == query
    inside = tree
    if isinstance(tree, (CreateView, CacheTable)):
        assert tree.query is not None
        inside = tree.query
    assert plan_of(corpus, written_out(inside)) == plan_of(corpus, embedded(inside))


# Spark plans an aggregate function in one of these, and docs/limits.md says that we do not.
REFUSED = {"clauses: FROM first twice": "several SELECTs or INSERTs share"}
ANSWERED = [e for e in ENTRIES if not e.name.startswith("statements") and e.name not in REFUSED]


# Every query is read above.
@pytest.mark.one_in(12)
@pytest.mark.parametrize("entry", ANSWERED, ids=lambda entry: str(entry.name))
def test_it_is_answered_as_spark_answers_it(corpus: nu.Session, entry: Entry) -> None:
    expected = corpus.spark.sql(entry.written(SPARKS))
    found = corpus.sql(entry.written(OURS))
    assert [f.dataType for f in found.schema.fields] == [f.dataType for f in expected.schema.fields]
    names = names_of(corpus, entry)
    assert len(found.columns) == len(expected.columns)
    assert names is None or as_sparks(found.columns) == as_sparks(names)
    ours, sparks = ([shown(row) for row in rows.collect()] for rows in (found, expected))
    if not entry.is_ordered:
        ours, sparks = sorted(ours), sorted(sparks)
    assert ours == sparks


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused_is_refused_with_its_reason(corpus: nu.Session, name: str) -> None:
    (entry,) = (entry for entry in ENTRIES if entry.name == name)
    with pytest.raises(nu.PlanningError, match=REFUSED[name]):
        corpus.sql(entry.written(OURS))


def names_of(corpus: nu.Session, entry: Entry) -> list[str] | None:
    """The names that Spark gives the columns; None where it runs no Python function."""
    try:
        return corpus.spark.sql(entry.written(NAMES)).columns
    except AnalysisException:
        return None


def as_sparks(columns: list[str]) -> list[str]:
    """Names with Spark's functions in the place of all their twins."""
    twins = r"corpus_(?:(sum)|(?:plain_|python_)?(inc))(?=\()"
    return [re.sub(twins, lambda match: match[1] or match[2], name) for name in columns]


def shown(value: Any) -> str:
    """A row as text in which equal rows are equal: maps have no order, NaN equals itself."""
    if isinstance(value, dict):
        return "{" + ", ".join(sorted(f"{shown(k)}: {shown(v)}" for k, v in value.items())) + "}"
    if isinstance(value, (list, tuple)):
        return "(" + ", ".join(map(shown, value)) + ")"
    return repr(value)
