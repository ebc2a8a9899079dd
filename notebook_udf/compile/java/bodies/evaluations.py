"""What is evaluated, as Java, by its kind in ``compile.flow_graph``."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import Any

from notebook_udf.compile.java.bodies import function_calls, own_methods
from notebook_udf.compile.java.bodies.attributes import attribute
from notebook_udf.compile.java.bodies.comparisons import compare, is_none
from notebook_udf.compile.java.bodies.constant_operands import (
    Operation,
    for_each,
    raised_by_item,
    raised_by_none,
    raised_by_unpacking,
)
from notebook_udf.compile.java.bodies.constant_texts import with_texts
from notebook_udf.compile.java.bodies.nested_functions import as_constants, with_attribute
from notebook_udf.compile.java.calls import builtin_calls, type_tests
from notebook_udf.compile.java.collections import (
    changeable_records,
    containers,
    enum_members,
    lookups,
    set_values,
)
from notebook_udf.compile.java.documents import json_values
from notebook_udf.compile.java.iterating import unpacking
from notebook_udf.compile.java.iterating.columns_of_lists import columns, is_zip
from notebook_udf.compile.java.iterating.generated_values import (
    FunctionCalls,
    first_listed,
    listed,
)
from notebook_udf.compile.java.iterating.iterators import (
    filled,
    is_listed,
    materialised,
    through_constants,
)
from notebook_udf.compile.java.numbers.arithmetic import (
    arithmetic,
    negated,
    truth,
)
from notebook_udf.compile.java.numbers.powers import power
from notebook_udf.compile.java.objects import (
    enum_classes,
    known_objects,
    named_parts,
)
from notebook_udf.compile.java.texts import templates, text_methods
from notebook_udf.compile.java.writing.code import Code
from notebook_udf.compile.java.writing.number_terms import number
from notebook_udf.compile.java.writing.terms import (
    BOOL,
    INT,
    NONE,
    SCALARS,
    Generated,
    Iteration,
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


def _binary(run: FunctionCalls, code: Code, given: Sequence[Value], how: str) -> Value:
    left, right = given = tuple(enum_members.plain(code, each) for each in given)
    found = own_methods.by_operator(run, code, how, left, right)
    found = found or type_tests.union(how, left, right)
    if found is not None:
        return found
    if how in ("%", "%=") and isinstance(left, KnownValue) and type(left.value) is str:
        write, represent = text_methods.formatted, text_methods.represented
        return templates.percent(code, left.value, right, write, represent)
    if how in ("**", "**="):
        return power(code, left, right)
    if set_values.are_sets(left, right):
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
    if how == "*=" and isinstance(left, Term) and is_list(left.kinds):
        return containers.multiplied(code, left, right)
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
    found = own_methods.item(run, code, whole, index)
    found = found or changeable_records.item(code, whole, index)
    if found is not None:
        return found
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
    found = own_methods.called(run, code, len, tuple(given))
    return found or builtin_calls.call(code, len, tuple(given), ())


def _slice(run: FunctionCalls, code: Code, given: Sequence[Value], _: Any) -> Value:
    return Slice(tuple(given))


def _tuple(run: FunctionCalls, code: Code, given: Sequence[Value], _: Any) -> Value:
    constants = [each.value for each in as_constants(given) if isinstance(each, KnownValue)]
    return KnownValue(tuple(constants)) if len(constants) == len(given) else Parts(tuple(given))


def _list(run: FunctionCalls, code: Code, given: Sequence[Value], _: Any) -> Value:
    held = tuple(as_constants(given))
    return Parts(held, form="list") if held else code.empty(code.new_list(), [])


def _map(run: FunctionCalls, code: Code, given: Sequence[Value], _: Any) -> Value:
    if not given:
        return code.empty(json_values.empty_dict(code), {})
    constants = [each.value for each in as_constants(given) if isinstance(each, KnownValue)]
    if len(constants) == len(given):
        made = dict(zip(constants[::2], constants[1::2], strict=True))
        code.displays[id(made)] = made
        return KnownValue(made)
    keys = [each.value if isinstance(each, KnownValue) else None for each in given[::2]]
    names = tuple(key for key in keys if type(key) is str)
    if len(names) == len(keys) == len(set(names)):
        return Parts(tuple(given[1::2]), names, "dict")
    return containers.new_dict(code, tuple(given))


def _grow(run: FunctionCalls, code: Code, given: Sequence[Value], how: str) -> Value:
    whole = given[0]
    if isinstance(whole, Term):
        code.empties.pop(whole.java, None)
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
    whole = code.present(whole)
    if not changeable_records.set_item(code, whole, index, value):
        containers.store(code, whole, index, value)
    return KnownValue(None)


def _store_attribute(run: FunctionCalls, code: Code, given: Sequence[Value], name: str) -> Value:
    value, owner = given
    changeable_records.set_attribute(code, owner, name, value)
    return KnownValue(None)


def _delete(run: FunctionCalls, code: Code, given: Sequence[Value], _: Any) -> Value:
    whole, index = given
    containers.delete(code, code.present(whole), index)
    return KnownValue(None)


def _matches(run: FunctionCalls, code: Code, given: Sequence[Value], _: Any) -> Value:
    raised, handler = given
    if not isinstance(raised, Term) or not isinstance(handler, KnownValue):
        raise NotCompiled("an except clause with what varies")
    return code.set(BOOL, f"{raised.java}.is({code.constants.raised.taken_by(handler.value)})")


def _import(run: FunctionCalls, code: Code, given: Sequence[Value], name: str) -> Value:
    level, names = (each.value if isinstance(each, KnownValue) else None for each in given)
    if level != 0:
        raise NotCompiled("an import from the package around it")
    return KnownValue(known_objects.module(name if names else name.partition(".")[0]))


def _next(run: FunctionCalls, code: Code, given: Sequence[Value], _: Any) -> Value:
    (over,) = given
    if not isinstance(over, Iteration):
        raise NotCompiled("the next of this")
    return over.value


def _generator(run: FunctionCalls, code: Code, given: Sequence[Value], _: Any) -> Value:
    return KnownValue(None)


def _unpack(run: FunctionCalls, code: Code, given: Sequence[Value], count: Any) -> Value:
    value = given[0]
    if isinstance(count, tuple):
        return unpacking.with_rest(code, listed(run, code, value), *count)
    if isinstance(value, Generated):
        # Python asks for one more than there are to be, and for no other.
        value = first_listed(run, code, value, count + 1)
    return unpacking.unpacked(code, value, count)


def _convert(run: FunctionCalls, code: Code, given: Sequence[Value], how: str) -> Value:
    if how == "ascii":
        raise NotCompiled("!a in a text")
    found = own_methods.text(run, code, given[0], how)
    if found is not None:
        return found
    if how == "repr":
        return text_methods.represented(code, given[0])
    return text_methods.formatted(code, given[0], "")


def _format(run: FunctionCalls, code: Code, given: Sequence[Value], _: Any) -> Value:
    value, how = (*given, KnownValue(""))[:2]
    found = own_methods.formatted(run, code, value, how)
    return found or text_methods.format_chosen(code, value, how)


def _string(run: FunctionCalls, code: Code, given: Sequence[Value], _: Any) -> Value:
    return reduce(lambda text, part: arithmetic(code, "+", text, part), given)


def _intrinsic(run: FunctionCalls, code: Code, given: Sequence[Value], which: int) -> Value:
    if which != LIST_TO_TUPLE:
        raise NotCompiled("intrinsic here")
    return unpacking.tuple_of(code, given[0])


def _call_unpacked(run: FunctionCalls, code: Code, given: Sequence[Value], _: Any) -> Value:
    function, arguments, *named = given
    known = unpacking.known_parts(code, arguments)
    if known is None and is_zip(function, named):
        return columns(code, listed(run, code, arguments))
    count = named_parts.positions(function.value) if isinstance(function, KnownValue) else None
    if known is None and count is not None:
        if isinstance(arguments, Generated):
            arguments = listed(run, code, arguments)
        known = unpacking.arguments(code, arguments, count)
    if known is None or named:
        raise NotCompiled("a call of so many arguments as a list has")
    return _call(run, code, (function, *known), ())


def _call(run: FunctionCalls, code: Code, given: Sequence[Value], names: Any) -> Value:
    function, *arguments = given
    if isinstance(function, KnownValue) and function.value is len and not names:
        return OPERATIONS["length"](run, code, arguments, None)
    if builtin_calls.goes_through(function):
        arguments = [through_constants(code, each) for each in arguments]

    def evaluate(kind: str, detail: Any, values: tuple[Value, ...]) -> Value:
        return OPERATIONS[kind](run, code, values, detail)

    return function_calls.called(run, code, function, arguments, tuple(names or ()), evaluate)


OPERATIONS: dict[str, Operation] = {
    "attribute": attribute,
    "binary": with_texts("binary", for_each(_binary)),
    "compare": for_each(compare),
    "unary": _unary,
    "item": with_texts("item", for_each(_item, raised_by_item)),
    "slice": _slice,
    "is_sequence": for_each(_is_sequence),
    "length": for_each(_length, raised_by_none),
    "tuple": _tuple,
    "list": _list,
    "set": lambda run, code, given, _: set_values.of_items(code, tuple(given)),
    "map": _map,
    "grow": _grow,
    "store_item": _store,
    "store_attribute": _store_attribute,
    "delete_item": _delete,
    "closure": lambda run, code, given, name: KnownValue(name),
    "function_attribute": lambda run, code, given, how: with_attribute(code, how, *given),
    "next": _next,
    "import": _import,
    "import_from": attribute,
    "exception_match": _matches,
    "generator": _generator,
    "unpack": for_each(_unpack, raised_by_unpacking),
    "convert": with_texts("convert", _convert),
    "format": with_texts("format", _format),
    "string": with_texts("string", _string),
    "call": with_texts("call", _call),
    "call_unpacked": _call_unpacked,
    "intrinsic": _intrinsic,
}
