"""The plan explorer: a query's plan as a graph."""

from __future__ import annotations

from typing import Any

from notebook_udf.widgets.explorer import PlanExplorer
from notebook_udf.widgets.page import page_template
from notebook_udf.widgets.panel import Panel
from notebook_udf.widgets.scripts import script


class PlanPanel(Panel):
    """Shows one plan."""

    _esm = script("plan")

    def __init__(self, explorer: PlanExplorer) -> None:
        self._explorer = explorer
        super().__init__()

    def read(self) -> Any:
        """The plan, and the page it is saved as."""
        return {"plan": self._explorer.to_dict(), "page": page_template()}

    def twin(self) -> tuple[str, str]:
        """The plan as nested lists, and as a tree of text."""
        return self._explorer._repr_html_(), repr(self._explorer)
