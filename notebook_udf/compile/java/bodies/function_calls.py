"""Calls, by what is called: a function of Python's, of the user's, a method, a class."""

from __future__ import annotations

import functools
import inspect
import types
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from notebook_udf.compile.bindings import bound, is_plain_code
from notebook_udf.compile.java.bodies import nested_functions, own_methods
from notebook_udf.compile.java.calls import (
    builtin_calls,
    functional,
    library_calls,
    method_calls,
    operator_calls,
)
from notebook_udf.compile.java.collections import changeable_records, constant_choices, enum_members
from notebook_udf.compile.java.columns.given_records import collects
from notebook_udf.compile.java.iterating.generated_values import (
    FunctionCalls,
    asked,
    joined,
    listed,
    next_of,
)
from notebook_udf.compile.java.objects import (
    enum_classes,
    known_objects,
    named_parts,
    own_classes,
)
from notebook_udf.compile.java.texts.unbound_methods import as_called
from notebook_udf.compile.java.writing import choices
from notebook_udf.compile.java.writing.code import Code
from notebook_udf.compile.java.writing.terms import (
    BoundMethod,
    Generated,
    KnownValue,
    Nested,
    NotCompiled,
    OneOf,
    Parts,
    Unset,
    Value,
)

# What evaluates an operation of a kind, with its detail, of values.
Evaluate: TypeAlias = Callable[[str, Any, tuple[Value, ...]], Value]


def called(
    run: FunctionCalls,
    code: Code,
    function: Value,
    given: Sequence[Value],
    names: tuple[str, ...],
    evaluate: Evaluate,
) -> Value:
    """What a call gives, with the names of the last arguments."""
    function = as_called(function)
    if isinstance(function, KnownValue) and type(function.value) is functools.partial:
        whole = _with_partials(function.value, tuple(given), names)
        return called(run, code, *whole, evaluate)
    found = _of_generated(run, code, function, given, names)
    if found is not None:
        return found
    arguments = tuple(listed(run, code, each) for each in given)

    def call(other: Value, values: tuple[Value, ...]) -> Value:
        return called(run, code, other, values, (), evaluate)

    found = operator_calls.called(function, arguments, names, evaluate)
    if found is None:
        found = functional.called(code, function, arguments, names, call)
    if found is not None:
        return found
    if isinstance(function, OneOf):

        def of_one(known: Any) -> Value:
            return called(run, code, KnownValue(known), arguments, names, evaluate)

        return choices.chosen(code, function, of_one, "a function")
    if isinstance(function, BoundMethod) and isinstance(function.owner, OneOf):
        name = function.name

        def of_owner(known: KnownValue) -> Value:
            return called(run, code, BoundMethod(known, name), arguments, names, evaluate)

        return constant_choices.of_each(code, function.owner, of_owner)
    if isinstance(function, BoundMethod):
        replaced = named_parts.replaced(function.owner, function.name, arguments, names)
        if replaced is not None:
            return replaced
        own = _method(run, code, function, arguments, names)
        if own is None:
            own = method_calls.called(code, function, arguments, names, call)
        return own
    alone = function.alone if isinstance(function, Nested) else None
    if alone is not None and alone.value.__closure__:
        # One that calls itself is a method of its own.
        return called(run, code, alone, arguments, names, evaluate)
    if isinstance(function, Nested):
        arguments = nested_functions.arguments(function, arguments, names)
        if function.code.co_flags & inspect.CO_GENERATOR:
            return Generated(function, arguments)
        return run.nested(function, arguments)
    if not isinstance(function, KnownValue):
        raise NotCompiled("a call of what varies")
    found = library_calls.called(code, function.value, arguments, names, call)
    if found is not None:
        return found
    if enum_classes.is_class(function.value):
        return enum_members.by_value(code, function.value, arguments)
    if known_objects.is_called(function.value):
        return called(run, code, BoundMethod(function, "__call__"), arguments, names, evaluate)
    if isinstance(function.value, types.FunctionType):
        return _of_function(run, code, function.value, arguments, names)
    if isinstance(function.value, type) and own_classes.fields_of(function.value):
        return _object(run, code, function.value, arguments, names)
    begins = named_parts.post_init(function.value)
    if begins is not None:
        made = named_parts.made(function.value, arguments, names, code)
        return _begun(run, made, begins)
    if not names:
        found = own_methods.called(run, code, function.value, arguments)
    return found or builtin_calls.call(code, function.value, arguments, names)


