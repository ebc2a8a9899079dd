"""The entry for ``KINDS``: a scalar kind that is declared, planned and explained otherwise."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from notebook_udf.functions.kind_traits import SCALAR
from notebook_udf.kernel.kinds.export_form import ExportForm
from notebook_udf.kernel.kinds.function_kind import Candidate, Variants
from notebook_udf.kernel.kinds.scalar_kind import ScalarKind
from notebook_udf.planner.physical.udf import spark_function
from notebook_udf.specs.roles import Role
from sixth_kind.memoized_function import MEMOIZED, MemoizedFunction, memoized
from sixth_kind.memoized_node import MemoizedNode


class MemoizedKind(ScalarKind):
    """Runs once for equal arguments."""

    traits = MEMOIZED
    base = MemoizedFunction
    export = ExportForm()
    declare = staticmethod(memoized)

    @classmethod
    def claims(cls, candidate: Candidate) -> bool:
        # A plain function is one only where its user says so.
        said = candidate.own is None and candidate.wanted == MEMOIZED.option
        return said or super().claims(candidate)

    def spark_function(self, role: Role) -> Any:
        return spark_function(self.record, role, MemoizedNode)

    def explain(self) -> str:
        return f"{self.record.signature}\nruns once for equal arguments"

    def variants(self, inputs: Sequence[Any]) -> Variants:
        forgetful = replace(self.record.definition, traits=SCALAR)
        return Variants("with a memory", [("scalar", "without a memory", forgetful)])
