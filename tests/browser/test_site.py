"""The documentation site in a real browser: what readers search for is found, and nothing keeps
some of them out.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, BrowserContext, Page, ViewportSize, expect

from tests.browser.lab import ROOT, SHOTS
from tests.built_site import build_site

PAGES = (
    "index", "getting-started", "tour", "gallery", "tutorials/01-first-function",
    "functions/scalar", "how-to/troubleshoot", "explanation/when-it-is-fast", "figures",
    "reference/functions",
)  # fmt: skip
# Enough for the list of pages beside each.
WIDE: ViewportSize = {"width": 1400, "height": 1000}
TROUBLES = (ROOT / "docs" / "how-to" / "troubleshoot.md").read_text("utf-8")
# What a reader copies of an error: its class, and the first line that the page shows of it.
SECTIONS = re.findall(r"^### (\w+).*\n(?:(?!###).*\n)*?```text\n(.+)\n", TROUBLES, re.MULTILINE)
MESSAGES = [f"{name}: {line}" for name, line in SECTIONS]


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        """Says nothing of each request."""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of the site, built from this tree."""
    folder = tmp_path_factory.mktemp("site")
    build_site(folder)
    handler = partial(_Quiet, directory=str(folder))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        serving = threading.Thread(target=server.serve_forever)
        serving.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        serving.join()


@pytest.fixture(scope="module")
def page(context: BrowserContext) -> Iterator[Page]:
    made = context.new_page()
    made.set_viewport_size(WIDE)
    yield made
    made.close()


@pytest.mark.one_in(2)
@pytest.mark.parametrize("message", MESSAGES)
def test_a_message_leads_to_its_page(page: Page, site: str, message: str) -> None:
    """Two steps: the words into the search, and the link that is found."""
    page.goto(f"{site}/index.html")
    words = page.locator("input.md-search__input")
    words.click()
    expect(page.locator(".md-search-result__meta")).to_have_text("Type to start searching")
    words.fill(message)
    # The site looks at what is there when a key is let go, as after pasting.
    words.press("End")
    found = page.locator("a.md-search-result__link[href*='how-to/troubleshoot.html']").first
    found.click()
    expect(page).to_have_url(re.compile(r"how-to/troubleshoot\.html"))
    heading = page.get_by_role("heading", level=1)
    expect(heading).to_contain_text("What a message means")


@pytest.fixture(scope="module", params=["light", pytest.param("dark", marks=pytest.mark.thorough)])
def coloured(request: pytest.FixtureRequest, browser: Browser) -> Iterator[tuple[Page, str]]:
    """A page of a reader who likes that scheme, and has seen no other: the site remembers it."""
    context = browser.new_context(color_scheme=request.param, viewport=WIDE)
    page = context.new_page()
    yield page, request.param
    context.close()


@pytest.mark.one_in(2)
@pytest.mark.parametrize("name", PAGES)
def test_nothing_serious_for_axe(coloured: tuple[Page, str], site: str, name: str) -> None:
    page, scheme = coloured
    page.goto(f"{site}/{name}.html")
    expect(page.locator("article h1")).to_be_visible()
    expected = "slate" if scheme == "dark" else "default"
    expect(page.locator("body")).to_have_attribute("data-md-color-scheme", expected)
    SHOTS.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=SHOTS / f"site-{name.replace('/', '-')}-{scheme}.png")
    found = Axe().run(page).response["violations"]
    assert [
        f"{each['id']}: {each['nodes'][0]['html'][:200]}"
        for each in found
        if each["impact"] in ("serious", "critical")
    ] == []


def test_the_way_in_and_the_way_out(page: Page, site: str) -> None:
    """From the first page to what a PySpark program changes, and from there to taking it out."""
    page.goto(f"{site}/index.html")
    page.get_by_role("link", name="PySpark UDFs").first.click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("From PySpark UDFs")
    page.get_by_role("link", name="Add it and take it out").first.click()
    expect(page.get_by_role("heading", level=2, name="Take it out").first).to_be_attached()
