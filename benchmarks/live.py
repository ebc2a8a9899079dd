"""What the live cell costs the run it shows: a real kernel, a panel, and short bundles."""

from __future__ import annotations

import json
from typing import Any

from jupyter_client.manager import start_new_kernel

from benchmarks.measure import Figure, in_turn

BUNDLES = 6_000
ROWS = 20
# Work on a row, so that two workers finish about 2,000 bundles a second.
SPIN = 700

BEGIN = f"""
%load_ext notebook_udf
import time
import notebook_udf as nu
session = nu.session(workers=2, bundle_size={ROWS})
session._warmup.wait()

@nu.register
def work(i: int) -> int:
    total = 0
    for k in range({SPIN}):
        total += k
    return total

def timed():
    start = time.perf_counter()
    frame = session.spark.range(0, {BUNDLES * ROWS}, 1, 2).select(work("id"))
    frame.write.format("noop").mode("overwrite").save()
    print(time.perf_counter() - start)
"""


class Cells:
    """A kernel that runs cells, told as a page with a person in front of it would."""

    def __init__(self) -> None:
        self._manager, self._client = start_new_kernel(kernel_name="python3")
        self.updates = 0
        self.run(BEGIN)

    def run(self, code: str) -> str:
        """What a cell printed."""
        cell = self._client.execute(code, allow_stdin=True)
        printed = ""
        while True:
            message: dict[str, Any] = self._client.get_iopub_msg(timeout=120)
            if message["parent_header"].get("msg_id") != cell:
                continue
            kind, content = message["msg_type"], message["content"]
            if kind == "stream" and content["name"] == "stdout":
                printed += content["text"]
            elif kind == "error":
                raise RuntimeError("\n".join(content["traceback"]))
            elif kind == "comm_msg":
                self.updates += 1
            elif kind == "status" and content["execution_state"] == "idle":
                return printed

    def seconds(self, live: bool) -> float:
        """How long the query took, with a panel or without."""
        self.run(f"session.live = {live}")
        return float(json.loads(self.run("timed()").split()[-1]))

    def close(self) -> None:
        """Ends the kernel."""
        self.run("session.stop()")
        self._client.stop_channels()
        self._manager.shutdown_kernel()


def run() -> list[Figure]:
    """With the panel and without, in turn."""
    cells = Cells()
    try:
        t = in_turn(
            {"live": lambda: cells.seconds(True), "off": lambda: cells.seconds(False)}, repeats=5
        )
        if not cells.updates:
            raise RuntimeError("no panel was shown, so nothing was measured")
    finally:
        cells.close()
    cost = 100 * (t["live"].median / t["off"].median - 1)
    rate = BUNDLES / t["off"].median
    return [
        Figure(
            f"The live cell slows a run of {rate:,.0f} bundles a second by",
            cost,
            "%",
            "≤ 3 %",
            cost <= 3,
            f"{t['live'].median:.2f} s with, {t['off'].median:.2f} s without, medians of "
            f"{len(t['live'].seconds)}",
        )
    ]
