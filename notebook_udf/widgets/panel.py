"""A live widget: data goes to the browser, and a static twin takes its place when it ends.

A panel pushes all it knows, because a cell that runs keeps the kernel from answering; what the
browser asks of the kernel (a stack, a restart) is answered at once, or with an error, and not
before the cell has ended. Who wants a panel refreshed is ``widgets.pulse``.
"""

from __future__ import annotations

import threading
from typing import Any, ClassVar

import anywidget
import traitlets
from IPython.display import DisplayHandle

from notebook_udf.widgets.pulse import pulse
from notebook_udf.widgets.requests import answer, commands_of
from notebook_udf.widgets.sendable import sendable


class Panel(anywidget.AnyWidget):
    """One live widget. A class of its own per job, of which one instance lives at a time.

    Methods marked with ``answers`` are what the browser may ask for. A result is sent back, that
    of a ``Future`` when it is there; what is raised is sent back as a text.

    Attributes
    ----------
    data
        What the browser shows; JSON-able, replaced as a whole.
    """

    data = traitlets.Any().tag(sync=True)
    _living: ClassVar[dict[type, Panel]] = {}
    _changing: ClassVar[threading.RLock] = threading.RLock()

    def __init__(self) -> None:
        # anywidget gives each instance a class of its own.
        self._kind = type(self)
        self._handle: DisplayHandle | None = None
        self._commands = commands_of(self)
        super().__init__(data=sendable(self.read()))
        self.on_msg(self._asked)

    def read(self) -> Any:
        """What is to be shown now."""
        raise NotImplementedError

    def twin(self) -> tuple[str, str]:
        """The same as static HTML and as text."""
        raise NotImplementedError

    def show(self) -> None:
        """Displays it; the instance of its class that was live becomes static."""
        with Panel._changing:
            former = Panel._living.get(self._kind)
            Panel._living[self._kind] = self
        if former is not None and former is not self:
            former.freeze()
        self._handle = DisplayHandle()
        self._handle.display(self._bundle(), raw=True)
        pulse.add(self)

    def refresh(self) -> None:
        """Sends what has changed, if anything has."""
        data = sendable(self.read())
        if data != self.data:
            self.data = data

    def freeze(self) -> None:
        """Puts the static twin in its place and ends it. Idempotent."""
        pulse.remove(self)
        with Panel._changing:
            if Panel._living.get(self._kind) is self:
                del Panel._living[self._kind]
            handle, self._handle = self._handle, None
        if handle is not None:
            html, text = self.twin()
            handle.update({"text/html": html, "text/plain": text}, raw=True)
        self.close()

    def close(self) -> None:
        """Ends the model and that of its layout, whose state a saved notebook would keep."""
        layout = self.layout
        super().close()
        if layout is not None:
            layout.close()

    def _bundle(self) -> dict[str, Any]:
        html, text = self.twin()
        view = {"version_major": 2, "version_minor": 0, "model_id": self.model_id}
        return {
            "application/vnd.jupyter.widget-view+json": view,
            "text/html": html,
            "text/plain": text,
        }

    def _asked(self, _: Any, content: Any, buffers: Any) -> None:
        """Answers the browser; every request gets an answer, whatever it is."""
        answer(content, self._commands, self.send)


def freeze_all() -> None:
    """Ends every panel, as when a session stops."""
    for panel in list(Panel._living.values()):
        panel.freeze()
