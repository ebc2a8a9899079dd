"""What is evaluated, as Java, by its kind in ``compile.flow_graph``."""

from __future__ import annotations

import datetime as dt
import types
from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any, TypeAlias, TypeGuard

from notebook_udf.compile.java.bodies import function_calls
from notebook_udf.compile.java.calls import (
    builtin_calls,
)
from notebook_udf.compile.java.collections import containers, enum_members, lookups, set_values
from notebook_udf.compile.java.documents import json_values
from notebook_udf.compile.java.iterating import unpacking
from notebook_udf.compile.java.iterating.generated_values import (
    FunctionCalls,
    listed,
)
from notebook_udf.compile.java.iterating.iterators import filled, is_listed, materialised
from notebook_udf.compile.java.numbers.arithmetic import (
    arithmetic,
    comparison,
    negated,
    truth,
)
from notebook_udf.compile.java.numbers.powers import power
from notebook_udf.compile.java.objects import enum_classes, known_objects, named_parts
from notebook_udf.compile.java.standard_library import posix_paths, url_parts
from notebook_udf.compile.java.texts import templates, text_methods
from notebook_udf.compile.java.times import date_values
from notebook_udf.compile.java.times.date_values import is_temporal
from notebook_udf.compile.java.writing.code import Code
from notebook_udf.compile.java.writing.exceptions import taken_by
from notebook_udf.compile.java.writing.number_terms import number
from notebook_udf.compile.java.writing.terms import (
    BOOL,
    INT,
    NONE,
    SCALARS,
    BoundMethod,
    Generated,
    KnownValue,
    NotCompiled,
    Parts,
    Slice,
    Term,
    Value,
    constant_parts,
    is_dict,
    is_list,
    is_set,
)
from notebook_udf.compile.opcodes import LIST_TO_TUPLE

Operation: TypeAlias = Callable[[FunctionCalls, Code, Sequence[Value], Any], Value]

# Classes whose first and last values are constants of theirs.
_TIMES: tuple[Any, ...] = (dt.date, dt.datetime, dt.time)
_ORDERED = ("<", "<=", ">", ">=", "==", "!=")


def _attribute(run: FunctionCalls, code: Code, given: Sequence[Value], name: str) -> Value:
    (owner,) = given
    if isinstance(owner, KnownValue) and isinstance(owner.value, types.ModuleType):
        if not hasattr(owner.value, name):
            raise NotCompiled(f"{name}, which {owner.value.__name__} has not")
        code.constants.files.add(getattr(owner.value, "__file__", None) or "")
        return KnownValue(getattr(owner.value, name))
    if _is_enum(owner) or enum_classes.is_member(owner):
        return enum_members.attribute(code, owner, name)
    if name in ("min", "max") and _is_time(owner):
        return KnownValue(getattr(owner.value, name))
    if isinstance(owner, KnownValue) and known_objects.is_object(owner.value):
        code.constants.files.add(known_objects.file_of(owner.value))
        known = known_objects.attribute(owner.value, name)
        return BoundMethod(owner, name) if known is None else known
    if isinstance(owner, KnownValue) and isinstance(owner.value, (dt.date, dt.timedelta)):
        if name == "time":
            return BoundMethod(owner, name)
        owner = code.term(owner)
    if isinstance(owner, Term):
        # Python asks for a method before it evaluates what the method is called with.
        owner = code.present(owner, AttributeError)
    if isinstance(owner, Term) and is_temporal(owner):
        found = date_values.attribute(code, owner, name)
        if found is not None:
            return found
    owner = code.opened(owner, AttributeError)
    method = named_parts.function_of(owner, name)
    if method is not None and method[1]:
        return run.function(method[0], (owner,), ())
    if isinstance(owner, Parts) and owner.form == "dict":
        owner = containers.of_parts(code, owner)
    if isinstance(owner, Parts) and name in owner.names:
        return named_parts.part(owner, name)
    found = url_parts.attribute(code, owner, name) or posix_paths.attribute(code, owner, name)
    if found is not None:
        return found
    if isinstance(owner, Term) and json_values.is_part(owner):
        owner = json_values.with_attribute(code, owner, name)
    return BoundMethod(owner, name)


def _is_time(value: Value) -> TypeGuard[KnownValue]:
    # By identity: what an array is equal to is no yes and no no.
    return isinstance(value, KnownValue) and any(value.value is each for each in _TIMES)


def _is_enum(value: Value) -> bool:
    return isinstance(value, KnownValue) and enum_classes.is_class(value.value)


