"""What ``session.plan`` gives: a plan that displays itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from notebook_udf.plan.forms import plan_text, plan_tree
from notebook_udf.plan.html import plan_html
from notebook_udf.plan.model import Plan
from notebook_udf.widgets.page import plan_page
from notebook_udf.widgets.scripts import script

if TYPE_CHECKING:
    from rich.tree import Tree


class PlanExplorer:
    """A query's plan, as it was read.

    Attributes
    ----------
    plan
        The data behind it.
    """

    def __init__(self, plan: Plan) -> None:
        self.plan = plan

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
        """The plan as an HTML page that stands alone: the explorer without a kernel.

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
        return plan_html(self.plan)

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        return {"text/plain": repr(self), "text/html": self._repr_html_()}
