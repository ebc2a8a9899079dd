"""``collections.deque``, as Java."""

from __future__ import annotations

from collections.abc import Sequence

from notebook_udf.compile.bindings import taken
from notebook_udf.compile.java.iterating import iterators
from notebook_udf.compile.java.writing.code import Code
from notebook_udf.compile.java.writing.terms import (
    INT,
    NONE,
    QUEUE,
    KnownValue,
    NotCompiled,
    Term,
    Value,
    is_known_none,
    is_queue,
)

_TAKING = ("pop", "popleft")


def made(code: Code, given: Sequence[Value], names: Sequence[str]) -> Value:
    """``deque(values, maxlen)``, or one of nothing yet."""
    known = ("iterable", "maxlen")
    placed = taken(tuple(given), tuple(names), known, known)
    if placed is None:
        raise NotCompiled("a deque of these arguments")
    most = placed.get("maxlen", KnownValue(None))
    made_by = "PyQueue.endless()"
    if not is_known_none(most):
        term = code.term(most)
        if term.kinds - NONE != INT:
            raise NotCompiled("a deque whose maxlen may be no whole number")
        made_by = f"PyQueue.of((Object) {code.object(term)})"
    code.lists_made += 1
    whole = code.set(frozenset({f"{QUEUE}{code.name}.{code.lists_made}"}), made_by)
    values = placed.get("iterable")
    return whole if values is None else iterators.filled(code, whole, values)


def has_methods(value: Value) -> bool:
    """Whether it is a deque."""
    return isinstance(value, Term) and is_queue(value.kinds)


def method(code: Code, whole: Term, name: str, given: Sequence[Value]) -> Value:
    """A call of a method of a deque."""
    if name in _TAKING and not given:
        return code.taken(whole, f"{whole.java}.{name}()")
    if name == "append" and len(given) == 1:
        code.put(whole, given[0])
    elif name == "appendleft" and len(given) == 1:
        held = code.held_by(whole, given[0])
        code.say(f"{whole.java}.appendleft({code.object(held)});")
    elif name == "extend" and len(given) == 1:
        (values,) = given
        if isinstance(values, Term) and values.kinds & whole.kinds:
            # They may be the same: what it has before is taken.
            values = iterators.materialised(code, values)
        iterators.filled(code, whole, values)
    elif name == "clear" and not given:
        code.say(f"{whole.java}.clear();")
    else:
        raise NotCompiled(f"the method {name} of a deque")
    return KnownValue(None)
