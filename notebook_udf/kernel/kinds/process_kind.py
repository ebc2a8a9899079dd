"""Process functions: records in, any number of records out, with state."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable
from typing import Any

from pyspark.sql import DataFrame

from notebook_udf.compile.java.writing.terms import TypesMissing
from notebook_udf.errors import DeclarationError, PlanningError
from notebook_udf.functions.declare_process import is_process, process_function
from notebook_udf.functions.kind_traits import PROCESS
from notebook_udf.functions.process import (
    Collector,
    NonPartitionedContext,
    OneInputStreamProcessFunction,
    ProcessTraits,
    RuntimeContext,
)
from notebook_udf.functions.process_states import NO_KEY, KeyedStates
from notebook_udf.kernel.kinds.call_form import CallForm, Spell
from notebook_udf.kernel.kinds.function_kind import Candidate, FunctionKind
from notebook_udf.kernel.kinds.java_words import calls_in_words, why_in_workers
from notebook_udf.kernel.preview import Trial
from notebook_udf.planner.dataframe import process_function as planner
from notebook_udf.worker.codec.encode import encoder


class ProcessKind(FunctionKind):
    """Process functions; ``nu.process`` gives them the rows of a DataFrame."""

    traits = PROCESS
    base = OneInputStreamProcessFunction
    is_measurable = False
    declare = staticmethod(process_function)

    @classmethod
    def claims(cls, candidate: Candidate) -> bool:
        possible = candidate.own is None or super().claims(candidate)
        return possible and is_process(candidate.function)

    def column(self, args: Any, kwargs: Any) -> Any:
        return self.call(args, kwargs)

    def call(self, args: Any, kwargs: Any) -> Any:
        name = self.record.name
        raise PlanningError(
            f"{name} is a process function, which no column calls: give it to "
            f"df.transform(nu.process({name}))"
        )

    def explain(self) -> str:
        java, record = self.session.java, self.record
        said = [f"without key_by, {each}" for each in calls_in_words(java, record)]
        if not said and not isinstance(java.why_not(record), TypesMissing):
            said = [why_in_workers(java, record)]
        return planner.explain(record, *said)

    def run(self, args: Any, kwargs: Any) -> Any:
        __tracebackhide__ = True
        return self._collected(*args, **kwargs)

    def _collected(
        self, records: Iterable[Any], key_by: Callable[[Any], Any] | None = None
    ) -> list[Any]:
        """What the function collects for records; ``key_by`` maps a record to its key."""
        __tracebackhide__ = True
        traits = self.definition.process or ProcessTraits()
        name, keyed = self.definition.name, key_by is not None
        states = KeyedStates(name, traits.states, keyed=keyed, keeps=True)
        collected: list[Any] = []
        output: Collector[Any] = Collector(lambda record: collected.append(copy.copy(record)))
        with self.opened() as function:
            context = self.context
            partition = RuntimeContext(context, states)

            def apply(call: Callable[[Collector[Any], RuntimeContext], Any]) -> None:
                for key in states.keys if keyed else [NO_KEY]:
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

    def encode(self, result: Any) -> object:
        return encoder(self.definition.declared_type)(result)

    def replay(self, method: str, arguments: Any) -> Any:
        __tracebackhide__ = True
        return self.run((arguments,), {})

    def call_form(self, target: str, spell: Spell) -> CallForm:
        name = self.record.name
        raise DeclarationError(
            f"no test can be captured of {name}: what a process function gives for a record "
            f"depends on its state, and so on all records before it. Write the records down "
            f"instead, as in assert {name}.eval([...]) == [...]"
        )

    def preview(self, rows: DataFrame | str, n: int) -> Trial:
        """What the function collects for the first rows."""
        collected = planner.process(self.few(rows, n), self.record, (), self.session.java.listed)
        return Trial(self.record.name, collected.toPandas())
