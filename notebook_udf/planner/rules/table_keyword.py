"""Flink's ``TABLE(f(x))`` in a FROM: the rows of ``f``, where Spark would call a function TABLE."""

from __future__ import annotations

import re

from sqlglot import exp

from notebook_udf.planner.analysis.aggregate_calls import name_of

_CALL_IN_TABLE = re.compile(r"(?i)\bTABLE\s*\(\s*[\w`.]+\s*\(")


def may_stand_in(query: str) -> bool:
    """Whether the text may have one; cheap, and never wrong about a no."""
    return _CALL_IN_TABLE.search(query) is not None


def without(tree: exp.Expression) -> exp.Expression:
    """The query with ``f(x)`` for each ``TABLE(f(x))`` in a FROM; itself if there is none."""
    if not any(map(_called_in_table, tree.walk())):
        return tree
    made = tree.copy()
    for relation in list(made.walk()):
        call = _called_in_table(relation)
        if call is not None:
            relation.set("this", call)
    return made


def _called_in_table(relation: exp.Expression) -> exp.Expression | None:
    """The call that a relation makes by way of TABLE."""
    if not isinstance(relation, (exp.Table, exp.Lateral)) or name_of(relation.this) != "table":
        return None
    arguments = relation.this.expressions
    if len(arguments) != 1 or not name_of(arguments[0]):
        return None
    call: exp.Expression = arguments[0]
    return call
