"""``product``, ``combinations`` and their like of ``itertools``: tuples of what lists hold."""

from __future__ import annotations

import itertools
from typing import Any

from notebook_udf.compile.bindings import taken
from notebook_udf.compile.java.iterating.iterators import materialised
from notebook_udf.compile.java.writing.code import Code
from notebook_udf.compile.java.writing.terms import (
    Iteration,
    Kinds,
    KnownValue,
    NotCompiled,
    Parts,
    Term,
    Value,
)

_HOW = {
    itertools.combinations: "COMBINATIONS",
    itertools.permutations: "PERMUTATIONS",
    itertools.combinations_with_replacement: "REPLACED",
}
_MOST = 8


def called(
    code: Code, function: Any, given: tuple[Value, ...], names: tuple[str, ...]
) -> Iteration:
    """The call of one of them."""
    if function is itertools.product:
        return _product(code, given, names)
    placed = taken(given, names, ("iterable", "r"), ("iterable", "r"))
    if placed is None or len(placed) != 2:
        raise NotCompiled(f"{function.__name__} of tuples whose length is not known")
    count = _count(placed["r"])
    whole = _pool(code, placed["iterable"])
    made = f"new PySelections({whole.java}, {count}, PySelections.{_HOW[function]})"
    return _of(code, made, [code.lists.of(whole.kinds)] * count)


def _count(value: Value) -> int:
    count = value.value if isinstance(value, KnownValue) else None
    if type(count) is not int or not 1 <= count <= _MOST:
        raise NotCompiled("tuples whose length is not known")
    return count


def _product(code: Code, given: tuple[Value, ...], names: tuple[str, ...]) -> Iteration:
    if names not in ((), ("repeat",)):
        raise NotCompiled("a call of product that does not fit it")
    times = _count(given[-1]) if names else 1
    pools = [_pool(code, each) for each in given[: len(given) - len(names)]] * times
    if not 1 <= len(pools) <= _MOST:
        raise NotCompiled("a product of so many")
    lists = ", ".join(each.java for each in pools)
    made = f"new PySelections(new java.util.ArrayList[] {{{lists}}})"
    return _of(code, made, [code.lists.of(each.kinds) for each in pools])


def _pool(code: Code, value: Value) -> Term:
    """A list of its own: what happens to the one that is given later makes no difference."""
    whole = materialised(code, value)
    if not code.lists.of(whole.kinds):
        raise NotCompiled("a list with nothing in it")
    return code.set(whole.kinds, f"new java.util.ArrayList({whole.java})")


def _of(code: Code, made: str, kinds: list[Kinds]) -> Iteration:
    each, row = code.variable("PySelections"), code.variable("Object[]")
    code.say(f"{each} = {made};")
    parts = [code.fresh(held) for held in kinds]
    steps = [f"{row} = {each}.next();"]
    for at, part in enumerate(parts):
        found = Term(frozenset("?"), f"{row}[{at}]")
        steps.append(f"{part.java} = {code.integers.narrowed(found, part.kinds).java};")
    return Iteration(f"{each}.hasNext()", tuple(steps), Parts(tuple(parts)))
