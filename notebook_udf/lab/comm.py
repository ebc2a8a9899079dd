"""The connection to browsers: messages of a comm whose id is known beforehand.

With a fixed id, a browser that is opened while a cell blocks the kernel still hears what is sent,
and several browsers hear the same. Nothing is opened towards a browser: one without the extension
would say no to it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from comm.base_comm import BaseComm

from notebook_udf.lab.panel_data import LabMessage

NAME = "notebook-udf"


class LabComm(BaseComm):
    """A comm of the kernel's own, without any parent: what it sends belongs to no cell.

    Parameters
    ----------
    kernel
        ipykernel's.
    heard
        Called with what a browser sends, on the thread that serves it: the main one, or that of
        a subshell while a cell runs.
    """

    def __init__(self, kernel: Any, heard: Callable[[Any], None]) -> None:
        self._kernel = kernel
        self._heard = heard
        super().__init__(target_name=NAME, comm_id=NAME, primary=False)

    def install(self) -> None:
        """Takes messages from now on."""
        self._kernel.comm_manager.register_comm(self)

    def uninstall(self) -> None:
        """Takes none any more, and says so."""
        self._kernel.comm_manager.comms.pop(NAME, None)
        gone: LabMessage = {"gone": True}
        self.publish_msg("comm_msg", gone)
        self._closed = True

    def publish_msg(
        self,
        msg_type: str,
        data: Any = None,
        metadata: Any = None,
        buffers: Any = None,
        **keys: Any,
    ) -> None:
        """Sends a message to all browsers."""
        content = {"data": data or {}, "comm_id": self.comm_id, **keys}
        self._kernel.session.send(
            self._kernel.iopub_socket, msg_type, content, metadata=metadata, ident=self.topic
        )

    def handle_msg(self, msg: Any) -> None:
        """Hands on what a browser sent; no cell is said to run for it."""
        self._heard(msg["content"].get("data"))
