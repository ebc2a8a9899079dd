"""Runs of queries, as Spark's list of them has them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from notebook_udf.host.raw_plan import RawNode

State = Literal["running", "done", "failed"]


@dataclass(frozen=True)
class Run:
    """A run of the plan.

    ``query`` is Spark's execution id, under which the session keeps metrics and logs; ``seconds``
    is None while it runs.
    """

    query: str
    state: State
    seconds: float | None
    description: str = ""


class ListedQuery(Protocol):
    """A query in Spark's list. Each attribute is read when it is asked for."""

    @property
    def number(self) -> int:
        """Spark's execution id."""

    @property
    def description(self) -> str:
        """What describes it; "" if nothing does."""

    @property
    def began(self) -> float:
        """When it began, in seconds since the epoch."""

    @property
    def ended(self) -> float | None:
        """When it ended, in seconds since the epoch; None while it runs."""

    @property
    def error(self) -> str | None:
        """Why it failed; "" or None if it has not, as Spark notes it."""

    @property
    def jobs(self) -> Sequence[int]:
        """Spark's numbers of its jobs, in their order."""


class SparkRuns(Protocol):
    """Spark's list of the queries that run and ran, of which it forgets the oldest."""

    def settle(self) -> None:
        """Waits, for two seconds at most, until the list has all that has happened."""

    def newest(self) -> int:
        """The execution id of the last query that Spark has begun; -1 if there is none.

        Not a count: Spark forgets the oldest queries, and removes and adds again those that end.
        """

    def run(self, query: str) -> Run | None:
        """The current state of an execution; None if Spark does not keep it any more."""

    def runs(self, most: int, after: int = -1) -> Iterator[Run]:
        """The last ``most`` executions, newest first, down to the id ``after``, without it."""

    def counted(self, run: Run, accumulators: Sequence[int]) -> bool:
        """Whether a run has a value in one of these accumulators."""

    def values(self, query: str) -> Mapping[int, str]:
        """The texts of an execution's metrics by accumulator id."""

    def graph(self, query: str) -> RawNode | None:
        """The plan of an execution as Spark's page shows it; None if it is not kept any more."""

    def listed(self, most: int) -> Iterator[ListedQuery]:
        """The last ``most`` queries, newest first, micro-batches and commands among them."""

    def is_tagged(self, job: int, tag: str) -> bool:
        """Whether a job carries a tag."""

    def cancel(self, number: int) -> int:
        """Cancels the jobs of a query; returns how many there are.

        Raises
        ------
        SessionError
            If Spark knows no such query.
        """
