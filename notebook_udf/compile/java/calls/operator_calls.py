"""Functions of ``operator`` in place of operators, items, attributes and methods, as Java."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, TypeAlias

from notebook_udf.compile.java.writing.terms import (
    BoundMethod,
    KnownValue,
    NotCompiled,
    Parts,
    Value,
)

Given: TypeAlias = tuple[Value, ...]
# Writes an evaluation of a kind, with its detail and what it is of.
Evaluate: TypeAlias = Callable[[str, Any, Given], Value]

# By the identity of what is called: a user's object may be equal to anything.
_BINARY = {
    id(operator.add): "+",
    id(operator.sub): "-",
    id(operator.mul): "*",
    id(operator.truediv): "/",
    id(operator.floordiv): "//",
    id(operator.mod): "%",
    id(operator.pow): "**",
    id(operator.and_): "&",
    id(operator.or_): "|",
    id(operator.xor): "^",
}
_COMPARED = {
    id(operator.lt): "<",
    id(operator.le): "<=",
    id(operator.gt): ">",
    id(operator.ge): ">=",
    id(operator.eq): "==",
    id(operator.ne): "!=",
}
_UNARY = {id(operator.neg): "-", id(operator.not_): "not"}
_GETTERS = (operator.itemgetter, operator.attrgetter, operator.methodcaller)


def called(
    function: Value, given: Given, names: tuple[str, ...], evaluate: Evaluate
) -> Value | None:
    """A call of such a function; None if it is another one."""
    known = function.value if isinstance(function, KnownValue) else None
    if names or not given:
        return None
    if any(known is each for each in _GETTERS):
        values = [each.value for each in given if isinstance(each, KnownValue)]
        if len(values) != len(given):
            raise NotCompiled("a getter of what varies")
        return KnownValue(known(*values))  # type: ignore[misc]
    if isinstance(known, _GETTERS):
        return _got(known, given, evaluate)
    if len(given) == 1 and id(known) in _UNARY:
        return evaluate("unary", _UNARY[id(known)], given)
    if len(given) != 2:
        return None
    if id(known) in _BINARY:
        return evaluate("binary", _BINARY[id(known)], given)
    if id(known) in _COMPARED:
        return evaluate("compare", _COMPARED[id(known)], given)
    if known is operator.getitem:
        return evaluate("item", None, given)
    return evaluate("compare", "in", given[::-1]) if known is operator.contains else None


def _got(getter: Any, given: Given, evaluate: Evaluate) -> Value:
    """What an ``itemgetter``, an ``attrgetter`` or a ``methodcaller`` gets."""
    made, asked = getter.__reduce__()[:2]
    if len(given) != 1 or not any(made is each for each in _GETTERS):
        raise NotCompiled("a getter of anything but one value, or with names")
    if made is operator.methodcaller:
        name, *arguments = asked
        method = evaluate("attribute", name, given)
        return evaluate("call", (), (method, *map(KnownValue, arguments)))
    found = []
    for each in asked:
        if isinstance(getter, operator.itemgetter):
            found.append(evaluate("item", None, (given[0], KnownValue(each))))
            continue
        value = given[0]
        for name in each.split("."):
            value = evaluate("attribute", name, (value,))
        if isinstance(value, BoundMethod):
            raise NotCompiled("a method out of an attrgetter")
        found.append(value)
    return found[0] if len(found) == 1 else Parts(tuple(found))
