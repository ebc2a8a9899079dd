"""Cards: what happened, the cell's own line, the values, the position, the next step.

The HTML is static and holds no script, so that it survives a notebook that is not trusted; long
parts are folded. The plain text is the error's own text. ``kernel`` raises and translates errors.
"""

from __future__ import annotations

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
from notebook_udf.render.markup import (
    Child,
    Element,
    b,
    details,
    div,
    markup,
    pre,
    span,
    summary,
    table,
    td,
    tr,
)
from notebook_udf.render.theme import CODE_FONT, ERROR, POINTED_AT, QUIET, painted
from notebook_udf.sanitize import first_line, one_line, plain
from notebook_udf.source_excerpt import code_lines, own_frame, place_lines, place_of, place_text

_HEADLINE = 400
_BODY = 6_000
_VALUE = 400
_STACK = 20_000
_LINE = 240
_FRAMES = 40

_PRE = (
    f"{CODE_FONT};font-size:12px;line-height:1.45;margin:0;padding:0;white-space:pre;"
    "background:transparent;color:inherit;overflow:visible"
)
_CARD = (
    "padding:6px 12px 8px;margin:2px 0;color:var(--jp-content-font-color1, inherit);"
    "font-size:13px;line-height:1.5"
)
_BOX = (
    "background:rgba(128,128,128,.11);border-radius:3px;padding:7px 10px;margin:8px 0;"
    "overflow-x:auto;max-height:340px;overflow-y:auto"
)
_FAILED = painted("color", ERROR)


def card_text(error: NotebookUdfError) -> str:
    """The card as plain text."""
    if isinstance(error, QueryError):
        return "\n".join([error.mistake.text, *error.added])
    text = plain(str(error))
    place = None if isinstance(error, RemoteError) else place_of(error)
    return text if place is None else f"{text}\n\n{plain(place_text(place))}"


def headline(error: NotebookUdfError) -> str:
    """What happened, in one line."""
    if isinstance(error, QueryError):
        return error.mistake.headline
    return one_line(first_line(error), _HEADLINE)


def card_html(error: NotebookUdfError, kind: str = "") -> str:
    """The card as static HTML, for light and dark themes; ``kind`` is the name of the exception
    that is raised, if that is another than the error."""
    failed = error.failed if isinstance(error, RemoteError) else None
    parts: list[Child] = [_title(error, kind)]
    if failed is not None:
        parts.append(_call(failed))
    elif isinstance(error, QueryError):
        parts += [_mistake(error.mistake), map(div, error.added)]
    else:
        place = None if isinstance(error, RemoteError) else place_of(error)
        parts += [_marked(place) if place else None, _rest(error)]
    if not isinstance(error, QueryError):
        parts.append(_next_step(error, failed))
    edge = painted("border-left", ERROR, "4px solid")
    return markup(div(parts, _folds(error, failed), style=(edge, _CARD)))


def _title(error: NotebookUdfError, kind: str) -> list[Element]:
    return [
        div(span(kind or type(error).__name__, style=(QUIET, "font-size:12px"))),
        div(headline(error), style=("font-weight:600", _FAILED, "overflow-wrap:anywhere")),
    ]


def _mistake(mistake: Mistake) -> list[Child]:
    return [
        _marked(mistake.place) if mistake.place else None,
        div(mistake.advice) if mistake.advice else None,
        div(mistake.condition, style=(QUIET, "font-size:12px")) if mistake.condition else None,
    ]


def _marked(place: Place) -> Element:
    """The lines of a query around a place, with the place marked."""
    style = (_FAILED, "font-weight:600;text-decoration:underline wavy")
    rows: list[Child] = []
    for number, text, meant in place_lines(place):
        lead = f"{'-->' if meant else '   '} {number:4d} "
        start, end = meant or (len(text), len(text))
        before, after = plain(lead + text[:start]), plain(text[end:]).rstrip()
        rows.append(
            [before, span(plain(text[start:end]), style=style), after]
            if end > start
            else f"{before}{after}".rstrip()
        )
    return _box(rows)


def _call(failed: FailedRow) -> list[Child]:
    message = plain(failed.message, _BODY).strip()
    frame = own_frame(failed)
    return [
        _box([message]) if "\n" in message or len(message) > _HEADLINE else None,
        _code(frame) if frame else None,
        _values(failed.arguments) if failed.arguments else None,
        div(failed.position, style=QUIET) if failed.has_position else None,
    ]


def _code(frame: Frame) -> Element:
    rows: list[Child] = []
    for number, text in code_lines(frame):
        here = number == frame.line
        line = f"{'-->' if here else '   '} {number:4d}  {one_line(text, _LINE)}".rstrip()
        rows.append(span(line, style=(_FAILED, "font-weight:600")) if here else line)
    return _box(rows or [f"line {frame.line}, in {one_line(frame.name, _LINE)}"])


def _values(arguments: tuple[tuple[str, str], ...]) -> Element:
    cell = (
        f"{CODE_FONT};font-size:12px;text-align:left;padding:1px 14px 1px 0;border:0;"
        "color:inherit;background:transparent"
    )
    rows = [
        tr(
            td(one_line(name, _LINE), style=(cell, QUIET, "vertical-align:top")),
            td(
                one_line(value, _VALUE), style=(cell, "white-space:pre-wrap;overflow-wrap:anywhere")
            ),
            style="background:transparent",
        )
        for name, value in arguments
    ]
    return table(rows, style="border-collapse:collapse;margin:8px 0;color:inherit")


def _rest(error: NotebookUdfError) -> Element | None:
    """The lines of an error's text after the first, without a next step on the last."""
    lines = str(error).strip().splitlines()
    body = "\n".join(lines[1:] if len(lines) < 3 or not _has_step(error) else lines[1:-1])
    body = plain(body.strip("\n"), _BODY)
    return _box([body]) if body else None


def _next_step(error: NotebookUdfError, failed: FailedRow | None) -> Element | None:
    lines = str(error).strip().splitlines()
    if len(lines) < 2 or not (failed is not None or _has_step(error)):
        return None
    return div(b("Next:"), f" {one_line(lines[-1], _HEADLINE)}", style="margin-top:6px")


def _has_step(error: NotebookUdfError) -> bool:
    # The session writes these, with the next step as the last line; other texts may end with
    # anything.
    return isinstance(error, WorkerError) and len(str(error).strip().splitlines()) > 2


def _folds(error: NotebookUdfError, failed: FailedRow | None) -> list[Element]:
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
        which = f"error {failed.error_id}"
        if failed.version:
            which = f"{failed.function} version {failed.version}, {which}"
        small = (QUIET, "font-size:11px;margin-top:4px")
        folds.append(div(one_line(which, 2 * _LINE), style=small))
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


def _fold(title: str, text: str) -> Element:
    head = summary(title, style=(POINTED_AT, QUIET))
    return details(head, _box([plain(text, _STACK)]), style="margin-top:4px")


def _box(lines: list[Child]) -> Element:
    inside: list[Child] = [lines[0], *(["\n", line] for line in lines[1:])]
    # It scrolls, so the keyboard has to reach it.
    return div(pre(inside, style=_PRE), tabindex=0, style=_BOX)
