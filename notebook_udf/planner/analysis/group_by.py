"""What GROUP BY groups by: the expressions in its sets, what its numbers and names mean."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from sqlglot import exp

# Functions that say which of its sets a group belongs to.
GROUPING = ("grouping", "grouping_id", "grouping__id")

_SETS = (exp.GroupingSets, exp.Rollup, exp.Cube)


def has_sets(group: exp.Group) -> bool:
    """Whether there is a ROLLUP, a CUBE or GROUPING SETS."""
    return any(isinstance(node, _SETS) for node in group.walk())


def grouping_items(group: exp.Group) -> list[exp.Expression]:
    """The expressions GROUP BY groups by, out of its sets."""
    found: list[exp.Expression] = []

    def collect(node: exp.Expression) -> None:
        if isinstance(node, (*_SETS, exp.Tuple)):
            for below in node.expressions:
                collect(below)
        elif isinstance(node, exp.Paren):
            collect(node.this)
        else:
            found.append(node)

    for value in group.args.values():
        for node in value if isinstance(value, list) else [value]:
            if isinstance(node, exp.Expression):
                collect(node)
    return found


def aliases_of(select: exp.Select) -> set[str]:
    """The names that were given to what is selected, in lower case."""
    return {p.alias.lower() for p in select.expressions if isinstance(p, exp.Alias)}


def meant_by(
    item: exp.Expression,
    projections: Sequence[exp.Expression],
    aliases: Collection[str],
    columns: Callable[[], list[str]],
) -> exp.Expression | None:
    """What GROUP BY means by an item: a number or an alias stands for a projection.

    ``columns`` asks for the names of the columns that the SELECT reads, which come before aliases.
    None for the number of no projection.
    """
    if isinstance(item, exp.Literal) and item.is_int:
        place = int(item.name) - 1
        return projections[place].unalias().copy() if 0 <= place < len(projections) else None
    name = item.name.lower()
    if not isinstance(item, exp.Column) or item.table or name not in aliases:
        return item
    if name in {column.lower() for column in columns()}:
        return item
    return next(p for p in projections if p.alias.lower() == name).unalias().copy()
