"""The result of a benchmark: the ways to run a function, as data, tables and advice."""

from __future__ import annotations

import statistics
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from notebook_udf.bench.result_diff import Difference
from notebook_udf.render.display import Block, Displayed, Paragraph
from notebook_udf.render.format import counted
from notebook_udf.render.markup import p
from notebook_udf.render.tables import Table
from notebook_udf.sanitize import one_line

if TYPE_CHECKING:
    import pandas as pd

_NAME = 80
_VALUE = 60
# The least ratio that counts as a gain: smaller ones may be gone in the next measurement.
_CLEARLY = 1.1
HEADERS = ("way", "seconds", "rows/s", "times faster", "same result?")


@dataclass(frozen=True)
class Way:
    """One way to run a function, with its times and results.

    Attributes
    ----------
    name
        The way in words.
    kind
        ``own`` (the function as it is), ``vectorise=False`` or ``compile=False`` (the same with
        that option), ``pandas`` or ``arrow`` (a wrapper that calls it per element), ``other``.
    runs
        Seconds of each run, Spark's own included; none if it failed.
    error
        Why it has no result; "" if it has one.
    different
        The difference of its result from the function's own; None if they are the same or were
        not compared.
    row
        The input of the first row that differs, as name and text of each column.
    """

    name: str
    kind: str
    runs: tuple[float, ...] = ()
    error: str = ""
    different: Difference | None = None
    row: tuple[tuple[str, str], ...] = ()

    @property
    def seconds(self) -> float | None:
        """Median of the runs."""
        return statistics.median(self.runs) if self.runs else None

    @property
    def agrees(self) -> bool:
        """Whether its results are the same, the last digits of floats aside."""
        return not self.error and (self.different is None or self.different.nearly)


