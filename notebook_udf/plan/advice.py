"""Advice on a plan: what is costly in it and what to do about it, by pure functions of the plan.

Each rule gives advice only where the plan, or the metrics of its run, prove it. A rule takes the
plan and yields advice; ``advise`` runs them all.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator

from notebook_udf.plan.demangle import call_arguments, parts
from notebook_udf.plan.functions import AS_JAVA, ROW_BY_ROW
from notebook_udf.plan.plan_model import (
    Advice,
    FunctionCost,
    FunctionUse,
    Kind,
    Metric,
    Plan,
    PlanNode,
)
from notebook_udf.plan.strategies import COLLECTED
from notebook_udf.render.format import counted, size

# A partition this many times the median one, and at least this large, is reported as skew.
_SKEW = 4.0
_SKEW_BYTES = 1 << 20
# From this share of the time in Python and these seconds on, a function's own code is slow.
_SHARE = 0.5
_SECONDS = 1.0
# From so many bundles on, of fewer than so many rows each, bundles are reported as small.
_BUNDLES = 50
_FEW = 256
# Seconds below which declaring a function again is not worth it.
_SHORT = 0.1
# How Spark feeds functions of its own API (``PythonEvalType``): the values of one row at a time;
# pandas columns, or an iterator of them.
_BY_VALUE, _BY_SERIES = {100, 101}, {200, 204}
# Operators that pass rows on one by one, without a shuffle or a sort.
_THROUGH: tuple[Kind, ...] = ("project", "filter", "generate")


def advise(plan: Plan) -> tuple[Advice, ...]:
    """The advice of all rules, in the order of the operators."""
    found = [advice for rule in RULES for advice in rule(plan)]
    return tuple(sorted(found, key=lambda advice: advice.node))


def several_python_nodes(plan: Plan) -> Iterator[Advice]:
    """Python operators in a row, which could be one."""
    for node in plan.nodes():
        below = _python_below(node)
        if not _evaluates(node) or below is None or not _evaluates(below):
            continue
        upper, lower = _type_of(node), _type_of(below)
        names = _listed([use.name for use in node.functions])
        others = _listed([use.name for use in below.functions])
        if upper != lower and -1 not in (upper, lower):
            yield Advice(
                node.id,
                "several-python-nodes",
                f"Rows go to Python twice in a row, for {others} and then for {names}, because "
                f"Spark feeds them in different ways (types {lower} and {upper}).",
                "Register both with this session: its functions share one Python node.",
            )
        elif _only_projects(node, below) and _uses_results(node, below):
            yield Advice(
                node.id,
                "several-python-nodes",
                f"Rows go to Python twice in a row: what {others} gives passes through an "
                f"expression of Spark's before {names} takes it.",
                "Put that expression into one of the functions: calls that are nested directly "
                "share one Python node.",
            )


def late_condition(plan: Plan) -> Iterator[Advice]:
    """A condition without Python that is evaluated after Python has run."""
    for node in plan.nodes():
        if node.kind != "filter":
            continue
        cheap = node.fact("cheap conditions")
        python = _python_below(node)
        if cheap and python is not None and _evaluates(python) and _rows_kept(node, python):
            names = _listed([use.name for use in python.functions])
            steady = all(use.deterministic is not False for use in python.functions)
            yield Advice(
                node.id,
                "late-condition",
                f"{cheap} needs no Python, and is looked at only after {names} ran on every row.",
                "Filter by it in a subquery below the call."
                if steady
                else f"Filter by it in a subquery below the call, or declare {names} "
                f"deterministic if equal arguments give equal results: Spark then does it.",
            )


def all_rows_shuffled(plan: Plan) -> Iterator[Advice]:
    """An aggregate without merge: every row crosses the network, not one accumulator per group."""
    for node in plan.nodes():
        unmergeable = [u.name for u in node.functions if u.role == "partial" and not u.mergeable]
        shuffle = _first(node, "shuffle")
        if not unmergeable or shuffle is None:
            continue
        moved = shuffle.metric("shuffle records written")
        rows = "every row goes" if moved is None else f"{counted(moved.value, 'row')} went"
        yield Advice(
            shuffle.id,
            "all-rows-shuffled",
            f"{_listed(unmergeable)} has no merge that takes accumulators, so {rows} through "
            f"the shuffle.",
            "Give it merge(self, accumulator, accumulators): each partition then sends one "
            "accumulator per group.",
        )


def spilled(plan: Plan) -> Iterator[Advice]:
    """Rows written to disk because they did not fit into memory."""
    for node in plan.nodes():
        spill = node.metric("spill size")
        if spill is not None and spill.value > 0:
            yield Advice(
                node.id,
                "spill",
                f"{node.name} wrote {spill.text.partition(' (')[0]} to disk, because its rows did "
                f"not fit into memory.",
                "Raise spark.sql.shuffle.partitions so that each task has fewer of them, or give "
                "Spark more memory (spark.driver.memory with a local master).",
            )


def skewed(plan: Plan) -> Iterator[Advice]:
    """One task with far more rows than the others."""
    seen: set[str] = set()
    for node in plan.nodes():
        for name in ("data sent to Python workers", "partition data size"):
            metric = node.metric(name)
            if metric is None or not _is_skewed(metric):
                continue
            stage = metric.most_at.partition(":")[0]
            if stage and stage in seen:
                continue
            seen.add(stage)
            assert metric.most is not None
            assert metric.median is not None
            times = metric.most / metric.median if metric.median else float("inf")
            said = f"{times:,.0f} times" if metric.median else "many times"
            key = next((n.fact("by") for n in node.walk() if n.kind == "shuffle"), "")
            yield Advice(
                node.id,
                "skew",
                f"One task got {size(metric.most)}, {said} what the middle one got"
                f"{f' ({metric.most_at})' if metric.most_at else ''}.",
                f"Rows are spread by {key}: aggregate by a finer key first, or filter out the "
                f"value that is so frequent."
                if key
                else "Spread the rows first: df.repartition(n).",
            )


def slow_code(plan: Plan) -> Iterator[Advice]:
    """A row-by-row function whose own code takes most of the run's time in Python."""
    everything, total = _in_python(plan)
    told: set[tuple[str, int]] = set()
    for node, cost in everything:
        key = (cost.name, cost.version)
        own = [use for use in node.functions if (use.name, use.version) == key]
        by_row = any(use.way == ROW_BY_ROW and use.role == "scalar" for use in own)
        if not by_row or key in told or cost.user < max(_SECONDS, _SHARE * total):
            continue
        told.add(key)
        yield Advice(
            node.id,
            "slow-code",
            f"{cost.name}'s own code took {cost.user:,.1f} s of {total:,.1f} s in Python, row by "
            f"row: {cost.user / max(cost.rows_in, 1) * 1e9:,.0f} ns for each of "
            f"{counted(cost.rows_in, 'row')}.",
            'Where it can work on columns, declare it with func_type="arrow" or "pandas"; '
            f"{cost.name}.explain() says how it runs now.",
        )


