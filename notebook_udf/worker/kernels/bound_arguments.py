"""Which functions are followed, and which of their parameters an argument is for."""

from __future__ import annotations

import types
from collections.abc import Sequence

from notebook_udf.compile import bindings
from notebook_udf.compile.bindings import is_plain_code
from notebook_udf.worker.kernels.values import NoKernel, Uniform, Value, kept

# Longer code would take longer to follow, at the start of every task, than it saves.
_MOST_BYTES = 8192


def is_plain(function: types.FunctionType) -> bool:
    """Whether a function is code of so many parameters, and not too much of it."""
    code = function.__code__
    return is_plain_code(code) and len(code.co_code) <= _MOST_BYTES


def bound(
    function: types.FunctionType, given: Sequence[Value], names: Sequence[str]
) -> dict[str, Value]:
    """The parameters' values; the last of what is given are those of the names.

    Raises
    ------
    NoKernel
        If a call like this raises.
    """
    found = bindings.bound(function, list(map(kept, given)), names, Uniform)
    if found is None:
        raise NoKernel(f"a call of {function.__name__} that does not fit it")
    return found
