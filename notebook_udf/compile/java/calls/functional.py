"""Calls of helpers that go through values, many by a function that they are given, as Java."""

from __future__ import annotations

import functools
import heapq
import itertools
import math
import operator
from collections import Counter, OrderedDict
from collections.abc import Callable
from dataclasses import replace
from functools import partial

from notebook_udf.compile.bindings import taken
from notebook_udf.compile.java.collections import counters
from notebook_udf.compile.java.iterating import itertools_calls, sorting
from notebook_udf.compile.java.iterating.iterators import iterated, mapped
from notebook_udf.compile.java.iterating.itertools_calls import in_turn
from notebook_udf.compile.java.numbers.arithmetic import condition
from notebook_udf.compile.java.objects import named_parts
from notebook_udf.compile.java.writing.code import Code
from notebook_udf.compile.java.writing.exceptions import raising
from notebook_udf.compile.java.writing.terms import (
    BOOL,
    NONE,
    STR,
    BoundMethod,
    Call,
    Iteration,
    Kinds,
    KnownValue,
    NotCompiled,
    Parts,
    Sequence,
    Term,
    Value,
    is_known_none,
    is_list,
    is_record,
)

Given = tuple[Value, ...]
_MOST_TRIALS = 8
# They take all that they are given before they answer.
_CONSUMERS = (
    *(sum, min, max, sorted, list, tuple, set, frozenset, dict, Counter),
    *itertools_calls.CONSUMERS,
    *(math.fsum, math.prod, functools.reduce),
    *(heapq.nlargest, heapq.nsmallest),
)
# Those of them that may raise for one value before they ask for the next.
_IN_TURN = {math.fsum: "fsum", functools.reduce: "reduce"}


def called(
    code: Code, function: Value, given: Given, names: tuple[str, ...], call: Call
) -> Value | None:
    """A call of such a helper; None if it is another one."""
    found = itertools_calls.called(code, function, given, names, call)
    if found is not None:
        return found
    if isinstance(function, BoundMethod):
        return _called_method(code, function.owner, function.name, given, names, call)
    known = function.value if isinstance(function, KnownValue) else None
    if known is sorted and "key" in names:
        return sorting.sorted_by(code, given, names, call)
    if (known is min or known is max) and "key" in names:
        return sorting.extreme_by(code, known, given, names, call)
    if known is heapq.nlargest or known is heapq.nsmallest:
        return sorting.outermost(code, known, given, names, call)
    if known is functools.reduce and 2 <= len(given) <= 3 and not names:
        return _reduced(code, given, call)
    if known is itertools.accumulate:
        return _accumulated(code, given, names, in_turn(code, call))
    if known is filter and len(given) == 2:
        return _filtered(code, *given, in_turn(code, call))
    if known is map and len(given) > 1 and not names:
        return _mapped(code, given, in_turn(code, call))
    if known is Counter and not names:
        return counters.counted(code, given)
    return None


def check_consumer(function: Value, *, handled: bool) -> None:
    """The taker of a generator has to take all that it gives.

    ``handled``: it matters which of several exceptions comes first.
    """
    takes_all = isinstance(function, BoundMethod) and _takes_all(function.owner, function.name)
    known = function.value if isinstance(function, KnownValue) else None
    if handled and known in _IN_TURN:
        raise NotCompiled(f"{_IN_TURN[known]} of a generator, beside try")
    if not takes_all and not any(known is each for each in _CONSUMERS):
        raise NotCompiled("a generator here: write a list")


def joins(code: Code, function: Value) -> Term | None:
    """The text whose method join it is; None if it is another one's, or what may be none."""
    if not isinstance(function, BoundMethod) or function.name != "join":
        return None
    owner = function.owner
    if isinstance(owner, KnownValue):
        return code.term(owner) if type(owner.value) is str else None
    return owner if isinstance(owner, Term) and owner.kinds == STR else None


def _takes_all(owner: Value, name: str) -> bool:
    """Whether it is a method of Python's own: one of the user's may leave some."""
    if name == "join":
        text = owner.value if isinstance(owner, KnownValue) else None
        return type(text) is str or (isinstance(owner, Term) and not is_record(owner.kinds - NONE))
    return name == "fromkeys" and _makes_dicts(owner)


def _makes_dicts(owner: Value) -> bool:
    # Of the second, Java has no more than it has of the first.
    known = owner.value if isinstance(owner, KnownValue) else None
    return known is dict or known is OrderedDict


def _called_method(
    code: Code, owner: Value, name: str, given: Given, names: tuple[str, ...], call: Call
) -> Value | None:
    if name == "sort" and isinstance(owner, Term) and is_list(owner.kinds - NONE):
        return sorting.sort(code, code.present(owner, AttributeError), given, names, call)
    if isinstance(owner, Term) and counters.is_counter(owner):
        return counters.method(code, owner, name, given, names)
    if name == "fromkeys" and _makes_dicts(owner):
        return counters.from_keys(code, given, names)
    return None


