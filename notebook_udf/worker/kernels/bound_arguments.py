"""Which functions are followed, and which of their parameters an argument is for."""

from __future__ import annotations

import inspect
import types
from collections.abc import Sequence

from notebook_udf.worker.kernels.values import NoKernel, Uniform, Value, kept

_UNUSUAL = (
    inspect.CO_VARARGS
    | inspect.CO_VARKEYWORDS
    | inspect.CO_GENERATOR
    | inspect.CO_COROUTINE
    | inspect.CO_ASYNC_GENERATOR
)
# Longer code would take longer to follow, at the start of every task, than it saves.
_MOST_BYTES = 8192


def is_plain(function: types.FunctionType) -> bool:
    """Whether a function is code of so many parameters, and not too much of it."""
    code = function.__code__
    return not code.co_flags & _UNUSUAL and len(code.co_code) <= _MOST_BYTES


def bound(
    function: types.FunctionType, given: Sequence[Value], names: Sequence[str]
) -> dict[str, Value]:
    """The parameters' values; the last of what is given are those of the names.

    Raises
    ------
    NoKernel
        If a call like this raises.
    """
    code = function.__code__
    known = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    by_place = len(given) - len(names)
    taken = dict(zip(known[: code.co_argcount], map(kept, given[:by_place]), strict=False))
    last = function.__defaults__ or ()
    filled = dict(zip(known[code.co_argcount - len(last) : code.co_argcount], last, strict=True))
    filled.update(function.__kwdefaults__ or {})
    fits = by_place <= code.co_argcount
    for name, value in zip(names, given[by_place:], strict=True):
        fits = fits and name in known[code.co_posonlyargcount :] and name not in taken
        taken[name] = kept(value)
    if not fits or not all(name in taken or name in filled for name in known):
        raise NoKernel(f"a call of {function.__name__} that does not fit it")
    return {name: taken[name] if name in taken else Uniform(filled[name]) for name in known}
