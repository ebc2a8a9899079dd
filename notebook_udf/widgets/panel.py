"""Base of the panels: live widgets that a static form replaces at their end.

A panel pushes all its data, because a running cell keeps the kernel from answering; requests of
the browser (a stack, a restart) are answered at once, or with an error, but not before the cell
has ended. ``widgets.pulse`` refreshes panels.
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
    """A live widget. Each job has a derived class, of which one instance is live at a time.

    Methods marked with ``answers`` are the browser's commands. A result is sent back, that of a
    ``Future`` when it is done; an error is sent back as text.

    Attributes
    ----------
    data
        The data that the browser shows; JSON-able, replaced as a whole.
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
        """The current data to show."""
        raise NotImplementedError

    def twin(self) -> tuple[str, str]:
        """The current data as static HTML and as text."""
        raise NotImplementedError

    def show(self) -> None:
        """Displays the panel; the former live instance of its class becomes static."""
        with Panel._changing:
            former = Panel._living.get(self._kind)
            Panel._living[self._kind] = self
        if former is not None and former is not self:
            former.freeze()
        self._handle = DisplayHandle()
        self._handle.display(self._bundle(), raw=True)
        pulse.add(self)

    def refresh(self) -> None:
        """Sends the current data if it has changed."""
        data = sendable(self.read())
        if data != self.data:
            self.data = data

    def freeze(self) -> None:
        """Replaces the panel by its static form and closes it. Idempotent."""
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
        """Closes the model and that of its layout, whose state a saved notebook would keep."""
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
        """Answers a request of the browser, even a malformed one."""
        answer(content, self._commands, self.send)


def freeze_all() -> None:
    """Freezes every live panel, as when a session stops."""
    for panel in list(Panel._living.values()):
        panel.freeze()
