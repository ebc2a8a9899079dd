"""A million log lines in a real browser: what they take, how they scroll, how they are searched."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path
from statistics import median

import psutil
from playwright.sync_api import Browser, CDPSession, Locator, Page, expect, sync_playwright

from benchmarks.measure import Figure
from tests.browser.chromium import HOW, installed
from tests.browser.conftest import ARGUMENTS
from tests.browser.lab import Notebook, Server

LINES = 1_000_000
FILL = f"""
from notebook_udf.telemetry.records import LogLine, LogLines
from notebook_udf.telemetry.store.session_store import Store
from notebook_udf.telemetry.store.log_store import LogChoice
from notebook_udf.telemetry.user_views import LogView
from notebook_udf.widgets.log_panel import LogPanel

store = Store()
for at in range(0, {LINES}, 1000):
    store.apply(LogLines(4000 + at // 1000 % 8, str(at // 100_000), tuple(
        LogLine(n + 1, 1.7e9 + n / 100, ("INFO", "INFO", "WARNING", "ERROR")[n % 4], "stdout",
                f"f{{n % 5}}", n // 1000, n % 1000,
                f"row {{n}} of the flood took {{n * 37 % 1009}} ms in partition {{n % 16}} of 16")
        for n in range(at, at + 1000))))
"""
SHOW = "LogPanel(LogView(store, None, LogChoice())).show()"
FRAMES = """
milliseconds => new Promise(resolve => {
  const box = document.querySelector(".nu-lines");
  const times = [];
  const begin = performance.now();
  const step = now => {
    times.push(now);
    // From end to end, and a little up and down: no two frames show the same lines.
    const share = (performance.now() - begin) / milliseconds;
    box.scrollTop = (box.scrollHeight - box.clientHeight) * Math.abs(1 - 2 * share) + times.length % 7 * 40;
    if (share < 1) requestAnimationFrame(step);
    else resolve(times);
  };
  requestAnimationFrame(step);
})
"""  # noqa: E501


def run() -> list[Figure]:
    """One tab of JupyterLab with nothing but the panel in it."""
    chromium = installed()
    if chromium is None:
        raise RuntimeError(HOW)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        server = Server(Path(folder))
        browser = playwright.chromium.launch(executable_path=chromium, args=ARGUMENTS)
        try:
            page = browser.new_page(viewport={"width": 1200, "height": 1000})
            return list(_measure(server.open(page, "log.ipynb", [FILL]), browser, page))
        finally:
            browser.close()
            server.stop()


def _measure(notebook: Notebook, browser: Browser, page: Page) -> list[Figure]:
    notebook.start(0)
    notebook.finish(0)
    before = _megabytes(browser, page)
    began = time.perf_counter()
    cell = notebook.run(SHOW)
    panel = notebook.output(cell).locator(".nu-logs")
    status = panel.locator(".nu-status").get_by_role("status").first
    expect(status).to_have_text(f"{LINES:,} lines", timeout=60_000)
    arrived = time.perf_counter() - began
    after = _megabytes(browser, page)
    seconds = _search(panel)
    runs = [_frames(page) for _ in range(3)]
    rates = [rate for rate, _ in runs]
    work = median(busy for _, busy in runs)
    scrolled = _megabytes(browser, page)
    collector = page.context.new_cdp_session(page)
    collector.send("HeapProfiler.enable")
    collector.send("HeapProfiler.collectGarbage")
    page.wait_for_timeout(1_000)
    needed = _megabytes(browser, page)
    return [
        Figure("A million log lines are in the tab after", arrived, "s", "none", True,
               "from the cell's start, the newest first"),
        Figure("A tab of JupyterLab with a million log lines needs", needed, "MB",
               "< 300 MB", needed < 300,
               f"{before:.0f} MB without them; {after:.0f} MB when they had come and "
               f"{scrolled:.0f} MB after searching and scrolling, garbage included"),
        Figure("A million log lines scroll at", median(rates), "frames/s", "≥ 50 frames/s",
               median(rates) >= 50, f"{', '.join(f'{rate:.0f}' for rate in rates)} in three runs"),
        Figure("A frame of a million log lines that scroll takes of the tab's thread", work, "ms",
               "< 20 ms", work < 20, "script, style, layout and paint, on a busy machine too"),
        Figure("A million log lines are searched in", seconds, "s", "none", True,
               "a regular expression, to the last match"),
    ]  # fmt: skip


def _search(panel: Locator) -> float:
    panel.get_by_label("Regular expression").click()
    began = time.perf_counter()
    panel.get_by_label("Search in the lines").fill("took 100[0-8] ms")
    expected = sum(1 for n in range(LINES) if n * 37 % 1009 >= 1000)
    expect(panel.get_by_text(f"{expected:,} found", exact=True)).to_be_visible(timeout=60_000)
    seconds = time.perf_counter() - began
    panel.get_by_label("Search in the lines").fill("")
    expect(panel.locator(".nu-status")).to_contain_text(f"{LINES:,} lines", timeout=60_000)
    return seconds


def _frames(page: Page) -> tuple[float, float]:
    """Frames a second, and milliseconds of work in each."""
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable")
    before = _busy(session)
    times = page.evaluate(FRAMES, 4_000)
    frames = len(times) - 1
    return 1_000 * frames / (times[-1] - times[0]), 1_000 * (_busy(session) - before) / frames


def _busy(session: CDPSession) -> float:
    metrics = session.send("Performance.getMetrics")["metrics"]
    return float(next(each["value"] for each in metrics if each["name"] == "TaskDuration"))


def _megabytes(browser: Browser, page: Page) -> float:
    """What the tab's own process holds, and no other does."""
    session = browser.new_browser_cdp_session()
    processes = session.send("SystemInfo.getProcessInfo")["processInfo"]
    held = [
        psutil.Process(each["id"]).memory_full_info().uss
        for each in processes
        if each["type"] == "renderer"
    ]
    return max(held) / 1e6
