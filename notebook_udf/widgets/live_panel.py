"""The live cell: the progress of a cell's queries in a browser."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypedDict

from IPython.display import DisplayHandle

from notebook_udf.widgets.live import RunData, RunState
from notebook_udf.widgets.live_forms import live_text, summary_html
from notebook_udf.widgets.panel import Panel
from notebook_udf.widgets.scripts import script


class LiveData(TypedDict):
    """The state of a run, and the kernel's id on its Jupyter server; "" where not known."""

    run: RunData
    kernel: str


class LivePanel(Panel):
    """The panel of one run.

    Parameters
    ----------
    state
        Returns the current state.
    kernel
        The kernel's id on its Jupyter server, through which a page interrupts it; "" where it is
        not known.
    """

    _esm = script("live")

    def __init__(self, state: Callable[[], RunState], kernel: str) -> None:
        self._state = state
        self._kernel = kernel
        self._place: DisplayHandle | None = None
        super().__init__()

    def read(self) -> LiveData:
        """The run, and the id of its kernel."""
        return {"run": self._state().to_dict(), "kernel": self._kernel}

    def twin(self) -> tuple[str, str]:
        """The current state, as a small report and as a line."""
        state = self._state()
        return summary_html(state), live_text(state)

    def show(self) -> None:
        """Displays the panel; the former live instance becomes static."""
        super().show()
        self._place = self._handle

    def end(self, html: str, text: str) -> None:
        """Replaces the panel by the outcome of the run, even if it is static already."""
        place, self._place = self._place, None
        self._handle = None
        self.freeze()
        if place is not None:
            place.update({"text/html": html, "text/plain": text}, raw=True)
