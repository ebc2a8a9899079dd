"""The connection to browsers: a comm with a fixed id.

With a fixed id, a browser that is opened while a cell blocks the kernel still gets what is sent,
and several browsers get the same. The kernel opens no comm in a browser: one without the extension
would refuse it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from comm.base_comm import BaseComm

from notebook_udf.lab.panel_data import LabMessage

NAME = "notebook-udf"


class LabComm(BaseComm):
    """A comm of the kernel without a parent message: what it sends belongs to no cell.

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
        """Registers the comm: messages are received from now on."""
        self._kernel.comm_manager.register_comm(self)

    def uninstall(self) -> None:
        """Unregisters the comm, and tells the browsers."""
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
        """Passes on a browser's message, without IPython's events for an execution."""
        self._heard(msg["content"].get("data"))