def slow_by_sparks_own(plan: Plan) -> Iterator[Advice]:
    """A function of PySpark's own API that takes most of the run's time in Python."""
    everything, total = _in_python(plan)
    told: set[str] = set()
    for node, cost in everything:
        types = {use.eval_type for use in node.functions if use.name == cost.name}
        enough = cost.busy >= max(_SECONDS, _SHARE * total)
        if cost.version or cost.name in told or not enough or len(types) != 1:
            continue
        took = f"{cost.name} took {cost.busy:,.1f} s of {total:,.1f} s in Python"
        converting = cost.decode + cost.encode
        if types <= _BY_VALUE:
            each = cost.busy / max(cost.rows_in, 1) * 1e9
            took += f", row by row: {each:,.0f} ns for each of {counted(cost.rows_in, 'row')}."
        elif types <= _BY_SERIES and converting >= _SHARE * cost.busy:
            took += f", {converting:,.1f} s of it to make pandas columns and to read its results."
        else:
            continue
        told.add(cost.name)
        yield Advice(
            node.id,
            "slow-by-sparks-own",
            took,
            "%udf adopt makes it a function of this session, and %udf bench then measures its "
            "other forms on rows of yours.",
        )


def computed_twice(plan: Plan) -> Iterator[Advice]:
    """A deterministic function called in two operators on the same arguments."""
    places: defaultdict[str, list[tuple[PlanNode, FunctionUse]]] = defaultdict(list)
    for node in plan.nodes():
        for use in node.functions:
            if use.way == AS_JAVA:
                # As of Spark's own functions: session.sql would not change it.
                continue
            if use.identity and use.deterministic and "#" in use.identity:
                places[f"{use.version}{use.identity}"].append((node, use))
    for found in places.values():
        nodes = {node.id for node, _ in found}
        if len(nodes) > 1:
            node, use = found[0]
            first = "Run" if use.role else "Register it with this session and run"
            yield Advice(
                node.id,
                "computed-twice",
                f"{use.call or use.name} is computed {len(nodes)} times for the same rows.",
                f"{first} the query through session.sql, which computes it once per row.",
            )


def collected_groups(plan: Plan) -> Iterator[Advice]:
    """Groups whose rows are all collected in memory before the function is called."""
    for node in plan.nodes():
        for use in node.functions:
            if use.role != "whole":
                continue
            below = [n for n in node.walk() if n.kind in ("aggregate", "window")]
            distinct = any("collect_set(" in n.detail for n in below)
            if use.func_type in ("pandas", "arrow"):
                remedy = (
                    "As an AggregateFunction with accumulate and merge it would be computed "
                    "partition by partition."
                )
            elif distinct:
                remedy = (
                    "Take the distinct rows in a subquery, and aggregate them without DISTINCT."
                )
            elif any(n.kind == "window" for n in below):
                remedy = "Write the window in session.sql, where frames slide."
            elif _through_sql(plan, use):
                remedy = (
                    "Aggregate in a subquery with a plain GROUP BY, which is accumulated partition "
                    "by partition, and join or filter its rows."
                )
            else:
                remedy = (
                    "Aggregate with session.sql or nu.aggregate, which accumulate partition by "
                    "partition where the query allows it."
                )
            yield Advice(
                node.id,
                "collected-groups",
                f"All rows of a group are collected in memory before {use.name} sees them.",
                remedy,
            )


