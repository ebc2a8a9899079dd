"""Records the first minute with the package in a real JupyterLab: docs/images/first-minute.gif.

``python -m tests.browser.recording`` writes it, for the README and the site.
"""

from __future__ import annotations

from pathlib import Path

from PIL import Image
from playwright.sync_api import ViewportSize, expect

from tests.browser.lab import ROOT, Notebook
from tests.browser.played import picture, played

TARGET = ROOT / "docs" / "images" / "first-minute.gif"
SIZE: ViewportSize = {"width": 940, "height": 620}
COLOURS = 96
# Characters that are typed from one frame to the next, and how long such a frame is shown.
TYPED, TYPED_MS = 14, 110

BEGIN = """\
%load_ext notebook_udf
import notebook_udf as nu
from notebook_udf.samples import load_flights

session = nu.session()
tables = load_flights(session)"""

FUNCTION = '''\
%%udf
import re

def suffix(tailnum: str) -> str:
    """The letters at the end of an aircraft's registration."""
    return re.fullmatch(r"N\\d+([A-Z]*)", tailnum).group(1)'''

QUERY = """\
%%sparksql
SELECT suffix(tailnum) AS letters, count(*) AS flights
FROM flights WHERE tailnum IS NOT NULL
GROUP BY 1 ORDER BY 2 DESC LIMIT 4"""

REPLAY = 'session.replay("suffix")'

MENDED = """\
%%udf
import re

def suffix(tailnum: str) -> str | None:
    found = re.fullmatch(r"N\\d+([A-Z]*)", tailnum)
    return found.group(1) if found else None"""


class Recording:
    """Pictures of a notebook, each with the milliseconds that it is shown."""

    def __init__(self, notebook: Notebook) -> None:
        self._notebook = notebook
        self._frames: list[tuple[Image.Image, int]] = []

    def shoot(self, milliseconds: int) -> None:
        """Takes a picture."""
        self._frames.append((picture(self._notebook.page, COLOURS), milliseconds))

    def type(self, code: str) -> int:
        """Types a cell at the end; returns its number."""
        cell = self._notebook.add("")
        for end in [*range(TYPED, len(code), TYPED), len(code)]:
            self._notebook.page.evaluate(
                "text => { const model = window.jupyterapp.shell.currentWidget.content.model;"
                " model.sharedModel.cells.at(-1).setSource(text); }",
                code[:end],
            )
            self._notebook.cells.nth(cell).scroll_into_view_if_needed()
            self.shoot(TYPED_MS)
        return cell

    def run(self, code: str, milliseconds: int) -> None:
        """Types a cell, runs it, and shows what it gave."""
        cell = self.type(code)
        self._notebook.start(cell)
        self._notebook.finish(cell)
        output = self._notebook.output(cell).last
        expect(output).to_be_visible()
        output.scroll_into_view_if_needed()
        self.shoot(milliseconds)

    def save(self, path: Path) -> None:
        """Writes the pictures as one that moves."""
        (first, shown), *others = self._frames
        path.parent.mkdir(parents=True, exist_ok=True)
        first.save(
            path,
            save_all=True,
            append_images=[frame for frame, _ in others],
            duration=[shown, *(each for _, each in others)],
            loop=0,
            optimize=True,
        )


def record() -> None:
    """Plays the story, and writes the recording of it."""
    with played("first-minute", BEGIN, SIZE) as notebook:
        recording = Recording(notebook)
        recording.shoot(900)
        recording.run(FUNCTION, 1_300)
        recording.run(QUERY, 4_500)
        recording.run(REPLAY, 3_000)
        recording.run(MENDED, 1_300)
        recording.run(QUERY, 5_000)
        recording.save(TARGET)


if __name__ == "__main__":
    record()
    print(f"{TARGET}: {TARGET.stat().st_size:,} bytes")
