"""``sorted``, ``min`` and ``max`` by a key, as Java."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from notebook_udf.compile.bindings import taken
from notebook_udf.compile.java.builtin_calls import flag
from notebook_udf.compile.java.code import Code
from notebook_udf.compile.java.iterators import iterated, materialised
from notebook_udf.compile.java.terms import INT, NONE, STR, KnownValue, NotCompiled, Value


def by_key(
    code: Code,
    function: Any,
    given: tuple[Value, ...],
    names: tuple[str, ...],
    call: Callable[[Value, Value], Value],
) -> Value:
    """One of these of a list, by what ``key`` gives of each.

    ``call`` writes the call of a value, with one argument.
    """
    placed = taken(given, names, ("iterable", "key", "reverse"), ("key", "reverse"))
    if placed is None or "iterable" not in placed or (function is not sorted and len(placed) > 2):
        raise NotCompiled(f"a call of {function.__name__} that does not fit it")
    backwards = flag(placed.get("reverse", KnownValue(False)), "sorted with reverse=")
    whole, keys = materialised(code, placed["iterable"]), code.new_list()
    over = iterated(code, whole)

    code.loop(over, lambda: code.put(keys, call(placed["key"], over.value)))
    held = code.lists.of(keys.kinds)
    code.lists.check_order(held)
    if held - NONE not in (INT, STR):
        raise NotCompiled("a key that is neither a whole number nor a text")
    if function is sorted:
        turned = str(backwards).lower()
        return code.set(whole.kinds, f"PyList.sortedBy({whole.java}, {keys.java}, {turned})")
    most = str(function is max).lower()
    return code.taken(whole, f"PyList.extremeBy({whole.java}, {keys.java}, {most})")
