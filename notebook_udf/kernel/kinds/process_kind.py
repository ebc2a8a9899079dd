"""Process functions: records in, any number of records out, with state."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from notebook_udf.errors import PlanningError
from notebook_udf.functions.context import FunctionContext
from notebook_udf.functions.declare_process import is_process, process_function
from notebook_udf.functions.definition import FunctionDefinition
from notebook_udf.functions.kind_traits import PROCESS
from notebook_udf.functions.process import (
    Collector,
    NonPartitionedContext,
    OneInputStreamProcessFunction,
    ProcessTraits,
    RuntimeContext,
)
from notebook_udf.functions.process_states import NO_KEY, KeyedStates
from notebook_udf.kernel.kinds.function_kind import Candidate, FunctionKind, opened
from notebook_udf.kernel.preview import Trial
from notebook_udf.planner.dataframe import process_function as planner
from notebook_udf.registry import RegisteredFunction
from notebook_udf.specs.roles import Role
from notebook_udf.worker.codec.encode import encoder

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from notebook_udf.kernel.notebook_session import Session


class ProcessKind(FunctionKind):
    """Declared by their class; ``nu.process`` hands them the rows of a DataFrame."""

    traits = PROCESS
    base = OneInputStreamProcessFunction
    is_measurable = False

    def claims(self, candidate: Candidate) -> bool:
        own = candidate.own
        return (own is None or super().claims(candidate)) and is_process(candidate.function)

    def declare(self, function: Any, **options: Any) -> FunctionDefinition:
        return process_function(function, **options)

    def spark_function(self, record: RegisteredFunction, role: Role) -> Any:
        raise self._no_column(record)

    def column(self, session: Session, record: RegisteredFunction, args: Any, kwargs: Any) -> Any:
        raise self._no_column(record)

    called = column

    def _no_column(self, record: RegisteredFunction) -> PlanningError:
        return PlanningError(
            f"{record.name} is a process function, which no column calls: give it to "
            f"df.transform(nu.process({record.name}))"
        )

    def explain(self, session: Session, record: RegisteredFunction) -> str:
        return planner.explain(record)

    def evaluate(
        self, definition: FunctionDefinition, args: Any, kwargs: Any, parameters: Mapping[str, str]
    ) -> Any:
        """What is collected of a sequence of records, in a list.

        ``key_by`` is a function from a record to its key.
        """
        __tracebackhide__ = True
        with opened(definition, parameters) as function:
            context = FunctionContext(function=definition.name, job_parameters=parameters)
            return _processed(definition, function, context, *args, **kwargs)

    def encode(self, definition: FunctionDefinition, result: Any) -> object:
        return encoder(definition.declared_type)(result)

    def replay(
        self,
        definition: FunctionDefinition,
        method: str,
        arguments: Any,
        parameters: Mapping[str, str],
    ) -> Any:
        __tracebackhide__ = True
        return self.evaluate(definition, (arguments,), {}, parameters)

    def preview(self, record: RegisteredFunction, rows: DataFrame) -> Trial:
        """What the function collects of the rows."""
        return Trial(record.name, planner.process(rows, record, ()).toPandas())


def _processed(
    definition: FunctionDefinition,
    function: Any,
    context: FunctionContext,
    records: Iterable[Any],
    key_by: Callable[[Any], Any] | None = None,
) -> list[Any]:
    __tracebackhide__ = True
    traits = definition.process or ProcessTraits()
    states = KeyedStates(definition.name, traits.states, keyed=key_by is not None, keeps=True)
    collected: list[Any] = []
    output: Collector[Any] = Collector(lambda record: collected.append(copy.copy(record)))
    partition = RuntimeContext(context, states)

    def apply(call: Callable[[Collector[Any], RuntimeContext], Any]) -> None:
        for key in states.keys if key_by is not None else [NO_KEY]:
            states.switch(key)
            call(output, partition)
        states.switch(NO_KEY)

    for record in records:
        if key_by is not None:
            states.switch(key_by(record))
        function.process_record(record, output, partition)
    states.switch(NO_KEY)
    function.end_input(NonPartitionedContext(context, states, apply))
    return collected


__all__ = ["ProcessKind"]
