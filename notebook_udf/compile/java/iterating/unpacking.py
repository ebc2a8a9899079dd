"""Sequences taken apart, with a rest or without, and what stars put together, as Java."""

from __future__ import annotations

from notebook_udf.compile.java.iterating.iterators import materialised, taken_apart
from notebook_udf.compile.java.objects import named_parts
from notebook_udf.compile.java.writing.code import Code
from notebook_udf.compile.java.writing.exceptions import raising
from notebook_udf.compile.java.writing.terms import (
    Iteration,
    KnownValue,
    NotCompiled,
    Parts,
    Sequence,
    Term,
    Value,
    is_list,
)


def unpacked(code: Code, value: Value, count: int) -> Parts:
    """A sequence taken apart."""
    if isinstance(value, KnownValue) and isinstance(value.value, (tuple, list, str)):
        value = Parts(tuple(map(KnownValue, value.value)))
    value = code.opened(value)
    if isinstance(value, Parts):
        named_parts.check_places(value)
        if len(value.parts) != count:
            raise NotCompiled("a tuple of another length")
        return value
    if isinstance(value, Sequence) and value.parts is not None:
        return unpacked(code, value.parts(), count)
    if isinstance(value, Iteration):
        return taken_apart(code, value, count)
    if isinstance(value, Sequence):
        return taken_apart(code, value.begin(), count)
    term = code.present(value)
    if not is_list(term.kinds):
        raise NotCompiled("taking this apart")
    code.say(f"if ({term.java}.size() != {count}) {raising(ValueError)}")
    return first_parts(code, term, count)


def arguments(code: Code, value: Value, count: int) -> tuple[Value, ...]:
    """``*value`` in a call of what takes so many arguments."""
    # All of them are there before any is counted.
    whole = materialised(code, value)
    code.say(f"if ({whole.java}.size() != {count}) {raising(TypeError)}")
    return first_parts(code, whole, count).parts


def first_parts(code: Code, whole: Term, count: int) -> Parts:
    """What stands first in a list, which has so many."""
    return Parts(tuple(code.taken(whole, f"{whole.java}.get({at})") for at in range(count)))


def with_rest(code: Code, value: Value, before: int, after: int) -> Parts:
    """``a, b, *rest, z = value``: ``before`` parts, a new list, and ``after`` more."""
    known = known_parts(code, value)
    if known is not None:
        return _known_with_rest(code, known, before, after)
    # All of it is gone through in any case, and in this order.
    whole = materialised(code, value)
    size = f"{whole.java}.size()"
    code.say(f"if ({size} < {before + after}) {raising(ValueError)}")
    first = [code.taken(whole, f"{whole.java}.get({at})") for at in range(before)]
    rest = code.new_list()
    code.lists.put(rest.kinds, code.lists.of(whole.kinds))
    code.say(f"{rest.java}.addAll({whole.java}.subList({before}, {size} - {after}));")
    last = [code.taken(whole, f"{whole.java}.get({size} - {at})") for at in range(after, 0, -1)]
    return Parts((*first, rest, *last))


def _known_with_rest(code: Code, known: tuple[Value, ...], before: int, after: int) -> Parts:
    if len(known) < before + after:
        raise NotCompiled("what raises in every row")
    behind = len(known) - after
    rest = code.new_list()
    for each in known[before:behind]:
        code.put(rest, each)
    return Parts((*known[:before], rest, *known[behind:]))


def known_parts(code: Code, value: Value) -> tuple[Value, ...] | None:
    """The values of a tuple, a list or a text that are known one by one; None of any other."""
    if isinstance(value, KnownValue) and type(value.value) in (tuple, list, str):
        return tuple(map(KnownValue, value.value))
    value = code.opened(value)
    if not isinstance(value, Parts):
        return None
    named_parts.check_places(value)
    return value.parts


def tuple_of(code: Code, value: Value) -> Term:
    """The tuple of what a list has that stars were put into."""
    if not isinstance(value, Term):
        raise NotCompiled("a tuple of this")
    made = code.new_list()
    code.lists.put(made.kinds, code.lists.of(value.kinds))
    code.lists.fixed |= made.kinds
    code.say(f"{made.java}.addAll({value.java});")
    return made
