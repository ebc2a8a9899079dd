"""The style sheet and the script of a report's page, and the parts that its sections share."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Sequence

from notebook_udf.render.markup import Child, Element, div, h2, markup, p, section
from notebook_udf.render.tables import Cells, Table

STYLE = """
body { margin: 0 auto; max-width: 80rem; padding: 1rem 2rem 4rem; line-height: 1.5;
  --nu-error: #b71c1c; --nu-fine: #1b5e20; --nu-box: #f4f4f4; --nu-link: #0d47a1; }
h1 { font-size: 1.6rem; margin: .5rem 0; overflow-wrap: anywhere; }
h2 { font-size: 1.25rem; margin: 2rem 0 .5rem; border-bottom: 1px solid #9e9e9e; }
h3 { font-size: 1rem; margin: 1rem 0 .25rem; overflow-wrap: anywhere; }
a { color: var(--nu-link); }
nav ul { list-style: none; display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; padding: 0; }
caption { text-align: left; font-weight: 600; padding: .3rem 0; }
th, td { padding: .15rem .9rem .15rem 0; vertical-align: top; }
th { border-bottom: 1px solid #9e9e9e; white-space: nowrap; }
td { min-width: 4rem; }
pre { margin: 0; font: 12px/1.45 ui-monospace, Menlo, Consolas, monospace; }
summary { cursor: pointer; padding: .15rem 0; }
details > :not(summary) { margin-left: 1rem; }
:focus-visible { outline: 3px solid var(--nu-link); outline-offset: 2px; }
.nu-skip { position: absolute; left: -100vw; }
.nu-skip:focus { position: static; }
.nu-scroll { overflow-x: auto; max-width: 100%; margin: .4rem 0; }
.nu-box { overflow: auto; max-height: 26rem; background: var(--nu-box); padding: .5rem .75rem;
  margin: .4rem 0; }
.nu-state { border-left: 6px solid; padding: .5rem 1rem; margin: 1rem 0; background: var(--nu-box);
  font-weight: 600; overflow-wrap: anywhere; }
.nu-failed { color: var(--nu-error); }
.nu-fine { color: var(--nu-fine); }
figure { margin: .4rem 0; }
.nu-chart { width: 100%; max-width: 60rem; display: block; }
.nu-chart text { font: 11px system-ui, sans-serif; fill: currentColor; }
.nu-chart path { fill: var(--jp-brand-color1); }
.nu-chart rect { fill: var(--nu-box); }
.nu-search { display: flex; flex-wrap: wrap; gap: .5rem 1rem; align-items: center; }
.nu-search[hidden] { display: none; }
.nu-search input, .nu-search select { font: inherit; padding: .2rem .4rem; min-width: 12rem;
  border: 1px solid #757575; background: inherit; color: inherit; }
.nu-log { max-height: 34rem; }
.nu-log ol { list-style: none; margin: 0; padding: 0;
  font: 12px/1.45 ui-monospace, Menlo, Consolas, monospace; }
.nu-log li { white-space: pre-wrap; overflow-wrap: anywhere; }
.nu-log li[hidden] { display: none; }
.nu-log li[data-level="ERROR"], .nu-log li[data-level="CRITICAL"] { color: var(--nu-error); }
@media (prefers-color-scheme: dark) {
  body { --nu-error: #ff8a80; --nu-fine: #a5d6a7; --nu-box: #1e1e1e; --nu-link: #90caf9; }
}
@media print { .nu-box, .nu-log { max-height: none; } nav, .nu-search { display: none; } }
"""

# The search is there only where scripts run; without them all lines are shown.
SEARCH = """
"use strict";
(() => {
  const form = document.getElementById("search");
  if (!form) return;
  const text = document.getElementById("search-text");
  const level = document.getElementById("search-level");
  const said = document.getElementById("search-said");
  const log = document.getElementById("log");
  const lines = [...log.querySelectorAll("li")];
  const order = ["DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL"];
  const texts = lines.map((line) => line.textContent.toLowerCase());
  const least = lines.map((line) => order.indexOf(line.dataset.level));
  let due = 0;
  const show = () => {
    due = 0;
    const wanted = text.value.toLowerCase();
    const from = order.indexOf(level.value);
    let count = 0;
    lines.forEach((line, at) => {
      const hit = texts[at].includes(wanted) && (from < 0 || least[at] >= from);
      count += hit;
      if (line.hidden === hit) line.hidden = !hit;
    });
    said.textContent = wanted || from >= 0
      ? `${count.toLocaleString("en")} of ${lines.length.toLocaleString("en")} lines` : "";
  };
  const soon = () => { due = due || requestAnimationFrame(show); };
  text.addEventListener("input", soon);
  level.addEventListener("change", soon);
  form.addEventListener("submit", (event) => { event.preventDefault(); log.focus(); });
  document.addEventListener("keydown", (event) => {
    const typing = event.target.closest("input, select, textarea");
    if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault();
      text.focus();
      text.select();
    } else if (event.key === "Escape" && event.target === text && text.value) {
      text.value = "";
      soon();
    }
  });
  form.hidden = false;
})();
"""


def policy() -> str:
    """The page's content security policy: it fetches nothing, and runs its one script alone."""
    digest = base64.b64encode(hashlib.sha256(SEARCH.encode()).digest()).decode()
    return (
        f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'; "
        f"base-uri 'none'; form-action 'none'"
    )


class Budget:
    """How many bytes of a page are left for a kind of content."""

    def __init__(self, most: int) -> None:
        self._left = most

    def takes(self, element: Element) -> bool:
        """Whether an element fits; if so, what it takes is gone."""
        needed = len(markup(element).encode())
        if needed > self._left:
            return False
        self._left -= needed
        return True


def fitting(elements: Iterable[Element], most: int) -> tuple[list[Element], bool]:
    """The first elements that fit in so many bytes, and whether there are more."""
    budget = Budget(most)
    taken: list[Element] = []
    for element in elements:
        if not budget.takes(element):
            return taken, True
        taken.append(element)
    return taken, False


def part(name: str, title: str, *children: Child) -> Element:
    """A section under its heading, which the page's navigation leads to."""
    return section(
        h2(title, id=f"{name}-title"), children, id=name, aria_labelledby=f"{name}-title"
    )


def wide_table(caption: str, head: Cells, rows: Sequence[Cells]) -> Element:
    """A table that scrolls by itself where it is wider than the window."""
    table = Table(head, rows, caption).html
    return div(table, class_="nu-scroll", role="group", aria_label=caption, tabindex=0)


def box(label: str, *children: Child) -> Element:
    """A box of fixed width text that scrolls, by keyboard too."""
    return div(children, class_="nu-box", role="group", aria_label=label, tabindex=0)


def remark(text: str) -> Element:
    """A sentence about what is shown or left out."""
    return p(text)
