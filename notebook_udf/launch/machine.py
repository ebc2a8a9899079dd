"""The processors and memory that this process may use, by its container or its environment.

A container sees all processors and all memory of the machine it runs on; a JVM that is sized by
them is killed. ``spark`` starts Spark with these numbers.
"""

from __future__ import annotations

import contextlib
import math
import os
from collections.abc import Iterator
from pathlib import Path

import psutil

from notebook_udf.errors import DeclarationError
from notebook_udf.functions.options import parse_memory

WORKERS_VARIABLE = "NOTEBOOK_UDF_WORKERS"
# The numbers of users that are no services, on all usual systems; the last is nobody.
_PERSONS = range(1000, 65_534)
# Of a control group, newer and older: its limit, what it uses, what of that are idle files.
_MEMORY_FILES = (
    ("memory.max", "memory.current", "inactive_file"),
    ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"),
)
DRIVER_MEMORY_VARIABLE = "NOTEBOOK_UDF_DRIVER_MEMORY"


def workers() -> int:
    """How many workers may run at once by default.

    Raises
    ------
    DeclarationError
        If the environment variable is no number.
    """
    said = os.environ.get(WORKERS_VARIABLE)
    if not said:
        return processors()
    if not said.isdecimal() or int(said) < 1:
        raise DeclarationError(f"{WORKERS_VARIABLE}={said!r} is not a number of workers above zero")
    return int(said)


def driver_memory() -> int:
    """Bytes for Java: a quarter of the memory, between 512 MB and 4 GB, or the environment
    variable. Locally the driver is all of Spark.

    Raises
    ------
    DeclarationError
        If the environment variable is no size.
    """
    said = os.environ.get(DRIVER_MEMORY_VARIABLE)
    if said:
        return parse_memory(said, what=DRIVER_MEMORY_VARIABLE)
    return min(max(memory() // 4, 512 << 20), 4 << 30)


def processors(root: Path = Path("/")) -> int:
    """The number of processors this process may use; ``root`` is that of the file system."""
    allowed = len(os.sched_getaffinity(0))
    shares = []
    for folder in _cgroups(root, "cpu"):
        with contextlib.suppress(OSError, ValueError):
            quota, period = (folder / "cpu.max").read_text().split()
            shares.append(int(quota) / int(period))
        with contextlib.suppress(OSError, ValueError):
            quota, period = (
                (folder / f"cpu.cfs_{name}_us").read_text() for name in ("quota", "period")
            )
            # -1 is no limit.
            shares += [int(quota) / int(period)] if int(quota) > 0 else []
    return max(1, min([allowed, *map(math.ceil, shares)]))


def memory(root: Path = Path("/")) -> int:
    """Bytes this process may use: the machine's, or those of the narrowest container around it."""
    limits = [psutil.virtual_memory().total]
    for folder in _cgroups(root, "memory"):
        for most, _, _ in _MEMORY_FILES:
            # "max" is no limit.
            with contextlib.suppress(OSError, ValueError):
                limits.append(int((folder / most).read_text()))
    return min(limits)


def free_memory(root: Path = Path("/")) -> int:
    """Bytes that this process could take now, with what the system would give up for it."""
    free = [psutil.virtual_memory().available]
    for folder in _cgroups(root, "memory"):
        for most, used, cache in _MEMORY_FILES:
            # Files that were read and are not in use count as used until they make room.
            with contextlib.suppress(OSError, ValueError):
                limit = int((folder / most).read_text())
                taken = int((folder / used).read_text())
                free.append(limit - taken + _figure(folder / "memory.stat", cache))
    return min(free)


def _figure(path: Path, name: str) -> int:
    for line in path.read_text().splitlines():
        key, _, value = line.partition(" ")
        if key == name:
            return int(value)
    return 0


def is_shared() -> bool:
    """Whether another person uses this machine now, by the processes that can be seen."""
    me = os.getuid()
    for process in psutil.process_iter(["uids"]):
        owner = process.info["uids"]
        if owner is not None and owner.real != me and owner.real in _PERSONS:
            return True
    return False


def _cgroups(root: Path, controller: str) -> Iterator[Path]:
    """The folders of this process's control groups and their parents; in a container its own is
    the outermost, whatever its path is outside."""
    mounted = root / "sys/fs/cgroup"
    try:
        lines = (root / "proc/self/cgroup").read_text().splitlines()
    except OSError:
        return
    for line in lines:
        number, controllers, path = line.split(":", 2)
        if number == "0":
            base = mounted
        elif controller in controllers.split(","):
            base = mounted / controller
        else:
            continue
        group = base / path.lstrip("/")
        yield from (folder for folder in (group, *group.parents) if folder.is_relative_to(base))
