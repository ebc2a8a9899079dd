"""The names of a SELECT's columns, kept when what they are named after is written anew."""

from __future__ import annotations

from collections.abc import Callable

from sqlglot import exp

from notebook_udf.planner.dialect import text


def name_projections(
    select: exp.Select, which: Callable[[exp.Expression], bool] = lambda projection: True
) -> None:
    """What a projection was called it is still called when its columns have other names."""
    for projection in list(select.expressions):
        if not isinstance(projection, (exp.Alias, exp.Aliases, exp.Star)) and which(projection):
            give_name(projection, written_name(projection))


def written_name(projection: exp.Expression) -> str:
    """The name a projection has by how it is written."""
    return projection.name if isinstance(projection, exp.Column) else text(projection)


def give_name(projection: exp.Expression, name: str) -> None:
    """Puts an alias around a projection."""
    identifier = exp.to_identifier(name, quoted=True)
    projection.replace(exp.alias_(projection.copy(), identifier))
