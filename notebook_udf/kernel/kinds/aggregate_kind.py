"""Aggregate functions: a value, or any number of rows, for a group of rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, ClassVar

from pyspark.sql import Column, DataFrame
from pyspark.sql.types import ArrayType, DataType, StructType

from notebook_udf.compile.java.writing.terms import NotCompiled
from notebook_udf.errors import DeclarationError
from notebook_udf.functions.base import (
    AggregateFunction,
    TableAggregateFunction,
    UserDefinedFunction,
)
from notebook_udf.functions.declare_aggregate import udaf, udtaf
from notebook_udf.functions.kind_traits import AGGREGATE, TABLE_AGGREGATE
from notebook_udf.kernel.kinds.call_form import HELPER, CallForm, Spell, opened
from notebook_udf.kernel.kinds.export_form import ExportForm
from notebook_udf.kernel.kinds.function_kind import RESULT, Candidate, FunctionKind, Variants
from notebook_udf.kernel.kinds.java_words import why_in_workers
from notebook_udf.kernel.transforms.aggregate_transforms import aggregate as grouped
from notebook_udf.planner.physical import aggregate
from notebook_udf.planner.physical.aggregate_folded import FoldedRows, tried
from notebook_udf.planner.physical.aggregate_from_sums import sums_of
from notebook_udf.planner.physical.aggregate_gathered import gathering_of
from notebook_udf.planner.physical.aggregate_in_spark import as_declared
from notebook_udf.planner.physical.group_value import KEYS
from notebook_udf.specs.payload import held_accumulator
from notebook_udf.worker.aggregate.accumulator import Codec, misfit, rows_of
from notebook_udf.worker.codec.encode import BadResult, encoder


class AggregateKind(FunctionKind):
    """Not registered in Spark: ``session.sql`` and ``nu.aggregate`` plan its calls."""

    traits = AGGREGATE
    base: ClassVar[type[UserDefinedFunction]] = AggregateFunction
    export = ExportForm("udaf")
    declare: ClassVar[Callable[..., Any]] = staticmethod(udaf)

    @classmethod
    def claims(cls, candidate: Candidate) -> bool:
        # Code over whole columns does not show whether it aggregates: only the user can say.
        flavour = candidate.options.get("func_type")
        said = candidate.wanted == cls.traits.name and flavour in ("pandas", "arrow")
        return super().claims(candidate) or (candidate.own is None and said)

    def call(self, args: Any, kwargs: Any) -> Any:
        arguments = tuple(aggregate.arguments_of(self.record, args, kwargs))
        call = aggregate.ColumnCall(self.record, arguments)
        return aggregate.column(self.session.planned(self.record, "whole"), call)

    def explain(self) -> str:
        said = aggregate.explain(self.record)
        call = as_declared(self.record)
        if call is None:
            return "\n".join([said, *self._folded_in_words()])
        java = self.session.java
        if java.runs(call.function, call.types):
            return (
                f"{said}\nget_value of what Spark accumulates runs in Spark's JVM, compiled to Java"
            )
        why_not = why_in_workers(java, call.function, call.types)
        return f"{said}\nget_value of what Spark accumulates runs in Python workers, {why_not}"

    def _folded_in_words(self) -> Iterator[str]:
        """Where rows are accumulated and merged, as far as their types are known; a line each."""
        java = self.session.java
        if self.definition.func_type != "general" or not java.is_there:
            return
        for types, found in tried(self.record):
            when = f" where it is called with {types}" if types else ""
            why = found if isinstance(found, NotCompiled) else self._why_not_folded(found)
            if why is not None:
                yield f"accumulated and merged in Python workers{when}, not in Spark's JVM: {why}"
            else:
                yield (
                    f"in session.sql and nu.aggregate{when}: accumulated and merged in Spark's "
                    f"JVM, its methods compiled to Java (compile=False turns it off)"
                )

    def _why_not_folded(self, found: FoldedRows) -> NotCompiled | None:
        java = self.session.java
        why = java.why_not(found.fold, found.types)
        if why is not None or found.value.definition.parameters[-1] == KEYS:
            return why
        return java.why_not(found.value, (found.fold.group,))

    def run(self, args: Any, kwargs: Any) -> Any:
        """The value of a group, given a sequence of values for each parameter."""
        __tracebackhide__ = True
        if self.definition.func_type != "general":
            return super().run(args, kwargs)
        columns = [list(column) for column in (*args, *kwargs.values())]
        if len({len(column) for column in columns}) > 1:
            raise DeclarationError(
                f"{self.definition.name}.eval takes the values of one group: a sequence per "
                f"parameter, all of one length"
            )
        held = held_accumulator(self.definition)
        return self._value_of(zip(*columns, strict=True), held)

    def _value_of(self, rows: Iterable[tuple[Any, ...]], held: DataType | None = None) -> Any:
        """The value of a group's rows; its accumulator has to fit the type, if one is given."""
        __tracebackhide__ = True
        with self.opened() as function:
            accumulator = function.create_accumulator()
            hold = Codec(held, accumulator).hold
            for row in rows:
                answer = function.accumulate(accumulator, *row)
                accumulator = accumulator if answer is None else answer
            if hold is not None:
                try:
                    hold([accumulator])
                except BadResult as error:
                    raise misfit(self.definition.name, error, {}) from None
            return self._value(function, accumulator)

    def _value(self, function: Any, accumulator: Any) -> Any:
        if not hasattr(function, "emit_value"):
            return function.get_value(accumulator)
        return rows_of(function, self.definition.declared_type)(accumulator)

    def replay(self, method: str, arguments: Any) -> Any:
        """Calls one method, on a new accumulator where it needs one; or makes a group's value."""
        __tracebackhide__ = True
        if not method:
            return super().replay(method, arguments)
        with self.opened() as function:
            if method == "get_value":
                return self._value(function, *arguments)
            return getattr(function, method)(function.create_accumulator(), *arguments)

    def call_form(self, target: str, spell: Spell) -> CallForm:
        """A helper accumulates the rows of a group and returns its value."""
        function = self.definition.function
        value = "list(function.emit_value(accumulator) or ())"
        columns = self.definition.declared_type
        if not hasattr(function, "emit_value"):
            value = "function.get_value(accumulator)"
        elif isinstance(columns, StructType) and len(columns.fields) == 1:
            value = (
                "[row if isinstance(row, (tuple, list, dict)) else (row,) "
                "for row in function.emit_value(accumulator) or ()]"
            )
        body = [
            "accumulator = function.create_accumulator()",
            "for row in rows:",
            "    changed = function.accumulate(accumulator, *row)",
            "    accumulator = accumulator if changed is None else changed",
            f"return {value}",
        ]
        made = opened(function, self.record.name, target, spell, body, "rows")
        return CallForm(f"{HELPER}(", helper=made)

    def sampled_calls(self, rows: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
        return [(rows,)]

    def failed_call(self, method: str, arguments: tuple[Any, ...]) -> tuple[Any, ...] | None:
        return ([arguments],) if method == "accumulate" else None

    def answer(self, arguments: tuple[Any, ...]) -> Any:
        __tracebackhide__ = True
        return self._value_of(*arguments)

    def results(
        self, rows: DataFrame, columns: Sequence[Column], keys: Sequence[Column]
    ) -> DataFrame:
        return rows.transform(grouped(by=keys, **{RESULT: self.record(*columns)}))

    def variants(self, inputs: Sequence[Any]) -> Variants:
        definition = self.record.definition
        own = self._in_spark()
        if not own:
            return super().variants(inputs)
        changed = replace(definition, options=replace(definition.options, compile=False))
        return Variants(own, [("compile=False", "compile=False", changed)])

    def lineless(self) -> str:
        own = self._in_spark()
        if not own:
            return ""
        return (
            f"its rows become {own}, in no Python worker; declare it with compile=False to see it "
            f"row by row"
        )

    def _in_spark(self) -> str:
        """What becomes of its rows in Spark; "" where accumulate is called for each in a worker."""
        definition = self.record.definition
        if sums_of(definition) is not None:
            return "sums of Spark's own"
        if gathering_of(definition) is not None:
            return "lists of Spark's own"
        if not self.session.java.is_there:
            return ""
        folded = any(isinstance(found, FoldedRows) for _, found in tried(self.record))
        return "accumulators in Spark's JVM" if folded else ""


class TableAggregateKind(AggregateKind):
    """Table aggregate functions; ``nu.flat_aggregate`` makes rows of what they emit."""

    traits = TABLE_AGGREGATE
    base = TableAggregateFunction
    is_measurable = False
    export = ExportForm("udtaf")
    declare = staticmethod(udtaf)

    def encode(self, result: Any) -> object:
        return encoder(ArrayType(self.definition.declared_type))([result])
