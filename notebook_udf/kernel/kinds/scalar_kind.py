"""Scalar functions: a value for a row."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, ClassVar

from pyspark.sql import functions as F

from notebook_udf.bench.wrapped import ArrowPerElement, PandasPerElement, is_plain
from notebook_udf.functions.base import ScalarFunction, UserDefinedFunction
from notebook_udf.functions.declare import udf
from notebook_udf.functions.definition import FunctionDefinition
from notebook_udf.functions.kind_traits import SCALAR
from notebook_udf.functions.options import ROW_TYPES
from notebook_udf.kernel.kinds.export_form import ExportForm, PlainForm
from notebook_udf.kernel.kinds.function_kind import FunctionKind, Variants
from notebook_udf.kernel.kinds.java_words import (
    LINELESS,
    calls_in_words,
    java_variants,
    why_in_workers,
)
from notebook_udf.planner.physical import scalar
from notebook_udf.planner.physical.column_arguments import with_constants
from notebook_udf.python_calls import PythonCall, quoted
from notebook_udf.types import ddl, to_arrow


def _register(
    functions: str, definition: FunctionDefinition, name: str, variable: str
) -> PythonCall:
    returned, flavour = quoted(ddl(definition.result_type)), definition.func_type
    if flavour in ROW_TYPES:
        made = PythonCall(f"{functions}.udf", (variable, returned, "useArrow=True"))
    else:
        # Without it Spark would guess from annotations, which are not meant for it.
        group = "ArrowUDFType" if flavour == "arrow" else "PandasUDFType"
        scalar_type = f"{functions}.{group}.SCALAR"
        made = PythonCall(f"{functions}.{flavour}_udf", (variable, returned, scalar_type))
    if not definition.deterministic:
        made = replace(made, behind=".asNondeterministic()")
    return PythonCall("spark.udf.register", (name, made))


def _select(definition: FunctionDefinition, name: str, arguments: str, table: str) -> str:
    return f"SELECT *, {name}({arguments}) AS {name} FROM {table}"


class ScalarKind(FunctionKind):
    """Runs in a Python node that neighbouring calls share."""

    traits = SCALAR
    base: ClassVar[type[UserDefinedFunction]] = ScalarFunction
    export = ExportForm("udf", plain=PlainForm(_register, _select))
    declare: ClassVar[Callable[..., Any]] = staticmethod(udf)

    def register(self) -> None:
        if not self.session.java.register(self.record, self.record.name):
            scalar.register(self.session.spark, self.record, self.session.planned(self.record))

    def spark_names(self) -> tuple[str, ...]:
        return scalar.sql_names(self.record)

    def call(self, args: Any, kwargs: Any) -> Any:
        if not kwargs and self.definition.arity[0] <= len(args) <= len(self.definition.parameters):
            record, java, hidden = self.record, self.session.java, self.session.hidden
            name = f"_nu_java_{record.name}_{record.version}_{record.hash[:8]}"
            # Spark is not asked again for each call.
            known = java.may_run(record) and hidden.has(name, record)
            if known or java.register(record, name):
                args, _ = with_constants(record, args, kwargs)
                return F.call_function(hidden.keep(name, record), *args)
        return scalar.call(self.session.planned(self.record), self.record, args, kwargs)

    def explain(self) -> str:
        java, record = self.session.java, self.record
        called = calls_in_words(java, record)
        if java.runs(record):
            return scalar.explain_java(record, java.class_name(record), *called)
        return scalar.explain(record, *(called or [why_in_workers(java, record)]))

    def variants(self, inputs: Sequence[Any]) -> Variants:
        definition = self.record.definition
        if definition.func_type == "numba":
            general = replace(definition, func_type="general")
            return Variants("numba", [("general", "general, without numba", general)])
        if definition.func_type != "general":
            return super().variants(inputs)
        in_java = java_variants(self.session.java, self.record, inputs)
        own, others, notes = in_java.own or "general, row by row", [*in_java.others], in_java.notes
        options = definition.options
        if in_java.own:
            options = replace(options, compile=False)
        if scalar.runs_as_kernels(definition):
            if options.compile:
                own = "general, as Arrow kernels"
            row_by_row = replace(definition, options=replace(options, vectorise=False))
            others.append(("vectorise=False", "general, vectorise=False", row_by_row))
        if not inputs or not all(map(is_plain, (*inputs, definition.result_type))):
            note = (
                "no pandas or Arrow form can be derived: rows, maps, and no argument at all are "
                "other things to those"
            )
            return Variants(own, others, [*notes, note])
        # A time-out is for a call, and here a call is a batch.
        options = replace(definition.options, timeout=None)
        pandas = PandasPerElement(self.record.payload)
        arrow = ArrowPerElement(self.record.payload, to_arrow(definition.result_type))
        for changed in (
            replace(definition, func_type="pandas", function=pandas, options=options),
            replace(definition, func_type="arrow", function=arrow, options=options),
        ):
            flavour = changed.func_type
            others.append((flavour, f"{flavour}, calling it per element", changed))
        return Variants(own, others, notes)

    def lineless(self) -> str:
        if self.record.definition.func_type == "numba":
            return "it is compiled by numba; declare it without func_type to see it line by line"
        if self.session.java.has_class(self.record):
            return LINELESS
        if not scalar.runs_as_kernels(self.record.definition):
            return ""
        return (
            "it runs as Arrow kernels, a bundle at a time; declare it with vectorise=False to see "
            "it row by row"
        )
