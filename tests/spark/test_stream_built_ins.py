"""Spark's own aggregates beside a change column: undone by functions of ours, or refused."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from decimal import ROUND_HALF_UP, Context, Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from pyspark.errors import AnalysisException
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from sample_aggregates import RetractingSum
from streaming import Stream, last, with_conf

import notebook_udf as nu
from notebook_udf import udaf

Values = list[Any]
Model = Callable[[Values], Any]
Rows = list[dict[str, Any]]
Batches = list[list[tuple[Any, ...]]]

TYPES = {
    "k": "string",
    "tiny": "tinyint",
    "small": "smallint",
    "whole": "int",
    "big": "bigint",
    "single": "float",
    "double": "double",
    "narrow": "decimal(5,2)",
    "wide": "decimal(18,6)",
    "widest": "decimal(38,10)",
    "text": "string",
    "op": "string",
}
SCHEMA = ", ".join(f"{name} {kind}" for name, kind in TYPES.items())
PUT = ("+I", "+U", "insert", "update_postimage")
TAKEN = ("-D", "-U", "delete", "update_preimage")

# --- a changelog, and what survives it ------------------------------------------------------

_EXACT = Context(prec=200)


def _decimals(digits: int, scale: int) -> st.SearchStrategy[Decimal]:
    most = 10**digits - 1
    return st.integers(-most, most).map(lambda n: Decimal(n).scaleb(-scale, _EXACT))


_NUMBERS = {
    "tiny": st.integers(-128, 127),
    "small": st.integers(-(2**15), 2**15 - 1),
    "whole": st.integers(-(2**31), 2**31 - 1),
    # A sum of BIGINT is one.
    "big": st.integers(-(2**56), 2**56),
    "single": st.floats(width=32),
    # 1e16 swallows what is added to it, unless sums are exact.
    "double": st.floats() | st.sampled_from([0.1, 1e16, -1e16, 0.0, -0.0]),
    "narrow": _decimals(5, 2),
    "wide": _decimals(18, 6),
    # The mean has four digits more.
    "widest": _decimals(32, 10),
    "text": st.integers(-99, 99).map(str) | st.sampled_from(["0.5", " 1e3 "]),
}
_ROW = st.tuples(st.sampled_from(["a", "b", None]), *(st.none() | n for n in _NUMBERS.values()))


@st.composite
def change_logs(draw: st.DrawFn) -> Batches:
    """Micro-batches of changes; nothing is taken out that was not put in."""
    live: list[tuple[Any, ...]] = []
    batches: Batches = []
    for size in draw(st.lists(st.integers(1, 9), min_size=2, max_size=3)):
        batches.append([])
        for _ in range(size):
            if live and draw(st.booleans()):
                row = live.pop(draw(st.integers(0, len(live) - 1)))
                batches[-1].append((*row, draw(st.sampled_from(TAKEN))))
            else:
                live.append(draw(_ROW))
                batches[-1].append((*live[-1], draw(st.sampled_from(PUT))))
    return batches


def surviving(batches: Batches) -> Rows:
    """The rows that were put in and not taken out."""
    rows: list[tuple[Any, ...]] = []
    for *values, op in (change for batch in batches for change in batch):
        if op in PUT:
            rows.append(tuple(values))
        else:
            # NaN is equal to nothing.
            rows.remove(next(row for row in rows if repr(row) == repr(tuple(values))))
    return [dict(zip(TYPES, row, strict=False)) for row in rows]


# --- the model -------------------------------------------------------------------------------


def total(values: Values) -> Any:
    """The exact sum, as a number of the values' kind."""
    if not values:
        return None
    if isinstance(values[0], int):
        return sum(values)
    if isinstance(values[0], Decimal):
        result = Decimal(0)
        for value in values:
            result = _EXACT.add(result, value)
        return result
    if any(map(math.isnan, values)) or {math.inf, -math.inf} <= set(values):
        return math.nan
    infinite = [value for value in values if math.isinf(value)]
    if infinite:
        return infinite[0]
    exact = sum(map(Fraction, values), Fraction(0))
    try:
        return float(exact)
    except OverflowError:
        return math.inf if exact > 0 else -math.inf


