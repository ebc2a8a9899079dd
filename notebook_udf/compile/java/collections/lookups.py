"""What is looked up in constants, lists and dicts, as Java."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Iterable
from typing import Any

from notebook_udf.compile.java.documents import json_values
from notebook_udf.compile.java.times import calendar_names
from notebook_udf.compile.java.writing import choices
from notebook_udf.compile.java.writing.code import Code
from notebook_udf.compile.java.writing.exceptions import raising
from notebook_udf.compile.java.writing.number_terms import as_int, number
from notebook_udf.compile.java.writing.terms import (
    BOOL,
    DATE,
    INT,
    KEYS,
    MAPPINGS,
    NONE,
    RECORD,
    SCALARS,
    STR,
    Kinds,
    KnownValue,
    Nested,
    NotCompiled,
    Parts,
    Slice,
    Term,
    Value,
    array_of,
    constant_parts,
    does_as_its_kind,
    is_literal,
    is_plain_tuple,
)

_LIST = "java.util.ArrayList"
_MOST_TUPLES = 500


def place(code: Code, value: Value) -> str:
    """A place in a sequence as a ``long``."""
    term = number(code, value)
    if term.kinds != INT:
        raise NotCompiled("a place that is no whole number")
    return code.integers.as_place(term)


def fitting_place(code: Code, value: Value) -> str:
    """The same for what raises an OverflowError where it is beyond 64 bits."""
    term = number(code, value)
    if term.kinds != INT:
        raise NotCompiled("a place that is no whole number")
    return term.java if code.integers.bounded else f"PyNumber.fitting({term.java})"


def limit(code: Code, value: Value) -> str:
    """A place in a sequence, or None, as a ``Long``."""
    if isinstance(value, KnownValue) and value.value is None:
        return "null"
    term = as_int(code, code.term(value))
    if code.integers.held(term.kinds) == "long":
        return f"Long.valueOf({term.java})"
    if not term.kinds <= INT | NONE:
        raise NotCompiled("a place that is no whole number")
    return f"PyNumber.limit({term.java})"


def are_keys(container: Iterable[Any], kinds: Kinds) -> bool:
    """Whether Java's equality of these with values of some kinds is Python's."""
    types = {type(each) for each in container}
    if types == {dt.date}:
        return kinds <= DATE | NONE
    if types <= {str, type(None)}:
        return kinds <= SCALARS
    if types == {bool}:
        return kinds <= BOOL | NONE
    numbers = types <= {int, str, type(None)} and kinds <= INT | STR | NONE
    return numbers and all(
        -(1 << 63) <= each < 1 << 63 for each in container if isinstance(each, int)
    )


def array(code: Code, values: Iterable[Any]) -> str:
    """An array of constants."""
    written = [code.object(KnownValue(each)) for each in values]
    if len(written) > 2000:
        raise NotCompiled("a constant with so many values")
    return array_of(written)


def known_item(container: Any, given: Value) -> KnownValue | None:
    """A constant's item, or a slice of it, if there is one and both are known; otherwise None."""
    container = calendar_names.plain(container)
    index: Any
    if isinstance(given, Slice) and all(isinstance(each, KnownValue) for each in given.limits):
        index = slice(*(each.value for each in given.limits if isinstance(each, KnownValue)))
    elif isinstance(given, KnownValue):
        index = given.value
    else:
        return None
    if type(container) in MAPPINGS and type(index) in (str, int, bool):
        return KnownValue(container[index]) if index in container else None
    if type(container) in (tuple, list, range) and type(index) is int:
        return KnownValue(container[index]) if -len(container) <= index < len(container) else None
    # A slice of a list is a new one, which may be changed.
    limits = (index.start, index.stop, index.step) if isinstance(index, slice) else ()
    whole = all(each is None or type(each) is int for each in limits)
    if type(container) in (tuple, range) and limits and whole and limits[2] != 0:
        return KnownValue(container[index])
    return None


def looked_up(code: Code, container: Any, index: Value, default: Value | None = None) -> Value:
    """``container[index]`` of a constant, or ``container.get(index, default)`` of a dict."""
    container = calendar_names.plain(container)
    values = container.values() if isinstance(container, dict) else container
    if default is not None and not container:
        return default
    if type(container) is Counter and default is None:
        default = KnownValue(0)
    known = default is not None or does_as_its_kind(container, "__getitem__")
    if not known or not isinstance(container, (dict, tuple, list)) or not container:
        raise NotCompiled(f"an item of this {type(container).__name__}")
    constants = tuple(map(KnownValue, values))
    if not all(map(is_literal, values)):
        default = default and as_constant(code, default)
        numbers = range(len(container))
        places = dict(zip(container, numbers, strict=True)) if isinstance(container, dict) else None
        none = KnownValue(len(container)) if default else None
        place_of = looked_up(code, places or tuple(numbers), index, none)
        return choices.of_places(
            code.term(place_of), (*constants, default) if default else constants
        )
    if isinstance(container, dict) and has_tuples(container):
        index = _tuple_key(code, container, index)
    kinds: Kinds = frozenset(kind for each in values for kind in code.integers.literal(each).kinds)
    if isinstance(container, dict):
        index = json_values.as_key(code, index)
    else:
        held = code.constant(_LIST, f"PyList.list({array(code, values)})")
        found = code.set_from(kinds, f"PyList.item({held}, {place(code, index)})")
        return choices.noted(found, constants)
    if not has_tuples(container) and not are_keys(container, code.term(index).kinds):
        raise NotCompiled("a dict whose keys are equal to values of other types")
    pairs = f"{_keys(code, container)}, {array(code, values)}"
    held = code.constant("java.util.HashMap", f"PyList.map({pairs})")
    found = _found(code, held, kinds, index, default)
    return choices.noted(found, (*constants, default) if default else constants)


