"""``session.plan``: real queries, their operators, what they cost, why they run as they do."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import Window
from pyspark.sql import functions as F
from sample_aggregates import Sum

import notebook_udf as nu
from notebook_udf import AggregateFunction, udaf, udf
from notebook_udf.plan import explained
from notebook_udf.plan.plan_builder import build
from notebook_udf.plan.plan_model import FunctionCost, PlanNode
from notebook_udf.widgets.explorer import PlanExplorer


class Total(AggregateFunction):
    def create_accumulator(self) -> Any:
        return [0]

    def accumulate(self, accumulator: Any, value: Any) -> None:
        accumulator[0] += value or 0

    def get_value(self, accumulator: Any) -> Any:
        return accumulator[0]


class MergingTotal(Total):
    def merge(self, accumulator: Any, accumulators: Any) -> None:
        accumulator[0] += sum(other[0] for other in accumulators)

    def retract(self, accumulator: Any, value: Any) -> None:
        accumulator[0] -= value or 0


@pytest.fixture(scope="module", autouse=True)
def functions(session: nu.Session) -> Iterator[None]:
    for name, made in (("plan_total", MergingTotal()), ("plan_unmerged", Total())):
        declared = udaf(made, input_types=["bigint"], result_type="bigint", compile=False)
        session.register_function(name, declared)
    session.register_function("plan_summed", udaf(Sum(), input_types=["int"], result_type="bigint"))
    session.register_function(
        "plan_next", udf(lambda x: x + 1, result_type="bigint", compile=False)
    )
    session.register_function(
        "plan_text", udf(lambda x: f"{x!r}"[::-1], result_type="string", compile=False)
    )
    session.register_function(
        "plan_drawn", udf(lambda x: x, result_type="bigint", deterministic=False)
    )
    session.spark.udf.register(
        "plan_pickled",
        F.udf(lambda x: x, "bigint", useArrow=False),  # type: ignore[call-overload]
    )
    rows = session.spark.range(0, 1000, 1, 4).selectExpr("id", "id % 7 AS k")
    rows.createOrReplaceTempView("planned")
    yield
    session.spark.catalog.dropTempView("planned")


def nodes(explorer: PlanExplorer) -> list[PlanNode]:
    return explorer.plan.nodes()


def python_nodes(explorer: PlanExplorer) -> list[PlanNode]:
    return [node for node in nodes(explorer) if node.functions]


def costs(explorer: PlanExplorer, name: str) -> list[FunctionCost]:
    return [cost for node in nodes(explorer) for cost in node.costs if cost.name == name]


def advice(explorer: PlanExplorer) -> list[str]:
    return [each.rule for each in explorer.plan.advice]


def strategies(explorer: PlanExplorer) -> dict[str, tuple[str, str]]:
    return {s.call or s.function: (s.form, s.reason) for s in explorer.plan.strategies}


# Reading -----------------------------------------------------------------------------------------


def test_planning_runs_nothing(session: nu.Session, tmp_path: Path) -> None:
    journal = tmp_path / "calls"
    path = str(journal)

    def noted(x: Any) -> Any:
        with open(path, "a") as file:
            file.write("x")
        return x

    session.register_function("plan_noted", udf(noted, result_type="bigint"))
    planned = session.plan("SELECT plan_noted(id) FROM planned")
    assert planned.plan.run is None
    assert "not run" in repr(planned)
    assert [use.label for use in planned.plan.functions] == ["plan_noted v1"]
    assert not journal.exists()


def test_functions_on_their_operators(session: nu.Session) -> None:
    query = "SELECT plan_text(plan_next(id)), upper(plan_text(id)) FROM planned"
    (node,) = python_nodes(session.plan(query))
    assert (node.name, node.kind) == ("ArrowEvalPython", "python")
    found = {use.call: (use.name, use.nested, use.way) for use in node.functions}
    assert found == {
        "plan_text(plan_next(id))": ("plan_text", False, "row by row"),
        "plan_next(id)": ("plan_next", True, "a bundle at a time, as checked Arrow kernels"),
        "plan_text(id)": ("plan_text", False, "row by row"),
    }
    assert {(use.eval_type, use.version, use.kind) for use in node.functions} == {
        (250, 1, "scalar")
    }
    assert node.columns[0] == "id"


def test_versions_are_those_that_were_planned(session: nu.Session) -> None:
    session.register_function("plan_changed", udf(lambda x: x, result_type="bigint"))
    frame = session.sql("SELECT plan_changed(id) FROM planned")
    frame.collect()
    session.register_function("plan_changed", udf(lambda x: -x, result_type="bigint"))
    assert [use.version for use in session.plan(frame).plan.functions] == [1]
    newer = session.plan("SELECT plan_changed(id) FROM planned")
    assert [use.version for use in newer.plan.functions] == [2]
    # The run of the other version is no run of this plan.
    assert newer.plan.run is None


def test_large_functions_travel_apart(session: nu.Session) -> None:
    text = "x" * 1_500_000
    session.register_function("plan_large", udf(lambda x: x + len(text), result_type="bigint"))
    planned = session.plan("SELECT plan_large(id) FROM planned")
    assert [use.label for use in planned.plan.functions] == ["plan_large v1"]


QUERIES = {
    "two phases": "SELECT k, plan_total(id), count(*) FROM planned GROUP BY k",
    "sorted": "SELECT k, plan_unmerged(id) FROM planned GROUP BY k",
    "distinct": "SELECT k, plan_total(DISTINCT id) FROM planned GROUP BY k",
    "window": "SELECT plan_total(id) OVER (PARTITION BY k ORDER BY id ROWS 2 PRECEDING) FROM "
    "planned",
    "cube": "SELECT k, plan_total(id) FILTER (WHERE id > 3) FROM planned GROUP BY CUBE (k, id % 2)",
    "summed": "SELECT k, plan_summed(CAST(id AS INT)) FILTER (WHERE k > 1) FROM planned GROUP BY k",
    "pivot": "SELECT * FROM planned PIVOT (plan_total(id) FOR k IN (1, 2))",
    "guarded": "SELECT CASE WHEN k > 0 THEN plan_next(id) END FROM planned",
    "once": "SELECT plan_next(k) FROM planned WHERE plan_next(k) > 2 ORDER BY plan_next(k)",
    "lambda": "SELECT transform(array(id), x -> plan_next(x)) FROM planned",
    "having": "SELECT k, plan_next(k) FROM planned GROUP BY k HAVING plan_next(k) > 2",
    "join": "SELECT a.id, (SELECT max(plan_next(k)) FROM planned) FROM planned a JOIN planned b "
    "ON a.id = b.id",
    "top": "SELECT k, plan_total(id) AS t FROM planned GROUP BY k ORDER BY t DESC LIMIT 2",
    "cte": "WITH s AS (SELECT k, plan_total(id) t FROM planned GROUP BY k) SELECT a.t FROM s a "
    "JOIN s b ON a.k = b.k",
}


@pytest.mark.parametrize("query", QUERIES.values(), ids=QUERIES)
def test_hidden_names_never_show(session: nu.Session, query: str) -> None:
    frame = session.sql(query)
    for run in (False, True):
        if run:
            frame.collect()
        planned = session.plan(frame)
        assert (planned.plan.run is not None) == run
        # What the planner made of the query is shown as it is, in a place of its own.
        data = {**planned.to_dict(), "origin": None}
        shown = f"{json.dumps(data)}{planned!r}{planned._repr_html_()}"
        assert not re.findall(r"_nu_\w*|[a-z]#\d+|pythonUDF\d|\w+Pass\b", shown)
        assert python_nodes(planned)
        assert max(map(len, repr(planned).splitlines())) <= 80


@pytest.mark.parametrize("run", [False, True])
@pytest.mark.parametrize("query", QUERIES.values(), ids=QUERIES)
def test_spark_s_text_gives_the_same_operators(session: nu.Session, query: str, run: bool) -> None:
    # What a session over Spark Connect has to do with.
    frame = session.sql(query)
    if run:
        frame.collect()
    jvm: Any = session.spark._jvm
    text = jvm.PythonSQLUtils.explainString(frame._jdf.queryExecution(), "formatted")

    def definition(name: str, version: int | None) -> Any:
        return session.functions[name].definition if name in session.functions else None

    found = list(build(explained.read(text), definition, lambda accumulator: None).walk())
    mine = nodes(session.plan(frame))
    # Of a plan that ran, the text leaves some numbers of compiled groups out.
    groups = [None if run else n.codegen for n in mine]
    assert [(n.name, n.kind, n.stage, None if run else n.codegen) for n in found] == [
        (n.name, n.kind, n.stage, group) for n, group in zip(mine, groups, strict=True)
    ]
    plain = [n.id for n in mine if n.kind in ("shuffle", "filter", "sort", "join")]
    hidden = re.compile(r"accumulator|window\d")
    for number in plain:
        if not hidden.search(found[number].detail):
            assert found[number].detail == mine[number].detail


# Runs --------------------------------------------------------------------------------------------


def test_costs_add_up_to_the_rows(session: nu.Session) -> None:
    frame = session.sql("SELECT plan_next(id) FROM planned WHERE k > 2")
    rows = len(frame.collect())
    planned = session.plan(frame)
    assert planned.plan.run is not None
    assert planned.plan.run.state == "done"
    (cost,) = costs(planned, "plan_next")
    assert (cost.rows_in, cost.rows_out) == (rows, rows)
    assert cost.bundles == 4
    (node,) = python_nodes(planned)
    produced = node.metric("number of output rows")
    assert produced is not None
    assert produced.value == rows
    totals = session.metrics(planned.plan.run.query).totals
    assert cost.user == pytest.approx(sum(t.user_ns for t in totals) / 1e9)


def test_phases_have_costs_of_their_own(session: nu.Session) -> None:
    frame = session.sql(QUERIES["two phases"])
    frame.collect()
    planned = session.plan(frame)
    assert planned.plan.adaptive == "final"
    assert planned.plan.initial is not None
    merge, partial = python_nodes(planned)
    assert [use.role for node in (merge, partial) for use in node.functions] == [
        "merge", "partial",
    ]  # fmt: skip
    assert merge.stage > partial.stage
    assert [node.costs[0].rows_in for node in (merge, partial)] == [7, 1000]
    assert all(len(cost.nodes) == 1 for cost in costs(planned, "plan_total"))


def test_a_run_of_the_same_text_counts(session: nu.Session) -> None:
    query = "SELECT plan_text(id) AS written FROM planned WHERE k = 5"
    assert session.plan(query).plan.run is None
    session.sql(query).collect()
    planned = session.plan(query)
    assert planned.plan.run is not None
    assert costs(planned, "plan_text")[0].rows_in == 143
    assert session.plan(f"{query} AND id > 9").plan.run is None


def test_runs_through_other_actions(session: nu.Session, tmp_path: Path) -> None:
    actions = {
        "take": lambda frame: frame.take(2),
        "toPandas": lambda frame: frame.toPandas(),
        "show": lambda frame: frame.show(2),
        "write": lambda frame: frame.write.parquet(str(tmp_path / "rows")),
    }
    for place, (name, act) in enumerate(actions.items()):
        frame = session.sql(f"SELECT plan_next(id) AS y, k FROM planned WHERE id > {place}")
        assert session.plan(frame).plan.run is None, name
        act(frame)
        planned = session.plan(frame)
        assert planned.plan.run is not None, name
        assert costs(planned, "plan_next")[0].rows_in > 0, name


def test_rows_of_another_frame_are_no_run(session: nu.Session) -> None:
    one = session.spark.createDataFrame([(1,), (2,)], "x bigint")
    other = session.spark.createDataFrame([(3,), (4,)], "x bigint")
    doubled = session.functions["plan_next"]
    one.select(doubled("x")).collect()
    assert session.plan(other.select(doubled("x"))).plan.run is None


def test_a_run_that_failed(session: nu.Session) -> None:
    session.register_function("plan_failing", udf(lambda x: 1 // (x - x), result_type="bigint"))
    frame = session.sql("SELECT plan_failing(id) FROM planned")
    with pytest.raises(nu.UserFunctionError):
        frame.collect()
    planned = session.plan(frame)
    assert planned.plan.run is not None
    assert planned.plan.run.state == "failed"
    assert "failed run" in repr(planned)


def test_a_run_that_goes_on(session: nu.Session, tmp_path: Path) -> None:
    gate = str(tmp_path / "gate")

    def waiting(x: Any) -> Any:
        import os
        import time

        while not os.path.exists(gate):
            time.sleep(0.01)
        return x

    session.register_function("plan_waiting", udf(waiting, result_type="bigint"))
    began = threading.Event()
    unsubscribe = session.store.subscribe(
        lambda record: began.set() if "plan_waiting" in str(record) else None
    )
    frame = session.sql("SELECT plan_waiting(id) FROM range(0, 4, 1, 2)")
    thread = threading.Thread(target=frame.collect)
    thread.start()
    try:
        assert began.wait(60)
        planned = session.plan(frame)
        assert planned.plan.run is not None
        assert planned.plan.run.state == "running"
        assert planned.plan.run.seconds is None
    finally:
        Path(gate).touch()
        thread.join(60)
        unsubscribe()
    after = session.plan(frame).plan.run
    assert after is not None
    assert (after.query, after.state) == (planned.plan.run.query, "done")


WINDOWED = "plan_total(id) OVER (PARTITION BY k ORDER BY id ROWS 2 PRECEDING)"
PLANNED = QUERIES | {
    "correlated": "SELECT id, (SELECT plan_total(b.id) FROM planned b WHERE b.k = a.k) FROM "
    "planned a",
    "sets": "SELECT k, plan_unmerged(id) FROM planned GROUP BY ROLLUP (k)",
    "side by side": "SELECT k, plan_total(id), plan_unmerged(k) FROM planned GROUP BY k",
}

# Why ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("query", "call", "form", "reason"),
    [
        ("two phases", "plan_total(id)", "two phases", "it has a merge"),
        ("sorted", "plan_unmerged(id)", "rows shuffled by key and sorted", "it has no merge"),
        ("distinct", "plan_total(DISTINCT id)", "over the rows of each group", "DISTINCT"),
        ("window", WINDOWED, "the frame slides", "it has a retract"),
        (
            "summed",
            "plan_summed(CAST(id AS INT)) FILTER (WHERE k > 1)",
            "added up by Spark",
            "adds",
        ),
        ("pivot", "plan_total(id)", "over the rows of each group", "PIVOT"),
        ("correlated", "plan_total(b.id)", "over the rows of each group", "the query around it"),
        ("sets", "plan_unmerged(id)", "over the rows of each group", "plan_unmerged has no merge"),
        ("side by side", "plan_total(id)", "shuffled by key and sorted", "plan_unmerged in the"),
        ("guarded", "plan_next(id) where k > 0", "for the rows that reach it", "in a branch"),
        ("once", "plan_next(k)", "computed once per row", "several clauses"),
        ("lambda", "plan_next of the elements of a list", "outside the lambda", "refuses"),
    ],
)
def test_forms_and_reasons(
    session: nu.Session, query: str, call: str, form: str, reason: str
) -> None:
    planned = session.plan(PLANNED[query])
    found = {each.lower(): why for each, why in strategies(planned).items()}[call.lower()]
    assert form in found[0]
    assert reason in found[1]
    assert f"because {found[1]}" in " ".join(repr(planned).split())


def test_what_keeps_a_function_in_workers_is_said(session: nu.Session) -> None:
    def told(x: int) -> int:
        shown = x + 1
        print("told", shown)
        return shown

    def several(x: int) -> Iterator[tuple[int]]:
        print("several", x)
        yield (x,)

    session.register_function("plan_told", told)
    session.register_function("plan_several", nu.udtf(several, result_types=["bigint"]))
    kept = "it does not run in Spark's JVM: "
    (found,) = strategies(session.plan("SELECT plan_told(id) FROM planned")).values()
    assert found[0] == "row by row"
    assert re.fullmatch(f"{kept}.*print.* \\(line \\d+\\)", found[1])
    query = "SELECT id, s.* FROM planned, LATERAL plan_several(id) AS s"
    (found,) = strategies(session.plan(query)).values()
    assert re.fullmatch(f"it gives rows; {kept}.*print.* \\(line \\d+\\)", found[1])


ADVISED = {
    "mixed": ("SELECT plan_next(plan_pickled(id)) FROM planned", "several-python-nodes"),
    "expression": ("SELECT plan_next(plan_next(id) * 2) FROM planned", "several-python-nodes"),
    "late": (
        "SELECT * FROM (SELECT id, plan_drawn(id) y FROM planned) WHERE y > 3 AND id < 7",
        "late-condition",
    ),
    "no merge": (QUERIES["sorted"], "all-rows-shuffled"),
    "collected": (QUERIES["distinct"], "collected-groups"),
}
QUIET = {
    "nested": "SELECT plan_text(plan_next(id)) FROM planned WHERE id < 7",
    "early": "SELECT * FROM (SELECT id, plan_next(id) y FROM planned) WHERE y > 3 AND id < 7",
    "merge": QUERIES["two phases"],
    "window": QUERIES["window"],
    "once": QUERIES["once"],
    "summed": QUERIES["summed"],
}


@pytest.mark.parametrize(("query", "rule"), ADVISED.values(), ids=ADVISED)
def test_advice(session: nu.Session, query: str, rule: str) -> None:
    planned = session.plan(query)
    assert rule in advice(planned)
    given = next(each for each in planned.plan.advice if each.rule == rule)
    assert given.node < len(nodes(planned))
    assert given.cost in " ".join(repr(planned).split())


@pytest.mark.parametrize("query", QUIET.values(), ids=QUIET)
def test_no_advice_where_there_is_none_to_give(session: nu.Session, query: str) -> None:
    assert advice(session.plan(query)) == []


def test_advice_on_frames_that_spark_planned_alone(session: nu.Session) -> None:
    twice = session.spark.sql("SELECT plan_text(id) FROM planned WHERE plan_text(id) > '3'")
    assert advice(session.plan(twice)) == ["computed-twice"]
    apart = session.plan(PLANNED["correlated"])
    assert "in a subquery with a plain GROUP BY" in apart.plan.advice[0].remedy
    total = session.functions["plan_total"]
    rows = session.spark.table("planned")
    grouped = rows.groupBy("k").agg(total("id"), F.sum("id"))
    (given,) = session.plan(grouped).plan.advice
    assert "nu.aggregate" in given.remedy
    over = session.plan(rows.select(total("id").over(Window.partitionBy("k"))))
    assert advice(over) == ["collected-groups"]
    assert "session.sql" in over.plan.advice[0].remedy


def test_skew_and_slow_code_show_in_a_run(session: nu.Session) -> None:
    def slow(x: Any) -> Any:
        return sum(value * (x % 3) for value in range(150))

    session.register_function("plan_slow", udf(slow, result_type="bigint"))
    rows = session.spark.range(0, 400_000, 1, 2).selectExpr("id", "if(id < 4, id, 9) AS k")
    frame = rows.repartition(6, "k").selectExpr("plan_slow(id) AS y").agg(F.sum("y"))
    frame.collect()
    found = advice(session.plan(frame))
    assert "skew" in found
    assert "slow-code" in found


# The door ----------------------------------------------------------------------------------------


def test_only_queries_and_frames_have_plans(session: nu.Session) -> None:
    for command in (
        "CREATE OR REPLACE TEMPORARY VIEW plan_made AS SELECT plan_total(id) FROM planned",
        "INSERT INTO planned SELECT 1, 2",
        "WITH c AS (SELECT 1) INSERT INTO planned SELECT 1, 2",
        "DROP VIEW planned",
    ):
        with pytest.raises(nu.PlanningError, match="a command runs when it is planned"):
            session.plan(command)
    assert session.spark.catalog.tableExists("planned")
    assert not session.spark.catalog.tableExists("plan_made")
    with pytest.raises(nu.PlanningError, match="not int"):
        session.plan(3)  # type: ignore[arg-type]
    stream = session.spark.readStream.format("rate").load()
    with pytest.raises(nu.PlanningError, match="each micro-batch"):
        session.plan(stream)


def test_other_people_s_functions_and_cached_rows(session: nu.Session) -> None:
    frame = session.spark.sql("SELECT k, plan_pickled(id) AS y FROM planned").cache()
    try:
        frame.count()
        planned = session.plan(frame.filter("y > 3"))
        (node,) = python_nodes(planned)
        (use,) = node.functions
        assert (use.name, use.version, use.eval_type, use.role) == ("plan_pickled", 0, 100, "")
        assert planned.plan.strategies == ()
    finally:
        frame.unpersist()


def test_origin_of_a_plan(session: nu.Session) -> None:
    query = "SELECT k, plan_total(id) AS t, count(*) FROM planned GROUP BY k"
    origin = session.plan(session.sql(query)).plan.origin
    assert origin.query == query
    (*_, (name, text)) = origin.steps
    assert name == ""
    assert "plan_total" in text
    assert "GROUP BY" in text
    known = {name for name, _ in origin.steps[:-1]}
    assert set(re.findall(r"_nu_rows_\d+", text)) <= known
    assert "Aggregate" in origin.analyzed
    assert "Range" in origin.optimized
    assert "#" not in origin.optimized
    untouched = session.plan("SELECT id FROM planned").plan.origin
    assert untouched.query == "SELECT id FROM planned"
    assert untouched.steps == ()


def test_source_stands_with_its_function(session: nu.Session) -> None:
    def plan_sourced(x: int) -> int:
        return x + 41

    session.register_function("plan_sourced", plan_sourced)
    (use,) = session.plan("SELECT plan_sourced(id) FROM planned").plan.functions
    assert "return x + 41" in use.source


def test_a_plan_is_followed_through_its_run(session: nu.Session, tmp_path: Path) -> None:
    go = tmp_path / "go"

    def plan_waits(x: int) -> int:
        import time

        while not go.exists():
            time.sleep(0.01)
        return x

    session.register_function("plan_waits", plan_waits)
    for _ in range(int(session.spark.conf.get("spark.sql.ui.retainedExecutions") or "")):
        session.spark.range(1).collect()
    frame = session.sql("SELECT k, sum(plan_waits(id)) AS s FROM planned GROUP BY k")
    explorer = session.plan(frame)
    assert explorer.plan.run is None
    assert not explorer.refresh()
    running = threading.Thread(target=frame.collect)
    running.start()
    try:
        while explorer.plan.run is None:
            explorer.refresh()
        assert explorer.plan.run.state == "running"
    finally:
        go.touch()
        running.join()
    while explorer.plan.run is None or explorer.plan.run.state == "running":
        explorer.refresh()
    assert explorer.plan.run.state == "done"
    assert explorer.plan.adaptive == "final"
    (cost,) = {cost for node in explorer.plan.nodes() for cost in node.costs}
    assert cost.rows_in == 1000
    assert not explorer.refresh()
    session.sql("SELECT 1").collect()
    explorer.refresh()
    assert explorer.plan.run.state == "done"


def test_two_plans_side_by_side(session: nu.Session) -> None:
    one = session.plan("SELECT k, plan_next(id) AS n FROM planned WHERE k = 1")
    other = session.plan("SELECT k, plan_next(id) AS n FROM planned WHERE k = 2")
    both = one.compare(other).comparison
    assert not both.equal
    changed = [left.name for left, right, mark in both.lines() if mark == "changed" and left]
    assert "Filter" in changed
    assert one.compare(one).comparison.equal
    limited = session.plan("SELECT k, plan_next(id) AS n FROM planned WHERE k = 1 LIMIT 3")
    marks = limited.compare(one).comparison.marks
    names = {node.id: node.name for node in limited.plan.nodes()}
    added = {names[id] for id, mark in marks[0].items() if mark == "only here"}
    assert added == {"CollectLimit", "LocalLimit"}
    assert "only here" not in marks[1].values()
    assert "CollectLimit" in repr(limited.compare(one))
    assert json.loads(json.dumps(both.to_dict())) == both.to_dict()
    with pytest.raises(nu.NotebookUdfError, match=r"session\.plan"):
        one.compare("SELECT 1")  # type: ignore[arg-type]
