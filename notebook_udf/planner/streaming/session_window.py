"""Session windows of streams, which are Spark's own: their borders move with the rows.

Spark groups a stream by a session window only beside another key. ``COMPANION`` is one that all
rows share, and that its optimizer cannot tell from others.
"""

from __future__ import annotations

from sqlglot import exp

from notebook_udf.planner.analysis.aggregate_calls import name_of
from notebook_udf.planner.syntax.dialect import fragment

COMPANION = "spark_partition_id() < 0"
SESSION_WINDOW = "session_window"


def is_session_window(name: str) -> bool:
    """Whether a key is a session window, by the name of its column."""
    return f"{SESSION_WINDOW}(" in name


def add_companions(tree: exp.Expression) -> bool:
    """Gives session windows alone in a GROUP BY a companion; returns whether there were any."""
    found = False
    for select in tree.find_all(exp.Select):
        group = select.args.get("group")
        items = group.expressions if group is not None else []
        if items and all(name_of(item) == SESSION_WINDOW for item in items):
            made = fragment(COMPANION)
            group.append("expressions", made)
            found = True
    return found
