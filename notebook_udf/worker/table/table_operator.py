"""The operator of table functions over the rows of a partition, several in one pass.

``TablePass`` is what Spark pickles for ``mapInArrow``. Its functions are called one inside the
other, as FLIP-58 merges Correlates: each for every row that the ones before it made. Columns
that pass through are repeated as Arrow and never become Python objects; columns that nobody asks
for do not leave.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import pyarrow as pa

from notebook_udf.specs.table_layout import TableLayout
from notebook_udf.worker.call.function_call import FunctionCall
from notebook_udf.worker.call.operator import Operator
from notebook_udf.worker.table.generate import Explosion

# What a batch may hold of columns that pass through: a few rows of large documents, and not
# thousands.
_MOST_BYTES = 32 << 20


class TablePass(Operator[TableLayout, FunctionCall]):
    """Calls table functions for the rows of a partition."""

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        layout, explosions = self.spec, None
        for batch in batches:
            if explosions is None:
                explosions = [
                    Explosion(call, step.names, outer=step.outer, ends=False)
                    for call, step in zip(self.calls, layout.steps, strict=True)
                ]
                explosions[-1].ends = bool(layout.ends)
            if not batch.num_rows:
                continue
            for rows in self._from(0, _Rows(batch), explosions):
                yield from self._leaving(rows)

    def _from(self, place: int, rows: _Rows, explosions: list[Explosion]) -> Iterator[_Rows]:
        """The output of the functions from ``place`` on for these rows."""
        if place == len(explosions):
            yield rows
            return
        step = self.spec.steps[place]
        arguments = [rows.column(each) for each in step.arguments]
        for exploded in explosions[place].rows(arguments, rows.size, rows.place):
            below = rows.repeated(pa.array(exploded.own), exploded.columns, exploded.ended)
            yield from self._from(place + 1, below, explosions)

    def _leaving(self, rows: _Rows) -> Iterator[pa.RecordBatch]:
        layout = self.spec
        names = [*layout.names, layout.ends] if layout.ends else list(layout.names)
        size = rows.rows_of_bytes(
            [place for place in layout.leaving if place < layout.width], _MOST_BYTES
        )
        for start in range(0, rows.size, size):
            part = rows.slice(start, size)
            columns = [part.column(place) for place in layout.leaving]
            if part.ended is not None:
                columns.append(part.ended)
            yield pa.RecordBatch.from_arrays(columns, names)


@dataclass(frozen=True)
class _Rows:
    """Rows of a bundle, each repeated as often as needed, with the columns made beside them.

    ``own`` is which row of the bundle each is; None for every one, once.
    """

    batch: pa.RecordBatch
    own: pa.Array | None = None
    made: list[pa.Array] = field(default_factory=list)
    ended: pa.Array | None = None

    @property
    def size(self) -> int:
        return self.batch.num_rows if self.own is None else len(self.own)

    def place(self, row: int) -> int:
        """The row of the bundle that a row repeats."""
        return row if self.own is None else int(self.own[row].as_py())

    def column(self, place: int) -> pa.Array:
        width = self.batch.num_columns
        if place >= width:
            return self.made[place - width]
        column = self.batch.column(place)
        return column if self.own is None else column.take(self.own)

    def repeated(self, own: pa.Array, made: list[pa.Array], ended: pa.Array | None) -> _Rows:
        """These rows, repeated, with more columns beside them."""
        before = [column.take(own) for column in self.made]
        of_bundle = own if self.own is None else self.own.take(own)
        return _Rows(self.batch, of_bundle, [*before, *made], ended)

    def slice(self, start: int, size: int) -> _Rows:
        if start == 0 and size >= self.size:
            return self
        own = None if self.own is None else self.own.slice(start, size)
        ended = None if self.ended is None else self.ended.slice(start, size)
        return _Rows(self.batch, own, [m.slice(start, size) for m in self.made], ended)

    def rows_of_bytes(self, places: list[int], most: int) -> int:
        """How many rows of these columns of the bundle take about so many bytes."""
        size = sum(self.batch.column(place).nbytes for place in places)
        return max(1, most * self.batch.num_rows // size) if size else self.size
