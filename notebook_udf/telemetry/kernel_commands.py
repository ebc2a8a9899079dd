"""The kernel's commands to workers, and what tells it who waits for them.

On the side channel they are records like all others.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from notebook_udf.telemetry.records import Record


@dataclass(frozen=True)
class Listening(Record):
    """The connection that this comes by waits for commands to the worker."""

    kind: ClassVar[str] = "listening"
    pid: int


@dataclass(frozen=True)
class Leaving(Record):
    """The last record of a connection."""

    kind: ClassVar[str] = "leaving"
    pid: int


@dataclass(frozen=True)
class Command(Record):
    """From the kernel to workers: ``welcome`` (the answer to ``Listening``), ``goodbye`` (the
    answer to ``Leaving``, when all that came before it has been handled), ``stacks``, ``restart``,
    ``log-level``, ``end-query``, ``drain-query`` or ``profile`` (its name and for how many more
    seconds, 0 to end it).

    Empty ``pids`` means every worker. Workers answer the end of a query with ``QueryLeft``.
    """

    kind: ClassVar[str] = "command"
    name: str
    pids: tuple[int, ...] = ()
    argument: str = ""
