"""Calls of table functions in the FROM of a SELECT, as data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sqlglot import exp

from notebook_udf.errors import PlanningError
from notebook_udf.planner.analysis.aggregate_calls import by_place_and_name, name_of, position
from notebook_udf.planner.syntax.nodes import TableArgument
from notebook_udf.registry import RegisteredFunction


@dataclass(frozen=True)
class FromCall:
    """A call of a table function in FROM.

    Attributes
    ----------
    record
        What is called.
    arguments, named
        The arguments in the parentheses; the parameters of the last ones, if given by name.
    qualifier, names
        What its rows and their columns are called.
    outer
        Whether a row without rows of the call stays.
    condition
        Which pairs are kept; None for all.
    """

    record: RegisteredFunction
    arguments: tuple[exp.Expression, ...]
    named: tuple[str, ...]
    qualifier: str
    names: tuple[str, ...]
    outer: bool = False
    condition: exp.Expression | None = None


def items(select: exp.Select) -> list[exp.Expression]:
    """The items of FROM, in order: a From, Joins, and the Laterals of LATERAL VIEW."""
    first = select.args.get("from_")
    found = [first] if first is not None else []
    return [*found, *(select.args.get("joins") or []), *(select.args.get("laterals") or [])]


def relation(item: exp.Expression) -> exp.Expression:
    """The relation that an item brings in."""
    if isinstance(item, exp.Lateral):
        return item
    found: exp.Expression = item.this
    return found


def hoist(select: exp.Select) -> None:
    """Moves joins that the parser has put below the first relation up into the SELECT."""
    first = select.args.get("from_")
    if first is None:
        return
    source = first.this
    if isinstance(source, exp.Subquery) and isinstance(source.this, exp.Table):
        if source.args.get("alias") is not None:
            return
        source = source.this
        first.set("this", source)
    joins = source.args.get("joins")
    if joins:
        source.set("joins", None)
        select.set("joins", [*joins, *(select.args.get("joins") or [])])


def lateral_call(
    item: exp.Expression, functions: Mapping[str, RegisteredFunction]
) -> FromCall | None:
    """The lateral call of an item, if a table operator can make it."""
    lateral = relation(item)
    if not isinstance(lateral, exp.Lateral):
        return None
    outer, condition = bool(lateral.args.get("outer")), None
    if isinstance(item, exp.Join):
        side, kind = str(item.side).upper(), str(item.kind).upper()
        if side not in ("", "LEFT") or kind not in ("", "INNER", "CROSS", "OUTER"):
            return None
        if item.args.get("using") or item.method:
            return None
        outer, condition = side == "LEFT", item.args.get("on")
        if isinstance(condition, exp.Boolean) and condition.this:
            condition = None
    return _call(lateral.this, lateral, functions, outer, condition)


def standing_call(
    item: exp.Expression, functions: Mapping[str, RegisteredFunction]
) -> FromCall | None:
    """The call of an item that is a relation by itself: ``FROM f(3)``."""
    table = relation(item)
    if not isinstance(table, exp.Table):
        return None
    return _call(table.this, table, functions, False, None)


def _call(
    node: exp.Expression,
    source: exp.Expression,
    functions: Mapping[str, RegisteredFunction],
    outer: bool,
    condition: exp.Expression | None,
) -> FromCall | None:
    record = functions.get(name_of(node))
    if record is None or any(map(_is_table, node.expressions)):
        return None
    alias = source.args.get("alias")
    columns = [column.name for column in alias.columns] if alias is not None else []
    own = record.definition.result_type.names
    if columns and len(columns) != len(own):
        raise PlanningError(
            f"{position(node)}{record.name} gives {len(own)} columns ({', '.join(own)}), "
            f"and there are {len(columns)} names: {', '.join(columns)}"
        )
    arguments, named = _in_order(node, record)
    return FromCall(
        record=record,
        arguments=arguments,
        named=named,
        qualifier=(alias.name if alias is not None else "") or record.name,
        names=tuple(columns or own),
        outer=outer,
        condition=condition,
    )


def _is_table(argument: exp.Expression) -> bool:
    """Whether an argument is TABLE(...)."""
    value = argument.expression if isinstance(argument, exp.Kwarg) else argument
    return isinstance(value, TableArgument)


def _in_order(
    node: exp.Expression, record: RegisteredFunction
) -> tuple[tuple[exp.Expression, ...], tuple[str, ...]]:
    """The arguments in the order of the parameters; names where they leave some out."""
    placed, given = by_place_and_name(node.expressions)
    names = list(record.definition.parameters)
    free = any(name.startswith("*") for name in names)
    rest = names[len(placed) :]
    if (set(given) - set(rest) or len(placed) > len(names)) and not free:
        shown = [f"{len(placed)} by position", *given]
        raise PlanningError(
            f"{position(node)}{record.name} takes {', '.join(names) or 'nothing'}; it was "
            f"given {', '.join(shown if given else shown[:1])}"
        )
    ordered = [name for name in rest if name in given] + [n for n in given if n not in rest]
    arguments = (*placed, *(given[name] for name in ordered))
    return arguments, () if ordered == rest[: len(ordered)] else tuple(ordered)
