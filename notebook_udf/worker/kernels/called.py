"""Builtins, functions of ``math`` and methods, called with columns."""

from __future__ import annotations

import builtins
import datetime
import math
import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from notebook_udf.worker.kernels import moments, patterns, textual
from notebook_udf.worker.kernels.numeric import (
    SAFE,
    arithmetic,
    as_float,
    as_numpy,
    comparison,
    negated,
)
from notebook_udf.worker.kernels.values import (
    Column,
    Domain,
    NoKernel,
    Operand,
    Rows,
    Uniform,
    Value,
    column,
    flags,
    folded,
    merged,
    operand,
    truth,
)

# Classes that are called with constants only.
_MADE = (datetime.date, datetime.datetime, datetime.timedelta)
# Methods of texts and dicts that change these, or ask what else there is.
_REFUSED = ("pop", "popitem", "clear", "update", "setdefault", "format", "format_map")
_OF_MATCHES = {"group": patterns.group, "groups": patterns.groups}
# What int and float read that is certain to be read alike; all else is left to Python.
_WHOLE = r"^[+-]?[0-9]{1,18}$"
_DECIMAL = r"^[+-]?[0-9]{1,30}(\.[0-9]{0,30})?$"
_Called = Callable[[Rows, Sequence[Value]], Value]


# The order of what is given by name, too.
_ORDER = {
    "round": ("number", "ndigits"),
    "split": ("sep", "maxsplit"),
    "rsplit": ("sep", "maxsplit"),
}


def by_place(name: str, given: Sequence[Value], names: Sequence[str]) -> Sequence[Value]:
    """Arguments by place, of which the last were given by name.

    Raises
    ------
    NoKernel
        If it is not known where these stand, or one before them has none.
    """
    if not names:
        return given
    placed = len(given) - len(names)
    order = _ORDER.get(name, ())
    if set(names) != set(order[placed : len(given)]):
        raise NoKernel(f"a call of {name} with arguments by these names")
    found = dict(zip(names, given[placed:], strict=True))
    return [*given[:placed], *(found[each] for each in order[placed : len(given)])]


def call(rows: Rows, function: Any, given: Sequence[Value], names: Sequence[str] = ()) -> Value:
    """The answer of a function of Python's own; the last of what is given is so by name.

    Raises
    ------
    NoKernel
        If it has none for these arguments.
    """
    known = _FUNCTIONS.get(id(function))
    if known is None and any(function is each for each in _MADE):
        known = _refused
    name = getattr(function, "__name__", type(function).__name__)
    if known is None:
        raise NoKernel(f"a call of {name}")
    constants = [each.value for each in given if isinstance(each, Uniform)]
    if given and len(constants) == len(given):
        placed = len(given) - len(names)
        named = dict(zip(names, constants[placed:], strict=True))
        return folded(name, lambda: function(*constants[:placed], **named))
    return known(rows, by_place(name, given, names))


def knows(function: Any) -> bool:
    """Whether there is a kernel for a function of Python's own."""
    return id(function) in _FUNCTIONS


def method(rows: Rows, owner: Value, name: str, given: Sequence[Value]) -> Value:
    """The answer of a method.

    Raises
    ------
    NoKernel
        If there is none for these arguments.
    """
    if isinstance(owner, Uniform):
        own, constants = owner.value, [each.value for each in given if isinstance(each, Uniform)]
        if type(own) in (str, dict) and len(constants) == len(given) and name not in _REFUSED:
            return folded(name, lambda: getattr(own, name)(*constants))
        if type(own) is dict and name == "get" and 1 <= len(given) <= 2:
            default = given[1] if len(given) == 2 else Uniform(None)
            return textual.looked_up(rows, own, given[0], default)
        if type(own) is str and name in ("find", "index") and len(given) == 1:
            return textual.place_in(rows, own, given[0], None if name == "index" else Uniform(-1))
        if type(own) is str and name == "join" and len(given) == 1:
            return textual.joined(rows, own, given[0])
        if isinstance(own, re.Pattern):
            return patterns.call(rows, own, name, given)
        raise NoKernel(f"a method {name} of this constant")
    if not isinstance(owner, Column):
        raise NoKernel(f"a method {name} here")
    rows.present(owner)
    if owner.domain == "str" and name in textual.METHODS:
        return textual.METHODS[name](rows, owner.array, given)
    if owner.domain == "match" and name in _OF_MATCHES:
        return _OF_MATCHES[name](rows, owner, given)
    if owner.domain in moments.ATTRIBUTES:
        return moments.method(rows, owner, name, given)
    raise NoKernel(f"a method {name} of {owner.domain}")


