"""The rules in their order, and how a query passes them.

The pipeline copies a query, walks its SELECTs, the inner ones first because an outer one takes
copies of them along, gives each to the rules, and keeps the names of columns. Rules only rewrite;
``scalar_query`` and ``aggregate_query`` ask Spark what it makes of the result.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import partial

from sqlglot import exp

from notebook_udf.planner.analysis.output_names import OutputNames
from notebook_udf.planner.analysis.query_position import filtered_names
from notebook_udf.planner.analysis.scalar_calls import ScalarCalls
from notebook_udf.planner.faults import FORESEEN, attempted, report
from notebook_udf.planner.rule import (
    Applied,
    Choice,
    Outcome,
    QueryRule,
    QueryScope,
    Rule,
    SelectScope,
)
from notebook_udf.planner.rules.common_subexpression import CommonSubexpression
from notebook_udf.planner.rules.expand_group_by import ExpandGroupBy
from notebook_udf.planner.rules.extract_from_aggregate import ExtractFromAggregate
from notebook_udf.planner.rules.lambda_lifting import LambdaLifting
from notebook_udf.planner.rules.materialize_before_sort import (
    MaterializeBeforeSort,
    MaterializeSortedUnion,
)
from notebook_udf.planner.rules.pair_conditions import PairConditions
from notebook_udf.planner.rules.push_down_limit import PushDownLimit
from notebook_udf.planner.rules.short_circuit import ShortCircuit
from notebook_udf.planner.rules.two_phase_aggregate import TwoPhaseAggregate
from notebook_udf.planner.rules.window_aggregate import WindowAggregate

# Joins are taken apart in the whole query before anything else is looked at: the rules behind are
# then for SELECTs that Spark can run.
PAIRS = PairConditions()
# One SELECT passes all of these before the next one does.
SCALAR_RULES: tuple[Rule, ...] = (
    ExpandGroupBy(),
    PushDownLimit(),
    ExtractFromAggregate(),
    CommonSubexpression(),
    ShortCircuit(),
    LambdaLifting(),
    MaterializeBeforeSort(),
)
QUERY_RULES: tuple[QueryRule, ...] = (MaterializeSortedUnion(),)
# The first that is for a SELECT rewrites it; ``collect_aggregate`` stands in for those it is left.
AGGREGATE_RULES: tuple[Rule, ...] = (TwoPhaseAggregate(), WindowAggregate())

RULES: tuple[Rule | QueryRule, ...] = (PAIRS, *SCALAR_RULES, *QUERY_RULES, *AGGREGATE_RULES)


class _Failed(Exception):
    """A rule failed on something that nobody foresaw, maybe half-way through a SELECT."""

    def __init__(self, rule: str) -> None:
        super().__init__(rule)
        self.rule = rule


@dataclass(frozen=True)
class Rewritten:
    """What rules made of a query.

    Attributes
    ----------
    tree
        The query; None where it is to stay as it is.
    applied
        The names of the rules that rewrote something, in order.
    choices
        What they decided, and why others left calls alone.
    """

    tree: exp.Expression | None
    applied: tuple[str, ...] = ()
    choices: tuple[Choice, ...] = ()


def rewrite(
    tree: exp.Expression, calls: ScalarCalls, *, without: Collection[str] = ()
) -> Rewritten:
    """The query as the rules of scalar calls rewrite it; ``without`` leaves some of them out.

    A rule that fails on something that nobody foresaw is logged and left out: there is a form of
    each query without it.

    Raises
    ------
    PlanningError
        For a construct that neither Spark nor this package can run, with its place.
    """
    if isinstance(tree, exp.Command) or not _concerned(tree, calls):
        return Rewritten(None)
    left_out = set(without)
    while True:
        try:
            return _Passage(calls, left_out).of(tree.copy())
        except _Failed as failed:
            report(failed.rule, failed.__cause__)
            left_out.add(failed.rule)


def rewrite_aggregates(scope: SelectScope) -> Outcome:
    """What the rules of aggregate functions make of a SELECT that calls some, in place."""
    outcome: Outcome = None
    for rule in AGGREGATE_RULES:
        found = attempted(rule.name, partial(rule.apply, scope), None)
        if isinstance(found, Applied):
            return found
        outcome = outcome or found
    return outcome


def _concerned(tree: exp.Expression, calls: ScalarCalls) -> bool:
    if any(calls.record(node) for node in tree.walk()):
        return True
    return any(map(calls.aggregated_in_lambda, tree.find_all(exp.Select)))


def _inner_first(tree: exp.Expression) -> list[exp.Select]:
    return list(reversed(list(tree.find_all(exp.Select))))


class _Passage:
    """One query as it goes through the rules."""

    def __init__(self, calls: ScalarCalls, left_out: Collection[str]) -> None:
        self._calls = calls
        self._left_out = left_out
        self._applied: dict[str, None] = {}
        self._choices: dict[Choice, None] = {}

    def of(self, tree: exp.Expression) -> Rewritten:
        """What the rules make of a query, which they change in place."""
        query = QueryScope(tree, self._calls, filtered_names(tree))
        for select in _inner_first(tree):
            self._select(SelectScope(query, select), (PAIRS,))
        for select in _inner_first(tree):
            names = OutputNames(select, self._calls.context)
            if self._select(SelectScope(query, select), SCALAR_RULES):
                names.keep()
        for whole in QUERY_RULES:
            self._outcome(whole.name, partial(whole.apply, query))
        changed = query.tree if self._applied else None
        return Rewritten(changed, tuple(self._applied), tuple(self._choices))

    def _select(self, scope: SelectScope, rules: Sequence[Rule]) -> bool:
        """Gives a SELECT to the rules; whether one has rewritten it."""
        changed = False
        for place, rule in enumerate(rules):
            outcome = self._outcome(rule.name, partial(rule.apply, scope))
            if isinstance(outcome, Applied):
                changed = True
                if outcome.inner is not None:
                    self._select(SelectScope(scope.query, outcome.inner), rules[place + 1 :])
        return changed

    def _outcome(self, rule: str, apply: Callable[[], Outcome]) -> Outcome:
        if rule in self._left_out:
            return None
        try:
            outcome = apply()
        except FORESEEN:
            raise
        except Exception as error:
            raise _Failed(rule) from error
        if outcome is not None:
            self._choices |= dict.fromkeys(outcome.choices)
        if isinstance(outcome, Applied):
            self._applied[rule] = None
        return outcome
