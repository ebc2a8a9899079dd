"""Statistics of a function in the current bundle."""

from __future__ import annotations

from typing import TypeAlias

# In the order of ``telemetry.records.COSTS``.
Costs: TypeAlias = tuple[int, int, int, int, int, int]


class BundleStatistics:
    """Nanoseconds and rows since the bundle began, filled in by the runner of the function."""

    __slots__ = ("decode_ns", "encode_ns", "errors", "rows_in", "rows_out", "user_ns")

    def __init__(self) -> None:
        self._begin()

    def _begin(self) -> None:
        self.decode_ns = self.user_ns = self.encode_ns = 0
        self.rows_in = self.rows_out = self.errors = 0

    @property
    def noted_ns(self) -> int:
        """Nanoseconds of the bundle measured so far."""
        return self.decode_ns + self.user_ns + self.encode_ns

    def take(self) -> Costs:
        """The statistics of the bundle; they begin at zero for the next."""
        costs = (
            self.rows_in,
            self.rows_out,
            self.decode_ns,
            self.user_ns,
            self.encode_ns,
            self.errors,
        )
        self._begin()
        return costs
