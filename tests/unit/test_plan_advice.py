"""Advice on plans: each rule speaks where it is true, and is silent where it is not."""

from __future__ import annotations

import pytest
from plans import cost, metric, op, plan, python, scan, use

from notebook_udf.plan.advice import advise
from notebook_udf.plan.plan_model import Plan, PlanNode

SPREAD = "total (min, med, max (stageId: taskId))\n"


def rules(given: Plan | PlanNode) -> list[tuple[str, int]]:
    made = given if isinstance(given, Plan) else plan(given)
    return [(advice.rule, advice.node) for advice in advise(made)]


def test_a_plain_plan_needs_no_advice() -> None:
    assert rules(op("Project", "project", python(use()))) == []


@pytest.mark.parametrize(("lower", "found"), [(100, ["several-python-nodes"]), (250, []), (-1, [])])
def test_two_ways_of_feeding_python_are_two_operators(lower: int, found: list[str]) -> None:
    below = python(use("g", eval_type=lower, identity="g(y#2)"))
    between = op("Filter", "filter", below)
    assert [rule for rule, _ in rules(python(use(), below=between))] == found


def test_operators_that_regroup_rows_end_a_row_of_python_operators() -> None:
    below = python(use("g", eval_type=100, identity="g(y#2)"))
    assert rules(python(use(), below=op("Exchange", "shuffle", below))) == []


@pytest.mark.parametrize(
    ("argument", "found"),
    [
        ("g(y#2) + 1", [("several-python-nodes", 0)]),
        # Fused by Spark if nothing else stands between, so something else does.
        ("g(y#2)", []),
        ("z#3", []),
    ],
)
def test_an_expression_between_two_calls(argument: str, found: list[tuple[str, int]]) -> None:
    below = op("Project", "project", python(use("g", identity="g(y#2)")))
    assert rules(python(use(identity=f"f({argument})"), below=below)) == found


def test_a_cheap_condition_after_python() -> None:
    facts = (("condition", "f(x) > 1 AND x < 3"), ("cheap conditions", "x < 3"))
    late = op("Filter", "filter", python(use(deterministic=False)), facts=facts)
    (advice,) = advise(plan(late))
    assert advice.rule == "late-condition"
    assert "x < 3 needs no Python" in advice.cost
    assert "deterministic" in advice.remedy
    grouped = op("HashAggregate", "aggregate", python(use()))
    assert rules(op("Filter", "filter", grouped, facts=facts)) == []
    exploded = op("Generate", "generate", python(use()), expressions="explode(xs#1)")
    assert rules(op("Filter", "filter", exploded, facts=facts)) == []


@pytest.mark.parametrize("mergeable", [True, False])
def test_an_aggregate_without_merge(mergeable: bool) -> None:
    moved = metric("shuffle records written", "sum", "1,000")
    shuffle = op("Exchange", "shuffle", scan(), metrics=(moved,))
    uses = use("total", role="partial", mergeable=mergeable, kind="aggregate", identity="")
    found = advise(plan(op("MapInArrow", "python", shuffle, functions=(uses,))))
    assert [(a.rule, a.node) for a in found] == ([] if mergeable else [("all-rows-shuffled", 1)])
    assert mergeable or "so 1,000 rows went through the shuffle" in found[0].cost


def test_spill() -> None:
    quiet = op("Sort", "sort", scan(), metrics=(metric("spill size", "size", "0.0 B"),))
    assert rules(quiet) == []
    loud = op("Sort", "sort", scan(), metrics=(metric("spill size", "size", "64.0 MiB"),))
    (advice,) = advise(plan(loud))
    assert (advice.rule, "64.0 MiB" in advice.cost) == ("spill", True)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (f"{SPREAD}20.0 MiB (1.0 MiB, 1.5 MiB, 16.0 MiB (stage 3.0: task 7))", True),
        (f"{SPREAD}20.0 MiB (4.0 MiB, 5.0 MiB, 6.0 MiB (stage 3.0: task 7))", False),
        (f"{SPREAD}20.0 KiB (0.0 B, 0.0 B, 20.0 KiB (stage 3.0: task 7))", False),
        ("20.0 MiB", False),
    ],
)
def test_skew(text: str, found: bool) -> None:
    sent = metric("data sent to Python workers", "size", text)
    by = op("Exchange", "shuffle", scan(), facts=(("by", "k"),))
    advice = advise(plan(python(use(), below=by, metrics=(sent,))))
    assert [a.rule for a in advice] == (["skew"] if found else [])
    if found:
        assert "16.0 MiB, 11 times what the middle one got (stage 3.0: task 7)" in advice[0].cost
        assert "by k" in advice[0].remedy


