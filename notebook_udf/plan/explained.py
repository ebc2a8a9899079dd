"""Reads a plan from Spark's own text of it, for sessions whose host has no trees.

The text is that of ``EXPLAIN FORMATTED``: a tree of numbered operators, then the details of each.
Functions are recognised by the text of their calls; there are no metrics.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from notebook_udf.host.raw_plan import RawFunction, RawNode
from notebook_udf.plan.demangle import bracketed
from notebook_udf.plan.spark_operators import ADAPTER, CODEGEN

_LINE = re.compile(r"^(?P<bars>[\s:|+-]*)(?:\* )?(?P<name>[A-Z].*?) \((?P<number>\d+)\)(?:, .*)?$")
_HEAD = re.compile(r"^\((\d+)\) (.*?)(?: \[codegen id : (\d+)\])?\s*$")
_FIELD = re.compile(r"^([A-Z][A-Za-z ]*?)(?: \[\d+\])?\s*: (.*)$")
# How a join is done, in its line; its details say it as well.
_WAYS = re.compile(r"(?<=Join) .*")
_SUBQUERY = re.compile(r"^Subquery:\d+ Hosting operator id = (\d+) Hosting Expression = (.*)$")


def read(text: str) -> RawNode:
    """Reads the tree of an explained plan; of one that ran, the final tree."""
    trees, fields = _sections(text)
    hosts: dict[int, list[RawNode]] = {}
    for lines, (host, expression) in trees[1:]:
        made = _node(lines, fields)[0]
        below = RawNode("Subquery", expression, children=(made,))
        hosts.setdefault(host, []).append(below)
    lines = trees[0][0]
    return _hosted(_node(lines, fields)[0], [number for _, _, number in lines], hosts)


_Lines = list[tuple[int, str, int]]
_Fields = dict[int, dict[str, str]]


def _sections(text: str) -> tuple[list[tuple[_Lines, tuple[int, str]]], _Fields]:
    """The trees, each with the operator and the expression it belongs to, and the details."""
    trees: list[tuple[_Lines, tuple[int, str]]] = [([], (0, ""))]
    fields: _Fields = {}
    current: dict[str, str] | None = None
    skipping = False
    for line in text.splitlines():
        subquery = _SUBQUERY.match(line)
        head = _HEAD.match(line)
        tree = _LINE.match(line)
        if subquery is not None:
            trees.append(([], (int(subquery[1]), subquery[2])))
            skipping, current = False, None
        elif "== Initial Plan ==" in line:
            skipping = True
        elif head is not None:
            current = fields.setdefault(int(head[1]), {"name": head[2], "codegen": head[3] or ""})
            skipping = False
        elif current is not None and line.strip():
            field = _FIELD.match(line)
            if field is not None:
                current[field[1]] = field[2]
        elif tree is not None and not skipping:
            lines, _ = trees[-1]
            name = _WAYS.sub("", tree["name"]).strip()
            lines.append((len(tree["bars"]), name, int(tree["number"])))
            current = None
    return [(lines, host) for lines, host in trees if lines], fields


def _node(lines: _Lines, fields: _Fields) -> tuple[RawNode, _Lines]:
    (depth, name, number), rest = lines[0], lines[1:]
    children = []
    while rest and rest[0][0] > depth:
        child, rest = _node(rest, fields)
        children.append(child)
    known = fields.get(number, {})
    text = f"{name} {_body(name, known)}".rstrip()
    output = tuple(bracketed(known.get("Output", ""))) if name != "Project" else ()
    functions = tuple(functions_in(name, known.get("Arguments", "")))
    made = RawNode(name, text, output, functions, (), tuple(children))
    group = known.get("codegen")
    wrapper = f"WholeStageCodegen ({group})" if group else ADAPTER
    return RawNode(wrapper, "", children=(made,)), rest


def _body(name: str, known: dict[str, str]) -> str:
    """The operator's line as in a plan that is not formatted."""
    if name == "Project":
        return known.get("Output", "")
    if "Condition" in known:
        return known["Condition"]
    if "Functions" in known or "Keys" in known:
        keys, functions = known.get("Keys", "[]"), known.get("Functions", "[]")
        return f"(keys={keys}, functions={functions})"
    if "Join type" in known:
        sides = [known[side] for side in ("Left keys", "Right keys") if side in known]
        condition = known.get("Join condition", "None")
        said = [*sides, known["Join type"], *([condition] if condition != "None" else [])]
        return ", ".join(said)
    if "Arguments" in known:
        return known["Arguments"].removeprefix(f"{name} ")
    options = [f"{k}: {known[k]}" for k in ("PartitionFilters", "PushedFilters") if k in known]
    return " ".join([known.get("Output", ""), ", ".join(options)]).strip()


def functions_in(name: str, arguments: str) -> Iterator[RawFunction]:
    """The functions that an operator evaluates, by its name and Spark's text of its arguments."""
    if name.endswith("EvalPython"):
        number = re.search(r", (\d+)$", arguments)
        for call in bracketed(arguments):
            yield RawFunction(call, int(number[1]) if number else -1)
    elif name == "MapInArrow":
        yield RawFunction(arguments)


def _hosted(node: RawNode, numbers: list[int], hosts: dict[int, list[RawNode]]) -> RawNode:
    """The tree with its subqueries below the operators that use them."""
    pending = iter(numbers)

    def visit(node: RawNode) -> RawNode:
        if node.name == ADAPTER or CODEGEN.match(node.name):
            return replace(node, children=tuple(map(visit, node.children)))
        own = hosts.get(next(pending), [])
        return replace(node, children=(*map(visit, node.children), *own))

    return visit(node)
