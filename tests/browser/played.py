"""A notebook in a JupyterLab of its own, for commands that take pictures of it."""

from __future__ import annotations

import io
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from PIL import Image
from playwright.sync_api import Locator, Page, ViewportSize, sync_playwright

from tests.browser.chromium import HOW, installed
from tests.browser.conftest import ARGUMENTS
from tests.browser.lab import Notebook, Server


def picture(seen: Page | Locator, colours: int) -> Image.Image:
    """What is seen now, in so few colours that it can be kept."""
    taken = Image.open(io.BytesIO(seen.screenshot())).convert("RGB")
    return taken.quantize(colours, dither=Image.Dither.NONE)


@contextmanager
def played(name: str, begin: str, size: ViewportSize) -> Iterator[Notebook]:
    """A notebook in a window of that size, whose first cell has run.

    Raises
    ------
    SystemExit
        If there is no Chromium.
    """
    chromium = installed()
    if chromium is None:
        raise SystemExit(HOW)
    with tempfile.TemporaryDirectory() as scratch:
        server = Server(Path(scratch))
        try:
            with sync_playwright() as playwright:
                browser = playwright.chromium.launch(executable_path=chromium, args=ARGUMENTS)
                page = browser.new_context(viewport=size).new_page()
                notebook = server.open(page, f"{name}.ipynb", [begin])
                notebook.start(0)
                notebook.finish(0)
                yield notebook
                page.evaluate(
                    "() => window.jupyterapp.shell.currentWidget.sessionContext.shutdown()"
                )
                browser.close()
        finally:
            server.stop()
