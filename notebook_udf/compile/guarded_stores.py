"""Blocks inside ``try`` apart, where a variable is set that is asked for once something raises.

``try: u = u.strip(); n = int(u)`` and a handler that reads ``u``: what the variable is there
depends on which of the two raised. As blocks of their own each has one answer.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import count, islice, pairwise

from notebook_udf.compile.flow_graph import BasicBlock, Evaluation, FlowGraph, Terminator

# Evaluations that raise nothing that a handler of theirs could take.
_SILENT = frozenset({"global", "builtin", "store_local"})


def apart(graph: FlowGraph) -> FlowGraph:
    """The graph with each such block as several; the last part of one has the block's key."""
    if not graph.handlers:
        return graph
    asked = _asked_for(graph)
    cuts = {key: [*_cuts(graph.blocks[key], asked[to])] for key, to in graph.handlers.items()}
    free = count(max(graph.blocks) + 1)
    parts = {key: [*islice(free, len(cuts.get(key, ()))), key] for key in graph.blocks}
    first = {key: each[0] for key, each in parts.items()}
    blocks: dict[int, BasicBlock] = {}
    handlers: dict[int, int] = {}
    for key, block in graph.blocks.items():
        places = [0, *cuts.get(key, ()), len(block.evaluations)]
        onward = [Terminator("jump", targets=(each,)) for each in parts[key][1:]]
        end = block.end._replace(targets=tuple(first[target] for target in block.end.targets))
        for own, (at, to), leaves in zip(parts[key], pairwise(places), [*onward, end], strict=True):
            blocks[own] = BasicBlock(block.evaluations[at:to], leaves)
            if key in graph.handlers:
                handlers[own] = first[graph.handlers[key]]
    return replace(graph, blocks=blocks, handlers=handlers)


def _cuts(block: BasicBlock, asked: set[str]) -> Iterator[int]:
    """Places behind what sets or deletes such a variable, if something that may raise follows."""
    for place, each in enumerate(block.evaluations, 1):
        if each.kind in ("store_local", "delete_local") and each.detail in asked:
            rest = block.evaluations[place:]
            if block.end.kind == "raise" or not all(later.kind in _SILENT for later in rest):
                yield place


def _asked_for(graph: FlowGraph) -> dict[int, set[str]]:
    """By the key of a block: the variables that are read from its start on, before they are set."""
    asked: dict[int, set[str]] = {key: set() for key in graph.blocks}
    changed = True
    while changed:
        changed = False
        for key, block in reversed(graph.blocks.items()):
            found: set[str] = set().union(*(asked[target] for target in block.end.targets))
            for each in reversed(block.evaluations):
                _before(each, found)
            if key in graph.handlers:
                found |= asked[graph.handlers[key]]
            changed = changed or found != asked[key]
            asked[key] = found
    return asked


def _before(each: Evaluation, found: set[str]) -> None:
    if each.kind == "store_local":
        found.discard(each.detail)
    elif each.kind == "local":
        found.add(each.detail)