def place_of(code: Code, container: Any, value: Value) -> Term:
    """``container.index(value)`` of a constant list or tuple.

    Raises
    ------
    NotCompiled
        If it holds anything but numbers and texts, or Java's equality is not Python's.
    """
    values = calendar_names.plain(container)
    if not all(type(each) in (int, str) for each in values):
        raise NotCompiled("the place of a value in such a list")
    # The first of those that are equal.
    places = {each: at for at, each in reversed(tuple(enumerate(values)))}
    found = code.term(looked_up(code, places, value, KnownValue(-1)))
    at = code.set(INT, found.java)
    code.say(f"if ({code.integers.as_place(at)} < 0L) {raising(ValueError)}")
    return at


def as_constant(code: Code, default: Value) -> Value:
    """What is made of constants alone, and only read, as a constant; any other value as it is."""
    if isinstance(default, Nested) and default.alone is not None:
        return default.alone
    if isinstance(default, Term) and default.java in code.empties:
        return KnownValue(code.empties[default.java])
    if not isinstance(default, Parts) or default.of is not None:
        return default
    parts = [each.value for each in default.parts if isinstance(each, KnownValue)]
    if len(parts) != len(default.parts):
        return default
    if default.form == "dict":
        return KnownValue(dict(zip(default.names, parts, strict=True)))
    if default.form == "list":
        return KnownValue(parts)
    return KnownValue(tuple(parts)) if is_plain_tuple(default) else default


def check_equality(code: Code, kinds: Kinds) -> None:
    """Refuses values of which one may be equal to another for what only Python knows."""
    records = frozenset(kind for kind in kinds if kind.startswith(RECORD))
    if not kinds - records <= INT | BOOL | STR | NONE:
        # NaN is what it is looked for if it is the same object.
        raise NotCompiled("what is equal to a value of this kind")
    if records:
        known = code.lists.of_records(records)
        if known.form not in ("tuple", "row"):
            raise NotCompiled("what is equal to an object")
        for each in known.parts:
            check_equality(code, each)


def has_tuples(container: Iterable[Any]) -> bool:
    """Whether all of some values are tuples, of which there is one at least."""
    return {type(each) for each in container} == {tuple}


def is_one_of_tuples(code: Code, value: Value, container: Iterable[Any]) -> str:
    """Whether a tuple is one of some constant ones."""
    key = _tuple_key(code, container, value)
    held = code.constant("java.util.HashSet", f"PyList.set({_keys(code, container)})")
    return f"{held}.contains({key.java})"


def _tuple_key(code: Code, container: Iterable[Any], value: Value) -> Term:
    """A tuple as a list of Java's, which is equal to another one where the tuples are."""
    if isinstance(value, Term) and "none" in value.kinds:
        raise NotCompiled("what may be a tuple or None, among tuples")
    whole = code.opened(constant_parts(value))
    if not isinstance(whole, Parts) or whole.form != "tuple":
        raise NotCompiled("what is no tuple, among tuples")
    parts = [code.term(each) for each in whole.parts]
    fits = {len(each) for each in container} == {len(parts)}
    columns = zip(parts, *container, strict=True) if fits else ()
    if not fits or not all(are_keys(column, part.kinds) for part, *column in columns):
        raise NotCompiled("a tuple that may be equal to one of other types")
    return Term(frozenset("?"), _list_of(code, parts))


def _list_of(code: Code, values: Iterable[Value]) -> str:
    return f"PyList.list({array_of(f'(Object) {code.object(each)}' for each in values)})"


def _keys(code: Code, container: Iterable[Any]) -> str:
    if not has_tuples(container):
        return array(code, container)
    keys = [_list_of(code, map(KnownValue, each)) for each in container]
    if len(keys) > _MOST_TUPLES:
        raise NotCompiled("a constant with so many tuples")
    return array_of(keys)


def item_of_dict(code: Code, whole: Term, key: Value, default: Value | None) -> Value:
    """An item of a dict that Spark gives: ``whole[key]``, or ``whole.get(key, default)``."""
    check_key(code, whole, key)
    return _found(code, whole.java, code.lists.of(whole.kinds), key, default)


def _found(code: Code, java: str, kinds: Kinds, key: Value, default: Value | None) -> Term:
    """What a map of Java's has for a key; without a default it raises where there is nothing."""
    given = f"{java}, {code.object(key)}"
    if default is None:
        return code.set_from(kinds, f"PyList.lookUp({given})")
    kinds |= code.term(default).kinds
    return code.set_from(kinds, f"PyList.lookUp({given}, {code.object(default)})")


def check_key(code: Code, whole: Term, key: Value) -> None:
    """Refuses a key that Java may find where Python does not, or the other way."""
    held = code.lists.of(frozenset(f"{kind}{KEYS}" for kind in whole.kinds))
    kinds = code.term(key).kinds
    # In one that is still empty nothing is found.
    fits = kinds <= SCALARS if held <= STR | NONE else (held | kinds) <= INT | STR | NONE
    if not fits and not (held | kinds) <= DATE | NONE:
        raise NotCompiled("a key that may be equal to one of another type")


def place_or_count(code: Code, whole: Term, name: str, given: tuple[Value, ...]) -> Value:
    """``whole.index(value)`` or ``whole.count(value)``."""
    (value,) = given
    held = code.lists.of(whole.kinds) - NONE
    if held not in (INT, STR, DATE) or not code.term(value).kinds <= held | NONE:
        raise NotCompiled(f"the method {name} of this list")
    java = f"PyList.{name}({whole.java}, {code.object(value)})"
    return code.set(INT, code.integers.of_long(java))
