"""One browser and one server for all tests in here; each module has notebooks of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from tests.browser.chromium import HOW, installed
from tests.browser.lab import Notebook, Server

ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"]

Opened = Callable[[str], Notebook]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    chromium = installed()
    assert chromium, HOW
    # Ended with the module: while it lives, nobody else can run an event loop in this thread.
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=chromium, args=ARGUMENTS)
        yield running
        running.close()


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    running = Server(tmp_path_factory.mktemp("lab"))
    yield running
    running.stop()


@pytest.fixture(scope="module")
def context(browser: Browser) -> Iterator[BrowserContext]:
    made = browser.new_context(viewport={"width": 1200, "height": 1000}, accept_downloads=True)
    yield made
    made.close()


@pytest.fixture(scope="module")
def notebook(
    request: pytest.FixtureRequest, server: Server, context: BrowserContext
) -> Iterator[Notebook]:
    """A notebook with a session in its kernel, for the tests of a module to add cells to.

    A module whose session is another one says how it begins in ``BEGIN``.
    """
    page: Page = context.new_page()
    name = request.module.__name__.rpartition(".")[2]
    opened = server.open(page, f"{name}.ipynb", [getattr(request.module, "BEGIN", BEGIN)])
    opened.start(0)
    opened.finish(0)
    yield opened
    opened.save()
    page.evaluate("() => window.jupyterapp.shell.currentWidget.sessionContext.shutdown()")
    page.close()


BEGIN = """\
%load_ext notebook_udf
import notebook_udf as nu
session = nu.session(workers=2, conf={"spark.sql.shuffle.partitions": "2"})
spark = session.spark"""
