"""Measuring cases in turn, so that what slows the machine slows all of them."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from notebook_udf.bench import interleave
from notebook_udf.kernel.active_session import active_session

REPEATS = 7


@dataclass(frozen=True)
class Timing:
    """Seconds of each repeat of one case; the first, which warms up, is not among them."""

    name: str
    seconds: tuple[float, ...]

    @property
    def median(self) -> float:
        return statistics.median(self.seconds)

    def over(self, other: Timing) -> Quotient:
        """How many times longer than the other it took, turn by turn.

        A machine that is shared changes its speed by a third from one second to the next; two
        runs of the same turn see nearly the same machine, two medians of all turns need not.
        """
        pairs = zip(self.seconds, other.seconds, strict=True)
        return Quotient(tuple(sorted(ours / theirs for ours, theirs in pairs)))


@dataclass(frozen=True)
class Quotient:
    """What one case took over what another took, a number a turn, in order of size."""

    values: tuple[float, ...]

    @property
    def median(self) -> float:
        return statistics.median(self.values)

    @property
    def interval(self) -> tuple[float, float]:
        """Where the median of ever more turns would lie, with a certainty of 95 %."""
        count = len(self.values)
        reach = 0.98 * math.sqrt(count)
        return self.values[max(0, round(count / 2 - reach) - 1)], self.values[
            min(count - 1, round(count / 2 + reach))
        ]


def in_turn(
    cases: Mapping[str, Callable[[], object]], repeats: int = REPEATS, *, warm: int = 1
) -> dict[str, Timing]:
    """Runs every case ``warm`` times to warm up, then all of them in turn, ``repeats`` times.

    A case that returns a number is taken at its word for how many seconds it needed. Rivals made
    by PySpark's own API are not watched.
    """
    session = active_session()
    if session is not None:
        session.observe(False)
    turns = interleave.in_turn(cases, repeats + warm - 1)
    return {name: Timing(name, seconds[warm - 1 :]) for name, seconds in turns.items()}


@dataclass(frozen=True)
class Figure:
    """One line of the results: what was measured, against what, and the bar it has to clear."""

    name: str
    value: float
    unit: str
    bar: str
    cleared: bool
    detail: str


def ratio(name: str, ours: Timing, rival: Timing, *, at_least: float = 0.0) -> Figure:
    """How many times faster ``ours`` is than ``rival``; without ``at_least``, for information."""
    value = rival.median / ours.median
    return Figure(
        name,
        value,
        "×",
        f"≥ {at_least:g}×" if at_least else "none",
        value >= at_least,
        f"{ours.median:.3f} s against {rival.median:.3f} s, "
        f"medians of {len(ours.seconds)} and {len(rival.seconds)}",
    )


def level(name: str, ours: Timing, rival: Timing, *, at_least: float) -> Figure:
    """How many times as fast as ``rival`` ``ours`` is, turn by turn; for what differs little."""
    quotient = rival.over(ours)
    return Figure(
        name,
        quotient.median,
        "×",
        f"≥ {at_least:g}×",
        quotient.median >= at_least,
        f"{ours.median:.3f} s against {rival.median:.3f} s; {_certainty(quotient)}",
    )


def cost(name: str, on: Timing, off: Timing, *, at_most: float) -> Figure:
    """By how many percent something slows a case down, turn by turn."""
    quotient = on.over(off)
    percent = 100 * (quotient.median - 1)
    return Figure(
        name,
        percent,
        "%",
        f"≤ {at_most:g} %",
        percent <= at_most,
        f"{on.median:.3f} s with, {off.median:.3f} s without; {_certainty(quotient)}",
    )


def _certainty(quotient: Quotient) -> str:
    low, high = quotient.interval
    return (
        f"the median of {len(quotient.values)} turns' quotients, {low:.3f} to {high:.3f} with a "
        "certainty of 95 %"
    )
