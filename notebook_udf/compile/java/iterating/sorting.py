"""``sorted`` and ``list.sort``, as Java."""

from __future__ import annotations

import heapq
import sys
from typing import Any

from notebook_udf.compile.bindings import taken
from notebook_udf.compile.java.documents import json_values
from notebook_udf.compile.java.iterating.iterators import iterated, materialised
from notebook_udf.compile.java.writing.code import Code
from notebook_udf.compile.java.writing.terms import (
    BOOL,
    DATE,
    DECIMAL,
    INT,
    MOMENT,
    NONE,
    NUMBERS,
    PARTS,
    STR,
    Call,
    Kinds,
    KnownValue,
    NotCompiled,
    Parts,
    Sequence,
    Term,
    Value,
    array_of,
    is_known_none,
    is_list,
    is_record,
)

# With a NaN it matters which values are compared: 3.13 has another way to find runs.
_LONG_RUNS = str(sys.version_info >= (3, 13)).lower()


def flag(value: Value, said: str) -> bool:
    """A True or False that is written there."""
    if not isinstance(value, KnownValue) or type(value.value) is not bool:
        raise NotCompiled(f"{said} that varies")
    return value.value


def is_complete(code: Code, value: Value) -> bool:
    """Whether Python has all values of it before the first is looked at."""
    if not isinstance(value, Term):
        return False
    kinds = value.kinds - NONE
    return json_values.is_part(value) or (is_list(kinds) and not kinds & code.lists.one_by_one)


def check_order(code: Code, held: Kinds, what: str, *, complete: bool = False) -> None:
    """Refuses values that Java does not put in an order, or raises for at another time.

    Of what is complete Python knows all values as well before it compares two.
    """
    code.lists.check_order(held, complete=complete)
    if is_record(held):
        known = code.lists.of_records(held)
        if known.form != "tuple":
            raise NotCompiled(f"{what} that are no tuples")
        for kinds in known.parts:
            check_order(code, kinds, "parts of tuples", complete=complete)
        return
    if held - NONE in (DATE, MOMENT, DECIMAL):
        return
    lists = held - NONE
    if lists and is_list(lists):
        if lists & code.lists.fixed and not lists <= code.lists.fixed:
            raise NotCompiled(f"{what} of which some are lists and some tuples")
        within = code.lists.of(lists)
        code.lists.check_order(within, complete=complete)
        # A NaN in it is equal to itself where it is the same object.
        if within - NONE <= INT | BOOL or within - NONE <= STR:
            return
    ordered = NUMBERS | STR | NONE
    if not held <= (ordered | PARTS if complete else ordered):
        raise NotCompiled(f"{what} that are neither numbers nor texts")
    if code.lists.handled and held & STR and held & NUMBERS and not complete:
        raise NotCompiled(f"{what} that may be numbers or texts, beside try")


def check_order_of(
    code: Code, whole: Term, given: Value, what: str, *, complete: bool = False
) -> None:
    """As ``check_order``, of what a list has that was ``given`` as something else.

    A dict's items are in the order of their keys: their values are never compared.
    """
    held = code.lists.of(whole.kinds)
    items = isinstance(given, Sequence) and given.are_items and is_record(held)
    if not items or code.lists.of_records(held).parts[0] not in (STR, INT):
        check_order(code, held, what, complete=complete)


def in_order(code: Code, given: Value, whole: Term, backwards: bool) -> Term:
    """``sorted(given, reverse=backwards)``, of the list that it was made."""
    check_order_of(code, whole, given, "sorted values", complete=True)
    return code.set(whole.kinds, f"PyListSort.sorted({_of(whole, backwards)})")


def in_order_of_keys(code: Code, whole: Term, key: Value, call: Call, backwards: bool) -> Term:
    """``sorted(whole, key=key, reverse=backwards)``."""
    keys = keys_of(code, whole, key, call, complete=True)
    given = f"{whole.java}, {_of(keys, backwards)}"
    return code.set(whole.kinds, f"PyListSort.sortedBy({given})")


def keys_of(code: Code, whole: Term, key: Value, call: Call, *, complete: bool = False) -> Term:
    """A list of what a key is of each value of a list; complete if Python makes all of them before
    it compares two."""
    keys, over = code.new_list(), iterated(code, whole)

    def add() -> None:
        found = call(key, (over.value,))
        if isinstance(found, Parts) and found.form == "tuple":
            code.say(f"{keys.java}.add({_array(code, found, complete)});")
        else:
            code.put(keys, found)

    code.loop(over, add)
    check_order(code, code.lists.of(keys.kinds), "keys", complete=complete)
    return keys


def _array(code: Code, whole: Parts, complete: bool) -> str:
    """A tuple as an array of objects."""
    made = []
    for each in whole.parts:
        if isinstance(each, Parts) and each.form == "tuple":
            made.append(_array(code, each, complete))
            continue
        term = code.term(each)
        check_order(code, term.kinds, "parts of keys", complete=complete)
        made.append(code.object(term))
    return f"(Object) {array_of(f'(Object) {each}' for each in made)}"


