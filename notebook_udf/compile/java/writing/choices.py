"""Values that are one of some constants in each row, such as those that a loop goes through.

What a constant alone can be used for is written for each of them, and chosen where the row says
which one it is: formats and patterns by their text, other objects by their place.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

from notebook_udf.compile.java.writing.code import Code
from notebook_udf.compile.java.writing.exceptions import raising
from notebook_udf.compile.java.writing.terms import (
    STR,
    Iteration,
    KnownValue,
    NotCompiled,
    OneOf,
    Term,
    Value,
    quoted,
)

# Of constants that a value may be one of.
MOST = 32


def texts_of(values: Iterable[Value]) -> tuple[str, ...]:
    """The texts of which each of some values is one; none if that is not known."""
    found: dict[str, None] = {}
    for each in values:
        if isinstance(each, Term) and each.among:
            found.update(dict.fromkeys(each.among))
        elif isinstance(each, KnownValue) and type(each.value) is str:
            found[each.value] = None
        else:
            return ()
    return tuple(found) if len(found) <= MOST else ()


def identity_of(constant: Any) -> Any:
    """The same for two constants that are one: a display of constants is made again each time."""
    if type(constant) is dict:
        return dict, tuple((identity_of(k), identity_of(v)) for k, v in constant.items())
    if type(constant) is tuple:
        return tuple, tuple(map(identity_of, constant))
    # By their texts numbers are told apart that are equal: 0.0 and -0.0.
    is_plain = type(constant) in (int, str, bool, bytes, float)
    return type(constant), repr(constant) if is_plain else id(constant)


def noted(term: Term, values: Sequence[Value]) -> Term:
    """A value that is one of these."""
    computed = any(isinstance(each, Term) and each.computed for each in values)
    if term.kinds != STR or computed:
        return term
    return replace(term, among=texts_of(values))


def through(over: Iteration, values: Sequence[Value]) -> Iteration:
    """An iteration whose values are these."""
    return replace(over, value=noted(over.value, values)) if isinstance(over.value, Term) else over


def is_known(value: Value) -> bool:
    """Whether a value is a constant, or one of some."""
    return isinstance(value, (KnownValue, OneOf)) or bool(texts_of([value]))


def of_places(place: Term, values: Sequence[Value]) -> OneOf:
    """What stands at a place, which is there, among objects that Java does not have."""
    known = [each.value for each in values if isinstance(each, KnownValue)]
    if len(known) != len(values):
        raise NotCompiled("a constant object beside what varies")
    return OneOf(place, tuple(known))


def chosen(code: Code, value: Value, write: Callable[[Any], Value], what: str) -> Value:
    """What is written for a constant, or for each of those that a value may be.

    Raises
    ------
    NotCompiled
        If it is not known which they are: ``what`` varies.
    """
    if isinstance(value, KnownValue):
        return write(value.value)
    if isinstance(value, OneOf):
        if len(value.of) > MOST:
            raise NotCompiled("one of so many objects")
        tests = [f"{code.integers.as_place(value.place)} == {at}L" for at in range(len(value.of))]
        return _branches(code, tests, value.of, write)
    if not isinstance(value, Term) or not value.among:
        raise NotCompiled(f"{what} that varies")
    return _branches(
        code, [f"{quoted(each)}.equals({value.java})" for each in value.among], value.among, write
    )


def that_do_not_raise(
    code: Code, value: OneOf, raised_by: Callable[[Any], type[Exception] | None]
) -> OneOf:
    """One of the constants of which something can be done; with one of the others it raises."""
    raised = [raised_by(each) for each in value.of]
    others = [each for each, error in zip(value.of, raised, strict=True) if error is None]
    if not others:
        raise NotCompiled("what raises in every row")
    for place, error in enumerate(raised):
        if error is not None:
            code.say(f"if ({code.integers.as_place(value.place)} == {place}L) {raising(error)}")
    # Nothing is done with what stands there instead.
    there = zip(value.of, raised, strict=True)
    return replace(value, of=tuple(others[0] if error else each for each, error in there))


def present(code: Code, value: OneOf, otherwise: type[Exception] = TypeError) -> OneOf:
    """One of the constants that are not None; where it is None it raises."""
    return that_do_not_raise(code, value, lambda each: otherwise if each is None else None)


def _branches(
    code: Code, tests: Sequence[str], constants: Sequence[Any], write: Callable[[Any], Value]
) -> Value:
    written = []
    for constant in constants:
        written.append(code.captured(lambda known=constant: code.term(write(known))))  # type: ignore[misc]
    kinds = frozenset(kind for _, term in written for kind in term.kinds)
    made = code.fresh(kinds)
    for at, (test, (statements, term)) in enumerate(zip(tests, written, strict=True)):
        # It is the last one if it is none of the others.
        head = f"if ({test}) {{" if at == 0 else f"}} else if ({test}) {{"
        code.say(head if at < len(tests) - 1 else "} else {" if at else "{")
        code.statements += statements
        code.say(f"{made.java} = {code.integers.converted(term, kinds)};")
    code.say("}")
    return noted(made, [term for _, term in written])
