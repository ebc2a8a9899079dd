"""The memory limit of a worker, and how much memory it has used.

The limit is on what the worker allocates for itself, on top of the pages it shares with the daemon
it was forked from: the kernel then refuses the allocation that would pass it, which Python turns
into a MemoryError at the line that asked for too much. A limit on the address space would instead
count what Arrow reserves and never touches.
"""

from __future__ import annotations

import os
import resource
from pathlib import Path


class MemoryLimit:
    """The limit of this process, lowered and raised task by task.

    Parameters
    ----------
    worker_limit
        Bytes every task may take at most; 0 for no limit.
    """

    def __init__(self, worker_limit: int = 0) -> None:
        self._worker_limit = worker_limit
        self._baseline = data_bytes()
        self.current = 0

    def apply(self, function_limit: int = 0) -> None:
        """Sets the tighter of the worker's limit and ``function_limit``; 0 for neither."""
        self.current = min(filter(None, (self._worker_limit, function_limit)), default=0)
        _, hard = resource.getrlimit(resource.RLIMIT_DATA)
        ceilings = [hard] if hard != resource.RLIM_INFINITY else []
        if self._worker_limit:
            ceilings.append(self._baseline + self._worker_limit)
        if function_limit:
            # What earlier functions left in this worker is not this one's doing.
            ceilings.append(data_bytes() + function_limit)
        soft = min(ceilings, default=resource.RLIM_INFINITY)
        # Only the soft limit moves: a lowered hard limit could not be raised for the next task.
        resource.setrlimit(resource.RLIMIT_DATA, (soft, hard))


def data_bytes() -> int:
    """Bytes of private writable memory this process has mapped (what RLIMIT_DATA counts)."""
    return _status("VmData:")


def resident_bytes() -> int:
    """Bytes of memory this process holds in RAM."""
    try:
        pages = int(Path("/proc/self/statm").read_text("ascii").split()[1])
    except (OSError, IndexError, ValueError):
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    return pages * os.sysconf("SC_PAGE_SIZE")


def peak_bytes() -> int:
    """The most RAM this process has held since it was forked."""
    return _status("VmHWM:") or resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def cpu_seconds() -> float:
    """User and system time of this process."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def _status(field: str) -> int:
    try:
        with open("/proc/self/status", encoding="ascii") as file:
            for line in file:
                if line.startswith(field):
                    return int(line.split()[1]) * 1024
    except OSError:
        return 0
    return 0
