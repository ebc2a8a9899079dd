"""Tables for people, as text and as HTML. Cells are text: nothing in them is ever parsed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.table import Table

Cells = Sequence[str]


def text_table(head: Cells, rows: Iterable[Cells]) -> str:
    """Aligned columns under their headings."""
    everything = [head, *rows]
    widths = [max(len(row[i]) for row in everything) for i in range(len(head))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in everything
    )


def html_table(head: Cells, rows: Iterable[Cells], *, caption: str = "") -> str:
    """The same as an HTML table."""
    title = f"<caption>{escape(caption)}</caption>" if caption else ""
    top = "".join(f"<th>{escape(cell)}</th>" for cell in head)
    body = "".join(
        "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows
    )
    return f"<table>{title}<thead><tr>{top}</tr></thead><tbody>{body}</tbody></table>"


def rich_table(head: Cells, rows: Iterable[Cells], *, caption: str = "") -> Table:
    """The same for ``rich``."""
    from rich.table import Table
    from rich.text import Text

    # As Text, because rich would read square brackets as markup.
    made = Table(title=Text(caption) if caption else None, title_justify="left")
    for cell in head:
        made.add_column(Text(cell))
    for row in rows:
        made.add_row(*map(Text, row))
    return made
