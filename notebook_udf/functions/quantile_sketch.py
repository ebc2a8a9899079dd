"""Quantile sketch: how many values fall into each of many buckets, 4 % wide.

A bucket's number grows with the values in it, negative ones included. So sketches are added up
number by number, and a quantile is off by 2 % at most, the distance from a bucket's middle to its
ends.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

Buckets = dict[int, int]

_WIDTH = math.log(1.04)
# The bucket that begins at 1. No float is so small, or so large, that its number would be below 1
# or reach MOST_BUCKETS; zero has number 0, and negative values the negative numbers.
_ONE = 20_000
MOST_BUCKETS = 2 * _ONE
_LARGEST = math.log(sys.float_info.max)


def buckets_of(values: npt.NDArray[np.float64] | npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """The number of the bucket that each value falls into."""
    # Imported late, because this module is loaded with the magics.
    import numpy as np

    sizes = np.abs(values)
    found = np.floor(np.log(np.where(sizes > 0, sizes, 1)) / _WIDTH) + _ONE
    signed: npt.NDArray[np.int64] = (np.sign(values) * found).astype(np.int64)
    return signed


def middle_of(bucket: int) -> float:
    """The value in the middle of a bucket."""
    if not bucket:
        return 0.0
    size = math.exp(min((abs(bucket) - _ONE + 0.5) * _WIDTH, _LARGEST))
    return math.copysign(size, bucket)


def count(buckets: Buckets, values: npt.NDArray[np.float64] | npt.NDArray[np.int64]) -> None:
    """Counts values in their buckets."""
    import numpy as np

    numbers, counts = np.unique(buckets_of(values), return_counts=True)
    add(buckets, dict(zip(numbers.tolist(), counts.tolist(), strict=True)))


def add(buckets: Buckets, others: Mapping[int, int]) -> None:
    """Adds the counts of another sketch."""
    for number, times in others.items():
        buckets[number] = buckets.get(number, 0) + times


def quantiles(buckets: Mapping[int, int], fractions: Iterable[float]) -> list[float]:
    """The values that these fractions of all do not exceed; zeros if nothing was counted."""
    total = sum(buckets.values())
    ordered = sorted(buckets.items())
    found = []
    for fraction in fractions:
        place, seen, value = rank(fraction, total), 0, 0.0
        for bucket, times in ordered:
            seen += times
            if seen > place:
                value = middle_of(bucket)
                break
        found.append(value)
    return found


def rank(fraction: float, total: int) -> int:
    """The position of a quantile in sorted values: the first that ``fraction`` do not exceed."""
    return max(0, math.ceil(fraction * total - 1e-9) - 1)
