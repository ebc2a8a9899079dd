"""A JupyterLab that serves notebooks to a browser, and a notebook in it as a reader uses it."""

from __future__ import annotations

import json
import os
import re
import secrets
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import nbformat
import psutil
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Locator, Page, expect

ROOT = Path(__file__).resolve().parents[2]
EXTENSIONS = ROOT / "extension" / "build" / "labextensions"
SHOTS = ROOT / "build" / "screenshots"
SECONDS = 90.0
_SETTINGS = {
    # Cells that are out of sight have no outputs to look at otherwise.
    "notebook-extension/tracker": {"windowingMode": "none", "recordTiming": False},
    "apputils-extension/notification": {"fetchNews": "false", "checkForUpdates": False},
}


class Server:
    """A Jupyter server with an empty home, in a folder of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.token = secrets.token_hex(16)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self.url = f"http://127.0.0.1:{port}"
        home = folder / "home"
        for name, values in _SETTINGS.items():
            path = home / ".jupyter/lab/user-settings/@jupyterlab" / f"{name}.jupyterlab-settings"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(json.dumps(values))
        self.books = folder / "books"
        self.books.mkdir()
        environment = {k: v for k, v in os.environ.items() if not k.startswith("JUPYTER")}
        environment["HOME"] = str(home)
        environment["PYTHONPATH"] = os.pathsep.join(
            filter(None, [str(ROOT), os.environ.get("PYTHONPATH")])
        )
        command = [
            sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root", f"--port={port}",
            "--ServerApp.port_retries=0", "--LabApp.expose_app_in_browser=True",
            "--JupyterNotebookApp.expose_app_in_browser=True",
            f"--IdentityProvider.token={self.token}", f"--ServerApp.root_dir={self.books}",
            f"--LabApp.extra_labextensions_path={EXTENSIONS}",
        ]  # fmt: skip
        with open(folder / "server.log", "wb") as log:
            self.process = subprocess.Popen(
                command, cwd=self.books, env=environment, stdout=log, stderr=log
            )
        self._wait()

    def _wait(self) -> None:
        deadline = time.monotonic() + SECONDS
        while True:
            try:
                urllib.request.urlopen(f"{self.url}/api?token={self.token}", timeout=5).close()
                return
            except (urllib.error.URLError, ConnectionError):
                said = (self.folder / "server.log").read_text()
                assert self.process.poll() is None, said
                assert time.monotonic() < deadline, said
                time.sleep(0.2)

    def _put_away(self, lost: Locator) -> None:
        self._wait()
        print("JupyterLab lost a request; the server answers", file=sys.stderr)
        lost.get_by_role("button").last.click()

    def stop(self) -> None:
        """Ends it with its kernels; nothing they started may live on."""
        below = psutil.Process(self.process.pid).children(recursive=True)
        self.process.terminate()
        self.process.wait(timeout=30)
        _, alive = psutil.wait_procs(below, timeout=30)
        assert not alive, f"processes left behind by the server: {alive}"

    def open(self, page: Page, name: str, cells: list[str] | None = None) -> Notebook:
        """Opens a notebook in JupyterLab, made of these cells if any are given."""
        if cells is not None:
            book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(c) for c in cells])
            book.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3"}
            nbformat.write(book, self.books / name)
        # One request that a busy machine dropped is enough for it, and it covers the page. It is
        # put away as a reader would, if it is true that the server is there.
        lost = page.get_by_role("dialog").filter(has_text="Server Connection Error")
        page.add_locator_handler(lost, self._put_away)
        page.goto(f"{self.url}/lab/tree/{name}?token={self.token}&reset")
        page.wait_for_selector(".jp-Notebook", timeout=SECONDS * 1000)
        notebook = Notebook(page, self.books / name)
        notebook.wait_for_kernel()
        page.keyboard.press("Control+b")
        return notebook


class Notebook:
    """A notebook that is open in a page of JupyterLab."""

    def __init__(self, page: Page, path: Path) -> None:
        self.page = page
        self.path = path

    def wait_for_kernel(self) -> None:
        """Waits until the kernel is idle for the first time."""
        self.page.wait_for_function(
            "() => window.jupyterapp?.shell.currentWidget?.sessionContext?.session?.kernel?.status"
            " === 'idle'",
            timeout=SECONDS * 1000,
        )

    @property
    def cells(self) -> Locator:
        """The code cells."""
        return self.page.locator(".jp-NotebookPanel:not(.lm-mod-hidden) .jp-CodeCell")

    def output(self, cell: int) -> Locator:
        """What is shown below a cell."""
        return self.cells.nth(cell).locator(".jp-OutputArea-output")

    def add(self, code: str) -> int:
        """Adds a cell at the end; returns its number."""
        self.page.evaluate(
            "code => { const model = window.jupyterapp.shell.currentWidget.content.model;"
            " model.sharedModel.addCell({cell_type: 'code', source: code}); }",
            code,
        )
        return self.cells.count() - 1

    def start(self, cell: int) -> None:
        """Starts a cell as Shift+Enter does."""
        self.cells.nth(cell).scroll_into_view_if_needed()
        self.cells.nth(cell).locator(".jp-InputPrompt").click()
        self.page.keyboard.press("Control+Enter")

    def finish(self, cell: int, timeout: float = SECONDS) -> None:
        """Waits until a cell has ended."""
        prompt = self.cells.nth(cell).locator(".jp-InputPrompt")
        expect(prompt).to_have_text(re.compile(r"\[\d+\]:"), timeout=timeout * 1000)

    def run(self, code: str, timeout: float = SECONDS) -> int:
        """Adds a cell, runs it to its end; returns its number."""
        cell = self.add(code)
        self.start(cell)
        self.finish(cell, timeout)
        return cell

    def text(self, cell: int) -> str:
        """What a reader reads below a cell."""
        return "\n".join(self.output(cell).all_inner_texts())

    def save(self) -> None:
        """Saves it, with the state of its widgets as JupyterLab does by itself."""
        self.page.evaluate("() => window.jupyterapp.commands.execute('docmanager:save')")

    def dark(self, dark: bool = True) -> None:
        """Changes JupyterLab's theme."""
        name = "JupyterLab Dark" if dark else "JupyterLab Light"
        self.page.evaluate(
            "theme => window.jupyterapp.commands.execute('apputils:change-theme', {theme})", name
        )
        self.page.wait_for_function(
            "light => document.body.dataset.jpThemeLight === light", arg=str(not dark).lower()
        )
        # It fades away, and what is below it shines through until then.
        expect(self.page.locator("#jupyterlab-splash")).to_have_count(0)

    @contextmanager
    def narrow(self, width: int) -> Iterator[None]:
        """A window of so many pixels, for as long as it lasts."""
        before = self.page.viewport_size
        assert before
        self.page.set_viewport_size({"width": width, "height": before["height"]})
        try:
            yield
        finally:
            self.page.set_viewport_size(before)

    def serious(self, panel: str) -> list[str]:
        """What axe-core calls serious or critical in the panel of that selector."""
        found = Axe().run(self.page, context=panel).response["violations"]
        return [
            f"{each['id']}: {each['nodes'][0]['html'][:200]}"
            for each in found
            if each["impact"] in ("serious", "critical")
        ]

    def shot(self, name: str, cell: int | None = None) -> None:
        """Keeps a picture of the page, or of one cell."""
        SHOTS.mkdir(parents=True, exist_ok=True)
        seen = self.page if cell is None else self.cells.nth(cell)
        seen.screenshot(path=SHOTS / f"{name}.png")
