"""Operations on one of some constant objects: written for each, chosen where the row says which."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from notebook_udf.compile.java.collections import constant_choices
from notebook_udf.compile.java.iterating.generated_values import FunctionCalls
from notebook_udf.compile.java.objects import enum_classes
from notebook_udf.compile.java.writing import choices
from notebook_udf.compile.java.writing.code import Code
from notebook_udf.compile.java.writing.terms import (
    DATE,
    DECIMAL,
    MAPPINGS,
    MOMENT,
    SCALARS,
    KnownValue,
    NotCompiled,
    OneOf,
    Slice,
    Term,
    Value,
    is_literal,
)

Operation: TypeAlias = Callable[[FunctionCalls, Code, Sequence[Value], Any], Value]
# What an operation raises in every row with a constant, by what stands behind that and by the
# operation's detail; None if that is not known.
RaisedBy: TypeAlias = Callable[[Any, Sequence[Value], Any], type[Exception] | None]


def for_each(operation: Operation, raised_by: RaisedBy | None = None) -> Operation:
    """An operation whose operands may be one of some constant objects."""

    def written(run: FunctionCalls, code: Code, given: Sequence[Value], detail: Any) -> Value:
        at = next((at for at, each in enumerate(given) if _is_one_of_objects(each)), None)
        if at is None:
            return operation(run, code, given, detail)
        before, found, after = given[:at], given[at], given[at + 1 :]
        assert isinstance(found, OneOf)
        if raised_by is not None:
            found = choices.that_do_not_raise(
                code, found, lambda constant: raised_by(constant, after, detail)
            )
        made = constant_choices.of_each(
            code, found, lambda known: written(run, code, (*before, known, *after), detail)
        )
        if isinstance(made, Term) and not made.kinds <= SCALARS | DATE | MOMENT | DECIMAL:
            raise NotCompiled("a list or another object, made of one of some constants")
        return made

    return written


def _is_one_of_objects(value: Value) -> bool:
    # Members of an Enum are compared and asked for as what they are.
    return isinstance(value, OneOf) and not enum_classes.is_member(value)


def raised_by_none(constant: Any, after: Sequence[Value], detail: Any) -> type[Exception] | None:
    """What an operation raises with None."""
    return TypeError if constant is None else None


def raised_by_item(constant: Any, after: Sequence[Value], detail: Any) -> type[Exception] | None:
    """What ``constant[index]`` raises."""
    if constant is None:
        return TypeError
    if not after or type(constant) not in (list, tuple, str, *MAPPINGS):
        return None
    (index,) = after
    if not constant and not isinstance(index, Slice):
        return KeyError if type(constant) in MAPPINGS else IndexError
    if not isinstance(index, KnownValue) or not is_literal(index.value):
        return None
    try:
        constant[index.value]
    except (LookupError, TypeError) as error:
        return type(error)
    return None


def raised_by_unpacking(
    constant: Any, after: Sequence[Value], count: Any
) -> type[Exception] | None:
    """What it raises to take a constant apart into ``count``, or into two counts and a rest."""
    if constant is None:
        return TypeError
    if type(constant) not in (list, tuple):
        return None
    fits = len(constant) == count if isinstance(count, int) else len(constant) >= sum(count)
    return None if fits else ValueError
