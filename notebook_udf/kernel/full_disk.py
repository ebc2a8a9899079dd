"""A disk without room: which of those that Spark and the session write to, and how much is left."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

from notebook_udf.errors import SessionError
from notebook_udf.render.format import size

_SAID = "No space left on device"
# A path in any text, with what Java puts before it.
_PATH = re.compile(r"(?<![\w/])(?:file:/*)?(/[^\s:()'\",;\]]+)")
_MOST_NAMED = 3


def full_disk(text: str, folders: Callable[[], Sequence[str]]) -> SessionError | None:
    """The error for a Java stack of a query that found a disk full; None for any other.

    ``folders`` are those that Spark writes to beside the paths that the trace names. Java tells no
    figure, so the one given is what is free there now: a query removes what it has written.
    """
    if _SAID not in text:
        return None
    disks: dict[int, Path] = {}
    for path in (*(found[1] for found in _PATH.finditer(text)), *folders()):
        folder = _there(path)
        if shutil.disk_usage(folder).total:
            disks.setdefault(folder.stat().st_dev, folder)
    fullest = sorted(disks.values(), key=_free)[:_MOST_NAMED]
    free = ", ".join(f"{size(_free(folder))} on the disk of {folder}" for folder in fullest)
    return SessionError(
        f"there was no room on a disk that Spark writes to; free now: {free or 'not known'}. Make "
        "room and run the query again; nothing else was lost. nu.session(conf={'spark.local.dir': "
        "'…'}) has Spark put what does not fit in memory on another disk"
    )


def _there(path: str) -> Path:
    """The folder of a path that exists: Spark removes its files when a query fails."""
    folder = Path(path)
    while not folder.is_dir():
        folder = folder.parent
    return folder


def _free(folder: Path) -> int:
    return shutil.disk_usage(folder).free
