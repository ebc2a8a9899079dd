"""Blocks inside ``try`` apart, where a variable is set that is asked for once something raises.

``try: u = u.strip(); n = int(u)`` and a handler that reads ``u``: what the variable is there
depends on which of the two raised. As blocks of their own each has one answer.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from notebook_udf.compile.flow_graph import BasicBlock, Evaluation, FlowGraph, Terminator

# Evaluations that raise nothing that a handler of theirs could take.
_SILENT = frozenset({"global", "builtin", "store_local", "delete_local"})


def apart(graph: FlowGraph) -> FlowGraph:
    """The graph with each such block as several; the last part of one has the block's key."""
    if not graph.handlers:
        return graph
    asked = _asked_for(graph)
    free = max(graph.blocks) + 1
    parts: dict[int, list[int]] = {}
    blocks: dict[int, BasicBlock] = {}
    handlers = dict(graph.handlers)
    for key, block in graph.blocks.items():
        handler = graph.handlers.get(key)
        cuts = [] if handler is None else list(_cuts(block, asked[handler]))
        parts[key] = [*range(free, free + len(cuts)), key]
        free += len(cuts)
        begun = 0
        for number, cut in enumerate(cuts):
            assert handler is not None
            own, following = parts[key][number : number + 2]
            blocks[own] = BasicBlock(
                block.evaluations[begun:cut], Terminator("jump", targets=(following,))
            )
            handlers[own], begun = handler, cut
        blocks[key] = block._replace(evaluations=block.evaluations[begun:])
    if len(blocks) == len(graph.blocks):
        return graph
    first = {key: each[0] for key, each in parts.items()}
    inner = {own for each in parts.values() for own in each[:-1]}
    made = {key: block if key in inner else _to(block, first) for key, block in blocks.items()}
    led = {key: first[handler] for key, handler in handlers.items()}
    return replace(graph, blocks=made, handlers=led)


def _to(block: BasicBlock, first: dict[int, int]) -> BasicBlock:
    targets = tuple(first[target] for target in block.end.targets)
    return block._replace(end=block.end._replace(targets=targets))


def _cuts(block: BasicBlock, asked: set[str]) -> Iterator[int]:
    """Places behind what sets such a variable, if something that may raise follows."""
    for place, each in enumerate(block.evaluations, 1):
        if each.kind == "store_local" and each.detail in asked:
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
