"""The plan explorer as a reader uses it: by mouse, by keyboard, light and dark, narrow and wide."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.lab import Notebook

PREPARED = """\
@nu.register(compile=False)
def twice(x: int) -> int:
    return 2 * x
spark.range(0, 1000, 1, 4).selectExpr("id", "id % 3 AS k").createOrReplaceTempView("rows")
QUERY = "SELECT k, sum(twice(id)) AS s FROM rows GROUP BY k"
frame = session.sql(QUERY)
_ = frame.collect()"""
HOSTILE = """\
@nu.register(compile=False)
def alert(x: int) -> int:
    "<img src=x onerror=window.executed=1>"
    return x
odd = "</script><script>window.executed=1</script>"
spark.range(5).createOrReplaceTempView("few")
session.plan(f"SELECT alert(id) AS `{odd}`, '{odd}' AS t, '\\x1b[31m' AS u FROM few")"""
IN_JAVA = """\
@nu.register
def thrice(x: int) -> int:
    return 3 * x
assert session.java.wait(60)
compiled = session.sql("SELECT k, sum(thrice(id)) AS s FROM rows GROUP BY k")
_ = compiled.collect()"""
WAITS = """\
import os, pathlib, tempfile
go = pathlib.Path(tempfile.mkdtemp()) / "go"
@nu.register
def held(x: int) -> int:
    import os, time
    while x > 500 and not os.path.exists(go):
        time.sleep(0.01)
    return x