def small_bundles(plan: Plan) -> Iterator[Advice]:
    """Bundles of so few rows that handing them over costs more than the function."""
    told: set[tuple[str, int]] = set()
    for node in plan.nodes():
        for cost in node.costs:
            key = (cost.name, cost.version)
            rows = cost.rows_in / max(cost.bundles, 1)
            handed = cost.decode + cost.encode + cost.waiting
            if key in told or cost.bundles < _BUNDLES or rows >= _FEW or handed < cost.user:
                continue
            told.add(key)
            yield Advice(
                node.id,
                "small-bundles",
                f"{cost.name} got {counted(cost.rows_in, 'row')} in {cost.bundles:,} bundles, "
                f"{rows:,.0f} each: handing them over took {handed:,.1f} s, its own code "
                f"{cost.user:,.1f} s.",
                "Raise bundle_size (spark.sql.execution.arrow.maxRecordsPerBatch), or put small "
                "partitions together: df.coalesce(n).",
            )


def general_is_faster(plan: Plan) -> Iterator[Advice]:
    """A function on whole columns whose code could run as Arrow kernels if it took values."""
    for node in plan.nodes():
        for use in node.functions:
            cost = next((c for c in node.costs if c.name == use.name), None)
            if not use.kernels_if_general or (cost is not None and cost.user < _SHORT):
                continue
            took = f", which took {cost.busy:,.1f} s" if cost is not None else ""
            yield Advice(
                node.id,
                "general-is-faster",
                f"{use.name} gets each bundle as {use.func_type} columns{took}; its code is "
                f"what kernels answer as Python does.",
                'Declared with func_type="general" (a value at a time, types as annotated) it runs '
                "as checked Arrow kernels, without pandas and with Python's own answers.",
            )


RULES: tuple[Callable[[Plan], Iterator[Advice]], ...] = (
    several_python_nodes,
    late_condition,
    all_rows_shuffled,
    spilled,
    skewed,
    slow_code,
    slow_by_sparks_own,
    computed_twice,
    collected_groups,
    small_bundles,
    general_is_faster,
)


def _in_python(plan: Plan) -> tuple[list[tuple[PlanNode, FunctionCost]], float]:
    """What functions cost, each with its operator, and the seconds of all in Python."""
    everything = [(node, cost) for node in plan.nodes() for cost in node.costs]
    return everything, sum(cost.busy / len(cost.nodes) for _, cost in everything)


def _through_sql(plan: Plan, use: FunctionUse) -> bool:
    """Whether session.sql planned the call: then the strategy has the call as it was written."""
    return any(s.function == use.name and s.form == COLLECTED and s.call for s in plan.strategies)


def _evaluates(node: PlanNode) -> bool:
    return node.kind == "python" and node.name.endswith("EvalPython")


def _type_of(node: PlanNode) -> int:
    return node.functions[0].eval_type if node.functions else -1


def _python_below(node: PlanNode) -> PlanNode | None:
    """The next Python operator below, if all those in between pass rows on one by one."""
    while len(node.children) == 1:
        (node,) = node.children
        if node.kind == "python":
            return node
        if node.kind not in _THROUGH:
            return None
    return None


def _only_projects(node: PlanNode, below: PlanNode) -> bool:
    while len(node.children) == 1 and node.children[0] is not below:
        (node,) = node.children
        if node.kind != "project":
            return False
    return True


def _uses_results(node: PlanNode, below: PlanNode) -> bool:
    """Whether a call in the upper operator takes an expression over a result of the lower one."""
    results = [use.identity for use in below.functions if use.identity]
    taken = [each for use in node.functions for each in parts(call_arguments(use.identity))]
    return any(result in each and result != each for each in taken for result in results)


def _rows_kept(node: PlanNode, below: PlanNode) -> bool:
    """Whether no operator in between generates rows, which a condition could be about."""
    between = [n for n in node.walk() if n.id < below.id]
    return all(n.kind != "generate" or "_nu_once" in n.expressions for n in between)


def _first(node: PlanNode, kind: str) -> PlanNode | None:
    return next((n for n in node.walk() if n.kind == kind), None)


def _is_skewed(metric: Metric) -> bool:
    return (
        metric.most is not None
        and metric.median is not None
        and metric.most >= _SKEW_BYTES
        and metric.most >= _SKEW * metric.median
    )


def _listed(names: list[str]) -> str:
    *most, last = dict.fromkeys(names) or ("it",)
    return f"{', '.join(most)} and {last}" if most else last
