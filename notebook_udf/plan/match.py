"""Whether a query that Spark ran was this plan.

An action plans its DataFrame again, so nothing but the plans themselves can tell. They are
compared operator by operator, without Spark's numbers and wrappers. An action may have put limits
in between; anything else that differs makes them two plans.
"""

from __future__ import annotations

import re
from dataclasses import replace

from notebook_udf.plan.operators import ADAPTER, ADAPTIVE, CODEGEN, SHUFFLE_READ, STAGES
from notebook_udf.plan.raw import RawNode

_LIMITS = ("CollectLimit", "LocalLimit", "GlobalLimit")
_NUMBERS = re.compile(r"#\d+L?|\bplan_id=\d+|\[id=#\d+\]|(?<=subquery)#?\d+")


def ran_as(plan: RawNode, other: RawNode) -> RawNode | None:
    """The plan with the metrics of a query that ran it; None if the query is another one."""
    if plan.name in _WRAPPERS or CODEGEN.match(plan.name):
        if len(plan.children) != 1:
            return None
        below = ran_as(plan.children[0], other)
        return None if below is None else replace(plan, metrics=(), children=(below,))
    other = _bare(other)
    same = plan.name == other.name and _text(plan) == _text(other)
    if same and len(plan.children) == len(other.children):
        pairs = zip(plan.children, other.children, strict=True)
        children = [ran_as(a, b) for a, b in pairs]
        if all(child is not None for child in children):
            found = tuple(child for child in children if child is not None)
            return replace(plan, metrics=other.metrics, children=found)
    if other.name in _LIMITS and len(other.children) == 1:
        return ran_as(plan, other.children[0])
    return None


_WRAPPERS = (ADAPTER, ADAPTIVE, SHUFFLE_READ, *STAGES)


def _bare(node: RawNode) -> RawNode:
    while (node.name in _WRAPPERS or CODEGEN.match(node.name)) and len(node.children) == 1:
        node = node.children[0]
    return node


def _text(node: RawNode) -> str:
    return _NUMBERS.sub("", node.text)