waiting = session.sql("SELECT k, sum(held(id)) AS s FROM rows GROUP BY k")
session.plan(waiting)"""


@pytest.fixture(scope="module")
def prepared(notebook: Notebook) -> Notebook:
    notebook.run(PREPARED)
    return notebook


@pytest.fixture
def panel(prepared: Notebook) -> Locator:
    """The explorer of a query that ran; the newest is the only one that is live."""
    cell = prepared.run("session.plan(frame)")
    shown = prepared.output(cell).locator(".nu-plan")
    expect(shown.locator(".nu-operator").first).to_be_visible()
    return shown


def expect_chosen(panel: Locator, node: str) -> None:
    """Waits until an operator is chosen, by its number; "" for none."""
    found = panel.locator(".nu-operator[aria-pressed=true]")
    if node:
        expect(found).to_have_attribute("data-node", node)
    else:
        expect(found).to_have_count(0)


def test_shows_operators_functions_and_rows(prepared: Notebook, panel: Locator) -> None:
    expect(panel.locator(".nu-operator.nu-python")).to_have_count(1)
    expect(panel.locator(".nu-operator.nu-python .nu-function")).to_have_text("twice v1")
    expect(panel.locator(".nu-stream text").filter(has_text="1.0 k").first).to_be_visible()
    prepared.shot("plan", prepared.cells.count() - 1)


def test_mouse(panel: Locator) -> None:
    panel.locator(".nu-operator.nu-python").click()
    details = panel.get_by_role("region", name="Details")
    expect(details).to_contain_text("1,000 in, 1,000 out")
    details.get_by_text("code", exact=True).click()
    expect(details.locator("pre")).to_contain_text("return 2 * x")
    before = panel.locator("svg.nu-graph > g").get_attribute("transform")
    panel.get_by_role("button", name="Larger").click()
    after = panel.locator("svg.nu-graph > g").get_attribute("transform")
    assert before != after
    panel.get_by_role("button", name="Fit").click()
    count = panel.locator(".nu-operator").count()
    panel.locator(".nu-operator").first.dblclick()
    expect(panel.locator(".nu-operator")).to_have_count(1)
    expect(panel.locator(".nu-hidden")).to_have_text(f"{count - 1} folded")


def test_keyboard(panel: Locator) -> None:
    page = panel.page
    panel.locator(".nu-operator").first.focus()
    expect_chosen(panel, "0")
    page.keyboard.press("ArrowDown")
    expect_chosen(panel, "1")
    page.keyboard.press("ArrowUp")
    expect_chosen(panel, "0")
    page.keyboard.press("Enter")
    expect(panel.locator(".nu-operator")).to_have_count(1)
    page.keyboard.press(" ")
    page.keyboard.press("Escape")
    expect_chosen(panel, "")
    search = panel.get_by_role("searchbox")
    search.fill("TWICE")
    expect(panel.locator(".nu-search [role=status]")).to_have_text(re.compile(r"[1-9] found"))
    search.press("Enter")
    expect(panel.locator(".nu-operator[aria-pressed=true]")).to_have_count(1)
    panel.get_by_role("tab", name="Physical plan").focus()
    page.keyboard.press("ArrowRight")
    expect(panel.get_by_role("region", name="Logical plan")).to_contain_text("Aggregate")
    page.keyboard.press("ArrowRight")
    expect(panel.get_by_role("region", name="SQL")).to_contain_text("SELECT k, sum(twice(id))")


# Two keys within one frame, as they come from a key that is held down on a busy machine.
TWO_KEYS = """async svg => {
  const chosen = () => svg.querySelector("[aria-pressed=true]").dataset.node;
  const press = key =>
    svg.querySelector(".nu-operator").dispatchEvent(
      new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
  const frames = async () => {
    for (let at = 0; at < 3; at++) await new Promise(done => requestAnimationFrame(done));
  };
  await frames();
  press("ArrowDown");
  while (chosen() !== "1") await Promise.resolve();
  press("ArrowUp");
  await frames();
  return chosen();
}"""


def test_a_second_key_before_the_focus_has_followed_the_first(panel: Locator) -> None:
    panel.locator(".nu-operator").first.focus()
    expect_chosen(panel, "0")
    assert panel.locator("svg.nu-graph").evaluate(TWO_KEYS) == "0"


def test_exports_open_without_a_kernel(panel: Locator, tmp_path: Path) -> None:
    page = panel.page
    with page.expect_download() as picture:
        panel.get_by_role("button", name="SVG").click()
    svg = Path(picture.value.path()).read_text()
    assert svg.startswith("<svg")
    assert "twice v1" in svg
    with page.expect_download() as saved:
        panel.get_by_role("button", name="HTML").click()
    saved.value.save_as(tmp_path / "plan.html")
    alone = page.context.new_page()
    alone.context.set_offline(True)
    try:
        alone.goto((tmp_path / "plan.html").as_uri())
        alone.locator(".nu-operator.nu-python").click()
        expect(alone.get_by_role("region", name="Details")).to_contain_text("1,000 in")
    finally:
        alone.context.set_offline(False)
        alone.close()


def test_python_writes_the_same_page(prepared: Notebook, context: Page) -> None:
    prepared.run("open('alone.html', 'w').write(session.plan(frame).to_html())")
    alone = context.new_page()
    alone.goto((prepared.path.parent / "alone.html").as_uri())
    expect(alone.locator(".nu-operator.nu-python")).to_have_count(1)
    alone.close()


def test_follows_a_run_while_the_cell_blocks(prepared: Notebook) -> None:
    cell = prepared.run(WAITS)
    panel = prepared.output(cell).locator(".nu-plan")
    expect(panel.locator("strong[role=status]")).to_have_text("not run")
    running = prepared.add("_ = waiting.collect()")
    prepared.start(running)
    expect(panel.locator("strong[role=status]")).to_have_text(
        re.compile(r"running \d+"), timeout=20_000
    )
    expect(prepared.cells.nth(running).locator(".jp-InputPrompt")).to_have_text("[*]:")
    prepared.shot("plan-running", cell)
    prepared.page.evaluate(INTERRUPT)
    prepared.finish(running)
    expect(panel.locator("strong[role=status]")).to_have_text(
        re.compile(r"failed run \d+"), timeout=20_000
    )


INTERRUPT = "() => window.jupyterapp.commands.execute('notebook:interrupt-kernel')"


def test_a_function_in_the_jvm_is_shown_where_it_is_called(prepared: Notebook) -> None:
    prepared.run(IN_JAVA)
    cell = prepared.run("session.plan(compiled)")
    panel = prepared.output(cell).locator(".nu-plan")
    expect(panel.locator(".nu-operator.nu-python .nu-function")).to_have_text("thrice v1")
    panel.locator(".nu-operator.nu-python").click()
    details = panel.get_by_role("region", name="Details")
    expect(details).to_contain_text("1,000 in, 1,000 out")
    expect(details).to_contain_text("in Spark's JVM")
    prepared.shot("plan-jvm", cell)
    cell = prepared.run("session.metrics()")
    slowest = prepared.output(cell).get_by_role("region", name="Slowest bundles")
    # The task is its only bundle.
    expect(slowest.locator("tbody tr").first.locator("td").nth(2)).to_have_text("Spark's JVM")
    expect(slowest.locator("tbody tr").first.locator("td").nth(5)).to_have_text("–")


def test_two_plans(prepared: Notebook) -> None:
    prepared.run(
        'other = session.sql("SELECT k, sum(twice(id)) AS s FROM rows WHERE k > 0 GROUP BY k")'
    )
    cell = prepared.run("%udf plan frame --against other")
    panel = prepared.output(cell).locator(".nu-compared")
    expect(panel.locator("svg.nu-graph")).to_have_count(2)
    expect(panel.locator(".nu-operator.nu-only, .nu-operator.nu-changed").first).to_be_visible()
    left, right = panel.locator(".nu-side").all()
    left.locator(".nu-operator.nu-python").click()
    expect(right.locator(".nu-operator.nu-python")).to_have_attribute("aria-pressed", "true")
    prepared.shot("plan-compared", cell)


def test_hostile_texts_are_shown_and_not_run(prepared: Notebook) -> None:
    cell = prepared.run(HOSTILE)
    panel = prepared.output(cell).locator(".nu-plan")
    panel.locator(".nu-operator.nu-python").click()
    expect(panel).to_contain_text("<script>")
    panel.get_by_role("tab", name="Logical plan").click()
    panel.get_by_role("tab", name="SQL").click()
    prepared.run("1")
    assert prepared.page.evaluate("() => window.executed") is None


def test_accessible_in_every_theme_and_width(prepared: Notebook, panel: Locator) -> None:
    number = prepared.cells.count() - 1
    panel.locator(".nu-operator.nu-python").click()
    for dark in (False, True):
        prepared.dark(dark)
        assert prepared.serious(".nu-plan") == []
        prepared.shot(f"plan-{'dark' if dark else 'light'}", number)
    prepared.dark(False)
    with prepared.narrow(560):
        box = panel.bounding_box()
        assert box
        assert box["width"] < 460
        for region in panel.locator("svg.nu-graph, .nu-details, .nu-bar").all():
            inner = region.bounding_box()
            assert inner
            assert inner["x"] + inner["width"] <= box["x"] + box["width"] + 1
        prepared.shot("plan-narrow", number)


def test_an_older_one_becomes_static(prepared: Notebook) -> None:
    first = prepared.run("session.plan(frame)")
    expect(prepared.output(first).locator(".nu-plan")).to_be_visible()
    prepared.run("session.plan(frame)")
    expect(prepared.output(first).locator(".nu-plan")).to_have_count(0)
    expect(prepared.output(first)).to_contain_text("twice v1")
