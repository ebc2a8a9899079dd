"""Splits the text of a ``%%sparksql`` cell into statements and finds the variables in them.

The planner's tokens tell quotes and comments from code; Spark interprets the SQL.
"""

from __future__ import annotations

import datetime
import decimal
import sys
from dataclasses import dataclass
from typing import Any

from notebook_udf.errors import PlanningError
from notebook_udf.planner.syntax.tokens import Token, Unreadable, tokens_of

_PLAIN = (str, bool, int, float, decimal.Decimal)


@dataclass(frozen=True)
class CellStatement:
    """One statement, with the values of its ``{name}`` placeholders as ``spark.sql`` takes them."""

    text: str
    values: dict[str, Any]


def statements(cell: str, namespace: dict[str, Any]) -> list[CellStatement]:
    """The statements of a cell, in order.

    A script that starts with ``BEGIN`` is one statement to its end. Braces are placeholders only
    around the name of a variable, outside of quotes and comments.

    Raises
    ------
    PlanningError
        If there is no statement, or a placeholder names a variable that has no form in SQL.
    """
    try:
        tokens = tokens_of(cell)[:-1]
    except Unreadable:
        # Spark says what is wrong with it.
        return [CellStatement(cell.strip().rstrip(";"), {})]
    groups: list[list[Token]] = [[]]
    for token in tokens:
        script = groups[-1] and groups[-1][0].upper == "BEGIN"
        if token.upper == ";" and not script:
            groups.append([])
        else:
            groups[-1].append(token)
    found = [_statement(cell, group, namespace) for group in groups if group]
    if not found:
        raise PlanningError("the cell holds no SQL statement")
    return found


def _statement(cell: str, tokens: list[Token], namespace: dict[str, Any]) -> CellStatement:
    first, last = tokens[0].start, tokens[-1].end
    if tokens[-1].upper == ";":
        last -= 1
    values: dict[str, Any] = {}
    places: list[tuple[int, int]] = []
    for opening, name, closing in zip(tokens, tokens[1:], tokens[2:], strict=False):
        if (opening.upper, closing.upper) == ("{", "}") and name.text.isidentifier():
            values[name.text] = _value(name.text, namespace)
            places.append((opening.start, closing.end))
    if not values:
        return CellStatement(cell[first:last], {})
    # spark.sql formats the whole text once there are values: every other brace is doubled.
    parts, position = [], first
    for start, end in places:
        parts += [_doubled(cell[position:start]), cell[start:end]]
        position = end
    parts.append(_doubled(cell[position:last]))
    return CellStatement("".join(parts), values)


def _doubled(text: str) -> str:
    return text.replace("{", "{{").replace("}", "}}")


def _value(name: str, namespace: dict[str, Any]) -> Any:
    if name not in namespace:
        raise PlanningError(f"{{{name}}} stands for a variable, and there is none of that name")
    value = namespace[name]
    frame = sys.modules.get("pyspark.sql")
    if frame is not None and isinstance(value, frame.DataFrame):
        return value
    if isinstance(value, datetime.datetime):
        return _Literal(f"TIMESTAMP '{value.isoformat(' ')}'")
    if isinstance(value, datetime.date):
        return _Literal(f"DATE '{value.isoformat()}'")
    if value is None:
        return _Literal("NULL")
    if isinstance(value, _PLAIN):
        return value
    raise PlanningError(
        f"{{{name}}} is a {type(value).__name__}; a DataFrame, text, a number or a date can "
        f"stand in SQL"
    )


class _Literal:
    """A SQL literal, for values whose type ``spark.sql`` would otherwise guess."""

    def __init__(self, text: str) -> None:
        self._text = text

    def __format__(self, spec: str) -> str:
        return self._text

    def __repr__(self) -> str:
        return self._text
