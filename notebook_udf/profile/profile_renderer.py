"""A profile in a notebook, as a page, and in a terminal."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from notebook_udf.plan.html import PAGE_STYLE
from notebook_udf.profile.call_tree import Node
from notebook_udf.profile.flame import flame_html, flame_svg, legend
from notebook_udf.sanitize import counted, one_line, plain
from notebook_udf.tables import text_table

if TYPE_CHECKING:
    from rich.console import Group
    from rich.tree import Tree

    from notebook_udf.profile.profile_result import Line, Profile

_CODE = "font-family:var(--jp-code-font-family, ui-monospace, Menlo, Consolas, monospace)"
_BAR = "#ff8a3d"
_QUIET = "opacity:.72"
_TEXT = 200
_NAME = 80
# A file is shown whole up to so many lines; of a longer one, lines beside those that took time.
_WHOLE = 120
_BESIDE = 3
_MOST_LINES = 400
_MOST_FILES = 8
_HOT_LINES = 12
# What a tree in a terminal is to show of a whole.
_WORTH = 0.01
_DEPTH = 24


def caption(profile: Profile) -> str:
    """What was seen, in one line."""
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
    """A sentence per function."""
    return [
        f"{one_line(each.function, _NAME) or 'between functions'}: {100 * each.share:.0f} %, "
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
    return f"{100 * part / whole:.0f} %" if whole > 0 else "0 %"


# HTML ------------------------------------------------------------------------------------------


def as_html(profile: Profile) -> str:
    """Flame graph and source as a fragment of a page, without script and style sheet."""
    return _document(profile, flame_html(profile))


def page(profile: Profile) -> str:
    """The same as a page that stands alone."""
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>Profile</title><style>{PAGE_STYLE}</style></head><body><main>"
        f"{_document(profile, flame_svg(profile) + legend())}</main></body></html>"
    )


def _document(profile: Profile, graph: str) -> str:
    said = "".join(
        f"<div>{escape(line)}</div>" for line in (*_shares(profile), *map(plain, profile.notes))
    )
    return (
        f'<div class="nu-profile" style="font-size:13px;line-height:1.5"><div style="{_QUIET}">'
        f"{escape(caption(profile))}</div>{said}{graph if profile.working else ''}"
        f"{_sources(profile)}</div>"
    )


def _sources(profile: Profile) -> str:
    by_file: dict[str, dict[int, Line]] = {}
    for line in profile.lines:
        by_file.setdefault(line.file, {})[line.line] = line
    shown = list(by_file.items())[:_MOST_FILES]
    made = "".join(_source(profile, file, lines) for file, lines in shown)
    more = len(by_file) - len(shown)
    return made + (f'<div style="{_QUIET}">{counted(more, "more file")}</div>' if more else "")


def _source(profile: Profile, file: str, lines: dict[int, Line]) -> str:
    texts = profile.texts.get(file, ())
    numbers = _numbers(len(texts), lines)
    rows, before = [], 0
    for number in numbers[:_MOST_LINES]:
        if before and number != before + 1:
            rows.append(f'<tr><td colspan="5" style="{_QUIET}">⋮</td></tr>')
        text = texts[number - 1] if number <= len(texts) else ""
        rows.append(_row(number, plain(text.rstrip("\n"), _TEXT), lines.get(number)))
        before = number
    cut = len(numbers) - _MOST_LINES
    rest = f'<div style="{_QUIET}">{counted(cut, "more line")}</div>' if cut > 0 else ""
    title = escape(one_line(profile.titles.get(file, file), _TEXT))
    return (
        f'<div style="margin-top:10px"><strong>{title}</strong></div>'
        f'<div style="overflow-x:auto" tabindex="0" role="region" aria-label="{title}">'
        f'<table style="border-collapse:collapse;{_CODE};font-size:13px"><thead><tr>'
        f'<th>line</th><th colspan="2">here</th>'
        f'<th style="white-space:nowrap">with calls</th>'
        f'<th style="text-align:left">code</th></tr></thead><tbody>{"".join(rows)}</tbody></table>'
        f"</div>{rest}"
    )


def _numbers(count: int, lines: dict[int, Line]) -> list[int]:
    if count and count <= _WHOLE:
        return list(range(1, count + 1))
    beside = {n for line in lines for n in range(line - _BESIDE, line + _BESIDE + 1)}
    return sorted(n for n in beside if 0 < n <= count or n in lines)


def _row(number: int, text: str, line: Line | None) -> str:
    here = there = bar = ""
    if line is not None:
        # The whole is what there was to do, so that bars of several files compare.
        here = f"{100 * line.share:.1f} %" if line.seconds else ""
        there = f"{line.total:.2f} s"
        width = round(100 * line.share)
        bar = (
            f'<div title="{line.seconds:.3f} s" style="height:12px;width:{width}px;'
            f'background:{_BAR}"></div>'
        )
    cell = 'style="text-align:right;white-space:nowrap;padding:0 8px 0 0"'
    return (
        f'<tr><td {cell}><span style="{_QUIET}">{number}</span></td>'
        f'<td style="padding:0"><div style="width:100px">{bar}</div></td>'
        f"<td {cell}>{here}</td><td {cell}>{there}</td>"
        f'<td style="text-align:left;padding:0"><code style="white-space:pre;'
        f'background:transparent">{escape(text)}</code></td></tr>'
    )


# Text ------------------------------------------------------------------------------------------

_HEAD = ("here", "with calls", "where", "code")


def _hot(profile: Profile) -> list[tuple[str, ...]]:
    return [
        (
            f"{100 * line.share:.1f} %",
            f"{line.total:.2f} s",
            one_line(f"{line.title}:{line.line}", _NAME),
            one_line(line.text.strip(), _NAME),
        )
        for line in profile.lines[:_HOT_LINES]
    ]


def as_text(profile: Profile) -> str:
    """The functions and the lines that took longest."""
    parts = [caption(profile), *_shares(profile), *map(plain, profile.notes)]
    if profile.lines:
        parts.append(text_table(_HEAD, _hot(profile)))
    more = len(profile.lines) - _HOT_LINES
    if more > 0:
        parts.append(f"{counted(more, 'more line')}: .lines has them")
    return "\n".join(parts)


def as_rich(profile: Profile) -> Group:
    """The same with the tree of calls."""
    from rich.console import Group
    from rich.text import Text
    from rich.tree import Tree

    tree = Tree(Text(caption(profile)))
    for node in profile.tree.largest_first():
        _grow(tree, profile, node, 0)
    lines = [*_shares(profile), *map(plain, profile.notes)]
    if profile.lines:
        lines.append(text_table(_HEAD, _hot(profile)))
    return Group(tree, *map(Text, lines))


def _grow(tree: Tree, profile: Profile, node: Node, depth: int) -> None:
    from rich.text import Text

    share = node.seconds / profile.busy if profile.busy > 0 else 0.0
    if share < _WORTH or depth > _DEPTH:
        return
    where = f":{node.frame.line}" if node.frame is not None and node.frame.file else ""
    branch = tree.add(Text(f"{100 * share:5.1f} %  {one_line(node.name, _NAME)}{where}"))
    for child in node.largest_first():
        _grow(branch, profile, child, depth + 1)


__all__ = ["as_html", "as_rich", "as_text", "caption", "page"]
