"""Describes queries by the cell that runs them: its number, and its first words or its SQL's.

Spark shows the description on its own pages and passes it to its store of queries and to the
tasks. A description that the user has set stays.
"""

from __future__ import annotations

import re
import sys
import threading
from typing import Any

from notebook_udf.host.host import Host
from notebook_udf.telemetry.query_names import first_words

# As Spark calls it; the property of a thread, and of the jobs and tasks that it starts.
DESCRIPTION_PROPERTY = "spark.job.description"
_WORDS = 80
_SQL = re.compile(r"""\.sql\(\s*[a-zA-Z]{0,2}("{3}|'{3}|"|')(.*?)(?:\1|\Z)""", re.DOTALL)
_COMMENTS = re.compile(r"\A(\s*--[^\n]*(\n|\Z)|\s+)*")
# Lines that do not show what a cell does.
_SILENT = re.compile(r"\s*(#.*|(import|from)\s.*)?")


def cell_name(code: str, number: int | None) -> str:
    """The description of a cell's queries: ``In [9]: SELECT carrier, haul(distance) FROM``.

    ``number`` is that of its prompt, if it has one.
    """
    words = first_words(_telling(code), _WORDS)
    return f"In [{number}]: {words}" if number is not None else words


def _telling(code: str) -> str:
    """The part of a cell that best shows what it does."""
    first, _, rest = code.strip().partition("\n")
    if first.startswith("%%sparksql"):
        return _COMMENTS.sub("", rest, count=1)
    sql = _SQL.search(code)
    if sql is not None and sql[2].strip():
        return _COMMENTS.sub("", sql[2], count=1)
    lines = [line for line in code.splitlines() if not _SILENT.fullmatch(line)]
    return "\n".join(lines) or code


class CellNames:
    """A hook into the cells of this process's shell; without a shell it does nothing."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self._shell: Any = None
        self._depth = 0
        self._name: str | None = None

    def install(self) -> None:
        """Describes the queries of every cell from now on, the running one included."""
        ipython = sys.modules.get("IPython")
        self._shell = ipython.get_ipython() if ipython is not None else None
        if self._shell is None:
            return
        self._shell.events.register("pre_run_cell", self._begins)
        self._shell.events.register("post_run_cell", self._ended)
        cells, number = self._shell.history_manager.input_hist_raw, self._number
        # Cells run in the main thread, and one that is known by now is running.
        if threading.current_thread() is threading.main_thread() and 0 < number < len(cells):
            self._depth = 1
            self._describe(cells[number], number)

    def uninstall(self) -> None:
        """Stops describing queries."""
        if self._shell is None:
            return
        self._shell.events.unregister("pre_run_cell", self._begins)
        self._shell.events.unregister("post_run_cell", self._ended)
        self._shell = None
        self._forget()

    def _begins(self, info: Any) -> None:
        self._depth += 1
        # Cells that a cell runs count as a part of it.
        if self._depth == 1 and info.raw_cell:
            self._describe(info.raw_cell, self._number if info.store_history else None)

    @property
    def _number(self) -> int:
        """The running cell's number: IPython 9 counts it before, earlier ones after it has run."""
        return int(self._shell.displayhook.prompt_count)

    def _ended(self, result: Any) -> None:
        self._depth = max(0, self._depth - 1)
        if not self._depth:
            self._forget()

    def _describe(self, code: str, number: int | None) -> None:
        if self._host.is_alive and self._host.jobs.property(DESCRIPTION_PROPERTY) is None:
            self._name = cell_name(code, number)
            self._host.jobs.set_property(DESCRIPTION_PROPERTY, self._name)

    def _forget(self) -> None:
        name, self._name = self._name, None
        if name is None or not self._host.is_alive:
            return
        if self._host.jobs.property(DESCRIPTION_PROPERTY) == name:
            self._host.jobs.set_property(DESCRIPTION_PROPERTY, None)
