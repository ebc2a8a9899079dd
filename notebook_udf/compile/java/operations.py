"""What is evaluated, as Java, by its kind in ``compile.flow_graph``."""

from __future__ import annotations

import types
from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any, TypeAlias

from notebook_udf.compile.java import calls, textual
from notebook_udf.compile.java.code import Code
from notebook_udf.compile.java.numeric import arithmetic, comparison, negated, truth
from notebook_udf.compile.java.values import (
    BOOL,
    Constant,
    Method,
    NotCompiled,
    Parts,
    Slice,
    Term,
    Value,
)
from notebook_udf.compile.java.values import Sequence as Iterated

# The call of a function of the user's, with the names of its last arguments.
Run: TypeAlias = Callable[[types.FunctionType, tuple[Value, ...], tuple[str, ...]], Term]
Operation: TypeAlias = Callable[[Run, Code, Sequence[Value], Any], Value]

_ORDERED = ("<", "<=", ">", ">=", "==", "!=")
_VIEWS = ("items", "keys", "values")


def _attribute(run: Run, code: Code, given: Sequence[Value], name: str) -> Value:
    (owner,) = given
    if isinstance(owner, Constant) and isinstance(owner.value, types.ModuleType):
        if not hasattr(owner.value, name):
            raise NotCompiled(f"{name}, which {owner.value.__name__} has not")
        return Constant(getattr(owner.value, name))
    return Method(owner, name)


def _binary(run: Run, code: Code, given: Sequence[Value], how: str) -> Value:
    # What these are in place of cannot be changed in place.
    return arithmetic(code, how.removesuffix("="), *given)


def _compare(run: Run, code: Code, given: Sequence[Value], how: str) -> Value:
    left, right = given
    if how in _ORDERED:
        return comparison(code, how, left, right)
    if how in ("in", "not in"):
        found = textual.contains(code, left, right)
        if isinstance(found, bool):
            return Constant(found == (how == "in"))
        return code.set(BOOL, found if how == "in" else f"!({found})")
    if not (isinstance(right, Constant) and right.value is None):
        raise NotCompiled(f"{how} anything but None")
    known = is_none(code, left)
    if isinstance(known, bool):
        return Constant(known == (how == "is"))
    return code.set(BOOL, known if how == "is" else f"!({known})")


def is_none(code: Code, value: Value) -> str | bool:
    """Whether a value is None: an expression, or the answer for every row."""
    if isinstance(value, Constant):
        return value.value is None
    if isinstance(value, Parts):
        return False
    term = code.term(value)
    if "none" not in term.kinds:
        return False
    return len(term.kinds) == 1 or f"{term.java} == null"


def _unary(run: Run, code: Code, given: Sequence[Value], how: str) -> Value:
    if how == "-":
        return negated(code, given[0])
    if how != "not":
        raise NotCompiled(f"{how} here")
    found = truth(code, given[0])
    return Constant(not found) if isinstance(found, bool) else code.set(BOOL, f"!({found})")


def _item(run: Run, code: Code, given: Sequence[Value], _: Any) -> Value:
    return textual.item(code, *given)


def _slice(run: Run, code: Code, given: Sequence[Value], _: Any) -> Value:
    return Slice(tuple(given))


def _tuple(run: Run, code: Code, given: Sequence[Value], _: Any) -> Value:
    constants = [each.value for each in given if isinstance(each, Constant)]
    return Constant(tuple(constants)) if len(constants) == len(given) else Parts(tuple(given))


def _list(run: Run, code: Code, given: Sequence[Value], _: Any) -> Value:
    if not given:
        raise NotCompiled("a list that is filled later")
    return Parts(tuple(given))


def _unpack(run: Run, code: Code, given: Sequence[Value], count: int) -> Value:
    return textual.unpacked(code, given[0], count)


def _convert(run: Run, code: Code, given: Sequence[Value], how: str) -> Value:
    if how != "str":
        raise NotCompiled(f"!{how[0]} in a text")
    return textual.formatted(code, given[0], "")


def _format(run: Run, code: Code, given: Sequence[Value], _: Any) -> Value:
    how = given[1].value if len(given) == 2 and isinstance(given[1], Constant) else ""
    if len(given) == 2 and not how:
        raise NotCompiled("a format that varies")
    return textual.formatted(code, given[0], how)


def _string(run: Run, code: Code, given: Sequence[Value], _: Any) -> Value:
    return reduce(lambda text, part: arithmetic(code, "+", text, part), given)


def _call(run: Run, code: Code, given: Sequence[Value], names: Any) -> Value:
    function, *rest = given
    arguments, names = tuple(rest), tuple(names or ())
    if isinstance(function, Method):
        return _called_method(code, function, arguments, names)
    if not isinstance(function, Constant):
        raise NotCompiled("a call of what varies")
    if isinstance(function.value, types.FunctionType):
        made = run(function.value, arguments, names)
        return code.set(made.kinds, made.java)
    return calls.call(code, function.value, arguments, names)


def _called_method(
    code: Code, method: Method, given: tuple[Value, ...], names: tuple[str, ...]
) -> Value:
    owner, name = method.owner, method.name
    constant = owner.value if isinstance(owner, Constant) else None
    if isinstance(constant, dict) and type(constant) is dict:
        if name in _VIEWS and not given:
            return Constant(tuple(getattr(constant, name)()))
        if name == "get" and 1 <= len(given) <= 2 and not names:
            default = given[1] if len(given) == 2 else Constant(None)
            return textual.looked_up(code, constant, given[0], default)
        raise NotCompiled(f"the method {name} of a dict")
    if name == "join" and len(given) == 1 and isinstance(given[0], Iterated):
        raise NotCompiled("join of this")
    if name == "format":
        raise NotCompiled("str.format: write an f-string")
    return textual.method(code, owner, name, given, names)


OPERATIONS: dict[str, Operation] = {
    "attribute": _attribute,
    "binary": _binary,
    "compare": _compare,
    "unary": _unary,
    "item": _item,
    "slice": _slice,
    "tuple": _tuple,
    "list": _list,
    "unpack": _unpack,
    "convert": _convert,
    "format": _format,
    "string": _string,
    "call": _call,
}
