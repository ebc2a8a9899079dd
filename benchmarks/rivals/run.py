"""``python -m benchmarks rivals``: one table of the same functions in every engine.

With ``NOTEBOOK_UDF_RIVALS_SHARE=0.01`` in the environment a hundredth of the rows is taken, and
nothing is written to the results. Environments of other engines are kept in the folder that
``NOTEBOOK_UDF_RIVALS_CACHE`` names, or in the user's cache; ``NOTEBOOK_UDF_RIVALS_LIMIT`` is how
many seconds one run may take.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

from rich.console import Console

from benchmarks.measure import Figure
from benchmarks.rivals.comparison import compare
from benchmarks.rivals.report import as_json, figures, show

SHARE = float(os.environ.get("NOTEBOOK_UDF_RIVALS_SHARE", "1"))
# Where a terminal does not say how wide it is, the table is not broken.
_WIDTH = 140


def run(file: Path | None = None) -> list[Figure]:
    """Measures, shows the table, and writes all of it as JSON to ``file``."""
    console = Console()
    if not console.is_terminal:
        console = Console(width=_WIDTH)
    progress = Console(stderr=True)
    with progress.status("rivals") as status:

        def say(text: str) -> None:
            if progress.is_terminal:
                status.update(text[: progress.width - 4])
            else:
                progress.print(text, markup=False, highlight=False)

        comparison = compare(SHARE, say)
    show(comparison, console)
    if file is not None:
        file.write_text(json.dumps(as_json(comparison), indent=1), encoding="utf-8")
    return figures(comparison)
