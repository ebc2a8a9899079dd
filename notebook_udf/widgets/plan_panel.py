"""The plan panel: a query's plan as a graph, or two plans side by side."""

from __future__ import annotations

from typing import Annotated, Any, NotRequired, TypedDict

from notebook_udf.plan.compare import ComparisonData
from notebook_udf.plan.plan_model import Plan, PlanStages
from notebook_udf.widgets.explorer import PlanComparer, PlanExplorer
from notebook_udf.widgets.page import page_template
from notebook_udf.widgets.panel import Panel
from notebook_udf.widgets.scripts import script


class PlanData(TypedDict):
    """A plan or a comparison, and the template of the page that a browser fills in and saves."""

    plan: NotRequired[Annotated[dict[str, Any], Plan, PlanStages]]
    comparison: NotRequired[ComparisonData]
    page: str


class PlanPanel(Panel):
    """The panel of one plan, kept current while it runs, or of two."""

    _esm = script("plan")

    def __init__(self, shown: PlanExplorer | PlanComparer) -> None:
        self._shown = shown
        super().__init__()

    def read(self) -> PlanData:
        """The plan or both plans, and the template of the page they are saved as."""
        if isinstance(self._shown, PlanComparer):
            return {"comparison": self._shown.to_dict(), "page": page_template()}
        return {"plan": self._shown.to_dict(), "page": page_template()}

    def refresh(self) -> None:
        """Sends the plan again if it is running, or has run since."""
        if isinstance(self._shown, PlanExplorer) and self._shown.refresh():
            super().refresh()

    def twin(self) -> tuple[str, str]:
        """The plan as nested lists and as a tree of text; two as a table."""
        return self._shown._repr_html_(), repr(self._shown)
