"""What displays as a live panel in a notebook: the data's own class says nothing of it."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from notebook_udf.state.reader import StateReader
    from notebook_udf.telemetry.views import MetricsView
    from notebook_udf.widgets.explorer import PlanExplorer

_MARK = "_notebook_udf_shows"


def _plan(explorer: PlanExplorer) -> None:
    from notebook_udf.widgets.plan_panel import PlanPanel

    PlanPanel(explorer).show()


def _metrics(view: MetricsView) -> None:
    from notebook_udf.widgets.metrics_panel import MetricsPanel

    MetricsPanel(view).show()


def _state(reader: StateReader) -> None:
    from notebook_udf.widgets.state_panel import StatePanel

    StatePanel(reader).show()


# By name, and panels are imported when they are shown: an extension is loaded before Spark is.
_SHOWN: dict[str, Callable[[Any], None]] = {
    "notebook_udf.widgets.explorer.PlanExplorer": _plan,
    "notebook_udf.telemetry.views.MetricsView": _metrics,
    "notebook_udf.state.reader.StateReader": _state,
}


def show_live_in(shell: Any) -> None:
    """Lets a notebook's shell display what has a panel as that panel. In a terminal nothing.

    Doing it twice is doing it once.
    """
    if getattr(shell, "kernel", None) is None or getattr(shell, _MARK, False):
        return
    formatter = shell.display_formatter.ipython_display_formatter
    for kind, show in _SHOWN.items():
        formatter.for_type(kind, show)
    setattr(shell, _MARK, True)


def show_static_in(shell: Any) -> None:
    """Takes it back."""
    if getattr(shell, _MARK, False):
        for kind in _SHOWN:
            shell.display_formatter.ipython_display_formatter.pop(kind)
        setattr(shell, _MARK, False)


def show_live() -> None:
    """The same for the shell of this process, if there is one."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    if shell is not None:
        show_live_in(shell)


def end_panels() -> None:
    """Lets static twins take the place of all that is live."""
    panels = sys.modules.get("notebook_udf.widgets.panel")
    if panels is not None:
        panels.freeze_all()
