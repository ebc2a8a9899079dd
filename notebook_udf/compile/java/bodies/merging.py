"""Values where ways meet: which variables of Java's hold them, and of what kinds they are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from notebook_udf.compile.java.bodies import raise_statements
from notebook_udf.compile.java.bodies.name_scope import OVER
from notebook_udf.compile.java.iterating.iterators import read_again
from notebook_udf.compile.java.objects import enum_classes
from notebook_udf.compile.java.writing import choices
from notebook_udf.compile.java.writing.assembly import Edge, Variables
from notebook_udf.compile.java.writing.code import Code
from notebook_udf.compile.java.writing.terms import (
    INT,
    UNSET,
    Iteration,
    Kinds,
    KnownValue,
    Nested,
    NotCompiled,
    OneOf,
    Parts,
    Term,
    Undetermined,
    Unset,
    Value,
    constant_parts,
    displayed_parts,
    is_literal,
)


def merged(code: Code, name: str, values: Sequence[Value], *, loop: bool) -> Value | None:
    """A variable that holds each of these; None if none can.

    Where a loop begins it is one of its own, since its next value is not known yet.
    """
    values = [each for each in values if not isinstance(each, Undetermined)]
    if not values:
        return Undetermined()
    first = values[0]
    if all(_same(first, each) for each in values) and not (loop and isinstance(first, Term)):
        return first
    displays = [displayed_parts(each) for each in values]
    if any(isinstance(each, Parts) for each in displays):
        values = displays
    wholes = [each for each in values if isinstance(each, Parts)]
    forms = {(len(each.parts), each.names, each.form) for each in wholes}
    shown = all(each.form in ("list", "dict") for each in wholes)
    if len(wholes) == len(values) and (len(forms) == 1 or not shown):
        parts = [each.parts for each in wholes]
        if len(forms) != 1:
            return None
        each_part = [
            merged(code, f"{name}_{i}", column, loop=loop)
            for i, column in enumerate(zip(*parts, strict=True))
        ]
        if None in each_part:
            return None
        kept = tuple(part for part in each_part if part is not None)
        own = {each.of for each in wholes}
        return Parts(kept, wholes[0].names, wholes[0].form, own.pop() if len(own) == 1 else None)
    if not name.isidentifier() or not name.isascii():
        return None
    if all(isinstance(each, (KnownValue, OneOf)) for each in values):
        chosen = _one_of(code, name, values)
        if chosen is not None:
            return chosen
    try:
        kinds = frozenset(k for each in values for k in _kinds(code, name, each))
    except NotCompiled:
        return None
    held = code.integers.held(kinds)
    java = f"{name}_{held.rpartition('.')[2].replace('[]', 's')}"
    code.variables[java] = held
    return choices.noted(Term(kinds, java), values)


def as_returned(code: Code, value: Value) -> Value:
    """A value as a block returns it."""
    value = constant_parts(value)
    return value if isinstance(value, Parts | OneOf | KnownValue) else code.term(value)


def _has_java(value: Value) -> bool:
    """Whether it is no constant, or one that Java has a value for."""
    return not isinstance(value, OneOf) and (
        not isinstance(value, KnownValue) or is_literal(value.value)
    )


def _one_of(code: Code, name: str, values: Sequence[Value]) -> OneOf | None:
    """A variable that says which constant it is; None if Java has values for all of them."""
    every = [each for value in values for each in enum_classes.every(value)]
    constants = {choices.identity_of(each): each for each in every}
    found = tuple(constants.values())
    if len(found) > choices.MOST or all(map(is_literal, found)):
        return None
    java = f"{name}_place"
    code.variables[java] = code.integers.held(INT)
    return OneOf(Term(INT, java), found)


def _kinds(code: Code, name: str, value: Value) -> Kinds:
    """The kinds of a value in a variable: a tuple is one object."""
    if not isinstance(value, Parts):
        return code.term(value).kinds
    # What is said here is of no use: it is said again where the variable is set.
    _, made = code.captured(lambda: code.kept(value, f"{code.name}.{name}"))
    return made.kinds


def entered(code: Code, label: str, key: int, ways: Sequence[Edge], *, loop: bool) -> Edge:
    """What a block begins with, by the ways to it.

    Raises
    ------
    NotCompiled
        If values that are one in Python have nothing in common.
    """
    first, *others = ways
    made = Edge({}, {})
    if not others and not loop:
        made.variables.update(first.variables)
    else:
        for name in first.variables:
            if all(name in way.variables for way in others):
                values = [way.variables[name] for way in ways]
                together = merged(code, f"v{label}_{name}", values, loop=loop)
                if together is not None:
                    made.variables[name] = together
    for number in first.phis:
        values = [way.phis[number] for way in ways]
        phi = merged(code, f"p{label}_{key}_{number}", values, loop=loop)
        if phi is None:
            raise NotCompiled("values that have nothing in common")
        made.phis[number] = phi
    return made


def _same(one: Value, other: Value) -> bool:
    if isinstance(one, KnownValue) and isinstance(other, KnownValue):
        return one.value is other.value or (
            choices.identity_of(one.value) == choices.identity_of(other.value)
        )
    if isinstance(one, Nested) and isinstance(other, Nested):
        return _is_of_same_variables(one, other)
    # As it was written before: the same variables of Java's.
    return one is other or (isinstance(one, (Iteration, Unset)) and one == other)


def _is_of_same_variables(one: Nested, other: Nested) -> bool:
    """Whether a function is another one, as it was written before."""
    if one.code is not other.code or one.function is not other.function:
        return False
    pairs = [*zip(one.defaults, other.defaults, strict=True)]
    pairs += [(each, other.shared[name]) for name, each in one.shared.items()]
    pairs += [(each, other.named_defaults[name]) for name, each in one.named_defaults.items()]
    return all(_is_same_variable(*pair) for pair in pairs)


def _is_same_variable(one: Value, other: Value) -> bool:
    if isinstance(one, Term) and isinstance(other, Term):
        return one.java == other.java
    if isinstance(one, Parts) and isinstance(other, Parts):
        alike = len(one.parts) == len(other.parts)
        return alike and all(map(_is_same_variable, one.parts, other.parts))
    return _same(one, other)


def arriving(behind: Mapping[int, Edge], onward: Mapping[int, Edge]) -> dict[int, Edge]:
    """The ways to a block: those back, as they were found the last time, and those onward.

    Those back have the functions that those onward have now: variables that these share may have
    other names in Java this time.
    """
    made = {
        name: value
        for each in onward.values()
        for name, value in each.variables.items()
        if isinstance(value, Nested)
    }
    return {**{key: _with_functions(way, made) for key, way in behind.items()}, **onward}


def _with_functions(way: Edge, made: Mapping[str, Nested]) -> Edge:
    variables = dict(way.variables)
    for name, now in made.items():
        before = variables.get(name)
        if isinstance(before, Nested) and before.code is now.code:
            variables[name] = now
    return Edge(variables, way.phis)


def kinds_of(entry: Edge) -> list[tuple[Any, Any]]:
    """What is known of all that a block begins with, to tell whether it has changed."""
    return [
        (name, _kind(value))
        for each in (entry.variables, entry.phis)
        for name, value in each.items()
    ]


def _kind(value: Value) -> Any:
    if isinstance(value, Term):
        return value.kinds, value.among
    if isinstance(value, Parts):
        return tuple(map(_kind, value.parts))
    if isinstance(value, KnownValue):
        return ("constant", type(value.value), value.value if isinstance(value.value, int) else 0)
    if isinstance(value, OneOf):
        return ("one of", frozenset(map(choices.identity_of, value.of)), value.place.kinds)
    return type(value).__name__


def together(code: Code, name: str, values: Sequence[Value]) -> Value:
    """A variable that holds what is returned, whichever of these it is.

    Raises
    ------
    NotCompiled
        If there are none, or no variable can.
    """
    if not values:
        raise NotCompiled("what raises in every row")
    if all(map(_has_java, values)):
        values = [each if isinstance(each, Parts) else code.term(each) for each in values]
    found = merged(code, name, values, loop=True)
    if found is None:
        raise NotCompiled("results that have nothing in common")
    return found


def without_none(
    code: Code, variables: Variables, origins: Mapping[str, str], tested: Value | None
) -> Variables:
    """The variables on the way on which a value is not None; ``origins`` are those of copies."""
    if isinstance(tested, OneOf):
        return _without_none_among(variables, origins, tested)
    if not isinstance(tested, Term) or "none" not in tested.kinds:
        return variables
    origin = origins.get(tested.java, tested.java)
    return {
        name: code.integers.narrowed(value, value.kinds - {"none"})
        if isinstance(value, Term) and value.java in (origin, tested.java)
        else value
        for name, value in variables.items()
    }


def _without_none_among(
    variables: Variables, origins: Mapping[str, str], tested: OneOf
) -> Variables:
    there = next((each for each in tested.of if each is not None), None)
    if there is None:
        return variables
    # None is not at its place: what stands there instead is never chosen.
    of = tuple(there if each is None else each for each in tested.of)
    places = (tested.place.java, origins.get(tested.place.java))
    return {
        name: replace(value, of=of)
        if isinstance(value, OneOf) and value.place.java in places
        else value
        for name, value in variables.items()
    }


def _held(variables: Variables, name: str) -> Value:
    found = variables.get(name)
    if found is None or isinstance(found, Unset):
        raise NotCompiled(f"{name}, which may have no value, or values of several types")
    return found


def read_local(code: Code, variables: Variables, origins: dict[str, str], name: str) -> Value:
    """What a variable has, in a copy: it may have another value where this one is used.

    ``origins`` learns which variable of Java's the copy is of.
    """
    found = _held(variables, name)
    if isinstance(found, OneOf):
        place = code.set(found.place.kinds, found.place.java)
        origins[place.java] = found.place.java
        return replace(found, place=place)
    if not isinstance(found, Term):
        return found if name == OVER else read_again(found)
    java = found.java
    if found.kinds & UNSET:
        raised = raise_statements.without_value(code, name)
        code.say(f"if ({java} == GaveUp.GAVE_UP) throw {raised};")
        java = code.integers.narrowed(found, found.kinds - UNSET).java
    read = code.set(found.kinds - UNSET, java)
    origins[read.java] = found.java
    return replace(read, among=found.among, computed=found.computed)


def set_local(variables: Variables, name: str, value: Value | None = None) -> Value:
    """Gives a variable a value, or takes it away, where Python raises if it has none."""
    if value is None:
        _held(variables, name)
    if value is None or isinstance(value, Unset):
        variables.pop(name, None)
        return value or KnownValue(None)
    variables[name] = value
    return value
