"""Wraps a general function in a pandas or an Arrow one that calls it per element.

It is what a user would write who wants a batch at a time and has a function of a row: the worker
unpickles the function as it was registered, and each batch is taken apart and put together again.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyspark.sql.types import ArrayType, DataType, MapType, StructType

from notebook_udf.functions.base import ScalarFunction, UserDefinedFunction
from notebook_udf.functions.context import FunctionContext
from notebook_udf.functions.definition import FunctionDefinition, call_of

if TYPE_CHECKING:
    import pandas as pd


class _PerElement(ScalarFunction):
    def __init__(self, payload: bytes) -> None:
        self._payload = payload
        self._function: Any = None
        self._call: Callable[..., Any] = bool

    def open(self, function_context: FunctionContext) -> None:
        function = pickle.loads(self._payload)
        if isinstance(function, FunctionDefinition):
            function = function.function
        if isinstance(function, UserDefinedFunction):
            function.open(function_context)
        self._function, self._call = function, call_of(function)

    def close(self) -> None:
        if isinstance(self._function, UserDefinedFunction):
            self._function.close()


class PandasPerElement(_PerElement):
    """The wrapper that takes and returns pandas Series."""

    def eval(self, *columns: pd.Series[Any]) -> pd.Series[Any]:
        """The function's value for each element."""
        import pandas as pd

        return pd.Series(map(self._call, *columns))


class ArrowPerElement(_PerElement):
    """The wrapper that takes and returns Arrow arrays, of type ``result_type``."""

    def __init__(self, payload: bytes, result_type: pa.DataType) -> None:
        super().__init__(payload)
        self._type = result_type

    def eval(self, *columns: pa.Array) -> pa.Array:
        """The function's value for each element."""
        values = (column.to_pylist() for column in columns)
        return pa.array(list(map(self._call, *values)), self._type)


def is_plain(t: DataType) -> bool:
    """Whether pandas and Arrow give the function the same values that it gets row by row: they
    give DataFrames and pairs for rows and maps."""
    if isinstance(t, ArrayType):
        return is_plain(t.elementType)
    return not isinstance(t, (StructType, MapType))
