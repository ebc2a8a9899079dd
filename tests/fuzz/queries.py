"""Generated queries over Python scalar functions, each beside the same over Spark's own.

``tests/spark/test_differential.py`` does it for aggregate functions.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st

import notebook_udf as nu
from notebook_udf import udf

Draw = Callable[[Any], Any]


def prepare(session: nu.Session) -> None:
    """Registers the functions, their twins and the table."""

    def add(v: int | None) -> int | None:
        return None if v is None else v + 1

    def even(v: int | None) -> bool | None:
        return None if v is None else v % 2 == 0

    def plus(a: int | None, b: int | None) -> int | None:
        return None if a is None or b is None else a + b

    session.register_function("py_add", add)
    session.register_function("py_even", udf(even, compile=False))
    # Without a way around Python.
    session.register_function("py_plus", udf(plus, compile=False, vectorise=False))
    rows = [(n % 3 if n % 7 else None, n - 5 if n % 5 else None) for n in range(20)]
    session.spark.createDataFrame(rows, "k bigint, v bigint").createOrReplaceTempView("fuzzed")


# What Spark has for each function.
_TWINS = {
    "py_add": "({0} + CAST(1 AS BIGINT))",
    "py_even": "({0} % CAST(2 AS BIGINT) = 0)",
    "py_plus": "({0} + {1})",
}
_CALL = re.compile(r"(py_\w+)\(")


def twin(query: str) -> str:
    """The query over Spark's own functions."""
    found = _CALL.search(query)
    if found is None:
        return query
    arguments, depth, end = [""], 1, found.end()
    while depth:
        mark = query[end]
        depth += (mark == "(") - (mark == ")")
        if mark == "," and depth == 1:
            arguments.append("")
        elif depth:
            arguments[-1] += mark
        end += 1
    numbers = (f"CAST({twin(each)} AS BIGINT)" for each in arguments)
    return query[: found.start()] + _TWINS[found[1]].format(*numbers) + twin(query[end:])


def _number(draw: Draw, depth: int) -> str:
    if depth <= 0 or draw(st.integers(0, 2)) == 0:
        return str(draw(st.sampled_from(["q.k", "q.v", "q.v", "3", "-1", "CAST(NULL AS BIGINT)"])))
    inner = [_number(draw, depth - 1) for _ in range(2)]
    form = draw(st.integers(0, 6))
    if form <= 1:
        return f"py_add({inner[0]})"
    if form == 2:
        return f"py_plus({inner[0]}, {inner[1]})"
    if form == 3:
        return f"({inner[0]} + {inner[1]})"
    if form == 4:
        return f"coalesce({inner[0]}, {inner[1]})"
    if form == 5:
        return f"CASE WHEN {_truth(draw, depth - 1)} THEN {inner[0]} ELSE {inner[1]} END"
    return f"CAST({inner[0]} AS BIGINT)"


def _truth(draw: Draw, depth: int) -> str:
    form = draw(st.integers(0, 5))
    number = _number(draw, depth - 1)
    if depth <= 0 or form == 0:
        return f"{number} > {draw(st.integers(-3, 8))}"
    if form == 1:
        return f"py_even({number})"
    if form == 2:
        return f"{number} IS NOT NULL"
    if form == 3:
        return f"NOT ({_truth(draw, depth - 1)})"
    return f"({_truth(draw, depth - 1)} {('AND', 'OR')[form % 2]} {_truth(draw, depth - 1)})"


def _aggregate(draw: Draw) -> str:
    distinct = "DISTINCT " if draw(st.integers(0, 5)) == 0 else ""
    kept = f" FILTER (WHERE {_truth(draw, 1)})" if draw(st.integers(0, 4)) == 0 else ""
    name = draw(st.sampled_from(["sum", "max", "count"]))
    return f"{name}({distinct}{_number(draw, 2)}){kept}"


def _source(draw: Draw, depth: int) -> str:
    form = draw(st.integers(0, 4)) if depth > 0 else 0
    if form <= 2:
        return "fuzzed AS q"
    where = f" WHERE {_truth(draw, 1)}" if draw(st.booleans()) else ""
    inner = f"SELECT {_number(draw, 1)} AS k, {_number(draw, 1)} AS v FROM fuzzed AS q{where}"
    if form == 3:
        return f"({inner}) AS q"
    return f"({inner}) AS q JOIN (SELECT DISTINCT k AS kk FROM fuzzed) ON q.k = kk"


@st.composite
def queries(draw: Draw) -> str:
    """Projections, groups, order and windows over tables, subqueries and joins."""
    source = _source(draw, 1)
    where = f" WHERE {_truth(draw, 2)}" if draw(st.booleans()) else ""
    form = draw(st.integers(0, 3))
    if form == 0:
        return f"SELECT {_number(draw, 3)} AS a, {_truth(draw, 2)} AS b FROM {source}{where}"
    if form == 1:
        having = f" HAVING {_aggregate(draw)} > 0" if draw(st.booleans()) else ""
        key = draw(st.sampled_from(["q.k", "py_add(q.k)", "py_even(q.v)"]))
        columns = f"{key}, {_aggregate(draw)} AS a, {_aggregate(draw)} AS b"
        return f"SELECT {columns} FROM {source}{where} GROUP BY {key}{having}"
    if form == 2:
        order = f"{_number(draw, 2)} DESC, q.k, q.v"
        return f"SELECT {_number(draw, 2)} AS a FROM {source}{where} ORDER BY {order} LIMIT 5"
    over = draw(st.sampled_from(["PARTITION BY q.k", "", "PARTITION BY py_even(q.v)"]))
    columns = f"q.k, q.v, sum({_number(draw, 2)}) OVER ({over}) AS a"
    return f"SELECT {columns} FROM {source}{where}"


def check(session: nu.Session, query: str) -> None:
    """Raises if a query is not answered as over Spark's own functions."""
    answers = [_answer(session, text) for text in (query, twin(query))]
    if answers[0] != answers[1]:
        ours, sparks = (str(answer)[:600] for answer in answers)
        raise AssertionError(f"{query}\nours:    {ours}\nSpark's: {sparks}")


def _answer(session: nu.Session, query: str) -> Any:
    try:
        return sorted(str(tuple(row)) for row in session.sql(query).collect())
    except Exception as error:
        # What Spark refuses, ours refuses: its words differ, its condition does not.
        condition = getattr(error, "getCondition", lambda: None)()
        if condition is None:
            raise
        return condition
