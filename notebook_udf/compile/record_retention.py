"""Whether a process function keeps records beyond a call, as far as its code tells.

Only what is certain counts: a record is read and set by field, and collected as the last that is
done with it. Anything else may keep it, and is left to ``@not_cache_record`` to say.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from notebook_udf.compile.flow_graph import BasicBlock, Evaluation, FlowGraph, UnreadableCode
from notebook_udf.compile.symbolic import read_code

# What makes a new value, which nobody else has.
_FRESH = ("tuple", "constant", "format", "string", "unary")


def keeps_no_record(function: Any) -> bool:
    """Whether it is certain that an instance keeps no record, given or collected, and does
    nothing with one after collecting it."""
    method = type(function).process_record
    code = getattr(method, "__code__", None)
    if code is None or code.co_argcount != 4 or code.co_kwonlyargcount:
        return False
    if "process_record" in vars(function) or code.co_cellvars or code.co_exceptiontable:
        return False
    return keeps_none(read_code(code), code.co_varnames)


def fields_set(function: Any) -> frozenset[str]:
    """Fields that an instance, of which it is certain that it keeps no record, may set in one."""
    graph = read_code(type(function).process_record.__code__)
    blocks = () if isinstance(graph, UnreadableCode) else graph.blocks.values()
    return frozenset(
        each.detail
        for block in blocks
        for each in block.evaluations
        if each.kind == "store_attribute"
    )


def keeps_none(graph: FlowGraph | UnreadableCode, names: Sequence[str]) -> bool:
    """``keeps_no_record`` of a graph, and of what it calls its instance, record and output."""
    if isinstance(graph, UnreadableCode) or graph.guarded:
        return False
    uses = _Uses(graph, names[1], names[2])
    # Whether a record may have been collected where a block ends.
    collected: dict[int, bool] = {}
    entered: dict[int, bool] = {graph.entry: False}
    for key, block in graph.blocks.items():
        after = uses.keep_none(block, entered[key])
        if after is None or any(target in (*collected, key) for target in block.end.targets):
            return False
        collected[key] = after
        for target in block.end.targets:
            entered[target] = entered.get(target, False) or after
    return True


class _Uses:
    """What a function does with its record and its output."""

    def __init__(self, graph: FlowGraph, record: str, output: str) -> None:
        self._record = record
        self._output = output
        found = [each for block in graph.blocks.values() for each in block.evaluations]
        stored: dict[str, list[Evaluation]] = {}
        for each in found:
            if each.kind == "store_local":
                stored.setdefault(each.detail, []).append(each.operands[0])
        self._stored = stored
        # Other names of ``output.collect``.
        self._aliases = {
            name for name, values in stored.items() if all(map(self._is_collect, values))
        }

    def keep_none(self, block: BasicBlock, collected: bool) -> bool | None:
        """Whether a record may have been collected behind a block; None if one may be kept."""
        if self._record in self._stored or self._output in self._stored:
            return None
        for each in block.evaluations:
            match each:
                case Evaluation("attribute", (owner,)) if self._is_record(owner):
                    allowed = not collected
                case Evaluation("store_attribute", (value, owner)) if self._is_record(owner):
                    allowed = not collected and self._is_harmless(value)
                case Evaluation("call", (called, *given)) if self._collects(called):
                    allowed = len(given) == 1 and not each.detail
                    allowed = allowed and self._may_be_collected(given[0], collected)
                    collected = True
                case Evaluation("call" | "call_unpacked", (called, *given)):
                    # What is called may be a method, which may do anything with its owner.
                    method = called.kind == "attribute" and self._is_record(called.operands[0])
                    allowed = not method and all(map(self._is_harmless, (called, *given)))
                case Evaluation("attribute") if self._is_collect(each):
                    allowed = True
                case Evaluation("store_local", (value,), name) if name in self._aliases:
                    allowed = True
                case _:
                    allowed = all(map(self._is_harmless, each.operands))
            if not allowed:
                return None
        return collected if all(map(self._is_harmless, block.end.values)) else None

    def _is_record(self, value: Evaluation) -> bool:
        return value.is_local(self._record)

    def _is_collect(self, value: Evaluation) -> bool:
        return value.is_attribute("collect", self._output)

    def _collects(self, called: Evaluation) -> bool:
        alias = called.kind == "local" and called.detail in self._aliases
        return alias or self._is_collect(called)

    def _may_be_collected(self, value: Evaluation, collected: bool) -> bool:
        if self._is_record(value):
            return not collected
        return _is_fresh(value)

    def _is_harmless(self, value: Evaluation) -> bool:
        """Whether it is neither the record, nor the output or a way to collect."""
        output = value.is_local(self._output)
        return not (output or self._is_record(value) or self._collects(value))


def _is_fresh(value: Evaluation) -> bool:
    """Whether nobody else has a value."""
    if value.kind == "phi":
        return all(map(_is_fresh, value.operands))
    changed = value.kind == "binary" and not value.detail.endswith("=")
    return changed or value.kind in _FRESH
