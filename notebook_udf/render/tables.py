"""Tables as text, as HTML and for ``rich``. Cells are text, and never read as markup."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from notebook_udf.render import markup as m
from notebook_udf.sanitize import one_line, plain

if TYPE_CHECKING:
    from rich.table import Table as RichTable

Cells: TypeAlias = Sequence[str]


@dataclass(frozen=True)
class Table:
    """Rows of cells under their headings."""

    head: Cells
    rows: Sequence[Cells]
    caption: str = ""

    @property
    def text(self) -> str:
        """The table as text: aligned columns under the caption."""
        everything = [list(map(one_line, row)) for row in (self.head, *self.rows)]
        widths = [max(len(row[i]) for row in everything) for i in range(len(self.head))]
        lines = [
            "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
            for row in everything
        ]
        return "\n".join([self.caption, *lines] if self.caption else lines)

    @property
    def html(self) -> m.Element:
        """The table in HTML."""
        return m.table(
            m.caption(self.caption) if self.caption else None,
            m.thead(m.tr(map(m.th, self.head))),
            m.tbody(m.tr(map(m.td, row)) for row in self.rows),
        )

    @property
    def rich(self) -> RichTable:
        """The table for ``rich``."""
        from rich.table import Table as RichTable
        from rich.text import Text

        # As Text, because rich would read square brackets as markup.
        title = Text(self.caption) if self.caption else None
        made = RichTable(title=title, title_justify="left")
        for cell in self.head:
            made.add_column(Text(plain(cell)))
        for row in self.rows:
            made.add_row(*(Text(plain(cell)) for cell in row))
        return made
