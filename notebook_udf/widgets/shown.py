"""Maps classes of data to the live panels that display them in a notebook."""

from __future__ import annotations

import sys
from functools import partial
from importlib import import_module
from typing import Any

_MARK = "_notebook_udf_shows"

# The panel of each class. By name: the extension is loaded before Spark is, and most sessions
# show no panel at all.
_PANELS = {
    "notebook_udf.pool.view.PoolView": "pool_panel.PoolPanel",
    "notebook_udf.state.reader.StateReader": "state_panel.StatePanel",
    "notebook_udf.telemetry.user_views.LogView": "log_panel.LogPanel",
    "notebook_udf.telemetry.user_views.MetricsView": "metrics_panel.MetricsPanel",
    "notebook_udf.widgets.explorer.PlanComparer": "plan_panel.PlanPanel",
    "notebook_udf.widgets.explorer.PlanExplorer": "plan_panel.PlanPanel",
}


def _show(panel: str, data: Any) -> None:
    module, name = panel.split(".")
    getattr(import_module(f"notebook_udf.widgets.{module}"), name)(data).show()


def show_live_in(shell: Any) -> None:
    """Makes a notebook's shell display data as its live panels; does nothing in a terminal.

    Idempotent.
    """
    if getattr(shell, "kernel", None) is None or getattr(shell, _MARK, False):
        return
    formatter = shell.display_formatter.ipython_display_formatter
    for kind, panel in _PANELS.items():
        formatter.for_type(kind, partial(_show, panel))
    setattr(shell, _MARK, True)


def show_static_in(shell: Any) -> None:
    """Undoes ``show_live_in``."""
    if getattr(shell, _MARK, False):
        for kind in _PANELS:
            shell.display_formatter.ipython_display_formatter.pop(kind)
        setattr(shell, _MARK, False)


def show_live() -> None:
    """Calls ``show_live_in`` for the shell of this process, if there is one."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    if shell is not None:
        show_live_in(shell)


def end_panels() -> None:
    """Replaces all live panels by their static forms."""
    panels = sys.modules.get("notebook_udf.widgets.panel")
    if panels is not None:
        panels.freeze_all()
