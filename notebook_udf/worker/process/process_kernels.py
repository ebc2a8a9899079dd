"""Straight-line process functions on a whole bundle at once, where that gives Python's answer.

``compile.process_acts`` reads which functions are such. A ``ChainProgram`` runs a chain of them as
checked Arrow kernels, and declines a bundle on which they could answer anything else than Python:
it then runs record by record, so that errors and their records are the same either way.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql.types import DataType, StructType

from notebook_udf.compile.column_expression import Steps
from notebook_udf.compile.process_acts import Act, acts_of
from notebook_udf.functions.row import Row
from notebook_udf.specs.record_shape import RecordShape
from notebook_udf.types import to_arrow
from notebook_udf.worker.kernels.program import RESULTS
from notebook_udf.worker.kernels.steps import Declined, evaluate, operand_of
from notebook_udf.worker.kernels.values import Operand
from notebook_udf.worker.process.record_columns import fields_of, passes_unchanged


def plain_records(shape: RecordShape) -> bool:
    """Whether a record is only its fields: setting and reading one does nothing else."""
    cls = shape.cls()
    if cls is None or (isinstance(cls, type) and issubclass(cls, Row)):
        return True
    parameters = vars(cls).get("__dataclass_params__")
    names = {field.name for field in dataclasses.fields(cls)} if parameters else set()
    return (
        parameters is not None
        and parameters.init
        and not hasattr(cls, "__post_init__")
        and cls.__setattr__ is object.__setattr__
        and cls.__getattribute__ is object.__getattribute__
        and not any(isinstance(getattr(cls, name, None), property) for name in names)
        and names == set(shape.names)
    )


@dataclass(frozen=True)
class FunctionProgram:
    """One function of a chain.

    Attributes
    ----------
    acts
        What it does.
    shape
        Of its records.
    result_type
        Of what it collects.
    """

    acts: tuple[Act, ...]
    shape: RecordShape
    result_type: DataType

    def __call__(self, columns: dict[str, pa.Array]) -> dict[str, pa.Array]:
        """The columns of what is collected, of records made of columns.

        Raises
        ------
        Declined
            If kernels cannot do it.
        """
        # Computed columns; the others are as they came.
        made: dict[str, Operand] = {}
        names = self.shape.names
        found = {name: columns[name] for name in names}
        for act, field, expressions in self.acts:
            if act == "collect":
                return self._collected(field, expressions, found, made)
            operand = self._evaluated(expressions[0], found, made)
            if act == "set":
                if field not in names or self.shape.plain:
                    raise Declined
                made[field] = operand
                continue
            mask = operand[1] if act == "where" else pc.invert(operand[1])
            found = {name: column.filter(mask) for name, column in found.items()}
            made = {name: (domain, value.filter(mask)) for name, (domain, value) in made.items()}
        raise Declined

    def _operand(self, name: Any, found: dict[str, pa.Array], made: dict[str, Operand]) -> Operand:
        if (name == "") is not self.shape.plain:
            raise Declined
        name = name or self.shape.names[0]
        if name in made:
            return made[name]
        if name not in found:
            raise Declined
        return operand_of(found[name])

    def _collected(
        self,
        form: str,
        expressions: tuple[Steps, ...],
        found: dict[str, pa.Array],
        made: dict[str, Operand],
    ) -> dict[str, pa.Array]:
        types = fields_of(self.result_type)
        is_row = isinstance(self.result_type, StructType)
        names = self.result_type.names if isinstance(self.result_type, StructType) else ["value"]
        if form == "record" and not self.shape.plain:
            if not is_row or set(names) != set(self.shape.names):
                raise Declined
            operands: list[Operand | pa.Array] = [
                made[name] if name in made else found[name] for name in names
            ]
        elif form == "record":
            operands = [next(iter(found.values()))]
        else:
            operands = [self._value(steps, found, made) for steps in expressions]
        if len(operands) != len(types) or is_row is (form == "value"):
            raise Declined
        if form == "record" and self.shape.plain and is_row:
            raise Declined
        return {
            name: _fitted(operand, data_type)
            for name, operand, data_type in zip(names, operands, types, strict=True)
        }

    def _value(
        self, steps: Steps, found: dict[str, pa.Array], made: dict[str, Operand]
    ) -> Operand | pa.Array:
        if len(steps) == 1 and steps[0][0] == "parameter":
            name = steps[0][1] or self.shape.names[0]
            if (steps[0][1] == "") is self.shape.plain and name in found and name not in made:
                return found[name]
        return self._evaluated(steps, found, made)

    def _evaluated(
        self, steps: Steps, found: dict[str, pa.Array], made: dict[str, Operand]
    ) -> Operand:
        operand = evaluate(steps, lambda name: self._operand(name, found, made))
        if not isinstance(operand[1], pa.Array):
            raise Declined
        return operand


def _fitted(value: Operand | pa.Array, data_type: DataType) -> pa.Array:
    """A column in the type it is collected as."""
    wanted = to_arrow(data_type)
    if isinstance(value, tuple):
        if not isinstance(data_type, RESULTS[value[0]]):
            raise Declined
        return value[1].cast(wanted)
    both = pa.types.is_signed_integer(value.type) and pa.types.is_signed_integer(wanted)
    if value.type != wanted and not both:
        raise Declined
    return value.cast(wanted)


@dataclass(frozen=True)
class ChainProgram:
    """A chain of functions as kernels."""

    functions: tuple[FunctionProgram, ...]

    def __call__(self, columns: Sequence[pa.Array]) -> list[list[pa.Array]] | None:
        """What each function collects, as columns; None if the bundle has to run by records."""
        names = self.functions[0].shape.names
        found = dict(zip(names, columns, strict=True))
        made = []
        try:
            for function in self.functions:
                found = function(found)
                made.append(list(found.values()))
        except (Declined, pa.ArrowInvalid, pa.ArrowNotImplementedError):
            return None
        return made


def program_of(
    functions: Sequence[Any], shapes: Sequence[RecordShape], types: Sequence[DataType]
) -> ChainProgram | None:
    """The chain of functions, which are opened, as kernels; None if one of them has none."""
    made = []
    for function, shape, data_type in zip(functions, shapes, types, strict=True):
        acts = acts_of(function)
        fields = data_type.fields if isinstance(data_type, StructType) else ()
        if (
            acts is None
            or not passes_unchanged(data_type)
            or not plain_records(shape)
            or not all(field.nullable for field in fields)
        ):
            return None
        made.append(FunctionProgram(acts, shape, data_type))
    return ChainProgram(tuple(made))
