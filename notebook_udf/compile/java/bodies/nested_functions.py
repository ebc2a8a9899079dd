"""Functions that a function makes: their code, their defaults, and the arguments of their calls."""

from __future__ import annotations

import types
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache

from notebook_udf.compile.bindings import is_plain_code, placed
from notebook_udf.compile.flow_graph import FlowGraph
from notebook_udf.compile.java.bodies import name_scope
from notebook_udf.compile.java.writing.code import Code
from notebook_udf.compile.java.writing.terms import (
    DATE,
    SCALARS,
    KnownValue,
    Nested,
    NotCompiled,
    Parts,
    Term,
    Value,
)

# Bits of Python's opcodes: what a function is made with.
_BY_PLACE = 0b01
_BY_NAME = 0b10
# What stays as it is, whoever has it.
_UNCHANGING = SCALARS | DATE


def code_of(code: Value) -> types.CodeType:
    """The code of a function that a function makes.

    Raises
    ------
    NotCompiled
        If it is not known.
    """
    if not isinstance(code, KnownValue) or not isinstance(code.value, types.CodeType):
        raise NotCompiled("a function here")
    return code.value


@lru_cache(maxsize=256)
def _alone(code: types.CodeType, around: types.FunctionType) -> types.FunctionType:
    # The same each time that it is asked for, as a constant is.
    return types.FunctionType(code, around.__globals__)


def made_here(
    around: types.FunctionType,
    graph: FlowGraph,
    parameters: Sequence[str],
    inner: Value,
    value_of: Callable[[str], Value],
) -> Nested:
    """A function that one with these parameters makes of its code.

    ``value_of`` gives the value of a variable that both have.
    """
    code = code_of(inner)
    name_scope.check_shared(graph, parameters, code)
    if name_scope.shares_itself(graph, code):
        return calling_itself(around, code)
    return made_in(around, code, {name: value_of(name) for name in code.co_freevars})


def made_in(around: types.FunctionType, code: types.CodeType, shared: dict[str, Value]) -> Nested:
    """A function that another one makes, with the variables that it shares with it."""
    if shared or not is_plain_code(code):
        return Nested(code, shared)
    return Nested(code, shared, alone=KnownValue(_alone(code, around)))


def calling_itself(around: types.FunctionType, code: types.CodeType) -> Nested:
    """A function that another one makes, and that shares with it no more than its own name."""
    return Nested(code, {}, alone=KnownValue(_naming_itself(code, around)))


@lru_cache(maxsize=256)
def _naming_itself(code: types.CodeType, around: types.FunctionType) -> types.FunctionType:
    own = types.CellType()
    made = types.FunctionType(code, around.__globals__, closure=(own,))
    own.cell_contents = made
    return made


def as_constants(given: Sequence[Value]) -> Sequence[Value]:
    """What a display holds: functions that share nothing are constants, where all the rest is."""
    made = [each.alone if isinstance(each, Nested) and each.alone else each for each in given]
    return made if all(isinstance(each, KnownValue) for each in made) else given


def with_defaults(code: Code, made: Nested, operands: Sequence[Value], given: int | None) -> Nested:
    """A function with the defaults that are among what it is made of.

    ``given`` says by its bits what the operands are, in their order; None where a function is given
    all later, as its attributes.
    """
    operands = list(operands)
    for which in (_BY_PLACE, _BY_NAME):
        if (given or 0) & which:
            made = with_attribute(code, which, operands.pop(0), made)
    return made


def with_attribute(code: Code, which: int, value: Value, function: Value) -> Nested:
    """A function that is given defaults; its annotations or cells are known by its code.

    Raises
    ------
    NotCompiled
        If a default may be changed later.
    """
    if not isinstance(function, Nested):
        raise NotCompiled("an attribute of this function")
    if which == _BY_PLACE:
        kept = tuple(_kept(code, each) for each in _parts(value))
        return replace(function, defaults=kept, alone=None)
    if which == _BY_NAME:
        found = _by_name(value)
        named = {name: _kept(code, each) for name, each in found.items()}
        return replace(function, named_defaults=named, alone=None)
    return function


def _parts(value: Value) -> tuple[Value, ...]:
    if isinstance(value, Parts):
        return value.parts
    if isinstance(value, KnownValue) and type(value.value) is tuple:
        return tuple(map(KnownValue, value.value))
    raise NotCompiled("a function here, with such defaults")


def _by_name(value: Value) -> dict[str, Value]:
    if isinstance(value, Parts):
        return dict(zip(value.names, value.parts, strict=True))
    if isinstance(value, KnownValue) and type(value.value) is dict:
        return {name: KnownValue(each) for name, each in value.value.items()}
    raise NotCompiled("a function here, with such defaults")


def _kept(code: Code, value: Value) -> Value:
    """A default, as it is where the function is made: a variable may have another value later."""
    if isinstance(value, KnownValue):
        return value
    if isinstance(value, Parts) and value.form == "tuple":
        return replace(value, parts=tuple(_kept(code, each) for each in value.parts))
    if isinstance(value, Term) and value.kinds <= _UNCHANGING:
        return replace(value, java=code.set(value.kinds, value.java).java)
    raise NotCompiled("a default that is no number and no text")


def arguments(made: Nested, given: tuple[Value, ...], names: tuple[str, ...]) -> tuple[Value, ...]:
    """What a call gives each parameter, in their order; ``names`` are those of the last ones.

    Raises
    ------
    NotCompiled
        If a call like this raises.
    """
    found = placed(made.code, given, names, made.defaults, made.named_defaults)
    if found is None:
        raise NotCompiled(f"a call of {made.code.co_name} that does not fit it")
    return tuple(found.values())
