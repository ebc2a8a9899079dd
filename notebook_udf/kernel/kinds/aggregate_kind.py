"""Aggregate functions: a value, or any number of rows, for a group of rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar

from pyspark.sql.types import ArrayType

from notebook_udf.errors import DeclarationError
from notebook_udf.functions.base import (
    AggregateFunction,
    TableAggregateFunction,
    UserDefinedFunction,
)
from notebook_udf.functions.declare_aggregate import udaf, udtaf
from notebook_udf.functions.definition import FunctionDefinition
from notebook_udf.functions.kind_traits import AGGREGATE, TABLE_AGGREGATE
from notebook_udf.kernel.kinds.export_form import ExportForm
from notebook_udf.kernel.kinds.function_kind import (
    RESULT,
    Candidate,
    FunctionKind,
    Variants,
    opened,
)
from notebook_udf.kernel.transforms.aggregate_transforms import aggregate as grouped
from notebook_udf.planner.physical import aggregate
from notebook_udf.planner.physical.aggregate_from_sums import sums_of
from notebook_udf.planner.physical.udf import spark_function
from notebook_udf.registry import RegisteredFunction
from notebook_udf.specs.payload import held_accumulator
from notebook_udf.specs.roles import Role
from notebook_udf.worker.aggregate.accumulator import Codec, misfit
from notebook_udf.worker.codec.encode import BadResult, encoder

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

    from notebook_udf.kernel.notebook_session import Session


class AggregateKind(FunctionKind):
    """Declared by ``udaf``. Spark never hears of its name: ``session.sql`` plans its calls."""

    traits = AGGREGATE
    base: ClassVar[type[UserDefinedFunction]] = AggregateFunction
    export = ExportForm("udaf")

    def claims(self, candidate: Candidate) -> bool:
        # Of a function of whole columns only the user can say what it is a function of.
        flavour = candidate.options.get("func_type")
        said = candidate.wanted == self.traits.option and flavour in ("pandas", "arrow")
        return super().claims(candidate) or (candidate.own is None and said)

    def declare(self, function: Any, **options: Any) -> FunctionDefinition:
        definition: FunctionDefinition = udaf(function, **options)
        return definition

    def spark_function(self, record: RegisteredFunction, role: Role) -> Any:
        return spark_function(record, role)

    def called(self, session: Session, record: RegisteredFunction, args: Any, kwargs: Any) -> Any:
        arguments = tuple(aggregate.arguments_of(record, args, kwargs))
        call = aggregate.ColumnCall(record, arguments)
        return aggregate.column(session.planned(record, "whole"), call)

    def explain(self, session: Session, record: RegisteredFunction) -> str:
        return aggregate.explain(record)

    def evaluate(
        self, definition: FunctionDefinition, args: Any, kwargs: Any, parameters: Mapping[str, str]
    ) -> Any:
        """The value of a group: for each parameter its values, in a sequence."""
        __tracebackhide__ = True
        if definition.func_type != "general":
            return super().evaluate(definition, args, kwargs, parameters)
        with opened(definition, parameters) as function:
            return _accumulated(definition, function, [*args, *kwargs.values()])

    def replay(
        self,
        definition: FunctionDefinition,
        method: str,
        arguments: Any,
        parameters: Mapping[str, str],
    ) -> Any:
        """One method, on a fresh accumulator where it needs one; or the value of a group."""
        __tracebackhide__ = True
        if not method:
            return self.evaluate(definition, arguments, {}, parameters)
        with opened(definition, parameters) as function:
            if method == "get_value":
                return _value(function, *arguments)
            return getattr(function, method)(function.create_accumulator(), *arguments)

    def results(
        self,
        rows: DataFrame,
        record: RegisteredFunction,
        columns: Sequence[Column],
        keys: Sequence[Column],
    ) -> DataFrame:
        return rows.transform(grouped(by=keys, **{RESULT: record(*columns)}))

    def variants(
        self, record: RegisteredFunction, definition: FunctionDefinition, inputs: Sequence[Any]
    ) -> Variants:
        if sums_of(definition) is None:
            return Variants(definition.func_type)
        changed = replace(definition, options=replace(definition.options, compile=False))
        return Variants("sums of Spark's own", [("compile=False", "compile=False", changed)])

    def lineless(self, definition: FunctionDefinition) -> str:
        if sums_of(definition) is None:
            return ""
        return (
            "Spark adds it up by itself, in no Python worker; declare it with compile=False to see "
            "it row by row"
        )


class TableAggregateKind(AggregateKind):
    """Declared by ``udtaf``; ``nu.flat_aggregate`` makes rows of what it emits."""

    traits = TABLE_AGGREGATE
    base = TableAggregateFunction
    is_measurable = False
    export = ExportForm("udtaf")

    def claims(self, candidate: Candidate) -> bool:
        return FunctionKind.claims(self, candidate)

    def declare(self, function: Any, **options: Any) -> FunctionDefinition:
        definition: FunctionDefinition = udtaf(function, **options)
        return definition

    def encode(self, definition: FunctionDefinition, result: Any) -> object:
        return encoder(ArrayType(definition.declared_type))([result])


def _accumulated(definition: FunctionDefinition, function: Any, columns: list[Any]) -> Any:
    __tracebackhide__ = True
    columns = [list(column) for column in columns]
    if len({len(column) for column in columns}) > 1:
        raise DeclarationError(
            f"{definition.name}.eval takes the values of one group: a sequence per parameter, all "
            f"of one length"
        )
    accumulator = function.create_accumulator()
    hold = Codec(held_accumulator(definition), accumulator).hold
    for row in zip(*columns, strict=True):
        answer = function.accumulate(accumulator, *row)
        accumulator = accumulator if answer is None else answer
    if hold is not None:
        try:
            hold([accumulator])
        except BadResult as error:
            raise misfit(definition.name, error, {}) from None
    return _value(function, accumulator)


def _value(function: Any, accumulator: Any) -> Any:
    emit = getattr(function, "emit_value", None)
    return function.get_value(accumulator) if emit is None else list(emit(accumulator) or ())


__all__ = ["AggregateKind", "TableAggregateKind"]
