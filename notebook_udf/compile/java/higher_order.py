"""Calls of what calls the functions that it is given, as Java: ``map``, a key of ``sorted``."""

from __future__ import annotations

from notebook_udf.compile.java import sorting
from notebook_udf.compile.java.code import Code
from notebook_udf.compile.java.iterators import mapped
from notebook_udf.compile.java.sorting import Call
from notebook_udf.compile.java.terms import (
    NONE,
    BoundMethod,
    KnownValue,
    Parts,
    Sequence,
    Term,
    Value,
    is_list,
)


def called(
    code: Code, function: Value, given: tuple[Value, ...], names: tuple[str, ...], call: Call
) -> Value | None:
    """A call of such a function; None if it is another one."""
    if isinstance(function, BoundMethod):
        owner = function.owner
        if function.name == "sort" and isinstance(owner, Term) and is_list(owner.kinds - NONE):
            return sorting.sort(code, code.present(owner, AttributeError), given, names, call)
        return None
    known = function.value if isinstance(function, KnownValue) else None
    if known is sorted and "key" in names:
        return sorting.sorted_by(code, given, names, call)
    if (known is min or known is max) and "key" in names:
        return sorting.extreme_by(code, known, given, names, call)
    if known is map and len(given) > 1 and not names:
        return _mapped(code, given, call)
    return None


def _mapped(code: Code, given: tuple[Value, ...], call: Call) -> Value:
    function, *over = given

    def call_each(values: tuple[Value, ...]) -> Value:
        return call(function, values)

    rows = [each.parts for each in over if isinstance(each, Parts)]
    each_known = len(rows) == len(over) and len(set(map(len, rows))) == 1
    parts = (lambda: Parts(tuple(map(call_each, zip(*rows, strict=True))))) if each_known else None
    return Sequence(lambda: mapped(code, tuple(over), call_each), parts)
