"""Takes the pictures of the gallery in a real JupyterLab: docs/images/gallery, light and dark.

``python -m tests.browser.gallery`` writes them; docs/gallery.md shows them with the cells of
``STORY``.
"""

from __future__ import annotations

import re

from playwright.sync_api import Locator, ViewportSize, expect

from tests.browser.lab import ROOT, Notebook
from tests.browser.played import picture, played
from tests.browser.recording import BEGIN, FUNCTION, QUERY

TARGET = ROOT / "docs" / "images" / "gallery"
SIZE: ViewportSize = {"width": 1080, "height": 1000}
COLOURS = 128

# Bundles of few rows, so that little data makes many.
MORE = """
spark = session.spark
spark.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", "100")"""
SLOW = '''\
import time

from pyspark.sql import functions as F


@nu.register
def glide(miles: int) -> float:
    """What a glider would take, in hours."""
    time.sleep(0.004)
    print(f"{miles} miles")
    return miles / 62.5'''
LIVE = """\
some = tables["flights"].where("month = 1 AND day < 6").repartition(4)
some.select(glide("distance").alias("hours")).agg(F.avg("hours")).collect()"""
PLAN = """\
session.plan(some.select(glide("distance").alias("hours")).agg(F.avg("hours")))"""
STREAM = """\
class Longest(nu.AggregateFunction):
    def create_accumulator(self):
        return [0]

    def accumulate(self, acc, miles: int):
        acc[0] = max(acc[0], miles)

    def merge(self, acc, others):
        acc[0] = max(acc[0], *(other[0] for other in others))

    def get_value(self, acc) -> int:
        return acc[0]

session.register_function("longest", nu.udaf(Longest()))
tables["flights"].where("month = 1").repartition(3).write.mode("overwrite").parquet("arriving")
arriving = spark.readStream.schema(tables["flights"].schema).parquet("arriving")
routes = session.sql(
    "SELECT origin, carrier, longest(distance) AS miles FROM {arriving} GROUP BY 1, 2",
    arriving=arriving,
)
stream = (routes.writeStream.outputMode("update").format("noop")
          .option("checkpointLocation", "checkpoint").trigger(availableNow=True).start())
stream.awaitTermination()"""
# What makes each picture, once the cells before it have run.
STORY = {
    "card": QUERY,
    "plan": PLAN,
    "metrics": "session.metrics()",
    "logs": "session.logs()",
    "pool": "session.pool",
    "state": 'session.state("checkpoint")',
    "profile": 'session.profile("SELECT count(carrier || glide(distance)) FROM some")',
}


class Gallery:
    """The pictures, as they are taken."""

    def __init__(self, notebook: Notebook) -> None:
        self._notebook = notebook

    def take(self, name: str, seen: Locator) -> None:
        """Takes a picture in the light and in the dark theme."""
        for suffix, dark in (("", False), ("-dark", True)):
            self._notebook.dark(dark)
            seen.scroll_into_view_if_needed()
            self._keep(f"{name}{suffix}", seen)
        self._notebook.dark(False)

    def _keep(self, name: str, seen: Locator) -> None:
        TARGET.mkdir(parents=True, exist_ok=True)
        picture(seen, COLOURS).save(TARGET / f"{name}.png", optimize=True)

    def live(self) -> None:
        """While a cell runs."""
        cell = self._notebook.add(LIVE)
        self._notebook.start(cell)
        lines = self._notebook.output(cell).locator(".nu-live .nu-log .nu-code")
        expect(lines).to_have_count(5, timeout=60_000)
        rows = self._notebook.output(cell).locator(".nu-figures b").first
        expect(rows).to_have_text(re.compile(r"\d{3}"), timeout=60_000)
        self.take("live", self._notebook.cells.nth(cell))
        self._notebook.finish(cell)

    def show(self, name: str) -> None:
        """A cell of the story, and what it gave."""
        cell = self._notebook.run(STORY[name])
        output = self._notebook.output(cell)
        output.last.wait_for()
        if name == "state":
            # The keys are read when the panel is there.
            expect(output.get_by_text("EWR").first).to_be_visible(timeout=60_000)
        self.take(name, self._notebook.cells.nth(cell))


def record() -> None:
    """Runs the cells, and keeps the pictures of them."""
    with played("gallery", BEGIN + MORE, SIZE) as notebook:
        gallery = Gallery(notebook)
        notebook.run(FUNCTION)
        notebook.run(SLOW)
        gallery.show("card")
        gallery.live()
        for name in ("plan", "metrics", "logs", "pool"):
            gallery.show(name)
        notebook.run(STREAM)
        gallery.show("state")
        notebook.run('some.createOrReplaceTempView("some")')
        gallery.show("profile")
        notebook.page.keyboard.press("Control+Alt+u")
        gallery.take("lab", notebook.page.locator("#main"))


if __name__ == "__main__":
    record()
    print(f"{TARGET}: {sum(path.stat().st_size for path in TARGET.iterdir()):,} bytes")
