"""Compares two plans: which operators are the same, which changed, which only one plan has.

Operators are listed parents first, and paired along the longest runs of operators that both plans
have in common, by name and functions.
"""

from __future__ import annotations

from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cached_property
from typing import Annotated, Any, Literal, TypedDict

from notebook_udf.plan.plan_model import Plan, PlanNode, PlanStages

Mark = Literal["same", "changed", "only here"]


class ComparisonData(TypedDict):
    """A comparison of two plans as data: ``pairs`` are the ids of paired operators, ``marks`` the
    mark of each operator by its id, left and right."""

    left: Annotated[dict[str, Any], Plan, PlanStages]
    right: Annotated[dict[str, Any], Plan, PlanStages]
    pairs: list[Annotated[list[int], tuple[int, int]]]
    marks: Annotated[list[dict[str, Mark]], tuple[dict[str, Mark], dict[str, Mark]]]


@dataclass(frozen=True)
class PlanComparison:
    """The comparison of two plans.

    Attributes
    ----------
    left, right
        The plans, as of their reading.
    """

    left: Plan
    right: Plan

    @cached_property
    def pairs(self) -> tuple[tuple[int, int], ...]:
        """The ids of paired operators, left and right."""
        left, right = self.left.nodes(), self.right.nodes()
        matcher = SequenceMatcher(
            None, [_identity(n) for n in left], [_identity(n) for n in right], autojunk=False
        )
        return tuple(
            (left[block.a + i].id, right[block.b + i].id)
            for block in matcher.get_matching_blocks()
            for i in range(block.size)
        )

    @cached_property
    def marks(self) -> tuple[dict[int, Mark], dict[int, Mark]]:
        """The mark of each operator by its id, left and right."""
        lefts = {node.id: node for node in self.left.nodes()}
        rights = {node.id: node for node in self.right.nodes()}
        marks: tuple[dict[int, Mark], dict[int, Mark]] = (
            dict.fromkeys(lefts, "only here"),
            dict.fromkeys(rights, "only here"),
        )
        for one, other in self.pairs:
            same = _computed(lefts[one]) == _computed(rights[other])
            marks[0][one] = marks[1][other] = "same" if same else "changed"
        return marks

    @property
    def equal(self) -> bool:
        """Whether both plans have the same operators in the same order."""
        return all(mark == "same" for side in self.marks for mark in side.values())

    def to_dict(self) -> ComparisonData:
        """The comparison as JSON-able data."""
        return {
            "left": self.left.to_dict(),
            "right": self.right.to_dict(),
            "pairs": [list(pair) for pair in self.pairs],
            "marks": [{str(id): mark for id, mark in side.items()} for side in self.marks],
        }

    def lines(self) -> list[tuple[PlanNode | None, PlanNode | None, Mark]]:
        """Both plans as one list of lines, with paired operators in one line."""
        left, right = self.left.nodes(), self.right.nodes()
        made: list[tuple[PlanNode | None, PlanNode | None, Mark]] = []
        i = j = 0
        for one, other in (*self.pairs, (len(left), len(right))):
            made += [(node, None, "only here") for node in left[i:one]]
            made += [(None, node, "only here") for node in right[j:other]]
            if one < len(left):
                made.append((left[one], right[other], self.marks[0][one]))
            i, j = one + 1, other + 1
        return made


def _identity(node: PlanNode) -> tuple[str, ...]:
    return (node.name, *(use.name for use in node.functions))


def _computed(node: PlanNode) -> tuple[Any, ...]:
    """What an operator computes, without its costs."""
    # How a shuffle is read is decided while a plan runs.
    facts = tuple(fact for fact in node.facts if fact[0] != "reads")
    uses = tuple((use.label, use.role, use.way, use.call) for use in node.functions)
    return node.detail, facts, node.columns, uses
