"""A plan as static HTML: nested lists, readable in a notebook that is not trusted.

No script and no style sheet, so that a sanitiser leaves it whole. Every text is escaped.
"""

from __future__ import annotations

from html import escape

from notebook_udf.plan.format import cost_line, figures, heading, seconds, shown_metrics
from notebook_udf.plan.plan_model import FunctionCost, Plan, PlanNode
from notebook_udf.plan.text_renderer import sections, visible
from notebook_udf.tables import html_table
from notebook_udf.theme import BORDER, BRAND, NONE, WARN, painted

_QUIET = "opacity:.72"
_FONT = "font-size:13px;line-height:1.5"
_CODE = "font-family:var(--jp-code-font-family, ui-monospace, Menlo, Consolas, monospace)"
_LIST = "list-style:none;margin:0;padding:0"

# What a page that stands alone needs around it.
PAGE_STYLE = """
:root { color-scheme: light dark; }
body { margin: 2rem; font-family: system-ui, sans-serif; background: #fff; color: #212121;
  --jp-brand-color1: #1976d2; --jp-warn-color1: #e65100; --jp-border-color1: #bdbdbd; }
table { border-collapse: collapse; }
th, td { text-align: left; padding: 0 .8em 0 0; }
@media (prefers-color-scheme: dark) {
  body { background: #111; color: #e0e0e0;
    --jp-brand-color1: #64b5f6; --jp-warn-color1: #ffb74d; --jp-border-color1: #616161; }
}
"""


def plan_html(plan: Plan) -> str:
    """The plan as a fragment of a page."""
    advised = {advice.node for advice in plan.advice}
    notes = f'<div style="{_QUIET}">{_text(plan.note)}</div>' if plan.note else ""
    said = "".join(
        f'<div style="margin-top:8px"><strong>{escape(title)}</strong>'
        f'<ul style="margin:2px 0;padding-left:1.4em">'
        f"{''.join(f'<li>{escape(sentence)}</li>' for sentence in sentences)}</ul></div>"
        for title, sentences in sections(plan)
    )
    initial = ""
    if plan.initial is not None:
        initial = (
            f'<details style="margin-top:8px"><summary style="cursor:pointer;{_QUIET}">'
            f"The plan before it ran</summary>{_chain(plan.initial, set(), 0.0)}</details>"
        )
    return (
        f'<div style="{_FONT}"><div style="{_QUIET}">{_text(heading(plan))}</div>{notes}'
        f"{_chain(plan.root, advised, _longest(plan))}{said}{initial}</div>"
    )


def _chain(node: PlanNode, advised: set[int], longest: float) -> str:
    """A chain of operators as one list; what several feed, as lists in it."""
    items = []
    while True:
        items.append(_operator(node, advised, longest))
        if len(node.children) != 1:
            break
        (node,) = node.children
    below = "".join(
        f'<li style="margin:0 0 4px 14px;{painted("border-left", BORDER, "1px solid")};'
        f'padding-left:10px">'
        f"{_chain(child, advised, longest)}</li>"
        for child in node.children
    )
    return f'<ul style="{_LIST}">{"".join(items)}{below}</ul>'


def _operator(node: PlanNode, advised: set[int], longest: float) -> str:
    colour = WARN if node.id in advised else BRAND if node.functions else NONE
    told = figures(node)
    head = (
        f'<span style="{_QUIET}">{node.id}</span> <strong>{_text(node.name)}</strong> '
        f'<span style="{_CODE};font-size:12px">{_text(node.detail)}</span>'
        + (f' <span style="{_QUIET}">· {_text(told)}</span>' if told else "")
    )
    costs = "".join(_cost(cost, node, longest) for cost in node.costs)
    inside = _details(node)
    if inside:
        head = (
            f'<details><summary style="cursor:pointer">{head}</summary>'
            f'<div style="padding-left:1.4em">{inside}</div></details>'
        )
    edge = painted("border-left", colour, "3px solid")
    return f'<li style="{edge};padding-left:6px">{head}{costs}</li>'


def _cost(cost: FunctionCost, node: PlanNode, longest: float) -> str:
    return (
        f'<div style="padding-left:1.4em"><span style="{painted("color", BRAND)}">'
        f"{_text(cost_line(cost, node))}</span>{_bar(_busy(cost), longest)}</div>"
    )


def _details(node: PlanNode) -> str:
    rows = [(visible(name), visible(text)) for name, text in node.facts]
    if node.columns:
        rows.append(("columns", visible(", ".join(node.columns))))
    for use in node.functions:
        words = [use.kind, use.task, use.way, use.call]
        rows.append((visible(use.label), visible("; ".join(word for word in words if word))))
    rows += [(visible(metric.name), visible(metric.text)) for metric in shown_metrics(node)]
    return html_table(("", ""), rows) if rows else ""


def _longest(plan: Plan) -> float:
    costs = (_busy(cost) for node in plan.root.walk() for cost in node.costs)
    return max(costs, default=0.0)


def _busy(cost: FunctionCost) -> float:
    return cost.user + cost.decode + cost.encode


def _bar(value: float, longest: float) -> str:
    if longest <= 0:
        return ""
    share = round(100 * value / longest)
    return (
        f'<div title="{escape(seconds(value))} in Python" style="height:4px;width:{share}%;'
        f'max-width:320px;{painted("background", BRAND)}"></div>'
    )


def _text(text: str) -> str:
    return escape(visible(text))
