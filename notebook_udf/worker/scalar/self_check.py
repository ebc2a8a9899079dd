"""Calls of a function that were answered without Python, made again in Python and compared.

``row_runner`` has a share of the rows checked that Arrow kernels answer; ``kernel.java_checks``,
those that Spark's JVM answers.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from pyspark.sql.types import DataType

from notebook_udf.errors import SelfCheckFailed
from notebook_udf.functions.row import Row
from notebook_udf.worker.codec.decode import decoder
from notebook_udf.worker.codec.encode import encoder
from notebook_udf.worker.runtime.error_kinds import FATAL
from notebook_udf.worker.runtime.failure import message_of, short

_ROWS = (tuple, Row)


class Expected:
    """What plain Python answers to calls of a function, as a column of its type has it."""

    def __init__(self, name: str, function: Callable[..., Any], data_type: DataType) -> None:
        self._name = name
        self._function = function
        self._encode = encoder(data_type)

    def difference(
        self, arguments: Sequence[Any], found: Any, how: str, instead: str
    ) -> SelfCheckFailed | None:
        """The error of a call that was answered otherwise; None for Python's answer.

        ``how`` says in words who answered, ``instead`` names the option by which Python does.
        """
        try:
            column = self._encode([self._function(*arguments)])
            expected = decoder(column.type)(column)[0]
            if same(expected, found):
                return None
            said = f"answers {_told(expected)}"
        except FATAL:
            raise
        except Exception as error:
            said = f"raises {type(error).__name__}: {message_of(error)}"
        return SelfCheckFailed(
            f"{self._name} answered {_told(found)} {how}, where plain Python {said}: declare it "
            f"with {instead}, so that Python answers, and report it with its code and these "
            f"arguments, as a fault of notebook-udf"
        )


class RowSample:
    """Chooses a share of rows: the first, and then one in so many, counted over a task."""

    def __init__(self, share: float) -> None:
        self._share = share
        self._seen = 0

    def places(self, rows: int) -> list[int]:
        """Which of the next rows are chosen."""
        numbers = np.arange(self._seen, self._seen + rows, dtype=np.float64)
        self._seen += rows
        share = self._share
        chosen: list[int] = np.nonzero(
            np.floor(numbers * share) != np.floor((numbers - 1) * share)
        )[0].tolist()
        return chosen


def same(one: Any, other: Any) -> bool:
    """Whether two values are the same: of one type, floats bit by bit, but any NaN is any NaN."""
    if isinstance(one, _ROWS) and isinstance(other, _ROWS):
        # A row has names, or none.
        return len(one) == len(other) and all(map(same, one, other))
    if type(one) is not type(other):
        return False
    if isinstance(one, float):
        both = math.isnan(one) and math.isnan(other)
        return both or struct.pack("d", one) == struct.pack("d", other)
    if isinstance(one, list):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, dict):
        return same(list(one), list(other)) and same(list(one.values()), list(other.values()))
    return bool(one == other) and str(one) == str(other)


def rows_of(columns: Iterable[pa.Array], places: Sequence[int]) -> list[tuple[Any, ...]]:
    """Some rows of columns, as Python's values."""
    taken = [column.take(pa.array(places, pa.int64())) for column in columns]
    return list(zip(*(decoder(column.type)(column) for column in taken), strict=True))


def _told(value: Any) -> str:
    return f"{short(value)} ({type(value).__name__})"
