"""The ``%%udf`` cells that ran, and the functions that each registered. By cell id, bounded."""

from __future__ import annotations

import zlib
from collections import OrderedDict
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from notebook_udf.lab.panel_data import CellNews, RegisteredNews
from notebook_udf.sanitize import one_line

if TYPE_CHECKING:
    from notebook_udf.kernel import Session
    from notebook_udf.registry import RegisteredFunction

MOST_CELLS = 300
_MOST_NAMES = 20
_TEXT = 200


class UdfCells:
    """Follows the ``%%udf`` cells of a shell."""

    def __init__(self, shell: Any, running_session: Callable[[], Session | None]) -> None:
        self._shell = shell
        self._running_session = running_session
        self._cells: OrderedDict[str, CellNews] = OrderedDict()
        self._before: dict[str, int] = {}

    def install(self) -> None:
        """Starts following the shell's cells."""
        self._shell.events.register("pre_run_cell", self._begins)
        self._shell.events.register("post_run_cell", self._ended)

    def uninstall(self) -> None:
        """Stops following them."""
        self._shell.events.unregister("pre_run_cell", self._begins)
        self._shell.events.unregister("post_run_cell", self._ended)

    def read(self) -> dict[str, CellNews]:
        """By the cell's id: ``code`` (the CRC-32 of its text), ``functions`` that it registered,
        with their kind and version, and the ``error`` with which it failed, or ""."""
        return dict(self._cells)

    def _begins(self, info: Any) -> None:
        if _is_udf(info):
            self._before = {each.name: each.version for each in self._records()}

    def _ended(self, result: Any) -> None:
        info = result.info
        if info is None or not _is_udf(info):
            return
        error = result.error_before_exec or result.error_in_exec
        self._cells.pop(info.cell_id, None)
        self._cells[info.cell_id] = {
            "code": zlib.crc32(info.raw_cell.encode("utf-8", "replace")),
            "functions": self._registered(),
            "error": one_line(f"{type(error).__name__}: {error}", _TEXT) if error else "",
        }
        while len(self._cells) > MOST_CELLS:
            self._cells.popitem(last=False)

    def _records(self) -> list[RegisteredFunction]:
        session = self._running_session()
        return [] if session is None else list(session.functions.values())

    def _registered(self) -> list[RegisteredNews]:
        new = [each for each in self._records() if self._before.get(each.name) != each.version]
        return [
            {"name": one_line(each.name, 120), "kind": each.kind, "version": each.version}
            for each in new[:_MOST_NAMES]
        ]


def _is_udf(info: Any) -> bool:
    return bool(info.cell_id) and str(info.raw_cell).lstrip().startswith("%%udf")
