"""The common table expressions (WITH) that a part of a query sees, to ask Spark about that part."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sqlglot import exp

from notebook_udf.planner.syntax.dialect import embedded
from notebook_udf.planner.syntax.nodes import Statement


def own_with(node: exp.Expression) -> exp.With | None:
    """The WITH that a query, or a statement with one, begins with."""
    if isinstance(node, Statement):
        first = node.expressions[0] if node.expressions else None
        return first if isinstance(first, exp.With) else None
    found: exp.With | None = node.args.get("with_")
    return found


def visible_ctes(node: exp.Expression) -> list[exp.CTE]:
    """The common table expressions around a node, the outermost first, without its own WITH."""
    found: list[exp.CTE] = []
    while node.parent is not None:
        inside, node = node, node.parent
        own = own_with(node)
        if own is not None and own is not inside:
            found = [*own.expressions, *found]
        elif isinstance(node, exp.With):
            found = [*node.expressions[: node.expressions.index(inside)], *found]
    return found


def tables_of(query: exp.Expression) -> list[exp.CTE]:
    """All common table expressions that a query may name, its own included."""
    own = own_with(query)
    return [*visible_ctes(query), *(own.expressions if own is not None else [])]


def below(
    ctes: Sequence[exp.CTE],
    query: str,
    write: Callable[[exp.Expression], str] = embedded,
) -> str:
    """The text of a query behind a WITH of these tables."""
    if not ctes:
        return query
    recursive = any(cte.parent is not None and cte.parent.args.get("recursive") for cte in ctes)
    return f"WITH {'RECURSIVE ' if recursive else ''}{', '.join(map(write, ctes))} {query}"
