"""The flame graph, callers above what they call: as SVG, and as HTML that a sanitiser leaves whole.

JupyterLab takes SVG out of outputs of notebooks that are not trusted, and its texts would be left
in a heap; boxes that are nothing but styled elements stay. Every text is escaped.
"""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from notebook_udf.profile.call_tree import Box, boxes
from notebook_udf.sanitize import one_line

if TYPE_CHECKING:
    from notebook_udf.profile.profile_result import Profile

_NAME = 200
_ROW = 20
_WIDTH = 900
_LETTER = 7.9
# Dark letters can be read on all of them, on a light page and on a dark one.
_FUNCTION, _USER, _LIBRARY, _OURS = "#ffd54f", "#ffb074", "#9fc9ec", "#c4c4c4"
_INK = "#1a1a1a"
# Narrower ones are not stopped at with the Tab key: there may be hundreds.
_STOPS = 0.02
LEGEND = (
    (_FUNCTION, "function"),
    (_USER, "your code"),
    (_LIBRARY, "libraries"),
    (_OURS, "notebook-udf"),
)


def label(box: Box) -> str:
    """What stands in a box."""
    frame = box.node.frame
    if frame is None or not frame.file:
        return one_line(box.node.name, _NAME)
    where = f"{frame.name}, line {frame.line}"
    if frame.library:
        module = frame.file.removesuffix(".py").removesuffix("/__init__").rpartition("/")[2]
        where = f"{frame.name} ({module})"
    return one_line(where, _NAME)


def told(profile: Profile, box: Box) -> str:
    """What is said of a box."""
    frame = box.node.frame
    words = [label(box), f"{box.node.seconds:.3f} s, {100 * box.width:.1f} %"]
    if frame is not None and frame.file and not frame.library:
        texts = profile.texts.get(frame.file, ())
        if 0 < frame.line <= len(texts):
            words.append(one_line(texts[frame.line - 1].strip(), _NAME))
    if frame is not None and frame.file:
        words.append(one_line(profile.titles.get(frame.file, frame.file), _NAME))
    return " · ".join(words)


def _colour(box: Box) -> str:
    frame = box.node.frame
    if frame is None:
        return _FUNCTION
    if not frame.file:
        return _OURS
    return _LIBRARY if frame.library else _USER


def flame_html(profile: Profile) -> str:
    """The graph as positioned boxes; a box says what it is when pointed at or tabbed to."""
    found, hidden = boxes(profile.tree)
    if not found:
        return ""
    height = _ROW * (1 + max(box.depth for box in found))
    drawn = "".join(
        f'<div title="{escape(told(profile, box))}"'
        + (
            f' tabindex="0" role="img" aria-label="{escape(told(profile, box))}"'
            if box.width >= _STOPS
            else ""
        )
        + f' style="position:absolute;box-sizing:border-box;overflow:hidden;white-space:nowrap;'
        f"left:{100 * box.left:.3f}%;width:{100 * box.width:.3f}%;top:{_ROW * box.depth}px;"
        f"height:{_ROW - 1}px;line-height:{_ROW - 1}px;padding-left:3px;border-radius:2px;"
        f'background:{_colour(box)};color:{_INK}">{escape(label(box))}</div>'
        for box in found
    )
    return (
        f'<div style="position:relative;height:{height}px;margin:6px 0;font-size:13px">{drawn}'
        f"</div>{legend()}{_left_out(hidden)}"
    )


def legend() -> str:
    """What the colours mean."""
    return (
        '<div style="font-size:13px">'
        + "".join(
            f'<span style="background:{colour};color:{_INK};padding-left:4px;padding-right:4px;'
            f'margin-right:8px;border-radius:2px">{name}</span>'
            for colour, name in LEGEND
        )
        + "</div>"
    )


def _left_out(hidden: int) -> str:
    return f'<div style="opacity:.72">{hidden:,} narrower boxes left out</div>' if hidden else ""


def flame_svg(profile: Profile) -> str:
    """The graph as SVG: each box has a title, and those that are not narrow can be tabbed to."""
    found, _ = boxes(profile.tree)
    height = _ROW * (1 + max((box.depth for box in found), default=0))
    drawn = "".join(_svg_box(profile, box) for box in found)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" width="100%" '
        f'role="group" aria-label="Flame graph" font-family="ui-monospace, Menlo, Consolas, '
        f'monospace" font-size="13">{drawn}</svg>'
    )


def _svg_box(profile: Profile, box: Box) -> str:
    said = escape(told(profile, box))
    left, width = box.left * _WIDTH, max(0.5, box.width * _WIDTH - 1)
    top = box.depth * _ROW
    letters = int((width - 6) / _LETTER)
    text = label(box)
    if len(text) > letters:
        text = f"{text[: letters - 1]}…" if letters >= 3 else ""
    written = (
        f'<text x="{left + 3:.1f}" y="{top + 14}" fill="{_INK}">{escape(text)}</text>'
        if text
        else ""
    )
    stop = f' tabindex="0" role="img" aria-label="{said}"' if box.width >= _STOPS else ""
    return (
        f'<g{stop}><title>{said}</title><rect x="{left:.1f}" y="{top}" width="{width:.1f}" '
        f'height="{_ROW - 1}" rx="2" fill="{_colour(box)}"/>{written}</g>'
    )


__all__ = ["flame_html", "flame_svg", "label", "legend", "told"]
