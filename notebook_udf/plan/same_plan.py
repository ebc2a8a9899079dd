"""Recognises that a query that Spark ran had a given plan.

An action plans its DataFrame again, so only the plans themselves can be compared: operator by
operator, without Spark's numbers and wrappers. An action may have added limits in between, or
operators on top that write or print rows; any other difference makes them different plans.
"""

from __future__ import annotations

import re
from dataclasses import replace

from notebook_udf.host.raw_plan import ADAPTIVE, STAGES, RawNode
from notebook_udf.plan.demangle import bracketed
from notebook_udf.plan.spark_operators import ADAPTER, CODEGEN, SHUFFLE_READ

_LIMITS = ("CollectLimit", "LocalLimit", "GlobalLimit")
_PRINTED = "toprettystring("
_PRINT = re.compile(r"toprettystring\((.*), Some\([^()]*\)\) AS (.*)")
_NUMBERS = re.compile(r"#\d+L?|\bplan_id=\d+|\[id=#\d+\]|(?<=subquery)#?\d+")


def ran_as(plan: RawNode, other: RawNode) -> RawNode | None:
    """The plan with the metrics of a query that ran it; None if the query ran another plan."""
    if plan.name in _WRAPPERS or CODEGEN.match(plan.name):
        if len(plan.children) != 1:
            return None
        below = ran_as(plan.children[0], other)
        return None if below is None else replace(plan, metrics=(), children=(below,))
    other = _bare(other)
    same = plan.name == other.name and (
        _items(plan) == _items(other) if plan.name == "Project" else _text(plan) == _text(other)
    )
    if same and len(plan.children) == len(other.children):
        pairs = zip(plan.children, other.children, strict=True)
        children = [ran_as(a, b) for a, b in pairs]
        if all(child is not None for child in children):
            found = tuple(child for child in children if child is not None)
            return replace(plan, metrics=other.metrics, children=found)
    if _adds_nothing(other):
        return ran_as(plan, other.children[0])
    return None


_WRAPPERS = (ADAPTER, ADAPTIVE, SHUFFLE_READ, *STAGES)


def _bare(node: RawNode) -> RawNode:
    while (node.name in _WRAPPERS or CODEGEN.match(node.name)) and len(node.children) == 1:
        node = node.children[0]
    return node


def _adds_nothing(node: RawNode) -> bool:
    """Whether an action can have added the operator: it limits, writes or prints rows."""
    if len(node.children) != 1:
        return False
    writes = node.name.startswith("Execute ") or node.name == "WriteFiles"
    return node.name in _LIMITS or writes or _prints_columns(node)


def _prints_columns(node: RawNode) -> bool:
    """Whether an operator only converts columns to text."""
    if node.name != "Project" or _PRINTED not in node.text:
        return False
    return all(re.fullmatch(r"[\w.`$]+", item) for item in _items(node))


def _items(node: RawNode) -> list[str]:
    """The items of a Project, without the conversion to text for printing."""
    text = _NUMBERS.sub("", node.text.removeprefix("Project").strip())
    items = []
    for item in bracketed(text):
        printed = _PRINT.fullmatch(item)
        if printed is not None:
            value, name = printed.groups()
            item = value if value == name else f"{value} AS {name}"
        items.append(item)
    return items


def _text(node: RawNode) -> str:
    text = _NUMBERS.sub("", node.text)
    if node.children or node.name == "Range":
        return text
    # The text of local rows does not say which rows; only Spark's numbers do. The text of files
    # has their location, unless it was cut.
    says_where = "Location: " in text and "..." not in text
    return text if says_where else node.text