def _mapped(code: Code, given: Given, call: Call) -> Value:
    function, *over = given

    def call_each(values: Given) -> Value:
        return call(function, values)

    rows = [named_parts.gone_through(each) for each in over if isinstance(each, Parts)]
    if len(rows) == len(over) and len(set(map(len, rows))) == 1:
        parts = partial(_called_for_each, rows, call_each)
        return Sequence(lambda: mapped(code, tuple(over), call_each), parts)
    return mapped(code, tuple(over), call_each)


def _called_for_each(rows: list[Given], call: Callable[[Given], Value]) -> Parts:
    return Parts(tuple(map(call, zip(*rows, strict=True))))


def _filtered(code: Code, function: Value, values: Value, call: Call) -> Iteration:
    """``filter(function, values)``: what it gives next is looked for before it is asked for."""
    inner, found = iterated(code, values), code.set(BOOL, "false").java
    known = function.value if isinstance(function, KnownValue) else False
    by_truth = known is None or known is bool

    def tested() -> str:
        return condition(code, inner.value if by_truth else call(function, (inner.value,)))

    tests, holds = code.captured(tested)
    value = inner.value
    kept: tuple[str, ...] = ()
    if by_truth and isinstance(value, Term) and "none" in value.kinds:
        # What is left has no None.
        present = code.integers.narrowed(value, value.kinds - NONE)
        value = code.fresh(present.kinds)
        kept = (f"if ({found}) {value.java} = {present.java};",)
    over = (f"while (!{found}) {{", *inner.before, f"if (!({inner.more})) break;", *inner.steps)
    before = (f"{found} = false;", *over, *tests, f"{found} = {holds};", *kept, "}")
    return replace(inner, more=found, steps=(), value=value, before=before)


def _settled(
    code: Code, kinds: Kinds, step: Callable[[Term], Value]
) -> tuple[Term, tuple[str, ...]]:
    """A variable of kinds that stay the same, and the statements of a step from it to its next."""
    for _ in range(_MOST_TRIALS):
        total = code.fresh(kinds)
        statements, found = code.captured(partial(_stepped, code, step, total))
        if found.kinds <= kinds:
            following = code.integers.converted(found, kinds)
            return total, (*statements, f"{total.java} = {following};")
        kinds |= found.kinds
    raise NotCompiled("values whose kinds do not settle")


def _stepped(code: Code, step: Callable[[Term], Value], total: Term) -> Term:
    return code.term(step(total))


def _reduced(code: Code, given: Given, call: Call) -> Value:
    """``functools.reduce(function, values, initial)``."""
    function, values, *rest = given
    over = iterated(code, values)
    if rest:
        first = code.term(rest[0])
    else:
        nothing = f"if (!({over.more})) {raising(TypeError)}"
        code.statements += [*over.before, nothing, *over.steps]
        first = code.term(over.value)

    def step(total: Term) -> Value:
        return call(function, (total, over.value))

    total, steps = _settled(code, first.kinds, step)
    code.say(f"{total.java} = {code.integers.converted(first, total.kinds)};")
    code.loop(over, lambda: code.statements.extend(steps))
    return total


def _accumulated(code: Code, given: Given, names: tuple[str, ...], call: Call) -> Iteration:
    """``itertools.accumulate(values, function, initial=...)``."""
    placed = taken(given, names, ("iterable", "func"), ("iterable", "func", "initial"))
    if placed is None or "iterable" not in placed:
        raise NotCompiled("a call of accumulate that does not fit it")
    function = placed.get("func", KnownValue(None))
    function = KnownValue(operator.add) if is_known_none(function) else function
    inner, begins = iterated(code, placed["iterable"]), code.set(BOOL, "true").java
    initial = placed.get("initial", KnownValue(None))
    first = code.term(inner.value if is_known_none(initial) else initial)
    if not is_known_none(initial) and "none" in first.kinds:
        raise NotCompiled("accumulate from what may be None")

    def step(total: Term) -> Value:
        return call(function, (total, inner.value))

    total, steps = _settled(code, first.kinds, step)
    begun = f"{begins} = false; {total.java} = {code.integers.converted(first, total.kinds)};"
    branches = (f"if ({begins}) {{ {begun} }} else {{",)
    if is_known_none(initial):
        following = (*inner.steps, *branches, *steps, "}")
        return replace(inner, steps=following, value=total, acts=True)
    before = (f"if (!{begins}) {{", *inner.before, "}") if inner.before else ()
    steps = (*branches, *inner.steps, *steps, "}")
    more = f"{begins} || {inner.more}"
    return replace(inner, more=f"({more})", steps=steps, value=total, before=before, acts=True)
