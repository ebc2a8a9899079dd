"""Functions with ``func_type="numba"``: what they take and return, and what numba makes of them.

numba is imported here and nowhere else, when it is needed: it is an extra. ``worker.scalar`` has
the columns, and runs what is made here over them.
"""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from types import FunctionType
from typing import Any

import numpy as np
from pyspark.sql.types import (
    ArrayType,
    BooleanType,
    ByteType,
    DataType,
    DoubleType,
    FloatType,
    IntegerType,
    LongType,
    ShortType,
)

from notebook_udf.errors import DeclarationError
from notebook_udf.types import ddl

# What a value is to numba, by the type of its column. An array of them has an "a" before it.
_LETTERS: dict[type[DataType], str] = {
    LongType: "i",
    IntegerType: "i",
    ShortType: "i",
    ByteType: "i",
    DoubleType: "f",
    FloatType: "f",
    BooleanType: "b",
}
_RESULTS = (LongType, IntegerType, DoubleType, FloatType, BooleanType)
_LEAVE_OUT = "leave func_type out, and it runs as it is"
_LOOP = """
def call({parameters}):
    return function({arguments})

def loop(start, stop, place, given, results{columns}):
    for row in range(start, stop):
        if given[row]:
            place[0] = row
            result = call({values})
            if result is None:
                given[row] = False
            else:
                results[row] = result
"""
_COLOURS = re.compile(r"\x1b\[[0-9;]*m")
_MOST_COMPILED = 64


@dataclass(frozen=True)
class Compiled:
    """A function, compiled for arguments of some kinds.

    Attributes
    ----------
    loop
        ``loop(start, stop, place, given, results, *columns)`` calls it for the rows from start to
        stop that ``given`` marks, and writes the results; None takes the mark away. ``place[0]`` is
        the row that it was at, if it raises. An array's column is two: all elements, and where
        those of each row begin, with the end of the last.
    result
        The numpy type of ``results``.
    """

    loop: Callable[..., None]
    result: str


def require(title: str) -> None:
    """Checks that there is numba.

    Raises
    ------
    DeclarationError
        If it is not installed.
    """
    if importlib.util.find_spec("numba") is None:
        raise DeclarationError(
            f"{title}: func_type='numba' needs numba, which is not installed: "
            f"pip install 'notebook-udf[numba]', or {_LEAVE_OUT}"
        )


def letter(data_type: DataType) -> str | None:
    """The kind of a column's values, ``i``, ``f`` or ``b``, with an ``a`` before it for arrays.

    None for a column that such a function does not take.
    """
    if isinstance(data_type, ArrayType):
        inner = _LETTERS.get(type(data_type.elementType))
        return None if inner is None else f"a{inner}"
    return _LETTERS.get(type(data_type))


def check(
    function: Any, types: Sequence[DataType | None], result_type: DataType, title: str
) -> None:
    """Checks a declaration; where all types are declared, by compiling the function.

    Raises
    ------
    DeclarationError
        If it cannot be compiled, or not for these types.
    """
    require(title)
    if not isinstance(function, FunctionType):
        raise DeclarationError(
            f"{title} is no plain function, and numba compiles nothing else: write a def, or "
            f"{_LEAVE_OUT}"
        )
    for each in types:
        if each is not None and letter(each) is None:
            raise refused(title, ddl(each))
    if not isinstance(result_type, _RESULTS):
        raise DeclarationError(
            f"{title}: func_type='numba' returns BIGINT, INT, DOUBLE, FLOAT or BOOLEAN, not "
            f"{ddl(result_type)}: {_LEAVE_OUT}"
        )
    kinds = [letter(each) for each in types if each is not None]
    if len(kinds) == function.__code__.co_argcount:
        compiled(function, tuple(map(str, kinds)), (), result_type, title, "")


def refused(title: str, given: str) -> DeclarationError:
    """The error for an argument of a type that such functions do not take."""
    return DeclarationError(
        f"{title}: func_type='numba' takes whole numbers, DOUBLE, FLOAT and BOOLEAN, and arrays of "
        f"these, not {given}: {_LEAVE_OUT}"
    )


