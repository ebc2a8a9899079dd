"""An error as a card: what happened, the cell's own line, the values, where, what next.

The HTML is static and holds no script, so that it survives a notebook that is not trusted; what
is long is folded away. The text twin is the error's own text. Raising and translating errors is
the business of ``kernel``.
"""

from __future__ import annotations

from html import escape

from notebook_udf.errors import (
    FailedRow,
    Frame,
    FunctionTimeout,
    Mistake,
    NotebookUdfError,
    Place,
    QueryError,
    RemoteError,
    UserFunctionError,
    WorkerError,
)
from notebook_udf.sanitize import one_line, plain
from notebook_udf.source_excerpt import code_lines, own_frame, place_lines, place_of, place_text
from notebook_udf.theme import ERROR, painted

_HEADLINE = 400
_BODY = 6_000
_VALUE = 400
_STACK = 20_000
_LINE = 240
_FRAMES = 40

_FONT = "font-family:var(--jp-code-font-family, ui-monospace, Menlo, Consolas, monospace)"
_PRE = (
    f"{_FONT};font-size:12px;line-height:1.45;margin:0;padding:0;white-space:pre;"
    "background:transparent;color:inherit;overflow:visible"
)
_BOX = (
    "background:rgba(128,128,128,.11);border-radius:3px;padding:7px 10px;margin:8px 0;"
    "overflow-x:auto;max-height:340px;overflow-y:auto"
)
_QUIET = "opacity:.72"


def card_text(error: NotebookUdfError) -> str:
    """The card without a browser."""
    if isinstance(error, QueryError):
        return "\n".join([error.mistake.text, *error.added])
    text = plain(str(error))
    place = None if isinstance(error, RemoteError) else place_of(error)
    return text if place is None else f"{text}\n\n{plain(place_text(place))}"


def headline(error: NotebookUdfError) -> str:
    """What happened, in one line."""
    if isinstance(error, QueryError):
        return error.mistake.headline
    lines = str(error).strip().splitlines()
    return one_line(lines[0], _HEADLINE) if lines else type(error).__name__


def card_html(error: NotebookUdfError) -> str:
    """An error as static HTML that reads on light and on dark."""
    failed = error.failed if isinstance(error, RemoteError) else None
    parts = [_title(error)]
    if failed is not None:
        parts += _call(failed)
    elif isinstance(error, QueryError):
        parts += _mistake(error.mistake)
        parts += [f"<div>{escape(note)}</div>" for note in error.added]
    else:
        place = None if isinstance(error, RemoteError) else place_of(error)
        parts += [] if place is None else [_marked(place)]
        parts += _rest(error)
    if not isinstance(error, QueryError):
        parts += _next_step(error, failed)
    parts += _folds(error, failed)
    return (
        f'<div style="{painted("border-left", ERROR, "4px solid")};padding:6px 12px 8px;'
        'margin:2px 0;color:var(--jp-content-font-color1, inherit);font-size:13px;line-height:1.5">'
        + "".join(parts)
        + "</div>"
    )


def _title(error: NotebookUdfError) -> str:
    name = escape(type(error).__name__)
    return (
        f'<div><span style="{_QUIET};font-size:12px">{name}</span></div>'
        f'<div style="font-weight:600;{painted("color", ERROR)};overflow-wrap:anywhere">'
        f"{escape(headline(error))}</div>"
    )


def _mistake(mistake: Mistake) -> list[str]:
    parts = [_marked(mistake.place)] if mistake.place is not None else []
    if mistake.advice:
        parts.append(f"<div>{escape(mistake.advice)}</div>")
    if mistake.condition:
        parts.append(f'<div style="{_QUIET};font-size:12px">{escape(mistake.condition)}</div>')
    return parts


def _marked(place: Place) -> str:
    """The lines of a query around a place, and the place in them."""
    rows = []
    for number, text, meant in place_lines(place):
        lead = f"{'-->' if meant else '   '} {number:4d} "
        start, end = meant or (len(text), len(text))
        row = f"{escape(plain(lead + text[:start]))}"
        if end > start:
            row += (
                f'<span style="{painted("color", ERROR)};font-weight:600;'
                f'text-decoration:underline wavy">{escape(plain(text[start:end]))}</span>'
            )
        rows.append((row + escape(plain(text[end:]))).rstrip())
    return _boxed("\n".join(rows))


def _call(failed: FailedRow) -> list[str]:
    parts = []
    message = plain(failed.message, _BODY).strip()
    if "\n" in message or len(message) > _HEADLINE:
        parts.append(_pre(message))
    frame = own_frame(failed)
    if frame is not None:
        parts.append(_code(frame))
    if failed.arguments:
        parts.append(_values(failed.arguments))
    if failed.worker:
        parts.append(f'<div style="{_QUIET}">{escape(failed.position)}</div>')
    return parts


