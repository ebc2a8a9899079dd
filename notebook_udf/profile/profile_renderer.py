"""Shows a profile in a notebook, as a page, and in a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from notebook_udf.profile.call_tree import Node
from notebook_udf.profile.flame import flame_html, flame_svg, legend
from notebook_udf.render.format import counted, percent
from notebook_udf.render.markup import (
    Child,
    Element,
    code,
    div,
    main,
    markup,
    page,
    span,
    strong,
    table,
    tbody,
    td,
    th,
    thead,
    tr,
)
from notebook_udf.render.tables import Table
from notebook_udf.render.theme import CODE_FONT, QUIET
from notebook_udf.sanitize import one_line, plain

if TYPE_CHECKING:
    from rich.console import Group
    from rich.tree import Tree

    from notebook_udf.profile.profile_result import Line, Profile

_BAR = "#ff8a3d"
_TEXT = 200
_NAME = 80
# A file of up to so many lines is shown whole; of a longer one, the lines around those that took
# time.
_WHOLE = 120
_BESIDE = 3
_MOST_LINES = 400
_MOST_FILES = 8
_HOT_LINES = 12
# The least share of the whole that a tree in a terminal shows.
_WORTH = 0.01
_DEPTH = 24


def caption(profile: Profile) -> str:
    """The summary of a profile, in one line."""
    if not profile.working:
        return f"no function of yours was at work in {profile.seconds:.1f} s"
    workers = counted(len(profile.workers), "worker")
    said = (
        f"{profile.busy:.2f} s of work in {workers} during {profile.seconds:.2f} s, "
        f"{counted(profile.samples, 'sample')}"
    )
    if profile.waited >= 0.01:
        said += f"; {profile.waited:.2f} s of waiting for rows left out"
    if profile.dropped:
        said += f"; {counted(profile.dropped, 'sample')} of further stacks not kept"
    return said


def _shares(profile: Profile) -> list[str]:
    """The shares of each function, as a sentence."""
    return [
        f"{one_line(each.function, _NAME) or 'between functions'}: {percent(each.share)}, "
        + ", ".join(
            [f"your code {_percent(each.user, each.seconds)}"]
            + [
                f"{name.removeprefix('notebook-udf: ')} {_percent(seconds, each.seconds)}"
                for name, seconds in sorted(each.ours.items(), key=lambda one: -one[1])
            ]
        )
        for each in profile.functions
    ]


def _percent(part: float, whole: float) -> str:
    return percent(part / whole if whole > 0 else 0.0)


# HTML ------------------------------------------------------------------------------------------


def as_html(profile: Profile) -> str:
    """Flame graph and source as an HTML fragment, without script and style sheet."""
    return markup(_document(profile, flame_html(profile)))


def as_page(profile: Profile) -> str:
    """Flame graph and source as a standalone page."""
    return page("Profile", main(_document(profile, [flame_svg(profile), legend()])))


def _document(profile: Profile, graph: list[Element]) -> Element:
    return div(
        div(caption(profile), style=QUIET),
        map(div, (*_shares(profile), *map(plain, profile.notes))),
        graph if profile.working else None,
        _sources(profile),
        class_="nu-profile",
        style="font-size:13px;line-height:1.5",
    )


def _sources(profile: Profile) -> list[Child]:
    by_file: dict[str, dict[int, Line]] = {}
    for line in profile.lines:
        by_file.setdefault(line.file, {})[line.line] = line
    shown = list(by_file.items())[:_MOST_FILES]
    made = [_source(profile, file, lines) for file, lines in shown]
    return [made, _more(len(by_file) - len(shown), "file")]


def _more(number: int, thing: str) -> Element | None:
    return div(counted(number, f"more {thing}"), style=QUIET) if number > 0 else None


def _source(profile: Profile, file: str, lines: dict[int, Line]) -> list[Child]:
    texts = profile.texts.get(file, ())
    numbers = _numbers(len(texts), lines)
    rows, before = [], 0
    for number in numbers[:_MOST_LINES]:
        if before and number != before + 1:
            rows.append(tr(td("⋮", colspan=5, style=QUIET)))
        text = texts[number - 1] if number <= len(texts) else ""
        rows.append(_row(number, plain(text.rstrip("\n"), _TEXT), lines.get(number)))
        before = number
    head = tr(
        th("line"),
        th("here", colspan=2),
        th("with calls", style="white-space:nowrap"),
        th("code", style="text-align:left"),
    )
    style = ("border-collapse:collapse", CODE_FONT, "font-size:13px")
    source = table(thead(head), tbody(rows), style=style)
    name = one_line(profile.titles.get(file, file), _TEXT)
    return [
        div(strong(name), style="margin-top:10px"),
        div(source, style="overflow-x:auto", tabindex=0, role="region", aria_label=name),
        _more(len(numbers) - _MOST_LINES, "line"),
    ]


def _numbers(count: int, lines: dict[int, Line]) -> list[int]:
    if count and count <= _WHOLE:
        return list(range(1, count + 1))
    beside = {n for line in lines for n in range(line - _BESIDE, line + _BESIDE + 1)}
    return sorted(n for n in beside if 0 < n <= count or n in lines)


def _row(number: int, text: str, line: Line | None) -> Element:
    here = there = ""
    bar = None
    if line is not None:
        # Shares are of the whole profile's busy time, so that bars of several files compare.
        here = percent(line.share, 1) if line.seconds else ""
        there = f"{line.total:.2f} s"
        size = f"height:12px;width:{round(100 * line.share)}px"
        bar = div(title=f"{line.seconds:.3f} s", style=(size, f"background:{_BAR}"))
    cell = "text-align:right;white-space:nowrap;padding:0 8px 0 0"
    return tr(
        td(span(str(number), style=QUIET), style=cell),
        td(div(bar, style="width:100px"), style="padding:0"),
        td(here, style=cell),
        td(there, style=cell),
        td(
            code(text, style="white-space:pre;background:transparent"),
            style="text-align:left;padding:0",
        ),
    )


# Text ------------------------------------------------------------------------------------------

_HEAD = ("here", "with calls", "where", "code")


def _hot(profile: Profile) -> Table:
    rows = [
        (
            percent(line.share, 1),
            f"{line.total:.2f} s",
            one_line(f"{line.title}:{line.line}", _NAME),
            one_line(line.text.strip(), _NAME),
        )
        for line in profile.lines[:_HOT_LINES]
    ]
    return Table(_HEAD, rows)


def as_text(profile: Profile) -> str:
    """The functions and the slowest lines as text."""
    parts = [caption(profile), *_shares(profile), *map(plain, profile.notes)]
    if profile.lines:
        parts.append(_hot(profile).text)
    more = len(profile.lines) - _HOT_LINES
    if more > 0:
        parts.append(f"{counted(more, 'more line')}: .lines has them")
    return "\n".join(parts)


def as_rich(profile: Profile) -> Group:
    """The tree of calls, the functions and the slowest lines for ``rich``."""
    from rich.console import Group
    from rich.text import Text
    from rich.tree import Tree

    tree = Tree(Text(caption(profile)))
    for node in profile.tree.largest_first():
        _grow(tree, profile, node, 0)
    lines = [*_shares(profile), *map(plain, profile.notes)]
    if profile.lines:
        lines.append(_hot(profile).text)
    return Group(tree, *map(Text, lines))


def _grow(tree: Tree, profile: Profile, node: Node, depth: int) -> None:
    from rich.text import Text

    share = node.seconds / profile.busy if profile.busy > 0 else 0.0
    if share < _WORTH or depth > _DEPTH:
        return
    where = f":{node.frame.line}" if node.frame is not None and node.frame.file else ""
    branch = tree.add(Text(f"{percent(share, 1):>7}  {one_line(node.name, _NAME)}{where}"))
    for child in node.largest_first():
        _grow(branch, profile, child, depth + 1)