def _refused(rows: Rows, given: Sequence[Value]) -> Value:
    raise NoKernel("dates made of what varies")


def _one(given: Sequence[Value]) -> Value:
    if len(given) != 1:
        raise NoKernel("with so many arguments")
    return given[0]


def _argument(rows: Rows, given: Sequence[Value]) -> Operand:
    """The only argument, in rows where it is not None."""
    value = _one(given)
    rows.present(value)
    return operand(value)


def _number(rows: Rows, given: Sequence[Value], *domains: Domain) -> Operand:
    """The only argument of a function of ``math``, of one of these domains."""
    domain, array = _argument(rows, given)
    if domain not in domains:
        raise NoKernel(f"math of {domain}")
    return domain, array


def _len(rows: Rows, given: Sequence[Value]) -> Value:
    domain, array = _argument(rows, given)
    kernels: dict[str, Any] = {"str": pc.utf8_length, "texts": pc.list_value_length}
    if domain not in kernels:
        raise NoKernel(f"len of {domain}")
    return column("int", kernels[domain](array).cast(pa.int64()), rows)


def _abs(rows: Rows, given: Sequence[Value]) -> Value:
    domain, array = _argument(rows, given)
    if domain == "float":
        return column(domain, pc.abs(array), rows)
    if domain != "int":
        raise NoKernel(f"abs of {domain}")
    value, low = given[0], flags(pc.less(array, 0))
    turned = negated(rows.within(rows.both(low)), value)
    return merged([(low, turned), (~low, value)])


def _int(rows: Rows, given: Sequence[Value]) -> Value:
    domain, array = _argument(rows, given)
    if domain == "int":
        return given[0]
    if domain == "bool":
        return column("int", array.cast(pa.int64()), rows)
    if domain == "float":
        return column("int", _whole(rows, np.trunc(as_numpy(array))), rows)
    if domain != "str":
        raise NoKernel(f"int of {domain}")
    return column("int", _digits(rows, array, _WHOLE).cast(pa.int64()), rows)


def _whole(rows: Rows, values: Any) -> Any:
    """Doubles that are whole numbers, as these."""
    unsafe = ~(np.abs(values) < SAFE)
    rows.decline(unsafe)
    return pa.array(np.where(unsafe, 0.0, values).astype(np.int64))


def _float(rows: Rows, given: Sequence[Value]) -> Value:
    domain, array = _argument(rows, given)
    if domain in ("int", "float"):
        return column("float", as_float(domain, array), rows)
    if domain != "str":
        raise NoKernel(f"float of {domain}")
    return column("float", _digits(rows, array, _DECIMAL).cast(pa.float64()), rows)


def _digits(rows: Rows, array: Any, pattern: str) -> Any:
    """Texts that are a number as a pattern has it, without a plus sign."""
    read = rows.only(array, pc.match_substring_regex(array, pattern), "0")
    return pc.utf8_ltrim(read, characters="+")


def _str(rows: Rows, given: Sequence[Value]) -> Value:
    return textual.formatted(rows, _one(given), "")


def _bool(rows: Rows, given: Sequence[Value]) -> Value:
    return column("bool", pa.array(truth(rows, _one(given))), rows)


def _round(rows: Rows, given: Sequence[Value]) -> Value:
    domain, array = _argument(rows, given[:1])
    if len(given) == 1 and domain == "int":
        return given[0]
    if domain != "float":
        raise NoKernel(f"round of {domain} to a place")
    if len(given) == 1:
        return column("int", _whole(rows, np.rint(as_numpy(array))), rows)
    digits = given[1].value if isinstance(given[1], Uniform) else None
    if type(digits) is not int or not 0 <= digits <= 6:
        raise NoKernel("round to this place")
    return column("float", pa.array(textual.rounded(rows, array, digits)[1]), rows)


