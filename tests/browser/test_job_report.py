"""A report opened years later: no network, no kernel, by keyboard, in the dark as well."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect

import notebook_udf as nu
from tests.browser.lab import SHOTS

LINES = 300


@pytest.fixture(scope="module")
def report(session: nu.Session, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file of a report with all that one can have."""
    path = tmp_path_factory.mktemp("report") / "night.html"

    def reported(x: int) -> int:
        print(f"line {x} </script><script>window.pwned = 1</script> \x1b[31mred\x1b[0m")
        return 10 // (x - 7)

    with nu.report(path):
        session.register_function("reported", reported, on_error="null")
        rows = f"range(0, {LINES}, 1, 2)"
        session.sql(f"SELECT id % 3 AS k, sum(reported(id)) FROM {rows} GROUP BY 1").collect()
    return path


@pytest.fixture
def page(browser: Browser, report: Path, request: pytest.FixtureRequest) -> Iterator[Page]:
    """The file in a browser without network; a request or an error in it fails the test."""
    asked: list[str] = []
    said: list[str] = []
    context = browser.new_context(
        viewport={"width": 1200, "height": 900}, offline=True, **getattr(request, "param", {})
    )
    opened = context.new_page()
    opened.on("request", lambda each: asked.append(each.url))
    opened.on("console", lambda each: said.append(each.text))
    opened.on("pageerror", lambda each: said.append(str(each)))
    opened.goto(report.as_uri())
    yield opened
    assert opened.evaluate("() => window.pwned") is None
    context.close()
    assert asked == [report.as_uri()]
    assert said == []


def test_the_log_is_searched_by_keyboard(page: Page) -> None:
    lines = page.locator("#log li")
    expect(lines.locator("visible=true")).to_have_count(LINES)
    page.keyboard.press("/")
    search = page.get_by_label("Search", exact=True)
    expect(search).to_be_focused()
    assert search.evaluate("each => getComputedStyle(each).outlineWidth") == "3px"
    page.keyboard.type("LINE 29")
    expect(lines.locator("visible=true")).to_have_count(11)
    expect(page.locator("#search-said")).to_have_text(f"11 of {LINES} lines")
    page.keyboard.press("Enter")
    expect(page.get_by_role("group", name="Log lines")).to_be_focused()
    SHOTS.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=SHOTS / "report-searched.png")
    page.keyboard.press("/")
    page.keyboard.press("Escape")
    expect(lines.locator("visible=true")).to_have_count(LINES)
    page.get_by_label("Level").focus()
    page.keyboard.press("End")
    expect(lines.locator("visible=true")).to_have_count(0)


def test_its_parts_are_reached_by_keyboard(page: Page) -> None:
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to the report")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("main")).to_be_focused()
    expect(page.get_by_role("heading", level=1)).to_have_count(1)
    for name in ("Failed calls", "Queries", "Functions", "Workers", "Logs"):
        expect(page.get_by_role("region", name=name)).to_be_visible()
    query = page.locator("summary", has_text="Query").first
    query.focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("group", name="Plan of query").first).to_be_visible()
    assert page.locator("table:not(:has(caption))").locator("visible=true").count() == 0


SCHEMES = [{"color_scheme": "light"}, {"color_scheme": "dark"}]


@pytest.mark.parametrize("page", SCHEMES, indirect=True)
def test_nothing_serious_for_axe_with_all_unfolded(page: Page) -> None:
    page.evaluate(
        "() => { for (const each of document.querySelectorAll('details')) each.open = true; }"
    )
    found = Axe().run(page).response["violations"]
    serious = [each["id"] for each in found if each["impact"] in ("serious", "critical")]
    assert serious == []
    SHOTS.mkdir(parents=True, exist_ok=True)
    dark = page.evaluate("() => matchMedia('(prefers-color-scheme: dark)').matches")
    page.screenshot(path=SHOTS / f"report-{'dark' if dark else 'light'}.png", full_page=True)


def test_without_scripts_all_of_it_can_be_read(browser: Browser, report: Path) -> None:
    context = browser.new_context(java_script_enabled=False, offline=True)
    opened = context.new_page()
    opened.goto(report.as_uri())
    expect(opened.locator("#log li").locator("visible=true")).to_have_count(LINES)
    expect(opened.get_by_role("search")).to_have_count(0)
    context.close()
