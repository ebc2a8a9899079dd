"""Process functions over a partition: a chain of them in one operator.

``ProcessPass`` is what Spark pickles for ``mapInArrow``. Key columns, if there are any, come first,
sorted, then those of the first function's records; what the last function collects leaves as
columns. A record goes through the whole chain before the next one is taken.

The planner decides which functions form a chain; ``record_columns`` makes records of columns and
columns of records.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import repeat
from time import perf_counter_ns
from typing import Any

import pyarrow as pa

from notebook_udf.errors import DeclarationError, PlanningError
from notebook_udf.functions.process import NonPartitionedContext
from notebook_udf.functions.process_states import NO_KEY
from notebook_udf.specs.chain_layout import ProcessLayout
from notebook_udf.specs.payload import Shipment
from notebook_udf.worker.aggregate.accumulator import UNLIKE_A_ROW
from notebook_udf.worker.call.function_call import FunctionCall, running
from notebook_udf.worker.call.operator import Operator
from notebook_udf.worker.call.quarantine import Quarantine
from notebook_udf.worker.codec.decode import decoder
from notebook_udf.worker.codec.encode import BadResult, encoder
from notebook_udf.worker.codec.group_keys import frozen, key_names
from notebook_udf.worker.codec.key_runs import Run, runs_of
from notebook_udf.worker.process.chain_step import RunningStep
from notebook_udf.worker.process.process_kernels import ChainProgram, program_of
from notebook_udf.worker.process.record_columns import batch_of, edge, remembering
from notebook_udf.worker.runtime.error_kinds import WorkerStopped
from notebook_udf.worker.runtime.failure import FunctionFailed, short

_SLICE_ROWS = 2_048
_ROWS_OUT = 32_768
# Bundles that kernels decline before they are left alone.
_MOST_DECLINED = 3


class ProcessPass(Operator[ProcessLayout, FunctionCall]):
    """Runs a chain over the rows of a partition."""

    def __init__(
        self,
        spec: ProcessLayout,
        payloads: Iterable[Shipment],
        calls: Iterable[FunctionCall] = (),
    ) -> None:
        super().__init__(spec, payloads, calls)
        self.__name__ = spec.title

    @classmethod
    def call_of(cls, spec: ProcessLayout, place: int, payload: Shipment) -> FunctionCall:
        step = spec.steps[place]
        call = FunctionCall(payload, in_pass=True, waits=step.waits)
        call.chain = step.place
        return call

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        chain = Chain(self.spec, self.calls)
        for batch in batches:
            yield from chain.take(batch)
        if self.spec.bounded:
            yield from chain.end()


@contextmanager
def _uncollected() -> Iterator[None]:
    """Postpones garbage collection: records are many and short-lived, and searching them for cycles
    takes longer than making them."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


