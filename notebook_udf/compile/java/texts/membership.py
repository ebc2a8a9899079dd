"""``value in container``, as Java."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from notebook_udf.compile.java.collections import set_values
from notebook_udf.compile.java.collections.lookups import (
    are_keys,
    array,
    check_equality,
    check_key,
    has_tuples,
    is_one_of_tuples,
)
from notebook_udf.compile.java.documents import json_values
from notebook_udf.compile.java.numbers.arithmetic import comparison
from notebook_udf.compile.java.objects import named_parts
from notebook_udf.compile.java.texts.text_encodings import beside_bytes
from notebook_udf.compile.java.texts.text_methods import text_of
from notebook_udf.compile.java.writing.code import Code
from notebook_udf.compile.java.writing.terms import (
    DATE,
    INT,
    SCALARS,
    KnownValue,
    NotCompiled,
    Parts,
    Sequence,
    Term,
    Value,
    does_as_its_kind,
    is_dict,
    is_list,
    is_queue,
    is_record,
)

# Of how many values that are no keys of one kind each is compared.
_MOST_COMPARED = 16


def contains(code: Code, value: Value, container: Value) -> str | bool:
    """``value in container``: an expression, or the answer for every row."""
    if isinstance(container, KnownValue) and not isinstance(container.value, str):
        return _is_one_of(code, value, container.value)
    if isinstance(container, Sequence) and container.has is not None:
        return container.has(value)
    container = code.opened(container)
    if isinstance(container, Parts):
        named_parts.check_places(container)
        varying = [code.term(each) for each in container.parts if not isinstance(each, KnownValue)]
        _check_identity(code.term(value), *varying)
        tests = [code.term(comparison(code, "==", value, each)).java for each in container.parts]
        return " || ".join(tests) or False
    if set_values.involves_set(container):
        return set_values.contains(code, value, container)
    whole = code.present(container)
    if is_list(whole.kinds) or is_queue(whole.kinds):
        held = code.lists.of(whole.kinds)
        if isinstance(code.opened(value), Parts) and is_record(held):
            sought = code.whole(value, min(whole.kinds))
            check_equality(code, held | sought.kinds)
            return f"PyList.has({whole.java}, {code.object(sought)})"
        held |= code.term(value).kinds
        if not held <= SCALARS | DATE:
            raise NotCompiled("in a list of lists")
        _check_identity(code.term(value), Term(code.lists.of(whole.kinds), ""))
        return f"PyList.contains({whole.java}, {code.object(value)})"
    if is_dict(whole.kinds):
        check_key(code, whole, value)
        return f"{whole.java}.containsKey({code.object(value)})"
    if json_values.is_part(whole):
        return json_values.contains(code, value, whole)
    part = text_of(code, value, "in")
    if isinstance(container, KnownValue):
        return f"{code.constant('PyAmong', f'new PyAmong({whole.java})')}.has({part})"
    text = text_of(code, beside_bytes(code, whole), "in")
    return f"PyText.contains({text}, {part})"


def is_in_view(code: Code, value: Value, whole: Term, name: str) -> str | bool:
    """``value in whole.keys()``, or ``in whole.values()``, of a dict."""
    if name == "keys":
        return contains(code, value, whole)
    if name != "values":
        raise NotCompiled(f"in the {name} of a dict")
    values = code.new_list()
    code.lists.put(values.kinds, code.lists.of(whole.kinds))
    code.say(f"{values.java}.addAll({whole.java}.values());")
    return contains(code, value, values)


def _check_identity(value: Term, *others: Term) -> None:
    """Refuses to look for a float among floats: NaN is found there if it is the same object."""
    if "float" in value.kinds and any("float" in other.kinds for other in others):
        raise NotCompiled("in a list of floats")


def _is_one_of(code: Code, value: Value, container: Any) -> str | bool:
    if isinstance(container, range):
        return _is_within(code, value, container)
    if not does_as_its_kind(container, "__contains__"):
        raise NotCompiled(f"in a {type(container).__name__}")
    if not isinstance(container, (tuple, list)):
        value = json_values.as_key(code, value)
    if not container:
        return False
    if has_tuples(container):
        return is_one_of_tuples(code, value, container)
    if not are_keys(container, code.term(value).kinds):
        if len(container) > _MOST_COMPARED:
            raise NotCompiled("in so many values of several types")
        return contains(code, value, Parts(tuple(map(KnownValue, container))))
    return f"{_set(code, container)}.contains({code.object(value)})"


def _is_within(code: Code, value: Value, numbers: range) -> str:
    term = code.term(value)
    if not term.kinds <= SCALARS or not numbers:
        raise NotCompiled("in this range")
    if numbers.step < 0:
        numbers = numbers[::-1]
    if term.kinds != INT or not code.integers.bounded or numbers.step != 1:
        limits = ", ".join(f"{each}L" for each in (numbers.start, numbers.stop, numbers.step))
        return f"PyRange.contains({code.object(term)}, {limits})"
    low = code.term(comparison(code, ">=", term, KnownValue(numbers.start))).java
    return f"{low} && {code.term(comparison(code, '<', term, KnownValue(numbers.stop))).java}"


def _set(code: Code, container: Iterable[Any]) -> str:
    return code.constant("java.util.HashSet", f"PyList.set({array(code, container)})")
