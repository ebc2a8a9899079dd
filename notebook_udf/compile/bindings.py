"""What the names of a function stand for: its parameters, and what it finds around it."""

from __future__ import annotations

import builtins
import inspect
from collections.abc import Callable, Sequence
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


def is_plain_code(code: CodeType) -> bool:
    """Whether code runs when it is called, with a value for each of so many parameters."""
    return not code.co_flags & _UNUSUAL


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
    code = function.__code__
    known = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    by_place = len(given) - len(names)
    taken = dict(zip(known[: code.co_argcount], given[:by_place], strict=False))
    last = function.__defaults__ or ()
    filled = dict(zip(known[code.co_argcount - len(last) : code.co_argcount], last, strict=True))
    filled.update(function.__kwdefaults__ or {})
    fits = by_place <= code.co_argcount
    for name, value in zip(names, given[by_place:], strict=True):
        fits = fits and name in known[code.co_posonlyargcount :] and name not in taken
        taken[name] = value
    if not fits or not all(name in taken or name in filled for name in known):
        return None
    return {name: taken[name] if name in taken else constant(filled[name]) for name in known}


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
