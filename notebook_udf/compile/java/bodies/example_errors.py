"""What Python says where an operation raises, by doing the same with values of the same types."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal
from itertools import product
from typing import Any, NamedTuple, NoReturn, TypeAlias

from notebook_udf.compile.java.writing.code import Code
from notebook_udf.compile.java.writing.exceptions import bit_of
from notebook_udf.compile.java.writing.terms import (
    NONE,
    PARTS,
    KnownValue,
    NotCompiled,
    Term,
    Value,
    is_dict,
    is_list,
)

_EXAMPLES: dict[str, Any] = {
    "int": 1,
    "float": 1.0,
    "bool": True,
    "str": "a",
    "decimal": Decimal(1),
    "date": dt.date(2000, 1, 1),
    "moment": dt.datetime(2000, 1, 1),
    "span": dt.timedelta(1),
}
_PLAIN = frozenset([type(None), *map(type, _EXAMPLES.values())])


class RaisedText(NamedTuple):
    """The text of exceptions of a class, as Java, and the statements that make it."""

    exception: type[Exception]
    java: str
    before: Sequence[str] = ()


Texts: TypeAlias = Iterator[RaisedText]


def refuse(what: str) -> NoReturn:
    raise NotCompiled(f"the text of what {what} raises")


def of_nothing(code: Code, operation: Callable[[Any], Any], value: Value) -> Texts:
    """What is said of None, of what takes all others."""
    if may_be_none(value):
        yield from of_values(code, operation, (None,))


def of_none(
    code: Code, operation: Callable[..., Any], given: Sequence[Value], name: str = ""
) -> Texts:
    """What is said of None where a value is wanted, by which of some values it is."""
    if not any(map(may_be_none, given)):
        return
    name = name or getattr(operation, "__name__", "this")
    found: dict[type[Exception], str] = {}
    for values in product(*(_examples(code, each, name) for each in given)):
        exception, text = error_of(operation, values) if None in values else (None, "")
        if exception is not None and bit_of(exception):
            conditions = [
                f"{each.java} {'==' if value is None else '!='} null"
                for each, value in zip(given, values, strict=True)
                if isinstance(each, Term) and may_be_none(each) and len(each.kinds) > 1
            ]
            java, otherwise = code.term(KnownValue(text)).java, found.get(exception, "null")
            found[exception] = f"({' && '.join(conditions) or 'true'}) ? {java} : {otherwise}"
    for exception, java in found.items():
        yield RaisedText(exception, f"({java})")


def of_values(code: Code, operation: Callable[..., Any], given: Sequence[Any]) -> Texts:
    """What is said of some values, and of all that are like them."""
    exception, text = error_of(operation, given)
    if exception is not None and bit_of(exception):
        yield RaisedText(exception, code.term(KnownValue(text)).java)


def error_of(
    operation: Callable[..., Any], given: Sequence[Any]
) -> tuple[type[Exception] | None, str]:
    try:
        operation(*given)
    except Exception as error:
        return type(error), str(error)
    return None, ""


def may_be_none(value: Value) -> bool:
    if isinstance(value, KnownValue):
        return value.value is None
    return isinstance(value, Term) and "none" in value.kinds


def example_of(code: Code, value: Value, name: str) -> Any:
    """A value of the type that one has where it is not None."""
    return _examples(code, value, name)[0]


def _examples(code: Code, value: Value, name: str) -> list[Any]:
    """A value of the type that one has, and None where it may be that.

    Raises
    ------
    NotCompiled
        If it may have several types, or one of which there is no example.
    """
    if isinstance(value, KnownValue) and type(value.value) in _PLAIN:
        return [value.value]
    kinds = value.kinds - NONE if isinstance(value, Term) else frozenset()
    nothing = [None] if may_be_none(value) else []
    example: Any = None
    if kinds and not kinds & (code.lists.fixed | PARTS):
        example = [] if is_list(kinds) else {} if is_dict(kinds) else None
        if example is None and len(kinds) == 1:
            example = _EXAMPLES.get(min(kinds))
    if example is None and not (nothing and not kinds):
        refuse(name)
    return nothing if example is None else [example, *nothing]
