"""The metrics panel: queries and their bundles as live charts."""

from __future__ import annotations

from typing import Any, TypedDict

from notebook_udf.telemetry.query_data import QueryData
from notebook_udf.telemetry.user_views import MetricsView
from notebook_udf.widgets.capturing import Capturing
from notebook_udf.widgets.panel import Panel
from notebook_udf.widgets.requests import answers
from notebook_udf.widgets.scripts import script

# Queries that are sent in full; the browser asks for the others when it shows them.
PUSHED = 6
POINTS = 120
# The most functions, and workers, of a query whose lines are sent: those with the most rows.
LINES = 24
_COUNTS = ("rows", "errors")


class QueryTitle(TypedDict):
    """A query's name and functions, and the input rows of the function that had the most."""

    query: str
    name: str
    functions: list[str]
    rows: int


class MetricsData(TypedDict):
    """The titles of all queries, newest first, the data of the latest ones in full, and whether
    tests of slow calls can be written."""

    names: list[QueryTitle]
    queries: dict[str, QueryData]
    dropped_metrics: int
    captures: bool


class MetricsPanel(Capturing, Panel):
    """The panel of what functions cost and of their user metrics, of one query or of all."""

    _esm = script("metrics")
    _view: MetricsView

    def __init__(self, view: MetricsView) -> None:
        self._view = view
        self._made: dict[str, tuple[Any, QueryData]] = {}
        self._totals: Any = None
        super().__init__()

    def refresh(self) -> None:
        """Sends what has changed; only the totals are read to see whether anything has."""
        totals = self._view.totals
        # Any other record of a task is followed by its end, which is in the totals.
        if totals != self._totals:
            self._totals = totals
            super().refresh()

    def read(self) -> MetricsData:
        """The titles of all queries, and the latest ones in full."""
        totals: dict[str, list[Any]] = {}
        for total in self._view.totals:
            totals.setdefault(total.query, []).append(total)
        queries = [name for name in self._view.queries if name in totals]
        pushed = queries[-PUSHED:]
        self._made = {
            name: self._current(name, (self._view.changes(name), totals[name])) for name in pushed
        }
        return {
            "names": [
                {
                    "query": name,
                    "name": self._view.name(name),
                    "functions": list(dict.fromkeys(t.function for t in totals[name]))[:LINES],
                    "rows": max(t.rows_in for t in totals[name]),
                }
                for name in reversed(queries)
            ],
            "queries": {name: found for name, (_, found) in self._made.items()},
            "dropped_metrics": self._view.dropped_metrics,
            "captures": self.can_capture,
        }

    def twin(self) -> tuple[str, str]:
        """The metrics as tables, with lines of block characters for charts."""
        return self._view._repr_html_(), repr(self._view)

    def _current(self, name: str, state: Any) -> tuple[Any, QueryData]:
        made = self._made.get(name)
        # Most queries have ended, and their data does not change any more.
        return made if made is not None and made[0] == state else (state, self._query(name))

    @answers("query")
    def _query(self, query: str) -> QueryData:
        return shortened(self._view.query(query, POINTS))


def shortened(query: QueryData) -> QueryData:
    """A query's data with fewer digits and at most ``LINES`` functions and workers."""
    timeline = query["timeline"]
    if timeline is None:
        return query
    made = dict(timeline)
    for lines in ("functions", "workers"):
        most = sorted(timeline[lines], key=lambda line: sum(line["rows"]), reverse=True)
        made[lines] = [{k: _short(k, v) for k, v in line.items()} for line in most[:LINES]]
        made[f"more_{lines}"] = max(0, len(most) - LINES)
    return {**query, "timeline": made}


def _short(name: str, value: Any) -> Any:
    if not isinstance(value, (tuple, list)):
        return value
    digits = 1 if name in _COUNTS else None
    return [None if each is None else round(each, digits) for each in value]
