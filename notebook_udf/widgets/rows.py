"""The first rows of a result as a static table, in HTML and in text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from notebook_udf.sanitize import counted, one_line
from notebook_udf.tables import html_table, text_table

_CELL = 200
_COLUMNS = 200


@dataclass(frozen=True)
class RowsTable:
    """Rows to look at; ``more`` says that the result has further ones."""

    columns: tuple[str, ...]
    rows: Sequence[Sequence[Any]]
    more: bool

    @property
    def count(self) -> str:
        """How many rows are shown, and whether there are more."""
        number = len(self.rows)
        if self.more:
            return f"the first {counted(number, 'row')}; there are more"
        return f"{counted(number, 'row')}, all shown"

    @property
    def hidden_columns(self) -> int:
        """Columns beyond those that are shown."""
        return max(0, len(self.columns) - _COLUMNS)

    def _cells(self) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
        head = tuple(one_line(name, _CELL) for name in self.columns[:_COLUMNS])
        rows = [tuple(cell(value) for value in row[:_COLUMNS]) for row in self.rows]
        if self.hidden_columns:
            more = f"… ({self.hidden_columns:,} more columns)"
            head, rows = (*head, more), [(*row, "…") for row in rows]
        return head, rows

    def __repr__(self) -> str:
        return text_table(*self._cells())

    def _repr_html_(self) -> str:
        return f'<div style="overflow-x:auto">{html_table(*self._cells())}</div>'


def cell(value: Any) -> str:
    """A value in one line of text."""
    if value is None:
        return "NULL"
    if isinstance(value, (bytes, bytearray)):
        return one_line(f"0x{bytes(value[: _CELL // 2]).hex()}", _CELL) + (
            f"… ({len(value):,} bytes)" if len(value) > _CELL // 2 else ""
        )
    return one_line(str(value), _CELL)
