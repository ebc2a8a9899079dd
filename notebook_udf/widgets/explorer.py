"""The plan explorer that ``session.plan`` returns: a plan that displays itself."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from notebook_udf.errors import PlanningError
from notebook_udf.plan.compare import ComparisonData, PlanComparison
from notebook_udf.plan.html_renderer import plan_html
from notebook_udf.plan.plan_model import Plan
from notebook_udf.plan.text_renderer import comparison_table, plan_text, plan_tree
from notebook_udf.render.display import Displayed
from notebook_udf.render.markup import markup
from notebook_udf.render.tables import Table
from notebook_udf.widgets.page import plan_page
from notebook_udf.widgets.scripts import script

if TYPE_CHECKING:
    from rich.tree import Tree


class PlanExplorer:
    """A query's plan, as of its last reading.

    Attributes
    ----------
    plan
        The data behind it.

    Examples
    --------
    >>> half = session.register_function("half", lambda x: x / 2, result_type="double")
    >>> plan = session.plan("SELECT half(id) AS h FROM range(3)")
    >>> plan.refresh(), sorted(plan.to_dict())[:3], plan.to_html()[:15].lower()
    (False, ['adaptive', 'advice', 'initial'], '<!doctype html>')
    >>> other = session.plan("SELECT half(id) AS h FROM range(3) WHERE id > 1")
    >>> sorted(plan.compare(other).to_dict())
    ['left', 'marks', 'pairs', 'right']
    """

    def __init__(self, plan: Plan, newer: Callable[[], Plan | None] = lambda: None) -> None:
        self.plan = plan
        self._newer = newer

    def refresh(self) -> bool:
        """Reads the plan again, with its current metrics.

        Returns
        -------
        bool
            Whether anything about it has changed since the last reading.
        """
        plan = self._newer()
        if plan is not None:
            self.plan = plan
        return plan is not None

    def compare(self, other: PlanExplorer) -> PlanComparer:
        """Compares this plan with another one; differences are marked.

        Raises
        ------
        PlanningError
            If ``other`` is not what ``session.plan`` returns.
        """
        if not isinstance(other, PlanExplorer):
            raise PlanningError(
                f"a plan is compared with another one, not with {type(other).__name__}: take "
                f"session.plan(query) of it"
            )
        return PlanComparer(PlanComparison(self.plan, other.plan))

    def to_dict(self) -> dict[str, Any]:
        """The plan as JSON-able data.

        Returns
        -------
        dict
            ``root`` and ``initial`` (operators: ``id``, ``name``, ``kind``, ``detail``,
            ``columns``, ``facts``, ``functions``, ``costs``, ``metrics``, ``stage``, ``codegen``,
            ``children``), ``adaptive``, ``run``, ``note``, ``strategies``, ``advice``, ``stages``.
            Times in seconds, sizes in bytes.
        """
        return self.plan.to_dict()

    def to_html(self) -> str:
        """The plan as a standalone HTML page: the explorer without a kernel.

        Raises
        ------
        SessionError
            If the package was installed without its scripts.
        """
        return plan_page(self.plan, script("plan"))

    def __repr__(self) -> str:
        return plan_text(self.plan)

    def __rich__(self) -> Tree:
        return plan_tree(self.plan)

    def _repr_html_(self) -> str:
        return markup(plan_html(self.plan))

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        return {"text/plain": repr(self), "text/html": self._repr_html_()}


class PlanComparer(Displayed):
    """Two plans side by side.

    Attributes
    ----------
    comparison
        The data behind it.
    """

    def __init__(self, comparison: PlanComparison) -> None:
        self.comparison = comparison

    def to_dict(self) -> ComparisonData:
        """Both plans and their differences as JSON-able data: ``left``, ``right``, ``pairs`` of
        operators' ids, and ``marks`` of both sides by id (``same``, ``changed``, ``only here``)."""
        return self.comparison.to_dict()

    def _blocks(self) -> list[Table]:
        return [comparison_table(self.comparison)]

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        return {"text/plain": repr(self), "text/html": self._repr_html_()}
