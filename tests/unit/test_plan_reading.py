"""Reading plans: names, metrics, operators, stages, costs, runs."""

from __future__ import annotations

import pickle
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from plans import op, plan, python, use

from notebook_udf.functions.declare import udf
from notebook_udf.host.raw_plan import RawFunction, RawMetric, RawNode, headers
from notebook_udf.plan.costs import with_costs
from notebook_udf.plan.demangle import PlanNames, bracketed, parts, unwrapped
from notebook_udf.plan.metric_text import read_metric
from notebook_udf.plan.plan_builder import build
from notebook_udf.plan.plan_model import PlanNode
from notebook_udf.plan.same_plan import ran_as
from notebook_udf.plan.spark_operators import conjuncts, read_operator
from notebook_udf.specs.payload import ship
from notebook_udf.telemetry.store.function_sums import FunctionTotals

RANGE = RawNode("Range", "Range (0, 9, step=1, splits=2)")


def raw(text: str, *children: RawNode, **more: Any) -> RawNode:
    return RawNode(more.pop("name", text.partition(" ")[0]), text, children=children, **more)


# Metrics -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "text", "value", "spread"),
    [
        ("sum", "1,000", 1000, None),
        ("size", "2.5 KiB", 2560, None),
        ("timing", "609 ms", 0.609, None),
        ("timing", "1.5 m", 90, None),
        ("size", "total (min, med, max (stageId: taskId))\n4.0 KiB (1.0 KiB, 2.0 KiB, 3.0 KiB "
         "(stage 1.0: task 2))", 4096, (1024, 2048, 3072)),
        ("average", "avg (min, med, max (stageId: taskId)):\n(1, 1.5, 2 (stage 1.0: task 2))",
         1.5, (1, 1.5, 2)),
    ],
)  # fmt: skip
def test_metrics_as_spark_writes_them(
    kind: str, text: str, value: float, spread: tuple[float, ...] | None
) -> None:
    found = read_metric("m", kind, text)
    assert found is not None
    assert found.value == pytest.approx(value)
    if spread is not None:
        assert (found.least, found.median, found.most) == pytest.approx(spread)
        assert found.most_at == "stage 1.0: task 2"


@pytest.mark.parametrize("text", ["", "soon", "12 parsecs", "1 ms (2 ms"])
def test_what_is_no_metric(text: str) -> None:
    assert read_metric("m", "timing", text) is None


# Texts -------------------------------------------------------------------------------------------


def test_lists_are_taken_apart_at_their_own_commas() -> None:
    assert parts("a, f(b, c), [d, e]") == ["a", "f(b, c)", "[d, e]"]
    assert bracketed("[a, f(b, [c])], [d]") == ["a", "f(b, [c])"]
    assert bracketed("(a)") == []
    assert parts("") == []
    assert conjuncts("((a AND (b > 1)) AND f(x AND y))") == ["a", "b > 1", "f(x AND y)"]


def test_parentheses_around_what_stands_alone() -> None:
    assert unwrapped("f((a + b), (c)) AS (d)") == "f(a + b, c) AS (d)"
    assert unwrapped("((a > 1) AND (b))") == "(a > 1) AND (b)"


def test_hidden_names_are_shown_as_what_they_stand_for() -> None:
    inner = raw("Project [(id#5L % 7) AS _nu_key0#21L, v#6 AS _nu_arg0#22]", RANGE)
    header = {"name": "total", "version": 1, "role": "partial", "func_type": "general"}
    passing = raw(
        "MapInArrow PartialPass(_nu_key0#21L, _nu_arg0#22)#23, "
        "[_nu_key0#24L, _nu_passed#25, _nu_acc0#26], false",
        inner,
        functions=(RawFunction("PartialPass(_nu_key0#21L)#23", 207, True, (header,)),),
        output=("_nu_key0#24L", "_nu_passed#25", "_nu_acc0#26"),
    )
    merged = raw(
        "ArrowEvalPython [_nu_merge_total_1(agg#42, named_struct(k, _nu_key0#24L))#37L], "
        "[pythonUDF0#43L], 250",
        passing,
    )
    names = PlanNames(raw("Project [k#39L, pythonUDF0#43L AS total(v)#40L]", merged))
    assert names.shown("_nu_key0#24L") == "id % 7"
    assert names.shown("collect_list(_nu_acc0#26, 0, 0, true)") == "collect_list(total accumulator)"
    assert names.shown("pythonUDF0#43L AS total(v)#40L") == "total(…) AS total(v)"
    assert names.shown("_nu_passed#25 AND _nu_elsewhere7#1") == "passed AND elsewhere7"
    assert names.shown("_nu_whole_my_f_12(x#1)") == "my_f(x)"
    assert names.shown("(c#1 = #12)") == "c = #12"


