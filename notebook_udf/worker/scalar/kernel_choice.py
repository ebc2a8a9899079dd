"""Whether a task goes on asking a function's kernels: by the rows they leave, and by their time."""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter_ns

import pyarrow as pa

from notebook_udf.worker.kernels.program import Answer, Program

# Above this share of rows that are left to Python, and in so many bundles, kernels are in vain.
_MOST_LEFT = 0.5
_IN_VAIN = 2
# Calling a function for a row takes longer than this: kernels below it are the faster ones.
_CHEAP_NS = 80
# Fewer rows say little of the time that more of them take.
_ENOUGH = 1024
_TRIED_ROWS = 64
_TRIED_NS = 2_000_000


class KernelChoice:
    """Asks the kernels of one function, bundle by bundle of a task, while that pays.

    Parameters
    ----------
    kernels
        The function's.
    by_rows
        Calls the function for each row of some columns, the other way. That a row is answered
        twice shows nowhere: what has kernels has no effects.
    clock
        Tells the time, in nanoseconds.
    """

    def __init__(
        self,
        kernels: Program,
        by_rows: Callable[[list[pa.Array]], object],
        clock: Callable[[], int] = perf_counter_ns,
    ) -> None:
        self._kernels: Program | None = kernels
        self._by_rows = by_rows
        self._clock = clock
        self._in_vain = 0
        self._timed = False

    def answer(self, columns: list[pa.Array]) -> Answer | None:
        """What kernels answer of a bundle; None if Python is to run it."""
        kernels = self._kernels
        if kernels is None or not columns or not len(columns[0]):
            return None
        begun = self._clock()
        answer = kernels(columns)
        taken = self._clock() - begun
        left = 1.0 if answer is None else answer.left
        self._in_vain = self._in_vain + 1 if left > _MOST_LEFT else 0
        if self._in_vain == _IN_VAIN or (
            answer is None and not kernels.outlook([each.type for each in columns]).answers
        ):
            self._kernels = None
        if answer is None or left > _MOST_LEFT:
            return None
        if not self._timed and len(columns[0]) >= _ENOUGH:
            self._timed = True
            if not self._is_faster(columns, answer, taken / len(columns[0])):
                self._kernels = None
        return answer

    def _is_faster(self, columns: list[pa.Array], answer: Answer, each_ns: float) -> bool:
        """Whether rows take less time with kernels, those included that these leave to Python."""
        if each_ns < _CHEAP_NS:
            return True
        if answer.declined is not None:
            kept = pa.array((~answer.declined).nonzero()[0][:_ENOUGH])
            columns = [column.take(kept) for column in columns]
        rows, begun, spent = 0, self._clock(), 0
        while rows < len(columns[0]) and spent < _TRIED_NS and rows < _ENOUGH:
            self._by_rows([column.slice(rows, _TRIED_ROWS) for column in columns])
            rows, spent = rows + _TRIED_ROWS, self._clock() - begun
        by_row = spent / min(rows, len(columns[0]))
        return each_ns + answer.left * by_row < by_row
