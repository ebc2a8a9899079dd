"""Disassemblies of ordinary functions by several versions of Python, and their graphs in words."""

from __future__ import annotations

import ast
import json
from functools import cache
from pathlib import Path
from typing import Any

from notebook_udf.compile.flow_graph import Evaluation, FlowGraph, UnreadableCode
from notebook_udf.compile.opcodes import Instruction
from notebook_udf.compile.symbolic import read

FOLDER = Path(__file__).parent / "fixtures" / "bytecode"
MINORS = (11, 12, 13, 14)


@cache
def document(minor: int) -> dict[str, Any]:
    """What ``fixtures/bytecode/functions.py`` has written with Python 3.``minor``."""
    found: dict[str, Any] = json.loads((FOLDER / f"3.{minor}.json").read_text("utf-8"))
    return found


def instructions(minor: int, name: str) -> list[Instruction]:
    """A function's instructions."""
    rows = document(minor)["functions"][name]["instructions"]
    return [Instruction(op, arg, _value(value), *rest) for op, arg, value, *rest in rows]


def _value(written: Any) -> Any:
    if isinstance(written, str):
        return ast.literal_eval(written)
    if "slice" in written:
        return slice(*map(ast.literal_eval, written["slice"]))
    return written["object"]


def graph_of(minor: int, name: str) -> FlowGraph | UnreadableCode:
    """A function's graph, as a worker with Python 3.``minor`` would have it."""
    return read(instructions(minor, name), minor, document(minor)["functions"][name]["guarded"])


def ways(graph: FlowGraph) -> list[list[str]]:
    """Every way through a graph, as lines; a loop is gone through once.

    The same for all graphs that do the same in the same order, however many blocks share an end.
    """
    found: list[list[str]] = []
    _follow(graph, graph.entry, -1, {}, {}, [], found)
    return found


def _follow(
    graph: FlowGraph,
    key: int,
    before: int,
    at: dict[int, int],
    values: dict[Evaluation, str],
    lines: list[str],
    found: list[list[str]],
) -> None:
    if key in at:
        found.append([*lines, f"again from {at[key]}"])
        return
    at, values, lines = {**at, key: len(lines)}, dict(values), list(lines)

    def named(value: Evaluation) -> str:
        if value.kind == "constant":
            return repr(value.detail)
        if value.kind == "part":
            return f"{named(value.operands[0])}[{value.detail}]"
        return values[value]

    block = graph.blocks[key]
    for each in block.evaluations:
        if each.kind == "phi":
            values[each] = named(each.operands[each.detail.index(before)])
            continue
        values[each] = f"${len(lines)}"
        detail = "" if each.detail in (None, ()) else f" {each.detail}"
        lines.append(" ".join([f"{each.kind}{detail}", *map(named, each.operands)]))
    end = block.end
    about = " ".join([end.kind, *map(named, end.values)])
    if not end.targets:
        found.append([*lines, about])
    for target, outcome in zip(end.targets, ("yes", "no"), strict=False):
        told = [f"{about} {end.test} {outcome}"] if len(end.targets) > 1 else []
        _follow(graph, target, key, at, values, [*lines, *told], found)
