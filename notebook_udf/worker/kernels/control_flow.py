"""A function's blocks for all rows at once: branches are masks, and values merge where they meet.

All rows are computed on both sides of a branch, and each takes the side that is its own; nothing
can go wrong in a row that does not get there, since only the rows that do are left to Python.
"""

from __future__ import annotations

import types
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa

from notebook_udf.compile.bindings import value_of
from notebook_udf.compile.flow_graph import BasicBlock, Evaluation, FlowGraph, UnreadableCode
from notebook_udf.compile.loops import is_used_behind, loops_of
from notebook_udf.compile.symbolic import read_code
from notebook_udf.worker.kernels import iteration
from notebook_udf.worker.kernels.bound_arguments import bound
from notebook_udf.worker.kernels.operations import OPERATIONS
from notebook_udf.worker.kernels.values import (
    Iterated,
    Mask,
    NoKernel,
    Rows,
    Several,
    Uniform,
    Value,
    is_none,
    kept,
    merged,
    spread,
    truth,
)

# Helpers within helpers.
_DEEPEST = 6
# Rounds cost as much however few rows still make them: then Python is faster.
_FEWEST = 1 / 8
_MOST_ROUNDS = 1000
# What rows hold that have left a loop, by the round, before it is put together.
_MOST_KEPT = 8
# Without rows there is nothing to end a loop; the types of a second round may be others.
_ROUNDS_TO_KNOW = 2
# Where a function, or a loop, is entered from.
_OUTSIDE = -1


@dataclass
class _Variables:
    """Local variables on a way: their values, and in which rows each has none."""

    values: dict[str, Value] = field(default_factory=dict)
    unset: dict[str, Mask] = field(default_factory=dict)

    def copy(self) -> _Variables:
        return _Variables(dict(self.values), dict(self.unset))


_Ways: TypeAlias = list[tuple[Mask, _Variables]]


class Evaluator:
    """Evaluates functions, and those that they call."""

    def __init__(self) -> None:
        self._depth = 0

    def value(
        self,
        function: types.FunctionType,
        given: Sequence[Value],
        rows: Rows,
        names: Sequence[str] = (),
    ) -> Value:
        """What a function returns for the rows that reach its call.

        The last of what is given are arguments by name.
        """
        graph = read_code(function.__code__)
        if isinstance(graph, UnreadableCode):
            raise NoKernel(graph.reason, graph.line)
        if self._depth == _DEEPEST:
            raise NoKernel(f"{function.__name__} within so many others")
        self._depth += 1
        try:
            return _Calls(self, function, graph, rows).value(bound(function, given, names))
        finally:
            self._depth -= 1


