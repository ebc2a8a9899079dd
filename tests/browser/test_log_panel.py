"""The log as a reader uses it: a million lines, filters, search, colours, rows that failed."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.lab import Notebook

SPEAK = r"""
import logging

@nu.register(on_error="quarantine")
def speaks(i: int) -> int:
    if i == 7:
        logging.getLogger("mine").error("seven is next")
        raise ValueError("no sevens")
    if i == 8:
        print("<script>window.pwned = 1</script><img src=x onerror='window.pwned = 2'>")
        print("nul \x00 bidi \u202e and a lone \ud800 surrogate \x1b]0;title\x07")
        print("\x1b[31mred\x1b[0m \x1b[1;38;5;33mblue\x1b[0m plain")
        print("long " + "x" * 40_000)
    print(f"line of row {i}")
    return i

frame = spark.range(0, 400, 1, 1).select(speaks("id"))
frame.collect()
session.logs()"""

FILL = r"""
from notebook_udf.telemetry.records import LogLine, LogLines

def fill(lines, start=0, pid=4242, dropped=0):
    for at in range(start, start + lines, 10_000):
        made = tuple(
            LogLine(n + 1, 1.7e9 + n / 100, ("INFO", "INFO", "WARNING", "ERROR")[n % 4], "stdout",
                    f"f{n % 5}", n // 1000, n % 1000,
                    f"row {n} of the flood took {n * 37 % 1009} ms in partition {n % 16} of 16")
            for n in range(at, min(at + 10_000, start + lines))
        )
        session.store.apply(LogLines(pid, "77", made, dropped))