def test_code_that_costs() -> None:
    slow = python(use(), costs=(cost(user=3.0, rows_in=3_000_000),))
    (advice,) = advise(plan(slow))
    assert advice.rule == "slow-code"
    assert "1,000 ns for each of 3,000,000 rows" in advice.cost
    assert rules(python(use(), costs=(cost(user=0.5),))) == []
    assert rules(python(use(way="as Arrow arrays"), costs=(cost(user=3.0),))) == []
    other = python(use("g", identity="g(y#2)"), costs=(cost("g", user=9.0),))
    assert rules(op("Join", "join", slow, other)) == [("slow-code", 3)]


@pytest.mark.parametrize(
    ("eval_type", "decode", "said"),
    [
        (100, 0.1, "row by row: 3,100 ns for each of 1,000,000 rows"),
        (101, 0.1, "row by row"),
        (200, 2.0, "2.0 s of it to make pandas columns"),
        (204, 2.0, "2.0 s of it to make pandas columns"),
        # Its own code is what takes long, or it gets Arrow's columns as they are.
        (200, 0.1, ""),
        (250, 2.0, ""),
    ],
)
def test_functions_of_sparks_own_that_cost(eval_type: int, decode: float, said: str) -> None:
    theirs = use(version=0, role="", way="", kind="", func_type="", eval_type=eval_type)
    took = cost(version=0, user=1.0 if decode > 1 else 3.0, decode=decode, rows_in=1_000_000)
    found = advise(plan(python(theirs, costs=(took,))))
    assert [each.rule for each in found] == (["slow-by-sparks-own"] if said else [])
    if said:
        assert said in found[0].cost
        assert "%udf adopt" in found[0].remedy
    assert rules(python(theirs, costs=(cost(version=0, user=0.5, decode=decode / 10),))) == []


def test_bundles_of_few_rows() -> None:
    handed = {"rows_in": 10_000, "decode": 2.0, "user": 0.5}
    (advice,) = advise(plan(python(use(), costs=(cost(bundles=1_000, **handed),))))
    assert advice.rule == "small-bundles"
    assert "10,000 rows in 1,000 bundles, 10 each" in advice.cost
    assert rules(python(use(), costs=(cost(bundles=10, **handed),))) == []
    own = handed | {"user": 3.0}
    assert "small-bundles" not in str(rules(python(use(), costs=(cost(bundles=1_000, **own),))))


def test_columns_where_values_would_do() -> None:
    pandas = use(func_type="pandas", way="as pandas Series", kernels_if_general=True)
    assert rules(python(pandas)) == [("general-is-faster", 0)]
    assert rules(python(pandas, costs=(cost(user=0.01),))) == []
    assert rules(python(use(func_type="pandas", way="as pandas Series"))) == []


def test_computed_twice() -> None:
    both = op("Union", "union", python(use()), python(use()))
    assert rules(both) == [("computed-twice", 1)]
    assert rules(op("Union", "union", python(use()), python(use(identity="f(x#2)")))) == []
    drawn = python(use(deterministic=False))
    assert rules(op("Union", "union", drawn, drawn)) == []


@pytest.mark.parametrize(
    ("func_type", "below", "said"),
    [
        ("general", op("ObjectHashAggregate", "aggregate", scan(), detail="collect_set(x)"),
         "without DISTINCT"),
        ("general", op("Window", "window", scan()), "Write the window in session.sql"),
        ("general", op("ObjectHashAggregate", "aggregate", scan(), detail="collect_list(x)"),
         "nu.aggregate"),
        ("arrow", op("ObjectHashAggregate", "aggregate", scan()), "AggregateFunction"),
    ],
)  # fmt: skip
def test_collected_groups(func_type: str, below: PlanNode, said: str) -> None:
    whole = use(role="whole", kind="aggregate", func_type=func_type, identity="", call="")
    (advice,) = advise(plan(python(whole, below=below)))
    assert advice.rule == "collected-groups"
    assert said in advice.remedy
