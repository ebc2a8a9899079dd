"""Strategies: how calls are run and why, in words, from the plan and the planner's choices."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

from notebook_udf.functions.base import implements
from notebook_udf.plan.functions import AS_JAVA, AWAITED, KERNELS, Lookup, WhyInWorkers
from notebook_udf.plan.plan_model import FunctionUse, PlanNode, Strategy
from notebook_udf.planner.physical.aggregate_from_sums import sums_of
from notebook_udf.planner.rule import Choice
from notebook_udf.planner.rules.common_subexpression import CommonSubexpression
from notebook_udf.planner.rules.lambda_lifting import LambdaLifting
from notebook_udf.planner.rules.short_circuit import ShortCircuit

COLLECTED = "over the rows of each group, collected by Spark"
_ONCE = "Generate"
# A plan does not have the calls of these as they were written.
_OF_AGGREGATES = ("partial", "window", "whole")
_BY_JAVA = "Java has all that it does, with Python's answers"
# Chosen as those in two phases are.
_IN_SPARK = ("summed", "gathered", "folded")


def strategies_of(
    root: PlanNode, lookup: Lookup, why_in_workers: WhyInWorkers, chosen: Iterable[Choice] = ()
) -> tuple[Strategy, ...]:
    """The strategies of a plan: one for each call and form in it.

    Parameters
    ----------
    why_in_workers
        Says what keeps a function from running in Spark's JVM, which would be faster.
    chosen
        The planner's choices; they have the calls of aggregates as they were written, which a
        plan does not.
    """
    calls: dict[tuple[str, str], list[Choice]] = {}
    reasons: dict[tuple[str, str], str] = {}
    for choice in chosen:
        name = choice.function.lower()
        reasons.setdefault((name, choice.rule), choice.reason)
        if choice.role in _OF_AGGREGATES:
            calls.setdefault((name, choice.role), []).append(choice)
    found: dict[Strategy, None] = {}
    for node in root.walk():
        for use in node.functions:
            form = _FORMS.get(use.role) if use.func_type else None
            if use.way == AS_JAVA:
                form = _IN_JAVA.get(use.role, form)
            if form is None:
                continue
            if not isinstance(form, _Form):
                form = form(root, node, use, lookup)
            name, role = use.name.lower(), "partial" if use.role in _IN_SPARK else use.role
            decided = reasons.get((name, form.rule), "")
            if form.may_be_java:
                form = _with_why(form, why_in_workers(use.name, use.version))
            for each in calls.get((name, role)) or [Choice(use.name, use.call, "scalar", decided)]:
                reason = each.reason or form.reason
                found[Strategy(use.name, each.call, form.words, reason)] = None
    return tuple(found)


class _Form(NamedTuple):
    """How a call runs, why by the plan, the rule whose choice has a better reason, and whether such
    calls run in Spark's JVM where nothing keeps them from it."""

    words: str
    reason: str
    rule: str = ""
    may_be_java: bool = False


def _with_why(form: _Form, why: str) -> _Form:
    """A form with what keeps calls from Spark's JVM, if anything is known to do so."""
    said = f"it does not run in Spark's JVM: {why}" if why else ""
    reason = "; ".join(filter(None, (form.reason, said))) or "its code can be anything"
    return form._replace(reason=reason)


def _scalar(root: PlanNode, node: PlanNode, use: FunctionUse, lookup: Lookup) -> _Form:
    if use.way == AS_JAVA:
        return _Form(use.way, _BY_JAVA)
    if use.nested:
        same = f"{use.way}, in the same Python node as its caller"
        return _Form(same, "both are Arrow functions")
    if any(_computes_once(node, use) for node in root.walk()):
        several = "several clauses of the query use its result"
        return _Form(f"{use.way}, computed once per row", several, CommonSubexpression.name)
    if use.way == KERNELS:
        return _Form(
            use.way,
            "they answer as Python does; rows in which it might raise run row by row",
            may_be_java=True,
        )
    if use.func_type in ("pandas", "arrow", "numba"):
        return _Form(use.way, f'func_type="{use.func_type}"')
    if use.way == AWAITED:
        return _Form(use.way, "it is async")
    return _Form(use.way or "in a Python worker", "", may_be_java=True)


def _computes_once(node: PlanNode, use: FunctionUse) -> bool:
    """Whether a node is the column in which a rule has a call computed once."""
    ours = node.name == _ONCE and "_nu_once" in node.expressions
    return ours and bool(use.call) and use.call in node.detail


