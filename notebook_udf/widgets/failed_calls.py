"""Failed calls as bounded, JSON-able data: the contents of the card, for panels."""

from __future__ import annotations

from typing import Annotated, Any, TypedDict

from notebook_udf.sanitize import one_line, plain
from notebook_udf.source_excerpt import code_lines, own_frame
from notebook_udf.telemetry.records import CallFailed

_LINE = 240
_VALUE = 400
_MESSAGE = 4_000
_FRAMES = 20


class FailureData(TypedDict):
    """A failed call as sent to a browser. A line of ``code`` has its number, its text, and whether
    it is the one that failed."""

    id: str
    time: float
    pid: int
    query: str
    task: int
    function: str
    bundle: int
    row: int
    headline: str
    message: str
    position: str
    outcome: str
    code: list[Annotated[list[Any], tuple[int, str, bool]]]
    arguments: list[Annotated[list[str], tuple[str, str]]]
    frames: list[str]
    more_frames: int
    replay: bool


def failed_call(record: CallFailed) -> FailureData:
    """The data of a failed call: the error, the user's line, the arguments and the position."""
    failed = record.failed
    frame = own_frame(failed)
    code = code_lines(frame) if frame is not None else []
    return {
        "id": one_line(failed.error_id, _LINE),
        "time": record.time,
        "pid": record.pid,
        "query": one_line(failed.query, _LINE),
        "task": record.task.task_attempt,
        "function": one_line(failed.function, _LINE),
        "bundle": failed.bundle,
        "row": failed.row,
        "headline": one_line(failed.headline, _VALUE),
        "message": plain(failed.message, _MESSAGE),
        "position": failed.position,
        "outcome": record.outcome,
        "code": [[n, one_line(text, _LINE), frame is not None and n == frame.line]
                 for n, text in code],
        "arguments": [[one_line(name, _LINE), one_line(value, _VALUE)]
                      for name, value in failed.arguments],
        "frames": [f"{one_line(f.file, _LINE)}, line {f.line}, in {one_line(f.name, _LINE)}"
                   for f in failed.frames[-_FRAMES:]],
        "more_frames": max(0, len(failed.frames) - _FRAMES),
        "replay": bool(failed.pickled_arguments),
    }  # fmt: skip
