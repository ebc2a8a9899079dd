"""Readable names of queries, made from Spark's job descriptions.

Spark's description is the call site of an action in Python, or what was set on the query's
thread: by the cell, by the user, or by a micro-batch.
"""

from __future__ import annotations

import re

from notebook_udf.sanitize import one_line

_NAME = 200
_BREAK = "<br/>"
_CALLED = re.compile(r"(\w+) at (.*?)([^/\\]*):\d+", re.DOTALL)
# Files that mean nothing to the user: Java's, and those in which a kernel keeps its cells.
_NOBODYS = re.compile(r"\.java\Z|ipykernel_\d+[/\\]\Z|^<")
# What Python methods are called in the JVM.
_METHODS = {"collectToPython": "collect", "showString": "show", "getRowsToPython": "show"}


def query_name(description: str) -> str:
    """One line: a cell's first words, a micro-batch's stream, or an action and its call site."""
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
    """The name of a micro-batch: ``name = n<br/>id = ...<br/>runId = ...<br/>batch = 3``."""
    fields = dict(part.partition(" = ")[::2] for part in description.split(_BREAK))
    first = description.partition(_BREAK)[0]
    name = fields.get("name") or (first if " = " not in first else "") or "stream"
    batch = fields.get("batch", "")
    return one_line(f"{name}, batch {batch}" if batch else name, _NAME)


def first_words(text: str, limit: int) -> str:
    """Shortens a text to one line of at most ``limit`` characters."""
    words = " ".join(text.split())
    return words if len(words) <= limit else f"{words[: limit - 1].rstrip()}…"
