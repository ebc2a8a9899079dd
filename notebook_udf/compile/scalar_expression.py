"""Scalar functions that are one expression of their parameters and of constants."""

from __future__ import annotations

import dis
import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from notebook_udf.compile.column_expression import ExpressionReader, NoExpression, Step, Steps
from notebook_udf.compile.flow_graph import Evaluation, FlowGraph, UnreadableCode
from notebook_udf.compile.symbolic import read_code

_MOST_STEPS = 66
# So many bytes have room for that many steps; longer code need not be read.
_MOST_BYTES = 4096
_JUMPS = frozenset(dis.hasjrel)
_UNUSUAL = (
    inspect.CO_VARARGS
    | inspect.CO_VARKEYWORDS
    | inspect.CO_GENERATOR
    | inspect.CO_COROUTINE
    | inspect.CO_ASYNC_GENERATOR
)


@dataclass(frozen=True)
class ScalarExpression:
    """A function of ``parameters`` arguments as steps; parameters are named by position."""

    parameters: int
    steps: Steps


def scalar_expression(function: Callable[..., Any]) -> ScalarExpression | None:
    """The expression that a function is; None if it is, or does, anything more."""
    first = 0
    if inspect.ismethod(function):
        function, first = function.__func__, 1
    if not inspect.isfunction(function):
        return None
    code = function.__code__
    if code.co_kwonlyargcount or code.co_flags & _UNUSUAL or function.__closure__:
        return None
    if len(code.co_code) > _MOST_BYTES:
        return None
    if not code.co_exceptiontable and not _JUMPS.isdisjoint(code.co_code[::2]):
        # It is no expression, and reading it would take the start of every task longer.
        return None
    return expression_in(read_code(code), code.co_varnames[first : code.co_argcount])


def expression_in(
    graph: FlowGraph | UnreadableCode, parameters: Sequence[str]
) -> ScalarExpression | None:
    """The expression that a graph is, of parameters of these names.

    What happens after an error is not asked: on a bundle that has one, Python answers.
    """
    block = None if isinstance(graph, UnreadableCode) else graph.straight()
    if block is None or block.end.kind != "return" or len(block.evaluations) > 2 * _MOST_STEPS:
        return None

    def leaf(value: Evaluation) -> Step | None:
        known = value.kind == "local" and value.detail in parameters
        return ("parameter", parameters.index(value.detail)) if known else None

    reader = ExpressionReader(leaf)
    try:
        steps = reader.steps(block.end.values[0])
    except NoExpression:
        return None
    # Nothing is evaluated besides, or twice, or in another order.
    if reader.read != list(block.evaluations) or len(steps) > _MOST_STEPS:
        return None
    # Only a column is an answer: an expression without a parameter is a constant.
    if not any(kind == "parameter" for kind, _ in steps):
        return None
    return ScalarExpression(len(parameters), steps)