def mean(values: Values, scale: int = 0) -> Any:
    """The exact mean; of decimals with so many digits behind the point."""
    found = total(values)
    if isinstance(found, Decimal):
        divided = _EXACT.divide(found, Decimal(len(values)))
        return divided.quantize(Decimal(1).scaleb(-scale), ROUND_HALF_UP, _EXACT)
    return None if found is None else found / len(values)


def once(values: Values) -> Values:
    """Values without those that are equal, NaN being equal to NaN."""
    return list({str(value + 0): value for value in values}.values())


def calls() -> dict[str, tuple[Column, Callable[[Rows], Any]]]:
    """Calls of built-ins, and what they come to over rows."""

    def of(name: str, model: Callable[..., Any], *more: Any) -> Callable[[Rows], Any]:
        return lambda rows: model([r[name] for r in rows if r[name] is not None], *more)

    great = "whole > 2"
    made: dict[str, tuple[Column, Callable[[Rows], Any]]] = {
        "stars": (F.count("*"), len),
        "ones": (F.count(F.lit(1)), len),
        "stars_written": (F.expr("count(*)"), len),
        "values": (F.count("whole"), of("whole", len)),
        "pairs": (
            F.expr("count(whole, double)"),
            lambda rows: sum(None not in (r["whole"], r["double"]) for r in rows),
        ),
        "kinds": (F.count_distinct("tiny"), of("tiny", lambda v: len(set(v)))),
        "kinds_of_double": (F.countDistinct("double"), of("double", lambda v: len(once(v)))),
        "great": (F.count_if(F.col("whole") > 2), lambda rows: len(_great(rows))),
        "great_of_great": (
            F.expr("count_if(tiny > 2) FILTER (WHERE whole > 2)"),
            lambda rows: sum((r["tiny"] or 0) > 2 for r in _great(rows)),
        ),
        "filtered": (F.expr(f"count(*) FILTER (WHERE {great})"), lambda rows: len(_great(rows))),
        "filtered_values": (
            F.expr(f"count(text) FILTER (WHERE {great}) AS named"),
            lambda rows: of("text", len)(_great(rows)),
        ),
        "next": (
            F.sum(F.col("tiny") + 1).alias("named"),
            of("tiny", lambda v: total([n + 1 for n in v])),
        ),
        "next_text": (F.expr("sum(tiny * 2)"), of("tiny", lambda v: total([n * 2 for n in v]))),
        "mean_too": (F.mean("whole"), of("whole", mean)),
        "mean_written": (F.expr("MEAN(whole)"), of("whole", mean)),
        "sum_once": (F.sum_distinct("tiny"), of("tiny", lambda v: total(list(set(v))))),
        "mean_once": (F.expr("avg(DISTINCT tiny)"), of("tiny", lambda v: mean(list(set(v))))),
        "mean_once_double": (F.expr("avg(DISTINCT double)"), of("double", lambda v: mean(once(v)))),
        "sum_great": (
            F.expr(f"sum(wide) FILTER (WHERE {great})"),
            lambda rows: of("wide", total)(_great(rows)),
        ),
        "mean_great": (
            F.expr(f"avg(wide) FILTER (WHERE {great})"),
            lambda rows: of("wide", mean, 10)(_great(rows)),
        ),
        "nothing": (F.sum(F.lit(None)), lambda rows: None),
        "sum_text": (F.sum("text"), of("text", lambda v: total(list(map(float, v))))),
        "avg_text": (F.avg("text"), of("text", lambda v: mean(list(map(float, v))))),
    }
    for name in _NUMBERS.keys() - {"text"}:
        scale = {"narrow": 6, "wide": 10, "widest": 14}.get(name, 0)
        made[f"sum_{name}"] = F.sum(name), of(name, total)
        made[f"avg_{name}"] = F.avg(name), of(name, mean, scale)
    return made


def _great(rows: Rows) -> Rows:
    return [row for row in rows if row["whole"] is not None and row["whole"] > 2]


# --- tests -----------------------------------------------------------------------------------


def columns_of(frame: DataFrame) -> Sequence[Any]:
    return [(field.name, field.dataType) for field in frame.schema]


