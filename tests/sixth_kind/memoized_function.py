"""What a user writes: a class that derives from ``MemoizedFunction``, or ``@memoized``."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from notebook_udf.functions.base import ScalarFunction
from notebook_udf.functions.declare import udf
from notebook_udf.functions.definition import FunctionDefinition
from notebook_udf.functions.kind_traits import KindTraits

MEMOIZED = KindTraits("memoized")


class MemoizedFunction(ScalarFunction):
    """Maps the values of a row to one value, once for equal ones."""

    function_kind = MEMOIZED


def memoized(f: Any, **options: Any) -> FunctionDefinition:
    """Declares a memoized function; as ``udf``."""
    definition: FunctionDefinition = udf(f, **options)
    return replace(definition, traits=MEMOIZED)