def _with_partials(
    made: functools.partial[Any], given: tuple[Value, ...], names: tuple[str, ...]
) -> tuple[Value, tuple[Value, ...], tuple[str, ...]]:
    """What is called where a constant ``partial`` is, with the arguments that it has already."""
    count = len(given) - len(names)
    named: dict[str, Value] = {name: KnownValue(each) for name, each in made.keywords.items()}
    named |= zip(names, given[count:], strict=True)
    places = (*map(KnownValue, made.args), *given[:count])
    return KnownValue(made.func), (*places, *named.values()), tuple(named)


def _of_generated(
    run: FunctionCalls,
    code: Code,
    function: Value,
    given: Sequence[Value],
    names: tuple[str, ...],
) -> Value | None:
    """A call that takes no more of a generator than it has to; None if it is none."""
    known = function.value if isinstance(function, KnownValue) else None
    if (known is any or known is all) and len(given) == 1 and isinstance(given[0], Generated):
        return asked(run, code, given[0], known is all)
    if known is next and not names:
        return next_of(run, code, tuple(given))
    if len(given) == 1 and isinstance(given[0], Generated) and not names:
        separator = functional.joins(code, function)
        if separator is not None:
            return joined(run, code, separator, given[0])
    if any(isinstance(each, Generated) for each in given):
        functional.check_consumer(function, handled=code.lists.handled)
    return None


def of_enum(run: FunctionCalls, code: Code, owner: Value, name: str) -> Value | None:
    """An attribute of an Enum or of a member, computed ones included; None of others.

    Of one of some members it is one of what each has, as of all objects.
    """
    known = owner.value if isinstance(owner, KnownValue) else None
    if not isinstance(owner, KnownValue) or not enum_classes.is_enum(known):
        return None
    own = None if enum_classes.is_class(known) else known_objects.computed(known, name)
    if own is not None and name not in enum_classes.ATTRIBUTES:
        return run.function(own, (owner,), ())
    return enum_members.attribute(owner, name)


def _method(
    run: FunctionCalls,
    code: Code,
    method: BoundMethod,
    given: tuple[Value, ...],
    names: tuple[str, ...],
) -> Value | None:
    """The call of a method of the user's, or of a collector; None if it is of neither."""
    owner, name = method.owner, method.name
    if collects(owner, name):
        if len(given) != 1 or names:
            raise NotCompiled("a call of collect that does not fit it")
        return run.give(given[0])
    known = owner.value if isinstance(owner, KnownValue) else None
    has_methods = known_objects.is_object(known) or enum_classes.is_enum(known)
    own = known_objects.method(known, name) if has_methods else None
    if own is not None:
        return _of_function(run, code, own[0], (KnownValue(own[1]), *given), names)
    found = changeable_records.function_of(code, owner, name)
    return None if found is None else _of_function(run, code, found[0], (owner, *given), names)


def _object(
    run: FunctionCalls, code: Code, own: type, given: tuple[Value, ...], names: tuple[str, ...]
) -> Parts:
    """A new object of a plain class of the user's."""
    fields, function = own_classes.fields_of(own), own_classes.init_of(own)
    assert function is not None
    blank = Parts(tuple(Unset() for _ in fields), fields, "object", own)
    found = run.begun(function, blank, given, names)
    if not isinstance(found, Parts) or any(map(named_parts.may_lack, found.parts)):
        raise NotCompiled(f"an object of {own.__name__} that may lack an attribute")
    return found


def _begun(run: FunctionCalls, made: Parts, begins: types.FunctionType) -> Value:
    """An object of a dataclass once its ``__post_init__`` has been called."""
    fields = own_classes.set_by(begins, made.names)
    if not fields or not set(fields) <= set(made.names):
        raise NotCompiled(f"{begins.__qualname__}, which does more than set fields")
    return run.begun(begins, made, (), ())


def _of_function(
    run: FunctionCalls,
    code: Code,
    function: types.FunctionType,
    given: tuple[Value, ...],
    names: tuple[str, ...],
) -> Value:
    """The call of a function of the user's; of a generator, what it gives once it is asked."""
    inner = function.__code__
    if not inner.co_flags & inspect.CO_GENERATOR:
        return run.function(function, given, names)
    found = bound(function, given, names, KnownValue)
    if found is None or not is_plain_code(inner, generator=True) or inner.co_kwonlyargcount:
        raise NotCompiled(f"a call of {function.__name__} that does not fit it")
    code.constants.files.add(inner.co_filename)
    code.lists.note_called()
    return Generated(Nested(inner, {}, function), tuple(found.values()))