@settings(
    max_examples=3,
    # An example is a query of many columns: to look for a smaller one takes minutes.
    phases=[Phase.generate],
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(change_logs())
def test_what_survives_is_answered(
    session: nu.Session, tmp_path_factory: pytest.TempPathFactory, batches: Batches
) -> None:
    stream = Stream(session.spark, tmp_path_factory.mktemp("log"), SCHEMA).put(*batches)
    both = calls()
    asked = {name: call for name, (call, _) in both.items()}
    made = stream.rows.transform(nu.aggregate(by="k", change_column="op", **asked))
    sparks = stream.all_rows.groupBy("k").agg(*(c.alias(name) for name, c in asked.items()))
    assert columns_of(made) == columns_of(sparks)
    found = last(stream.run(made))
    rows = surviving(batches)
    assert set(found) == {(row[0],) for batch in batches for row in batch}
    for (key,), values in found.items():
        kept = [row for row in rows if row["k"] == key]
        for (name, (_, model)), value in zip(both.items(), values, strict=True):
            wanted = model(kept)
            assert value == wanted or repr(value) == repr(wanted), (key, name, kept)
            assert type(value) is type(wanted), (key, name)


CHANGES = [
    [("a", 1, "+I"), ("a", 2, "+I"), ("b", 5, "+I"), ("c", None, "+I")],
    [("a", 2, "-U"), ("a", 3, "+U"), ("b", 7, "insert")],
    [("b", 5, "-D"), ("c", None, "delete"), ("a", 3, "+I")],
    [("d", 9, "+I"), ("d", 9, "-D"), ("a", None, "+I")],
]


@pytest.fixture
def stream(session: nu.Session, tmp_path: Path) -> Stream:
    return Stream(session.spark, tmp_path, "k string, v bigint, op string").put(*CHANGES)


def test_what_nothing_is_left_of_is_as_over_no_rows(session: nu.Session, stream: Stream) -> None:
    asked = {"n": F.count("*"), "m": F.count("v"), "total": F.sum("v"), "mean": F.avg("v")}
    made = stream.rows.transform(nu.aggregate(by="k", change_column="op", **asked))
    found = last(stream.run(made))
    assert found[("c",)] == found[("d",)] == (0, 0, None, None)
    nothing = session.spark.range(0).selectExpr("id AS v").agg(*asked.values()).first()
    assert nothing is not None
    assert tuple(nothing) == (0, 0, None, None)


def test_nan_is_known_again_in_a_later_batch(session: nu.Session, tmp_path: Path) -> None:
    nan = math.nan
    stream = Stream(session.spark, tmp_path, "v double, w array<float>, op string")
    stream.put(
        [(nan, [nan], "+I"), (1.0, [], "+I")],
        [(nan, [nan], "+I"), (1.0, [], "-D")],
        [(nan, [nan], "-D")],
    )
    asked = {
        "n": F.countDistinct("v"),
        "m": F.countDistinct("w"),
        "mean": F.expr("avg(DISTINCT v)"),
    }
    made = nu.aggregate(change_column="op", **asked)
    assert repr(last(stream.run(stream.rows.transform(made)), 0)[()]) == "(1, 1, nan)"
    stream.put([(nan, [nan], "-D")])
    assert last(stream.run(stream.rows.transform(made)), 0)[()] == (0, 0, None)


def test_beside_functions_of_ones_own_and_without_keys(session: nu.Session, stream: Stream) -> None:
    total_of = session.register_function("changing", udaf(RetractingSum, result_type="bigint"))
    value = F.coalesce("v", F.lit(0))
    made = nu.aggregate(change_column="op", own=total_of(value), spark=F.sum(value), n=F.count("*"))
    (found,) = last(stream.run(stream.rows.transform(made)), 0).values()
    # a: 1, 3, 3 and NULL; b: 7.
    assert found == (14, 14, 5)


def test_state_is_shown_and_goes_with_the_rows(session: nu.Session, stream: Stream) -> None:
    made = nu.aggregate(by="k", change_column="op", n=F.count("v"), total=F.sum("v"))
    stream.run(stream.rows.transform(made))
    state = session.state(stream.checkpoint).to_dict()
    assert sorted(state) == ["count", "sum"]
    assert sorted(state["count"]) == ["a", "b"]
    assert state["sum"] == {"a": {"rows": 3, "units": 7}, "b": {"rows": 1, "units": 7}}


def test_spark_says_what_is_wrong_with_a_call(session: nu.Session, stream: Stream) -> None:
    wrong = (
        F.sum("nowhere"),
        F.sum(F.col("v") > 1),
        F.expr("count(v) FILTER (WHERE nope)"),
        F.expr("sum(v, v)"),
        F.expr("count()"),
        F.count_if("v"),
    )
    for call in wrong:
        with pytest.raises(AnalysisException):
            stream.rows.transform(nu.aggregate(by="k", change_column="op", x=call))


REFUSED = {
    "max(v)": lambda: F.max("v"),
    "min(v)": lambda: F.min("v"),
    "first(v": lambda: F.first("v"),
    "collect_list(v)": lambda: F.collect_list("v"),
    "stddev(v)": lambda: F.stddev("v"),
    "max(v) FILTER": lambda: F.expr("max(v) FILTER (WHERE v > 1)"),
    "count(DISTINCT *)": lambda: F.expr("count(DISTINCT *)"),
    "sum(INTERVAL '1' DAY)": lambda: F.sum(F.expr("INTERVAL '1' DAY")),
    "sum(v) / count(v)": lambda: F.expr("sum(v) / count(v)"),
    "CAST(count": lambda: F.count("v").cast("int"),
}


@pytest.mark.parametrize("shown", REFUSED)
def test_others_are_refused_by_name(session: nu.Session, stream: Stream, shown: str) -> None:
    with pytest.raises(nu.PlanningError, match="'op' does not go with") as refused:
        stream.rows.transform(
            nu.aggregate(by="k", change_column="op", n=F.count("*"), x=REFUSED[shown]())
        )
    said = str(refused.value).partition(": rows cannot")
    assert f"x={shown}" in said[0]
    assert " n=" not in said[0]
    assert "count, count_if, sum, avg" in said[2]


@pytest.mark.parametrize(
    ("kind", "values", "error"),
    [
        ("bigint", [2**62, 2**62], r"sum returned 9223372036854775808 .*, which BIGINT"),
        ("decimal(38,0)", [Decimal(9 * 10**37)] * 2, r"sum of the values is 18.*DECIMAL\(38,0\)"),
    ],
)
def test_a_sum_beyond_its_type(
    session: nu.Session, tmp_path: Path, kind: str, values: Values, error: str
) -> None:
    stream = Stream(session.spark, tmp_path, f"v {kind}, op string")
    stream.put([(value, "+I") for value in values])
    made = nu.aggregate(change_column="op", total=F.sum("v"))
    with pytest.raises(nu.NotebookUdfError, match=error):
        stream.run(stream.rows.transform(made))


def test_without_ansi_it_is_what_spark_makes_of_it(session: nu.Session, tmp_path: Path) -> None:
    stream = Stream(session.spark, tmp_path, "v bigint, d decimal(38,0), op string")
    stream.put([(2**63 - 1, Decimal(9 * 10**37), "+I"), (2, Decimal(9 * 10**37), "+I")])
    asked = {"a": F.sum("v"), "b": F.sum("d"), "c": F.avg("d"), "e": F.expr("sum('x')")}
    with with_conf(session.spark, {"spark.sql.ansi.enabled": "false"}):
        wanted = stream.all_rows.agg(*asked.values()).first()
        made = stream.rows.transform(nu.aggregate(change_column="op", **asked))
        (found,) = last(stream.run(made), 0).values()
    assert wanted is not None
    assert found == tuple(wanted) == (-(2**63) + 1, None, None, None)


def test_without_a_change_column_they_are_sparks_own(session: nu.Session, stream: Stream) -> None:
    made = stream.rows.transform(nu.aggregate(by="k", n=F.count("v"), most=F.max("v")))
    assert "TransformWithState" not in made._jdf.queryExecution().analyzed().toString()
