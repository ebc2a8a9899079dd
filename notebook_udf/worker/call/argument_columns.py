"""Where a function's columns stand among those of a pass."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Part:
    """One function's share: places of its argument columns, and of its condition."""

    arguments: tuple[int, ...]
    condition: int | None = None
