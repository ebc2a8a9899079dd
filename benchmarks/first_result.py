"""From an empty machine to the first result of a function of one's own: pip, and three actions.

The actions: `notebook-udf lab`, the tutorial's first cell, a `%%udf` cell with `--try`. An empty
home, a new virtual environment, nothing from pip's cache, and no Java in sight.
"""

from __future__ import annotations

import json
import os
import secrets
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import psutil
from playwright.sync_api import expect, sync_playwright

from benchmarks.measure import Figure
from notebook_udf.cli import COPY
from notebook_udf.tutorials import FIRST
from tests.browser.chromium import HOW, installed
from tests.browser.conftest import ARGUMENTS
from tests.browser.lab import SECONDS, Notebook

ROOT = Path(__file__).resolve().parents[1]
_ABSENT = {"java", "javac", "python", "python3", "pip", "jupyter", "notebook-udf"}
OWN = """%%udf --try "SELECT distance FROM flights"
def haul(miles: int) -> str:
    return "short" if miles < 800 else "long"
"""


def run() -> list[Figure]:
    """Once: what is measured is mostly the network and the start of programs."""
    chromium = installed()
    if chromium is None:
        raise RuntimeError(HOW)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        wheel = _wheel(folder / "wheel")
        begun = time.monotonic()
        subprocess.check_call([sys.executable, "-m", "venv", folder / "venv"])
        pip = [str(folder / "venv/bin/pip"), "install", "--quiet", "--no-cache-dir", str(wheel)]
        subprocess.check_call(pip, env=_environment(folder))
        installed_after = time.monotonic() - begun
        seconds = _three_actions(folder, chromium)
    return [
        Figure(
            "From nothing to installed, by pip from PyPI",
            installed_after,
            "s",
            "none",
            True,
            "a new virtual environment, nothing cached",
        ),
        Figure(
            "From there to the first own function's result, three actions",
            seconds,
            "s",
            "none",
            True,
            "notebook-udf lab, the tutorial's first cell, a %%udf cell with --try; without Java",
        ),
    ]


def _wheel(folder: Path) -> Path:
    pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "-w"]
    subprocess.check_call([*pip, str(folder), str(ROOT)])
    (wheel,) = folder.glob("*.whl")
    return wheel


def _environment(folder: Path) -> dict[str, str]:
    """The machine's own, but for Java and what Python and Jupyter were told."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("JUPYTER", "PYTHON", "JAVA", "SPARK", "VIRTUAL_ENV"))
    }
    programs = folder / "bin"
    if not programs.exists():
        programs.mkdir()
        # The first of a name counts, as on PATH.
        for place in reversed(os.environ["PATH"].split(os.pathsep)):
            for program in Path(place).glob("*"):
                if program.name not in _ABSENT:
                    link = programs / program.name
                    link.unlink(missing_ok=True)
                    link.symlink_to(program)
    return kept | {"HOME": str(folder), "PATH": f"{folder / 'venv/bin'}:{programs}"}


def _three_actions(folder: Path, chromium: str) -> float:
    token = secrets.token_hex(16)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    settings = {
        "ServerApp": {"allow_root": True, "port": port, "port_retries": 0},
        "IdentityProvider": {"token": token},
        "LabApp": {"expose_app_in_browser": True},
    }
    (folder / ".jupyter").mkdir()
    (folder / ".jupyter/jupyter_server_config.json").write_text(json.dumps(settings))
    address = f"http://127.0.0.1:{port}/lab/tree/{FIRST}?token={token}"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=ARGUMENTS)
        page = browser.new_page(viewport={"width": 1200, "height": 1000})
        begun = time.monotonic()
        command = [str(folder / "venv/bin/notebook-udf"), "lab", "--no-browser"]
        with open(folder / "server.log", "wb") as log:
            server = subprocess.Popen(
                command, cwd=folder, env=_environment(folder), stdout=log, stderr=log
            )
        try:
            while not _open(port):
                if server.poll() is not None or time.monotonic() - begun > SECONDS:
                    raise RuntimeError((folder / "server.log").read_text())
                time.sleep(0.05)
            page.goto(address)
            page.wait_for_selector(".jp-Notebook", timeout=SECONDS * 1000)
            notebook = Notebook(page, folder / COPY / FIRST)
            notebook.wait_for_kernel()
            notebook.start(0)
            notebook.finish(0)
            cell = notebook.run(OWN)
            expect(notebook.output(cell).last).to_contain_text("haul", timeout=SECONDS * 1000)
            return time.monotonic() - begun
        finally:
            browser.close()
            _end(server)


def _open(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def _end(server: subprocess.Popen[bytes]) -> None:
    below = psutil.Process(server.pid).children(recursive=True)
    server.terminate()
    server.wait(timeout=30)
    psutil.wait_procs(below, timeout=30)
