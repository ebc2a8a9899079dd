"""The magics: ``%%udf``, ``%%sparksql``, ``%udf``; what ``%load_ext notebook_udf`` brings.

Loading starts nothing and imports neither Spark nor pandas: each magic imports what it needs
when it runs. ``kernel`` does the work, ``widgets`` shows the results.
"""

from __future__ import annotations

from typing import Any

from notebook_udf.lab.publisher import LabNews
from notebook_udf.magics.commands import Commands
from notebook_udf.magics.completion import Completion
from notebook_udf.magics.error_display import Cards
from notebook_udf.magics.interrupt import CellJobs, running_session
from notebook_udf.magics.live_cells import LiveCells
from notebook_udf.magics.live_screens import is_watched
from notebook_udf.widgets.shown import show_live_in, show_static_in

_ATTRIBUTE = "_notebook_udf_magics"


def load(shell: Any) -> None:
    """Registers the magics with an IPython shell. Idempotent."""
    if getattr(shell, _ATTRIBUTE, None) is not None:
        return
    jobs = CellJobs(shell)
    live = LiveCells(shell, jobs)
    lab = LabNews(shell, running_session, is_watched)
    parts = (Commands(shell, live), Completion(shell), Cards(shell), jobs, live, lab)
    for part in parts:
        part.install()
    show_live_in(shell)
    setattr(shell, _ATTRIBUTE, parts)


def unload(shell: Any) -> None:
    """Removes the magics from the shell; a running session goes on."""
    for part in getattr(shell, _ATTRIBUTE, None) or ():
        part.uninstall()
    show_static_in(shell)
    setattr(shell, _ATTRIBUTE, None)