def _binary(run: FunctionCalls, code: Code, given: Sequence[Value], how: str) -> Value:
    left, right = given = tuple(map(enum_classes.plain, given))
    if how in ("%", "%=") and isinstance(left, KnownValue) and type(left.value) is str:
        return templates.percent(code, left.value, right, text_methods.formatted)
    if how in ("**", "**="):
        return power(code, left, right)
    if set_values.involves_set(left, right):
        return set_values.operation(code, how, left, right)
    if how in ("|", "|=") and containers.is_mapping(left) and containers.is_mapping(right):
        return containers.united(code, how, left, right)
    # What these are in place of cannot be changed in place, but for lists of a document.
    json_values.check_in_place(how, *given)
    if how == "+" and is_listed(left) and is_listed(right):
        return _joined(code, left, right)
    if how in ("+=", "*=") and isinstance(left, Parts) and left.is_list:
        code.lists.change_in_place()
        raise NotCompiled(f"{how} of a list")
    if how == "+=" and isinstance(left, Term) and is_list(left.kinds):
        return containers.grown(code, left, right)
    if how == "*" and (is_listed(left) or is_listed(right)):
        listed, times = (left, right) if is_listed(left) else (right, left)
        return containers.repeated(code, listed, times)
    return arithmetic(code, how.removesuffix("="), *given)


def _joined(code: Code, *lists: Value) -> Value:
    """A new list of what lists hold."""
    made = code.new_list()
    for each in lists:
        if isinstance(each, Term):
            # With a list Python raises, and with another one it is a tuple.
            code.lists.check_changeable(each.kinds)
        whole = materialised(code, code.present(each) if isinstance(each, Term) else each)
        code.lists.put(made.kinds, code.lists.of(whole.kinds))
        code.say(f"{made.java}.addAll({whole.java});")
    return made


def _compare(run: FunctionCalls, code: Code, given: Sequence[Value], how: str) -> Value:
    left, right = map(enum_classes.plain, given)
    same = enum_members.compared(code, how, left, right)
    if same is not None:
        return same
    if how in _ORDERED:
        if set_values.involves_set(left, right):
            return set_values.compared(code, how, left, right)
        left, right = code.opened(left), code.opened(right)
        in_order = containers.compared_lists(code, how, left, right)
        if in_order is not None:
            return in_order
        if isinstance(left, Parts) or isinstance(right, Parts):
            return _compare_tuples(code, how, left, right)
        return comparison(code, how, left, right)
    if how in ("in", "not in"):
        found: str | bool | None = None
        if isinstance(right, KnownValue):
            found = enum_members.is_one_of(code, left, right.value)
        if found is None:
            found = text_methods.contains(code, left, right)
        if isinstance(found, bool):
            return KnownValue(found == (how == "in"))
        return code.set(BOOL, found if how == "in" else f"!({found})")
    if not (isinstance(right, KnownValue) and right.value is None):
        raise NotCompiled(f"{how} anything but None")
    known = is_none(code, left)
    if isinstance(known, bool):
        return KnownValue(known == (how == "is"))
    return code.set(BOOL, known if how == "is" else f"!({known})")


def _compare_tuples(code: Code, how: str, left: Value, right: Value) -> Value:
    """Two tuples, by the first of their parts that are not equal."""
    one, other = (_parts_of(each) for each in (left, right))
    by_order = how not in ("==", "!=")
    if len(one) != len(other):
        if by_order:
            raise NotCompiled("the order of tuples of other lengths")
        return KnownValue(how == "!=")
    for a, b in zip(one, other, strict=True):
        _check_comparable(code, a, b)
    same = [code.term(comparison(code, "==", a, b)).java for a, b in zip(one, other, strict=True)]
    if not by_order:
        found = " && ".join(same) or "true"
        return code.set(BOOL, found if how == "==" else f"!({found})")
    # Parts behind the first that differ are not compared: they may be None, which raises.
    least = code.set(BOOL, "true" if how in ("<=", ">=") else "false")
    for equal, a, b in zip(same, one, other, strict=True):
        code.say(f"if (!({equal})) {{")
        code.say(f"{least.java} = {code.term(comparison(code, how, a, b)).java};")
        code.say("} else {")
    code.say("}" * len(same))
    return least


