"""A plan as a page that stands alone: the explorer's own script, its data, and the static form.

The script needs no network. Where scripts do not run, the static form is what is seen.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

from notebook_udf.plan.html import PAGE_STYLE, plan_html
from notebook_udf.plan.plan_model import Plan
from notebook_udf.widgets.sendable import sendable

# ``%(script)s`` and ``%(data)s`` are filled here, or by the script itself when a reader saves it.
_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Query plan</title>
<style>%(style)s</style>
</head>
<body>
<main id="plan">%(twin)s</main>
<script id="data" type="application/json">%(data)s</script>
<script id="script" type="text/plain">%(script)s</script>
<script type="module">
const text = (id) => document.getElementById(id).textContent;
const model = {
  get: (name) => (name === "_esm" ? text("script") : JSON.parse(text("data"))),
  on() {}, off() {}, send() {},
};
const address = URL.createObjectURL(new Blob([text("script")], { type: "text/javascript" }));
(await import(address)).default.render({ model, el: document.getElementById("plan") });
</script>
</body>
</html>
"""


def page_template() -> str:
    """The page with everything but script and data, for a browser to fill."""
    return _filled(style=PAGE_STYLE, twin="")


def plan_page(plan: Plan, script: Path) -> str:
    """The page of a plan, explorer and all."""
    # Once more the template, so that a saved page can be saved again.
    data = json.dumps({"plan": sendable(plan.to_dict()), "page": page_template()})
    return _filled(
        style=PAGE_STYLE,
        twin=plan_html(plan),
        # Inside a script element only "</" and "<!--" mean something.
        script=script.read_text("utf-8").replace("</script", "<\\/script"),
        data=data.replace("<", "\\u003c"),
    )


def _filled(**parts: str) -> str:
    return re.sub(r"%\((\w+)\)s", lambda place: parts.get(place[1], place[0]), _PAGE)