def _partial(root: PlanNode, node: PlanNode, use: FunctionUse, lookup: Lookup) -> _Form:
    known = [other.mergeable for other in node.functions]
    if None in known:
        # The definition is gone; rows are sorted first only without a merge.
        known = [not any(child.kind == "sort" for child in node.children)]
    definition = lookup(use.name, use.version)
    # Of similar functions, on other types, Spark adds up the sums.
    adds = definition is not None and sums_of(definition) is not None
    added = ", and Spark's sums of these types would not be Python's" if adds else ""
    if all(known):
        return _Form(
            "two phases: accumulated partition by partition, accumulators shuffled and merged",
            f"it has a merge{added}",
        )
    misread = definition is not None and implements(definition.function, "merge")
    reason = "its merge does not take accumulators" if misread else "it has no merge"
    if use.mergeable:
        others = [other.name for other in node.functions if not other.mergeable]
        reason = f"{', '.join(others)} in the same SELECT has no merge"
    return _Form("rows shuffled by key and sorted, groups accumulated one after the other", reason)


def _whole(root: PlanNode, node: PlanNode, use: FunctionUse, lookup: Lookup) -> _Form:
    collected = [n.detail for n in node.walk() if n.kind in ("aggregate", "window")]
    if use.func_type in ("pandas", "arrow"):
        reason = f'func_type="{use.func_type}" takes a whole group at once'
    elif any("collect_set(" in detail for detail in collected):
        reason = "DISTINCT has to see all rows of a group"
    elif any(n.kind == "window" for n in node.walk()):
        reason = "the window is one of Spark's own, which the rows are collected over"
    else:
        reason = "it is called as a Column, or beside calls that need whole groups"
    return _Form(COLLECTED, reason)


def _window(root: PlanNode, node: PlanNode, use: FunctionUse, lookup: Lookup) -> _Form:
    definition = lookup(use.name, use.version)
    form = "one pass over rows sorted by window"
    if definition is not None and definition.retractable:
        return _Form(f"{form}; the frame slides", "it has a retract")
    return _Form(f"{form}; each frame is accumulated", "it has no retract")


def _table(root: PlanNode, node: PlanNode, use: FunctionUse, lookup: Lookup) -> _Form:
    others = [other.name for other in node.functions if other is not use]
    if others:
        return _Form(
            f"in one pass over the rows with {', '.join(others)}",
            "they follow each other",
            may_be_java=True,
        )
    return _Form(
        "in a pass over the rows, beside which other columns stay in Arrow",
        "it gives rows",
        may_be_java=True,
    )


_LISTED = _Form(f"{AS_JAVA}: Spark takes apart the list of rows that it gives", _BY_JAVA)
_GUARDED = _Form(
    "called for the rows that reach it, and no others",
    "it stands in a branch or behind a condition, where Spark would call it for every row",
    ShortCircuit.name,
)
_LIFTED = _Form(
    "called for the elements of whole lists, outside the lambda",
    "Spark refuses Python functions in lambdas",
    LambdaLifting.name,
)
_SUMMED = _Form(
    "added up by Spark; Python is asked for one value per group",
    "its accumulate only adds up, and Spark's sums of these types are Python's",
)
_GATHERED = _Form(
    "values gathered by Spark; Python is asked for one value per group",
    "its accumulate only puts them into lists or sets, and Spark's are Python's",
)
_SUMMED_IN_JAVA = _Form(
    f"added up by Spark; each group's value {AS_JAVA}",
    "its accumulate only adds up, and Java has all that its get_value does",
)
_GATHERED_IN_JAVA = _Form(
    f"values gathered by Spark; each group's value {AS_JAVA}",
    "its accumulate only puts them into lists or sets, and Java has all that its get_value does",
)
_FOLDED = _Form(
    f"accumulated and merged {AS_JAVA}, each group's value as well",
    "Java has all that its accumulate, merge and get_value do",
)
# Of those in Spark's JVM, where that is no form of its own.
_IN_JAVA = {
    "table": _LISTED, "process": _LISTED,
    "summed": _SUMMED_IN_JAVA, "gathered": _GATHERED_IN_JAVA, "folded": _FOLDED,
}  # fmt: skip
# How calls of each role run, or a function that finds it out from the plan.
_FORMS: dict[str, _Form | Callable[[PlanNode, PlanNode, FunctionUse, Lookup], _Form]] = {
    "scalar": _scalar, "guarded": _GUARDED, "each": _LIFTED, "each2": _LIFTED, "partial": _partial,
    "summed": _SUMMED, "gathered": _GATHERED, "whole": _whole, "window": _window, "table": _table,
}  # fmt: skip
