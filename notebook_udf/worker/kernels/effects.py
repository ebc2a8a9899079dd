"""Whether a function may do anything besides answering.

Kernels answer some rows of a bundle before Python runs the rest. What one row leaves for the next
(a global that is counted up, a list that grows, a line that is printed) would then come in another
order: such a function is not theirs at all. What is not known to leave things alone does not.
"""

from __future__ import annotations

import builtins
import datetime
import decimal
import dis
import math
import re
import types
from collections.abc import Iterator
from typing import Any

from notebook_udf.worker.kernels.values import NoKernel

# Each writes something that may outlive the call.
_WRITES = frozenset(
    [
        "STORE_GLOBAL",
        "DELETE_GLOBAL",
        "STORE_ATTR",
        "DELETE_ATTR",
        "STORE_SUBSCR",
        "STORE_SLICE",
        "DELETE_SUBSCR",
        "STORE_DEREF",
        "DELETE_DEREF",
        "STORE_NAME",
        "DELETE_NAME",
        "YIELD_VALUE",
        "SEND",
        "SETUP_WITH",
        "BEFORE_WITH",
        "BEFORE_ASYNC_WITH",
        "LOAD_SPECIAL",
        "LOAD_BUILD_CLASS",
    ]
)
_GLOBALS = ("LOAD_GLOBAL", "LOAD_NAME")
_ATTRIBUTES = ("LOAD_ATTR", "LOAD_METHOD", "LOAD_SUPER_ATTR", "LOAD_SUPER_METHOD")
# Methods of containers that change them.
_CHANGING = frozenset(
    {
        *("append", "extend", "insert", "remove", "pop", "clear", "sort", "reverse", "add"),
        *("discard", "update", "setdefault", "popitem", "difference_update"),
        *("intersection_update", "symmetric_difference_update"),
    }
)
_PURE_BUILTINS = frozenset(
    [
        "abs",
        "all",
        "any",
        "ascii",
        "bin",
        "bool",
        "bytes",
        "chr",
        "complex",
        "dict",
        "divmod",
        "enumerate",
        "float",
        "format",
        "frozenset",
        "hash",
        "hex",
        "int",
        "isinstance",
        "issubclass",
        "len",
        "list",
        "max",
        "min",
        "oct",
        "ord",
        "pow",
        "range",
        "repr",
        "reversed",
        "round",
        "set",
        "slice",
        "sorted",
        "str",
        "sum",
        "tuple",
        "type",
        "zip",
    ]
)
_PURE_MODULES = frozenset(
    [
        "math",
        "cmath",
        "re",
        "json",
        "datetime",
        "decimal",
        "fractions",
        "hashlib",
        "string",
        "calendar",
        "unicodedata",
        "statistics",
        "operator",
        "textwrap",
        "html",
        "base64",
        "binascii",
        "struct",
        "zlib",
        "urllib",
        "urllib.parse",
        "colorsys",
    ]
)
_PLAIN = (
    *(int, float, complex, str, bytes, bool, type(None), range, re.Pattern, type(Ellipsis)),
    *(datetime.date, datetime.datetime, datetime.time, datetime.timedelta, decimal.Decimal),
    decimal.Context,
)
_CONTAINERS = (tuple, list, set, frozenset, dict)
_CLASSES = frozenset(
    {datetime.date, datetime.datetime, datetime.time, datetime.timedelta, decimal.Decimal}
)


def effect_of(function: types.FunctionType, owner: object = None) -> NoKernel | None:
    """What a function, of an object or not, may do besides answering; None if nothing.

    Parameters
    ----------
    function
        Looked at with the functions that it calls, of its module or of its object.
    owner
        The object whose method it is.
    """
    return _Search().of(function, owner)


class _Search:
    def __init__(self) -> None:
        self._seen: set[types.CodeType] = set()

    def of(self, function: types.FunctionType, owner: object) -> NoKernel | None:
        if function.__code__ in self._seen:
            return None
        self._seen.add(function.__code__)
        names, cells = function.__code__.co_freevars, function.__closure__ or ()
        for name, cell in zip(names, cells, strict=True):
            try:
                held = cell.cell_contents
            except ValueError:
                return NoKernel(f"{name}, which has no value yet")
            found = self._object(name, held)
            if found is not None:
                return found
        for code in _codes(function.__code__):
            found = self._code(code, function, owner)
            if found is not None:
                return found
        return None

    def _code(
        self, code: types.CodeType, function: types.FunctionType, owner: object
    ) -> NoKernel | None:
        containers = False
        in_place: int | None = None
        line: int | None = None
        for each in dis.get_instructions(code):
            line = (each.positions and each.positions.lineno) or line
            name, found = each.argval, None
            if each.opname == "IMPORT_NAME":
                # What a module does when it is first imported is not looked at.
                found = NoKernel(f"the import of {name}, which could stand above the function")
            elif each.opname in _WRITES:
                found = NoKernel("something that may outlive the call is written")
            elif each.opname in _GLOBALS:
                held = _global(function, name)
                containers = containers or isinstance(held, (list, set, dict))
                found = self._object(name, held)
            elif each.opname in _ATTRIBUTES:
                found = self._attribute(name, owner)
            elif each.opname == "BINARY_OP" and each.argrepr.endswith("="):
                in_place = line
            if found is not None:
                found.line = found.line or line
                return found
        if containers and in_place is not None:
            return NoKernel("a container may be changed in place", in_place)
        return None

    def _attribute(self, name: str, owner: object) -> NoKernel | None:
        if name in _CHANGING:
            return NoKernel(f"{name}, which changes a container")
        if owner is None:
            return None
        held = getattr(type(owner), name, None)
        if isinstance(held, types.FunctionType):
            return self.of(held, owner)
        if isinstance(held, property):
            return NoKernel(f"{name}, a property")
        stored = vars(owner) if hasattr(owner, "__dict__") else {}
        return self._object(name, stored[name]) if name in stored else None

    def _object(self, name: str, held: Any) -> NoKernel | None:
        """Whether an object may do something when it is asked."""
        if isinstance(held, types.FunctionType):
            return None if held.__module__ in _PURE_MODULES else self.of(held, None)
        if isinstance(held, types.ModuleType):
            fine = held.__name__ in _PURE_MODULES
        elif isinstance(held, type):
            fine = (
                held in _CLASSES
                or issubclass(held, BaseException)
                or getattr(builtins, held.__name__, None) is held
            )
        elif isinstance(held, types.BuiltinFunctionType):
            fine = held in _BUILTINS or getattr(held, "__module__", "") in _PURE_MODULES
        else:
            fine = type(held) in _PLAIN or type(held) in _CONTAINERS or held is _MISSING
        return None if fine else NoKernel(f"{name}, of which it is not known what it does")


_MISSING = object()
_BUILTINS = frozenset(getattr(builtins, name) for name in _PURE_BUILTINS) | {
    getattr(math, name) for name in vars(math) if callable(getattr(math, name))
}


def _global(function: types.FunctionType, name: str) -> Any:
    return function.__globals__.get(name, getattr(builtins, name, _MISSING))


def _codes(code: types.CodeType) -> Iterator[types.CodeType]:
    """A function's code, and that of the functions and comprehensions inside it."""
    yield code
    for each in code.co_consts:
        if isinstance(each, types.CodeType):
            yield from _codes(each)
