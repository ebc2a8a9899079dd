"""What loops go through, as iterators of Java's."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from typing import Any, TypeGuard

from notebook_udf.compile.java.documents import json_values
from notebook_udf.compile.java.objects import enum_classes, named_parts
from notebook_udf.compile.java.times import calendar_names
from notebook_udf.compile.java.writing import choices
from notebook_udf.compile.java.writing.assembly import assign
from notebook_udf.compile.java.writing.code import Code
from notebook_udf.compile.java.writing.exceptions import raising
from notebook_udf.compile.java.writing.number_terms import number
from notebook_udf.compile.java.writing.terms import (
    BOOL,
    BYTES,
    INT,
    KEYS,
    NONE,
    STR,
    Form,
    Iteration,
    Kinds,
    KnownValue,
    NotCompiled,
    OneOf,
    Parts,
    Sequence,
    Term,
    Value,
    array_of,
    constant_parts,
    does_as_its_kind,
    is_dict,
    is_list,
    is_literal,
    is_queue,
    is_set,
)

_MOST_CONSTANTS = 2000
# The parts of a dict's items that a loop over it, or over a view of it, goes through.
_OF_VIEWS = {"keys": ("key",), "values": ("value",), "items": ("key", "value")}


def iterated(code: Code, value: Value) -> Iteration:
    """A new iterator of a value."""
    if isinstance(value, Iteration):
        return _apart(code, value) if value.shared else value
    if isinstance(value, Sequence):
        return value.begin()
    if isinstance(value, KnownValue) and not isinstance(value.value, str):
        return _of_constants(code, value.value)
    if isinstance(value, OneOf):
        return _of_one(code, value)
    if isinstance(value, Term) and code.lists.changeable(value.kinds) is not None:
        return _of_record(code, value)
    value = code.opened(value)
    if isinstance(value, Parts):
        return _of_parts(code, Parts(named_parts.gone_through(value)))
    term = code.present(value)
    if is_list(term.kinds):
        return _of_list(code, term.java, code.lists.of(term.kinds))
    if is_queue(term.kinds):
        return _of_list(code, term.java, code.lists.of(term.kinds), "PyQueue.Each")
    if is_dict(term.kinds):
        return view(code, term, "keys")
    if json_values.is_part(term):
        held = code.lists.of(term.kinds) | json_values.PART
        return _of_list(code, code.object(term), held, "PyParts")
    if term.kinds == STR:
        return of_class(code, "PyLetters", term.java, STR)
    if term.kinds == BYTES:
        return of_class(code, "PyBytes", term.java, INT, code.integers.of_long)
    if is_set(term.kinds):
        raise NotCompiled("what depends on the order of a set, which varies")
    raise NotCompiled("a loop over what is no text and no list of texts")


def through_constants(code: Code, value: Value) -> Value:
    """One of some constant lists as what can be gone through; any other value as it is."""
    if not isinstance(value, OneOf) or not all(
        each is None or type(each) in (list, tuple, dict) for each in value.of
    ):
        return value
    return Sequence(lambda: iterated(code, value))


def _apart(code: Code, over: Iteration) -> Iteration:
    """An iterator whose value stays as it is where it goes on elsewhere."""
    value = held_apart(code, over.value)
    kept: list[str] = []
    assign(code, kept, value, over.value)
    return replace(over, steps=(*over.steps, *kept), value=value)


def of_class(
    code: Code, held: str, given: str, kinds: Kinds, taken: Callable[[str], str] = str
) -> Iteration:
    """Of a new iterator of a class of ours; ``taken`` makes a value of what it gives."""
    iterator = code.variable(held)
    code.say(f"{iterator} = new {held}({given});")
    value = code.fresh(kinds)
    step = f"{value.java} = {taken(f'{iterator}.next()')};"
    return Iteration(f"{iterator}.hasNext()", (step,), value)


def _of_constants(code: Code, values: object) -> Iteration:
    if isinstance(values, range):
        return numbers(
            code, (KnownValue(values.start), KnownValue(values.stop), KnownValue(values.step))
        )
    values = enum_classes.listed(calendar_names.plain(values))
    if (
        not isinstance(values, (tuple, list, dict))
        or not does_as_its_kind(values, "__iter__")
        or len(values) > _MOST_CONSTANTS
    ):
        raise NotCompiled(f"a loop over this {type(values).__name__}")
    return _of_parts(code, Parts(tuple(map(KnownValue, values))))


def _of_parts(code: Code, whole: Parts) -> Iteration:
    if not whole.parts:
        raise NotCompiled("a loop over nothing")
    rows = [each.parts if isinstance(each, Parts) else _row(each) for each in whole.parts]
    alike = None not in rows and len({len(row or ()) for row in rows}) == 1
    known = all(isinstance(each, KnownValue) for each in whole.parts)
    if any(row is not None for row in rows) and (alike or not known):
        if not alike:
            raise NotCompiled("a loop over tuples of several lengths")
        columns = zip(*[row or () for row in rows], strict=True)
        over = zipped(code, [_of_parts(code, Parts(tuple(column))) for column in columns])
        return replace(over, value=_alike(whole.parts, over.value))
    if any(isinstance(each, KnownValue) and not is_literal(each.value) for each in whole.parts):
        places = numbers(code, (KnownValue(len(whole.parts)),))
        assert isinstance(places.value, Term)
        return replace(places, value=choices.of_places(places.value, whole.parts))
    terms = [code.term(each) for each in whole.parts]
    kinds: Kinds = frozenset(kind for term in terms for kind in term.kinds)
    array = array_of(f"(Object) {code.object(term)}" for term in terms)
    made = f"PyList.list({array})"
    listed = code.constant("java.util.ArrayList", made) if known else made
    return choices.through(_of_list(code, listed, kinds), whole.parts)


def _alike(values: tuple[Value, ...], value: Value) -> Value:
    """A value in place of some that are of one form, with their names: a dict stays a dict."""
    forms = set(map(_form, values))
    if len(forms) > 1 or not isinstance(value, Parts):
        raise NotCompiled("a loop over values of several forms")
    ((names, form, of),) = forms
    return replace(value, names=names, form=form, of=of)


def _form(value: Value) -> tuple[tuple[str, ...], Form, type | None]:
    if isinstance(value, Parts):
        return value.names, value.form, value.of
    known = value.value if isinstance(value, KnownValue) else ()
    of = None if type(known) in (tuple, list) else type(known)
    return getattr(known, "_fields", ()), "list" if isinstance(known, list) else "tuple", of


def _of_one(code: Code, value: OneOf) -> Iteration:
    """Of the constant list that a row has."""
    value = choices.present(code, value)
    if not all(type(each) in (tuple, list, dict) for each in value.of):
        raise NotCompiled("a loop over one of some constants that are no lists")
    every = [each for whole in value.of for each in whole]
    if every and all(type(each) is tuple and len(each) == len(every[0]) for each in every):
        columns = [
            [[row[at] for row in whole] for whole in value.of] for at in range(len(every[0]))
        ]
        return zipped(code, [_of_one_list(code, value, column) for column in columns])
    return _of_one_list(code, value, value.of)


def _of_one_list(code: Code, value: OneOf, every: Iterable[Iterable[Any]]) -> Iteration:
    """Of one of these lists, by the place that a row has."""
    if not all(is_literal(each) for whole in every for each in whole):
        raise NotCompiled("a loop over one of some lists of objects")
    literals = [[code.integers.literal(each) for each in whole] for whole in every]
    lists = [array_of(f"(Object) {code.object(each)}" for each in whole) for whole in literals]
    listed = array_of(f"(Object) PyList.list({each})" for each in lists)
    held = code.constant("java.util.ArrayList", f"PyList.list({listed})")
    place = code.integers.as_place(value.place)
    kinds = frozenset(kind for whole in literals for each in whole for kind in each.kinds)
    return _of_list(code, f"(java.util.ArrayList) PyList.item({held}, {place})", kinds)


def _of_list(code: Code, java: str, kinds: Kinds, held: str = "PyIterator") -> Iteration:
    if not kinds:
        raise NotCompiled("a loop over a list with nothing in it")

    def taken(given: str) -> str:
        return code.integers.narrowed(Term(frozenset("?"), given), kinds).java

    return of_class(code, held, java, kinds, taken)


def view(code: Code, whole: Term, which: str) -> Iteration:
    """Of the keys, the values or the items of a dict."""
    keys = code.lists.of(frozenset(f"{kind}{KEYS}" for kind in whole.kinds))
    held = {"key": keys, "value": code.lists.of(whole.kinds)}
    if not all(held[part] for part in _OF_VIEWS[which]):
        raise NotCompiled("a loop over a dict with nothing in it")
    size = code.set(frozenset("?"), f"Integer.valueOf({whole.java}.size())").java
    iterator = code.variable("PyItems")
    code.say(f"{iterator} = new PyItems({whole.java});")
    values, steps = [], [f"{iterator}.go();"]
    for part in _OF_VIEWS[which]:
        value = code.fresh(held[part])
        given = Term(frozenset("?"), f"{iterator}.{part}()")
        steps.append(f"{value.java} = {code.integers.narrowed(given, held[part]).java};")
        values.append(value)
    whole_value = Parts(tuple(values)) if len(values) == 2 else values[0]
    over = Iteration(f"{iterator}.hasNext()", tuple(steps), whole_value)
    # Python raises for a dict that has grown while it is gone through.
    return replace(over, more=f"PyIterator.unchanged({whole.java}, {size}) && {over.more}")


def view_of_record(code: Code, whole: Term, which: str) -> Iteration:
    """As ``view``, of a dict whose keys are known."""
    names = code.lists.of_records(whole.kinds).names
    made = []
    if which != "values":
        made.append(_of_constants(code, names))
    if which != "keys":
        made.append(_of_places(code, whole))
    return zipped(code, made) if len(made) == 2 else made[0]


def _of_record(code: Code, whole: Term) -> Iteration:
    """Of a list or a dict of known places, whose parts may be set meanwhile."""
    form = code.lists.of_records(whole.kinds).form
    if form == "dict":
        return view_of_record(code, whole, "keys")
    if form != "list":
        raise NotCompiled("a loop over what may be changed meanwhile")
    return _of_places(code, whole)


def _of_places(code: Code, whole: Term) -> Iteration:
    """Of the parts of such a one, each as it is when it is reached."""
    found = code.lists.of_records(whole.kinds)
    value = code.fresh(found.of_any_part)
    at = code.variable("int")
    code.say(f"{at} = 0;")
    part = code.integers.narrowed(Term(frozenset("?"), f"{whole.java}[{at}++]"), value.kinds)
    return Iteration(f"{at} < {len(found.parts)}", (f"{value.java} = {part.java};",), value)


def view_of_document(code: Code, whole: Term, which: str) -> Iteration:
    """As ``view``, of a dict of a document."""
    java = f"(java.util.HashMap) {whole.java}"
    if which != "values":
        java = f"PyJson.withTexts({java})"
    return view(code, code.set(json_values.DICTS, java), which)


def read_again(value: Value) -> Value:
    """A value that a variable has, where it is read: an iterator goes on wherever it is used."""
    if isinstance(value, Sequence) and value.parts is not None:
        raise NotCompiled("an iterator in a variable: write a list")
    if isinstance(value, Iteration) and value.once:
        raise NotCompiled("an iterator of iterators in a variable")
    return replace(value, shared=True) if isinstance(value, Iteration) else value


def taken_apart(code: Code, over: Iteration, count: int) -> Parts:
    """So many values of an iterator, which has to have no more of them."""
    made = []
    for _ in range(count):
        too_few = f"if (!({over.more})) {raising(ValueError)}"
        code.statements += [*over.before, too_few, *over.steps]
        made.append(copied(code, over.value))
    # Python asks for one more, which may raise something else.
    one_more = (f"if ({over.more}) {{", *over.steps, raising(ValueError), "}")
    code.statements += [*over.before, *one_more]
    return Parts(tuple(made))


def taken_next(code: Code, values: Value, *default: Value) -> Value:
    """The next value of an iterator; without a default it raises where there is no more."""
    if isinstance(values, Sequence) and values.parts is not None:
        values = values.begin()
    if not isinstance(values, Iteration):
        raise NotCompiled("the next of what is no iterator")
    if not default:
        code.statements += [*values.before, f"if (!({values.more})) {raising(StopIteration)}"]
        code.say_all(values.steps)
        return copied(code, values.value)
    made = code.new_list()
    put, _ = code.captured(lambda: code.put(made, values.value))
    code.statements += [*values.before, f"if ({values.more}) {{", *values.steps, *put, "}"]
    return first_of(code, made, *default)


def first_of(code: Code, whole: Term, *default: Value) -> Value:
    """The first value of a list, or the default; without one it raises where there is none."""
    if not default:
        code.say(f"if ({whole.java}.isEmpty()) {raising(StopIteration)}")
    for each in default:
        put, _ = code.captured(partial(code.put, whole, each))
        code.statements += [f"if ({whole.java}.isEmpty()) {{", *put, "}"]
    return code.taken(whole, f"{whole.java}.get(0)")


def copied(code: Code, value: Value) -> Value:
    """A value of an iterator in variables of its own, which stay as they are when it goes on."""
    if isinstance(value, Parts):
        return replace(value, parts=tuple(copied(code, each) for each in value.parts))
    if isinstance(value, OneOf):
        return replace(value, place=code.set(value.place.kinds, value.place.java))
    if isinstance(value, (Iteration, Sequence)):
        raise NotCompiled("an iterator out of another one")
    if isinstance(value, Term):
        return replace(value, java=code.set(value.kinds, value.java).java)
    return value


def held_apart(code: Code, *values: Value) -> Value:
    """A variable that may hold each of some values, or some of them for tuples."""
    values = tuple(map(constant_parts, values))
    if len(values) == 1 and isinstance(values[0], KnownValue):
        return values[0]
    wholes = [each for each in values if isinstance(each, Parts)]
    if wholes and len(wholes) == len(values):
        forms = {(len(each.parts), each.names, each.form) for each in wholes}
        if len(forms) != 1 or wholes[0].form in ("list", "dict"):
            raise NotCompiled("an iterator of values of several forms")
        columns = zip(*[each.parts for each in wholes], strict=True)
        return replace(wholes[0], parts=tuple(held_apart(code, *column) for column in columns))
    terms = [code.term(each) for each in values]
    kinds: Kinds = frozenset(kind for term in terms for kind in term.kinds)
    return choices.noted(code.fresh(kinds), values)


def is_listed(value: Value) -> bool:
    """Whether a value is a list, written there or held by Java, or may be None instead."""
    if isinstance(value, Parts):
        return value.is_list
    return isinstance(value, Term) and is_list(value.kinds - NONE)


def as_one(code: Code, value: Value) -> Value:
    """A list that is written there as an object; any other value as it is."""
    written = isinstance(value, Parts) and value.is_list
    return materialised(code, value) if written else value


def materialised(code: Code, value: Value) -> Term:
    """A new list of what can be iterated over; one that is a list already is itself."""
    if isinstance(value, Term) and is_list(value.kinds):
        return value
    return filled(code, code.new_list(), value)


def _is_display(value: Value) -> TypeGuard[Parts]:
    """Whether it is a tuple or a list that is written there, of simple values."""
    return (
        isinstance(value, Parts)
        and value.form in ("tuple", "list")
        and not value.names
        and bool(value.parts)
        and all(isinstance(each, Term) for each in value.parts)
    )


def filled(code: Code, whole: Term, value: Value) -> Term:
    """A list, at whose end what can be iterated over is put."""
    if _is_display(value):
        for each in value.parts:
            code.put(whole, each)
        return whole
    over = iterated(code, value)
    code.loop(over, lambda: code.put(whole, over.value))
    return whole


def mapped(
    code: Code, given: tuple[Value, ...], call: Callable[[tuple[Value, ...]], Value]
) -> Iteration:
    """Of ``map(...)``: what a call gives, of values of each."""
    over = zipped(code, [iterated(code, each) for each in given])
    assert isinstance(over.value, Parts)
    values = over.value.parts
    statements, found = code.captured(lambda: call(values))
    return replace(over, steps=(*over.steps, *statements), value=found, acts=True)


def _row(value: Value) -> tuple[Value, ...] | None:
    if isinstance(value, KnownValue) and isinstance(value.value, (tuple, list)):
        return tuple(map(KnownValue, value.value))
    return None


def numbers(code: Code, given: tuple[Value, ...]) -> Iteration:
    """Of ``range(...)``."""
    if not 1 <= len(given) <= 3:
        raise NotCompiled("a range of so many arguments")
    if len(given) == 1:
        given = (KnownValue(0), *given)
    if len(given) == 2:
        given = (*given, KnownValue(1))
    written = []
    for each in given:
        term = number(code, each)
        if term.kinds != INT:
            raise NotCompiled("a range of anything but whole numbers")
        written.append(code.integers.as_count(term))
    return of_class(code, "PyRange", ", ".join(written), INT, code.integers.of_long)


def zipped(code: Code, each: list[Iteration], strict: bool = False) -> Iteration:
    """Of ``zip(...)``: as long as all of them have one more; all end together if it is strict."""
    if not each:
        raise NotCompiled("a zip of nothing")
    if len(each) == 1:
        return replace(each[0], value=Parts((each[0].value,)))
    # Those before the last one go on where that one has no more.
    if any(one.before or one.shared for one in each) or any(one.acts for one in each[:-1]):
        if strict:
            raise NotCompiled("zip with strict= of an iterator and something else: write lists")
        return _zipped_in_turn(code, each)
    more = " && ".join(one.more for one in each)
    if strict:
        tests = ", ".join(one.more for one in each)
        more = f"PyIterator.together(new boolean[] {{{tests}}})"
    steps = tuple(step for one in each for step in one.steps)
    return Iteration(more, steps, Parts(tuple(one.value for one in each)))


def _zipped_in_turn(code: Code, each: list[Iteration]) -> Iteration:
    """Of iterators of which one goes on even where one behind it has no more."""
    more = code.set(BOOL, "false").java
    before: list[str] = [f"{more} = false;"]
    for one in each:
        before += [*one.before, f"if ({one.more}) {{", *one.steps]
    before += [f"{more} = true;", *["}"] * len(each)]
    whole = Parts(tuple(one.value for one in each))
    once = any(one.once for one in each)
    return Iteration(more, (), whole, tuple(before), once=once)


def counted(code: Code, inner: Iteration, start: Value) -> Iteration:
    """Of ``enumerate(...)``."""
    first = number(code, start)
    if first.kinds != INT:
        raise NotCompiled("a count from what is no whole number")
    following = code.set(INT, first.java)
    count = code.fresh(INT)
    more = (
        f"{following.java} + 1L"
        if code.integers.bounded
        else f"PyNumber.add({following.java}, Long.valueOf(1L))"
    )
    # What raises is not counted.
    steps = (*inner.steps, f"{count.java} = {following.java};", f"{following.java} = {more};")
    return replace(inner, steps=steps, value=Parts((count, inner.value)))


def backwards(code: Code, value: Value) -> Iteration:
    """Of ``reversed(...)``."""
    if isinstance(value, KnownValue) and isinstance(value.value, (range, tuple, list, str)):
        return _of_constants(code, tuple(reversed(value.value)))
    if isinstance(value, Parts):
        return _of_parts(code, Parts(named_parts.gone_through(value)[::-1]))
    term = code.present(value)
    if term.kinds == STR:
        turned = f"PyText.slice({term.java}, null, null, Long.valueOf(-1L))"
        return iterated(code, code.set(STR, turned))
    if not is_list(term.kinds):
        raise NotCompiled("reversed of what is no list and no text")
    kinds = code.lists.of(term.kinds)
    return _of_list(code, term.java, kinds, "PyBackwards")
