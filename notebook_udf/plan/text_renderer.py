"""A plan as plain text and as a tree of ``rich``, for terminals.

A series of operators stays in one column, so that deep plans fit; only the inputs of an operator
with several are indented. All text is made visible: no control characters reach a terminal.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from notebook_udf.plan.captions import cost_line, figures, heading
from notebook_udf.plan.compare import PlanComparison
from notebook_udf.plan.plan_model import Plan, PlanNode
from notebook_udf.render.tables import Table
from notebook_udf.sanitize import one_line

if TYPE_CHECKING:
    from rich.tree import Tree

WIDTH = 80
LONGEST = 400


def plan_text(plan: Plan, width: int = WIDTH) -> str:
    """The plan in lines of at most ``width`` characters."""
    lines = [heading(plan), *_notes(plan), ""]
    lines += _tree(plan.root, "", "")
    for title, sentences in sections(plan):
        lines += ["", title]
        for sentence in sentences:
            lines += _wrapped(sentence, width)
    return "\n".join(_cut(line, width) for line in lines)


def sections(plan: Plan) -> list[tuple[str, list[str]]]:
    """The sections below the tree: titles and sentences."""
    alike: dict[tuple[str, str], list[str]] = {}
    for s in plan.strategies:
        alike.setdefault((s.form, s.reason), []).append(s.call or s.function)
    strategies = [
        f"{', '.join(dict.fromkeys(calls))}: {form}, because {reason}"
        for (form, reason), calls in alike.items()
    ]
    advice = [f"operator {a.node}: {a.cost} {a.remedy}" for a in plan.advice]
    found = [("How the functions run", strategies), ("Advice", advice)]
    return [(title, [visible(s) for s in sentences]) for title, sentences in found if sentences]


def comparison_table(both: PlanComparison) -> Table:
    """The comparison of two plans as a table, with a row for each operator or pair."""
    signs = {"same": "", "changed": "≠", "only here": "+"}

    def cell(node: PlanNode | None) -> str:
        return "" if node is None else visible(f"{node.id} {node.name}  {node.detail}".rstrip())

    rows = [
        (cell(left), "–" if right is None else signs[mark], cell(right))
        for left, right, mark in both.lines()
    ]
    return Table((heading(both.left), "", heading(both.right)), rows)


def visible(text: str) -> str:
    """A text of the plan in one line, without control characters."""
    return one_line(text, LONGEST)


def plan_tree(plan: Plan) -> Tree:
    """The plan as a tree of ``rich``."""
    from rich.text import Text
    from rich.tree import Tree

    # As Text, because rich would read square brackets as markup.
    made = Tree(Text("\n".join([heading(plan), *_notes(plan)])), guide_style="dim")
    _branch(made, plan.root)
    for title, sentences in sections(plan):
        below = made.add(Text(title, style="bold"))
        for sentence in sentences:
            below.add(Text(sentence))
    return made


def _branch(tree: Tree, node: PlanNode) -> None:
    """Adds a series of operators as siblings; the inputs of one with several, as branches."""
    from rich.text import Text

    while True:
        label = Text(f"{node.id} ", style="dim")
        label.append(visible(node.name), style="bold magenta" if node.functions else "bold")
        label.append(f"  {visible(node.detail)}")
        told = figures(node)
        if told:
            label.append(f"  {told}", style="green")
        for cost in node.costs:
            label.append(f"\n{visible(cost_line(cost, node))}", style="cyan")
        added = tree.add(label)
        if len(node.children) != 1:
            break
        (node,) = node.children
    for child in node.children:
        _branch(added.add(Text("reads", style="dim")), child)


def _notes(plan: Plan) -> list[str]:
    return [visible(plan.note)] if plan.note else []


def _tree(node: PlanNode, first: str, rest: str) -> Iterator[str]:
    while True:
        told = figures(node)
        tail = f" · {told}" if told else ""
        line = f"{first}{node.id:>2} {visible(node.name)}"
        detail = visible(node.detail)
        room = WIDTH - len(line) - len(tail) - 2
        if detail and room > 8:
            line += f"  {_cut(detail, room)}"
        yield line + tail
        branches = len(node.children) > 1
        bar = f"{rest}{'│' if branches else ' '}    "
        for cost in node.costs:
            for part in _wrapped(visible(cost_line(cost, node)), WIDTH - len(bar), indent=2):
                yield bar + part
        first = rest
        if len(node.children) != 1:
            break
        (node,) = node.children
    for place, child in enumerate(node.children):
        last = place == len(node.children) - 1
        yield from _tree(child, rest + ("└─" if last else "├─"), rest + ("  " if last else "│ "))


def _wrapped(text: str, width: int, indent: int = 4) -> list[str]:
    import textwrap

    return textwrap.wrap(
        text, width, initial_indent="  ", subsequent_indent=" " * indent,
        break_on_hyphens=False,
    )  # fmt: skip


def _cut(text: str, width: int) -> str:
    return text if len(text) <= width else text[: max(0, width - 1)] + "…"
