"""A failed call: what its exception says, and the text that Spark carries.

The record that ``call.failure_report`` makes of it goes over the side channel and is complete; the
text goes through the JVM and holds the record's id, by which the kernel finds the one when it meets
the other. Where there is no side channel the text is all there is, and says what a person needs.
"""

from __future__ import annotations

import reprlib
import traceback
from collections.abc import Sequence
from types import TracebackType
from typing import Any

from notebook_udf.code_origin import is_machinery
from notebook_udf.errors import Frame
from notebook_udf.sanitize import cut
from notebook_udf.telemetry.carried import line_of
from notebook_udf.telemetry.records import CallFailed
from notebook_udf.worker.codec.refusal import BadResult
from notebook_udf.worker.runtime.column_texts import column_text
from notebook_udf.worker.runtime.error_kinds import FATAL, WorkerStopped

_MOST_MESSAGE_CHARACTERS = 20_000

_repr = reprlib.Repr()
_repr.maxstring = _repr.maxother = _repr.maxlong = 160
_repr.maxlist = _repr.maxtuple = _repr.maxdict = _repr.maxset = 12
_repr.maxlevel = 4


class FunctionFailed(Exception):
    """Ends a Spark task; its text carries the id of the record that was sent."""


def short(value: Any) -> str:
    """A ``repr`` of bounded length that never raises."""
    try:
        return column_text(value, _repr.repr) or _repr.repr(value)
    except WorkerStopped:
        raise
    except (Exception, *FATAL) as error:
        return f"<{type(value).__name__}, whose repr raised {type(error).__name__}>"


def text(record: CallFailed, *, carried: bool) -> str:
    """A failed call as plain text, with what a person needs; ``carried`` adds the record itself."""
    failed = record.failed
    lines = [failed.headline]
    if failed.frames:
        frame = failed.frames[-1]
        lines.append(f"  at {frame.file}, line {frame.line}, in {frame.name}: {frame.text}")
    if failed.arguments:
        lines.append("  with " + ", ".join(f"{n} = {v}" for n, v in failed.arguments))
    lines.append(f"  {failed.position}")
    lines.append(f"  [notebook-udf error {failed.error_id}]")
    if carried:
        lines.append(f"  {line_of(record)}")
    return "\n".join(lines)


def message_of(error: BaseException) -> str:
    """An exception's text: bounded, encodable, and never raising."""
    try:
        message = error.about_call if isinstance(error, BadResult) else str(error)
    except WorkerStopped:
        raise
    except (Exception, *FATAL) as second:
        message = f"<its message raised {type(second).__name__}>"
    # Spark writes the text as UTF-8, and a lone surrogate would end the worker instead.
    return cut(message, _MOST_MESSAGE_CHARACTERS).encode("utf-8", "backslashreplace").decode()


def parameter_name(parameters: Sequence[str], position: int) -> str:
    """The name of the parameter that takes the argument at ``position``."""
    if position < len(parameters) and not parameters[position].startswith("*"):
        return parameters[position]
    star = next((p.lstrip("*") for p in parameters if p.startswith("*")), "argument ")
    return f"{star}{position}"


def frames_of(tb: TracebackType | None) -> tuple[Frame, ...]:
    """The traceback from the first line of the user's code on."""
    summary = list(traceback.extract_tb(tb))
    while summary and is_machinery(summary[0].filename):
        summary.pop(0)
    return tuple(
        Frame(frame.filename, frame.lineno or 0, frame.name, frame.line or "")
        for frame in summary[-30:]
    )


def stack_text(tb: TracebackType | None) -> str:
    """The same as text; "" if it has no line of the user's code."""
    return "".join(
        f'  File "{frame.file}", line {frame.line}, in {frame.name}\n    {frame.text}\n'
        for frame in frames_of(tb)
    )