def _chosen(how: str) -> _Called:
    """min and max: of equal ones the first, and a NaN where it stands."""

    def choose(rows: Rows, given: Sequence[Value]) -> Value:
        if len(given) < 2:
            raise NoKernel("of a single argument")
        best = given[0]
        for each in given[1:]:
            better = truth(rows, comparison(rows, how, each, best))
            best = merged([(better, each), (~better, best)])
        return best

    return choose


def _real(kernel: Callable[..., Any], allowed: Callable[[Any], Any]) -> _Called:
    """A function of libm, where it neither raises nor is asked about what is not finite."""

    def apply(rows: Rows, given: Sequence[Value]) -> Value:
        numbers = as_float(*_number(rows, given, "int", "float"))
        rows.decline(~allowed(as_numpy(numbers)))
        found = kernel(numbers)
        rows.decline(pc.invert(pc.is_finite(found)))
        return column("float", found, rows)

    return apply


def _to_whole(kernel: Callable[..., Any]) -> _Called:
    def apply(rows: Rows, given: Sequence[Value]) -> Value:
        domain, array = _number(rows, given, "int", "float")
        if domain == "int":
            return given[0]
        return column("int", _whole(rows, kernel(as_numpy(array))), rows)

    return apply


def _times(factor: float) -> _Called:
    def apply(rows: Rows, given: Sequence[Value]) -> Value:
        return arithmetic(rows, "*", _float(rows, given), Uniform(factor))

    return apply


def _is(kernel: Callable[..., Any]) -> _Called:
    def apply(rows: Rows, given: Sequence[Value]) -> Value:
        return column("bool", kernel(_number(rows, given, "float")[1]), rows)

    return apply


def _searched(name: str) -> _Called:
    return lambda rows, given: patterns.function(rows, name, given)


# What the attribute of the class is differs from one reading to the next.
STRPTIME = datetime.datetime.strptime
_finite = np.isfinite
_TABLE: tuple[tuple[Any, _Called], ...] = (
    (builtins.len, _len),
    (builtins.abs, _abs),
    (builtins.int, _int),
    (builtins.float, _float),
    (builtins.str, _str),
    (builtins.bool, _bool),
    (builtins.round, _round),
    (builtins.min, _chosen("<")),
    (builtins.max, _chosen(">")),
    (math.sqrt, _real(pc.sqrt, lambda x: _finite(x) & (x >= 0))),
    (math.sin, _real(pc.sin, _finite)),
    (math.cos, _real(pc.cos, _finite)),
    (math.tan, _real(pc.tan, _finite)),
    (math.asin, _real(pc.asin, lambda x: np.abs(x) <= 1)),
    (math.acos, _real(pc.acos, lambda x: np.abs(x) <= 1)),
    (math.atan, _real(pc.atan, _finite)),
    (math.exp, _real(pc.exp, lambda x: np.abs(x) < 700)),
    (math.log, _real(pc.ln, lambda x: _finite(x) & (x > 0))),
    (math.log10, _real(pc.log10, lambda x: _finite(x) & (x > 0))),
    (math.log2, _real(pc.log2, lambda x: _finite(x) & (x > 0))),
    (math.fabs, _real(pc.abs, _finite)),
    (math.floor, _to_whole(np.floor)),
    (math.ceil, _to_whole(np.ceil)),
    (math.trunc, _to_whole(np.trunc)),
    (math.radians, _times(math.pi / 180.0)),
    (math.degrees, _times(180.0 / math.pi)),
    (math.isnan, _is(pc.is_nan)),
    (math.isinf, _is(pc.is_inf)),
    (math.isfinite, _is(pc.is_finite)),
    (STRPTIME, moments.strptime),
    *((getattr(re, name), _searched(name)) for name in patterns.METHODS),
)
_FUNCTIONS: dict[int, _Called] = {id(function): kernel for function, kernel in _TABLE}
