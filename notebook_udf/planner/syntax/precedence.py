"""Operator precedence: how strongly expressions bind, and where they need parentheses."""

from __future__ import annotations

import re

from sqlglot import exp

from notebook_udf.planner.syntax.nodes import (
    Positive,
    PredicateTemplate,
    Template,
    UnsignedRightShift,
)

# How strongly expressions bind, from the loosest; whatever is not here cannot be taken apart.
_ALIAS, _OR, _AND, _NOT, _PREDICATE, _COMPARISON, _BIT_OR, _BIT_XOR, _BIT_AND = range(9)
_SHIFT, _ADD, _MULTIPLY, _UNARY, _WHOLE = range(9, 14)

BINARY: dict[type[exp.Expression], tuple[int, str]] = {
    exp.Or: (_OR, "OR"), exp.And: (_AND, "AND"),
    exp.EQ: (_COMPARISON, "="), exp.NEQ: (_COMPARISON, "<>"), exp.LT: (_COMPARISON, "<"),
    exp.LTE: (_COMPARISON, "<="), exp.GT: (_COMPARISON, ">"), exp.GTE: (_COMPARISON, ">="),
    exp.NullSafeEQ: (_COMPARISON, "<=>"), exp.BitwiseOr: (_BIT_OR, "|"),
    exp.BitwiseXor: (_BIT_XOR, "^"), exp.BitwiseAnd: (_BIT_AND, "&"),
    exp.BitwiseLeftShift: (_SHIFT, "<<"), exp.BitwiseRightShift: (_SHIFT, ">>"),
    UnsignedRightShift: (_SHIFT, ">>>"), exp.Add: (_ADD, "+"), exp.Sub: (_ADD, "-"),
    exp.DPipe: (_ADD, "||"), exp.Mul: (_MULTIPLY, "*"), exp.Div: (_MULTIPLY, "/"),
    exp.Mod: (_MULTIPLY, "%"), exp.IntDiv: (_MULTIPLY, "DIV"),
}  # fmt: skip
PREFIX: dict[type[exp.Expression], str] = {exp.Neg: "-", Positive: "+", exp.BitwiseNot: "~"}
MATCHES: dict[type[exp.Expression], str] = {
    exp.Like: "LIKE",
    exp.ILike: "ILIKE",
    exp.RegexpLike: "RLIKE",
    exp.NullSafeNEQ: "IS DISTINCT FROM",
}
_LEVELS: dict[type[exp.Expression], int] = {
    exp.Alias: _ALIAS,
    exp.Aliases: _ALIAS,
    exp.Lambda: _ALIAS,
    exp.Not: _NOT,
    exp.Exists: _PREDICATE,
    exp.Between: _PREDICATE,
    exp.In: _PREDICATE,
    exp.Is: _PREDICATE,
    exp.Escape: _PREDICATE,
    PredicateTemplate: _PREDICATE,
    **dict.fromkeys(MATCHES, _PREDICATE),
    **dict.fromkeys(PREFIX, _UNARY),
    **{kind: level for kind, (level, _) in BINARY.items()},
}
# Templates around one expression that stands first: nothing may bind more loosely in it.
_POSTFIXED = re.compile(r"\s*(COLLATE\b|:)", re.IGNORECASE)


def level(node: exp.Expression) -> int:
    """How strongly an expression binds."""
    return _LEVELS.get(type(node), _WHOLE)


def least(parent: exp.Expression, key: str, node: exp.Expression, *, explicit: bool) -> int:
    """How strongly a child has to bind in its parent to need no parentheses.

    With ``explicit`` operands have parentheses even where they need none.
    """

    def operand(wanted: int) -> int:
        return _WHOLE if explicit and level(node) != _ALIAS else wanted

    kind = type(parent)
    if kind in BINARY:
        if key not in ("this", "expression"):
            return _ALIAS
        own = BINARY[kind][0]
        if own in (_AND, _OR) and type(node) is kind:
            # It is one row of operands, however the tree is balanced; Spark balances it again.
            return own
        return operand(own + (key == "expression"))
    if kind in PREFIX:
        return operand(_UNARY)
    if kind is exp.Not:
        return operand(_NOT)
    if kind in (exp.Between, exp.Is, exp.Escape, PredicateTemplate) or kind in MATCHES:
        if kind is PredicateTemplate and parent.expressions[0] is not node:
            return _OR
        return operand(_PREDICATE if kind is exp.Escape else _COMPARISON)
    if kind is exp.In:
        return operand(_COMPARISON if key == "this" else _OR)
    if (kind is exp.Bracket and key == "this") or kind is exp.Dot:
        return _WHOLE
    if kind is Template and parent.expressions[0] is node and parent.args["pieces"][0] == "":
        return _WHOLE if _POSTFIXED.match(parent.args["pieces"][1]) else _ALIAS
    if kind is Template:
        # Values between words: EXTRACT(... FROM a = b) would not be read.
        return _COMPARISON if level(node) > _ALIAS else _ALIAS
    return _ALIAS
