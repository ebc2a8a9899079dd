"""What ``udtf`` makes of functions and classes, and what it refuses."""

from __future__ import annotations

import functools
from collections.abc import Generator, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple, TypedDict

import pytest
from pyspark.sql.types import IntegerType, StringType, StructField, StructType

import notebook_udf as nu
from notebook_udf import DataTypes, TableFunction, udf, udtf
from notebook_udf.kernel.kinds import declare


@dataclass
class Word:
    word: str
    length: int


class Pair(NamedTuple):
    left: int
    right: float


class Entry(TypedDict):
    key: str
    values: list[int]


def columns(definition: Any) -> str:
    return str(definition.result_type.simpleString())


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("string", "struct<f0:string>"),
        ("word string, n int", "struct<word:string,n:int>"),
        (DataTypes.BIGINT(), "struct<f0:bigint>"),
        ([DataTypes.STRING(), "int"], "struct<f0:string,f1:int>"),
        (("string",), "struct<f0:string>"),
        (
            DataTypes.ROW(
                [DataTypes.FIELD("a", DataTypes.INT()), DataTypes.FIELD("b", DataTypes.DATE())]
            ),
            "struct<a:int,b:date>",
        ),
        (StructType([StructField("x", IntegerType(), False)]), "struct<x:int>"),
        ([StructType([StructField("x", StringType())])], "struct<f0:struct<x:string>>"),
        ("array<string>", "struct<f0:array<string>>"),
        (Word, "struct<word:string,length:bigint>"),
    ],
)
def test_columns_as_they_are_given(given: Any, expected: str) -> None:
    assert columns(udtf(lambda x: [x], "string", given)) == expected


def strings(x: str) -> Iterator[str]:
    yield x


def tuples(x: str) -> Iterable[tuple[str, int]]:
    return [(x, 1)]


def words(x: str) -> Generator[Word, None, None]:
    yield Word(x, len(x))


def pairs(x: str) -> Iterator[Pair] | None:
    return None


def entries(x: str) -> list[Entry]:
    return []


def lists(x: str) -> Iterator[list[int]]:
    yield [1]


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (strings, "struct<f0:string>"),
        (tuples, "struct<f0:string,f1:bigint>"),
        (words, "struct<word:string,length:bigint>"),
        (pairs, "struct<left:bigint,right:double>"),
        (entries, "struct<key:string,values:array<bigint>>"),
        (lists, "struct<f0:array<bigint>>"),
    ],
)
def test_columns_as_they_are_annotated(function: Any, expected: str) -> None:
    assert columns(udtf(function)) == expected


class Split(TableFunction):
    def __init__(self, by: str = " ") -> None:
        self.by = by

    def eval(self, x: str) -> Iterator[str]:
        yield from x.split(self.by)


class Calling:
    def __call__(self, x: str) -> Iterator[int]:
        yield 1


def test_everything_that_can_be_called_is_taken() -> None:
    @udtf(input_types=[DataTypes.STRING()], result_types=DataTypes.STRING())
    def decorated(x: Any) -> Any:
        yield x

    assert decorated.kind == "table"
    assert decorated.name == "decorated"
    for given in (Split, Split("#"), strings, functools.partial(strings), Calling()):
        definition = udtf(given)
        assert definition.kind == "table"
        assert declare(given).kind == "table"
    assert udtf(Split).parameters == ("x",)
    assert udtf(lambda x: [x], result_types="int").name == "lambda"
    assert udtf(strings, name="other").name == "other"
    assert udtf(udtf(strings), result_types="string").kind == "table"
    shown = repr(udtf(words))
    assert shown == "<table function words(x string) -> table<word:string,length:bigint>>"


def returns_list(x: str) -> list[str]:
    return [x]


def untyped(x: Any) -> Any:
    yield x


def test_the_kind_is_read_off_the_code() -> None:
    assert declare(returns_list).kind == "scalar"
    assert declare(returns_list, kind="table").kind == "table"
    assert declare(tuples).kind == "table"
    assert declare(untyped, result_types="int").kind == "table"
    assert declare(untyped, result_type="int").kind == "table"
    assert declare(lambda x: [x], result_types="int").kind == "table"
    assert udtf(one).kind == "table"
    with pytest.raises(nu.DeclarationError, match="a table function by its code, not of kind"):
        declare(strings, kind="scalar")
    with pytest.raises(nu.DeclarationError, match="a scalar function by its code, not of kind"):
        declare(one, kind="table")


class Derived(nu.ScalarFunction):
    def eval(self, x: int) -> int:
        return x


async def waits(x: str) -> Any:
    yield x


def one(x: str) -> int:
    return 1


@pytest.mark.parametrize(
    ("declared", "said"),
    [
        (lambda: udtf(3, result_types="int"), "not a function"),
        (lambda: udtf(Derived, result_types="int"), "does not derive from TableFunction"),
        (lambda: udtf(Derived(), result_types="int"), "is not a TableFunction"),
        (lambda: udtf(waits, result_types="int"), "is async"),
        (lambda: udtf(untyped), "yields and is annotated to return Any, which holds no rows"),
        (lambda: udtf(lambda x: [x]), "columns of lambda are not known"),
        (lambda: udtf(strings, result_types=[]), "no columns"),
        (lambda: udtf(strings, result_types="a int, A string"), "two columns of strings"),
        (lambda: udtf(strings, result_types="interval year to month"), "cannot leave"),
        (lambda: udtf(strings, func_type="pandas"), "func_type"),
        (lambda: udtf(strings, retries=3), "no option 'retries'"),
        (lambda: udf(strings), "yields rows"),
    ],
)
def test_what_cannot_be_one_is_said(declared: Any, said: str) -> None:
    with pytest.raises(nu.DeclarationError, match=said):
        declared()


def test_the_older_name_of_func_type() -> None:
    assert udf(lambda x: x, result_type="int", udf_type="pandas").func_type == "pandas"
    assert (
        udf(lambda x: x, result_type="int", func_type="arrow", udf_type="arrow").is_async is False
    )
    assert nu.udaf(lambda x: 1, result_type="int", udf_type="arrow").func_type == "arrow"
    assert udtf(strings, udf_type="general").func_type == "general"
    with pytest.raises(ValueError, match="func_type='arrow' and udf_type='pandas' are the same"):
        udf(lambda x: x, result_type="int", func_type="arrow", udf_type="pandas")
    with pytest.raises(ValueError, match="'pandsa' is not one of"):
        udf(lambda x: x, result_type="int", udf_type="pandsa")


def test_except_clauses_of_moved_code_hold() -> None:
    with pytest.raises(TypeError, match="no type 'blob'"):
        udf(lambda x: x, result_type="blob")
    with pytest.raises(ValueError, match="no option"):
        udf(lambda x: x, result_type="int", retries=3)
    with pytest.raises(ValueError, match="is_deterministic"):
        udf(Derived(), deterministic=False)


def test_a_wrong_type_in_an_annotation_that_is_text_is_named() -> None:
    def wide(x: int) -> Any:
        return x

    wide.__annotations__["return"] = "nu.DataTypes.DECIMAL(50, 2)"
    for declared in (udf, udtf):
        with pytest.raises(nu.TypeDeclarationError, match="DECIMAL's precision"):
            declared(wide)
    with pytest.raises(nu.TypeDeclarationError, match="DECIMAL's precision"):
        nu.udaf(wide, func_type="pandas")
