"""What is evaluated for all rows at once, by its kind in ``compile.flow_graph``."""

from __future__ import annotations

import datetime
import inspect
import types
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any, TypeAlias

import pyarrow as pa
import pyarrow.compute as pc

from notebook_udf.worker.kernels import called, iteration, moments, numeric, parts, textual
from notebook_udf.worker.kernels.bound_arguments import is_plain
from notebook_udf.worker.kernels.values import (
    Column,
    Method,
    NoKernel,
    Rows,
    Several,
    Uniform,
    Value,
    domain_of,
    is_none,
    kept,
    truth,
)

# Evaluates a function of the user's that is called, with the names of its last arguments.
Run: TypeAlias = Callable[[types.FunctionType, Sequence[Value], Rows, Sequence[str]], Value]
Operation: TypeAlias = Callable[[Run, Rows, Sequence[Value], Any], Value]

_ORDERED = ("<", "<=", ">", ">=", "==", "!=")


@dataclass(frozen=True)
class _Slice:
    """What stands in brackets, until it is known of what."""

    limits: Sequence[Value]


def _attribute(run: Run, rows: Rows, given: Sequence[Value], name: str) -> Value:
    (owner,) = given
    if isinstance(owner, Uniform):
        if owner.value is datetime.datetime and name == "strptime":
            return Uniform(called.STRPTIME)
        if name in moments.ATTRIBUTES.get(domain_of(owner) or "int", ()):
            return Uniform(getattr(owner.value, name))
        of_module = isinstance(owner.value, types.ModuleType) and hasattr(owner.value, name)
        if of_module or _is_stored(owner.value, name):
            return Uniform(getattr(owner.value, name))
        return Method(owner, name)
    if isinstance(owner, Column) and name in moments.ATTRIBUTES.get(owner.domain, ()):
        return moments.attribute(rows, owner, name)
    return Method(owner, name)


def _binary(run: Run, rows: Rows, given: Sequence[Value], how: str) -> Value:
    # What these are in place of cannot be changed in place.
    return numeric.arithmetic(rows, how.removesuffix("="), *given)


def _compare(run: Run, rows: Rows, given: Sequence[Value], how: str) -> Value:
    left, right = given
    if how in _ORDERED:
        return numeric.comparison(rows, how, left, right)
    if how in ("in", "not in"):
        found = textual.contains(rows, left, right)
        return found if how == "in" else Column("bool", pc.invert(found.array))
    if not (isinstance(right, Uniform) and right.value is None):
        raise NoKernel(f"{how} anything but None")
    nothing = is_none(rows, left)
    return Column("bool", pa.array(nothing if how == "is" else ~nothing))


def _unary(run: Run, rows: Rows, given: Sequence[Value], how: str) -> Value:
    if how == "not":
        return Column("bool", pa.array(~truth(rows, given[0])))
    if how == "-":
        return numeric.negated(rows, given[0])
    raise NoKernel(f"{how} here")


def _item(run: Run, rows: Rows, given: Sequence[Value], _: Any) -> Value:
    container, index = given
    if isinstance(index, Uniform) and isinstance(index.value, _Slice):
        return parts.sliced(rows, container, index.value.limits)
    return parts.item(rows, container, index)


def _slice(run: Run, rows: Rows, given: Sequence[Value], _: Any) -> Value:
    return Uniform(_Slice(tuple(given)))


def _tuple(run: Run, rows: Rows, given: Sequence[Value], _: Any) -> Value:
    if not all(isinstance(each, Uniform) for each in given):
        return Several(tuple(map(kept, given)))
    return Uniform(tuple(each.value for each in given))  # type: ignore[union-attr]


def _unpack(run: Run, rows: Rows, given: Sequence[Value], count: int) -> Value:
    (whole,) = given
    if isinstance(whole, Several) and len(whole.parts) == count:
        return whole
    constant = whole.value if isinstance(whole, Uniform) else None
    if isinstance(constant, (tuple, list)) and len(constant) == count:
        return Several(tuple(map(Uniform, constant)))
    if not isinstance(whole, Column) or whole.domain != "texts":
        raise NoKernel("this into parts")
    rows.present(whole)
    rows.decline(pc.not_equal(pc.list_value_length(whole.array), count))
    return Several(tuple(parts.item(rows, whole, Uniform(place)) for place in range(count)))


def _convert(run: Run, rows: Rows, given: Sequence[Value], how: str) -> Value:
    if how != "str":
        raise NoKernel(f"!{how[0]} in a text")
    return textual.formatted(rows, given[0], "")


def _format(run: Run, rows: Rows, given: Sequence[Value], _: Any) -> Value:
    how = textual.constant_text(given, 1) if len(given) == 2 else ""
    return textual.formatted(rows, given[0], how)


def _string(run: Run, rows: Rows, given: Sequence[Value], _: Any) -> Value:
    return reduce(lambda text, part: numeric.arithmetic(rows, "+", text, part), given)


def _call(run: Run, rows: Rows, given: Sequence[Value], names: Any) -> Value:
    function, *arguments = given
    if isinstance(function, Method):
        own_method = _method(function)
        if own_method is not None:
            return run(own_method, [function.owner, *arguments], rows, names)
        placed = called.by_place(function.name, arguments, names)
        return called.method(rows, function.owner, function.name, placed)
    if not isinstance(function, Uniform):
        raise NoKernel("a call of what varies")
    own = function.value
    if id(own) in iteration.FUNCTIONS and not names:
        return iteration.FUNCTIONS[id(own)](rows, arguments)
    if isinstance(own, types.FunctionType) and not called.knows(own):
        if not is_plain(own):
            raise NoKernel(f"a call of {own.__name__}")
        return run(own, arguments, rows, names)
    return called.call(rows, own, arguments, names)


OPERATIONS: dict[str, Operation] = {
    "attribute": _attribute,
    "binary": _binary,
    "compare": _compare,
    "unary": _unary,
    "item": _item,
    "slice": _slice,
    "tuple": _tuple,
    "unpack": _unpack,
    "convert": _convert,
    "format": _format,
    "string": _string,
    "call": _call,
}


# What a class may hold that its objects read as it is, and no descriptor.
_PLAIN = (int, float, str, bool, type(None), tuple, dict, list, set, frozenset)


def _method(called_on: Method) -> types.FunctionType | None:
    """The function behind a method that a class of the user's defines; None if it is none."""
    if not isinstance(called_on.owner, Uniform):
        return None
    owner, name = called_on.owner.value, called_on.name
    kind: Any = type(owner)
    if kind.__getattribute__ is not object.__getattribute__ or name in _stored_in(owner):
        return None
    found = inspect.getattr_static(kind, name, None)
    return found if isinstance(found, types.FunctionType) and is_plain(found) else None


def _is_stored(owner: Any, name: str) -> bool:
    """Whether reading an attribute of an object is reading what is stored there, and no more."""
    kind: Any = type(owner)
    if kind.__getattribute__ is not object.__getattribute__:
        return False
    stored = _stored_in(owner)
    if not hasattr(kind, name):
        return name in stored
    return type(getattr(kind, name)) in _PLAIN


def _stored_in(owner: Any) -> dict[str, Any]:
    stored = getattr(owner, "__dict__", None)
    return stored if isinstance(stored, dict) else {}
