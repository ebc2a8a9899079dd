"""The plan explorer with 200 operators: how soon it is there, and what it costs to keep current."""

from __future__ import annotations

import json
import statistics
import threading
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import psutil
from playwright.sync_api import Page, sync_playwright

import notebook_udf as nu
from benchmarks.measure import Figure
from notebook_udf.plan.plan_model import Plan
from notebook_udf.widgets.page import plan_page
from notebook_udf.widgets.scripts import script
from notebook_udf.widgets.sendable import sendable
from tests.browser.chromium import HOW, installed
from tests.browser.conftest import ARGUMENTS

OPERATORS = 200
REPEATS = 7
HERTZ = 5
SECONDS = 10.0

# In the page of a plan: shows the plan once more, and says after how long it was painted.
_PAINTED = """
async () => {
  const script = document.getElementById("script").textContent;
  const data = JSON.parse(document.getElementById("data").textContent);
  const address = URL.createObjectURL(new Blob([script], { type: "text/javascript" }));
  const { default: widget } = await import(address);
  const el = document.getElementById("plan");
  const heard = {};
  window.model = {
    data,
    get: () => window.model.data,
    on: (event, call) => (heard[event] = call),
    off() {}, send() {},
    set(next) { window.model.data = next; heard["change:data"](); },
  };
  const begun = performance.now();
  widget.render({ model: window.model, el });
  await new Promise((painted) => requestAnimationFrame(() => setTimeout(painted)));
  return performance.now() - begun;
}
"""
# Counts on, as a run does: every operator has other rows each time.
_UPDATED = """
([hertz, seconds]) => new Promise((done) => {
  let count = 0;
  const counting = (node) => ({
    ...node,
    metrics: node.metrics.map((each) => ({ ...each, value: each.value + count, text: `${count}` })),
    children: node.children.map(counting),
  });
  const beat = setInterval(() => {
    count += 1;
    const { plan, page } = window.model.data;
    window.model.set({ plan: { ...plan, root: counting(plan.root) }, page });
    if (count >= hertz * seconds) { clearInterval(beat); done(count); }
  }, 1000 / hertz);
})
"""


def run() -> list[Figure]:
    """Layout and paint of a plan that ran, then updates in browser and kernel."""
    session = nu.session(workers=2, conf={"spark.sql.shuffle.partitions": "2"})
    session.register_function("grown", nu.udf(lambda x: x + 1, result_type="bigint"))
    query = _query(session, OPERATORS)
    frame = session.sql(query)
    frame.collect()
    plan = session.plan(frame).plan
    figures = [*_in_browser(plan), _in_kernel(session, query)]
    return figures


def _query(session: nu.Session, operators: int) -> str:
    """A query of about so many operators: aggregates over calls, put together."""
    branches = [
        f"SELECT k, sum(grown(id)) AS s FROM (SELECT id, id % {n + 2} AS k FROM range(5000) "
        f"WHERE id % 7 > {n % 5}) GROUP BY k"
        for n in range(operators)
    ]
    for count in range(1, operators):
        query = " UNION ALL ".join(branches[:count])
        if len(session.plan(query).plan.nodes()) >= operators:
            return query
    raise AssertionError("no query of so many operators")


def _in_browser(plan: Plan) -> list[Figure]:
    chromium = installed()
    assert chromium, HOW
    with TemporaryDirectory() as folder, sync_playwright() as playwright:
        path = Path(folder) / "plan.html"
        path.write_text(plan_page(plan, script("plan")), "utf-8")
        browser = playwright.chromium.launch(executable_path=chromium, args=ARGUMENTS)
        page = browser.new_page(viewport={"width": 1200, "height": 900})
        page.goto(path.as_uri())
        page.evaluate(_PAINTED)
        painted = [float(page.evaluate(_PAINTED)) for _ in range(REPEATS)]
        share = _share_of_a_core(page)
        browser.close()
    count = len(plan.nodes())
    shown = statistics.median(painted)
    return [
        Figure(
            f"Plan explorer, {count} operators, laid out and painted", shown, "ms", "≤ 200 ms",
            shown <= 200, f"median of {REPEATS}, at most {max(painted):.0f} ms",
        ),
        Figure(
            f"Plan explorer, {count} operators at {HERTZ} Hz, one core in the browser",
            100 * share, "%", "≤ 20 %", share <= 0.2, f"all of Chromium's processes, {SECONDS:g} s",
        ),
    ]  # fmt: skip


def _share_of_a_core(page: Page) -> float:
    own = [p for p in psutil.Process().children(recursive=True) if "chrom" in p.name()]
    before, begun = sum(map(_cpu, own)), time.perf_counter()
    page.evaluate(_UPDATED, [HERTZ, SECONDS])
    return (sum(map(_cpu, own)) - before) / (time.perf_counter() - begun)


def _cpu(process: psutil.Process) -> float:
    try:
        times = process.cpu_times()
    except psutil.NoSuchProcess:
        return 0.0
    return float(times.user + times.system)


def _in_kernel(session: nu.Session, query: str) -> Figure:
    """What reading and sending the plan takes of this process while the query runs."""
    with TemporaryDirectory() as folder:
        go = f"{folder}/go"

        def grown(x: int) -> int:
            import os
            import time

            while x == 4_900 and not os.path.exists(go):
                time.sleep(0.01)
            return x + 1

        session.register_function("grown", nu.udf(grown, result_type="bigint"))
        frame = session.sql(query)
        explorer = session.plan(frame)
        running = threading.Thread(target=frame.collect)
        running.start()
        sent: Any = None
        while explorer.plan.run is None:
            explorer.refresh()
            time.sleep(0.05)
        before, begun, count = time.process_time(), time.perf_counter(), 0
        while (now := time.perf_counter() - begun) < SECONDS:
            if explorer.refresh():
                data = sendable(explorer.to_dict())
                if data != sent:
                    sent = data
                    json.dumps(data).encode()
            count += 1
            time.sleep(max(0.0, count / HERTZ - now))
        share = (time.process_time() - before) / (time.perf_counter() - begun)
        Path(go).touch()
        running.join()
    return Figure(
        f"Plan explorer, {len(explorer.plan.nodes())} operators at {HERTZ} Hz, one core in the "
        f"kernel",
        100 * share, "%", "≤ 20 %", share <= 0.2, f"{count} readings in {SECONDS:g} s",
    )  # fmt: skip
