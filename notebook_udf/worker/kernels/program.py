"""An ordinary function over whole columns, with Python's answers.

Rows are left to Python where a kernel might answer anything else than it: a None in arithmetic, an
overflow, a division by zero, letters beyond ASCII that change. Python then runs the function for
those rows alone, so their answers and errors are its own. What has no kernel at all is left to
Python for the rows that reach it.
"""

from __future__ import annotations

import inspect
import types
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql.types import (
    BooleanType,
    ByteType,
    DataType,
    DateType,
    DoubleType,
    IntegerType,
    LongType,
    ShortType,
    StringType,
)

from notebook_udf.types import to_arrow
from notebook_udf.worker.kernels.bound_arguments import is_plain
from notebook_udf.worker.kernels.control_flow import Evaluator
from notebook_udf.worker.kernels.effects import effect_of
from notebook_udf.worker.kernels.numeric import exact_doubles
from notebook_udf.worker.kernels.values import (
    Domain,
    Mask,
    Mixed,
    NoKernel,
    Rows,
    Uniform,
    Value,
    column,
    entered,
    operand,
    put_together,
)

RESULTS: dict[Domain, tuple[type[DataType], ...]] = {
    "int": (ByteType, ShortType, IntegerType, LongType),
    "float": (DoubleType,),
    "bool": (BooleanType,),
    "str": (StringType,),
    "date": (DateType,),
}


class KernelFault(UserWarning):
    """Kernels failed where they should have answered, or left a row to Python."""


class Answer(NamedTuple):
    """What kernels answer for a bundle.

    Attributes
    ----------
    result
        Of each row; of those that are declined it means nothing.
    declined
        Which rows Python has to run; None for none.
    """

    result: pa.Array
    declined: Mask | None

    @property
    def left(self) -> float:
        """The share of rows that Python has to run."""
        return 0.0 if self.declined is None else float(self.declined.mean())


class Outlook(NamedTuple):
    """What is known of a function's kernels before there are rows.

    Attributes
    ----------
    answers
        Whether there are any for columns of some types.
    left
        What is left to Python, and why.
    """

    answers: bool
    left: tuple[NoKernel, ...]


@dataclass
class Program:
    """A function as kernels over the columns of its arguments."""

    function: types.FunctionType
    owner: tuple[Any, ...]
    result_type: DataType

    @cached_property
    def effect(self) -> NoKernel | None:
        """What the function may do besides answering, which kernels do not."""
        return effect_of(self.function, *self.owner)

    def __call__(self, columns: Sequence[pa.Array]) -> Answer | None:
        """The result for every row; None if Python has to run the whole bundle."""
        if self.effect is not None or not columns:
            return None
        rows = Rows.all(len(columns[0]))
        found = self._answer(columns, rows)
        if found is None or rows.declined.all():
            return None
        return Answer(found, rows.declined if rows.declined.any() else None)

    def outlook(self, types_of_columns: Sequence[pa.DataType]) -> Outlook:
        """What kernels would answer of columns of some types."""
        if self.effect is not None:
            return Outlook(False, (self.effect,))
        rows = Rows.all(0)
        found = self._answer([pa.nulls(0, each) for each in types_of_columns], rows)
        return Outlook(found is not None, tuple(rows.reasons))

    def _answer(self, columns: Sequence[pa.Array], rows: Rows) -> pa.Array | None:
        try:
            given = [entered(each) for each in columns]
            value = Evaluator().value(self.function, [*map(Uniform, self.owner), *given], rows)
            return self._left(rows, value)
        except NoKernel as why:
            rows.reasons.append(why)
        except Exception as error:
            # Of ours: Python gives the answer, or raises what there is to raise.
            fault = f"{type(error).__name__}: {error}"
            warnings.warn(
                f"kernels failed on {self.function.__qualname__} ({fault}), and Python runs it. "
                f"This is a fault of notebook-udf: please report it with the function",
                KernelFault,
                stacklevel=2,
            )
            rows.reasons.append(NoKernel(f"a fault of notebook-udf, {fault}"))
        return None

    def _left(self, rows: Rows, value: Value) -> pa.Array:
        """A value as the function's column; rows that do not fit it are left to Python."""
        own = to_arrow(self.result_type)
        if isinstance(value, Mixed):
            masks, arrays = [], []
            for mask, part in value.parts:
                inner = rows.within(mask)
                try:
                    arrays.append(self._left(inner, part))
                    masks.append(mask)
                except NoKernel as why:
                    inner.decline_all(why)
            if not arrays:
                raise NoKernel("results of other types than declared")
            return put_together(masks, arrays)
        if isinstance(value, Uniform) and value.value is None:
            return pa.nulls(rows.count, own)
        domain, array = operand(value)
        if isinstance(self.result_type, RESULTS.get(domain, ())):
            return self._cast(rows, column(domain, array, rows).array, own)
        if domain == "int" and isinstance(self.result_type, DoubleType):
            return column("float", exact_doubles(rows, array), rows).array
        raise NoKernel(f"a result of {domain} for {self.result_type.simpleString()}")

    def _cast(self, rows: Rows, array: pa.Array, own: pa.DataType) -> pa.Array:
        try:
            return array.cast(own)
        except pa.ArrowInvalid:
            found = array.cast(own, safe=False)
            rows.decline(pc.not_equal(found.cast(array.type), array))
            return found


def translate(function: Callable[..., Any], result_type: DataType) -> Program | None:
    """The function as kernels; None if it is no plain function, or of a type without them."""
    owner: tuple[Any, ...] = ()
    if inspect.ismethod(function):
        method: Any = function
        function, owner = method.__func__, (method.__self__,)
    if not isinstance(function, types.FunctionType) or not is_plain(function):
        return None
    if not any(isinstance(result_type, kinds) for kinds in RESULTS.values()):
        return None
    return Program(function, owner, result_type)
