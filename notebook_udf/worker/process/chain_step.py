"""A function of a chain at run time: its states, and where the records it collects go."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any

from pyspark.sql.types import DataType

from notebook_udf.functions.process import Collector, RuntimeContext
from notebook_udf.functions.process_states import KeyedStates
from notebook_udf.specs.chain_layout import ChainStep
from notebook_udf.worker.call.function_call import FunctionCall
from notebook_udf.worker.process.record_columns import remembering


class _Holder:
    """Holds what a function collects until it may go on: all of it, or the last record only."""

    def __init__(self, data_type: DataType, given: Any, *, last: bool) -> None:
        self._records: deque[Any] = deque(maxlen=1 if last else None)
        self.collect = remembering(data_type, given, self._records.append)

    def flush(self, collect: Callable[[Any], None]) -> None:
        records = self._records
        while records:
            collect(records.popleft())


class RunningStep:
    """A function of a chain.

    Parameters
    ----------
    place
        Its index in the chain.
    entry_of
        What takes records for the function at an index, which it begins.
    """

    def __init__(
        self,
        place: int,
        step: ChainStep,
        call: FunctionCall,
        entry_of: Callable[[int], Callable[[Any], None]],
    ) -> None:
        self.place = place
        self.step = step
        self.call = call
        self._entry_of = entry_of
        result = call.header.result_type
        attributes = step.attributes
        # The class of its records, if they have one.
        self.given = step.shape.cls()
        # Where a function before this one waits for the end, all this one gives comes then.
        holds = attributes.no_output_until_end_of_input and not step.waits
        self.late = _Holder(result, self.given, last=False) if holds else None
        self.last = _Holder(result, self.given, last=True) if attributes.idempotence else None
        self.collect: Callable[[Any], None] | None = None
        self.counted: Callable[[], int] = lambda: 0
        self.function: Any = None

    def begin(self, collect: Callable[[Any], None] | None) -> None:
        """Prepares the function; what it collects goes to ``collect``."""
        call, step = self.call, self.step
        call.begin()
        self.function = call.function
        # An instance that is kept may keep a state object as well.
        self.states: KeyedStates = call.instance.beside(
            "states of keys" if step.keyed else "states",
            lambda: KeyedStates(call.name, step.states, keyed=step.keyed, keeps=step.keeps),
        )
        self.ctx = RuntimeContext(call.instance.context, self.states)
        self.collect = collect
        entry = self.last or self.late
        self.output: Collector[Any] = Collector(entry.collect if entry else self._onward())

    def _onward(self) -> Callable[[Any], None]:
        """What takes a record behind the holders; made when it is first needed, because the next
        function may not be open before."""
        if self.collect is None:
            self.collect = self._entry_of(self.place + 1)
        return self.collect

    def flush_last(self) -> None:
        """Passes on the last record of a key."""
        if self.last is not None:
            self.last.flush(self.late.collect if self.late else self._onward())

    def flush_late(self) -> None:
        """Passes on everything that had to wait for the end."""
        if self.late is not None:
            self.late.flush(self._onward())
