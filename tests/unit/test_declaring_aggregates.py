"""``udaf``, ``udtaf`` and ``declare``: what may be declared, how, and what is refused."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import pandas as pd
import pyarrow as pa
import pytest
from pyspark.sql.types import (
    ArrayType,
    BinaryType,
    DoubleType,
    IntegerType,
    LongType,
    StringType,
    StructField,
    StructType,
)
from sample_aggregates import CountAggregateFunction, CountDistinctAggregateFunction

import notebook_udf as nu
from notebook_udf import (
    AggregateFunction,
    DataTypes,
    ScalarFunction,
    TableAggregateFunction,
    udaf,
    udf,
    udtaf,
)
from notebook_udf.functions.definition import FunctionDefinition
from notebook_udf.kernel.kinds import declare
from notebook_udf.specs.payload import travelling_accumulator
from notebook_udf.types import contains_view

# --- the design's examples -------------------------------------------------------------------


def test_the_first_example_of_the_design() -> None:
    count = udaf(CountAggregateFunction())
    assert count.kind == "aggregate"
    assert count.name == "CountAggregateFunction"
    assert count.parameters == ("*args",)
    assert count.input_types is None
    assert count.result_type == LongType()
    assert count.accumulator_type == ArrayType(LongType())
    # Its merge adds a list to a number, whatever it is given.
    assert not count.mergeable
    assert count.retractable
    assert count.is_aggregate


def test_the_example_with_a_view() -> None:
    distinct = udaf(CountDistinctAggregateFunction)
    # Its merge is only a pass: called, it would lose rows without a word.
    assert not distinct.mergeable
    assert distinct.retractable
    assert distinct.accumulator_type is not None
    assert contains_view(distinct.accumulator_type)
    assert travelling_accumulator(distinct) is None
    function = distinct.function
    accumulator = function.create_accumulator()
    for value in (1, 2, 2, None):
        function.accumulate(accumulator, value)
    function.retract(accumulator, 1)
    assert function.get_value(accumulator) == 2


def test_the_decorator_example() -> None:
    int_count_udaf = udaf(
        CountAggregateFunction(),
        result_type=DataTypes.INT(),
        acc_type=DataTypes.ARRAY(DataTypes.INT()),
    )
    assert int_count_udaf.result_type == IntegerType()
    assert int_count_udaf.accumulator_type == ArrayType(IntegerType())


# --- types -----------------------------------------------------------------------------------


class Sum(AggregateFunction):
    def create_accumulator(self) -> list[int]:
        return [0]

    def accumulate(self, accumulator: list[int], value: int, weight: float | None = None) -> None:
        accumulator[0] += value

    def get_value(self, accumulator: list[int]) -> int:
        return accumulator[0]


class Bare(AggregateFunction):
    def create_accumulator(self) -> Any:
        return [0]

    def accumulate(self, accumulator, value):  # type: ignore[no-untyped-def]
        accumulator[0] += value

    def get_value(self, accumulator):  # type: ignore[no-untyped-def]
        return accumulator[0]


class Told(Sum):
    """Says its types in methods, which count for more than annotations."""

    def get_result_type(self) -> Any:
        return "decimal(10,2)"

    def get_accumulator_type(self) -> Any:
        return "array<int>"


def types_of(definition: FunctionDefinition) -> tuple[Any, ...]:
    return (
        definition.input_types and tuple(t and t.simpleString() for t in definition.input_types),
        definition.result_type.simpleString(),
        definition.accumulator_type and definition.accumulator_type.simpleString(),
    )


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (lambda: udaf(Sum), (("bigint", "double"), "bigint", None)),
        (lambda: udaf(Sum()), (("bigint", "double"), "bigint", None)),
        (lambda: udaf(Told), (("bigint", "double"), "decimal(10,2)", "array<int>")),
        (lambda: udaf(Told, ["int"], "float"), (("int",), "float", "array<int>")),
        (lambda: udaf(Told, "int", "float", "binary"), (("int",), "float", "binary")),
        (lambda: udaf(Sum, accumulator_type="binary"), (("bigint", "double"), "bigint", "binary")),
        (lambda: udaf(Bare, result_type=DoubleType()), (None, "double", None)),
        (
            lambda: udaf(Bare, DataTypes.INT(), DataTypes.STRING(), acc_type=DataTypes.BYTES()),
            (("int",), "string", "binary"),
        ),
        (lambda: udaf(result_type="int", acc_type="array<int>")(Bare), (None, "int", "array<int>")),
        (lambda: udaf(udaf(Bare, result_type="int"), result_type="bigint"), (None, "bigint", None)),
    ],
)  # fmt: skip
def test_every_way_to_give_types(given: Callable[[], Any], expected: Any) -> None:
    assert types_of(given()) == expected


def test_types_of_what_annotations_can_say() -> None:
    @dataclasses.dataclass
    class Extent:
        low: float
        high: float | None

    class Both(Bare):
        def get_value(self, accumulator: Any) -> list[dict[str, int]]:
            return []

    class Pair(Bare):
        def get_value(self, accumulator: Any) -> Extent:
            return Extent(0, 0)

    assert udaf(Both).result_type.simpleString() == "array<map<string,bigint>>"
    # The class is local, so that its name means nothing to get_type_hints: it has to be given.
    Pair.get_value.__annotations__["return"] = Extent
    assert udaf(Pair).result_type.simpleString() == "struct<low:double,high:double>"


def test_as_a_decorator_with_and_without_parentheses() -> None:
    @udaf
    class Plain(Sum):
        pass

    @udaf(result_type="int", name="other", deterministic=False, on_error="null")
    class Dressed(Sum):
        def is_deterministic(self) -> bool:
            return False

    assert isinstance(Plain, FunctionDefinition)
    assert (Plain.name, Plain.result_type) == ("Plain", LongType())
    assert isinstance(Dressed, FunctionDefinition)
    assert (Dressed.name, Dressed.result_type) == ("other", IntegerType())
    assert not Dressed.deterministic
    assert Dressed.options.on_error == "null"


def test_determinism_is_what_the_class_says() -> None:
    class Random(Sum):
        def is_deterministic(self) -> bool:
            return False

    assert udaf(Sum).deterministic
    assert not udaf(Random).deterministic
    with pytest.raises(nu.DeclarationError, match="let is_deterministic return True"):
        udaf(Random, deterministic=True)
    with pytest.raises(nu.DeclarationError, match="let is_deterministic return False"):
        udaf(Sum, deterministic=False)


def test_the_definition_shows_its_signature() -> None:
    assert repr(udaf(Sum)) == "<aggregate function Sum(value bigint, weight double) -> bigint>"
    assert "class Sum" in udaf(Sum).source.text


# --- functions of columns --------------------------------------------------------------------


def mean(values: pd.Series[float]) -> float:
    return float(values.mean())


@pytest.mark.parametrize("func_type", ["pandas", "arrow", "PANDAS"])
def test_functions_of_whole_columns(func_type: str) -> None:
    made = udaf(lambda v: len(v), result_type="bigint", func_type=func_type)
    assert (made.kind, made.name, made.func_type) == ("aggregate", "lambda", func_type.lower())
    assert not made.mergeable
    assert not made.retractable
    assert made.parameters == ("v",)
    assert udaf(functools.partial(mean), func_type=func_type).name == "mean"


def test_a_function_of_columns_says_its_result_by_annotation() -> None:
    def average(values: pd.Series[float]) -> float:
        return float(values.mean())

    assert udaf(func_type="pandas")(average).result_type == DoubleType()
    assert udaf(average, func_type="pandas").input_types is None
    assert udaf(mean, ["int"], "float", func_type="pandas").input_types == (IntegerType(),)

    def arrow(values: pa.Array) -> pa.Scalar:
        return values[0]

    with pytest.raises(nu.TypeDeclarationError, match="result of arrow"):
        udaf(arrow, func_type="arrow")


@pytest.mark.parametrize("func_type", ["pandas", "arrow"])
def test_classes_of_whole_columns(func_type: str) -> None:
    class Spread(AggregateFunction):
        def create_accumulator(self) -> list[float]:
            return []

        def accumulate(self, accumulator: list[float], v: pd.Series, w: pd.Series) -> None:
            accumulator.append(1.0)

        def retract(self, accumulator: list[float], v: pd.Series, w: pd.Series) -> None:
            accumulator.append(1.0)

        def merge(self, accumulator: list[float], others: Any) -> None:
            accumulator.append(1.0)

        def get_value(self, accumulator: list[float]) -> float:
            return accumulator[0]

        def get_accumulator_type(self) -> str:
            return "array<double>"

    made = udaf(Spread, func_type=func_type)
    assert (made.kind, made.func_type, made.parameters) == ("aggregate", func_type, ("v", "w"))
    assert (made.input_types, made.result_type) == (None, DoubleType())
    assert made.accumulator_type is None
    assert not made.mergeable
    assert not made.retractable
    assert udaf(Spread(), ["int", "int"], func_type=func_type).input_types is not None


# --- table aggregates ------------------------------------------------------------------------


class Ranked(NamedTuple):
    value: int
    rank: int


class Top2(TableAggregateFunction):
    def create_accumulator(self) -> list[int]:
        return []

    def accumulate(self, accumulator: list[int], value: int) -> None:
        accumulator.append(value)

    def emit_value(self, accumulator: list[int]) -> Iterator[Ranked]:
        yield from ()


class Each(Top2):
    def emit_value(self, accumulator: list[int]) -> Iterator[int]:  # type: ignore[override]
        yield from accumulator


class Paired(Top2):
    def emit_value(  # type: ignore[override]
        self, accumulator: list[int]
    ) -> Iterator[tuple[int, str]]:
        yield from ((value, "") for value in accumulator)


def test_table_aggregates_give_rows() -> None:
    top = udtaf(Top2)
    assert top.kind == "table aggregate"
    assert top.is_aggregate
    assert top.result_type.simpleString() == "struct<value:bigint,rank:bigint>"
    assert udtaf(Each, name="one").result_type == StructType([StructField("f0", LongType())])
    assert udtaf(Paired).result_type.simpleString() == "struct<f0:bigint,f1:string>"
    given = udtaf(Each, result_type="a int, b string", acc_type="array<bigint>")
    assert given.result_type.simpleString() == "struct<a:int,b:string>"
    assert given.accumulator_type == ArrayType(LongType())
    assert udtaf(Each, accumulator_type="binary").accumulator_type == BinaryType()

    declared = udtaf(result_type="string")(Each)
    assert declared.result_type == StructType([StructField("f0", StringType())])


# --- merge and retract -----------------------------------------------------------------------


def with_method(name: str, method: Any) -> FunctionDefinition:
    made: FunctionDefinition = udaf(type("Made", (Sum,), {name: method})(), name="made")
    return made


def only_pass(self: Any, accumulator: Any, *others: Any) -> None:
    pass


def only_a_docstring(self: Any, accumulator: Any, *others: Any) -> None:
    """To be written."""


def only_dots(self: Any, accumulator: Any, *others: Any) -> None: ...


def only_none(self: Any, accumulator: Any, *others: Any) -> None:
    return None


def does_something(self: Any, accumulator: Any, *others: Any) -> None:
    accumulator[0] += 1


@pytest.mark.parametrize("name", ["merge", "retract"])
def test_a_method_that_does_nothing_does_not_count(name: str) -> None:
    def has(method: Any) -> bool:
        made = with_method(name, method)
        return made.mergeable if name == "merge" else made.retractable

    assert not udaf(Sum).mergeable
    assert not udaf(Sum).retractable
    for empty in (only_pass, only_a_docstring, only_dots, only_none):
        assert not has(empty), empty
    assert has(does_something)
    assert has(functools.partialmethod(does_something))


# --- refusals --------------------------------------------------------------------------------


class Asynchronous(Bare):
    async def accumulate(self, accumulator: Any, value: Any) -> None:
        pass


class Yields(Bare):
    def get_value(self, accumulator: Any) -> Iterator[int]:
        yield accumulator[0]


class NoParameters(Bare):
    def accumulate(self) -> None:  # type: ignore[override]
        pass


class NeedsArguments(Bare):
    def __init__(self, size: int) -> None:
        self.size = size


class Listed(Each):
    def emit_value(self, accumulator: list[int]) -> list[int]:  # type: ignore[override]
        return accumulator


async def async_mean(values: Any) -> float:
    return 0.0


def yields(values: Any) -> Iterator[float]:
    yield 0.0


class Untyped(Bare):
    def get_value(self, accumulator: Any) -> Any:
        return accumulator[0]


@pytest.mark.parametrize(
    ("declared", "error", "texts"),
    [
        (lambda: udaf(Bare), nu.TypeDeclarationError, ["Bare", "get_value", "get_result_type"]),
        (lambda: udaf(Untyped), nu.TypeDeclarationError, ["Untyped", "Any", "explicitly"]),
        (
            lambda: udaf(Bare, result_type="int", acc_type="int", accumulator_type="int"),
            nu.DeclarationError, ["accumulator_type and acc_type are the same"],
        ),
        (
            lambda: udtaf(Each, acc_type="int", accumulator_type="int"),
            nu.DeclarationError, ["accumulator_type and acc_type are the same"],
        ),
        (lambda: udaf(mean), nu.DeclarationError, ["mean", "derive", "func_type='pandas'"]),
        (lambda: udaf(3), nu.DeclarationError, ["int is not an AggregateFunction"]),
        (lambda: udaf(Each), nu.DeclarationError, ["Each is not an AggregateFunction"]),
        (lambda: udtaf(Sum), nu.DeclarationError, ["Sum is not a TableAggregateFunction"]),
        (lambda: udf(Sum), nu.DeclarationError, ["Sum is not a ScalarFunction"]),
        (
            lambda: udaf(type("S", (ScalarFunction,), {"eval": lambda self, x: x})),
            nu.DeclarationError, ["S is not an AggregateFunction"],
        ),
        (
            lambda: udaf(Sum, func_type="pandas", acc_type="int"),
            nu.DeclarationError, ["Sum", "no accumulator that travels"],
        ),
        (lambda: udaf(Sum, func_type="fast"), nu.DeclarationError, ["'fast' is not one of"]),
        (
            lambda: udaf(mean, func_type="pandas", acc_type="int"),
            nu.DeclarationError, ["mean", "no accumulator"],
        ),
        (
            lambda: udaf(async_mean, func_type="pandas"),
            nu.DeclarationError, ["async_mean is async"],
        ),
        (
            lambda: udaf(yields, result_type="int", func_type="arrow"),
            nu.DeclarationError, ["yields is a generator"],
        ),
        (lambda: udaf(Asynchronous), nu.DeclarationError, ["Asynchronous.accumulate is async"]),
        (lambda: udaf(Yields), nu.DeclarationError, ["Yields.get_value yields"]),
        (lambda: udaf(NoParameters), nu.DeclarationError, ["NoParameters.accumulate"]),
        (
            lambda: udaf(NeedsArguments, result_type="int"),
            nu.DeclarationError, ["NeedsArguments()", "size", "instance"],
        ),
        (lambda: udtaf(Listed), nu.TypeDeclarationError, ["emit_value", "Iterator"]),
        (
            lambda: udaf(Sum, ["int", "int", "int"]),
            nu.TypeDeclarationError, ["Sum takes 2 parameters and 3"],
        ),
        (lambda: udaf(Sum, ["nonsense"]), nu.TypeDeclarationError, ["parameter 1 of Sum"]),
        (lambda: udaf(Sum, result_type="nonsense"), nu.TypeDeclarationError, ["result of Sum"]),
        (lambda: udaf(Sum, acc_type="nonsense"), nu.TypeDeclarationError, ["accumulator of Sum"]),
        (lambda: udaf(Sum, wrong=1), nu.DeclarationError, ["no option 'wrong'", "on_error"]),
        (lambda: udaf(Sum, on_error="ignore"), nu.DeclarationError, ["'ignore'", "'null'"]),
        (
            lambda: udaf(AggregateFunction, result_type="int"),
            nu.DeclarationError, ["accumulate", "create_accumulator", "get_value"],
        ),
    ],
)  # fmt: skip
def test_what_cannot_work_is_refused_where_it_is_declared(
    declared: Callable[[], Any], error: type[Exception], texts: list[str]
) -> None:
    with pytest.raises(error) as caught:
        declared()
    for text in texts:
        assert text in str(caught.value)


# --- kinds -----------------------------------------------------------------------------------


def test_kinds_are_read_off_the_code() -> None:
    assert declare(Sum).kind == "aggregate"
    assert declare(Sum()).kind == "aggregate"
    assert declare(Each).kind == "table aggregate"
    assert declare(mean, func_type="pandas", result_type="double").kind == "scalar"
    whole = declare(mean, kind="aggregate", func_type="pandas")
    assert whole.kind == "aggregate"
    assert declare(whole) is whole
    assert declare(Each, acc_type="array<int>").accumulator_type == ArrayType(IntegerType())
    # A view of both kinds of aggregates: the kind of a table aggregate is a special one.
    assert declare(Each, kind="aggregate").kind == "table aggregate"


@pytest.mark.parametrize(
    ("declared", "text"),
    [
        (lambda: declare(Sum, kind="scalar"), "Sum is an aggregate function by its code"),
        (lambda: declare(udaf(Sum), kind="scalar"), "Sum is an aggregate function by its code"),
        (lambda: declare(lambda x: x, kind="aggregate", result_type="int"), "a scalar function"),
    ],
)
def test_a_kind_that_is_said_only_confirms(declared: Callable[[], Any], text: str) -> None:
    with pytest.raises(nu.DeclarationError, match=text):
        declared()
