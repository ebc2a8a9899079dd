"""Runs of queries, as Spark's list of them has them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

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