@dataclass(frozen=True, repr=False)
class Bench(Displayed):
    """Ways to run a function on the same rows, measured in turn. Displays as a table.

    Attributes
    ----------
    function
        Its name.
    rows
        The number of rows of each run.
    ways
        The ways; the function as it is comes first.
    reading
        Median seconds of a run without any function: Spark's own time.
    compared
        Whether results were compared; those of a function that is not deterministic are not.
    notes
        Remarks about the measurement.
    """

    function: str
    rows: int
    ways: tuple[Way, ...]
    reading: float
    compared: bool = True
    notes: tuple[str, ...] = ()

    def times(self, way: Way) -> float | None:
        """How many times faster a way is than the function as it is, start-up included."""
        own = self.ways[0].seconds
        return None if own is None or not way.seconds else own / way.seconds

    @property
    def best(self) -> Way:
        """The fastest way with the function's own results."""
        sound = [way for way in self.ways if way.agrees and way.seconds is not None]
        return min(sound, key=lambda way: way.seconds or 0.0, default=self.ways[0])

    @property
    def advice(self) -> str:
        """The advice, in one sentence."""
        own, best = self.ways[0], self.best
        gain = self.times(best) or 1.0
        if (own.seconds or 0.0) < 1.5 * self.reading:
            return (
                f"most of the time is Spark's own: no way of running {self._name} changes much at "
                f"{counted(self.rows, 'row')}"
            )
        if best is not own and gain >= _CLEARLY:
            return f"{self._faster(best)}: {gain:.1f} times faster, {self._alike(best)}"
        others = [w.seconds for w in self.ways[1:] if w.agrees and w.seconds is not None]
        slower = min(others, default=0.0) / (own.seconds or 1.0)
        if slower >= _CLEARLY:
            return f"leave {self._name} as it is: the next best takes {slower:.1f} times as long"
        return (
            f"leave {self._name} as it is; what works on whole columns may be faster: write it as "
            f"pandas or arrow and name it with --against"
        )

    def _faster(self, best: Way) -> str:
        if best.kind in ("pandas", "arrow"):
            return f"call {self._name} per element in a function with func_type={best.kind!r}"
        if best.kind != "other":
            return f"declare {self._name} with {best.kind}"
        return f"use {one_line(best.name, _NAME)}"

    def _alike(self, way: Way) -> str:
        if not self.compared:
            return "results not compared"
        if way.different is None:
            return "same result"
        return f"results alike up to {way.different.largest:.0e}"

    @property
    def _name(self) -> str:
        return one_line(self.function, _NAME)

    @property
    def _differences(self) -> list[str]:
        """A sentence for each way whose results differ."""
        said = []
        for way in self.ways:
            if way.different is None or way.different.nearly:
                continue
            at = ", ".join(f"{one_line(n, _NAME)} = {one_line(v, _VALUE)}" for n, v in way.row)
            said.append(
                f"{one_line(way.name, _NAME)}: row {way.different.first:,}"
                + (f" ({at})" if at else "")
                + f" gives {_value(way.different.found)} instead of "
                f"{_value(way.different.expected)}"
            )
        return said

    def _same(self, way: Way) -> str:
        if way.error:
            return f"failed: {one_line(way.error, 3 * _VALUE)}"
        if way is self.ways[0]:
            return ""
        if not self.compared:
            return "not compared"
        if way.different is None:
            return "yes"
        if way.different.nearly:
            return f"yes, up to {way.different.largest:.0e}"
        return f"no: {counted(way.different.rows, 'row')}"

    def to_dict(self) -> dict[str, Any]:
        """The benchmark as JSON-able data.

        Returns
        -------
        dict
            ``function``, ``rows``, ``reading`` (seconds), ``compared``, ``advice``, ``notes``,
            ``differences`` (sentences) and ``ways``: dicts of ``way``, ``kind``, ``seconds`` (the
            median), ``runs`` (each), ``rows_per_second``, ``times_faster``, ``same`` (true, false
            or null where not compared), ``different_rows``, ``error``.
        """
        return {
            "function": self.function,
            "rows": self.rows,
            "reading": self.reading,
            "compared": self.compared,
            "advice": self.advice,
            "notes": list(self.notes),
            "differences": self._differences,
            "ways": [self._facts(way) for way in self.ways],
        }

    def _facts(self, way: Way) -> dict[str, Any]:
        return {
            "way": way.name,
            "kind": way.kind,
            "seconds": way.seconds,
            "runs": list(way.runs),
            "rows_per_second": self.rows / way.seconds if way.seconds else None,
            "times_faster": self.times(way),
            "same": None if way.error or not self.compared else way.agrees,
            "different_rows": way.different.rows if way.different is not None else 0,
            "error": way.error,
        }

    def to_pandas(self) -> pd.DataFrame:
        """A row per way."""
        import pandas as pd

        return pd.DataFrame([self._facts(way) for way in self.ways])

    @property
    def caption(self) -> str:
        """What was measured, in one line."""
        runs = max(len(way.runs) for way in self.ways)
        return (
            f"{self._name} on {counted(self.rows, 'row')}, median of {counted(runs, 'run')} in "
            f"turn; the same rows without a function take {self.reading:.3f} s"
        )

    def _rows(self) -> list[tuple[str, ...]]:
        rows: list[tuple[str, ...]] = []
        for way in self.ways:
            seconds, times = way.seconds, self.times(way)
            rows.append(
                (
                    one_line(way.name, _NAME),
                    f"{seconds:.3f}" if seconds is not None else "–",
                    f"{self.rows / seconds:,.0f}" if seconds else "–",
                    f"{times:.2f}" if times is not None else "–",
                    self._same(way),
                )
            )
        return rows

    def _blocks(self) -> list[Block]:
        below = [*self._differences, *self.notes, f"Advice: {self.advice}."]
        table = Table(HEADERS, self._rows(), self.caption)
        return [table, *(Paragraph(line, p) for line in below)]


def _value(value: Any) -> str:
    return "NULL" if value is None else one_line(repr(value), _VALUE)
