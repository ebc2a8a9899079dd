"""The lines of code that a failure is about."""

from __future__ import annotations

import linecache

from notebook_udf.errors import FailedRow, Frame

_CONTEXT_LINES = 2


def own_frame(failed: FailedRow) -> Frame | None:
    """The innermost line of the user's own file or cell; a library it called is not at fault."""
    own = [frame for frame in failed.frames if frame.file == failed.frames[0].file]
    return own[-1] if own else None


def code_lines(frame: Frame, context: int = _CONTEXT_LINES) -> list[tuple[int, str]]:
    """The line of a frame with its neighbours, numbered; just the line if there is no file."""
    try:
        lines = linecache.getlines(frame.file)
    except ValueError:
        # No file can be called that: a NUL or a lone surrogate is in its name.
        lines = []
    if not lines:
        return [(frame.line, frame.text.rstrip())] if frame.text else []
    first = max(1, frame.line - context)
    last = min(len(lines), frame.line + context)
    return [(n, lines[n - 1].rstrip("\n")) for n in range(first, last + 1)]
