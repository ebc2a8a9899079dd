"""Places in what is in order, as the module ``bisect`` finds them."""

from __future__ import annotations

import bisect
from typing import Any

from notebook_udf.compile.java.collections import lookups
from notebook_udf.compile.java.iterating.iterators import materialised
from notebook_udf.compile.java.iterating.sorting import check_order
from notebook_udf.compile.java.writing.code import Code
from notebook_udf.compile.java.writing.terms import (
    INT,
    LIST,
    NONE,
    NUMBERS,
    STR,
    Kinds,
    KnownValue,
    NotCompiled,
    Parts,
    Term,
    Value,
    is_list,
)

_FUNCTIONS = (bisect.bisect_left, bisect.bisect_right, bisect.insort_left, bisect.insort_right)


def is_function(function: Any) -> bool:
    """Whether it is one of that module."""
    return any(function is each for each in _FUNCTIONS)


def called(code: Code, function: Any, given: tuple[Value, ...], names: tuple[str, ...]) -> Value:
    """The call of one of them."""
    if names not in ((), ("x",), ("a", "x")) or len(given) != 2:
        raise NotCompiled(f"a call of {function.__name__} with more than a list and a value")
    right = str(function in (bisect.bisect_right, bisect.insort_right)).lower()
    held, java = _listed(code, given[0])
    whole = given[0]
    if isinstance(whole, Term) and is_list(whole.kinds):
        term = code.whole(given[1], min(whole.kinds))
    else:
        term = code.term(given[1])
    if not held | term.kinds <= NUMBERS | STR | NONE:
        check_order(code, held | term.kinds, "values of bisect")
    found = f"PyKey.place({java}, {code.object(term)}, {right})"
    if function in (bisect.bisect_left, bisect.bisect_right):
        return code.set(INT, code.integers.of_long(found))
    if not isinstance(whole, Term) or f"{LIST}json" in whole.kinds:
        raise NotCompiled("insort into a constant")
    code.lists.check_changeable(whole.kinds)
    put = code.held_by(code.present(whole), term)
    code.say(f"{java}.add((int) {found}, {code.object(put)});")
    return KnownValue(None)


def _listed(code: Code, value: Value) -> tuple[Kinds, str]:
    """The kinds of what a list holds, and its Java."""
    if isinstance(value, KnownValue) and type(value.value) in (tuple, list):
        values = [code.term(KnownValue(each)) for each in value.value]
        java = f"PyList.list({lookups.array(code, value.value)})"
        kinds: Kinds = frozenset(kind for each in values for kind in each.kinds)
        return kinds, code.constant("java.util.ArrayList", java)
    whole = materialised(code, value) if isinstance(value, Parts) else code.present(value)
    if not is_list(whole.kinds):
        raise NotCompiled("bisect in what is no list")
    return code.lists.of(whole.kinds), whole.java
