"""Aggregate functions that share a pass over rows: what stands where in them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class AggregatePart:
    """One function's share: places of its argument columns, and of its condition."""

    arguments: tuple[int, ...]
    condition: int | None = None


# Column that is true in the rows that passed through, and NULL in those of accumulators.
PASSED = "_nu_passed"


# The accumulator columns: this and a number.
ACCUMULATOR = "_nu_acc"


@dataclass(frozen=True)
class AggregateLayout:
    """What stands where in the rows of a pass.

    Attributes
    ----------
    keys
        Names, for messages, of the key columns, which come first.
    passing, passes_rows
        How many columns pass through, which come next, and whether rows pass at all.
    parts
        Each function's share.
    sorted
        Whether equal keys follow each other.
    """

    keys: tuple[str, ...]
    passing: int
    parts: tuple[AggregatePart, ...]
    sorted: bool = False
    passes_rows: bool = False


# The one field of the struct in which an accumulator travels, so that a NULL one is not dropped.
ACCUMULATOR_FIELD = "a"


# Fields of a row's arguments: this letter and a number.
ARGUMENT_FIELD = "a"
