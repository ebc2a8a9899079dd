"""Calls of aggregate functions in a parsed query, as data.

``find_calls`` finds those of one SELECT, whatever is inside or around them: DISTINCT, FILTER, OVER.
A form that no aggregate can take is an error that names it.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from sqlglot import exp

from notebook_udf.errors import PlanningError
from notebook_udf.functions.kind_traits import Gives, Takes
from notebook_udf.planner.syntax.dialect import embedded, place_in
from notebook_udf.planner.syntax.nodes import OpaqueQuery, origin_of
from notebook_udf.registry import RegisteredFunction

T = TypeVar("T")


@dataclass(frozen=True)
class AggregateCall:
    """A call in a query.

    Attributes
    ----------
    node
        The outermost node that belongs to the call: the function, its FILTER or its OVER.
    record
        What is called.
    arguments, distinct, condition
        The arguments in the parentheses, and the condition of FILTER.
    window
        The OVER clause.
    """

    node: exp.Expression
    record: RegisteredFunction
    arguments: tuple[exp.Expression, ...]
    distinct: bool = False
    condition: exp.Expression | None = None
    window: exp.Window | None = None


def name_of(node: exp.Expression) -> str:
    """The name of a called function, in lower case; "" if the node is no call."""
    if isinstance(node, exp.Anonymous):
        # Of a quoted name the text without its quotes.
        return str(node.name).lower()
    if isinstance(node, exp.Func):
        return str(node.meta.get("name") or node.sql_name()).lower()
    return ""


def arguments_of(node: exp.Expression) -> list[exp.Expression]:
    """The arguments in a call's parentheses."""
    if isinstance(node, exp.Anonymous):
        return list(node.expressions)
    return list(node.iter_expressions())


def within(node: exp.Expression) -> Iterator[exp.Expression]:
    """The node and its descendants, but nothing of a query inside it."""
    yield from node.walk(prune=lambda n: isinstance(n, exp.Query) and n is not node)


def nested_queries(node: exp.Expression) -> list[exp.Expression]:
    """The outermost queries inside a node."""
    return [n for n in within(node) if isinstance(n, exp.Query) and n is not node]


def find_calls(
    node: exp.Expression,
    aggregates: Mapping[str, RegisteredFunction],
    built_in: Container[str] = frozenset(),
) -> list[AggregateCall]:
    """The calls under a node, outside the queries inside it.

    ``built_in`` holds the names of Spark's own aggregates.

    Raises
    ------
    PlanningError
        For a call in a form that aggregate functions do not take, or inside another one's
        arguments.
    """
    named = ((each, aggregates.get(name_of(each))) for each in within(node))
    found = [_call(each, record) for each, record in named if record is not None]
    for call in found:
        for argument in (*call.arguments, *([call.condition] if call.condition else [])):
            for below in within(argument):
                name = name_of(below)
                if name not in aggregates and name not in built_in:
                    continue
                if below.find_ancestor(exp.Window) is None and call.window is None:
                    raise PlanningError(
                        f"{position(below)}{embedded(below)} stands inside the arguments of "
                        f"{call.record.name}, and an aggregate cannot be taken of an aggregate: "
                        f"compute the inner one in a subquery"
                    )
    return found


def _call(node: exp.Expression, record: RegisteredFunction) -> AggregateCall:
    arguments = arguments_of(node)
    distinct = len(arguments) == 1 and isinstance(arguments[0], exp.Distinct)
    if distinct:
        arguments = list(arguments[0].expressions)
    for argument in arguments:
        if isinstance(argument, exp.Star):
            raise PlanningError(
                f"{position(node)}{record.name}(*) has no meaning: name the columns"
            )
    arguments = in_order(node, record, arguments)
    outer: exp.Expression = node
    condition = window = None
    if isinstance(outer.parent, (exp.WithinGroup, exp.IgnoreNulls, exp.RespectNulls)):
        construct = type(outer.parent).__name__
        raise PlanningError(
            f"{position(node)}{construct} is not something {record.name} can be given"
        )
    if isinstance(outer.parent, exp.Filter) and outer.parent.this is outer:
        outer = outer.parent
        condition = outer.expression.this
    if isinstance(outer.parent, exp.Window) and outer.parent.this is outer:
        outer = window = outer.parent
    return AggregateCall(outer, record, tuple(arguments), distinct, condition, window)


