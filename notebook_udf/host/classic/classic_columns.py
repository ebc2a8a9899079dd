"""Columns of a classic session, by their expression trees in the JVM."""

from __future__ import annotations

from typing import Any

from pyspark.sql import Column, SparkSession

from notebook_udf.host.classic.scala import items
from notebook_udf.host.columns import WrittenCall


class ClassicColumns:
    """See ``SparkColumns``."""

    def name(self, column: Column) -> str:
        """See ``SparkColumns``."""
        return str(column._jc.toString())

    def written(self, column: Column) -> WrittenCall | str | None:
        """See ``SparkColumns``."""
        node = column._jc.node()
        while _class_of(node) == "Alias":
            node = node.child()
        if _class_of(node) == "SqlExpression":
            return str(node.expression())
        if _class_of(node) != "UnresolvedFunction":
            return None
        name, distinct, nodes = (
            str(node.functionName()),
            bool(node.isDistinct()),
            items(node.arguments()),
        )
        stars = [part for part in nodes if _class_of(part) == "UnresolvedStar"]
        if not stars:
            return WrittenCall(name, tuple(map(_column_of, nodes)), distinct)
        alone = len(nodes) == 1 and not distinct and not stars[0].unparsedTarget().isDefined()
        return WrittenCall(name, ()) if alone else None

    def attribute(self, column: Column) -> str | None:
        """See ``SparkColumns``."""
        node = column._jc.node()
        if _class_of(node) != "UnresolvedAttribute":
            return None
        parts = node.nameParts()
        return str(parts.head()) if parts.size() == 1 else None

    def is_constant(self, column: Column) -> bool:
        """See ``SparkColumns``."""
        node = column._jc.node()
        while _class_of(node) == "Cast":
            node = node.child()
        return _class_of(node) == "Literal"


def _class_of(node: Any) -> str:
    """The name of a tree's class, such as ``UnresolvedFunction``."""
    return str(node.getClass().getSimpleName())


def _column_of(node: Any) -> Column:
    """The Column of a tree."""
    from pyspark.sql.classic.column import Column as ClassicColumn

    jvm: Any = SparkSession.active()._jvm
    return ClassicColumn(jvm.org.apache.spark.sql.Column(node))
