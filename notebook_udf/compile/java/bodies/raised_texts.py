"""What ``str`` gives of exceptions that operations raise, for functions that ask for it.

Python's own words come from ``example_errors``, since each version has its own. An operation that
may raise something else has no Java there: a row's answer would be unknown.
"""

from __future__ import annotations

import datetime as dt
import operator
import re
import string
import sys
from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal
from types import FunctionType
from typing import Any

from notebook_udf.compile.flow_graph import Evaluation
from notebook_udf.compile.java.bodies.example_errors import (
    RaisedText,
    Texts,
    error_of,
    example_of,
    may_be_none,
    of_none,
    of_nothing,
    of_values,
    refuse,
)
from notebook_udf.compile.java.texts.text_methods import represented
from notebook_udf.compile.java.writing.code import Code
from notebook_udf.compile.java.writing.exceptions import bit_of
from notebook_udf.compile.java.writing.terms import (
    NONE,
    PARTS,
    STR,
    BoundMethod,
    Kinds,
    KnownValue,
    Nested,
    Parts,
    Slice,
    Term,
    Value,
    is_dict,
    is_list,
)

# How many letters int() tells of what it does not take, and beyond how many it says something else.
_LETTERS = 200
_DIGITS = 4300

_CONTAINERS = (list, tuple, dict, set, frozenset)
_ZEROS: dict[type, Any] = {int: 0, float: 0.0, bool: False}
_OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv,
    "//": operator.floordiv, "%": operator.mod,
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
    "in": lambda one, whole: one in whole, "not in": lambda one, whole: one in whole,
}  # fmt: skip
# These raise nothing, whatever they have.
_SAFE = frozenset(
    [
        "global",
        "builtin",
        "local",
        "cell",
        "phi",
        "exception",
        "exception_match",
        "string",
        "convert",
        "closure",
        "function",
        "slice",
        "function_attribute",
        "generator",
        "import",
        "import_from",
        "next",
        "list",
        "tuple",
        "set",
        "map",
        "yield",
        "save_local",
        "store_local",
        "store_cell",
        "delete_local",
        "delete_cell",
        "store_attribute",
    ]
)
_SAFE_GROWING = ("list_append", "set_add", "map_add")
_SAFE_COMPARISONS = ("==", "!=", "is", "is not")
# Calls and methods that raise nothing but for None where a value is wanted.
_SAFE_CALLS: tuple[Any, ...] = (
    abs, any, all, bool, enumerate, isinstance, len, list, repr, reversed, set, str, tuple, zip,
    re.findall, re.fullmatch, re.match, re.search,
)  # fmt: skip
_NUMBERS: tuple[Any, ...] = (int, float, Decimal)
_ORDERING: tuple[Any, ...] = (max, min, sorted, sum)
_SAFE_METHODS: dict[str, frozenset[str]] = {
    "str": frozenset(
        [
            "capitalize",
            "casefold",
            "count",
            "endswith",
            "expandtabs",
            "find",
            "isalnum",
            "isalpha",
            "isascii",
            "isdecimal",
            "isdigit",
            "isidentifier",
            "islower",
            "isnumeric",
            "isprintable",
            "isspace",
            "istitle",
            "isupper",
            "lower",
            "lstrip",
            "partition",
            "removeprefix",
            "removesuffix",
            "replace",
            "rfind",
            "rpartition",
            "rsplit",
            "rstrip",
            "split",
            "splitlines",
            "startswith",
            "strip",
            "swapcase",
            "title",
            "upper",
            "zfill",
        ]
    ),
    "list": frozenset(["append", "copy", "count", "reverse"]),
    "dict": frozenset(["get", "items", "keys", "values", "setdefault", "copy"]),
    "set": frozenset(["add", "discard", "copy"]),
    "date": frozenset(["isoformat", "weekday", "isoweekday", "toordinal"]),
    "moment": frozenset(["isoformat", "weekday", "isoweekday", "toordinal", "date"]),
    "match": frozenset(["group", "groups", "groupdict", "start", "end", "span"]),
}
_WITH_SEPARATORS = ("split", "rsplit", "partition", "rpartition")
_OF_PATTERNS = ("findall", "finditer", "fullmatch", "match", "search")


def _one(items: Any) -> None:
    (_,) = items


def _two(items: Any) -> None:
    _, _ = items


def _three(items: Any) -> None:
    _, _, _ = items


_UNPACKING = (_one, _two, _three)


def with_text(
    code: Code, each: Evaluation, given: Sequence[Value], write: Callable[[], Value]
) -> Value:
    """What an operation gives; what it raises has a text.

    Raises
    ------
    NotCompiled
        If it may raise something whose text is not known.
    """
    texts = list(_texts(code, each, given))
    statements, found = code.captured(write)
    if not statements or not texts:
        code.say_all(statements)
        return found

    def told(raised: str) -> Iterator[str]:
        for text in texts:
            yield f"if ({raised}.isSilent({bit_of(text.exception)})) {{"
            yield from text.before
            yield f"throw {raised}.saying({text.java});"
            yield "}"
        yield f"throw {raised};"

    code.catching(statements, told)
    return found


