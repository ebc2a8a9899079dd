"""The stateful nodes of plans in the JVM: what is known of them beyond what Spark knows.

Spark's plan names them by the identifiers of their columns. What starts a query asks here what a
checkpoint has to hold, and for the plan of all groups after each micro-batch instead of those that
changed.
"""

from __future__ import annotations

from pyspark.sql import DataFrame

from notebook_udf.host.streams import KeptGroups

_known: dict[int, KeptGroups] = {}


def remember(groups: DataFrame, kept: KeptGroups) -> None:
    """Notes the groups behind a DataFrame that ``transformWithState`` returned."""
    _known[_identifier(groups._jdf.queryExecution().analyzed())] = kept


def known(node: object) -> KeptGroups | None:
    """The groups noted for a node of Spark's plan, or None."""
    return _known.get(_identifier(node))


def forget() -> None:
    """Drops everything, at the end of the session."""
    _known.clear()


def _identifier(node: object) -> int:
    return int(node.output().apply(0).exprId().id())  # type: ignore[attr-defined]
