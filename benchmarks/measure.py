"""Measuring cases in turn, so that what slows the machine slows all of them."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from notebook_udf.bench import interleave

REPEATS = 7


@dataclass(frozen=True)
class Timing:
    """Seconds of each repeat of one case; the first, which warms up, is not among them."""

    name: str
    seconds: tuple[float, ...]

    @property
    def median(self) -> float:
        return statistics.median(self.seconds)


def in_turn(cases: Mapping[str, Callable[[], object]], repeats: int = REPEATS) -> dict[str, Timing]:
    """Runs every case once to warm up, then all of them in turn, ``repeats`` times.

    A case that returns a number is taken at its word for how many seconds it needed.
    """
    return {
        name: Timing(name, seconds) for name, seconds in interleave.in_turn(cases, repeats).items()
    }


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
