"""What a pattern's matches may be: how wide, and with which groups."""

from __future__ import annotations

import re._constants as ops  # type: ignore[import-not-found]
import re._parser as parser  # type: ignore[import-not-found]
from typing import Any

from notebook_udf.compile.java.writing.terms import NotCompiled

_REPEATS = (ops.MAX_REPEAT, ops.MIN_REPEAT, ops.POSSESSIVE_REPEAT)
_LOOKING = (ops.ASSERT, ops.ASSERT_NOT)


def goes_on_alike(parsed: Any) -> bool:
    """Whether Java and Python look for the next match from the same place.

    They differ after an empty match where a match with something in it may begin.
    """
    least, most = parsed.getwidth()
    return bool(least >= 1 or most == 0)


def ungrouped(parsed: Any) -> Any:
    """A parsed pattern, whose groups are now parts that nobody can ask for.

    Raises
    ------
    NotCompiled
        If the pattern asks for one itself.
    """
    for at, (op, value) in enumerate(parsed.data):
        if op in (ops.GROUPREF, ops.GROUPREF_EXISTS):
            raise NotCompiled("a regular expression that repeats a group of a lookaround")
        if op is ops.SUBPATTERN:
            parsed.data[at] = (op, (None, *value[1:]))
        inner = (
            value[1]
            if op is ops.BRANCH
            else [value[-1]]
            if op in (*_REPEATS, *_LOOKING, ops.SUBPATTERN)
            else [value]
            if op is ops.ATOMIC_GROUP
            else []
        )
        for each in inner:
            ungrouped(each)
    return parsed


def groups_in(part: Any) -> list[int]:
    """The numbers of the groups within a part of a parsed pattern."""
    if isinstance(part, tuple) and part[0] is ops.SUBPATTERN:
        own = [] if part[1][0] is None else [part[1][0]]
        return own + groups_in(part[1][-1])
    if not isinstance(part, (tuple, list, parser.SubPattern)):
        return []
    return [each for inner in part for each in groups_in(inner)]
