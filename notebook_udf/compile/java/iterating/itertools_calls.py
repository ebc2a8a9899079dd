"""Iterators of ``itertools``, each as one of Java's that goes no further than it is asked to."""

from __future__ import annotations

import itertools
from dataclasses import replace
from functools import partial
from typing import Any

from notebook_udf.compile.bindings import taken
from notebook_udf.compile.java.iterating import iterators, selections
from notebook_udf.compile.java.iterating.iterators import held_apart, iterated
from notebook_udf.compile.java.iterating.unpacking import known_parts
from notebook_udf.compile.java.numbers.arithmetic import condition
from notebook_udf.compile.java.writing.assembly import assign
from notebook_udf.compile.java.writing.code import Code
from notebook_udf.compile.java.writing.number_terms import as_int, number
from notebook_udf.compile.java.writing.terms import (
    DATE,
    FLOAT,
    INT,
    MOMENT,
    NONE,
    SCALARS,
    BoundMethod,
    Call,
    Iteration,
    KnownValue,
    Nested,
    NotCompiled,
    Parts,
    Value,
    is_known_none,
)

Given = tuple[Value, ...]
_MOST_CHAINED = 16
_TESTING = (itertools.takewhile, itertools.dropwhile, itertools.filterfalse)
# They take all that they are given before they give anything.
_SELECTIONS = (
    itertools.product,
    itertools.combinations,
    itertools.permutations,
    itertools.combinations_with_replacement,
)
CONSUMERS: tuple[Any, ...] = _SELECTIONS


def called(
    code: Code, function: Value, given: Given, names: tuple[str, ...], call: Call
) -> Value | None:
    """A call of a function of ``itertools``; None if it is another one."""
    if isinstance(function, BoundMethod):
        owner = function.owner.value if isinstance(function.owner, KnownValue) else None
        whole = owner is itertools.chain and function.name == "from_iterable"
        return _flattened(code, _only(given, names)) if whole else None
    known = function.value if isinstance(function, KnownValue) else None
    call = in_turn(code, call)
    if not isinstance(known, type) or known.__module__ != "itertools":
        return None
    if known is itertools.chain and not names:
        return _chained(code, given)
    if known is itertools.islice and not names:
        return _cut(code, given)
    if known is itertools.pairwise:
        return _pairs(code, _only(given, names))
    if known is itertools.zip_longest:
        return _zipped_longest(code, given, names)
    if known is itertools.groupby:
        return _grouped(code, given, names, call)
    if known is itertools.repeat:
        return _repeated(code, given, names)
    if known in (*_TESTING, itertools.starmap) and len(given) == 2 and not names:
        # Python evaluates both before it asks for an iterator.
        inner = iterated(code, given[1])
        if known is itertools.starmap:
            return _starred(code, given[0], inner, call)
        return _tested(code, known, given[0], inner, call)
    if known in _SELECTIONS:
        return selections.called(code, known, given, names)
    return None


def _only(given: Given, names: tuple[str, ...]) -> Value:
    if len(given) != 1 or names:
        raise NotCompiled("anything but one argument")
    return given[0]


def _flag(code: Code, java: str = "false") -> str:
    """A new variable of Java's that says what is the case."""
    name = code.variable("boolean")
    code.say(f"{name} = {java};")
    return name


def _assigned(code: Code, wanted: Value, value: Value) -> list[str]:
    lines: list[str] = []
    assign(code, lines, wanted, value)
    return lines


def _chained(code: Code, given: Given) -> Iteration:
    """``chain(...)``: each is begun where the one before it has no more."""
    if not 1 <= len(given) <= _MOST_CHAINED:
        raise NotCompiled("a chain of so many")
    at, end = code.variable("int"), 2 * len(given)
    code.say(f"{at} = 0;")
    begun = [code.captured(partial(iterated, code, each)) for each in given]
    value = held_apart(code, *[over.value for _, over in begun])
    before: list[str] = []
    steps: list[str] = []
    for place, (begin, over) in enumerate(begun):
        here, behind = 2 * place + 1, 2 * place + 2
        # Where it cannot be begun there is no more.
        before += [f"if ({at} == {here - 1}) {{", f"{at} = {end};", *begin, f"{at} = {here};", "}"]
        before += [f"if ({at} == {here}) {{", *over.before]
        before += [f"if (!({over.more})) {at} = {behind};", "}"]
        put = _assigned(code, value, over.value)
        steps += [f"{'else ' * (place > 0)}if ({at} == {here}) {{", *over.steps, *put, "}"]
    return Iteration(f"{at} < {end}", tuple(steps), value, tuple(before))


def _flattened(code: Code, values: Value) -> Iteration:
    """``chain.from_iterable(values)``."""
    known = known_parts(code, values)
    if known is not None and 1 <= len(known) <= _MOST_CHAINED:
        return _chained(code, known)
    outer, inside, ended = iterated(code, values), _flag(code), _flag(code)
    begin, inner = code.captured(lambda: iterated(code, outer.value))
    within = (f"if ({inside}) {{", *inner.before, f"if ({inner.more}) break;", "}")
    following = (*outer.before, f"if (!({outer.more})) break;", *outer.steps, *begin)
    before = (
        *("while (true) {", *within, f"{inside} = false;", f"if ({ended}) break;"),
        # Where it raises there is no more.
        *(f"{ended} = true;", *following, f"{ended} = false;", f"{inside} = true;", "}"),
    )
    return Iteration(inside, inner.steps, inner.value, before, once=outer.once or inner.once)


