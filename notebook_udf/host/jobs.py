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


class JobReader(Protocol):
    """Reads new and changed jobs of a cell. Used by one thread at a time."""

    def read(self, now: float) -> None:
        """Reads jobs and stages that are new or may have changed; ``now`` as ``time.time()``."""

    def settle(self) -> None:
        """Waits, for a second at most, until what Spark has done by now can be read."""

    def close(self) -> None:
        """Ends the reading; nothing is read after it."""


class SparkJobs(Protocol):
    """Spark's jobs, and what those carry that this thread starts."""

    def tag(self, tag: str) -> None:
        """Has the jobs that this thread starts carry a tag."""

    def untag(self, tag: str) -> None:
        """Takes the tag from the jobs that this thread starts from then on."""

    def cancel(self, tag: str) -> None:
        """Cancels the jobs that carry a tag and run, no matter who started them."""

    def cancel_all(self) -> None:
        """Cancels all jobs of the application."""

    def property(self, name: str) -> str | None:
        """A property that the jobs of this thread carry; None if there is none."""

    def set_property(self, name: str, value: str | None) -> None:
        """Sets a property for the jobs that this thread starts, and for their tasks; None removes
        it."""

    def reader(self, sums: JobSums) -> JobReader:
        """A reader that hands jobs and stages to ``sums``."""

    def computed(self, stage: int) -> tuple[int, ...] | None:
        """The RDDs that a stage computes: they stay the same if Spark computes it again under
        another number, as it does when an executor's output is lost.

        None for a stage that Spark has forgotten, or if it does not tell.
        """
