"""Which blocks of a function a loop runs again, and what of them is used behind it."""

from __future__ import annotations

from functools import lru_cache

from notebook_udf.compile.flow_graph import BasicBlock, Evaluation, FlowGraph


@lru_cache(maxsize=256)
def loops_of(graph: FlowGraph) -> dict[int, frozenset[int]]:
    """By the key of the block where each round begins: the keys of all that lead back there."""
    place = {key: number for number, key in enumerate(graph.blocks)}
    before: dict[int, set[int]] = {key: set() for key in place}
    for key, block in graph.blocks.items():
        for target in block.end.targets:
            before[target].add(key)
    for key, handler in graph.handlers.items():
        before[handler].add(key)
    found: dict[int, frozenset[int]] = {}
    for head in graph.blocks:
        closing = [key for key in before[head] if place[key] >= place[head]]
        members, waiting, closes = {head}, closing, bool(closing)
        while waiting:
            key = waiting.pop()
            if key not in members:
                members.add(key)
                waiting += before[key]
        if closes:
            found[head] = frozenset(members)
    return found


@lru_cache(maxsize=256)
def goes_to_the_end(graph: FlowGraph, iterator: Evaluation) -> bool:
    """Whether a loop over an iterator, or a comprehension, ends by that alone, or raises."""
    if graph.handlers:
        return False
    every = (each for block in graph.blocks.values() for each in block.evaluations)
    if any(_is_comprehension(each, iterator) for each in every):
        return True
    for head, members in loops_of(graph).items():
        end = graph.blocks[head].end
        if end.kind != "next" or not any(each is iterator for each in end.values[0].operands):
            continue
        inner = [graph.blocks[key].end for key in members if key != head]
        return all(
            each.kind != "return" and all(_stays(graph, t, members) for t in each.targets)
            for each in inner
        )
    return False


def _is_comprehension(each: Evaluation, iterator: Evaluation) -> bool:
    if each.kind != "call" or len(each.operands) != 2 or each.operands[1] is not iterator:
        return False
    made = each.operands[0]
    code = made.operands[-1].detail if made.kind == "function" else None
    return getattr(code, "co_name", "") in ("<listcomp>", "<setcomp>", "<dictcomp>")


def _stays(graph: FlowGraph, target: int, members: frozenset[int]) -> bool:
    return target in members or graph.blocks[target].end.kind == "raise"


@lru_cache(maxsize=256)
def is_used_behind(graph: FlowGraph, head: int) -> bool:
    """Whether what is evaluated in a loop is used by blocks behind it, but as a variable."""
    members = loops_of(graph)[head]
    own = {id(each) for key in members for each in graph.blocks[key].evaluations}
    return any(
        id(used) in own
        for key, block in graph.blocks.items()
        if key not in members
        for used in _used(block)
    )


def _used(block: BasicBlock) -> list[Evaluation]:
    waiting = [*block.end.values, *(x for each in block.evaluations for x in each.operands)]
    # A part of what was taken apart stands among no block's evaluations.
    return waiting + [x for each in waiting if each.kind == "part" for x in each.operands]
