"""The screens that show a run: an output under a notebook's cell, or a line in a terminal."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from notebook_udf.errors import SessionError
from notebook_udf.widgets.live import RunState
from notebook_udf.widgets.live_forms import live_text, summary_html, summary_text
from notebook_udf.widgets.rows import RowsTable

if TYPE_CHECKING:
    from notebook_udf.widgets.live_panel import LivePanel

_log = logging.getLogger(__name__)


class Screen(Protocol):
    """Displays a run."""

    def begin(self, state: RunState) -> None:
        """Shows that the run is in progress; called from the run's thread, as is ``update``."""

    def update(self, state: RunState) -> None:
        """Shows the current state."""

    def end(self, state: RunState, result: RowsTable | None) -> None:
        """Replaces what is shown by the outcome. ``begin`` may never have been called."""


def screen(shell: Any, *, live: bool) -> Screen:
    """The screen of a shell: a notebook's cell, or a terminal."""
    if getattr(shell, "kernel", None) is not None:
        return CellScreen(live=live and is_watched(shell))
    return TerminalScreen(live=live)


def is_watched(shell: Any) -> bool:
    """Whether a person may be watching the running cell.

    Tools that run a notebook as a batch (nbclient, nbconvert, papermill) declare that they take no
    input; the state of a widget would stay in the notebook that they save.
    """
    content = (shell.get_parent() or {}).get("content", {})
    return bool(content.get("allow_stdin", True))


class CellScreen:
    """One output of a cell: a panel while the run goes on, static afterwards."""

    def __init__(self, *, live: bool) -> None:
        self._live = live
        self._state = RunState()
        self._panel: LivePanel | None = None

    def begin(self, state: RunState) -> None:
        """Puts the panel under the cell."""
        self._state = state
        if not self._live:
            return
        try:
            from notebook_udf.widgets.live_panel import LivePanel
        except SessionError as error:
            _log.warning("%s", error)
            return
        self._panel = LivePanel(lambda: self._state, _kernel_id())
        self._panel.show()

    def update(self, state: RunState) -> None:
        """Sets what the panel shows at its next refresh."""
        self._state = state

    def end(self, state: RunState, result: RowsTable | None) -> None:
        """Replaces the panel by the static result."""
        self._state = state
        note = _note(state, result)
        html, text = summary_html(state, note), summary_text(state, note)
        if result is not None:
            html, text = result._repr_html_() + html, f"{result!r}\n\n{text}"
        if self._panel is not None:
            self._panel.end(html, text)
        else:
            from IPython.display import display

            display({"text/html": html, "text/plain": text}, raw=True)


class TerminalScreen:
    """A line in a terminal that is removed when the run ends."""

    def __init__(self, *, live: bool) -> None:
        from rich.console import Console

        self._console = Console()
        self._live = live
        self._line: Any = None

    def begin(self, state: RunState) -> None:
        """Draws the line, unless the output is no terminal."""
        if self._live and self._console.is_terminal:
            from rich.live import Live

            self._line = Live(
                self._text(state), console=self._console, transient=True, auto_refresh=False
            )
            self._line.start(refresh=True)

    def update(self, state: RunState) -> None:
        """Draws it again."""
        if self._line is not None:
            self._line.update(self._text(state), refresh=True)

    def end(self, state: RunState, result: RowsTable | None) -> None:
        """Removes the line and prints the outcome of the run."""
        if self._line is not None:
            self._line.stop()
        if result is not None:
            print(result, end="\n\n")
        print(summary_text(state, _note(state, result)))

    def _text(self, state: RunState) -> Any:
        from rich.text import Text

        # As Text, because rich would read square brackets in a log line as markup.
        return Text(live_text(state), no_wrap=True, overflow="ellipsis")


def _kernel_id() -> str:
    """The id under which a Jupyter server knows this kernel; it names the connection file."""
    from ipykernel.connect import get_connection_file

    try:
        return Path(get_connection_file()).stem.removeprefix("kernel-")
    except RuntimeError:
        return ""


def _note(state: RunState, result: RowsTable | None) -> str:
    if state.outcome != "done":
        return ""
    return result.count if result is not None else "done"