def _code(frame: Frame) -> str:
    rows = []
    for number, text in code_lines(frame):
        here = number == frame.line
        line = escape(f"{'-->' if here else '   '} {number:4d}  {one_line(text, _LINE)}".rstrip())
        if here:
            line = f'<span style="{painted("color", ERROR)};font-weight:600">{line}</span>'
        rows.append(line)
    if not rows:
        rows.append(escape(f"line {frame.line}, in {one_line(frame.name, _LINE)}"))
    return _boxed("\n".join(rows))


def _values(arguments: tuple[tuple[str, str], ...]) -> str:
    cell = (
        f"{_FONT};font-size:12px;text-align:left;padding:1px 14px 1px 0;border:0;"
        "color:inherit;background:transparent"
    )
    rows = "".join(
        f'<tr style="background:transparent">'
        f'<td style="{cell};{_QUIET};vertical-align:top">{escape(one_line(name, _LINE))}</td>'
        f'<td style="{cell};white-space:pre-wrap;overflow-wrap:anywhere">'
        f"{escape(one_line(value, _VALUE))}</td></tr>"
        for name, value in arguments
    )
    return f'<table style="border-collapse:collapse;margin:8px 0;color:inherit">{rows}</table>'


def _rest(error: NotebookUdfError) -> list[str]:
    """What a text without a call says between its first line and its last."""
    lines = str(error).strip().splitlines()
    body = "\n".join(lines[1:] if len(lines) < 3 or not _has_step(error) else lines[1:-1])
    body = plain(body.strip("\n"), _BODY)
    return [_pre(body)] if body else []


def _next_step(error: NotebookUdfError, failed: FailedRow | None) -> list[str]:
    lines = str(error).strip().splitlines()
    if len(lines) < 2 or not (failed is not None or _has_step(error)):
        return []
    step = escape(one_line(lines[-1], _HEADLINE))
    return [f'<div style="margin-top:6px"><b>Next:</b> {step}</div>']


def _has_step(error: NotebookUdfError) -> bool:
    # These are written by the session, which ends them with what to do; any other text may end
    # with anything.
    return isinstance(error, WorkerError) and len(str(error).strip().splitlines()) > 2


def _folds(error: NotebookUdfError, failed: FailedRow | None) -> list[str]:
    folds = []
    if failed is not None and len(failed.frames) > 1:
        folds.append(_fold(f"Traceback ({len(failed.frames)} frames)", _traceback(failed.frames)))
    if isinstance(error, FunctionTimeout) and error.stack:
        folds.append(_fold("Where the worker was stuck", error.stack))
    if isinstance(error, WorkerError) and error.output:
        folds.append(_fold("The worker's last output", error.output))
    if isinstance(error, QueryError):
        folds.append(_fold("Spark's own account", error.mistake.account))
    if isinstance(error, RemoteError) and error.jvm_stack:
        folds.append(_fold("Spark's own account (JVM stack)", error.jvm_stack))
    if isinstance(error, UserFunctionError) and failed is not None and failed.error_id:
        folds.append(
            f'<div style="{_QUIET};font-size:11px;margin-top:4px">'
            f"{escape(one_line(failed.function, _LINE))} version {failed.version}, "
            f"error {escape(one_line(failed.error_id, _LINE))}</div>"
        )
    return folds


def _traceback(frames: tuple[Frame, ...]) -> str:
    shown = frames if len(frames) <= _FRAMES else frames[: _FRAMES // 2] + frames[-_FRAMES // 2 :]
    lines = []
    for i, frame in enumerate(shown):
        if len(shown) < len(frames) and i == _FRAMES // 2:
            lines.append(f"… {len(frames) - len(shown):,} frames more …")
        lines.append(f"{frame.file}, line {frame.line}, in {frame.name}")
        if frame.text.strip():
            lines.append(f"    {one_line(frame.text.strip(), _LINE)}")
    return "\n".join(lines)


def _fold(title: str, text: str) -> str:
    return (
        f'<details style="margin-top:4px"><summary style="cursor:pointer;{_QUIET}">'
        f"{escape(title)}</summary>{_pre(plain(text, _STACK))}</details>"
    )


def _pre(text: str) -> str:
    return _boxed(escape(text))


def _boxed(html: str) -> str:
    # It scrolls, so the keyboard has to reach it.
    return f'<div tabindex="0" style="{_BOX}"><pre style="{_PRE}">{html}</pre></div>'
