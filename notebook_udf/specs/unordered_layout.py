"""Async calls on whole rows: what comes in and what leaves."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class UnorderedLayout:
    """What comes in and what leaves.

    Attributes
    ----------
    widths
        How many arguments each function takes.
    passing
        How many columns stand before the arguments.
    names
        Of the columns of results.
    """

    widths: tuple[int, ...]
    passing: int
    names: tuple[str, ...]
