"""Excerpts of source code: the lines that an error is about."""

from __future__ import annotations

import linecache
import re
from collections.abc import Sequence
from traceback import extract_tb

from notebook_udf.code_origin import is_users
from notebook_udf.errors import FailedRow, Frame, NotebookUdfError, Place

_CONTEXT_LINES = 2
_WIDTH = 100


def own_frame(failed: FailedRow) -> Frame | None:
    """The innermost frame in the user's own file or cell; a library it called is not at fault."""
    own = [frame for frame in failed.frames if frame.file == failed.frames[0].file]
    return own[-1] if own else None


def code_lines(frame: Frame, context: int = _CONTEXT_LINES) -> list[tuple[int, str]]:
    """The line of a frame and its neighbours, with numbers; only the line if there is no file."""
    try:
        lines = linecache.getlines(frame.file)
    except ValueError:
        # No file can have such a name, with a NUL or a lone surrogate in it.
        lines = []
    if not lines:
        return [(frame.line, frame.text.rstrip())] if frame.text else []
    first = max(1, frame.line - context)
    last = min(len(lines), frame.line + context)
    return [(n, lines[n - 1].rstrip("\n")) for n in range(first, last + 1)]


def place_of(error: NotebookUdfError) -> Place | None:
    """The place in the user's statement that an error is about: the name that is quoted in its
    first line, or the call of the function that the line begins with; None if not found."""
    if error.place is not None:
        return error.place
    line = str(error).partition("\n")[0]
    quoted = re.findall(r"(?<!\w)'(\w+)'", line)[:1]
    called = re.match(r"\w+(?=[ (])", line)
    names = [rf"\b{name}\b" for name in quoted] + ([rf"\b{called[0]}(?=\()"] if called else [])
    found = code_place(error, names)
    return found if found is not None and found.end > found.start else None


def code_place(error: BaseException, patterns: Sequence[str]) -> Place | None:
    """The first match of the patterns, in order, in the user's statement that led to an error, or
    the beginning of that statement; None if there is no such statement in the user's text."""
    own = [frame for frame in extract_tb(error.__traceback__) if is_users(frame.filename)]
    lines = linecache.getlines(own[-1].filename) if own else []
    first = own[-1].lineno or 0 if own else 0
    if not 0 < first <= len(lines):
        return None
    text = "".join(lines)
    if lines[first - 1].startswith("get_ipython()."):
        # A magic, as IPython transforms it.
        return None
    start = sum(map(len, lines[: first - 1]))
    end = start + sum(map(len, lines[first - 1 : own[-1].end_lineno or first]))
    for pattern in patterns:
        found = re.compile(pattern).search(text, start, end)
        if found is not None:
            return Place(text, *found.span())
    start += len(lines[first - 1]) - len(lines[first - 1].lstrip())
    return Place(text, start, start)


def place_lines(place: Place) -> list[tuple[int, str, tuple[int, int] | None]]:
    """The line that a place begins in and its neighbours: number, text, and the marked columns.

    Long lines are cut, around the place where it is in one of them.
    """
    before = place.text[: place.start]
    at, column = before.count("\n"), len(before) - before.rfind("\n") - 1
    lines = place.text.split("\n")
    end = min(column + place.end - place.start, len(lines[at].rstrip()))
    rows: list[tuple[int, str, tuple[int, int] | None]] = []
    for n in range(max(0, at - 1), min(len(lines), at + 2)):
        text = lines[n].replace("\t", " ")
        if n != at:
            if text.strip():
                rows.append((n + 1, _cut(text, 0)[0], None))
            continue
        text, cut = _cut(text, column)
        start = column - cut
        rows.append((n + 1, text, (start, max(start, min(end - cut, len(text))))))
    return rows


def place_text(place: Place) -> str:
    """The lines around a place as text, with the place underlined."""
    shown = []
    for number, text, meant in place_lines(place):
        shown.append(f"{'-->' if meant else '   '} {number:4d} {text}".rstrip())
        if meant is not None and meant[1] > meant[0]:
            shown.append(" " * (9 + meant[0]) + "^" * (meant[1] - meant[0]))
    return "\n".join(shown)


def _cut(text: str, column: int) -> tuple[str, int]:
    """Cuts a long line around a column; returns it and by how much its columns have moved."""
    if len(text) <= _WIDTH:
        return text, 0
    start = max(0, min(column - _WIDTH // 3, len(text) - _WIDTH))
    shown = text[start : start + _WIDTH]
    head, tail = "…" if start else "", "…" if start + _WIDTH < len(text) else ""
    return f"{head}{shown}{tail}", start - len(head)
