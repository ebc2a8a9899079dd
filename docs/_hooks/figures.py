"""Makes the page of measured figures from what the benchmarks wrote, and quotes it elsewhere.

``{{ figure: NAME }}`` on a page becomes what was measured under that name; a name that is not
there fails the build, so that no page can tell a figure nobody has measured.
"""

from __future__ import annotations

import itertools
import re
import sys
from pathlib import Path
from typing import Any

from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files
from plain_figures import plain

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / "benchmarks" / "RESULTS.md"
PAGE = "figures.md"
_QUOTED = re.compile(r"\{\{ figure: (.+?) \}\}")
_NOTE = """
!!! note "Where these come from"
    This page is made from `benchmarks/RESULTS.md` when the site is built; nothing on it is typed.
    `make bench` measures again. A ratio compares two ways of doing the same thing in one run on one
    machine, and says how many times faster ours is, except where its name says otherwise. A share
    with *more* or *less* says how much more time, or how much else of what is named, was needed. A
    *bar* is what the figure has to clear. Without one it is stated for comparison.
"""

sys.path.insert(0, str(ROOT))


def on_files(files: Files, config: Any) -> Files:
    """Adds the page."""
    files.append(File.generated(config, PAGE, content=_page()))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Puts figures in the place of their names."""

    def measured(found: re.Match[str]) -> str:
        try:
            return figures()[found[1]]
        except KeyError:
            raise PluginError(
                f"{page.file.src_uri} quotes {found[1]!r}, which is not in {RESULTS.name}"
            ) from None

    quoted = _QUOTED.sub(measured, markdown).replace("{{ rivals }}", _rivals())
    return quoted.replace("{{ bars not cleared }}", "\n".join(f"- {each}" for each in _missed()))


def _missed() -> list[str]:
    """The figures that do not clear their bars."""
    missed = [row for row in _rows() if row.cleared != "yes"]
    return ["{} ({}, wanted {})".format(*_said(row), row.bar) for row in missed]


def _rivals() -> str:
    """The comparison with other engines as it was measured last, and on what."""
    from benchmarks.rivals.report import as_markdown

    rows = [row for row in _rows() if row.benchmark == "rivals"]
    if not rows:
        return "*Not measured yet.*"
    first = rows[0]
    return f"Measured on {first.on}: {first.detail}.\n\n{as_markdown(rows)}"


def figures() -> dict[str, str]:
    """What was measured, by the name of the figure."""
    return {row.figure: row.measured for row in _rows()}


def _rows() -> list[Any]:
    from benchmarks.results import read

    return read(RESULTS.read_text("utf-8"))


def _said(row: Any) -> tuple[str, str]:
    return plain(row.figure, row.measured)


def _page() -> str:
    title, _, rest = RESULTS.read_text("utf-8").partition("\n")
    introduction = rest.partition("\n|")[0].strip()
    rows = _rows()
    parts = [title, _NOTE, introduction]
    if missed := _missed():
        parts.append(f"**Bars that are not cleared:** {'; '.join(missed)}.")
    for benchmark, group in itertools.groupby(rows, key=lambda row: row.benchmark):
        # Each is of this benchmark, as the heading says.
        lines = [f"| {' | '.join((*_said(row), *row[3:]))} |" for row in group]
        head = "| figure | measured | bar | cleared | detail | on |\n|---|---|---|---|---|---|"
        parts.append("\n".join([f"## {benchmark.capitalize()}", "", head, *lines]))
    return "\n\n".join(parts) + "\n"
