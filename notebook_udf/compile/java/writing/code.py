"""The Java of one body while it is written: its statements and its variables."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from types import CodeType
from typing import Any, TypeVar

from notebook_udf.compile.exception_guards import asks_for_texts, takes_exceptions
from notebook_udf.compile.flow_graph import FlowGraph
from notebook_udf.compile.java.writing.exceptions import RaisedClasses, bit_of, raised, raising
from notebook_udf.compile.java.writing.terms import (
    DATE,
    DECIMAL,
    DICT,
    KEYS,
    LIST,
    MOMENT,
    PARTS,
    QUEUE,
    RECORD,
    SCALARS,
    SET,
    STR,
    TEXTS,
    UNSET,
    Form,
    Integers,
    Iteration,
    Kinds,
    KnownValue,
    NotCompiled,
    OneOf,
    Parts,
    Term,
    Unset,
    Value,
    array_of,
    constant_parts,
    is_record,
    quoted,
)
from notebook_udf.compile.java.writing.text_steps import TextStep, TextSteps
from notebook_udf.functions.kind_traits import articled

T = TypeVar("T")

# What a list may hold besides other lists, dicts and tuples.
_HELD = SCALARS | PARTS | DATE | MOMENT | DECIMAL
_EMPTY = {
    "int": "0", "long": "0L", "double": "0.0", "boolean": "false", "PyRows": "new PyRows()",
}  # fmt: skip


@dataclass
class Constants:
    """Objects that a class makes once, by how they are made: their Java types and names."""

    made: dict[str, tuple[str, str]] = field(default_factory=dict)
    patterns: list[re.Pattern[str]] = field(default_factory=list)
    # Where functions and modules stand that were looked into.
    files: set[str] = field(default_factory=set)
    # Functions of the C library that are called.
    libm: set[str] = field(default_factory=set)
    # Whether a time is taken for that of this process's time zone.
    has_zone: bool = False
    raised: RaisedClasses = field(default_factory=RaisedClasses)

    def number_of(self, pattern: re.Pattern[str]) -> int:
        """The number of a pattern among those that are used."""
        if pattern not in self.patterns:
            self.patterns.append(pattern)
        return self.patterns.index(pattern)

    def name(self, held: str, java: str) -> str:
        """The field that holds what an expression makes."""
        return self.made.setdefault(java, (held, f"C{len(self.made)}"))[1]


@dataclass(frozen=True)
class RecordKinds:
    """The kinds of the parts of tuples or rows, and their names where they have some.

    They may be ``of`` a class of the user's. Of ``changeable`` ones another part may be set: each
    is one object of Java's, by whatever name it is known.
    """

    parts: tuple[Kinds, ...]
    names: tuple[str, ...] = ()
    form: Form = "tuple"
    of: type | None = None
    changeable: bool = False

    @property
    def of_any_part(self) -> Kinds:
        """What a part may be, whichever it is."""
        return frozenset[str]().union(*self.parts)


@dataclass
class ListKinds:
    """The kinds of what lists hold, by the kind that each is; those of ``TEXTS`` hold texts only.

    ``additions`` counts what was found: a body that finds more has to be written again.
    """

    held: dict[str, Kinds] = field(default_factory=lambda: dict.fromkeys(TEXTS, STR))
    records: dict[str, RecordKinds] = field(default_factory=dict)
    # What dicts of a kind make of a key that they lack.
    made: dict[str, Any] = field(default_factory=dict)
    additions: int = 0
    # Whether an operator changes a list that is written there.
    changed_in_place: bool = False
    # Whether lists are put into documents, and whether lists are changed as parts of them.
    held_in_documents: bool = False
    changed_in_documents: bool = False
    # Whether an exception may be taken, so that it matters which of several comes first.
    handled: bool = False
    # Whether the text of an exception may be asked for.
    tells: bool = False
    # Whether some of a class was written before one of these was known.
    begun: bool = False
    handled_late: bool = False
    # Those of lists that are tuples in Python and of sets that are frozensets.
    fixed: Kinds = frozenset()
    # Those of lists of what a generator gives, whose values Python never has all at once.
    one_by_one: Kinds = frozenset()
    # Whether a StopIteration may be raised, and whether iterators call what may raise it.
    stops: bool = False
    called_in_turn: bool = False
    # How many calls that iterators make are being written, one within another.
    calls_in_turn: int = 0

    # How many generators are being written that are left before their end.
    left_early: int = 0

    def note_handlers(self, graph: FlowGraph, generator: CodeType | None = None) -> None:
        """Notes whether a function takes exceptions, and asks for their texts; a generator with a
        handler is not left before its end, since Python raises one in it there."""
        if self.left_early and generator is not None and takes_exceptions(generator):
            raise NotCompiled("a generator with try that is not gone through")
        known = self.handled, self.tells
        self.handled = self.handled or bool(graph.handlers)
        self.tells = self.tells or asks_for_texts(graph)
        self.handled_late = self.handled_late or (
            self.begun and known != (self.handled, self.tells)
        )
        self.begun = True

    def note_stop(self) -> None:
        """Notes that ``next`` raises where there is no more."""
        if self.handled:
            raise NotCompiled("next without a default, beside try")
        self.stops = True
        self._check_stop()

    def note_called(self) -> None:
        """Notes that a function of the user's is called that may have been written before."""
        if self.calls_in_turn:
            self.note_called_in_turn()

    def note_called_in_turn(self) -> None:
        """Notes that an iterator calls a function of the user's for each of its values."""
        self.called_in_turn = True
        self._check_stop()

    def _check_stop(self) -> None:
        if self.stops and (self.called_in_turn or self.calls_in_turn):
            # An iterator takes that for its own end.
            raise NotCompiled("next without a default, beside an iterator that calls a function")

    def check_changeable(self, kinds: Kinds) -> None:
        """Refuses to change what Python does not."""
        if kinds & self.fixed:
            raise NotCompiled("a change of what may be a tuple or a frozenset")

    def check_order(self, held: Kinds, *, complete: bool = False) -> None:
        """Refuses to compute with what may be None once a list is complete, where Python raises at
        the None before it asks for what comes after it; not if Python has all of them as well."""
        if self.handled and "none" in held and not complete:
            raise NotCompiled("computing with a list that may hold None, beside try")

    def of(self, kinds: Kinds) -> Kinds:
        """The kinds of what lists of these kinds hold."""
        return frozenset(each for kind in kinds for each in self.held.get(kind, ()))

    def note(self, kinds: Kinds, values: Kinds) -> None:
        """Notes what lists of these kinds hold from the beginning."""
        for kind in kinds:
            self.held[kind] = values

    def put(self, kinds: Kinds, values: Kinds) -> None:
        """Notes that values of some kinds are put into a list."""
        _check_held(values)
        for kind in kinds:
            known = self.held.setdefault(kind, frozenset())
            if not values <= known:
                if kind in TEXTS:
                    raise NotCompiled("a list of texts with something else in it")
                self.held[kind] = known | values
                self.additions += 1

    def change_in_place(self) -> None:
        """Notes that an operator changes a list."""
        self.additions += not self.changed_in_place
        self.changed_in_place = True

    def hold_in_documents(self) -> None:
        """Notes that a list of which more is known than of a document's is put into a document."""
        self.additions += not self.held_in_documents
        self.held_in_documents = True
        self._check_documents()

    def change_in_documents(self) -> None:
        """Notes that a list is changed as a part of a document, by whatever other name it has."""
        self.additions += not self.changed_in_documents
        self.changed_in_documents = True
        self._check_documents()

    def _check_documents(self) -> None:
        if self.held_in_documents and self.changed_in_documents:
            raise NotCompiled(
                "a change of a list of a document, beside a list that is put into one"
            )

    def put_record(self, kind: str, found: RecordKinds) -> None:
        """Notes the parts of a tuple that is of a kind."""
        made = _together(self.records.get(kind, found), found)
        if self.records.get(kind) != made:
            self.records[kind] = made
            self.additions += 1

    def put_part(self, kinds: Kinds, at: int, values: Kinds) -> None:
        """Notes that a part of records that may be changed is set to values of some kinds."""
        _check_held(frozenset(kind for kind in values if not kind.startswith((SET, QUEUE))))
        for kind in kinds:
            known = self.records[kind]
            if not values <= known.parts[at]:
                parts = (*known.parts[:at], known.parts[at] | values, *known.parts[at + 1 :])
                self.records[kind] = replace(known, parts=parts)
                self.additions += 1

    def changeable(self, kinds: Kinds) -> RecordKinds | None:
        """What is known of records that may be changed; None if they are no such ones."""
        if not is_record(kinds) or not any(self.records[kind].changeable for kind in kinds):
            return None
        return self.of_records(kinds)

    def of_records(self, kinds: Kinds) -> RecordKinds:
        """What is known of tuples that are of one of these kinds."""
        return reduce(_together, (self.records[kind] for kind in sorted(kinds)))


