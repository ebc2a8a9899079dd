"""Generated functions row by row in Spark's Python workers, against plain Python's answers."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from pyspark.sql.types import LongType, StringType, StructField, StructType

import notebook_udf as nu
from tests.fuzz.functions import COLUMNS, RESULTS, comparable, made
from tests.fuzz.java_functions import TYPES, TooSlowError, drawn, in_time, without_halves
from tests.fuzz.wide_forms import WIDE_COLUMNS

_NAMES = [*COLUMNS, *WIDE_COLUMNS]
# What it raises is told as its answer is: an error would end the query.
_TOLD = """
def told({names}):
    try:
        value = generated({names})
    except Exception as error:
        return None, type(error).__name__ + ': ' + str(error)
    if type(value) is int and not -(1 << 63) <= value < 1 << 63:
        return None, 'an int that no column holds'
    if value is not None and type(value).__name__ != {result!r}:
        return None, 'a ' + type(value).__name__
    return value, None
"""


class RowFunctions:
    """Rows in a session's Spark, and functions that are asked for each of them."""

    def __init__(self, session: nu.Session, chance: random.Random, count: int) -> None:
        fields = [StructField(name, type_) for name, type_ in zip(_NAMES, TYPES, strict=True)]
        schema = StructType([StructField("at", LongType()), *fields])
        rows = without_halves(drawn(chance, count))
        given = session.spark.createDataFrame(
            [(at, *row) for at, row in enumerate(rows)], schema
        ).repartition(2)
        given.cache().createOrReplaceTempView("fuzzed_rows")
        # As Spark holds them: a decimal has as many places as its column.
        self._rows = {at: row for at, *row in given.collect()}
        self._session = session

    def check(self, text: str, result: str) -> int:
        """How many rows were answered, or raised; fails if one was otherwise than in Python.

        A function that takes too long in Python is left out.
        """
        names = _NAMES[: made(text).__code__.co_argcount]
        function = _told(text, names, result)
        try:
            with in_time():
                expected = {at: function(*row[: len(names)]) for at, row in self._rows.items()}
        except TooSlowError:
            return 0
        kind = StructType([StructField("v", RESULTS[result]), StructField("e", StringType())])
        asked = nu.udf(function, result_type=kind, compile=False, vectorise=False)
        self._session.register_function("told", asked, replace=True)
        found = self._session.sql(f"SELECT at, told({', '.join(names)}) AS got FROM fuzzed_rows")
        answered = found.toArrow().to_pylist()
        assert len(answered) == len(self._rows), (text, len(answered))
        for each in answered:
            told, got = expected[each["at"]], (each["got"]["v"], each["got"]["e"])
            same = [(type(value), comparable(value)) for value in got + told]
            assert same[:2] == same[2:], (text, self._rows[each["at"]], got, told)
        return len(answered)


def _told(text: str, names: list[str], result: str) -> Callable[..., Any]:
    written = _TOLD.format(names=", ".join(names), result=result)
    return made(text + "\n" + written, "told")
