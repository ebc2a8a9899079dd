"""A class that PySpark's ``udtf`` was given, as a table function.

An instance is made in the worker, as by Spark, but for a task and not for each partition of a TABLE
argument. What ``eval`` gives are rows as Spark reads them: every item of it is one, and a list, a
dict and an object are rows as tuples are.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator
from typing import Any

from pyspark.sql.types import StructType
from pyspark.util import PythonEvalType

from notebook_udf.functions.base import TableFunction
from notebook_udf.functions.context import FunctionContext
from notebook_udf.functions.spark_results import converter


class SparkTable(TableFunction):
    """A table function that is a class of PySpark's.

    Parameters
    ----------
    handler
        The class.
    columns
        The columns of its rows.
    eval_type
        PySpark's number of its kind.
    coerce
        Whether rows are converted as Spark converts them.
    """

    def __init__(self, handler: Any, columns: StructType, eval_type: int, coerce: bool) -> None:
        self._handler = handler
        self._columns = columns
        self._eval_type = eval_type
        self._coerce = coerce

    def open(self, function_context: FunctionContext) -> None:
        """Makes the instance."""
        self._instance = self._handler()
        self._row = self._row_of()

    def eval(self, *args: Any, **kwargs: Any) -> Iterator[Any]:
        """The rows for one input."""
        made = self._instance.eval(*args, **kwargs)
        return iter(()) if made is None else map(self._row, made)

    @property
    def __signature__(self) -> inspect.Signature:
        return inspect.signature(self._handler.eval)

    def _row_of(self) -> Callable[[Any], Any]:
        names = tuple(self._columns.names)
        # With Arrow, what is no tuple is the value of the only column.
        bare = len(names) == 1 and self._eval_type == PythonEvalType.SQL_ARROW_TABLE_UDF
        convert: Callable[[Any], Any] = functools.partial(_as_tuple, names=names, bare=bare)
        if self._coerce:
            convert = converter(self._eval_type, self._columns)
        nulls = (None,) * len(names)
        if len(names) > 1:
            return lambda row: nulls if row is None else convert(row)
        # Of a row with one column the bare value: a list in it could be taken for the row.
        return lambda row: None if row is None else convert(row)[0]


def _as_tuple(row: Any, names: tuple[str, ...], bare: bool) -> tuple[Any, ...]:
    if bare and not isinstance(row, tuple):
        return (row,)
    if isinstance(row, dict):
        return tuple(row.get(name) for name in names)
    if isinstance(row, (tuple, list)):
        if len(row) != len(names):
            raise ValueError(f"a row has {len(row)} values, and the columns are {', '.join(names)}")
        return tuple(row)
    if hasattr(row, "__dict__"):
        return tuple(vars(row).get(name) for name in names)
    raise TypeError(
        f"a row is a {type(row).__name__}; Spark's table functions give tuples, lists or dicts"
    )