def by_place_and_name(
    arguments: Sequence[exp.Expression],
) -> tuple[list[exp.Expression], dict[str, exp.Expression]]:
    """Those of some arguments that are given by position, and those by name."""
    placed = [a for a in arguments if not isinstance(a, exp.Kwarg)]
    return placed, {a.this.name: a.expression for a in arguments if isinstance(a, exp.Kwarg)}


def in_order(
    node: exp.Expression, record: RegisteredFunction, arguments: Sequence[exp.Expression]
) -> list[exp.Expression]:
    """The arguments of a call in the order of the parameters.

    Raises
    ------
    PlanningError
        As ``in_places``, with the place of the call.
    """
    placed, named = by_place_and_name(arguments)
    return in_places(record, placed, named, position(node)) if named else placed


def in_places(
    record: RegisteredFunction, placed: Sequence[T], named: Mapping[str, T], where: str = ""
) -> list[T]:
    """Arguments given by position and by name, in the order of the parameters.

    Raises
    ------
    PlanningError
        If a name is no parameter's, is given twice, or leaves one out before it; ``where`` stands
        before the message.
    """
    names = list(record.definition.parameters)
    rest = names[len(placed) :]
    given = [name for name in rest if name in named]
    if set(named) - set(rest) or given != rest[: len(named)]:
        raise PlanningError(
            f"{where}{record.name} takes {', '.join(names)}; it was given "
            f"{', '.join(named)} by name"
        )
    return [*placed, *(named[name] for name in given)]


def position(node: exp.Expression) -> str:
    """``line 3, column 5: `` for a node of the query; "" where a rule made it."""
    for each in node.walk():
        origin = origin_of(each)
        if origin is not None:
            return place_in(origin.text, origin.start)
    return ""


def mentions(query: str, names: Mapping[str, Any]) -> bool:
    """Whether the text may call one of the functions; cheap, and never wrong about a no."""
    if not names:
        return False
    # A quote in a name is typed twice.
    words = "|".join(re.escape(name.replace("`", "``")) for name in names)
    # Behind its name: the quote of a name, or what ends IDENTIFIER('name').
    called = rf"(?i)(?<![\w.])[`'\"]?({words})[`'\"]?\s*(\)\s*)?\("
    return re.search(called, query) is not None


def calls_any(node: exp.Expression, functions: Mapping[str, RegisteredFunction]) -> bool:
    """Whether one of the functions is called below a node, or may be in what is kept as text."""
    if not functions:
        return False
    return any(
        name_of(each).strip("`") in functions or _hides_any(each, functions) for each in node.walk()
    )


def hidden_call(
    node: exp.Expression, functions: Mapping[str, RegisteredFunction]
) -> exp.Expression | None:
    """A part of a query that is kept as text and calls one of the functions."""
    return next((each for each in node.walk() if _hides_any(each, functions)), None)


def _hides_any(node: exp.Expression, functions: Mapping[str, RegisteredFunction]) -> bool:
    return isinstance(node, (OpaqueQuery, exp.Command)) and mentions(embedded(node), functions)


def called_on(
    functions: Mapping[str, RegisteredFunction], takes: Takes, *, gives: Gives
) -> dict[str, RegisteredFunction]:
    """The functions of all kinds that map such a thing to such a thing, by lower-case name."""
    return {
        record.name.lower(): record
        for record in functions.values()
        if record.definition.traits.takes == takes and record.definition.traits.gives == gives
    }
