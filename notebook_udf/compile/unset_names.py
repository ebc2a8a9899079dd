"""Which local variables may have no value yet where they are read."""

from __future__ import annotations

from functools import lru_cache

from notebook_udf.compile.flow_graph import BasicBlock, FlowGraph


@lru_cache(maxsize=256)
def read_unset(graph: FlowGraph, given: frozenset[str]) -> frozenset[str]:
    """The names that some way leads to without a value, of those that are read; not parameters.

    Names that are taken away again, or that comprehensions use, are not among them.
    """
    every = [each for block in graph.blocks.values() for each in block.evaluations]
    left = {e.detail for e in every if e.kind in ("save_local", "delete_local", "store_cell")}
    names = {e.detail for e in every if e.kind == "store_local"} - left - given
    unset: dict[int, set[str]] = {key: set() for key in graph.blocks}
    unset[graph.entry] = names
    waiting = [graph.entry] if names else []
    while waiting:
        key = waiting.pop()
        block = graph.blocks[key]
        behind = unset[key] - _stored(block)
        onward = [(target, behind) for target in block.end.targets]
        if key in graph.handlers:
            onward.append((graph.handlers[key], unset[key]))
        for target, arriving in onward:
            if not arriving <= unset[target]:
                unset[target] = unset[target] | arriving
                waiting.append(target)
    return frozenset(
        name for key, block in graph.blocks.items() for name in _read_first(block, unset[key])
    )


def _stored(block: BasicBlock) -> set[str]:
    return {each.detail for each in block.evaluations if each.kind == "store_local"}


def _read_first(block: BasicBlock, unset: set[str]) -> set[str]:
    """Of names that may have no value where a block begins, those that it reads before it sets."""
    open_, found = set(unset), set()
    for each in block.evaluations:
        if each.kind == "local" and each.detail in open_:
            found.add(each.detail)
        elif each.kind == "store_local":
            open_.discard(each.detail)
    return found