def _limit(code: Code, value: Value, otherwise: int, least: int) -> str:
    term = as_int(code, code.term(value))
    if not term.kinds <= INT | NONE:
        raise NotCompiled("islice up to what is no whole number")
    held = code.variable("long")
    code.say(f"{held} = PyIterator.limit({code.object(term)}, {otherwise}L, {least}L);")
    return held


def _cut(code: Code, given: Given) -> Iteration:
    """``islice(values, start, stop, step)``."""
    if not 2 <= len(given) <= 4:
        raise NotCompiled("islice of so many arguments")
    values, *limits = given
    first, last, *by = limits if len(limits) > 1 else (KnownValue(None), *limits)
    # Python looks at the last one first; all of them raise the same.
    stop, start = _limit(code, last, -1, 0), _limit(code, first, 0, 0)
    step = _limit(code, by[0] if by else KnownValue(None), 1, 1)
    inner, count = iterated(code, values), code.variable("long")
    more, ended = _flag(code), _flag(code)
    code.say(f"{count} = 0L;")
    skipped = (f"while ({more} && {count} < {start}) {{", *inner.before)
    before = (
        # Where it raises there is no more.
        *(f"{more} = !{ended};", f"{ended} = true;"),
        *(*skipped, f"if (!({inner.more})) {{ {more} = false; break; }}", *inner.steps),
        *(f"{count}++;", "}", f"if ({stop} >= 0L && {count} >= {stop}) {more} = false;"),
        *(f"if ({more}) {{", *inner.before, f"{more} = {inner.more};", "}"),
    )
    # Behind the last one it still goes up to where it is to stop.
    following = f"{start} = PyIterator.following({start}, {step}, {stop});"
    steps = (*inner.steps, f"{count}++;", following, f"{ended} = false;")
    return replace(inner, more=more, steps=steps, before=before)


def _pairs(code: Code, values: Value) -> Iteration:
    """``pairwise(values)``."""
    inner, begun, more, ended = iterated(code, values), _flag(code), _flag(code), _flag(code)
    left, right = held_apart(code, inner.value), held_apart(code, inner.value)
    kept = _assigned(code, right, inner.value)
    first = (*inner.before, f"if ({inner.more}) {{", *inner.steps, *kept, f"{begun} = true;")
    before = (
        # Where it raises there is no more.
        *(f"{more} = !{ended};", f"{ended} = true;", f"if ({more} && !{begun}) {{"),
        *(*first, f"}} else {more} = false;", "}"),
        *(f"if ({more}) {{", *inner.before, f"{more} = {inner.more};", "}"),
    )
    steps = (*_assigned(code, left, right), *inner.steps, *kept, f"{ended} = false;")
    return Iteration(more, steps, Parts((left, right)), before)


def _tested(code: Code, how: Any, function: Value, inner: Iteration, call: Call) -> Iteration:
    """``takewhile``, ``dropwhile`` or ``filterfalse``: what is next is looked for beforehand."""
    more, over = _flag(code), _flag(code)

    def asked() -> str:
        by_truth = how is itertools.filterfalse and (is_known_none(function) or _is(function, bool))
        return condition(code, inner.value if by_truth else call(function, (inner.value,)))

    tests, holds = code.captured(asked)
    one = (*inner.before, f"if (!({inner.more})) break;", *inner.steps)
    if how is itertools.takewhile:
        ends = (*tests, f"if ({holds}) {more} = true; else {over} = true;", "break;")
        looked = (f"while (!{over}) {{", *one, *ends, "}")
    elif how is itertools.dropwhile:
        starts = (f"if (!{over}) {{", *tests, f"if ({holds}) continue;", f"{over} = true;", "}")
        looked = ("while (true) {", *one, *starts, f"{more} = true;", "break;", "}")
    else:
        looked = (
            "while (true) {",
            *one,
            *tests,
            f"if (!({holds})) {{ {more} = true; break; }}",
            "}",
        )
    return replace(inner, more=more, steps=(), before=(f"{more} = false;", *looked))


def _is(value: Value, known: Any) -> bool:
    return isinstance(value, KnownValue) and value.value is known


def in_turn(code: Code, call: Call) -> Call:
    """Writes calls that an iterator makes, one for each of its values."""

    def called_by_iterator(function: Value, given: Given) -> Value:
        known = function.value if isinstance(function, KnownValue) else None
        written_here = isinstance(function, Nested)
        if not written_here and (known is None or hasattr(known, "__code__")):
            code.lists.note_called_in_turn()
        code.lists.calls_in_turn += 1
        try:
            return call(function, given)
        finally:
            code.lists.calls_in_turn -= 1

    return called_by_iterator


