"""``create_accumulator`` read: whether each call of it makes the same.

What it made once stands for all that it makes then. Only what is certain counts: constants,
displays of them, containers of Python's, and objects of classes that make their attributes so.
"""

from __future__ import annotations

import collections
import dataclasses
import datetime as dt
import decimal
from types import BuiltinMethodType, CodeType, FunctionType, MethodType, ModuleType
from typing import Any

from notebook_udf.compile.bindings import value_of
from notebook_udf.compile.flow_graph import Evaluation, UnreadableCode
from notebook_udf.compile.java.objects import named_parts
from notebook_udf.compile.symbolic import read_code
from notebook_udf.functions.row import Row

_MAKING: tuple[Any, ...] = (
    *(list, dict, set, frozenset, tuple, int, float, str, bool, complex, bytes, range),
    *(min, max, len, abs, round, sum, sorted, zip, enumerate, reversed),
    *(collections.Counter, collections.defaultdict, collections.deque, collections.OrderedDict),
    *(decimal.Decimal, dt.date, dt.datetime, dt.time, dt.timedelta, Row),
)
_CONSTANTS = (int, float, str, bool, bytes, type(None), decimal.Decimal, dt.date, dt.timedelta)
_ACTS = frozenset(
    {"constant", "local", "store_local", "store_item", "store_attribute", "save_local", "tuple",
     "list", "map", "set", "slice", "binary", "unary", "compare", "item", "grow", "iterator",
     "next", "part", "phi", "global", "builtin", "cell", "attribute", "call", "function",
     "closure", "intrinsic"}
)  # fmt: skip
_NAMES = ("global", "builtin", "cell")
_MODULES = ("collections", "datetime", "decimal", "notebook_udf")
_DEEPEST = 4
_UNKNOWN = object()
_CLOCKS = ("now", "utcnow", "today")


def makes_the_same(instance: Any) -> bool:
    """Whether all calls of an instance's ``create_accumulator`` make the same."""
    method = getattr(type(instance), "create_accumulator", None)
    return isinstance(method, FunctionType) and _is_steady(method, method.__code__, instance)


def _is_steady(function: FunctionType, code: CodeType, owner: Any, depth: int = 0) -> bool:
    graph = read_code(code)
    if isinstance(graph, UnreadableCode) or graph.guarded or depth > _DEEPEST:
        return False
    own = code.co_varnames[0] if code.co_argcount else ""
    every = [each for block in graph.blocks.values() for each in block.evaluations]
    return all(_is_steady_act(function, each, own, owner, depth) for each in every)


def _is_steady_act(
    function: FunctionType, each: Evaluation, own: str, owner: Any, depth: int
) -> bool:
    if each.kind not in _ACTS:
        return False
    if each.kind == "function":
        # A comprehension.
        code = each.operands[-1].detail
        return isinstance(code, CodeType) and _is_steady(function, code, owner, depth + 1)
    if each.kind in _NAMES:
        return _is_known(_named(function, each), depth)
    if each.kind == "attribute":
        (whole,) = each.operands
        if own and whole.is_local(own):
            # In __init__ it is one that was set there.
            return owner is None or _is_known(getattr(owner, each.detail, _UNKNOWN), depth)
        if whole.kind not in _NAMES:
            # Of what was made here.
            return each.detail not in _CLOCKS
        return _is_known(getattr(_named(function, whole), each.detail, _UNKNOWN), depth)
    return True


def _named(function: FunctionType, each: Evaluation) -> Any:
    """What a name stands for."""
    try:
        return value_of(function, each.kind, each.detail)
    except LookupError:
        return _UNKNOWN


def _is_known(value: Any, depth: int) -> bool:
    """Whether a value is a constant, or gives the same for the same each time it is called."""
    if isinstance(value, _CONSTANTS) or any(value is each for each in _MAKING):
        return True
    if isinstance(value, BuiltinMethodType) and value == dict.fromkeys:
        return True
    if type(value) in (tuple, frozenset):
        return all(_is_known(each, depth) for each in value)
    if isinstance(value, ModuleType):
        return value.__name__ in _MODULES
    if isinstance(value, MethodType):
        function, owner = value.__func__, value.__self__
        if not isinstance(function, FunctionType):
            return False
        return _is_steady(function, function.__code__, owner, depth + 1)
    if isinstance(value, FunctionType):
        return _is_steady(value, value.__code__, None, depth + 1)
    return isinstance(value, type) and _makes_the_same(value, depth)


def _makes_the_same(cls: type, depth: int) -> bool:
    """Whether objects of a class are made alike."""
    if dataclasses.is_dataclass(cls):
        factories = [each.default_factory for each in dataclasses.fields(cls)]
        given = [each for each in factories if each is not dataclasses.MISSING]
        return not hasattr(cls, "__post_init__") and all(_is_known(e, depth + 1) for e in given)
    if named_parts.is_named_tuple(cls):
        return True
    classes = cls.__mro__[:-1]
    if any(each.__module__ == "builtins" or "__new__" in vars(each) for each in classes):
        return False
    made = next((vars(each)["__init__"] for each in classes if "__init__" in vars(each)), None)
    return made is None or (
        isinstance(made, FunctionType) and _is_steady(made, made.__code__, None, depth + 1)
    )
