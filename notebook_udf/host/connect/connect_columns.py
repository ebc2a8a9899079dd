"""Columns of a Connect session, by the expressions that PySpark makes them of."""

from __future__ import annotations

import re
from typing import Any

from pyspark.sql import Column
from pyspark.sql.connect import expressions
from pyspark.sql.connect.column import Column as ConnectColumn

from notebook_udf.host.columns import WrittenCall

_PART = re.compile(r"`((?:[^`]|``)+)`|([^.`]+)")


class ConnectColumns:
    """See ``SparkColumns``."""

    def name(self, column: Column) -> str:
        """See ``SparkColumns``."""
        return repr(_tree(column))

    def written(self, column: Column) -> WrittenCall | str | None:
        """See ``SparkColumns``."""
        node = _tree(column)
        while isinstance(node, expressions.ColumnAlias):
            node = node._child
        if isinstance(node, expressions.SQLExpression):
            return str(node._expr)
        if not isinstance(node, expressions.UnresolvedFunction):
            return None
        name, distinct, nodes = str(node._name), bool(node._is_distinct), list(node._args)
        stars = [part for part in nodes if isinstance(part, expressions.UnresolvedStar)]
        if not stars:
            return WrittenCall(name, tuple(map(_column_of, nodes)), distinct)
        alone = len(nodes) == 1 and not distinct and not stars[0]._unparsed_target
        return WrittenCall(name, ()) if alone else None

    def attribute(self, column: Column) -> str | None:
        """See ``SparkColumns``."""
        node = _tree(column)
        if not isinstance(node, expressions.ColumnReference) or node._plan_id is not None:
            return None
        parts = _parts(str(node._unparsed_identifier))
        return parts[0] if len(parts) == 1 else None

    def is_constant(self, column: Column) -> bool:
        """See ``SparkColumns``."""
        node = _tree(column)
        while isinstance(node, expressions.CastExpression):
            node = node._expr
        return isinstance(node, expressions.LiteralExpression)


def _tree(column: Column) -> Any:
    return column._expr


def _column_of(node: Any) -> Column:
    made: Column = ConnectColumn(node)
    return made


def _parts(identifier: str) -> list[str]:
    """The parts of an identifier, without their quotes."""
    return [
        quoted.replace("``", "`") if quoted else plain
        for quoted, plain in _PART.findall(identifier)
    ]
