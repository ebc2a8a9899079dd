"""A plan as it is read from Spark, which ``plan_builder`` makes a ``PlanNode`` tree of."""

from __future__ import annotations

import json
import pickletools
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

# Wrappers that say how Spark runs operators, and compute nothing.
STAGES = ("ShuffleQueryStage", "BroadcastQueryStage", "ResultQueryStage", "TableCacheQueryStage")
ADAPTIVE = "AdaptiveSparkPlan"

_HEADER = '{"versions": '


@dataclass(frozen=True)
class RawFunction:
    """A Python function in Spark's plan.

    Attributes
    ----------
    text
        Spark's text of the call, with its numbers.
    eval_type, deterministic
        As Spark runs it; -1 and None where not known.
    headers
        The payload headers of this package's functions in it: of one, or of all in a pass.
    nested
        Whether it is called for an argument of another one.
    """

    text: str
    eval_type: int = -1
    deterministic: bool | None = None
    headers: tuple[dict[str, Any], ...] = ()
    nested: bool = False


@dataclass(frozen=True)
class RawMetric:
    """The name, kind and accumulator id of a metric."""

    name: str
    kind: str
    id: int


@dataclass(frozen=True)
class RawNode:
    """An operator of Spark's plan.

    Attributes
    ----------
    name, text
        Spark's name, and its line in the plan.
    output
        Its columns, with Spark's numbers.
    """

    name: str
    text: str
    output: tuple[str, ...] = ()
    functions: tuple[RawFunction, ...] = ()
    metrics: tuple[RawMetric, ...] = ()
    children: tuple[RawNode, ...] = ()


def from_plan_info(info: dict[str, Any]) -> RawNode:
    """Reads a plan from the ``sparkPlanInfo`` of an event log."""
    return RawNode(
        info["nodeName"].strip(),
        info["simpleString"],
        metrics=tuple(
            RawMetric(m["name"], m["metricType"], m["accumulatorId"]) for m in info["metrics"]
        ),
        children=()
        if is_reused(info["nodeName"])
        else tuple(map(from_plan_info, info["children"])),
    )


def is_reused(name: str) -> bool:
    """Whether an operator reads the result of one elsewhere in the plan."""
    return name.startswith("Reused")


def first_bytes(pickled: bytes) -> bytes:
    """The bytes that were pickled, without unpickling anything; b"" if there are none."""
    try:
        found = (a for _, a, _ in pickletools.genops(pickled) if isinstance(a, bytes))
        return next(found, b"")
    except Exception:
        return b""


def headers(command: bytes) -> tuple[dict[str, Any], ...]:
    """The headers of the payloads in a pickle, without unpickling anything.

    There are none for a function that is not of this package, or for bytes that are no pickle.
    """
    found = []
    # The bytes may be anyone's; the headers read before an error are valid.
    with suppress(Exception):
        for _, argument, _ in pickletools.genops(command):
            if isinstance(argument, str) and argument.startswith(_HEADER):
                found.append(json.loads(argument))
    return tuple(found)
