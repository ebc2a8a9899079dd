"""The plan explorer: a query's plan as a graph, or two of them side by side."""

from __future__ import annotations

from typing import Any

from notebook_udf.widgets.explorer import PlanComparer, PlanExplorer
from notebook_udf.widgets.page import page_template
from notebook_udf.widgets.panel import Panel
from notebook_udf.widgets.scripts import script


class PlanPanel(Panel):
    """Shows one plan, current while it runs, or two."""

    _esm = script("plan")

    def __init__(self, shown: PlanExplorer | PlanComparer) -> None:
        self._shown = shown
        super().__init__()

    def read(self) -> Any:
        """The plan or both, and the page they are saved as."""
        data = self._shown.to_dict()
        kept = {"comparison" if isinstance(self._shown, PlanComparer) else "plan": data}
        return {**kept, "page": page_template()}

    def refresh(self) -> None:
        """Sends the plan again if it runs, or has run since."""
        if isinstance(self._shown, PlanExplorer) and self._shown.refresh():
            super().refresh()

    def twin(self) -> tuple[str, str]:
        """The plan as nested lists and as a tree of text; two as a table."""
        return self._shown._repr_html_(), repr(self._shown)