def _texts(code: Code, each: Evaluation, given: Sequence[Value]) -> Texts:
    kind, detail = each.kind, each.detail
    if kind in ("binary", "compare"):
        yield from _of_operator(code, detail, *given)
    elif kind == "unary":
        yield from of_none(code, operator.neg if detail == "-" else operator.not_, given)
    elif kind == "attribute":
        yield from of_nothing(code, lambda owner: getattr(owner, detail), given[0])
    elif kind == "item":
        yield from _of_item(code, *given)
    elif kind == "iterator":
        yield from of_nothing(code, iter, given[0])
    elif kind == "length":
        yield from of_nothing(code, len, given[0])
    elif kind == "format":
        yield from _of_format(code, *given)
    elif kind == "unpack":
        yield from _of_unpacking(code, given[0], detail)
    elif kind == "store_item" and isinstance(given[1], Term):
        yield from _of_storing(code, given[1])
    elif kind == "call":
        yield from _of_call(code, given[0], given[1:], detail or ())
    elif kind not in _SAFE and not (kind == "grow" and detail in _SAFE_GROWING):
        refuse(kind.replace("_", " "))


def _of_operator(code: Code, detail: str, left: Value, right: Value) -> Texts:
    how = detail if detail in _OPERATORS else detail.removesuffix("=")
    operation = _OPERATORS.get(how)
    if how == "**":
        yield from _of_power(code, left, right)
        return
    if detail in _SAFE_COMPARISONS:
        return
    if operation is None:
        refuse(detail)
    if how == "%" and isinstance(left, KnownValue) and type(left.value) is str:
        parts = right.parts if isinstance(right, Parts) else (right,)
        if any(may_be_none(each) for each in parts):
            refuse(how)
        return
    if how in ("in", "not in") and _is_constant_container(right):
        return
    yield from of_none(code, operation, (left, right), how)
    one, other = (example_of(code, each, how) for each in (left, right))
    if isinstance(one, dt.date | dt.timedelta) and how in "+-*/%":
        refuse(how)
    if how in ("/", "//", "%"):
        if type(one) not in _ZEROS or type(other) not in _ZEROS:
            refuse(how)
        yield from of_values(code, operation, (one, _ZEROS[type(other)]))


def _of_power(code: Code, left: Value, right: Value) -> Texts:
    if not isinstance(right, KnownValue) or type(right.value) is not int or right.value < 0:
        refuse("**")
    yield from of_none(code, operator.pow, (left, right), "**")
    if type(example_of(code, left, "**")) is float:
        yield from of_values(code, operator.pow, (sys.float_info.max, 2))


def _is_constant_container(value: Value) -> bool:
    return isinstance(value, KnownValue) and type(value.value) in _CONTAINERS


def _of_call(code: Code, called: Value, given: Sequence[Value], names: Sequence[str]) -> Texts:
    if isinstance(called, Nested):
        return
    known = called.value if isinstance(called, KnownValue) else None
    if isinstance(known, FunctionType) and not _is_pythons(known):
        return
    if names:
        refuse("a call with names")
    if isinstance(called, BoundMethod):
        yield from _of_method(code, called.owner, called.name, given)
    elif known is None:
        refuse("a call")
    elif any(known is each for each in _SAFE_CALLS):
        yield from of_none(code, known, given)
    elif known is round and len(given) == 2:
        yield from of_none(code, round, given)
    elif known is range and (len(given) < 3 or isinstance(given[2], KnownValue)):
        yield from of_none(code, range, given)
    elif any(known is each for each in _NUMBERS) and len(given) == 1:
        yield from _of_number(code, known, given[0])
    elif any(known is each for each in _ORDERING):
        yield from _of_ordering(code, known, given)
    else:
        refuse(getattr(known, "__name__", "a call"))


def _is_pythons(function: FunctionType) -> bool:
    return (function.__module__ or "").partition(".")[0] in sys.stdlib_module_names


def _of_method(code: Code, owner: Value, name: str, given: Sequence[Value]) -> Texts:
    if isinstance(owner, KnownValue) and isinstance(owner.value, re.Pattern):
        if name not in _OF_PATTERNS:
            refuse(name)
        yield from of_none(code, getattr(owner.value, name), given)
        return
    kinds = owner.kinds if isinstance(owner, Term) else frozenset[str]()
    kind = "str" if isinstance(owner, KnownValue) and type(owner.value) is str else ""
    kind = kind or (min(kinds).partition("@")[0] if len(kinds) == 1 else "")
    if kind == "str" and name == "join":
        _check_joined(code, *given)
        return
    if isinstance(owner, KnownValue) and kind == "str" and name == "format":
        _check_formats(owner.value, given)
        return
    varies = name in _WITH_SEPARATORS and not all(isinstance(each, KnownValue) for each in given)
    if name not in _SAFE_METHODS.get(kind, ()) or varies:
        refuse(name)
    if kind == "str":
        yield from of_none(code, getattr("a", name), given)


def _check_joined(code: Code, whole: Value) -> None:
    if not isinstance(whole, Term) or not is_list(whole.kinds) or code.lists.of(whole.kinds) != STR:
        refuse("join")


