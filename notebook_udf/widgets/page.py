"""A plan as a standalone HTML page: the explorer's own script, its data, and the static form.

The script needs no network. Where scripts do not run, the static form is shown.
"""

from __future__ import annotations

import json
from pathlib import Path

from notebook_udf.plan.html_renderer import plan_html
from notebook_udf.plan.plan_model import Plan
from notebook_udf.render.markup import Element, data_script, main, page, script
from notebook_udf.widgets.sendable import sendable

_START = """
const text = (id) => document.getElementById(id).textContent;
const model = {
  get: (name) => (name === "_esm" ? text("script") : JSON.parse(text("data"))),
  on() {}, off() {}, send() {},
};
const address = URL.createObjectURL(new Blob([text("script")], { type: "text/javascript" }));
(await import(address)).default.render({ model, el: document.getElementById("plan") });
"""


def page_template() -> str:
    """The page without script and data, for a browser to fill in."""
    return _page(None, "%(data)s", "%(script)s")


def plan_page(plan: Plan, explorer: Path) -> str:
    """The page of a plan, with the explorer."""
    # Includes the template, so that a saved page can be saved again.
    data = json.dumps({"plan": sendable(plan.to_dict()), "page": page_template()})
    return _page(plan_html(plan), data, explorer.read_text("utf-8"))


def _page(twin: Element | None, data: str, explorer: str) -> str:
    return page(
        "Query plan",
        main(twin, id="plan"),
        data_script(data, id="data"),
        script(explorer, id="script", type="text/plain"),
        script(_START, type="module"),
    )
