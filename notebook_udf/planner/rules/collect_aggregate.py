"""Collected aggregation: each call becomes an expression over the rows of its group.

Spark collects the rows, and a function makes the value of them. It answers right wherever a
built-in aggregate may stand; it is what a query is planned as where no other rule is for it.
"""

from __future__ import annotations

from collections.abc import Mapping

from sqlglot import exp

from notebook_udf.planner.analysis.aggregate_calls import AggregateCall, find_calls, name_of
from notebook_udf.planner.analysis.output_names import name_projections
from notebook_udf.planner.planning_context import PlanningContext
from notebook_udf.planner.syntax.nodes import call
from notebook_udf.registry import RegisteredFunction
from notebook_udf.specs.aggregate_layout import ARGUMENT_FIELD


class CollectAggregate:
    """Writes calls of aggregate functions as expressions that Spark can run.

    Parameters
    ----------
    aggregates
        The functions, by lower-case name.
    context
        The session's side.
    """

    name = "collect_aggregate"

    def __init__(
        self, aggregates: Mapping[str, RegisteredFunction], context: PlanningContext
    ) -> None:
        self._aggregates = aggregates
        self._context = context

    def everywhere(self, tree: exp.Expression) -> exp.Expression:
        """The tree, with all calls in it written again, in place."""
        for query in (tree, *tree.find_all(exp.Query)):
            if isinstance(query, exp.Select):
                name_projections(query, self._has_call)
        while True:
            calls = self._outermost(tree)
            if not calls:
                return tree
            for found in calls:
                found.node.replace(self.collected(found))

    def calls(self, node: exp.Expression) -> list[AggregateCall]:
        """The calls that belong to a SELECT."""
        return find_calls(node, self._aggregates, self._context.built_in_aggregates())

    def collected(self, found: AggregateCall) -> exp.Expression:
        """A call as an expression over collected rows."""
        rows = call("named_struct", *_fields(found.arguments))
        collected = call("collect_set" if found.distinct else "collect_list", rows)
        if found.condition is not None:
            where = exp.Where(this=found.condition.copy())
            collected = exp.Filter(this=collected, expression=where)
        if found.window is not None:
            window = found.window.copy()
            window.set("this", collected)
            collected = window
        return call(self._context.hidden_name(found.record, "whole"), collected)

    def _has_call(self, node: exp.Expression) -> bool:
        return any(name_of(each) in self._aggregates for each in node.walk())

    def _outermost(self, tree: exp.Expression) -> list[AggregateCall]:
        calls = []
        for node in (tree, *[q for q in tree.find_all(exp.Query) if q is not tree]):
            calls += self.calls(node)
        return list({id(found.node): found for found in calls}.values())


def _fields(arguments: tuple[exp.Expression, ...]) -> list[exp.Expression]:
    if not arguments:
        return [exp.Literal.string("none"), exp.Literal.number(0)]
    fields: list[exp.Expression] = []
    for place, argument in enumerate(arguments):
        fields += [exp.Literal.string(f"{ARGUMENT_FIELD}{place}"), argument.copy()]
    return fields
