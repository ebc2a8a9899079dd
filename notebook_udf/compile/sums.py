"""``accumulate`` read as sums: what a row adds to which slot of the accumulator, and when.

``compile.sum_paths`` follows the ways through the function's code; here is decided whether what it
finds is a sum. A ``merge`` has to add slot to slot, read so or tried so (``compile.merges``): one
that does not has its own idea of what it is given. Which sums give Python's answer for columns of
given types is decided in ``aggregate_from_sums``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from notebook_udf.compile.accumulating import plain_code, slots_of, takes
from notebook_udf.compile.flow_graph import FlowGraph, UnreadableCode
from notebook_udf.compile.merges import adds_slot_to_slot
from notebook_udf.compile.sum_paths import Total, sum_paths
from notebook_udf.compile.symbolic import read_code
from notebook_udf.functions.definition import FunctionDefinition
from notebook_udf.functions.row import Row
from notebook_udf.functions.sum_ir import Addition, Other, Risk, Slot, Sums


def read(definition: FunctionDefinition) -> Sums | None:
    """The sums an aggregate function is made of; None if it is anything else."""
    function = definition.function
    made = definition.fresh_accumulators()
    if made is None:
        return None
    fresh = made[1][0]
    slots, width = _numbers(fresh), len(fresh) if type(fresh) in (list, Row) else None
    added = _changes(function.accumulate, slots, width)
    if added is None or not added.additions:
        return None
    used = {each.slot for each in added.additions}
    if (
        definition.mergeable
        and not _adds_up(function.merge, used, width)
        and not adds_slot_to_slot(made[0].merge, fresh, used)
    ):
        return None
    taken = takes(function.accumulate)
    removed = _changes(function.retract, slots, width) if definition.retractable else None
    if removed is not None and takes(function.retract) != taken:
        removed = None
    used |= {each.slot for each in removed.additions} if removed else set()
    return Sums(
        {slot: value for slot, value in slots.items() if slot in used},
        added.additions,
        None if removed is None else removed.additions,
        *taken,
        added.risks,
        () if removed is None else removed.risks,
    )


@dataclass(frozen=True)
class SlotChanges:
    """What a method adds to the slots of an accumulator, and where it may raise instead."""

    additions: tuple[Addition, ...]
    risks: tuple[Risk, ...]


def _changes(method: Any, slots: dict[Slot, int | float], width: int | None) -> SlotChanges | None:
    """What a method adds to these slots; None if it does, or may do, anything else."""
    code = plain_code(method)
    if code is None or not slots:
        return None
    return changes_in(read_code(code), code.co_varnames[: code.co_argcount], slots, width)


def changes_in(
    graph: FlowGraph | UnreadableCode,
    arguments: Sequence[str],
    slots: dict[Slot, int | float],
    width: int | None = None,
) -> SlotChanges | None:
    """What a graph of ``accumulate`` or ``retract`` adds to slots; None if it is anything else.

    Parameters
    ----------
    arguments
        The names of its instance, the accumulator and the arguments of a call.
    slots
        The numbers of a fresh accumulator.
    width
        How many items it has, if it can be taken apart.
    """
    paths = sum_paths(graph, arguments, width)
    if paths is None or any(path.looped for path in paths):
        return None
    forbidden = "changed" if None in slots else "returned"
    if any(path.answer == forbidden for path in paths):
        return None
    found = tuple(each for path in paths for each in path.additions())
    if not all(each.slot in slots for each in found):
        return None
    risks = dict.fromkeys(risk for path in paths for risk in path.risks)
    return SlotChanges(found, tuple(risks))


def _adds_up(merge: Any, slots: set[Slot], width: int | None) -> bool:
    """Whether ``merge`` adds every slot of each accumulator to that of the first."""
    code = plain_code(merge)
    if code is None or code.co_argcount != 3:
        return False
    return adds_up(read_code(code), code.co_varnames[:3], slots, width)


def adds_up(
    graph: FlowGraph | UnreadableCode,
    arguments: Sequence[str],
    slots: set[Slot],
    width: int | None = None,
) -> bool:
    """Whether a graph of ``merge`` adds these slots of each accumulator to those of the first.

    ``width`` is how many items an accumulator has, if it can be taken apart.
    """
    paths = sum_paths(graph, arguments, width)
    if paths is None or len(paths) != 1:
        return False
    wanted = {Total(slot, ((False, Other(slot)),)) for slot in slots}
    return wanted <= set(paths[0].totals) and all(
        total == Total(total.slot, ((False, Other(total.slot)),)) for total in paths[0].totals
    )


def _numbers(fresh: Any) -> dict[Slot, int | float]:
    """The numbers of a fresh accumulator."""
    return {slot: v for slot, v in slots_of(fresh).items() if type(v) in (int, float)}