@given(
    before=st.text(),
    name=st.sampled_from(
        ["_nu_key0", "_nu_whole_f_1(x)", "__pivot_nu_once3", "pythonUDF0", "_nu_"]
    ),
    number=st.integers(0, 10**6),
    after=st.text(),
)
def test_any_text_can_be_shown(before: str, name: str, number: int, after: str) -> None:
    text = f"{before} {name}#{number}L {after}"
    project = raw(f"Project [{text} AS _nu_key0#{number}L]", raw(f"Filter ({text})", RANGE))
    names = PlanNames(project)
    assert not re.search(r"\b_nu_[a-z]", names.shown(text)) or "_nu_" in before + after
    for node in (project, project.children[0], raw(f"Exchange {text}"), raw(f"Window {text}")):
        read_operator(node, names)
    names.identity(text)


def test_conditions_without_python() -> None:
    below = raw("ArrowEvalPython [f(a#1)#9], [pythonUDF0#10], 250", RANGE)
    named = raw("Project [a#1, pythonUDF0#10 AS y#2]", below)
    condition = raw("Filter ((isnotnull(y#2) AND (y#2 > 1)) AND (a#1 < 3))", named)
    assert dict(read_operator(condition, PlanNames(condition)).facts)["cheap conditions"] == "a < 3"
    alone = raw("Filter (a#1 < 3)", named)
    assert "cheap conditions" not in dict(read_operator(alone, PlanNames(alone)).facts)


@pytest.mark.parametrize(
    ("text", "kind", "detail", "facts"),
    [
        ("Exchange hashpartitioning(k#1, 2), ENSURE_REQUIREMENTS, [plan_id=8]", "shuffle",
         "by k, 2 partitions", {"scheme": "hash", "partitions": "2"}),
        ("Exchange SinglePartition, ENSURE_REQUIREMENTS, [plan_id=8]", "shuffle",
         "all rows to one partition, 1 partition", {"scheme": "SinglePartition"}),
        ("SortMergeJoin [a#1], [b#2], LeftOuter, (c#3 > d#4)", "join", "LeftOuter, a = b, c > d",
         {"type": "LeftOuter", "keys": "a = b", "condition": "c > d"}),
        ("BroadcastHashJoin [a#1], [b#2], Inner, BuildRight, false, false", "join",
         "Inner, a = b", {"build": "right"}),
        ("Window [sum(v#1) windowspecdefinition(k#2) AS s#3], [k#2], [o#4 ASC]", "window",
         "sum(v) windowspecdefinition(k) AS s; partition by k; order by o ASC",
         {"partition": "k", "order": "o ASC"}),
        ("HashAggregate(keys=[k#1], functions=[sum(v#2)])", "aggregate", "sum(v) by k",
         {"keys": "k"}),
        ("SomethingNew x#1", "other", "x", {}),
    ],
)  # fmt: skip
def test_operators(text: str, kind: str, detail: str, facts: dict[str, str]) -> None:
    node = raw(text, name=text.partition(" ")[0].partition("(")[0])
    read = read_operator(node, PlanNames(node))
    assert (read.kind, read.detail) == (kind, detail)
    assert facts.items() <= dict(read.facts).items()


# Trees -------------------------------------------------------------------------------------------


def nothing(*_: Any) -> None:
    return None


def test_wrappers_become_properties() -> None:
    written = raw("Exchange hashpartitioning(k#1, 2)", raw("Project [k#1]", RANGE))
    stage = raw("ShuffleQueryStage 0", written)
    rows = RawMetric("number of partitions", "sum", 7)
    read = raw("AQEShuffleRead coalesced", stage, metrics=(rows,))
    group = raw(
        "WholeStageCodegen (2)",
        raw("Filter (k#1 > 1)", raw("InputAdapter", read)),
        name="WholeStageCodegen (2)",
    )
    root = build(raw("AdaptiveSparkPlan isFinalPlan=true", group), nothing, {7: "1"}.get)
    shuffle = root.children[0]
    assert [(n.name, n.codegen, n.stage) for n in root.walk()] == [
        ("Filter", 2, 1), ("Exchange", None, 0), ("Project", None, 0), ("Range", None, 0),
    ]  # fmt: skip
    assert shuffle.fact("reads") == "coalesced"
    assert [m.value for m in shuffle.metrics] == [1]


def test_stages_are_numbered_after_those_they_read() -> None:
    left = raw("Exchange hashpartitioning(a#1, 2)", RANGE)
    right = raw("BroadcastExchange x", raw("Exchange hashpartitioning(b#1, 2)", RANGE))
    root = build(raw("SortMergeJoin [a#1], [b#1], Inner", left, right), nothing, nothing)
    stages = {node.id: node.stage for node in root.walk()}
    for node in root.walk():
        assert all(stages[child.id] <= node.stage for child in node.children)
    assert len(set(stages.values())) == 4


