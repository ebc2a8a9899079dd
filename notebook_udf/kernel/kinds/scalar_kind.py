"""Scalar functions: a value for a row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar

from notebook_udf.bench.wrapped import ArrowPerElement, PandasPerElement, is_plain
from notebook_udf.functions.base import ScalarFunction, UserDefinedFunction
from notebook_udf.functions.declare import udf
from notebook_udf.functions.definition import FunctionDefinition
from notebook_udf.functions.kind_traits import SCALAR
from notebook_udf.kernel.kinds.export_form import ExportForm, PlainForm
from notebook_udf.kernel.kinds.function_kind import FunctionKind, Variants
from notebook_udf.planner.physical import scalar
from notebook_udf.planner.physical.udf import spark_function
from notebook_udf.python_calls import Call, quoted
from notebook_udf.registry import RegisteredFunction
from notebook_udf.specs.roles import Role
from notebook_udf.types import ddl, to_arrow

if TYPE_CHECKING:
    from notebook_udf.kernel.notebook_session import Session


def _register(functions: str, definition: FunctionDefinition, name: str, variable: str) -> Call:
    returned, flavour = quoted(ddl(definition.result_type)), definition.func_type
    if flavour == "general":
        made = Call(f"{functions}.udf", (variable, returned, "useArrow=True"))
    else:
        # Without it Spark would guess from annotations, which are not meant for it.
        group = "ArrowUDFType" if flavour == "arrow" else "PandasUDFType"
        made = Call(
            f"{functions}.{flavour}_udf", (variable, returned, f"{functions}.{group}.SCALAR")
        )
    if not definition.deterministic:
        made = replace(made, behind=".asNondeterministic()")
    return Call("spark.udf.register", (name, made))


def _select(definition: FunctionDefinition, name: str, arguments: str, table: str) -> str:
    return f"SELECT *, {name}({arguments}) AS {name} FROM {table}"


class ScalarKind(FunctionKind):
    """Declared by ``udf``, and run in a Python node that neighbouring calls share."""

    traits = SCALAR
    base: ClassVar[type[UserDefinedFunction]] = ScalarFunction
    export = ExportForm("udf", plain=PlainForm(_register, _select))

    def declare(self, function: Any, **options: Any) -> FunctionDefinition:
        definition: FunctionDefinition = udf(function, **options)
        return definition

    def spark_function(self, record: RegisteredFunction, role: Role) -> Any:
        return spark_function(record, role)

    def register(self, session: Session, record: RegisteredFunction) -> None:
        scalar.register(session.spark, record, session.planned(record))

    def spark_names(self, record: RegisteredFunction) -> tuple[str, ...]:
        return scalar.sql_names(record)

    def called(self, session: Session, record: RegisteredFunction, args: Any, kwargs: Any) -> Any:
        return scalar.call(session.planned(record), record, args, kwargs)

    def explain(self, session: Session, record: RegisteredFunction) -> str:
        return scalar.explain(record)

    def variants(
        self, record: RegisteredFunction, definition: FunctionDefinition, inputs: Sequence[Any]
    ) -> Variants:
        if definition.func_type != "general":
            return Variants(definition.func_type)
        own, others, notes = "general, row by row", [], []
        if scalar.runs_as_kernels(definition):
            own = "general, as Arrow kernels"
            options = replace(definition.options, vectorise=False)
            changed = replace(definition, options=options)
            others.append(("vectorise=False", "general, vectorise=False", changed))
        if inputs and all(map(is_plain, (*inputs, definition.result_type))):
            # A time-out is for a call, and here a call is a batch.
            options = replace(definition.options, timeout=None)
            pandas = PandasPerElement(record.payload)
            arrow = ArrowPerElement(record.payload, to_arrow(definition.result_type))
            for changed in (
                replace(definition, func_type="pandas", function=pandas, options=options),
                replace(definition, func_type="arrow", function=arrow, options=options),
            ):
                kind = changed.func_type
                others.append((kind, f"{kind}, calling it per element", changed))
        else:
            notes.append(
                "no pandas or Arrow form can be derived: rows, maps, and no argument at all are "
                "other things to those"
            )
        return Variants(own, others, notes)

    def lineless(self, definition: FunctionDefinition) -> str:
        if not scalar.runs_as_kernels(definition):
            return ""
        return (
            "it runs as Arrow kernels, a bundle at a time; declare it with vectorise=False to see "
            "it row by row"
        )
