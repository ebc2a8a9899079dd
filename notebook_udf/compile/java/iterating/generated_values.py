"""What generators give, taken where it is asked for, as Java."""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Protocol, TypeAlias

from notebook_udf.compile.java.documents import json_values
from notebook_udf.compile.java.iterating.iterators import (
    first_of,
    iterated,
    materialised,
    taken_next,
)
from notebook_udf.compile.java.numbers.arithmetic import condition
from notebook_udf.compile.java.writing.code import Code
from notebook_udf.compile.java.writing.terms import (
    BOOL,
    LEAVE,
    NONE,
    STR,
    Generated,
    Iteration,
    KnownValue,
    Nested,
    NotCompiled,
    Parts,
    Sequence,
    Term,
    Value,
)

# The statements for a value that a generator gives.
Each: TypeAlias = Callable[[Value], list[str]]


# What ``LEAVE`` is while statements stand in a generator within the one that they leave.
_DEEPEST = 8
_INNER = {ord(LEAVE) + at: ord(LEAVE) + at + 1 for at in range(_DEEPEST)}
_OUTER = {inner: outer for outer, inner in _INNER.items()}


class FunctionCalls(Protocol):
    """Calls of functions of the user's."""

    def function(
        self, function: types.FunctionType, given: tuple[Value, ...], names: tuple[str, ...]
    ) -> Value:
        """The call of a function, with the names of its last arguments."""

    def begun(
        self,
        function: types.FunctionType,
        whole: Parts,
        given: tuple[Value, ...],
        names: tuple[str, ...],
    ) -> Value:
        """What an object of which nothing is set yet is once its ``__init__`` has been called."""

    def give(self, value: Value, *, whole: bool = True) -> Value:
        """Writes what is done with a value that is given out of here, see ``given_out``."""

    def nested(
        self,
        nested: Nested,
        given: tuple[Value, ...],
        each: Each | None = None,
    ) -> Value:
        """What a function gives that stands within another, written in its place.

        Of a generator ``each`` writes what is done with each value that it gives; the last
        statement may be to leave it.
        """


def listed(run: FunctionCalls, code: Code, value: Value) -> Value:
    """A value; the list of what a generator gives, in its place."""
    if not isinstance(value, Generated):
        return value
    made = code.new_list()

    def each(given: Value) -> list[str]:
        statements, _ = code.captured(lambda: code.put(made, given))
        return list(statements)

    run.nested(value.nested, value.given, each)
    code.lists.one_by_one |= made.kinds
    return made


def joined(run: FunctionCalls, code: Code, separator: Term, value: Generated) -> Term:
    """``separator.join(...)`` of what a generator gives, which no list is made of."""
    made = code.variable("PyJoined")
    code.say(f"{made} = new PyJoined({separator.java});")

    def each(given: Value) -> list[str]:
        statements, term = code.captured(lambda: code.term(given))
        if not (term.kinds <= STR | NONE or json_values.is_part(term)):
            raise NotCompiled("anything but texts to join")
        return [*statements, f"{made}.add({code.object(term)});"]

    run.nested(value.nested, value.given, each)
    return code.set(STR, f"{made}.text()")


def first_listed(run: FunctionCalls, code: Code, value: Generated, most: int) -> Term:
    """The list of what a generator gives first, which is left when there are so many."""
    made = code.new_list()

    def each(given: Value) -> list[str]:
        statements, _ = code.captured(lambda: code.put(made, given))
        return [*statements, f"if ({made.java}.size() == {most}) {{ {LEAVE} }}"]

    _gone_out_of(run, code, value, each)
    return made


def gone_through(run: FunctionCalls, code: Code, value: Value) -> Value:
    """A value; a list, in its place, of what would only be gone through later."""
    if isinstance(value, (Iteration, Sequence)):
        made = materialised(code, value)
        code.lists.one_by_one |= made.kinds
        return made
    return listed(run, code, value)


def given_out(
    run: FunctionCalls, code: Code, value: Value, each: Each, *, whole: bool
) -> KnownValue:
    """Writes what is done with a value that a generator gives, or, unless it is a ``whole`` one,
    with each of those that it gives out of it."""
    if not whole and isinstance(value, Generated):
        _handed_on(run, code, value, each)
    elif not whole:
        over = iterated(code, value)
        code.loop(over, lambda: code.say_all(each(over.value)))
    else:
        code.say_all(each(value))
    return KnownValue(None)


def _handed_on(run: FunctionCalls, code: Code, value: Generated, each: Each) -> None:
    """As what a generator gives that gives this one's values: where that is left both are."""
    begun = len(code.statements)
    run.nested(
        value.nested, value.given, lambda given: [one.translate(_INNER) for one in each(given)]
    )
    code.statements[begun:] = [one.translate(_OUTER) for one in code.statements[begun:]]


def _gone_out_of(run: FunctionCalls, code: Code, value: Generated, each: Each) -> None:
    """Goes through what a generator gives until it is left."""
    code.lists.left_early += 1
    try:
        run.nested(value.nested, value.given, each)
    finally:
        code.lists.left_early -= 1


def asked(run: FunctionCalls, code: Code, generated: Generated, every: bool) -> Value:
    """``all`` or ``any`` of a generator, which goes no further than it has to."""
    found = code.set(BOOL, "true" if every else "false")

    def each(given: Value) -> list[str]:
        statements, holds = code.captured(lambda: condition(code, given))
        decided = f"!({holds})" if every else holds
        answer = "false" if every else "true"
        leave = f"if ({decided}) {{ {found.java} = {answer}; {LEAVE} }}"
        return [*statements, leave]

    _gone_out_of(run, code, generated, each)
    return found


def next_of(run: FunctionCalls, code: Code, given: tuple[Value, ...]) -> Value:
    """``next(iterator)``, or ``next(iterator, default)``."""
    if not 1 <= len(given) <= 2:
        raise NotCompiled("next of so many arguments")
    values, *default = given
    if not default:
        code.lists.note_stop()
    if not isinstance(values, Generated):
        return taken_next(code, values, *default)
    return first_of(code, first_listed(run, code, values, 1), *default)
