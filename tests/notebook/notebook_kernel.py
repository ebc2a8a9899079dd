"""A kernel that runs cells and collects what they output, as a notebook would."""

from __future__ import annotations

import os
import queue
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil
from jupyter_client.blocking import BlockingKernelClient
from jupyter_client.manager import KernelManager

ROOT = Path(__file__).resolve().parents[2]
CELL_SECONDS = 90.0


@dataclass
class Ran:
    """A cell that ran: its outputs as a saved notebook would hold them, and its reply.

    ``comms`` is what it said to its widgets.
    """

    outputs: list[dict[str, Any]] = field(default_factory=list)
    reply: dict[str, Any] = field(default_factory=dict)
    updates: list[dict[str, Any]] = field(default_factory=list)
    comms: list[dict[str, Any]] = field(default_factory=list)

    @property
    def ok(self) -> bool:
        return bool(self.reply["status"] == "ok")

    @property
    def displays(self) -> list[dict[str, str]]:
        """Data of what was displayed, in order."""
        return [o["data"] for o in self.outputs if "data" in o]

    @property
    def panels(self) -> tuple[list[str], list[str]]:
        """The widgets it showed, and those of its widgets that are still open."""
        opened = [c["comm_id"] for c in self.comms if c["kind"] == "comm_open"]
        closed = {c["comm_id"] for c in self.comms if c["kind"] == "comm_close"}
        models = [
            c["comm_id"]
            for c in self.comms
            if c["kind"] == "comm_open" and c["data"]["state"].get("_model_module") == "anywidget"
        ]
        return models, [comm for comm in opened if comm not in closed]

    @property
    def errors(self) -> list[dict[str, Any]]:
        return [o for o in self.outputs if o["type"] == "error"]

    def stream(self, name: str = "stdout") -> str:
        return "".join(
            o["text"] for o in self.outputs if o["type"] == "stream" and o["name"] == name
        )

    @property
    def value(self) -> str:
        """Text of the cell's result, or of the panel it shows."""
        results = [o for o in self.outputs if o["type"] == "execute_result"]
        (result,) = results or [o for o in self.outputs if o["type"] == "display_data"]
        return str(result["data"]["text/plain"])


class Kernel:
    """Runs cells in a kernel."""

    def __init__(self, folder: Path) -> None:
        self.manager = KernelManager(kernel_name="python3")
        environment = dict(
            os.environ,
            IPYTHONDIR=str(folder / "ipython"),
            PYTHONPATH=os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")]).strip(":"),
        )
        # Open for as long as the kernel may be started again.
        self._log = log = open(folder / "kernel.log", "ab")  # noqa: SIM115
        self.manager.start_kernel(env=environment, cwd=str(folder), stdout=log, stderr=log)
        self.client: BlockingKernelClient = self.manager.client()
        self.client.start_channels()
        self.client.wait_for_ready(timeout=60)

    def run(self, code: str, *, timeout: float = CELL_SECONDS) -> Ran:
        """Runs a cell to its end."""
        return self.finish(self.start(code), timeout=timeout)

    def start(self, code: str) -> str:
        """Starts a cell."""
        return str(self.client.execute(code, store_history=True))

    def finish(
        self,
        cell: str,
        *,
        until: Callable[[dict[str, Any]], bool] | None = None,
        ran: Ran | None = None,
        timeout: float = CELL_SECONDS,
    ) -> Ran:
        """Collects outputs until the cell is idle, or until ``until`` is true of a message."""
        ran = ran if ran is not None else Ran()
        by_display: dict[str, dict[str, Any]] = {
            o["display_id"]: o for o in ran.outputs if o.get("display_id")
        }
        deadline = time.monotonic() + timeout
        while True:
            message = self.client.get_iopub_msg(timeout=max(0.0, deadline - time.monotonic()))
            if message["parent_header"].get("msg_id") != cell:
                continue
            kind, content = message["msg_type"], message["content"]
            if kind in ("display_data", "execute_result", "stream", "error"):
                output = {"type": kind, **content}
                output["display_id"] = content.get("transient", {}).get("display_id")
                ran.outputs.append(output)
                if output["display_id"]:
                    by_display[output["display_id"]] = output
            elif kind == "update_display_data":
                ran.updates.append(content["data"])
                # That of an earlier cell changes too, when a panel of its kind is shown again.
                by_display.get(content["transient"]["display_id"], {})["data"] = content["data"]
            elif kind.startswith("comm_"):
                ran.comms.append({"kind": kind, **content})
            if until is not None and until(message):
                return ran
            if kind == "status" and content["execution_state"] == "idle":
                break
        while True:
            reply = self.client.get_shell_msg(timeout=max(1.0, deadline - time.monotonic()))
            if reply["parent_header"].get("msg_id") == cell:
                ran.reply = reply["content"]
                return ran

    def restart(self) -> None:
        """Kills the kernel and starts another, as from the menu of one that does not answer."""
        self.manager.restart_kernel(now=True)
        self.client.wait_for_ready(timeout=60)

    def complete(self, code: str) -> list[str]:
        """What Tab offers at the end of ``code``."""
        reply = self.client.complete(code, len(code), reply=True, timeout=CELL_SECONDS)
        return list(reply["content"]["matches"])

    def stop(self) -> None:
        """Ends the kernel; nothing it started may live on."""
        below = psutil.Process(self.manager.provisioner.pid).children(recursive=True)
        self.client.stop_channels()
        self.manager.shutdown_kernel()
        self.manager.cleanup_resources()
        self.client.context.destroy(linger=0)
        self._log.close()
        _, alive = psutil.wait_procs(below, timeout=30)
        assert not alive, f"processes left behind by the kernel: {alive}"


def drain(client: BlockingKernelClient) -> None:
    """Forgets messages that are still to be read."""
    try:
        while True:
            client.get_iopub_msg(timeout=0)
    except queue.Empty:
        return
