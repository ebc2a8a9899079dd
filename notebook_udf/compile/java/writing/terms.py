"""What is known of a value while its Java is written: its kinds, and how Java holds it.

A value of one kind is a primitive or a class of Java's own; one of several is an object. An int is
a ``long`` in code that gives up where it overflows, and an object in code that does not.
"""

from __future__ import annotations

import datetime as dt
import decimal
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from types import CodeType, FunctionType
from typing import Any, Literal, TypeAlias, TypeGuard

# Of "int", "float", "bool", "str", "none", and lists, named by where they are made: what kinds of
# values each may hold is in ``code.ListKinds``.
Kinds: TypeAlias = frozenset[str]

LIST = "list@"
# A dict that Spark gives: what it holds is noted as for lists, its keys under the kind with KEYS.
DICT = "dict@"
# A tuple as one object, or a row that Spark gives: its parts are noted in ``code.ListKinds``.
RECORD = "record@"
# What a pattern found, by the number of the pattern among the constants of its class.
MATCH = "match@"
KEYS = " keys"
# A deque; what it holds is noted as for lists.
QUEUE = "queue@"
# A set; what it holds is noted as for lists.
SET = "set@"

INT: Kinds = frozenset({"int"})
FLOAT: Kinds = frozenset({"float"})
BOOL: Kinds = frozenset({"bool"})
STR: Kinds = frozenset({"str"})
NONE: Kinds = frozenset({"none"})
EXCEPTION: Kinds = frozenset({"exception"})
# A date, a datetime without a time zone, and what lies between two of them: microseconds.
DATE: Kinds = frozenset({"date"})
MOMENT: Kinds = frozenset({"moment"})
SPAN: Kinds = frozenset({"span"})
BYTES: Kinds = frozenset({"bytes"})
# What a variable may have where Python has no value for it.
UNSET: Kinds = frozenset({"unset"})
# An object of ``hashlib``, to which bytes may be added.
HASH: Kinds = frozenset({"hash"})
# A SequenceMatcher of ``difflib``.
MATCHER: Kinds = frozenset({"matcher"})
# An object of ``uuid``, as the text that it is written as.
UUID: Kinds = frozenset({"uuid"})
# A path of ``pathlib``, as the text that it was made of.
PATH: Kinds = frozenset({"path"})
DECIMAL: Kinds = frozenset({"decimal"})
TEXTS: Kinds = frozenset({f"{LIST}str"})
NUMBERS: Kinds = INT | FLOAT | BOOL
SCALARS: Kinds = NUMBERS | STR | NONE
# Lists and dicts of a JSON document: parts of it are of these kinds or of those of scalars.
PARTS: Kinds = frozenset({f"{LIST}json", f"{DICT}json"})

_HELD = {
    FLOAT: "double",
    BOOL: "boolean",
    STR: "String",
    EXCEPTION: "Raised",
    DATE: "java.time.LocalDate",
    MOMENT: "java.time.LocalDateTime",
    SPAN: "long",
    BYTES: "byte[]",
    HASH: "PyHash",
    MATCHER: "PyMatcher",
    PATH: "String",
    UUID: "String",
    DECIMAL: "PyDecimal",
}
# What has parts: a tuple with names or without, a list, a row that Spark gives, whose parts are
# items by their names too, a dataclass, whose parts have names and no places, or a dict with texts
# for keys.
Form: TypeAlias = Literal["tuple", "list", "row", "object", "dict"]
# Of a literal; each takes up to six bytes in a class, which holds 65,535 of them.
_MOST_LETTERS = 8_000
_BOXES = {"long": "Long", "double": "Double", "boolean": "Boolean"}
_TEMPORAL = (dt.date, dt.datetime, dt.timedelta)
_OF_CONSTANTS = {int: INT, float: FLOAT, bool: BOOL, str: STR, type(None): NONE}


# The statement by which what is done with each value of a generator goes no further, until it is
# known which block it leaves. No text of Java's holds this character as it is.
LEAVE = "\0"


