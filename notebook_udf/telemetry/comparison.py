"""Compares two queries: what each function cost in either."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from notebook_udf.render.display import Displayed
from notebook_udf.render.format import seconds
from notebook_udf.render.tables import Table
from notebook_udf.sanitize import one_line
from notebook_udf.telemetry.store.function_sums import FunctionSums, FunctionTotals
from notebook_udf.telemetry.timeseries.latencies import Percentiles

if TYPE_CHECKING:
    import pandas as pd

_NAME = 80


@dataclass(frozen=True)
class Change:
    """One measure of one function in two queries.

    ``unit`` is ``rows``, ``bundles``, ``rows/s``, ``seconds``, ``seconds/row`` or ``errors``. A
    value is None where the query does not call the function; ``percent`` is the change from the
    first to the second, None without both values or if the first is 0.
    """

    function: str
    measure: str
    unit: str
    before: float | None
    after: float | None

    @property
    def percent(self) -> float | None:
        """100 if the second is twice the first, -50 if it is half of it."""
        if self.before is None or self.after is None or not self.before:
            return None
        return 100.0 * (self.after - self.before) / self.before


@dataclass(frozen=True, repr=False)
class Comparison(Displayed):
    """What functions cost in two queries; versions of a function are summed."""

    query1: str
    query2: str
    changes: tuple[Change, ...]

    def to_dict(self) -> dict[str, Any]:
        """As JSON-able data."""
        return {
            "query1": self.query1,
            "query2": self.query2,
            "changes": [_change(each) for each in self.changes],
        }

    def to_pandas(self) -> pd.DataFrame:
        """A row per function and measure."""
        import pandas as pd

        columns = ["function", "measure", "unit", "before", "after", "percent"]
        return pd.DataFrame([_change(each) for each in self.changes], columns=columns)

    def _blocks(self) -> list[Table]:
        head = ("function", "measure", f"query {self.query1}", f"query {self.query2}", "difference")
        rows = [
            (
                one_line(c.function, _NAME),
                c.measure,
                _value(c.before, c.unit),
                _value(c.after, c.unit),
                "" if c.percent is None else f"{c.percent:+,.1f} %",
            )
            for c in self.changes
        ]
        return [Table(head, rows)]


_MEASURES: tuple[tuple[str, str, Callable[[FunctionSums], float | None]], ...] = (
    ("rows", "rows", lambda s: s.rows_in),
    ("bundles", "bundles", lambda s: s.bundles),
    ("rows a second", "rows/s", lambda s: s.rows_in / s.seconds if s.seconds > 0 else None),
    ("time it ran", "seconds", lambda s: s.seconds),
    ("waiting", "seconds", lambda s: s.wait_ns / 1e9),
    ("decode", "seconds", lambda s: s.decode_ns / 1e9),
    ("user code", "seconds", lambda s: s.user_ns / 1e9),
    ("encode", "seconds", lambda s: s.encode_ns / 1e9),
    (
        "user code a row",
        "seconds/row",
        lambda s: s.user_ns / 1e9 / s.rows_in if s.rows_in else None,
    ),
    ("errors", "errors", lambda s: s.errors),
)


def compared(
    query1: str,
    query2: str,
    totals: tuple[Sequence[FunctionTotals], Sequence[FunctionTotals]],
    percentiles: tuple[Sequence[Percentiles], Sequence[Percentiles]],
) -> Comparison:
    """Compares two queries by their totals and percentiles.

    Percentiles are compared where each query has one version of the function.
    """
    names = dict.fromkeys(t.function for part in totals for t in part)
    changes = []
    for name in names:
        before, after = (_sum([t for t in part if t.function == name]) for part in totals)
        for measure, unit, of in _MEASURES:
            values = [None if each is None else of(each) for each in (before, after)]
            changes.append(Change(name, measure, unit, *values))
        alone = [[p for p in part if p.function == name] for part in percentiles]
        if all(len(each) < 2 for each in alone) and any(alone):
            for label in ("p50", "p95", "p99"):
                found = [getattr(p[0], f"{label}_ns") / 1e9 if p else None for p in alone]
                changes.append(Change(name, f"{label} of a bundle", "seconds", *found))
    return Comparison(query1, query2, tuple(changes))


def _sum(totals: Sequence[FunctionTotals]) -> FunctionSums | None:
    if not totals:
        return None
    whole = FunctionSums()
    for total in totals:
        whole.add(total)
    return whole


def _change(change: Change) -> dict[str, Any]:
    return {**dataclasses.asdict(change), "percent": change.percent}


def _value(value: float | None, unit: str) -> str:
    if value is None:
        return "–"
    if unit == "seconds":
        return seconds(value)
    if unit == "seconds/row":
        return f"{value * 1e9:,.0f} ns"
    return f"{value:,.0f}"
