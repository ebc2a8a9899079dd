"""The entry for ``KINDS``: a scalar kind that is declared, planned and explained otherwise."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from notebook_udf.functions.definition import FunctionDefinition
from notebook_udf.functions.kind_traits import SCALAR
from notebook_udf.kernel.kinds.export_form import ExportForm
from notebook_udf.kernel.kinds.function_kind import Candidate, Variants
from notebook_udf.kernel.kinds.scalar_kind import ScalarKind
from notebook_udf.planner.physical.udf import spark_function
from notebook_udf.registry import RegisteredFunction
from notebook_udf.specs.roles import Role
from sixth_kind.memoized_function import MEMOIZED, MemoizedFunction, memoized
from sixth_kind.memoized_node import MemoizedNode

if TYPE_CHECKING:
    from notebook_udf import Session


class MemoizedKind(ScalarKind):
    traits = MEMOIZED
    base = MemoizedFunction
    export = ExportForm()

    def claims(self, candidate: Candidate) -> bool:
        # A plain function is one only where its user says so.
        said = candidate.own is None and candidate.wanted == MEMOIZED.option
        return said or super().claims(candidate)

    def declare(self, function: Any, **options: Any) -> FunctionDefinition:
        return memoized(function, **options)

    def spark_function(self, record: RegisteredFunction, role: Role) -> Any:
        return spark_function(record, role, MemoizedNode)

    def explain(self, session: Session, record: RegisteredFunction) -> str:
        return f"{record.signature}, version {record.version}\nruns once for equal arguments"

    def variants(
        self, record: RegisteredFunction, definition: FunctionDefinition, inputs: Sequence[Any]
    ) -> Variants:
        forgetful = replace(definition, traits=SCALAR)
        return Variants("with a memory", [("scalar", "without a memory", forgetful)])