def _check_held(values: Kinds) -> None:
    others = [kind for kind in values - _HELD if not kind.startswith((LIST, DICT, RECORD))]
    if others:
        raise NotCompiled(f"{articled(min(others))} in a list")


def _together(one: RecordKinds, other: RecordKinds) -> RecordKinds:
    """What is known of tuples that are one or the other."""
    if replace(one, parts=()) != replace(other, parts=()) or len(one.parts) != len(other.parts):
        raise NotCompiled("tuples of several forms in one place")
    return replace(one, parts=tuple(a | b for a, b in zip(one.parts, other.parts, strict=True)))


@dataclass
class Code:
    """Statements of a body, and the variables that they set.

    ``name`` is one that no other body of the class has.
    """

    integers: Integers
    constants: Constants
    lists: ListKinds
    name: str
    variables: dict[str, str] = field(default_factory=dict)
    statements: list[str] = field(default_factory=list)
    lists_made: int = 0
    catches: int = 0
    empties: dict[str, Any] = field(default_factory=dict)
    # Constant dicts that a display makes anew in each row, by identity.
    displays: dict[int, Any] = field(default_factory=dict)
    steps: TextSteps = field(default_factory=TextSteps)

    def begin(self) -> None:
        """Begins again: nothing is written yet."""
        self.variables.clear()
        self.empties.clear()
        self.steps.begin()
        self.statements = []

    def say(self, statement: str) -> None:
        """Adds a statement."""
        self.statements.append(statement)

    def say_all(self, statements: Iterable[str]) -> None:
        """Adds statements."""
        self.statements += statements

    def variable(self, held: str) -> str:
        """A new variable of a Java type."""
        name = f"t{len(self.variables)}"
        self.variables[name] = held
        return name

    def fresh(self, kinds: Kinds) -> Term:
        """A value in a new variable, which is yet to be set."""
        return Term(kinds, self.variable(self.integers.held(kinds)))

    def set(self, kinds: Kinds, java: str) -> Term:
        """A value in a new variable: what an expression gives, as Java holds these kinds."""
        made = self.fresh(kinds)
        self.say(f"{made.java} = {java};")
        self.steps.note(java, made.java)
        return made

    def set_from(self, kinds: Kinds, java: str) -> Term:
        """As ``set``, of an expression that gives an object."""
        if not kinds:
            raise NotCompiled("what raises in every row")
        return self.set(kinds, self.integers.narrowed(Term(frozenset("?"), java), kinds).java)

    def step(self, of: str, java: str, call: str) -> Term:
        """A text in a new variable; ``call`` is the method of ``PySteps`` that makes it, too."""
        made = self.set(STR, java)
        self.steps.methods[made.java] = TextStep(of, call)
        return made

    def new_list(self) -> Term:
        """A new list with nothing in it, in a new variable."""
        self.lists_made += 1
        kinds = frozenset({f"{LIST}{self.name}.{self.lists_made}"})
        return self.set(kinds, "new java.util.ArrayList()")

    def new_dict(self) -> Term:
        """A new dict with nothing in it, in a new variable."""
        self.lists_made += 1
        kinds = frozenset({f"{DICT}{self.name}.{self.lists_made}"})
        return self.set(kinds, "new java.util.LinkedHashMap()")

    def put(self, whole: Term, value: Value) -> None:
        """Puts a value at the end of a list."""
        self.say(f"{whole.java}.add({self.object(self.held_by(whole, value))});")

    def held_by(self, whole: Term, value: Value) -> Term:
        """A value that a list or a dict is to hold, as one object; its kinds are noted."""
        self.empties.pop(whole.java, None)
        term = self.whole(value, min(whole.kinds))
        self.lists.put(whole.kinds, term.kinds)
        return term

    def whole(self, value: Value, place: str) -> Term:
        """A value as a single one that Java has: a tuple as one object.

        ``place`` names where it is kept: the tuples that are kept there are of one form.
        """
        value = constant_parts(value)
        if not isinstance(value, Parts):
            return self.term(value)
        if value.is_list:
            made = self.new_list()
            for each in value.parts:
                self.put(made, each)
            return made
        if value.form == "dict":
            raise NotCompiled("a dict of several values within another value")
        return self._record(value, place, RecordKinds((), value.names, value.form))

    def record(self, value: Parts) -> Term:
        """A new object whose parts may be set, in a new variable."""
        self.lists_made += 1
        known = RecordKinds((), value.names, value.form, value.of, changeable=True)
        return self._record(value, f"{self.name}.{self.lists_made}", known)

    def _record(self, value: Parts, place: str, known: RecordKinds) -> Term:
        """The parts as one object, kept at a place."""
        parts = [self.whole(each, f"{place}.{at}") for at, each in enumerate(value.parts)]
        kind = f"{RECORD}{place}"
        kinds = tuple(each.kinds for each in parts)
        self.lists.put_record(kind, replace(known, parts=kinds))
        array = array_of(f"(Object) {self.object(each)}" for each in parts)
        return self.set(frozenset({kind}), array)

    def kept(self, value: Parts, place: str) -> Term:
        """A tuple, or a list or a dict that is written there, as one object kept at a place."""
        if not (value.is_list or value.form == "dict"):
            return self.whole(value, place)
        kind = f"{LIST if value.is_list else DICT}{place}"
        held = "java.util.ArrayList" if value.is_list else "java.util.LinkedHashMap"
        made = self.set(frozenset({kind}), f"new {held}()")
        if value.is_list:
            for each in value.parts:
                self.put(made, each)
            return made
        self.lists.put(frozenset({f"{kind}{KEYS}"}), STR)
        for name, each in zip(value.names, value.parts, strict=True):
            key = self.object(KnownValue(name))
            self.say(f"{made.java}.put({key}, {self.object(self.held_by(made, each))});")
        return made

    def opened(self, value: Value, otherwise: type[Exception] = TypeError) -> Value:
        """A tuple part by part; any other value as it is.

        Where it is None it raises.
        """
        if not isinstance(value, Term) or not is_record(value.kinds - {"none"}):
            return value
        term = self.present(value, otherwise)
        known = self.lists.of_records(term.kinds)
        parts = [self._part(term, at, kinds) for at, kinds in enumerate(known.parts)]
        if known.changeable:
            # As they are now: they may be others where these are used.
            parts = [self.set(each.kinds, each.java) for each in parts]
        return Parts(tuple(parts), known.names, known.form, known.of)

    def part_now(self, record: Term, at: int) -> Term:
        """What a part of a record that may be changed is now."""
        kinds = self.lists.of_records(record.kinds).parts[at]
        return self.set(kinds, self._part(record, at, kinds).java)

    def _part(self, whole: Term, at: int, kinds: Kinds) -> Term:
        # Without a variable of its own: most of them are never asked for.
        return self.integers.narrowed(Term(frozenset("?"), f"{whole.java}[{at}]"), kinds)

    def taken(self, whole: Term, java: str) -> Term:
        """What an expression takes out of a list."""
        return self.set_from(self.lists.of(whole.kinds), java)

    def captured(self, write: Callable[[], T]) -> tuple[tuple[str, ...], T]:
        """What something writes, which is left out here, and what it gives."""
        before, self.statements = self.statements, []
        try:
            value = write()
            return tuple(self.statements), value
        finally:
            self.statements = before

    def loop(self, over: Iteration, write: Callable[[], object]) -> None:
        """Goes through an iteration; ``write`` writes what is done with each value."""
        statements, _ = self.captured(write)
        more: tuple[str, ...] = (f"while ({over.more}) {{",)
        if over.before:
            more = ("while (true) {", *over.before, f"if (!({over.more})) break;")
        self.statements += [*more, *over.steps, *statements, "}"]

    def term(self, value: Value) -> Term:
        """A value as a single one that Java has."""
        if isinstance(value, Term):
            return value
        if isinstance(value, KnownValue):
            found = self.integers.literal(value.value)
            # Made of its digits once, and not for each row.
            if found.kinds == DECIMAL:
                found = Term(DECIMAL, self.constant("PyDecimal", found.java))
            return found
        if isinstance(value, OneOf):
            raise NotCompiled("one of some constants as a value")
        if isinstance(value, Unset):
            return Term(UNSET, "GaveUp.GAVE_UP")
        said = value.form if isinstance(value, Parts) else type(value).__name__.lower()
        raise NotCompiled(f"{articled(said)} as a value")

    def empty(self, made: Term, constant: Any) -> Term:
        """What ``[]`` or ``{}`` makes, which nothing else has until a variable holds it."""
        self.empties[made.java] = constant
        return made

    def one_of_places(self, value: OneOf, holds: list[bool]) -> str | bool:
        """Whether a row has one of the constants of which something holds; may be so of all."""
        if all(holds) or not any(holds):
            return holds[0]
        place = self.integers.as_place(value.place)
        return "(" + " || ".join(f"{place} == {at}L" for at, yes in enumerate(holds) if yes) + ")"

    def present(self, value: Value, otherwise: type[Exception] = TypeError) -> Term:
        """A value that Python goes on with only if it is not None; with it, it raises."""
        term = self.term(value)
        if "none" not in term.kinds:
            return term
        if len(term.kinds) == 1:
            raise NotCompiled("what raises in every row")
        self.say(f"if ({term.java} == null) {raising(otherwise)}")
        return self.integers.narrowed(term, term.kinds - {"none"})

    def object(self, value: Value) -> str:
        """A value as an object."""
        return self.integers.converted(self.term(value), frozenset("?"))

    def constant(self, held: str, java: str) -> str:
        """An object of a Java type that is made once."""
        return self.constants.name(held, java)

    def raised(self, exception: type[Exception]) -> str:
        """What is thrown where a class of exceptions is raised, as an expression."""
        if bit_of(exception):
            return raised(exception)
        bit = self.constants.raised.bit(exception)
        return self.constant("Raised", f"Raised.other({bit}, {quoted(exception.__name__)})")

    def catching(self, statements: Sequence[str], then: Callable[[str], Iterable[str]]) -> None:
        """Adds statements, and ``then`` what is done with an exception that they raise."""
        self.catches += 1
        name = f"raised{self.catches}"
        self.statements += ["try {", *statements, f"}} catch (Raised {name}) {{", *then(name), "}"]

    def declared(self) -> list[str]:
        """The statements that declare the variables."""
        return [
            f"{held} {name} = {_EMPTY.get(held, 'null')};" for name, held in self.variables.items()
        ]