def totals(name: str, rows: int, version: int = 1) -> FunctionTotals:
    return FunctionTotals(
        "1", name, version, tasks=1, bundles=1, rows_in=rows, rows_out=rows, bytes_in=0,
        bytes_out=0, wait_ns=0, decode_ns=0, user_ns=0, encode_ns=0, write_ns=0, errors=0,
        first=0.0, last=1.0,
    )  # fmt: skip


def costs(root: PlanNode) -> list[tuple[int, int, tuple[int, ...]]]:
    return [(n.id, c.rows_in, c.nodes) for n in root.walk() for c in n.costs]


def test_costs_of_stages_in_a_row_are_told_apart() -> None:
    below = op("Exchange", "shuffle", python(use()))
    root = plan(python(use(), below=below, stage=1)).root
    found = with_costs(root, {3: [totals("f", 100)], 8: [totals("f", 5)]})
    assert costs(found) == [(0, 5, (0,)), (2, 100, (2,))]


def test_costs_that_cannot_be_told_apart_are_shared() -> None:
    reads = [python(use(), below=op("Range", "scan", stage=i), stage=i) for i in (0, 1)]
    sides = [op("Exchange", "shuffle", each, stage=each.stage) for each in reads]
    root = plan(op("Join", "join", *sides, stage=2)).root
    found = with_costs(root, {3: [totals("f", 100)], 4: [totals("f", 5)]})
    assert costs(found) == [(2, 105, (2, 5)), (5, 105, (2, 5))]
    other = with_costs(root, {3: [totals("f", 100, version=2), totals("g", 1)]})
    assert costs(other) == []


def test_costs_of_a_function_that_workers_know_by_another_name() -> None:
    root = plan(python(use("registered", version=0), use("g", version=0))).root
    ran = [totals("<lambda>", 100, version=0), totals("g", 9, version=0)]
    assert costs(with_costs(root, {3: ran})) == [(0, 9, (0,)), (0, 100, (0,))]
    (mine,) = (c for c in with_costs(root, {3: ran}).costs if c.rows_in == 100)
    assert (mine.name, mine.version) == ("registered", 0)
    # Of two names left on a side nobody knows which is which.
    two = plan(python(use("registered", version=0), use("h", version=0))).root
    assert costs(with_costs(two, {3: ran})) == []
    assert costs(with_costs(root, {3: [*ran, totals("other", 1, version=0)]})) == [(0, 9, (0,))]
    # A function of the session is known to workers by its name.
    ours = plan(python(use("registered", version=1))).root
    assert costs(with_costs(ours, {3: [totals("<lambda>", 100, version=0)]})) == []


# Runs --------------------------------------------------------------------------------------------


def scanned(number: int, rows: int = 0) -> RawNode:
    metrics = (RawMetric("number of output rows", "sum", rows),)
    return RawNode("Range", f"Range (0, 9, id#{number})", metrics=metrics)


def test_a_run_with_limits_and_other_numbers() -> None:
    mine = raw("Project [a#1 AS b#2]", scanned(1))
    limit = raw("LocalLimit 3", scanned(41, rows=77))
    theirs = raw("CollectLimit 3", raw("Project [a#41 AS b#42]", limit))
    found = ran_as(mine, theirs)
    assert found is not None
    assert found.children[0].metrics[0].id == 77
    assert ran_as(raw("Project [a#1 AS c#2]", scanned(1)), theirs) is None
    assert ran_as(raw("CollectLimit 4", mine), theirs) is None


def test_a_run_that_printed_or_wrote() -> None:
    mine = raw("Project [a#1, f(a#1) AS b#2]", scanned(1))
    printed = "Project [toprettystring(a#1, Some(UTC)) AS a#5, toprettystring(f(a#1), Some(UTC)) "
    assert ran_as(mine, raw("CollectLimit 21", raw(f"{printed}AS b#6]", scanned(1)))) is not None
    command = "Execute InsertIntoHadoopFsRelationCommand"
    written = raw("WriteFiles", raw("Project [a#1, f(a#1) AS b#2]", scanned(1)))
    assert ran_as(mine, raw(command, written, name=command)) is not None


def test_local_rows_are_the_same_only_by_number() -> None:
    mine, theirs = raw("LocalTableScan [a#1]"), raw("LocalTableScan [a#2]")
    assert ran_as(mine, mine) is not None
    assert ran_as(mine, theirs) is None


# Shipped functions -------------------------------------------------------------------------------


def test_headers_are_read_without_unpickling() -> None:
    definition = udf(lambda x: x, result_type="bigint", name="f")
    shipment = ship("f", 3, definition, b"not a pickle", role="guarded")

    class Loud:
        def __reduce__(self) -> Any:
            return pytest.fail, ("unpickled",)

    (header,) = headers(pickle.dumps((Loud(), shipment)))
    assert (header["name"], header["version"], header["role"]) == ("f", 3, "guarded")
    assert headers(b"\x80\x05garbage") == ()
    assert headers(pickle.dumps("text")) == ()
