"""The first rows of a result as a static table, in HTML and in text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from notebook_udf.render.format import counted
from notebook_udf.render.markup import div, markup
from notebook_udf.render.tables import Table
from notebook_udf.sanitize import one_line

_CELL = 200
_COLUMNS = 200


@dataclass(frozen=True)
class RowsTable:
    """The first rows of a result; ``more`` says whether it has further ones."""

    columns: tuple[str, ...]
    rows: Sequence[Sequence[Any]]
    more: bool

    @classmethod
    def of(cls, frame: Any, limit: int) -> RowsTable:
        """The first rows of a DataFrame."""
        # One more than is shown says whether there are more, without counting them all.
        rows = frame.take(limit + 1)
        return cls(tuple(frame.columns), rows[:limit], len(rows) > limit)

    @property
    def count(self) -> str:
        """In words, how many rows are shown, and whether there are more."""
        number = len(self.rows)
        if self.more:
            return f"the first {counted(number, 'row')}; there are more"
        return f"{counted(number, 'row')}, all shown"

    @property
    def hidden_columns(self) -> int:
        """The number of columns that are not shown."""
        return max(0, len(self.columns) - _COLUMNS)

    def _table(self) -> Table:
        head = tuple(one_line(name, _CELL) for name in self.columns[:_COLUMNS])
        rows = [tuple(cell(value) for value in row[:_COLUMNS]) for row in self.rows]
        if self.hidden_columns:
            more = f"… ({self.hidden_columns:,} more columns)"
            head, rows = (*head, more), [(*row, "…") for row in rows]
        return Table(head, rows)

    def __repr__(self) -> str:
        return self._table().text

    def _repr_html_(self) -> str:
        return markup(div(self._table().html, style="overflow-x:auto"))


def cell(value: Any) -> str:
    """A value in one line of text."""
    if value is None:
        return "NULL"
    if isinstance(value, (bytes, bytearray)):
        more = f"… ({len(value):,} bytes)" if len(value) > _CELL // 2 else ""
        return f"0x{bytes(value[: _CELL // 2]).hex()}{more}"
    return one_line(str(value), _CELL)
