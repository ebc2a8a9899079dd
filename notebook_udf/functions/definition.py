"""A declared function as data.

``FunctionDefinition`` is what ``udf`` returns and what the registry numbers; planner, worker and
widgets read it. ``declare`` makes one of a user's object.
"""

from __future__ import annotations

import copy
import functools
import inspect
import itertools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Protocol

from pyspark.sql.types import ArrayType, DataType

from notebook_udf.errors import PlanningError
from notebook_udf.functions.base import UserDefinedFunction, implements, of_columns
from notebook_udf.functions.kind_traits import KindTraits
from notebook_udf.functions.options import ROW_TYPES, FunctionOptions, FunctionType
from notebook_udf.functions.process import ProcessTraits
from notebook_udf.types import unmarked


class Door(Protocol):
    """Turns calls of definitions into columns; the session registers itself as one."""

    def column(self, definition: FunctionDefinition, args: Any, kwargs: Any) -> Any:
        """A call of ``definition`` on columns."""


@dataclass
class _Doorway:
    door: Door | None = None
    inside_worker: bool = False

    @contextmanager
    def as_in_worker(self) -> Iterator[None]:
        """In the block a function that calls another gets the value, as in a worker."""
        before, self.inside_worker = self.inside_worker, True
        try:
            yield
        finally:
            self.inside_worker = before


# One per process, because a definition is pickled for other processes and sessions without it.
doorway = _Doorway()


@dataclass(frozen=True)
class Source:
    """The source of a function's code.

    Attributes
    ----------
    text
        Source of the function or class, "" if it cannot be found (built-ins, typed at a prompt).
    file, line
        File name as in tracebacks, and the number of the first line.
    lines
        All lines of that file or cell, so that a worker can quote each of them.
    """

    text: str = ""
    file: str = ""
    line: int = 0
    lines: tuple[str, ...] = field(default=(), repr=False)


