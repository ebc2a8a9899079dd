"""What a person knows a query by, out of what Spark calls it.

Spark's own words are where in Python an action was called, or the description that the query's
thread carries: the cell's, the user's own, or a micro-batch's.
"""

from __future__ import annotations

import re

from notebook_udf.sanitize import one_line

_NAME = 200
_BREAK = "<br/>"
_CALLED = re.compile(r"(\w+) at (.*?)([^/\\]*):\d+", re.DOTALL)
# Files that only the machine knows: Java's, and those in which a kernel keeps its cells.
_NOBODYS = re.compile(r"\.java\Z|ipykernel_\d+[/\\]\Z|^<")
# What Python methods are called in the JVM.
_METHODS = {"collectToPython": "collect", "showString": "show", "getRowsToPython": "show"}


def query_name(description: str) -> str:
    """In one line: a cell's first words, a micro-batch's stream, or an action and its place."""
    if _BREAK in description:
        return _batch(description)
    called = _CALLED.fullmatch(description)
    if called is None:
        return one_line(description, _NAME)
    action = _METHODS.get(called[1], called[1])
    if _NOBODYS.search(called[2]) or _NOBODYS.search(called[3]):
        return action
    line = description.rpartition(":")[2]
    return one_line(f"{action} at {called[3]}:{line}", _NAME)


def _batch(description: str) -> str:
    """``name = n<br/>id = ...<br/>runId = ...<br/>batch = 3`` in words."""
    fields = dict(part.partition(" = ")[::2] for part in description.split(_BREAK))
    first = description.partition(_BREAK)[0]
    name = fields.get("name") or (first if " = " not in first else "") or "stream"
    batch = fields.get("batch", "")
    return one_line(f"{name}, batch {batch}" if batch else name, _NAME)


def first_words(text: str, limit: int) -> str:
    """As much of a text as fits in one line of a table."""
    words = " ".join(text.split())
    return words if len(words) <= limit else f"{words[: limit - 1].rstrip()}…"
