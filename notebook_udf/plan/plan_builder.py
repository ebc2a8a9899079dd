"""Builds the nodes of a plan from the operators that were read.

Wrappers (code generation, query stages, shuffle reads) are removed: they become properties of the
operators they wrap.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from notebook_udf.host.raw_plan import ADAPTIVE, STAGES, RawMetric, RawNode
from notebook_udf.plan.demangle import PlanNames
from notebook_udf.plan.functions import Lookup, functions_of, line_of
from notebook_udf.plan.metric_text import read_metric
from notebook_udf.plan.plan_model import Kind, Metric, PlanNode
from notebook_udf.plan.spark_operators import (
    ADAPTER,
    CODEGEN,
    SHUFFLE_READ,
    kind_of,
    read_operator,
)

_BORDERS: tuple[Kind, ...] = ("shuffle", "broadcast", "subquery")


@dataclass
class _Draft:
    raw: RawNode
    kind: Kind
    codegen: int | None
    metrics: list[RawMetric]
    reads: str
    children: list[_Draft] = field(default_factory=list)
    stage: int = -1


def build(raw: RawNode, lookup: Lookup, values: Callable[[int], str | None]) -> PlanNode:
    """Builds the plan's nodes; returns the root.

    Parameters
    ----------
    lookup
        Finds the definitions of registered functions.
    values
        Finds the text of a metric by its accumulator id; None without a value.
    """
    names = PlanNames(raw)
    root = _draft(raw, None, [], "")
    _number_stages(root)
    return _Freezing(names, lookup, values).node(root)


def _draft(raw: RawNode, codegen: int | None, metrics: list[RawMetric], reads: str) -> _Draft:
    group = CODEGEN.match(raw.name)
    if len(raw.children) == 1:
        (child,) = raw.children
        if group is not None:
            return _draft(child, int(group[1]), [*metrics, *raw.metrics], reads)
        if raw.name == ADAPTER:
            return _draft(child, None, metrics, reads)
        if raw.name == SHUFFLE_READ:
            how = raw.text.removeprefix(SHUFFLE_READ).strip()
            return _draft(child, None, [*metrics, *raw.metrics], how)
        if raw.name in STAGES or raw.name == ADAPTIVE:
            return _draft(child, codegen, metrics, reads)
    made = _Draft(raw, kind_of(raw), codegen, [*metrics, *raw.metrics], reads)
    made.children = [_draft(child, codegen, [], "") for child in raw.children]
    return made


def _number_stages(root: _Draft) -> None:
    """Numbers the stages, the parts between shuffles, each after those that it reads."""
    count = 0

    def visit(top: _Draft) -> None:
        nonlocal count
        members: list[_Draft] = []
        pending = [top]
        while pending:
            node = pending.pop()
            members.append(node)
            for child in node.children:
                # An operator that writes a shuffle runs in the stage below it.
                if child.kind in _BORDERS:
                    visit(child)
                else:
                    pending.append(child)
        for node in members:
            node.stage = count
        count += 1

    visit(root)


class _Freezing:
    def __init__(
        self, names: PlanNames, lookup: Lookup, values: Callable[[int], str | None]
    ) -> None:
        self._names = names
        self._lookup = lookup
        self._values = values
        self._count = 0

    def node(self, draft: _Draft) -> PlanNode:
        number = self._count
        self._count += 1
        raw = draft.raw
        read = read_operator(raw, self._names)
        functions = functions_of(raw, self._names, self._lookup)
        facts = [*read.facts, *([("reads", draft.reads)] if draft.reads else [])]
        return PlanNode(
            id=number,
            name=raw.name,
            kind=draft.kind,
            detail=line_of(functions) if draft.kind == "python" and functions else read.detail,
            columns=tuple(self._names.shown(column) for column in raw.output),
            facts=tuple(facts),
            functions=functions,
            metrics=self._metrics(draft.metrics),
            stage=draft.stage,
            codegen=draft.codegen,
            expressions=raw.text,
            children=tuple(self.node(child) for child in draft.children),
        )

    def _metrics(self, metrics: list[RawMetric]) -> tuple[Metric, ...]:
        found = []
        for metric in metrics:
            text = self._values(metric.id)
            read = None if text is None else read_metric(metric.name, metric.kind, text)
            if read is not None:
                found.append(read)
        return tuple(found)
