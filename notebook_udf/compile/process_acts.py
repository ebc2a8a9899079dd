"""Process functions that are a straight line: conditions, fields that are set, one collect.

``process_record`` is read as acts if it is a run of conditions without which nothing is collected,
assignments to fields of the record, and one ``output.collect`` at the end, of the record, a tuple
or a value; all built from what ``compile.column_expression`` knows.
"""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import Any, Literal, TypeAlias

from notebook_udf.compile.column_expression import (
    ExpressionReader,
    NoExpression,
    Step,
    Steps,
    checked_constant,
)
from notebook_udf.compile.flow_graph import Evaluation, FlowGraph, Terminator, UnreadableCode
from notebook_udf.compile.symbolic import read_code

# What a function does with a record, one after the other: goes on only where a condition holds,
# or does not hold; sets a field; collects values, or the record where there are none.
Act: TypeAlias = tuple[Literal["where", "unless", "set", "collect"], str, tuple[Steps, ...]]

_MOST_ACTS = 33


def acts_of(function: Any) -> tuple[Act, ...] | None:
    """What ``process_record`` of an instance does; None if it is anything more."""
    method = type(function).process_record
    code = getattr(method, "__code__", None)
    if code is None or code.co_argcount != 4 or code.co_kwonlyargcount or method.__closure__:
        return None
    if "process_record" in vars(function) or code.co_nlocals != 4 or code.co_exceptiontable:
        return None
    return acts_in(read_code(code), code.co_varnames, function)


def acts_in(
    graph: FlowGraph | UnreadableCode, names: Sequence[str], function: Any
) -> tuple[Act, ...] | None:
    """What a graph of ``process_record`` does.

    Parameters
    ----------
    names
        What it calls its instance, the record, the output and the context.
    function
        The instance, whose attributes are constants.
    """
    if isinstance(graph, UnreadableCode) or graph.guarded:
        return None
    try:
        return _ActReader(graph, names, function).acts()
    except (NoExpression, RecursionError):
        return None


class _ActReader:
    def __init__(self, graph: FlowGraph, names: Sequence[str], function: Any) -> None:
        self._graph = graph
        self._self, self._record, self._output, *_ = names
        self._function = function
        self._expressions = ExpressionReader(self._leaf)
        self._acts: list[Act] = []

    def acts(self) -> tuple[Act, ...]:
        expected: list[Evaluation] = []
        key: int | None = self._graph.entry
        seen: set[int] = set()
        while key is not None and key not in seen:
            seen.add(key)
            block = self._graph.blocks[key]
            expected += block.evaluations
            for each in block.evaluations:
                if each.kind == "store_attribute":
                    self._set(each)
                elif each.kind == "call" and each.operands[0].is_attribute("collect", self._output):
                    self._collect(each)
            key = self._following(block.end)
        # Nothing is evaluated besides, or twice, or in another order.
        if expected != self._expressions.read or len(self._acts) > _MOST_ACTS:
            raise NoExpression
        if key is not None or not self._acts or self._acts[-1][0] != "collect":
            raise NoExpression
        return tuple(self._acts)

    def _act(
        self, what: Literal["where", "unless", "set", "collect"], how: str, *values: Steps
    ) -> None:
        if self._acts and self._acts[-1][0] == "collect":
            raise NoExpression
        self._acts.append((what, how, values))

    def _set(self, store: Evaluation) -> None:
        value, owner = store.operands
        if not owner.is_local(self._record):
            raise NoExpression
        self._act("set", store.detail, self._expressions.steps(value))
        self._expressions.read += (owner, store)

    def _collect(self, call: Evaluation) -> None:
        collect, *given = call.operands
        if len(given) != 1 or call.detail:
            raise NoExpression
        read = self._expressions.read
        read += (*collect.operands, collect)
        if given[0].is_local(self._record):
            read.append(given[0])
            self._act("collect", "record")
        elif given[0].kind == "tuple":
            self._act("collect", "tuple", *map(self._expressions.steps, given[0].operands))
            read.append(given[0])
        else:
            self._act("collect", "value", self._expressions.steps(given[0]))
        read.append(call)

    def _following(self, end: Terminator) -> int | None:
        """The block to go on with; None at the end. On one side of a condition the function must
        have nothing more to do."""
        if self._returns(end):
            return None
        if end.kind == "jump":
            return end.targets[0]
        if end.kind != "branch" or end.test != "true" or end.values[0].kind != "compare":
            raise NoExpression
        steps = self._expressions.steps(end.values[0])
        holds, fails = end.targets
        if self._is_over(fails):
            self._act("where", "", steps)
            return holds
        if self._is_over(holds):
            self._act("unless", "", steps)
            return fails
        raise NoExpression

    def _is_over(self, key: int) -> bool:
        block = self._graph.blocks[key]
        return not block.evaluations and self._returns(block.end)

    def _returns(self, end: Terminator) -> bool:
        return end.kind == "return" and end.values[0].is_constant(None)

    def _leaf(self, value: Evaluation) -> Step | None:
        if value.is_local(self._record):
            # The record is a plain value: its only column.
            return "parameter", ""
        if value.kind != "attribute":
            return None
        if value.operands[0].is_local(self._record):
            return "parameter", value.detail
        if value.operands[0].is_local(self._self):
            # Nothing that is accepted changes it. A property is found as itself, and declined.
            found = inspect.getattr_static(self._function, value.detail, None)
            return "constant", checked_constant(found)
        return None
