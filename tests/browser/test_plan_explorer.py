"""The plan explorer as a reader uses it: by mouse, by keyboard, light and dark, narrow and wide."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.browser.lab import Notebook

PLAN = """\
@nu.register
def twice(x: int) -> int:
    return 2 * x
frame = session.sql("SELECT id % 3 AS k, sum(twice(id)) AS s FROM range(1000) GROUP BY 1")
frame.collect()
session.plan(frame)"""


def test_graph_of_a_run(notebook: Notebook) -> None:
    cell = notebook.run(PLAN)
    panel = notebook.output(cell).locator(".nu-plan")
    expect(panel.locator("svg.nu-graph .nu-operator").first).to_be_visible()
    expect(panel.locator(".nu-operator.nu-python")).to_have_count(1)
    notebook.shot("plan", cell)