def sort(
    code: Code, whole: Term, given: tuple[Value, ...], names: tuple[str, ...], call: Call
) -> Value:
    """``whole.sort(key=..., reverse=...)``."""
    code.lists.check_changeable(whole.kinds)
    placed = taken(given, names, (), ("key", "reverse"))
    if placed is None:
        raise NotCompiled("a call of sort that does not fit it")
    backwards = flag(placed.get("reverse", KnownValue(False)), "sort with reverse=")
    key = placed.get("key", KnownValue(None))
    if is_known_none(key):
        check_order(code, code.lists.of(whole.kinds), "sorted values", complete=True)
        code.say(f"PyListSort.sort({_of(whole, backwards)});")
        return KnownValue(None)
    if code.lists.handled:
        raise NotCompiled("list.sort by a key, beside try")
    # While keys are asked for, Python's list is empty.
    values = code.set(whole.kinds, f"new java.util.ArrayList({whole.java})")
    code.say(f"{whole.java}.clear();")
    made = in_order_of_keys(code, values, key, call, backwards)
    code.say(f"PyListSort.restore({whole.java}, {made.java});")
    return KnownValue(None)


def outermost(
    code: Code, function: Any, given: tuple[Value, ...], names: tuple[str, ...], call: Call
) -> Value:
    """``heapq.nlargest(n, values, key)`` or ``nsmallest``: the first of them, sorted."""
    placed = taken(given, names, ("n", "iterable"), ("n", "iterable", "key"))
    count = None if placed is None else placed.get("n")
    most = count.value if isinstance(count, KnownValue) else None
    if placed is None or "iterable" not in placed or type(most) is not int or most < 0:
        raise NotCompiled(f"{function.__name__} of so many, or of a number that varies")
    whole, key = materialised(code, placed["iterable"]), placed.get("key", KnownValue(None))
    keys = whole if is_known_none(key) else keys_of(code, whole, key, call)
    held = code.lists.of(keys.kinds)
    check_order(code, held, "values")
    if is_record(held) or "float" in held:
        # With a NaN it matters which values are compared, and a heap compares others.
        code.say(f"PyList.withoutNaN({keys.java});")
    backwards = function is heapq.nlargest
    way = f"sorted({_of(keys, backwards)})"
    if keys is not whole:
        way = f"sortedBy({whole.java}, {_of(keys, backwards)})"
    made = code.set(whole.kinds, f"PyListSort.{way}")
    first = f"{made.java}.subList(0, Math.min({most}, {made.java}.size()))"
    return code.set(whole.kinds, f"new java.util.ArrayList({first})")


def sorted_by(code: Code, given: tuple[Value, ...], names: tuple[str, ...], call: Call) -> Value:
    """``sorted(iterable, key=..., reverse=...)``."""
    placed = taken(given, names, ("iterable",), ("key", "reverse"))
    if placed is None or "iterable" not in placed:
        raise NotCompiled("a call of sorted that does not fit it")
    backwards = flag(placed.get("reverse", KnownValue(False)), "sorted with reverse=")
    whole = materialised(code, placed["iterable"])
    key = placed.get("key", KnownValue(None))
    if is_known_none(key):
        return in_order(code, placed["iterable"], whole, backwards)
    # What a key does to the list makes no difference to what is sorted.
    values = code.set(whole.kinds, f"new java.util.ArrayList({whole.java})")
    return in_order_of_keys(code, values, key, call, backwards)


def extreme_by(
    code: Code, function: Any, given: tuple[Value, ...], names: tuple[str, ...], call: Call
) -> Value:
    """``min(iterable, key=...)`` or ``max``."""
    count = len(given) - len(names)
    if count > 1:
        # Of several values.
        given = (Parts(given[:count]), *given[count:])
    placed = taken(given, names, ("iterable",), ("key", "default"))
    if placed is None or "iterable" not in placed or (count > 1 and "default" in placed):
        raise NotCompiled(f"a call of {function.__name__} that does not fit it")
    whole = materialised(code, placed["iterable"])
    if is_known_none(placed["key"]):
        raise NotCompiled(f"{function.__name__} with key=None")
    # Which of several exceptions comes first makes no difference unless one may be taken.
    keys = keys_of(code, whole, placed["key"], call, complete=not code.lists.handled)
    most = str(function is max).lower()
    found = f"PyList.extremeBy({whole.java}, {keys.java}, {most})"
    return taken_or(code, whole, found, placed.get("default"))


def taken_or(code: Code, whole: Term, java: str, default: Value | None) -> Term:
    """What an expression takes out of a list; the default, if there is one, out of an empty one."""
    if default is None:
        return code.taken(whole, java)
    term = code.whole(default, min(whole.kinds))
    chosen = f"({whole.java}.isEmpty() ? (Object) {code.object(term)} : (Object) {java})"
    return code.set_from(code.lists.of(whole.kinds) | term.kinds, chosen)


def _of(whole: Term, backwards: bool) -> str:
    return f"{whole.java}, {str(backwards).lower()}, {_LONG_RUNS}"
