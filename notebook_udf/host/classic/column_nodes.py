"""Spark's expression tree of a Column, where there is one: not on Spark Connect."""

from __future__ import annotations

from typing import Any

from pyspark.sql import Column


def node_of(value: Any) -> Any:
    """The tree of a Column, as an object of the JVM; None for anything else."""
    return value._jc.node() if hasattr(value, "_jc") else None


def class_of(node: Any) -> str:
    """The name of a tree's class, such as ``UnresolvedFunction``; "" if there is no tree."""
    return "" if node is None else str(node.getClass().getSimpleName())


def column_of(node: Any) -> Column:
    """The Column of a tree."""
    from pyspark.sql import SparkSession
    from pyspark.sql.classic.column import Column as ClassicColumn

    spark = SparkSession.active()
    assert spark._jvm is not None
    return ClassicColumn(spark._jvm.org.apache.spark.sql.Column(node))
