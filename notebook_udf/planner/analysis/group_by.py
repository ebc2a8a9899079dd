"""GROUP BY: the expressions in its grouping sets, and what its ordinals and aliases mean."""

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
    """The expressions of GROUP BY, grouping sets flattened."""
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
    """The aliases in the SELECT list, in lower case."""
    return {p.alias.lower() for p in select.expressions if isinstance(p, exp.Alias)}


def meant_by(
    item: exp.Expression,
    projections: Sequence[exp.Expression],
    aliases: Collection[str],
    columns: Callable[[], list[str]],
) -> exp.Expression | None:
    """What an item of GROUP BY means: an ordinal or an alias stands for a projection.

    ``columns`` returns the names of the columns that the SELECT reads, which come before aliases.
    None for an ordinal without a projection.
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
