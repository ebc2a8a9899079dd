"""A notebook's cell for tests that need no kernel: its names, and source that can be found."""

from __future__ import annotations

import linecache
from typing import Any


def in_a_cell(source: str, **names: Any) -> dict[str, Any]:
    """What a notebook's names are after a cell that is run in them."""
    file = f"<cell {abs(hash(source))}>"
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    cell = {"__name__": "__main__", **names}
    exec(compile(source, file, "exec"), cell)
    return cell