def compiled(
    function: FunctionType,
    kinds: tuple[str, ...],
    names: tuple[str, ...],
    result_type: DataType,
    title: str,
    identity: str,
) -> Compiled:
    """The function, compiled for arguments of these kinds (see ``letter``); the last ones are given
    by these names.

    What has the same ``identity`` is compiled once in a process; "" has none.

    Raises
    ------
    DeclarationError
        If numba cannot compile it, or what it returns is not of the type.
    """
    made = _compiled if identity else _compiled.__wrapped__
    return made(_Code(function, identity), kinds, names, result_type, title)


class _Code:
    """A function, equal to another one of the same identity."""

    def __init__(self, function: FunctionType, identity: str) -> None:
        self.function = function
        self._identity = identity

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Code) and other._identity == self._identity

    def __hash__(self) -> int:
        return hash(self._identity)


@lru_cache(maxsize=_MOST_COMPILED)
def _compiled(
    code: _Code,
    kinds: tuple[str, ...],
    names: tuple[str, ...],
    result_type: DataType,
    title: str,
) -> Compiled:
    import numba

    def jit(plain: Any) -> Any:
        # Without checked bounds a wrong index reads, or writes, whatever is there.
        return numba.njit(nogil=True, error_model="python", boundscheck=True)(plain)

    scope: dict[str, Any] = {"function": jit(code.function), "np": np}
    exec(_written(kinds, names), scope)
    call = scope["call"] = jit(scope["call"])
    try:
        signature = tuple(_type(kind) for kind in kinds)
        call.compile(signature)
        returned = call.overloads[signature].signature.return_type
    except Exception as error:
        raise DeclarationError(
            f"{title} cannot be compiled by numba: {_first_line(error)}; {_LEAVE_OUT}"
        ) from None
    return Compiled(jit(scope["loop"]), _result(returned, result_type, title))


def _written(kinds: Sequence[str], names: Sequence[str]) -> str:
    """The code of the loop."""
    first = len(kinds) - len(names)
    arguments, columns, values = [], [], []
    for at, kind in enumerate(kinds):
        arguments.append(f"x{at}" if at < first else f"{names[at - first]}=x{at}")
        if kind.startswith("a"):
            columns += [f"c{at}", f"o{at}"]
            values.append(f"c{at}[o{at}[row]:o{at}[row + 1]]")
        else:
            columns.append(f"c{at}")
            # As wide as Python's, whatever the column's type.
            values.append(
                {"i": f"np.int64(c{at}[row])", "f": f"np.float64(c{at}[row])"}.get(
                    kind, f"c{at}[row]"
                )
            )
    return _LOOP.format(
        parameters=", ".join(f"x{at}" for at in range(len(kinds))),
        arguments=", ".join(arguments),
        columns="".join(f", {column}" for column in columns),
        values=", ".join(values),
    )


def _type(kind: str) -> Any:
    from numba import types

    found = {"i": types.int64, "f": types.float64, "b": types.boolean}[kind[-1]]
    return types.Array(found, 1, "C", readonly=True) if kind.startswith("a") else found


def _result(returned: Any, result_type: DataType, title: str) -> str:
    """The numpy type of the results; what need not fit the column's type is checked there."""
    from numba import types

    found = returned.type if isinstance(returned, types.Optional) else returned
    truth = isinstance(found, types.Boolean)
    # One of 64 bits without a sign has values that no column holds.
    whole = isinstance(found, types.Integer) and (found.signed or found.bitwidth < 64)
    if isinstance(result_type, BooleanType) and truth:
        return "bool"
    if isinstance(result_type, (LongType, IntegerType)) and (whole or truth):
        return "int64"
    if isinstance(result_type, (DoubleType, FloatType)):
        if isinstance(found, types.Float):
            return "float64"
        if whole or truth:
            return "int64"
    raise DeclarationError(
        f"{title} returns {returned} of numba's, and {ddl(result_type)} is declared: convert it in "
        f"the function (float(x), int(x)), or declare the type that it has"
    )


def _first_line(error: Exception) -> str:
    """What numba has against a function, without where it has come to that."""
    lines = [each.strip() for each in _COLOURS.sub("", str(error)).splitlines()]
    told = [each for each in lines if each and not each.startswith("Failed in nopython mode")]
    if not told:
        return type(error).__name__
    if told[0].endswith("signature:"):
        call = next((each for each in told if each.startswith(">>>")), "")
        return f"{told[0]} {call.removeprefix('>>> ')}".strip()
    return told[0]
