"""The letters that a pattern's matches begin with: where none of them stands, nothing is found."""

from __future__ import annotations

import re
import re._constants as ops  # type: ignore[import-not-found]

from notebook_udf.compile.java.patterns.pattern_syntax import (
    ONE,
    REPEATS,
    Nodes,
    Ranges,
    in_force,
    matched,
    parse_tree,
    union,
)

_ASCII = 128
# Where more letters begin a match, one is found at nearly every place.
_MOST_LETTERS = 32
# They look at what stands there, and take none of it.
_LOOKING = (ops.AT, ops.ASSERT, ops.ASSERT_NOT)


def first_letters(pattern: re.Pattern[str]) -> str | None:
    """The letters of ASCII of which one begins each match; None if they are many, or not known."""
    tree = parse_tree(pattern)
    ranges = _begins(tree, pattern.flags) if tree.getwidth()[0] else None
    if ranges is None:
        return None
    found = [chr(c) for low, high in ranges for c in range(low, min(high + 1, _ASCII))]
    return "".join(found) if len(found) <= _MOST_LETTERS else None


def _begins(nodes: Nodes, flags: int) -> Ranges | None:
    found: Ranges = ()
    for op, value in nodes:
        scope = flags
        if op in _LOOKING:
            continue
        if op in ONE:
            return union(found, matched((op, value), flags))
        if op is ops.SUBPATTERN:
            inner, scope = [value[-1]], in_force(flags, value)
        elif op is ops.BRANCH:
            inner = value[1]
        elif op in REPEATS:
            inner = [value[2]]
        elif op is ops.ATOMIC_GROUP:
            inner = [value]
        else:
            return None
        for each in inner:
            first = _begins(each, scope)
            if first is None:
                return None
            found = union(found, first)
        if all(each.getwidth()[0] for each in inner) and (op not in REPEATS or value[0]):
            return found
    return found
