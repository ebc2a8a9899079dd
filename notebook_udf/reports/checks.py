"""Checks of what a job's functions cost: ``p99>2s`` fails a job whose slowest bundles take longer.

A check is METRIC OP VALUE, with a unit where the metric is a time. It says what is *wrong*: a job
fails if it is true of one of its functions.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from notebook_udf.errors import DeclarationError
from notebook_udf.render.format import number, seconds
from notebook_udf.suggestion import did_you_mean
from notebook_udf.telemetry.store.function_sums import FunctionTotals
from notebook_udf.telemetry.timeseries.latencies import Percentiles

_OPERATORS: dict[str, Callable[[float, float], bool]] = {
    ">": operator.gt,
    ">=": operator.ge,
    "<": operator.lt,
    "<=": operator.le,
    "==": operator.eq,
    "!=": operator.ne,
}
_SECONDS = {"ns": 1e-9, "us": 1e-6, "µs": 1e-6, "ms": 1e-3, "s": 1.0, "min": 60.0, "h": 3600.0}
_FORM = re.compile(
    r"\s*(?P<metric>[A-Za-z][\w/ ]*?)\s*(?P<op>[<>=!]{1,2})\s*(?P<value>\d[\d_]*(?:\.\d+)?)"
    r"\s*(?P<unit>[A-Za-zµ]*)\s*"
)


@dataclass(frozen=True)
class FunctionFigures:
    """What a function cost in a job: sums over its queries and versions, times in seconds.

    ``ranks`` are percentiles of its bundles' durations, by query, as ``(query, p50, p95, p99,
    longest)``; ``failed`` counts the calls that raised, also those of attempts that do not count.
    """

    function: str
    rows: int = 0
    bundles: int = 0
    seconds: float = 0.0
    waiting: float = 0.0
    decode: float = 0.0
    user: float = 0.0
    encode: float = 0.0
    errors: int = 0
    failed: int = 0
    ranks: tuple[tuple[str, float, float, float, float], ...] = ()

    @property
    def rows_per_second(self) -> float | None:
        """Input rows by the time it ran; None while that is not known."""
        return self.rows / self.seconds if self.seconds > 0 else None


Measured = list[tuple[float, str]]


@dataclass(frozen=True)
class _Metric:
    """A metric of a function: its values, each with where it was measured."""

    is_time: bool
    means: str
    of: Callable[[FunctionFigures], Measured]


def _sum(means: str, of: Callable[[FunctionFigures], float | None], *, time: bool) -> _Metric:
    def values(figures: FunctionFigures) -> Measured:
        value = of(figures)
        return [] if value is None else [(value, "")]

    return _Metric(time, means, values)


def _rank(means: str, place: int) -> _Metric:
    return _Metric(
        True, means, lambda f: [(float(each[place]), f"in query {each[0]}") for each in f.ranks]
    )


# By the names that the tables of metrics have for them.
METRICS: dict[str, _Metric] = {
    "rows": _sum("input rows", lambda f: f.rows, time=False),
    "bundles": _sum("bundles", lambda f: f.bundles, time=False),
    "rows/s": _sum("input rows by the time it ran", lambda f: f.rows_per_second, time=False),
    "seconds": _sum("time it ran", lambda f: f.seconds, time=True),
    "waiting": _sum("waiting for rows", lambda f: f.waiting, time=True),
    "decode": _sum("decoding rows", lambda f: f.decode, time=True),
    "user code": _sum("its own code", lambda f: f.user, time=True),
    "encode": _sum("encoding results", lambda f: f.encode, time=True),
    "p50": _rank("half of a query's bundles are as fast", 1),
    "p95": _rank("19 of 20 of a query's bundles are as fast", 2),
    "p99": _rank("99 of 100 of a query's bundles are as fast", 3),
    "max": _rank("the slowest bundle of a query", 4),
    "errors": _sum("calls that raised, of attempts that count", lambda f: f.errors, time=False),
    "failed": _sum("calls that raised, of all attempts", lambda f: f.failed, time=False),
}


@dataclass(frozen=True)
class Check:
    """A check; ``value`` is in seconds if the metric is a time, else a count."""

    text: str
    metric: str
    op: str
    value: float

    def broken_by(self, figures: Iterable[FunctionFigures]) -> list[BrokenCheck]:
        """The functions of which it is true, each with the value that is farthest off."""
        broken = []
        for each in figures:
            found = [
                (value, where)
                for value, where in METRICS[self.metric].of(each)
                if _OPERATORS[self.op](value, self.value)
            ]
            if found:
                value, where = max(found, key=lambda one: abs(one[0] - self.value))
                broken.append(BrokenCheck(self, each.function, value, where))
        return broken


@dataclass(frozen=True)
class BrokenCheck:
    """A check that a function has failed, with the value and where it was measured."""

    check: Check
    function: str
    value: float
    where: str

    @property
    def shown_value(self) -> str:
        """The value with its unit."""
        return seconds(self.value) if METRICS[self.check.metric].is_time else number(self.value)

    def __str__(self) -> str:
        where = f" {self.where}" if self.where else ""
        return (
            f"{self.function} failed the check {self.check.text}: {self.check.metric} was "
            f"{self.shown_value}{where}"
        )


def check_of(text: str) -> Check:
    """Reads a check.

    Raises
    ------
    DeclarationError
        If it is none, with what there is.
    """
    found = _FORM.fullmatch(text)
    if found is None or found["op"] not in _OPERATORS:
        raise DeclarationError(
            f"the check {text!r} is not METRIC OP VALUE, as in 'p99>2s' or 'errors>0': OP is one "
            f"of {' '.join(_OPERATORS)}, METRIC one of {_known()}"
        )
    name = " ".join(found["metric"].lower().split())
    if name not in METRICS:
        raise DeclarationError(
            f"the check {text!r} is of a metric {name!r} that there is not"
            f"{did_you_mean(name, METRICS)}; there are: {_known()}"
        )
    return Check(text.strip(), name, found["op"], _value(text, found, METRICS[name]))


def _value(text: str, found: re.Match[str], metric: _Metric) -> float:
    value, unit = float(found["value"]), found["unit"]
    if not unit:
        return value
    if not metric.is_time:
        raise DeclarationError(
            f"the check {text!r} has the unit {unit!r}, but {found['metric']} is a number: leave "
            f"the unit out"
        )
    if unit not in _SECONDS:
        raise DeclarationError(
            f"the check {text!r} has the unit {unit!r} that there is not; there are: "
            f"{', '.join(_SECONDS)}"
        )
    return value * _SECONDS[unit]


def _known() -> str:
    return ", ".join(METRICS)


def figures_of(
    functions: Iterable[str],
    totals: Sequence[FunctionTotals],
    percentiles: Sequence[Percentiles],
    failed: Iterable[str],
) -> list[FunctionFigures]:
    """The figures of a job's functions, also of those that have seen no row.

    Parameters
    ----------
    functions
        The names of the functions that the job has registered.
    failed
        The function of each call that raised.
    """
    raised = list(failed)
    names = dict.fromkeys([*functions, *(total.function for total in totals), *raised])
    return [_figures(name, totals, percentiles, raised.count(name)) for name in names]


def _figures(
    name: str, totals: Sequence[FunctionTotals], percentiles: Sequence[Percentiles], failed: int
) -> FunctionFigures:
    own = [total for total in totals if total.function == name]
    return FunctionFigures(
        name,
        rows=sum(t.rows_in for t in own),
        bundles=sum(t.bundles for t in own),
        seconds=sum(max(t.last - t.first, 0.0) for t in own),
        waiting=sum(t.wait_ns for t in own) / 1e9,
        decode=sum(t.decode_ns for t in own) / 1e9,
        user=sum(t.user_ns for t in own) / 1e9,
        encode=sum(t.encode_ns for t in own) / 1e9,
        errors=sum(t.errors for t in own),
        failed=failed,
        ranks=tuple(
            (p.query, p.p50_ns / 1e9, p.p95_ns / 1e9, p.p99_ns / 1e9, p.max_ns / 1e9)
            for p in percentiles
            if p.function == name
        ),
    )
