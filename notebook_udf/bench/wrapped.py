"""A general function inside a pandas or an Arrow one that calls it per element.

It is what one writes who wants a batch at a time and has a function of a row: the function, as it
was registered, is unpacked in the worker, and each batch is taken apart and put together again.
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
    """Takes and returns pandas Series."""

    def eval(self, *columns: pd.Series[Any]) -> pd.Series[Any]:
        """The function's value for each element."""
        import pandas as pd

        return pd.Series(map(self._call, *columns))


class ArrowPerElement(_PerElement):
    """Takes and returns Arrow arrays; ``result_type`` is that of the result."""

    def __init__(self, payload: bytes, result_type: pa.DataType) -> None:
        super().__init__(payload)
        self._type = result_type

    def eval(self, *columns: pa.Array) -> pa.Array:
        """The function's value for each element."""
        values = (column.to_pylist() for column in columns)
        return pa.array(list(map(self._call, *values)), self._type)


def is_plain(t: DataType) -> bool:
    """Whether pandas and Arrow give the function the very values that it gets row by row: rows
    and maps are DataFrames and pairs to them."""
    if isinstance(t, ArrayType):
        return is_plain(t.elementType)
    return not isinstance(t, (StructType, MapType))
