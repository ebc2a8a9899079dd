"""Spark's jobs: how a reader of them hands on what it has read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol


class JobSums(Protocol):
    """What sums up jobs and stages as they are read; they are as in Spark's REST pages."""

    def wants_job(self, job: Mapping[str, Any]) -> bool:
        """Whether jobs older than this one have to be read, too."""

    def take_jobs(self, found: Sequence[Mapping[str, Any]]) -> None:
        """Applies jobs that were read, newest first."""

    @property
    def unfinished_span(self) -> int:
        """The span from the oldest stage that may still change to the newest; 0 if none can."""

    def wants_stage(self, stage: Mapping[str, Any]) -> bool:
        """Whether stages older than this one have to be read, too."""

    def take_stages(self, found: Sequence[Mapping[str, Any]], now: float) -> None:
        """Applies stages that were read, newest attempts first; ``now`` as ``time.time()``."""

    def unmeasured(self) -> list[int]:
        """Ended stages whose tasks' times are wanted; each is returned once."""

    def measured(self, number: int, median: float, most: float) -> None:
        """Takes a stage's median and longest time of a task, in seconds."""
