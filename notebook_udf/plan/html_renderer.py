"""A plan as static HTML: nested lists, readable in a notebook that is not trusted.

No script and no style sheet, so that a sanitiser leaves it whole.
"""

from __future__ import annotations

from notebook_udf.plan.captions import cost_line, figures, heading, shown_metrics
from notebook_udf.plan.plan_model import FunctionCost, Plan, PlanNode
from notebook_udf.plan.text_renderer import sections, visible
from notebook_udf.render.format import seconds
from notebook_udf.render.markup import Child, Element, details, div, li, span, strong, summary, ul
from notebook_udf.render.tables import Table
from notebook_udf.render.theme import (
    BORDER,
    BRAND,
    CODE_FONT,
    NONE,
    POINTED_AT,
    QUIET,
    WARN,
    painted,
)

_INDENTED = "padding-left:1.4em"
_BELOW = "margin-top:8px"


def plan_html(plan: Plan) -> Element:
    """The plan as an HTML fragment."""
    advised = {advice.node for advice in plan.advice}
    return div(
        div(visible(heading(plan)), style=QUIET),
        div(visible(plan.note), style=QUIET) if plan.note else None,
        _chain(plan.root, advised, _longest(plan)),
        [
            div(strong(title), ul(map(li, said), style=("margin:2px 0", _INDENTED)), style=_BELOW)
            for title, said in sections(plan)
        ],
        _before(plan.initial) if plan.initial else None,
        style="font-size:13px;line-height:1.5",
    )


def _before(initial: PlanNode) -> Element:
    head = summary("The plan before it ran", style=(POINTED_AT, QUIET))
    return details(head, _chain(initial, set(), 0.0), style=_BELOW)


def _chain(node: PlanNode, advised: set[int], longest: float) -> Element:
    """A series of operators as one list; the inputs of one that has several, as lists in it."""
    items = []
    while True:
        items.append(_operator(node, advised, longest))
        if len(node.children) != 1:
            break
        (node,) = node.children
    edge = painted("border-left", BORDER, "1px solid")
    below = [
        li(
            _chain(child, advised, longest),
            style=("margin:0 0 4px 14px", edge, "padding-left:10px"),
        )
        for child in node.children
    ]
    return ul(items, below, style="list-style:none;margin:0;padding:0")


def _operator(node: PlanNode, advised: set[int], longest: float) -> Element:
    colour = WARN if node.id in advised else BRAND if node.functions else NONE
    told = figures(node)
    head: list[Child] = [
        span(str(node.id), style=QUIET),
        " ",
        strong(visible(node.name)),
        " ",
        span(visible(node.detail), style=(CODE_FONT, "font-size:12px")),
        [" ", span(f"· {visible(told)}", style=QUIET)] if told else None,
    ]
    inside = _facts(node)
    if inside.rows:
        head = [details(summary(head, style=POINTED_AT), div(inside.html, style=_INDENTED))]
    return li(
        head,
        [_cost(cost, node, longest) for cost in node.costs],
        style=(painted("border-left", colour, "3px solid"), "padding-left:6px"),
    )


def _cost(cost: FunctionCost, node: PlanNode, longest: float) -> Element:
    words = span(visible(cost_line(cost, node)), style=painted("color", BRAND))
    return div(words, _bar(cost.busy, longest), style=_INDENTED)


def _facts(node: PlanNode) -> Table:
    rows = [(visible(name), visible(text)) for name, text in node.facts]
    if node.columns:
        rows.append(("columns", visible(", ".join(node.columns))))
    for use in node.functions:
        words = [use.kind, use.task, use.way, use.call]
        rows.append((visible(use.label), visible("; ".join(word for word in words if word))))
    rows += [(visible(metric.name), visible(metric.text)) for metric in shown_metrics(node)]
    return Table(("", ""), rows)


def _longest(plan: Plan) -> float:
    costs = (cost.busy for node in plan.root.walk() for cost in node.costs)
    return max(costs, default=0.0)


def _bar(value: float, longest: float) -> Element | None:
    if longest <= 0:
        return None
    width = f"width:{round(100 * value / longest)}%"
    return div(
        title=f"{seconds(value)} in Python",
        style=("height:4px", width, "max-width:320px", painted("background", BRAND)),
    )