def _starred(code: Code, function: Value, inner: Iteration, call: Call) -> Iteration:
    """``starmap(function, values)``."""

    def one() -> Value:
        parts = known_parts(code, inner.value)
        if parts is None:
            raise NotCompiled("starmap of what are no tuples")
        return call(function, parts)

    statements, found = code.captured(one)
    return replace(inner, steps=(*inner.steps, *statements), value=found, acts=True)


def _zipped_longest(code: Code, given: Given, names: tuple[str, ...]) -> Iteration:
    """``zip_longest(..., fillvalue=...)``."""
    if names not in ((), ("fillvalue",)) or len(given) == len(names):
        raise NotCompiled("a call of zip_longest that does not fit it")
    filled = given[-1] if names else KnownValue(None)
    each = [iterated(code, one) for one in given[: len(given) - len(names)]]
    more, ended = _flag(code), _flag(code)
    # Where it raises there is no more.
    before = [f"{more} = false;", f"if (!{ended}) {{", f"{ended} = true;"]
    values = []
    for one in each:
        value, done = held_apart(code, one.value, filled), _flag(code)
        put, lacking = _assigned(code, value, one.value), _assigned(code, value, filled)
        before += [f"if (!{done}) {{", *one.before, f"{done} = !({one.more});", "}"]
        before += [
            f"if ({done}) {{",
            *lacking,
            "} else {",
            *one.steps,
            *put,
            f"{more} = true;",
            "}",
        ]
        values.append(value)
    before += [f"{ended} = !{more};", "}"]
    return Iteration(more, (), Parts(tuple(values)), tuple(before))


def _repeated(code: Code, given: Given, names: tuple[str, ...]) -> Iteration:
    """``repeat(value, times)``."""
    placed = taken(given, names, ("object", "times"), ("object", "times"))
    if placed is None or len(placed) != 2:
        raise NotCompiled("a call of repeat without an end")
    times = number(code, placed["times"])
    if times.kinds != INT:
        raise NotCompiled("repeat so often as is no whole number")
    # A list that is written there would have to be the same one each time.
    value = iterators.copied(code, code.term(placed["object"]))
    left = code.variable("long")
    code.say(f"{left} = {code.integers.as_count(times)};")
    return Iteration(f"{left} > 0L", (f"{left}--;",), value)


def _grouped(code: Code, given: Given, names: tuple[str, ...], call: Call) -> Iteration:
    """``groupby(values, key)``: its groups go through the same iterator as it does."""
    placed = taken(given, names, ("iterable", "key"), ("iterable", "key"))
    if placed is None or "iterable" not in placed:
        raise NotCompiled("a call of groupby that does not fit it")
    function = placed.get("key", KnownValue(None))
    inner = iterated(code, placed["iterable"])
    held, begun, open_still = _flag(code), _flag(code), _flag(code)
    more, goes_on = _flag(code), _flag(code)
    value, given_out = held_apart(code, inner.value), held_apart(code, inner.value)

    def asked() -> Value:
        return inner.value if is_known_none(function) else call(function, (inner.value,))

    asking, key = code.captured(asked)
    next_key, group_key = held_apart(code, key), held_apart(code, key)
    put = (*_assigned(code, next_key, key), *_assigned(code, value, inner.value))
    step = (*inner.steps, *asking, *put, f"{held} = true;")
    same = f"({_same_key(code, group_key, next_key)})"
    before = (
        f"{open_still} = false;",
        f"{more} = false;",
        "while (true) {",
        f"if ({held} && (!{begun} || !{same})) {{ {more} = true; break; }}",
        *(*inner.before, f"if (!({inner.more})) break;", *step, "}"),
    )
    steps = (*_assigned(code, group_key, next_key), f"{begun} = true;", f"{open_still} = true;")
    looked = (f"if (!{held}) {{", *inner.before, f"if ({inner.more}) {{", *step, "}", "}")
    of_group = Iteration(
        goes_on,
        (*_assigned(code, given_out, value), f"{held} = false;"),
        given_out,
        (
            f"{goes_on} = false;",
            *(f"if ({open_still}) {{", *looked, f"{goes_on} = {held} && {same};", "}"),
        ),
    )
    return Iteration(more, steps, Parts((group_key, of_group)), before, once=True)


def _same_key(code: Code, one: Value, other: Value) -> str:
    """Whether two keys, in variables of the same kinds, are equal."""
    if isinstance(one, Parts) and isinstance(other, Parts) and one.form == "tuple":
        pairs = zip(one.parts, other.parts, strict=True)
        return " && ".join(f"({_same_key(code, a, b)})" for a, b in pairs) or "true"
    a, b = code.term(one), code.term(other)
    if code.integers.held(a.kinds) in ("long", "boolean"):
        return f"{a.java} == {b.java}"
    # A NaN is equal to itself, if it is the same object, which is not known here.
    if a.kinds <= SCALARS - FLOAT:
        return f"PyNumber.equal({code.object(a)}, {code.object(b)})"
    if a.kinds - NONE in (DATE, MOMENT):
        return f"java.util.Objects.equals({a.java}, {b.java})"
    raise NotCompiled("groupby by what are neither whole numbers nor texts")
