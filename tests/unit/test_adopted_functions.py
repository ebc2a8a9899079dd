"""PySpark's own function objects, declared as functions of this package."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from decimal import Decimal
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest
from pyspark.sql import functions as F
from pyspark.sql import types as t
from pyspark.sql.connect.functions import builtin as connect
from pyspark.util import PythonEvalType

import notebook_udf as nu
from notebook_udf.functions.spark_objects import is_spark_object, spark_object
from notebook_udf.functions.spark_results import converter
from notebook_udf.kernel.kinds import declare

INT = t.IntegerType()
COLUMNS = t.StructType([t.StructField("word", t.StringType()), t.StructField("n", INT)])


def plus(x: str, y: Any = 1) -> Any:
    return x + y


def series(x: pd.Series) -> pd.Series:
    return x


def array(x: pa.Array) -> pa.Array:
    return x


def total(x: pd.Series) -> float:
    return float(x.sum())


def count(x: pa.Array) -> int:
    return len(x)


class Words:
    def eval(self, text: str) -> Any:
        yield from ((word, len(word)) for word in text.split())


def made(function: Any, data_type: Any, kind: int) -> Any:
    return F.pandas_udf(function, data_type, kind)


OBJECTS: dict[str, tuple[Callable[[], Any], str]] = {
    "pickled": (lambda: F.udf(plus, INT, useArrow=False), "<scalar function plus(x, y) -> int>"),
    "arrow": (lambda: F.udf(plus, INT, useArrow=True), "<scalar function plus(x, y) -> int>"),
    "pandas": (
        lambda: F.pandas_udf(series, INT),
        "<scalar function series(x) -> int, pandas>",
    ),
    "arrow_udf": (lambda: F.arrow_udf(array, INT), "<scalar function array(x) -> int, arrow>"),
    "group": (
        lambda: F.pandas_udf(total, t.DoubleType()),
        "<aggregate function total(x) -> double, pandas>",
    ),
    "arrow group": (
        lambda: F.arrow_udf(count, INT),
        "<aggregate function count(x) -> int, arrow>",
    ),
    "table": (
        lambda: F.udtf(Words, returnType=COLUMNS, useArrow=False),
        "<table function Words(text) -> table<word:string,n:int>>",
    ),
    "arrow table": (
        lambda: F.udtf(Words, returnType=COLUMNS, useArrow=True),
        "<table function Words(text) -> table<word:string,n:int>>",
    ),
    "connect": (
        lambda: connect.udf(plus, INT, useArrow=True),
        "<scalar function plus(x, y) -> int>",
    ),
    "connect table": (
        lambda: connect.udtf(Words, returnType=COLUMNS, useArrow=True),
        "<table function Words(text) -> table<word:string,n:int>>",
    ),
}


@pytest.mark.parametrize(("make", "shown"), OBJECTS.values(), ids=OBJECTS)
def test_the_object_says_its_function_types_and_kind(make: Callable[[], Any], shown: str) -> None:
    given = make()
    assert is_spark_object(given)
    definition = declare(given)
    assert repr(definition) == shown
    assert definition.input_types is None, "Spark does not look at annotations either"
    assert definition.source.text.startswith(("def ", "class Words"))
    assert definition.deterministic == (definition.kind != "table")


def test_what_else_there_is_is_none() -> None:
    for other in (plus, Words, Words(), nu.udf(plus, result_type="int"), None, "f", F.col):
        assert not is_spark_object(other)
        assert spark_object(other) is None


def test_a_decorator_of_ours_says_where_an_object_goes() -> None:
    said = "plus is a function object of PySpark's, .*: give it to session.register_function"
    given = F.udf(plus, INT, useArrow=True)
    for declaring in (nu.udf, nu.udaf, nu.udtf):
        with pytest.raises(nu.DeclarationError, match=said):
            declaring(given)


def test_one_made_nondeterministic_stays_so() -> None:
    given = F.udf(plus, INT, useArrow=True)
    assert declare(given).deterministic
    assert not declare(given.asNondeterministic()).deterministic
    # It changes the object that the decorated function holds.
    assert not declare(given).deterministic
    group = F.pandas_udf(total, t.DoubleType()).asNondeterministic()
    assert not declare(group).deterministic
    assert declare(F.udtf(Words, returnType=COLUMNS).asDeterministic()).deterministic


def test_names_and_options() -> None:
    assert declare(F.udf(lambda x: x, INT, useArrow=True)).name == "lambda"
    given = declare(F.udf(plus, INT, useArrow=True), on_error="null", input_types=["bigint"])
    assert given.options.on_error == "null"
    assert given.input_types == (t.LongType(),)
    assert declare(F.udf(plus, INT, useArrow=True), kind="scalar").kind == "scalar"
    with pytest.raises(nu.DeclarationError, match="plus is a scalar function by its code, not of"):
        declare(F.udf(plus, INT, useArrow=True), kind="table")


def many(x: Iterator[pd.Series]) -> Iterator[pd.Series]:
    return x


def many_arrays(x: Iterator[pa.Array]) -> Iterator[pa.Array]:
    return x


def frames(x: pd.DataFrame) -> pd.DataFrame:
    return x


class Analysed:
    @staticmethod
    def analyze(*_: Any) -> Any:
        raise AssertionError

    def eval(self, x: Any) -> Any:
        yield (x,)


class Ending(Words):
    def terminate(self) -> Any:
        yield ("end", 0)


REFUSED: dict[str, tuple[Callable[[], Any], tuple[str, ...]]] = {
    "batches": (
        lambda: F.pandas_udf(many, INT),
        ("many is PySpark's pandas_udf of an iterator of batches", "the columns of a batch"),
    ),
    "arrays": (
        lambda: F.arrow_udf(many_arrays, INT),
        ("many_arrays is PySpark's arrow_udf of an iterator of batches", "ScalarFunction"),
    ),
    "frames": (
        lambda: made(frames, COLUMNS, PythonEvalType.SQL_GROUPED_MAP_PANDAS_UDF),
        ("frames is PySpark's grouped map (eval type 201)", "as it is", "TableAggregateFunction"),
    ),
    "analyze": (
        lambda: F.udtf(Analysed),
        ("Analysed is PySpark's udtf", "analyze", "returnType", "as it is"),
    ),
    "terminate": (
        lambda: F.udtf(Ending, returnType=COLUMNS),
        ("Ending is PySpark's udtf", "terminate", "write it without", "as it is"),
    ),
    "arrow_udtf": (
        lambda: F.arrow_udtf(Words, returnType=COLUMNS),
        ("Words is PySpark's arrow_udtf (eval type 302)", "table function"),
    ),
}


@pytest.mark.parametrize(("make", "said"), REFUSED.values(), ids=REFUSED)
def test_what_has_no_equal_is_refused_with_what_to_do(
    make: Callable[[], Any], said: tuple[str, ...]
) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        given = make()
    with pytest.raises(nu.DeclarationError) as raised:
        declare(given)
    assert not [part for part in said if part not in str(raised.value)], str(raised.value)


def test_what_the_object_says_is_not_said_twice() -> None:
    for option in ({"result_type": "int"}, {"func_type": "pandas"}, {"deterministic": False}):
        with pytest.raises(nu.DeclarationError, match=r"which says its .* itself: leave"):
            declare(F.udf(plus, INT, useArrow=True), **option)
    with pytest.raises(nu.DeclarationError, match="coerce is for function objects of PySpark's"):
        declare(plus, result_type="int", coerce=True)
    with pytest.raises(nu.DeclarationError, match="coerce: 'yes' is neither True nor False"):
        declare(F.udf(plus, INT, useArrow=True), coerce="yes")


async def later(x: Any) -> Any:
    return x


def test_an_async_function_in_an_object_is_refused() -> None:
    with pytest.raises(nu.DeclarationError, match=r"later is PySpark's .* register the async"):
        declare(F.udf(later, INT, useArrow=True))


def test_types_that_cannot_be_converted_exactly_are_refused_with_coerce() -> None:
    span = t.DayTimeIntervalType()
    refused = [
        F.udf(plus, span, useArrow=False),
        F.udf(plus, t.ArrayType(t.VariantType()), useArrow=False),
        F.pandas_udf(series, t.TimestampType()),
        F.pandas_udf(series, t.ArrayType(INT)),
    ]
    for given in refused:
        assert declare(given).kind == "scalar"
        with pytest.raises(nu.DeclarationError, match="coerce=True cannot convert results to that"):
            declare(given, coerce=True)


def test_values_of_which_the_jvm_makes_something_of_its_own_are_errors() -> None:
    import numpy as np

    pickled = PythonEvalType.SQL_BATCHED_UDF
    for value in (1.5, b"a", [1], {"a": 1}, np.int64(1), Decimal("NaN")):
        with pytest.raises(TypeError, match="cannot be repeated here: convert it in the function"):
            converter(pickled, t.StringType())(value)
    for value in (np.float64(1.5), [np.int64(1)], {"a": object()}):
        with pytest.raises(TypeError, match="cannot be repeated here"):
            converter(pickled, INT)(value)