def _check_comparable(code: Code, a: Value, b: Value) -> None:
    """Refuses parts of tuples of which the same object is equal to itself, as a NaN is there."""
    kinds = code.term(a).kinds | code.term(b).kinds
    known = any(isinstance(each, KnownValue) and each.value == each.value for each in (a, b))
    if "float" in kinds and not known:
        raise NotCompiled("comparing tuples with floats in them")
    if not kinds <= SCALARS and len(kinds - NONE) != 1:
        raise NotCompiled("comparing tuples with such values in them")


def _parts_of(value: Value) -> tuple[Value, ...]:
    if isinstance(value, KnownValue) and type(value.value) is tuple:
        return tuple(map(KnownValue, value.value))
    if not isinstance(value, Parts) or value.form != "tuple":
        raise NotCompiled("comparing a tuple with something else")
    return value.parts


def is_none(code: Code, value: Value) -> str | bool:
    """Whether a value is None: an expression, or the answer for every row."""
    if isinstance(value, KnownValue):
        return value.value is None
    if isinstance(value, Parts):
        return False
    term = code.term(value)
    if "none" not in term.kinds:
        return False
    return len(term.kinds) == 1 or f"{term.java} == null"


def _unary(run: FunctionCalls, code: Code, given: Sequence[Value], how: str) -> Value:
    if how == "-":
        return negated(code, given[0])
    if how == "~":
        whole = number(code, given[0])
        if whole.kinds != INT:
            raise NotCompiled("~ of what is no whole number")
        # No other number of 64 bits has none.
        return arithmetic(code, "-", negated(code, whole), KnownValue(1))
    if how != "not":
        raise NotCompiled(f"{how} here")
    found = truth(code, given[0])
    return KnownValue(not found) if isinstance(found, bool) else code.set(BOOL, f"!({found})")


def _item(run: FunctionCalls, code: Code, given: Sequence[Value], _: Any) -> Value:
    whole, index = given
    if isinstance(whole, KnownValue) and enum_classes.is_class(whole.value):
        return enum_members.by_name(code, whole.value, index)
    if isinstance(whole, KnownValue):
        chosen = enum_members.by_member(code, whole.value, index)
        if chosen is not None:
            return chosen
        known = lookups.known_item(whole.value, index)
        if known is not None:
            return known
    if isinstance(whole, Term) and is_dict(whole.kinds):
        containers.made_of_key(code, whole, index)
    return text_methods.item(code, whole, index)


def _is_sequence(run: FunctionCalls, code: Code, given: Sequence[Value], _: Any) -> Value:
    """Whether a pattern in brackets may match a value."""
    value = constant_parts(code.opened(given[0]))
    if isinstance(value, Parts) and value.form in ("tuple", "list"):
        return KnownValue(True)
    kinds = code.term(value).kinds
    if is_list(kinds - NONE):
        found = is_none(code, value)
        return KnownValue(not found) if isinstance(found, bool) else code.set(BOOL, f"!({found})")
    if kinds <= SCALARS:
        return KnownValue(False)
    raise NotCompiled("a pattern for what may be a list or something else")


def _length(run: FunctionCalls, code: Code, given: Sequence[Value], _: Any) -> Value:
    return builtin_calls.call(code, len, tuple(given), ())


def _slice(run: FunctionCalls, code: Code, given: Sequence[Value], _: Any) -> Value:
    return Slice(tuple(given))


def _tuple(run: FunctionCalls, code: Code, given: Sequence[Value], _: Any) -> Value:
    constants = [each.value for each in given if isinstance(each, KnownValue)]
    return KnownValue(tuple(constants)) if len(constants) == len(given) else Parts(tuple(given))


def _list(run: FunctionCalls, code: Code, given: Sequence[Value], _: Any) -> Value:
    return Parts(tuple(given), form="list") if given else code.new_list()


def _map(run: FunctionCalls, code: Code, given: Sequence[Value], _: Any) -> Value:
    if not given:
        return json_values.empty_dict(code)
    constants = [each.value for each in given if isinstance(each, KnownValue)]
    if len(constants) == len(given):
        return KnownValue(dict(zip(constants[::2], constants[1::2], strict=True)))
    keys = [each.value if isinstance(each, KnownValue) else None for each in given[::2]]
    names = tuple(key for key in keys if type(key) is str)
    if len(names) == len(keys) == len(set(names)):
        return Parts(tuple(given[1::2]), names, "dict")
    return containers.new_dict(code, tuple(given))


