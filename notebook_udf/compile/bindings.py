"""What the names of a function stand for: its parameters, and what it finds around it."""

from __future__ import annotations

import builtins
import inspect
from collections.abc import Callable, Mapping, Sequence
from types import CodeType, FunctionType
from typing import Any, TypeVar

T = TypeVar("T")

_UNUSUAL = (
    inspect.CO_VARARGS
    | inspect.CO_VARKEYWORDS
    | inspect.CO_GENERATOR
    | inspect.CO_COROUTINE
    | inspect.CO_ASYNC_GENERATOR
)


def is_plain_code(code: CodeType, *, generator: bool = False) -> bool:
    """Whether code runs when it is called, with a value for each of so many parameters.

    That of a ``generator`` runs when what it gives is asked for.
    """
    unusual = _UNUSUAL & ~inspect.CO_GENERATOR if generator else _UNUSUAL
    return not code.co_flags & unusual


def taken(
    given: Sequence[T], names: Sequence[str], by_place: Sequence[str], by_name: Sequence[str]
) -> dict[str, T] | None:
    """The arguments of a call by the parameters that they are for; None if a call like this raises.

    Parameters
    ----------
    given, names
        The arguments; the last of them are those of the names.
    by_place, by_name
        The parameters that may be given so.
    """
    count = len(given) - len(names)
    found = dict(zip(by_place, given[:count], strict=False))
    fits = count <= len(by_place)
    for name, value in zip(names, given[count:], strict=True):
        fits = fits and name in by_name and name not in found
        found[name] = value
    return found if fits else None


def bound(
    function: FunctionType,
    given: Sequence[T],
    names: Sequence[str],
    constant: Callable[[Any], T],
) -> dict[str, T] | None:
    """The parameters' values, in their order; None if a call like this raises.

    Parameters
    ----------
    given, names
        The arguments; the last of them are those of the names.
    constant
        Makes a value of a default.
    """
    last = tuple(map(constant, function.__defaults__ or ()))
    by_name = {name: constant(each) for name, each in (function.__kwdefaults__ or {}).items()}
    return placed(function.__code__, given, names, last, by_name)


def placed(
    code: CodeType,
    given: Sequence[T],
    names: Sequence[str],
    defaults: Sequence[T],
    named_defaults: Mapping[str, T],
) -> dict[str, T] | None:
    """As ``bound``, of code whose last parameters by place, and some by name, have defaults."""
    known = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    found = taken(given, names, known[: code.co_argcount], known[code.co_posonlyargcount :])
    first = code.co_argcount - len(defaults)
    filled = dict(zip(known[first : code.co_argcount], defaults, strict=True))
    filled.update(named_defaults)
    if found is None or not all(name in found or name in filled for name in known):
        return None
    return {name: found[name] if name in found else filled[name] for name in known}


def value_of(function: FunctionType, kind: str, name: str) -> Any:
    """What a ``cell``, a ``global`` or a ``builtin`` of this name holds.

    Raises
    ------
    LookupError
        If nothing does, or only what the function itself puts there.
    """
    if kind == "cell":
        names = function.__code__.co_freevars
        if name not in names:
            raise LookupError(name)
        return (function.__closure__ or ())[names.index(name)].cell_contents
    if kind == "global" and name in function.__globals__:
        return function.__globals__[name]
    try:
        return getattr(builtins, name)
    except AttributeError:
        raise LookupError(name) from None
