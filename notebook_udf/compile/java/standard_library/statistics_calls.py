"""Functions of ``statistics`` of a list of floats or whole numbers, as Java."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from typing import Any

from notebook_udf.compile.java.iterating import sorting
from notebook_udf.compile.java.iterating.iterators import materialised
from notebook_udf.compile.java.numbers.arithmetic import arithmetic
from notebook_udf.compile.java.standard_library import real_numbers
from notebook_udf.compile.java.writing.code import Code
from notebook_udf.compile.java.writing.exceptions import raising
from notebook_udf.compile.java.writing.terms import (
    FLOAT,
    INT,
    NONE,
    NotCompiled,
    Term,
    Value,
)

# What Java calls them; of whole numbers some give one where it is exact.
_METHODS = {
    statistics.mean: "mean({0})",
    statistics.variance: "variance({0}, 1)",
    statistics.pvariance: "variance({0}, 0)",
    statistics.stdev: "deviation({0}, 1)",
    statistics.pstdev: "deviation({0}, 0)",
}
_DEVIATIONS = (statistics.stdev, statistics.pstdev)


def is_function(function: Any) -> bool:
    """Whether it is one of those that are known here."""
    return any(function is each for each in (*_METHODS, statistics.fmean))


def called(code: Code, function: Any, given: tuple[Value, ...], names: Sequence[str]) -> Value:
    """``statistics.mean(values)`` and its like."""
    if len(given) != 1 or names:
        raise NotCompiled(f"{function.__name__} of anything but values")
    whole = materialised(code, given[0])
    held = code.lists.of(whole.kinds)
    complete = function is not statistics.fmean and sorting.is_complete(code, given[0])
    code.lists.check_order(held, complete=complete)
    if held - NONE not in (FLOAT, INT):
        raise NotCompiled(f"{function.__name__} of what are neither floats nor whole numbers")
    if function is statistics.fmean:
        return _fast_mean(code, whole)
    if function in _DEVIATIONS and code.lists.handled:
        # What Python raises for NaN depends on its version.
        raise NotCompiled(f"{function.__name__} beside try")
    java = f"PyStatistics.{_METHODS[function].format(whole.java)}"
    kinds = FLOAT if held - NONE == FLOAT or function in _DEVIATIONS else FLOAT | INT
    return code.set_from(kinds, java)


def _fast_mean(code: Code, whole: Term) -> Value:
    code.say(f"if ({whole.java}.isEmpty()) {raising(ValueError)}")
    total = real_numbers.called(code, math.fsum, (whole,), ())
    size = Term(INT, code.integers.of_long(f"(long) {whole.java}.size()"))
    return arithmetic(code, "/", total, size)