def _grow(run: FunctionCalls, code: Code, given: Sequence[Value], how: str) -> Value:
    whole = given[0]
    if isinstance(whole, Term) and is_set(whole.kinds):
        change = set_values.put if how == "set_add" else set_values.extend
        change(code, whole, given[1])
        return whole
    if how == "list_extend" and isinstance(whole, Term):
        return filled(code, whole, given[1])
    if how == "list_append" and isinstance(whole, Term):
        code.put(whole, given[1])
    elif how == "dict_update" and isinstance(whole, Term):
        containers.put_all(code, whole, given[1])
    elif how == "map_add" and isinstance(whole, Term):
        containers.put_item(code, whole, given[1], given[2])
    else:
        raise NotCompiled(how.replace("_", " "))
    return whole


def _store(run: FunctionCalls, code: Code, given: Sequence[Value], _: Any) -> Value:
    value, whole, index = given
    containers.store(code, code.present(whole), index, value)
    return KnownValue(None)


def _matches(run: FunctionCalls, code: Code, given: Sequence[Value], _: Any) -> Value:
    raised, handler = given
    if not isinstance(raised, Term) or not isinstance(handler, KnownValue):
        raise NotCompiled("an except clause with what varies")
    return code.set(BOOL, f"{raised.java}.is({taken_by(handler.value)})")


def _import(run: FunctionCalls, code: Code, given: Sequence[Value], name: str) -> Value:
    level, names = (each.value if isinstance(each, KnownValue) else None for each in given)
    if level != 0:
        raise NotCompiled("an import from the package around it")
    return KnownValue(known_objects.module(name if names else name.partition(".")[0]))


def _closure(run: FunctionCalls, code: Code, given: Sequence[Value], name: str) -> Value:
    return KnownValue(name)


def _generator(run: FunctionCalls, code: Code, given: Sequence[Value], _: Any) -> Value:
    return KnownValue(None)


def _unpack(run: FunctionCalls, code: Code, given: Sequence[Value], count: Any) -> Value:
    value = given[0]
    if isinstance(value, Generated):
        if code.lists.handled:
            # Python asks for one more than there are to be, and for no other.
            raise NotCompiled("a generator taken apart, beside try")
        value = listed(run, code, value)
    if isinstance(count, tuple):
        return unpacking.with_rest(code, value, *count)
    return unpacking.unpacked(code, value, count)


def _convert(run: FunctionCalls, code: Code, given: Sequence[Value], how: str) -> Value:
    if how == "ascii":
        raise NotCompiled("!a in a text")
    if how == "repr":
        return text_methods.represented(code, given[0])
    return text_methods.formatted(code, given[0], "")


def _format(run: FunctionCalls, code: Code, given: Sequence[Value], _: Any) -> Value:
    if len(given) == 1:
        return text_methods.formatted(code, given[0], "")
    return text_methods.format_chosen(code, given[0], given[1])


def _string(run: FunctionCalls, code: Code, given: Sequence[Value], _: Any) -> Value:
    return reduce(lambda text, part: arithmetic(code, "+", text, part), given)


def _intrinsic(run: FunctionCalls, code: Code, given: Sequence[Value], which: int) -> Value:
    if which != LIST_TO_TUPLE:
        raise NotCompiled("intrinsic here")
    return unpacking.tuple_of(code, given[0])


def _call_unpacked(run: FunctionCalls, code: Code, given: Sequence[Value], _: Any) -> Value:
    function, arguments, *named = given
    known = unpacking.known_parts(code, arguments)
    if known is None or named:
        raise NotCompiled("a call of so many arguments as a list has")
    return _call(run, code, (function, *known), ())


def _call(run: FunctionCalls, code: Code, given: Sequence[Value], names: Any) -> Value:
    function, *arguments = given

    def evaluate(kind: str, detail: Any, values: tuple[Value, ...]) -> Value:
        return OPERATIONS[kind](run, code, values, detail)

    return function_calls.called(run, code, function, arguments, tuple(names or ()), evaluate)


OPERATIONS: dict[str, Operation] = {
    "attribute": _attribute,
    "binary": _binary,
    "compare": _compare,
    "unary": _unary,
    "item": _item,
    "slice": _slice,
    "is_sequence": _is_sequence,
    "length": _length,
    "tuple": _tuple,
    "list": _list,
    "set": lambda run, code, given, _: set_values.of_items(code, tuple(given)),
    "map": _map,
    "grow": _grow,
    "store_item": _store,
    "closure": _closure,
    "import": _import,
    "import_from": _attribute,
    "exception_match": _matches,
    "generator": _generator,
    "unpack": _unpack,
    "convert": _convert,
    "format": _format,
    "string": _string,
    "call": _call,
    "call_unpacked": _call_unpacked,
    "intrinsic": _intrinsic,
}
