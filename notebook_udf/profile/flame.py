"""The flame graph, callers above what they call: as SVG, and as HTML that a sanitiser leaves whole.

JupyterLab takes SVG out of outputs of notebooks that are not trusted, and its texts would be left
in a heap; boxes that are nothing but styled elements stay. Every text is escaped.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from notebook_udf.profile.call_tree import Box, boxes
from notebook_udf.render.format import percent
from notebook_udf.render.markup import Attribute, Element, div, g, rect, span, svg, text, title
from notebook_udf.render.theme import QUIET
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
    """The text in a box."""
    frame = box.node.frame
    if frame is None or not frame.file:
        return one_line(box.node.name, _NAME)
    where = f"{frame.name}, line {frame.line}"
    if frame.library:
        module = frame.file.removesuffix(".py").removesuffix("/__init__").rpartition("/")[2]
        where = f"{frame.name} ({module})"
    return one_line(where, _NAME)


def told(profile: Profile, box: Box) -> str:
    """The description of a box: its label, time, line of code and file."""
    frame = box.node.frame
    words = [label(box), f"{box.node.seconds:.3f} s, {percent(box.width, 1)}"]
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


def _said(profile: Profile, box: Box) -> dict[str, Attribute]:
    """Attributes for screen readers and the Tab key; none for a narrow box."""
    wide = box.width >= _STOPS
    return {"tabindex": 0, "role": "img", "aria_label": told(profile, box)} if wide else {}


def flame_html(profile: Profile) -> list[Element]:
    """The graph as positioned boxes; a box is described when pointed at or tabbed to."""
    found, hidden = boxes(profile.tree)
    if not found:
        return []
    height = _ROW * (1 + max(box.depth for box in found))
    drawn = [
        div(
            label(box),
            title=told(profile, box),
            **_said(profile, box),
            style="position:absolute;box-sizing:border-box;overflow:hidden;white-space:nowrap;"
            f"left:{100 * box.left:.3f}%;width:{100 * box.width:.3f}%;top:{_ROW * box.depth}px;"
            f"height:{_ROW - 1}px;line-height:{_ROW - 1}px;padding-left:3px;border-radius:2px;"
            f"background:{_colour(box)};color:{_INK}",
        )
        for box in found
    ]
    graph = div(drawn, style=f"position:relative;height:{height}px;margin:6px 0;font-size:13px")
    rest = [div(f"{hidden:,} narrower boxes left out", style=QUIET)] if hidden else []
    return [graph, legend(), *rest]


def legend() -> Element:
    """The legend of the colours."""
    names = [
        span(
            name,
            style=f"background:{colour};color:{_INK};padding-left:4px;padding-right:4px;"
            "margin-right:8px;border-radius:2px",
        )
        for colour, name in LEGEND
    ]
    return div(names, style="font-size:13px")


def flame_svg(profile: Profile) -> Element:
    """The graph as SVG: each box has a title, and those that are not narrow can be tabbed to."""
    found, _ = boxes(profile.tree)
    height = _ROW * (1 + max((box.depth for box in found), default=0))
    return svg(
        (_svg_box(profile, box) for box in found),
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {_WIDTH} {height}",
        width="100%",
        role="group",
        aria_label="Flame graph",
        font_family="ui-monospace, Menlo, Consolas, monospace",
        font_size="13",
    )


def _svg_box(profile: Profile, box: Box) -> Element:
    left, width = box.left * _WIDTH, max(0.5, box.width * _WIDTH - 1)
    top = box.depth * _ROW
    letters = int((width - 6) / _LETTER)
    said = label(box)
    if len(said) > letters:
        said = f"{said[: letters - 1]}…" if letters >= 3 else ""
    return g(
        title(told(profile, box)),
        rect(
            x=f"{left:.1f}",
            y=top,
            width=f"{width:.1f}",
            height=_ROW - 1,
            rx=2,
            fill=_colour(box),
        ),
        text(said, x=f"{left + 3:.1f}", y=top + 14, fill=_INK) if said else None,
        **_said(profile, box),
    )