class NotCompiled(Exception):
    """Why a function has no Java: what of it, and on which line."""

    def __init__(self, reason: str, line: int | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.line = line

    def __str__(self) -> str:
        return f"{self.reason} (line {self.line})" if self.line else self.reason


class TypesMissing(NotCompiled):
    """A function that may have Java, for arguments of some types: they are not declared."""


class NotKnownYet(NotCompiled):
    """Why a function has no Java by what is known of it until now."""


class NotCalled(NotCompiled):
    """Why a function is no method of its own: it is written where it is called."""


@dataclass(frozen=True)
class Term:
    """A value that Java has: an expression without effects, of known kinds.

    A text may be known to be ``among`` some; without any it may be all. Those may be ``computed``
    of others: a variable of a loop could have ever more of them.
    """

    kinds: Kinds
    java: str
    among: tuple[str, ...] = ()
    computed: bool = False


@dataclass(frozen=True, eq=False)
class KnownValue:
    """A value that is the same in every call."""

    value: Any


@dataclass(frozen=True)
class OneOf:
    """What stands at a place among some constants, for which Java has no value."""

    place: Term
    of: tuple[Any, ...]


@dataclass(frozen=True)
class BoundMethod:
    """A method of a value, until it is called."""

    owner: Value
    name: str


@dataclass(frozen=True)
class Parts:
    """A tuple, or something else that is known part by part.

    Its parts may have names, and it may be ``of`` a class of the user's.
    """

    parts: tuple[Value, ...]
    names: tuple[str, ...] = ()
    form: Form = "tuple"
    of: type | None = None

    @property
    def is_list(self) -> bool:
        """Whether it is a list that is written there."""
        return self.form == "list"


@dataclass(frozen=True)
class Slice:
    """What stands in brackets, until it is known of what."""

    limits: tuple[Value, ...]


@dataclass(frozen=True)
class Iteration:
    """An iterator in variables of Java's, which goes on wherever it is gone through next.

    Attributes
    ----------
    more
        The expression that says whether there is one more.
    steps
        Statements that go on to it.
    value
        What it is, after them.
    before
        Statements that find out whether there is one more, each time before ``more``.
    shared
        Whether a variable of the function's holds it.
    acts
        Whether its steps do more than to go on: they may raise.
    once
        Whether it is gone through where it is made: its values are iterators that its next one
        ends.
    """

    more: str
    steps: tuple[str, ...]
    value: Value
    before: tuple[str, ...] = ()
    shared: bool = False
    acts: bool = False
    once: bool = False


@dataclass(frozen=True)
class Sequence:
    """What can be iterated over and no more: ``begin`` makes an iteration of it.

    With ``parts``, which gives all that it goes through, it is an iterator: it is used once.
    ``has`` says whether a value is among that, where nothing has to be gone through for it. The
    keys of a dict are a set as well; of its items no two have an equal first part.
    """

    begin: Callable[[], Iteration]
    parts: Callable[[], Parts] | None = None
    has: Callable[[Value], str | bool] | None = None
    are_keys: bool = False
    are_items: bool = False


@dataclass(frozen=True)
class Nested:
    """A function that is written where it is called: one that a function makes, with the variables
    that it shares with it and its defaults, or a ``function`` of the user's that is a generator.

    ``alone`` is the same as a function of its own, where it shares nothing and has no defaults.
    """

    code: CodeType
    shared: Mapping[str, Value]
    function: FunctionType | None = None
    defaults: tuple[Value, ...] = ()
    named_defaults: Mapping[str, Value] = field(default_factory=dict)
    alone: KnownValue | None = None


@dataclass(frozen=True)
class Generated:
    """A generator: its code, until it is known what is done with what it gives."""

    nested: Nested
    given: tuple[Value, ...]


@dataclass(frozen=True)
class TypeOf:
    """The type of a value, until it is known what it is compared with."""

    of: Value


@dataclass(frozen=True)
class Unset:
    """What a variable without a value has."""


@dataclass(frozen=True)
class Undetermined:
    """A value of which nothing is known yet: what it is made of is found by writing once more."""


Value: TypeAlias = (
    Term
    | KnownValue
    | OneOf
    | BoundMethod
    | Parts
    | Slice
    | Iteration
    | Sequence
    | Nested
    | Generated
    | TypeOf
    | Unset
    | Undetermined
)


# Writes the call of a value with arguments.
Call: TypeAlias = Callable[[Value, tuple[Value, ...]], Value]


def constant_parts(value: Value) -> Value:
    """A constant tuple part by part; any other value as it is."""
    if isinstance(value, KnownValue) and type(value.value) is tuple:
        return Parts(tuple(map(KnownValue, value.value)))
    return value


def is_plain_tuple(value: Value) -> TypeGuard[Parts]:
    """Whether it is a tuple that is written there, and no NamedTuple or dataclass."""
    return isinstance(value, Parts) and value.form == "tuple" and not value.names


def displayed_parts(value: Value) -> Value:
    """As ``constant_parts``, of a constant dict with texts as keys as well."""
    known = value.value if isinstance(value, KnownValue) else None
    if type(known) in MAPPINGS and known and all(type(key) is str for key in known):
        return Parts(tuple(map(KnownValue, known.values())), tuple(known), "dict")
    return constant_parts(value)


# Constants of these are looked up, and gone through, alike.
MAPPINGS: tuple[type, ...] = (dict, OrderedDict)
_CONTAINERS = (tuple, list, set, frozenset, *MAPPINGS)


def does_as_its_kind(container: Any, method: str) -> bool:
    """Whether a constant does something as Python's own containers do, or a class of its own has
    another way: ``__missing__`` is one of ``__getitem__``."""
    kind = type(container)
    if method == "__getitem__" and hasattr(kind, "__missing__"):
        return False
    own = getattr(kind, method, None)
    return own is not None and any(own is getattr(each, method, None) for each in _CONTAINERS)


def is_known_none(value: Value) -> bool:
    """Whether a value is None in every row."""
    return isinstance(value, KnownValue) and value.value is None


def are_both_none(one: Term, other: Term) -> str:
    """Whether two values are both None, as Java."""
    if not one.kinds & other.kinds & NONE:
        return "false"
    return f"({one.java} == null && {other.java} == null)"


def is_literal(value: Any) -> bool:
    """Whether Java may write a constant as a value."""
    return type(value) in _OF_CONSTANTS or type(value) in (*_TEMPORAL, decimal.Decimal)


def is_dict(kinds: Kinds) -> bool:
    """Whether values of these kinds are dicts."""
    return bool(kinds) and all(kind.startswith(DICT) for kind in kinds)


def is_list(kinds: Kinds) -> bool:
    """Whether values of these kinds are lists."""
    return bool(kinds) and all(kind.startswith(LIST) for kind in kinds)


def is_queue(kinds: Kinds) -> bool:
    """Whether values of these kinds are deques."""
    return bool(kinds) and all(kind.startswith(QUEUE) for kind in kinds)


def is_record(kinds: Kinds) -> bool:
    """Whether values of these kinds are tuples, each as one object, or rows."""
    return bool(kinds) and all(kind.startswith(RECORD) for kind in kinds)


def is_set(kinds: Kinds) -> bool:
    """Whether values of these kinds are sets."""
    return bool(kinds) and all(kind.startswith(SET) for kind in kinds)


@dataclass(frozen=True)
class Integers:
    """How code holds an int: in 64 bits, or of any size."""

    bounded: bool

    def held(self, kinds: Kinds) -> str:
        """The Java type of a value of these kinds."""
        if kinds == INT and self.bounded:
            return "long"
        if is_list(kinds):
            return "java.util.ArrayList"
        if is_queue(kinds):
            return "PyQueue"
        if is_dict(kinds):
            return "java.util.HashMap"
        if is_record(kinds):
            return "Object[]"
        if is_set(kinds):
            return "PySet"
        if kinds and all(kind.startswith(MATCH) for kind in kinds):
            return "PyMatch"
        return _HELD.get(kinds, "Object")

    def literal(self, value: Any) -> Term:
        """A constant as Java writes it."""
        if type(value) in _TEMPORAL:
            return _temporal(value)
        if type(value) is decimal.Decimal:
            return Term(DECIMAL, f'PyDecimal.ofText("{value}")')
        kinds = _OF_CONSTANTS.get(type(value))
        if kinds is None:
            raise NotCompiled(f"a constant of type {type(value).__name__} as a value")
        if value is None:
            return Term(NONE, "null")
        if kinds == STR:
            return Term(STR, quoted(value))
        if kinds == BOOL:
            return Term(BOOL, "true" if value else "false")
        if kinds == FLOAT:
            return Term(FLOAT, _double(value))
        fits = -(1 << 63) <= value < 1 << 63
        if self.bounded:
            if not fits:
                return Term(INT, "PyNumber.beyond()")
            return Term(INT, _long(value))
        if fits:
            return Term(INT, f"Long.valueOf({_long(value)})")
        return Term(INT, f'new java.math.BigInteger("{value}")')

    def converted(self, term: Term, kinds: Kinds) -> str:
        """A value as Java holds values of these kinds, of which its own are some."""
        has, wanted = self.held(term.kinds), self.held(kinds)
        if has == wanted or (wanted == "Object" and has not in _BOXES):
            return term.java
        if wanted == "Object":
            return f"{_BOXES[has]}.valueOf({term.java})"
        raise AssertionError(f"{has} as {wanted}")

    def of_long(self, java: str) -> str:
        """A ``long`` of Java's as an int."""
        return java if self.bounded else f"Long.valueOf({java})"

    def of_object(self, java: str) -> str:
        """An object of Java's, which is an int of any size, as an int."""
        return f"PyNumber.count({java})" if self.bounded else java

    def as_place(self, term: Term) -> str:
        """An int as a place in a sequence: a ``long``, which one too large is beyond any end."""
        return term.java if self.bounded else f"PyNumber.place({term.java})"

    def as_count(self, term: Term) -> str:
        """An int as a ``long``, which it has to fit."""
        return term.java if self.bounded else f"PyNumber.count({term.java})"

    def narrowed(self, term: Term, kinds: Kinds) -> Term:
        """A value that is known to be of some of its kinds only."""
        has, holds = self.held(term.kinds), self.held(kinds)
        if has == holds:
            return Term(kinds, term.java)
        box = _BOXES.get(holds)
        if box is None:
            return Term(kinds, f"(({holds}) {term.java})")
        if holds == "long":
            # What was computed of objects may be beyond 64 bits.
            return Term(kinds, f"PyNumber.count({term.java})")
        return Term(kinds, f"(({box}) {term.java}).{holds}Value()")


def _temporal(value: Any) -> Term:
    """A date, a datetime or a timedelta as Java writes it."""
    if isinstance(value, dt.timedelta):
        micros = value // dt.timedelta(microseconds=1)
        if not -(1 << 63) <= micros < 1 << 63:
            raise NotCompiled("a timedelta of so many days")
        return Term(SPAN, _long(micros))
    day = f"{value.year}L, {value.month}L, {value.day}L"
    if not isinstance(value, dt.datetime):
        return Term(DATE, f"PyDate.date({day})")
    if value.tzinfo is not None or value.fold:
        raise NotCompiled("a datetime with a time zone")
    time = f"{value.hour}L, {value.minute}L, {value.second}L, {value.microsecond}L"
    return Term(MOMENT, f"PyDate.moment({day}, {time})")


def array_of(expressions: Iterable[str]) -> str:
    """An array of objects, each by its expression."""
    return f"new Object[] {{{', '.join(expressions)}}}"


def quoted(text: str) -> str:
    """A text as Java writes it; what is not plain ASCII is escaped."""
    if len(text) > _MOST_LETTERS:
        # A class holds none that long as one, and Java's compiler would join literals.
        cuts = range(0, len(text), _MOST_LETTERS)
        several = ", ".join(_literal(text[at : at + _MOST_LETTERS]) for at in cuts)
        return f'String.join("", new String[] {{{several}}})'
    return _literal(text)


def _literal(text: str) -> str:
    units = text.encode("utf-16-be", "surrogatepass")
    codes = (int.from_bytes(units[at : at + 2], "big") for at in range(0, len(units), 2))
    # An octal escape, since a \\u one is read before the literal is.
    made = (
        f"\\{code:03o}"
        if code < 32 or code in (34, 92) or code == 127
        else chr(code)
        if code < 127
        else f"\\u{code:04x}"
        for code in codes
    )
    return '"' + "".join(made) + '"'


def _long(value: int) -> str:
    return "Long.MIN_VALUE" if value == -(1 << 63) else f"{value}L" if value >= 0 else f"({value}L)"


def _double(value: float) -> str:
    if value != value:
        return "Double.NaN"
    if value in (float("inf"), float("-inf")):
        return "Double.POSITIVE_INFINITY" if value > 0 else "Double.NEGATIVE_INFINITY"
    text = f"{value!r}"
    return f"({text})" if text.startswith("-") else text