class _Calls:
    """All calls of one function: its blocks, one after the other."""

    def __init__(
        self, evaluator: Evaluator, function: types.FunctionType, graph: FlowGraph, rows: Rows
    ) -> None:
        self._evaluator = evaluator
        self._function = function
        self._graph = graph
        self._rows = rows
        self._values: dict[int, Value] = {}
        # By block, and by the one before it: the rows that go there, and their variables; several
        # of them where a loop was left in several rounds.
        self._ways: dict[int, dict[int, _Ways]] = {}
        self._returned: list[tuple[Mask, Value]] = []
        self._loops = loops_of(graph)
        self._round: dict[int, int] = {}

    def value(self, given: dict[str, Value]) -> Value:
        self._ways[self._graph.entry] = {_OUTSIDE: [(self._rows.here(), _Variables(given))]}
        self._run(list(self._graph.blocks), None)
        if not self._returned:
            raise NoKernel(f"nothing that {self._function.__name__} returns")
        return merged(self._returned)

    def _run(self, keys: Sequence[int], within: int | None) -> None:
        """Runs blocks in their order; ``within`` is the loop of which this is a round."""
        done: set[int] = set()
        for key in keys:
            if key in done:
                continue
            if key in self._loops and key != within:
                members = self._loops[key]
                self._loop(key, [each for each in keys if each in members])
                done |= members
            else:
                self._block(key)

    def _loop(self, head: int, keys: Sequence[int]) -> None:
        """Runs a loop's blocks until no row makes another round."""
        entered = self._arriving(head)
        if not entered:
            return
        if is_used_behind(self._graph, head):
            why = NoKernel("a loop with something half done around it", self._line(head))
            self._reached(entered).decline_all(why)
            return
        inside, turn = set(keys), 0
        while entered and self._goes_on(head, entered, turn):
            for key in keys:
                ways = self._ways.get(key, {})
                for before in inside.intersection(ways):
                    del ways[before]
            self._ways[head] = {_OUTSIDE: entered}
            self._round[head] = turn
            self._run(keys, head)
            del self._ways[head][_OUTSIDE]
            turn += 1
            entered = self._arriving(head)

    def _goes_on(self, head: int, entered: _Ways, turn: int) -> bool:
        """Whether another round is made; rows that do not make theirs are left to Python."""
        rows = self._reached(entered)
        if not rows.count:
            return turn < _ROUNDS_TO_KNOW
        left = rows.going_on()
        if turn and left and (left < rows.count * _FEWEST or turn == _MOST_ROUNDS):
            rows.decline_all(NoKernel("a loop that few rows still go through", self._line(head)))
            return False
        return turn == 0 or bool(left)

    def _reached(self, ways: _Ways) -> Rows:
        """The rows that take one of several ways."""
        return self._rows.within(np.logical_or.reduce([mask for mask, _ in ways]))

    def _line(self, key: int) -> int | None:
        lines = (each.line for each in self._graph.blocks[key].evaluations)
        return next((line for line in lines if line), None)

    def _block(self, key: int) -> None:
        arriving = self._arriving(key)
        if not arriving:
            return
        rows, variables = self._joined(arriving)
        if not rows.live():
            return
        block, line = self._graph.blocks[key], None
        try:
            for evaluation in block.evaluations:
                line = evaluation.line or line
                self._values[id(evaluation)] = self._evaluated(rows, variables, evaluation, key)
            self._end(rows, variables, block, key)
        except NoKernel as why:
            why.line = why.line or line
            rows.decline_all(why)
        except (pa.ArrowException, OverflowError) as error:
            rows.decline_all(NoKernel(f"Arrow says: {error}", line))

    def _arriving(self, key: int) -> _Ways:
        return [each for found in self._ways.get(key, {}).values() for each in found]

    def _joined(self, ways: _Ways) -> tuple[Rows, _Variables]:
        if len(ways) == 1:
            return self._rows.within(ways[0][0]), ways[0][1].copy()
        made = _Variables()
        for name in dict.fromkeys(name for _, each in ways for name in each.values):
            having = [(m, v.values[name]) for m, v in ways if name in v.values]
            made.values[name] = merged(having)
            unset = np.zeros(self._rows.count, np.bool_)
            for mask, each in ways:
                if name not in each.values:
                    unset |= mask
                elif name in each.unset:
                    unset |= mask & each.unset[name]
            if unset.any():
                made.unset[name] = unset
        return self._reached(ways), made

    def _end(self, rows: Rows, variables: _Variables, block: BasicBlock, key: int) -> None:
        end = block.end
        here = rows.here()
        if end.kind == "return":
            self._returned.append((here, self._of(end.values[0])))
        elif end.kind == "raise":
            rows.decline_all(NoKernel("raise"))
        elif end.kind == "jump":
            self._go(key, end.targets[0], here, variables)
        else:
            holds = self._holds(rows, block, key)
            self._go(key, end.targets[0], here & holds, variables)
            self._go(key, end.targets[1], here & ~holds, variables)

    def _holds(self, rows: Rows, block: BasicBlock, key: int) -> Mask:
        """Which rows take the first of two ways."""
        tested = block.end.values[0]
        if block.end.kind == "next":
            over = self._of(tested.operands[0])
            assert isinstance(over, Iterated)
            return np.asarray(over.counts > self._round[key])
        if block.end.test == "true":
            return truth(rows, self._of(tested))
        return is_none(rows, self._of(tested))

    def _go(self, key: int, target: int, mask: Mask, variables: _Variables) -> None:
        if self._rows.count and not mask.any():
            return
        found = self._ways.setdefault(target, {}).setdefault(key, [])
        found.append((mask, variables))
        if len(found) == _MOST_KEPT:
            rows, together = self._joined(found)
            found[:] = [(rows.here(), together)]

    def _of(self, evaluation: Evaluation) -> Value:
        if evaluation.kind == "constant":
            return Uniform(evaluation.detail)
        if evaluation.kind == "part":
            whole = self._of(evaluation.operands[0])
            if not isinstance(whole, Several):
                raise NoKernel("parts of this", evaluation.line)
            part: int = evaluation.detail
            return whole.parts[part]
        found = self._values.get(id(evaluation))
        if found is None:
            raise NoKernel(f"{evaluation.kind} here", evaluation.line)
        return found

    def _evaluated(self, rows: Rows, variables: _Variables, each: Evaluation, key: int) -> Value:
        kind, name = each.kind, each.detail
        if kind == "phi":
            parts = [
                (mask, self._of(operand))
                for operand, before in zip(each.operands, name, strict=True)
                for mask, _ in self._ways.get(key, {}).get(before, ())
            ]
            return merged(parts)
        if kind == "local":
            return self._variable(rows, variables, name)
        operands = [self._of(operand) for operand in each.operands]
        if kind == "store_local":
            variables.values[name] = kept(operands[0])
            variables.unset.pop(name, None)
            return operands[0]
        if kind == "iterator":
            return iteration.iterated(rows, operands[0])
        if kind == "next":
            return self._next(rows, operands[0], key)
        if kind in ("global", "builtin", "cell"):
            return Uniform(self._named(kind, name))
        evaluate = OPERATIONS.get(kind)
        if evaluate is None:
            raise NoKernel(f"{kind.replace('_', ' ')} here")
        return spread(
            rows, operands, lambda r, given: evaluate(self._evaluator.value, r, given, name)
        )

    def _next(self, rows: Rows, over: Value, key: int) -> Value:
        if not isinstance(over, Iterated) or key not in self._round:
            raise NoKernel("the next of this")
        turn = self._round[key]
        having = rows.within(rows.both(over.counts > turn))
        if not rows.count or having.going_on():
            return over.at(having, turn)
        # No row takes the way on which it is asked for.
        return Uniform(None)

    def _variable(self, rows: Rows, variables: _Variables, name: str) -> Value:
        if name not in variables.values:
            raise NoKernel(f"{name}, which may have no value")
        if name in variables.unset:
            rows.decline(variables.unset[name])
        return variables.values[name]

    def _named(self, kind: str, name: str) -> Any:
        try:
            return value_of(self._function, kind, name)
        except LookupError:
            why = "inner functions share" if kind == "cell" else "is not defined"
            raise NoKernel(f"{name}, which {why}") from None
