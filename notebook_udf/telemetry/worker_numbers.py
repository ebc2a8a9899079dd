"""Numbers of workers, of which two on different machines may have one process id.

In containers that is the rule: each counts its processes from 1. A worker's number is its process
id unless another machine's worker has that already.
"""

from __future__ import annotations

import threading
from dataclasses import replace
from typing import Any, TypeVar

from notebook_udf.telemetry.records import Record

R = TypeVar("R", bound=Record)

# No process id of Linux is as large.
_APART = 1 << 22


def process_id(number: int) -> int:
    """The process id of a worker on its own machine."""
    return number % _APART


class WorkerNumbers:
    """The numbers of a session's workers. Its methods may be called from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._hosts: dict[int, list[str]] = {}

    def numbered(self, record: R, host: str) -> R:
        """A record that came from a machine, with the worker's number in place of its process
        id."""
        pid: int | None = getattr(record, "pid", None)
        if pid is None:
            return record
        with self._lock:
            hosts = self._hosts.setdefault(pid, [])
            if host not in hosts:
                hosts.append(host)
            before = hosts.index(host)
        if not before:
            return record
        told: Any = record
        renumbered: R = replace(told, pid=pid + before * _APART)
        return renumbered
