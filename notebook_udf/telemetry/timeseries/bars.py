"""A user histogram as a few bars, and a series of numbers as a line of characters."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from notebook_udf.functions.metrics import buckets
from notebook_udf.functions.quantile_sketch import middle_of

MOST_BARS = 24
# The ratio of largest to smallest above which equal widths would put nearly everything into the
# first bar.
_WIDE = 20.0
_BLOCKS = "▁▂▃▄▅▆▇█"


@dataclass(frozen=True)
class Bar:
    """A bar of a histogram: how many observations lie between two values."""

    low: float
    high: float
    count: int


def bars(histogram: Any, most: int = MOST_BARS) -> tuple[Bar, ...]:
    """The bars of a histogram's snapshot, the lowest first; none if nothing was observed.

    They have equal widths, or equal ratios where all values are positive and the largest is many
    times the smallest. A value is placed by its bucket, within 2 %.
    """
    if not histogram["count"]:
        return ()
    low, high = float(histogram["min"]), float(histogram["max"])
    if not low < high:
        return (Bar(low, high, histogram["count"]),)
    wide = low > 0 and high / low > _WIDE
    begin, end = (math.log(low), math.log(high)) if wide else (low, high)
    counts = [0] * most
    for bucket, times in buckets(histogram).items():
        value = min(max(middle_of(bucket), low), high)
        part = ((math.log(value) if wide else value) - begin) / (end - begin)
        counts[min(int(part * most), most - 1)] += times
    edges = [begin + (end - begin) * at / most for at in range(most + 1)]
    if wide:
        edges = [math.exp(edge) for edge in edges]
    edges[0], edges[-1] = low, high
    return tuple(Bar(edges[at], edges[at + 1], each) for at, each in enumerate(counts))


def spark_line(values: Sequence[float], most: int = 60) -> str:
    """Draws numbers from 0 on as blocks of eight heights; neighbours are summed to fit."""
    if not values:
        return ""
    step = -(-len(values) // most)
    sums = [sum(values[at : at + step]) for at in range(0, len(values), step)]
    top = max(sums)
    last = len(_BLOCKS) - 1
    return "".join(
        _BLOCKS[min(last, int(each / top * last + 0.5)) if top > 0 else 0] for each in sums
    )
