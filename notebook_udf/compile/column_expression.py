"""Expressions of columns and constants as steps of a stack machine, read of a ``FlowGraph``.

``compile.process_acts`` is made of them; ``worker.kernels.steps`` runs them as Arrow kernels.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, TypeAlias

from notebook_udf.compile.flow_graph import Evaluation

# A step: a parameter's position or name, a constant, or an operator on what the stack holds.
Step: TypeAlias = tuple[Literal["parameter", "constant", "unary", "binary", "compare"], Any]
Steps: TypeAlias = tuple[Step, ...]

INT64 = range(-(1 << 63), 1 << 63)
ARITHMETIC = ("+", "-", "*", "/")
COMPARISONS = ("<", "<=", ">", ">=", "==", "!=")
METHODS = ("upper", "lower")
REVERSAL = "[::-1]"
_CONSTANTS = (int, float, str)


class NoExpression(Exception):
    """An evaluation that has no steps."""


class ExpressionReader:
    """Turns evaluations into steps.

    Parameters
    ----------
    leaf
        The step for a variable, or for an attribute of one; None if it has none.

    Attributes
    ----------
    read
        What was read, in the order of the steps: Python's, where it is that of a block.
    """

    def __init__(self, leaf: Callable[[Evaluation], Step | None]) -> None:
        self._leaf = leaf
        self.read: list[Evaluation] = []

    def steps(self, value: Evaluation) -> Steps:
        """The steps that lead to a value.

        Raises
        ------
        NoExpression
            If it is anything but arithmetic, a comparison or the like of leaves and constants.
        """
        if value.kind == "constant":
            return (("constant", checked_constant(value.detail)),)
        leaf = self._leaf(value)
        if leaf is not None:
            self.read += (*value.operands, value)
            return (leaf,)
        found = self._operation(value)
        self.read.append(value)
        return found

    def _operation(self, value: Evaluation) -> Steps:
        match value:
            case Evaluation("binary", (left, right), operator) if operator in ARITHMETIC:
                return (*self.steps(left), *self.steps(right), ("binary", operator))
            case Evaluation("compare", (left, right), operator) if operator in COMPARISONS:
                return (*self.steps(left), *self.steps(right), ("compare", operator))
            case Evaluation("unary", (operand,), "-"):
                return (*self.steps(operand), ("unary", "-"))
            case Evaluation("call", (Evaluation("attribute", (owner,), name) as method,), ()) if (
                name in METHODS
            ):
                found = self.steps(owner)
                self.read.append(method)
                return (*found, ("unary", name))
            case Evaluation("item", (container, Evaluation("slice", limits) as cut)) if (
                len(limits) == 3
                and limits[0].is_constant(None)
                and limits[1].is_constant(None)
                and limits[2].is_constant(-1)
            ):
                found = self.steps(container)
                self.read.append(cut)
                return (*found, ("unary", REVERSAL))
        raise NoExpression


def checked_constant(value: Any) -> Any:
    """A constant that kernels take.

    Raises
    ------
    NoExpression
        If it is another.
    """
    if type(value) not in _CONSTANTS or (type(value) is int and value not in INT64):
        raise NoExpression
    return value