class Chain:
    """The functions of one chain, over one partition."""

    def __init__(self, layout: ProcessLayout, calls: list[FunctionCall]) -> None:
        self._layout = layout
        self._calls = calls
        self._steps = [
            RunningStep(place, step, call, self.entry_of)
            for place, (step, call) in enumerate(zip(layout.steps, calls, strict=True))
        ]
        self._key: Any = NO_KEY
        self._keyed = [step for step in self._steps if step.step.keyed]
        self._declined = 0
        self._failure: FunctionFailed | None = None
        self._out: list[Any] = []
        result = calls[-1].header.result_type
        self._result = result
        self._encode = encoder(result)
        self._append = remembering(result, self._steps[-1].given, self._out.append)
        self._make = layout.steps[0].shape.many()
        self._begin(0)
        self._program = self._kernels()

    # Beginning -------------------------------------------------------------------------------

    def _begin(self, place: int) -> None:
        """Opens a function and, before it, those behind it that do not wait."""
        step = self._steps[place]
        if step.function is not None:
            return
        following = place + 1
        collect = None
        if following == len(self._steps):
            collect = self._append
        elif not self._steps[following].step.waits:
            collect = self.entry_of(following)
        step.begin(collect)

    def entry_of(self, place: int) -> Callable[[Any], None]:
        """What takes records for the function at ``place``, which it opens."""
        if place == len(self._steps):
            return self._append
        self._begin(place)
        step, before = self._steps[place], self._steps[place - 1]
        collect, step.counted = edge(
            before.call.header.result_type,
            step.step.shape,
            given=before.given,
            reuses=step.step.reuses,
            untouched=step.step.untouched,
            process=step.function.process_record,
            output=step.output,
            ctx=step.ctx,
            call=step.call,
            before=before.call,
            task=step.call.task,
            failed=lambda error, record: self._failed(step, error, [record]),
            keys=self._layout.keys if step.step.keyed else (),
            current=lambda key, record: self._check_key(step, key, record),
        )
        return collect

    # Records ---------------------------------------------------------------------------------

    def take(self, batch: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
        """Processes a bundle; returns what has to leave."""
        call, count = self._calls[0], len(self._layout.keys)
        columns = [batch.column(place) for place in range(count, batch.num_columns)]
        made = self._at_once(columns) if self._program is not None else None
        if made is not None:
            if made.num_rows:
                yield made
            return
        quarantine = Quarantine(call, columns)
        for start in range(0, batch.num_rows, _SLICE_ROWS):
            part = batch.slice(start, _SLICE_ROWS)
            with _uncollected():
                self._take_slice(part, start, quarantine)
            if len(self._out) >= _ROWS_OUT:
                yield from self.leave()
        self._flush_last()
        quarantine.write()
        yield from self.leave()

    def _kernels(self) -> ChainProgram | None:
        """The chain as kernels, if each function is one and nothing is held back between them."""
        steps, calls = self._steps, self._calls
        if self._layout.keys or not all(call.header.options.vectorise for call in calls):
            return None
        if any(step.late or step.last or step.function is None for step in steps):
            return None
        return program_of(
            [step.function for step in steps],
            [step.step.shape for step in steps],
            [call.header.result_type for call in calls],
        )

    def _at_once(self, columns: list[pa.Array]) -> pa.RecordBatch | None:
        """The output of a bundle, by kernels; None if it has to be processed record by record."""
        assert self._program is not None
        t0 = perf_counter_ns()
        found = self._program(columns)
        if found is None:
            self._declined += 1
            if self._declined == _MOST_DECLINED:
                # Such are the rows: the next bundle would be tried in vain as well.
                self._program = None
            return None
        rows = len(columns[0])
        for call, collected in zip(self._calls, found, strict=True):
            call.statistics.rows_in += rows
            rows = len(collected[0])
            call.statistics.rows_out += rows
        self._calls[0].statistics.user_ns += perf_counter_ns() - t0
        return pa.RecordBatch.from_arrays(found[-1], list(self._layout.names))

    def _take_slice(self, batch: pa.RecordBatch, start: int, quarantine: Quarantine) -> None:
        call, count = self._calls[0], len(self._layout.keys)
        t0 = perf_counter_ns()
        records = self._records(batch, count)
        runs = self._runs(batch, count)
        t1 = perf_counter_ns()
        with running(call, start, len(records)):
            self._take_runs(runs, records, batch, start, quarantine)
        call.statistics.decode_ns += t1 - t0
        call.statistics.user_ns += perf_counter_ns() - t1
        call.statistics.rows_in += len(records)

    def _take_runs(
        self,
        runs: Sequence[Run],
        records: list[Any],
        batch: pa.RecordBatch,
        start: int,
        quarantine: Quarantine,
    ) -> None:
        """Processes the records of each key; ``batch`` holds the rows they were made of."""
        for key, first, end in runs:
            self._switch(key)
            self._feed(records[first:end], start + first, quarantine)

    def _records(self, batch: pa.RecordBatch, first: int) -> list[Any]:
        columns = [batch.column(place) for place in range(first, batch.num_columns)]
        values = [decoder(column.type)(column) for column in columns]
        return self._make(*values)

    def _runs(self, batch: pa.RecordBatch, count: int) -> Sequence[Run]:
        """Each key with the rows that have it: equal keys follow each other."""
        if not count:
            return [(NO_KEY, 0, batch.num_rows)]
        return runs_of(batch.columns[:count], batch.num_rows)

    def _switch(self, key: Any) -> None:
        """Makes a key the current one of every function that has states per key."""
        if key is self._key or key == self._key:
            return
        if self._key is not NO_KEY:
            self._flush_last(keyed=True)
        self._key = key
        for step in self._keyed:
            if step.function is not None:
                step.states.switch(key)

    def _check_key(self, step: RunningStep, key: Any, record: Any) -> None:
        """Refuses a record whose key is not that of the records it was made of."""
        # In tuples, because NaN equals itself only there.
        if key == self._key or (frozen(key),) == (self._key,):
            return
        before, names = self._calls[step.place - 1].name, ", ".join(self._layout.keys)
        changed = PlanningError(
            f"{before} collects a record of another key than its own, and {step.call.name} is "
            f"keyed by the same columns ({names}), so that records are not shuffled again: "
            f'collect records of the same key, or put .select("*") between the two'
        )
        self._failed(step, changed, [record])

    def _feed(self, records: list[Any], first: int, quarantine: Quarantine) -> None:
        step = self._steps[0]
        results: list[Any] = []
        for call in self._calls:
            call.slice_start, call.results = first, results
        calls = map(step.function.process_record, records, repeat(step.output), repeat(step.ctx))
        while len(results) < len(records):
            try:
                # extend() keeps what it got before an exception: its length is the row.
                results.extend(calls)
                if len(results) < len(records):
                    raise RuntimeError("process_record raised StopIteration")
            except BaseException as error:
                row = len(results)
                self._failed(step, error, [records[row]])
                quarantine.add(first + row, error)
                results.append(None)
        if self._failure is not None:
            # A function further up has swallowed it.
            raise self._failure
        if results.count(None) != len(results):
            row, answer = next((r, a) for r, a in enumerate(results) if a is not None)
            returned = DeclarationError(
                f"{step.call.name}.process_record returned {short(answer)}: give records to "
                f"output.collect(record), and return nothing"
            )
            step.call.fail(returned, [records[row]], first + row)

    def _failed(self, step: RunningStep, error: BaseException, given: list[Any] | None) -> None:
        """Reports a call that raised; skips its record if the function says so."""
        if self._failure is not None:
            raise self._failure
        if isinstance(error, WorkerStopped):
            raise error
        outcome = "fail" if isinstance(error, UNLIKE_A_ROW) else step.call.header.options.on_error
        call = step.call
        row = call.slice_start + len(call.results) if call.slice_start >= 0 else -1
        try:
            call.fail(error, given, row, outcome=outcome, group=self._group())
        except FunctionFailed as failure:
            self._failure = failure
            raise

    def _group(self) -> Mapping[str, Any]:
        if self._key is NO_KEY:
            return {}
        return key_names(self._key, self._layout.keys)

    # Leaving ---------------------------------------------------------------------------------

    def _flush_last(self, *, keyed: bool = False) -> None:
        """Passes on the last records: those of the key that ends, or of the bundle."""
        for step in self._steps:
            if step.function is not None and (step.step.keyed or not keyed):
                step.flush_last()

    def leave(self) -> Iterator[pa.RecordBatch]:
        """The output so far."""
        out = self._out
        before = self._calls[0]
        for call, step in zip(self._calls[1:], self._steps[1:], strict=True):
            count = step.counted()
            call.statistics.rows_in += count
            before.statistics.rows_out += count
            before = call
        for start in range(0, len(out), _ROWS_OUT):
            with _uncollected():
                batch = self._encoded(out[start : start + _ROWS_OUT])
            yield batch
        out.clear()

    def _encoded(self, records: list[Any]) -> pa.RecordBatch:
        call = self._calls[-1]
        t0 = perf_counter_ns()
        while True:
            try:
                column = self._encode(records)
                break
            except BadResult as error:
                call.fail(error, outcome=call.header.options.on_error)
                del records[error.index]
        call.statistics.encode_ns += perf_counter_ns() - t0
        call.statistics.rows_out += len(records)
        return batch_of(column, self._result, self._layout.names)

    # The end ---------------------------------------------------------------------------------

    def end(self) -> Iterator[pa.RecordBatch]:
        """Tells the functions, one after the other, that the input has ended."""
        self._switch(NO_KEY)
        for call in self._calls:
            call.slice_start, call.results = -1, []
        for step in self._steps:
            self._begin(step.place)
            t0 = perf_counter_ns()
            with running(step.call, 0, 0):
                self._end(step)
            step.call.statistics.user_ns += perf_counter_ns() - t0
            yield from self.leave()

    def _end(self, step: RunningStep) -> None:
        ctx = NonPartitionedContext(
            step.call.instance.context, step.states, lambda function: self._apply(step, function)
        )
        try:
            step.function.end_input(ctx)
        except BaseException as error:
            self._failed(step, error, None)
        if self._failure is not None:
            raise self._failure
        step.flush_last()
        step.flush_late()

    def _apply(self, step: RunningStep, function: Callable[[Any, Any], Any]) -> None:
        """Calls a function for every key with its states; once if there are no keys."""
        if not step.step.keyed:
            function(step.output, step.ctx)
            return
        for key in self._keys_met(step):
            self._switch(key)
            function(step.output, step.ctx)
        self._switch(NO_KEY)

    def _keys_met(self, step: RunningStep) -> Iterable[Any]:
        return step.states.keys
