"""Straight-line process functions on a whole bundle at once, where that gives Python's answer.

``steps_of`` reads the bytecode of ``process_record`` and accepts it only if it is a run of
conditions without which nothing is collected, assignments to fields of the record, and one
``output.collect`` at the end, of the record, a tuple or a value; all built from what
``kernel_runner`` knows. A ``ChainProgram`` runs a chain of such functions as checked Arrow kernels,
and declines a bundle on which they could answer anything else than Python: it then runs record by
record, so that errors and their records are the same either way.
"""

from __future__ import annotations

import dataclasses
import dis
import inspect
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql.types import DataType, StructType

from notebook_udf.functions.row import Row
from notebook_udf.specs.record_shape import Shape
from notebook_udf.types import to_arrow
from notebook_udf.worker.process.record_columns import fields_of, passes_unchanged
from notebook_udf.worker.scalar.kernel_runner import (
    ARITHMETIC,
    COMPARISONS,
    CONSTANTS,
    INT64,
    RESULTS,
    SILENT,
    UNARY,
    Declined,
    Operand,
    Step,
    evaluate,
    operand_of,
)

Steps: TypeAlias = tuple[Step, ...]
# What a function does with a record, one after the other: goes on only where a condition holds,
# or does not hold; sets a field; collects values, or the record where there are none.
Act: TypeAlias = tuple[Literal["where", "unless", "set", "collect"], str, tuple[Steps, ...]]

_MOST_ACTS = 32
_JUMPS = ("POP_JUMP_FORWARD_IF_FALSE", "POP_JUMP_IF_FALSE")
_QUIET = SILENT | {"PUSH_NULL", "EXTENDED_ARG", "NOT_TAKEN"}


def acts_of(function: Any) -> tuple[Act, ...] | None:
    """What ``process_record`` of an instance does; None if it is anything more."""
    method = type(function).process_record
    code = getattr(method, "__code__", None)
    if code is None or code.co_argcount != 4 or code.co_kwonlyargcount or method.__closure__:
        return None
    if "process_record" in vars(function) or code.co_nlocals != 4 or code.co_exceptiontable:
        return None
    try:
        return _Reader(function, code.co_varnames, list(dis.get_instructions(code))).read()
    except (Declined, IndexError):
        return None


class _Reader:
    """Reads instructions with a stack of what they would have made.

    On it are names of the parameters (texts), expressions (tuples of steps), and pairs of what is
    to be called and its expression.
    """

    def __init__(
        self, function: Any, names: Sequence[str], instructions: list[dis.Instruction]
    ) -> None:
        own = dict(zip(names, ("self", "record", "output", "ctx"), strict=False))
        self._function = function
        self._names = own
        self._code = [i for i in instructions if i.opname not in _QUIET]
        self._stack: list[Any] = []
        self._acts: list[Act] = []

    def read(self) -> tuple[Act, ...]:
        place = 0
        while not self._returns(place):
            done = bool(self._acts) and self._acts[-1][0] == "collect"
            # Behind the last act there is the result of the call to be dropped.
            if (done or len(self._acts) > _MOST_ACTS) and self._code[place].opname != "POP_TOP":
                raise Declined
            place = self._step(place)
        if not self._acts or self._acts[-1][0] != "collect":
            raise Declined
        return tuple(self._acts)

    def _returns(self, place: int) -> bool:
        first = self._code[place]
        if first.opname == "RETURN_CONST":
            return first.argval is None
        is_none = first.opname == "LOAD_CONST" and first.argval is None
        return is_none and self._code[place + 1].opname == "RETURN_VALUE"

    def _step(self, place: int) -> int:
        each = self._code[place]
        name, value, stack = each.opname, each.argval, self._stack
        if name.startswith("LOAD_FAST"):
            loaded = value if isinstance(value, tuple) else (value,)
            stack += [self._names[one] for one in loaded if one in self._names]
        elif name == "LOAD_CONST":
            stack.append((("constant", _constant(value)),))
        elif name in ("LOAD_ATTR", "LOAD_METHOD"):
            stack.append(self._attribute(stack.pop(), value))
        elif name == "CALL":
            given = [stack.pop() for _ in range(each.arg or 0)]
            self._call(stack.pop(), given)
        elif name == "BINARY_OP" and each.argrepr in ARITHMETIC:
            right, left = stack.pop(), stack.pop()
            stack.append((*_expression(left), *_expression(right), ("binary", each.argrepr)))
        elif name == "COMPARE_OP" and value in COMPARISONS:
            right, left = stack.pop(), stack.pop()
            stack.append((*_expression(left), *_expression(right), ("compare", value)))
        elif name == "UNARY_NEGATIVE":
            stack.append((*_expression(stack.pop()), ("unary", "-")))
        elif name == "BUILD_TUPLE":
            count = each.arg or 0
            stack[len(stack) - count :] = [
                ("tuple", tuple(map(_expression, stack[len(stack) - count :])))
            ]
        elif name == "STORE_ATTR" and stack.pop() == "record":
            self._acts.append(("set", value, (_expression(stack.pop()),)))
        elif name == "POP_TOP" and stack.pop() == "nothing":
            pass
        elif name in _JUMPS:
            return self._jump(place, value)
        else:
            raise Declined
        return place + 1

    def _attribute(self, owner: Any, name: str) -> Any:
        if owner == "record":
            return (("parameter", name),)
        if owner == "output" and name == "collect":
            return "collect"
        if owner == "self":
            # Nothing that is accepted changes it. A property is found as itself, and declined.
            value = inspect.getattr_static(self._function, name, None)
            return (("constant", _constant(value)),)
        if name in UNARY:
            return ("method", name, _expression(owner))
        raise Declined

    def _call(self, called: Any, given: list[Any]) -> None:
        if called == "collect" and len(given) == 1:
            if given[0] == "record":
                self._acts.append(("collect", "record", ()))
            elif given[0][0] == "tuple":
                self._acts.append(("collect", "tuple", given[0][1]))
            else:
                self._acts.append(("collect", "value", (_expression(given[0]),)))
            self._stack.append("nothing")
        elif called[0] == "method" and not given:
            self._stack.append((*called[2], ("unary", called[1])))
        else:
            raise Declined

    def _jump(self, place: int, target: int) -> int:
        """A condition: on one side of it the function must have nothing more to do."""
        condition = _expression(self._stack.pop())
        if self._stack or condition[-1][0] != "compare":
            raise Declined
        there = next(p for p, each in enumerate(self._code) if each.offset >= target)
        if self._returns(there):
            self._acts.append(("where", "", (condition,)))
            return place + 1
        if self._returns(place + 1):
            self._acts.append(("unless", "", (condition,)))
            return there
        raise Declined


def _expression(found: Any) -> Steps:
    if found == "record":
        # The record is a plain value: its only column.
        return (("parameter", ""),)
    if isinstance(found, tuple) and found[0] not in ("tuple", "method"):
        return found
    raise Declined


def _constant(value: Any) -> Any:
    if type(value) not in CONSTANTS or (type(value) is int and value not in INT64):
        raise Declined
    return value


def plain_records(shape: Shape) -> bool:
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
    shape: Shape
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
    functions: Sequence[Any], shapes: Sequence[Shape], types: Sequence[DataType]
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


__all__ = ["ChainProgram", "FunctionProgram", "acts_of", "program_of"]