"""


@pytest.fixture(scope="module")
def cell(notebook: Notebook) -> int:
    notebook.run(FILL)
    return notebook.run(SPEAK)


@pytest.fixture
def panel(notebook: Notebook, cell: int) -> Locator:
    found = notebook.output(cell).locator(".nu-logs")
    expect(found.locator(".nu-line").first).to_be_attached()
    return found


def lines(panel: Locator) -> Locator:
    return panel.locator(".nu-line")


def test_lines_come_with_their_colours_and_as_text(panel: Locator, notebook: Notebook) -> None:
    search = panel.get_by_label("Search in the lines")
    search.fill("window.pwned")
    expect(lines(panel)).to_have_count(1)
    expect(lines(panel)).to_contain_text("<script>window.pwned = 1</script><img src=x")
    search.fill("red blue")
    red = lines(panel).locator("mark", has_text="red")
    expect(red).to_have_count(1)
    search.fill("plain")
    blue = lines(panel).get_by_text("blue")
    assert blue.evaluate("e => getComputedStyle(e).fontWeight") == "700"
    search.fill("lone")
    expect(lines(panel)).to_contain_text("nul ␀ bidi � and a lone")
    search.fill("")
    assert notebook.page.evaluate("() => window.pwned") is None


def test_a_line_leads_to_its_row_and_traceback(panel: Locator, notebook: Notebook) -> None:
    panel.get_by_label("Search in the lines").fill("seven is next")
    line = lines(panel)
    expect(line).to_have_count(1)
    expect(line).to_contain_text("✗ failed")
    line.click()
    details = panel.get_by_role("region", name="Details")
    expect(details).to_contain_text("row 8 of bundle 1")
    expect(details).to_contain_text("speaks: ValueError: no sevens")
    expect(details).to_contain_text('raise ValueError("no sevens")')
    expect(details.get_by_role("row", name="i 7")).to_be_visible()
    expect(details).to_contain_text("put into quarantine")
    notebook.shot("logs-failed", 2)
    panel.get_by_label("Close the details").click()
    panel.get_by_label("Search in the lines").fill("")
    panel.get_by_role("button", name="1 failed call").click()
    expect(details).to_contain_text("no sevens")
    panel.get_by_label("Close the details").click()


def test_a_failed_call_becomes_a_test(panel: Locator, notebook: Notebook) -> None:
    panel.get_by_role("button", name="1 failed call").click()
    details = panel.get_by_role("region", name="Details")
    capture = details.get_by_role("button", name="Capture a test of speaks")
    capture.press("Enter")
    expect(details.get_by_role("status")).to_contain_text("The test is written and run")
    said = details.get_by_text("test_speaks.py: 1 test of speaks, green")
    expect(said).to_be_visible(timeout=60_000)
    notebook.shot("logs-captured", 2)
    # What is there stays: the next one is another file.
    capture.click()
    expect(details.get_by_text("test_speaks_2.py: 1 test of speaks, green")).to_be_visible(
        timeout=60_000
    )
    panel.get_by_label("Close the details").click()


def test_a_long_line_is_cut_and_shown_below(panel: Locator) -> None:
    panel.get_by_label("Search in the lines").fill("long xxx")
    expect(lines(panel)).to_have_count(1)
    expect(lines(panel)).to_contain_text("more characters")
    lines(panel).click()
    whole = panel.locator(".nu-whole")
    expect(whole).to_contain_text("… (23,685 more characters)")
    panel.get_by_label("Close the details").click()
    panel.get_by_label("Search in the lines").fill("")


def test_filters_narrow_and_say_so(panel: Locator) -> None:
    panel.get_by_label("Level").select_option("ERROR")
    expect(lines(panel)).to_have_count(1)
    expect(panel.locator(".nu-status")).to_contain_text("1 of ")
    panel.get_by_label("Level").select_option("")
    panel.get_by_label("Function", exact=True).select_option("speaks")
    expect(panel.locator(".nu-status")).to_contain_text(re.compile(r"\d+ lines"))
    panel.get_by_label("Function", exact=True).select_option("")


def test_by_keyboard_alone(panel: Locator, notebook: Notebook) -> None:
    keyboard = notebook.page.keyboard
    search = panel.get_by_label("Search in the lines")
    search.focus()
    keyboard.type("row 3..$")
    expect(panel.get_by_text("0 found")).to_be_visible()
    keyboard.press("Tab")
    keyboard.press("Enter")
    expect(panel.get_by_text("100 found")).to_be_visible()
    search.focus()
    keyboard.press("Enter")
    expect(panel.get_by_text("1 of 100 found")).to_be_visible()
    keyboard.press("Enter")
    expect(panel.get_by_text("2 of 100 found")).to_be_visible()
    keyboard.press("Shift+Enter")
    expect(panel.get_by_text("1 of 100 found")).to_be_visible()
    panel.get_by_role("button", name="Only matches").press("Enter")
    expect(panel.locator("[aria-selected=true]")).to_contain_text("row 300")
    search.fill("")
    box = panel.get_by_role("listbox")
    box.focus()
    keyboard.press("Home")
    expect(lines(panel).first).to_contain_text("row 0")
    keyboard.press("ArrowDown")
    keyboard.press("Enter")
    expect(panel.get_by_role("region", name="Details")).to_be_visible()
    keyboard.press("Escape")
    expect(panel.get_by_role("region", name="Details")).to_have_count(0)
    keyboard.press("End")
    expect(lines(panel).last).to_contain_text("row 399")
    panel.get_by_role("button", name="Only matches").click()
    panel.get_by_label("Regular expression").click()
    # None of the keys was a command to the notebook.
    assert notebook.cells.count() == 3


def test_follows_until_scrolled_up_and_again_from_the_end(
    panel: Locator, notebook: Notebook
) -> None:
    box = panel.get_by_role("listbox")
    box.press("End")
    notebook.run("fill(3)")
    expect(lines(panel).last).to_contain_text("row 2 of the flood")
    box.hover()
    notebook.page.mouse.wheel(0, -600)
    expect(panel.get_by_text("paused")).to_be_visible()
    seen = lines(panel).nth(5).inner_text()
    notebook.run("fill(500, start=3, dropped=1234)")
    expect(panel.locator(".nu-status")).to_contain_text("1,234 dropped")
    assert lines(panel).nth(5).inner_text() == seen
    box.press("End")
    expect(lines(panel).last).to_contain_text("row 502 of the flood")
    notebook.run("fill(1, start=503 + 1234)")
    expect(lines(panel).last).to_contain_text("⋯ 1,234 not sent ⋯ row 1737 of the flood")


def test_saving_and_copying(panel: Locator, notebook: Notebook, tmp_path: Path) -> None:
    panel.get_by_label("Level").select_option("ERROR")
    panel.get_by_label("Search in the lines").fill("seven")
    expect(lines(panel)).to_have_count(1)
    with notebook.page.expect_download() as download:
        panel.get_by_role("button", name="Save").click()
    path = tmp_path / "log.txt"
    download.value.save_as(path)
    assert re.fullmatch(
        r"\d\d:\d\d:\d\d ERROR   \d+ speaks row 8: seven is next\n", path.read_text()
    )
    notebook.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    panel.get_by_role("button", name="Copy").click()
    expect(panel.get_by_text("1 line copied")).to_be_visible()
    assert notebook.page.evaluate("navigator.clipboard.readText()") == path.read_text()
    panel.get_by_label("Search in the lines").fill("")
    panel.get_by_label("Level").select_option("")


def test_wrapped_lines_reach_from_first_to_last(panel: Locator, notebook: Notebook) -> None:
    panel.get_by_role("button", name="Wrap").click()
    box = panel.get_by_role("listbox")
    box.press("End")
    expect(lines(panel).last).to_contain_text("row 1737 of the flood")
    last, view = lines(panel).last.bounding_box(), box.bounding_box()
    assert last
    assert view
    assert abs((last["y"] + last["height"]) - (view["y"] + view["height"])) < 2
    box.press("Home")
    expect(lines(panel).first).to_contain_text("row 0")
    panel.get_by_label("Search in the lines").fill("xxxx")
    notebook.shot("logs-wrapped", 2)
    panel.get_by_label("Search in the lines").fill("")
    panel.get_by_role("button", name="Wrap").click()


@pytest.mark.parametrize("dark", [False, True])
def test_nothing_serious_for_axe(panel: Locator, notebook: Notebook, dark: bool) -> None:
    notebook.dark(dark)
    panel.get_by_role("listbox").press("Home")
    lines(panel).nth(12).click()
    assert notebook.serious(".nu-logs") == []
    notebook.shot(f"logs-{'dark' if dark else 'light'}", 2)
    panel.get_by_label("Close the details").click()
    notebook.dark(False)


def test_narrow(panel: Locator, notebook: Notebook) -> None:
    with notebook.narrow(520):
        box = panel.bounding_box()
        assert box
        assert box["width"] < 440
        notebook.shot("logs-narrow", 2)


def test_the_static_twin_has_the_last_lines(panel: Locator, notebook: Notebook, cell: int) -> None:
    expect(panel).to_be_attached()
    notebook.run("%udf logs --level ERROR --text seven")
    shown = notebook.output(cell)
    expect(shown.locator(".nu-logs")).to_have_count(0)
    expect(shown.locator("pre")).to_contain_text("row 1737 of the flood")
    last = notebook.cells.count() - 1
    expect(notebook.output(last).locator(".nu-line")).to_have_count(1)
    expect(notebook.output(last).get_by_label("Search in the lines")).to_have_value("seven")


def test_a_page_that_is_loaded_again_has_all_lines(notebook: Notebook, cell: int) -> None:
    panel = notebook.output(notebook.run("session.logs()")).locator(".nu-logs")
    expect(panel.locator(".nu-line").last).to_contain_text("row 1737 of the flood")
    notebook.save()
    status = panel.locator(".nu-status").get_by_role("status").first
    lines_before = status.inner_text()
    notebook.page.reload()
    notebook.page.wait_for_selector(".jp-Notebook", timeout=60_000)
    notebook.wait_for_kernel()
    expect(status).to_have_text(lines_before, timeout=30_000)
    expect(panel.get_by_role("button", name="1 failed call")).to_be_visible()


def test_a_line_of_the_same_row_of_another_task_did_not_fail(notebook: Notebook) -> None:
    code = """
@nu.register(on_error="quarantine")
def fussy(i: int) -> int:
    if i % 10 == 7:
        print("a seven of ten")
    if i in (7, 77):
        raise ValueError("not this one")
    return i

spark.range(0, 80, 1, 8).select(fussy("id")).collect()
session.logs(function="fussy")"""
    panel = notebook.output(notebook.run(code)).locator(".nu-logs")
    panel.get_by_label("Search in the lines").fill("seven of ten")
    expect(lines(panel)).to_have_count(8)
    expect(lines(panel).filter(has_text="✗ failed")).to_have_count(2)