@dataclass(frozen=True, repr=False)
class FunctionDefinition:
    """A function with everything declared about it.

    Attributes
    ----------
    name
        Its name unless it is registered under another one.
    traits
        What all functions of its kind have in common.
    function
        The callable, or the instance of a ``UserDefinedFunction``.
    input_types
        Types of the parameters, or None where nothing was declared.
    declared_type
        Type of the result; of its rows, for a table function or a table aggregate. It marks fields
        that a dict may lack.
    accumulator_type
        Spark type of an aggregate's accumulator; None where it is pickled.
    process
        What only process functions have.
    """

    name: str
    traits: KindTraits
    function: Any
    input_types: tuple[DataType | None, ...] | None
    declared_type: DataType
    deterministic: bool
    func_type: FunctionType
    options: FunctionOptions
    parameters: tuple[str, ...]
    source: Source
    accumulator_type: DataType | None = None
    process: ProcessTraits | None = None

    @property
    def kind(self) -> str:
        """``scalar``, ``async``, ``table``, ``aggregate``, ``table aggregate`` or ``process``."""
        return self.traits.name

    @property
    def is_async(self) -> bool:
        """Whether calls of it are awaited."""
        return self.traits.is_async

    @property
    def is_aggregate(self) -> bool:
        """Whether it maps groups of rows, not single ones."""
        return self.traits.takes == "group"

    @property
    def gives_rows(self) -> bool:
        """Whether a call of it has any number of rows, and not one value."""
        return self.traits.gives == "rows"

    @property
    def _accumulates(self) -> bool:
        """Whether it accumulates single rows, and not the columns of a whole group."""
        return self.is_aggregate and self.func_type == "general"

    @property
    def result_type(self) -> DataType:
        """Spark type of the result, or of its rows."""
        return unmarked(self.declared_type)

    @property
    def value_type(self) -> DataType:
        """Spark type of a call's value: a table aggregate's is an array of a group's rows."""
        rows = self.is_aggregate and self.gives_rows
        return ArrayType(self.result_type) if rows else self.result_type

    @functools.cached_property
    def mergeable(self) -> bool:
        """Whether partial accumulators of it can be merged."""
        return self._accumulates and implements(self.function, "merge") and not self._misreads()

    def _misreads(self) -> bool:
        """Whether ``merge`` mistakes the type of its accumulators, as after careless copying.

        The count in FLIP-139 adds a list to a number. A ``merge`` that needs what ``open`` sets
        up, or that raises for another reason, is taken to be right.
        """
        made = self.fresh_accumulators(2)
        if made is None:
            return False
        function, (first, *others) = made
        try:
            function.merge(first, others)
        except TypeError:
            return True
        except Exception:
            return False
        return False

    def fresh_accumulators(self, count: int = 1) -> tuple[Any, list[Any]] | None:
        """A copy of an aggregate function, and accumulators that it created here in the kernel.

        A copy, because the function that is pickled must not be changed by it. None if it needs
        what ``open`` sets up, or cannot be copied: its accumulators are then unknown until it runs.
        """
        try:
            function = copy.deepcopy(self.function)
            return function, [function.create_accumulator() for _ in range(count)]
        except Exception:
            return None

    @property
    def retractable(self) -> bool:
        """Whether rows can be retracted from its accumulators."""
        return self._accumulates and implements(self.function, "retract")

    @property
    def call(self) -> Callable[..., Any]:
        """The callable for a row, for a batch, or for a group's whole columns."""
        return call_of(of_columns(self.function))

    @functools.cached_property
    def arity(self) -> tuple[int, int | None]:
        """How many arguments a call has at least, and at most; None where there is no such limit.

        A function of batches may take several columns by one parameter: it has no limits.
        """
        if self.func_type not in ROW_TYPES:
            return 0, None
        try:
            call = self.function.accumulate if self.is_aggregate else self.call
            parameters = signature_parameters(call)
        except (TypeError, ValueError):
            return 0, None
        free = {inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD}
        if self.is_aggregate and parameters and parameters[0].kind not in free:
            # The accumulator.
            parameters.pop(0)
        plain = [parameter for parameter in parameters if parameter.kind not in free]
        least = sum(parameter.default is parameter.empty for parameter in plain)
        return least, len(plain) if len(plain) == len(parameters) else None

    @functools.cached_property
    def declared_types(self) -> tuple[DataType, ...]:
        """The types of the first parameters, up to one of which none is declared."""
        known = itertools.takewhile(lambda t: t is not None, self.input_types or ())
        return tuple(t for t in known if t is not None)

    @property
    def signature(self) -> str:
        """``name(parameter TYPE, ...) -> TYPE``."""
        types = self.input_types or ()
        shown = [
            f"{name} {t.simpleString()}" if i < len(types) and (t := types[i]) else name
            for i, name in enumerate(self.parameters)
        ]
        result = self.result_type.simpleString()
        if self.gives_rows and self.traits.takes == "row":
            result = f"table{result.removeprefix('struct')}"
        return f"{self.name}({', '.join(shown)}) -> {result}"

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """A Column in the kernel; in a worker, where functions call each other, the value.

        Raises
        ------
        PlanningError
            If there is no session yet.
        """
        if doorway.inside_worker:
            return self.call(*args, **kwargs)
        if doorway.door is None:
            raise PlanningError(
                f"{self.name} was called before there is a session: start one with nu.session(), "
                f"or use {self.name}.eval(...) to run it here on plain values"
            )
        return doorway.door.column(self, args, kwargs)

    def __repr__(self) -> str:
        extra = "" if self.func_type == "general" else f", {self.func_type}"
        return f"<{self.kind} function {self.signature}{extra}>"


def call_of(function: Any) -> Callable[..., Any]:
    """The callable for a row or batch: ``eval`` of a base class of ours, or the object itself."""
    has_eval = isinstance(function, UserDefinedFunction) and hasattr(function, "eval")
    call: Callable[..., Any] = function.eval if has_eval else function
    return call


def parameters_of(call: Callable[..., Any]) -> tuple[str, ...]:
    """Names of the parameters of a callable; ``*args`` keeps its star."""
    try:
        parameters = signature_parameters(call)
    except (TypeError, ValueError):
        return ("*args",)
    return tuple(str(p).partition(":")[0].partition("=")[0] for p in parameters)


def signature_parameters(call: Callable[..., Any]) -> list[inspect.Parameter]:
    """The parameters of a callable, as it is called.

    Raises
    ------
    TypeError, ValueError
        If it has no signature.
    """
    parameters = list(inspect.signature(call).parameters.values())
    dispatching = getattr(getattr(call, "register", None), "__self__", None)
    if isinstance(dispatching, functools.singledispatchmethod) and inspect.isfunction(call):
        # It is bound, but Python reads the signature of the method in it, before 3.14.
        del parameters[:1]
    return parameters
