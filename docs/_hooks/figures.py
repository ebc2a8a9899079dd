"""Makes the page of measured figures from what the benchmarks wrote, and quotes it elsewhere.

``{{ figure: NAME }}`` on a page becomes what was measured under that name; a name that is not
there fails the build, so that no page can tell a figure nobody has measured.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files

ROOT = Path(__file__).resolve().parents[2]
# The benchmarks are no part of the package.
sys.path.insert(0, str(ROOT))

from benchmarks.results import read  # noqa: E402

RESULTS = ROOT / "benchmarks" / "RESULTS.md"
PAGE = "figures.md"
_QUOTED = re.compile(r"\{\{ figure: (.+?) \}\}")
_NOTE = """
!!! note "Where these come from"
    This page is made from `benchmarks/RESULTS.md` when the site is built; nothing on it is typed.
    `make bench` measures again. Each ratio compares two ways of doing the same thing in one run on
    one machine. A *bar* is what the figure has to clear, "none" is stated for comparison only.
    A ratio of seconds is "how many times faster", except where the figure says otherwise.
"""


def on_files(files: Files, config: Any) -> Files:
    """Adds the page."""
    title, _, rest = RESULTS.read_text("utf-8").partition("\n")
    files.append(File.generated(config, PAGE, content=f"{title}\n{_NOTE}\n{rest}"))
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

    return _QUOTED.sub(measured, markdown)


def figures() -> dict[str, str]:
    """What was measured, by the name of the figure."""
    return {row.figure: row.measured for row in read(RESULTS.read_text("utf-8"))}
