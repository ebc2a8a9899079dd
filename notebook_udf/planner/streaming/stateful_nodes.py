"""What is known of groups that a plan keeps in a stream's state, beyond what Spark knows.

Spark's plan names them by the identifiers of their columns. Those who start a query ask here: what
a checkpoint has to hold, and what gives every group after each micro-batch instead of those that
changed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from pyspark.sql import DataFrame
from pyspark.sql.types import StructType


@dataclass(frozen=True)
class KeptGroups:
    """Groups of one aggregation.

    Attributes
    ----------
    keys, types
        The group's key, and what the state holds of it: types of accumulators, and of what else.
    complete
        The same columns for every group there is, by Spark's own GROUP BY.
    """

    keys: StructType
    types: StructType
    complete: Callable[[], DataFrame]


_known: dict[int, KeptGroups] = {}


def remember(groups: DataFrame, kept: KeptGroups) -> None:
    """Notes what ``groups``, as ``transformWithState`` answered them, are."""
    if hasattr(groups, "_jdf"):
        _known[_identifier(groups._jdf.queryExecution().analyzed())] = kept


def known(node: object) -> KeptGroups | None:
    """What was noted of a node of Spark's plan, or None."""
    return _known.get(_identifier(node))


def forget() -> None:
    """Drops everything, as the session ends."""
    _known.clear()


def _identifier(node: object) -> int:
    return int(node.output().apply(0).exprId().id())  # type: ignore[attr-defined]