def _check_formats(template: str, given: Sequence[Value]) -> None:
    # None has no format but the empty one.
    has_formats = any(spec for _, _, spec, _ in string.Formatter().parse(template))
    if has_formats and any(map(may_be_none, given)):
        refuse("format")


def _of_ordering(code: Code, called: Any, given: Sequence[Value]) -> Texts:
    """What a call says that compares what it has, or adds it up."""
    if len(given) == 1:
        (whole,) = given
        held = code.lists.of(whole.kinds) if isinstance(whole, Term) else frozenset()
        if not isinstance(whole, Term) or not is_list(whole.kinds) or len(held) != 1:
            refuse(called.__name__)
        if called in (max, min):
            yield from of_values(code, called, ([],))
    elif called in (max, min) and len(given) == 2:
        yield from of_none(code, called, given)
    else:
        refuse(called.__name__)


def _of_number(code: Code, called: Any, value: Value) -> Texts:
    """What ``int``, ``float`` and ``Decimal`` say."""
    yield from of_none(code, called, (value,))
    example = example_of(code, value, called.__name__)
    if type(example) is str and called is Decimal:
        yield from of_values(code, Decimal, ("a",))
    elif type(example) is str:
        yield _of_text(code, called, code.term(value))
    elif called is int and type(example) is float:
        for number in (float("nan"), float("inf")):
            yield from of_values(code, int, (number,))
    elif type(example) not in (int, bool, float, type(None)) or called is Decimal:
        refuse(called.__name__)


def _of_text(code: Code, called: type, term: Term) -> RaisedText:
    """What ``int`` and ``float`` say of a text."""
    before = code.term(KnownValue(error_of(called, ("a",))[1].removesuffix("'a'"))).java
    statements, said = code.captured(lambda: code.term(represented(code, term)))
    if called is float:
        return RaisedText(ValueError, f"{before} + {said.java}", statements)
    java = f"{before} + PyText.slice({said.java}, null, {_LETTERS}L, null)"
    return RaisedText(
        ValueError, f"(((String) {term.java}).length() > {_DIGITS} ? null : {java})", statements
    )


def _of_item(code: Code, whole: Value, index: Value) -> Texts:
    yield from of_nothing(code, operator.itemgetter(0), whole)
    if isinstance(whole, KnownValue) and type(whole.value) in (dict, list, tuple, str):
        is_mapping, example = type(whole.value) is dict, type(whole.value)()
    elif isinstance(whole, Parts) and not whole.names:
        is_mapping, example = False, [] if whole.is_list else ()
    elif isinstance(whole, Term) and is_dict(whole.kinds - NONE):
        is_mapping, example = True, {}
    elif isinstance(whole, Term) and whole.kinds - NONE == STR:
        is_mapping, example = False, ""
    elif isinstance(whole, Term) and _is_plain_list(code, whole.kinds - NONE):
        is_mapping, example = False, []
    else:
        refuse("an item")
    if isinstance(index, Slice):
        return
    if is_mapping:
        statements, said = code.captured(lambda: code.term(represented(code, index)))
        yield RaisedText(KeyError, said.java, statements)
        return
    yield from of_none(code, lambda at: operator.getitem(example, at), (index,), "an item")
    for text in of_values(code, operator.getitem, (example, 0)):
        java = text.java
        if isinstance(index, Term) and not code.integers.bounded:
            # Of one beyond 64 bits Python says something else.
            java = f"({code.object(index)} instanceof Long ? {java} : null)"
        yield text._replace(java=java)


def _is_plain_list(code: Code, kinds: Kinds) -> bool:
    return is_list(kinds) and not kinds & (code.lists.fixed | PARTS)


def _of_storing(code: Code, whole: Term) -> Texts:
    yield from of_nothing(code, lambda items: operator.setitem(items, 0, 0), whole)
    kinds = whole.kinds - NONE
    if _is_plain_list(code, kinds):
        yield from of_values(code, operator.setitem, ([], 0, 0))
    elif not is_dict(kinds):
        refuse("an item that is set")


def _of_format(code: Code, value: Value, *how: Value) -> Texts:
    known = how[0].value if how and isinstance(how[0], KnownValue) else None
    if how and known is None:
        refuse("a format that varies")
    if known:
        yield from of_none(code, lambda shown: format(shown, known), (value,))


def _of_unpacking(code: Code, value: Value, count: Any) -> Texts:
    """What is said of a list that has too few items, or too many."""
    if isinstance(value, Parts | KnownValue):
        return
    if not isinstance(value, Term) or not is_list(value.kinds) or count not in (1, 2, 3):
        refuse("unpacking")
    unpack = _UNPACKING[count - 1]
    many = {error_of(unpack, (range(more),))[1] for more in (count + 1, count + 2)}
    if len(many) > 1:
        refuse("unpacking")
    java = code.term(KnownValue(many.pop())).java
    for size in range(count):
        text = code.term(KnownValue(error_of(unpack, (range(size),))[1])).java
        java = f"{value.java}.size() == {size} ? {text} : {java}"
    yield RaisedText(ValueError, f"({java})")
