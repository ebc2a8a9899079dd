"""The folders of sessions and running jobs: sockets, keys, logs, quarantine.

Private, of a short path, removed at the end.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import tempfile
from pathlib import Path

from notebook_udf.errors import SessionError
from notebook_udf.pool.exit_report import is_alive
from notebook_udf.render.format import size

_PREFIX = "nudf-"
_JOB = "job-"
# For sockets, keys and the first lines of logs.
_ROOM = 1 << 20
_PLAIN = re.compile(r"[A-Za-z0-9_./+-]+")


def make_folder() -> Path:
    """Makes a folder that only this user can enter, and removes those of killed kernels.

    Raises
    ------
    SessionError
        If its disk is full.
    """
    root = folders_root()
    _sweep(root)
    free = shutil.disk_usage(root).free
    if free < _ROOM:
        # Java would end without a word about it.
        raise SessionError(
            f"there is no room for a session's folder in {root}: {size(free)} are free, and "
            f"{size(_ROOM)} are needed; make room, or set TMPDIR to a folder on another disk"
        )
    folder = Path(tempfile.mkdtemp(prefix=f"{_PREFIX}{os.getpid()}-", dir=root))
    (folder / "workers").mkdir(mode=0o700)
    (folder / "quarantine").mkdir(mode=0o700)
    return folder


def make_job_folder() -> Path:
    """Makes a folder for a running job's socket, that only this user can enter.

    Raises
    ------
    OSError
        If it cannot be made.
    """
    root = folders_root()
    _sweep(root)
    return Path(tempfile.mkdtemp(prefix=f"{_PREFIX}{os.getpid()}-{_JOB}", dir=root))


def remove_folder(folder: Path) -> None:
    """Removes a session's or a job's folder with all it holds."""
    shutil.rmtree(folder, ignore_errors=True)


def folders_root() -> Path:
    """Where sessions have their folders."""
    # A socket's path may have 107 characters, which a deep TMPDIR would use up; and Java's options
    # and its properties each quote in a way of their own what is no plain name.
    root = Path(tempfile.gettempdir())
    return root if len(str(root)) <= 60 and _PLAIN.fullmatch(str(root)) else Path("/tmp")


def living_folders() -> list[tuple[int, Path]]:
    """The folders of this user's running sessions, each with the id of its process."""
    return [(owner, folder) for owner, folder in _living() if not _is_jobs(folder)]


def job_folders() -> list[tuple[int, Path]]:
    """The folders of this user's running jobs that can be looked at, each with the id of its
    process, oldest first."""
    return [(owner, folder) for owner, folder in _living() if _is_jobs(folder)]


def _living() -> list[tuple[int, Path]]:
    return [(owner, folder) for owner, folder in _folders(folders_root()) if is_alive(owner)]


def _is_jobs(folder: Path) -> bool:
    return folder.name.removeprefix(_PREFIX).partition("-")[2].startswith(_JOB)


def _sweep(root: Path) -> None:
    for owner, folder in _folders(root):
        if not is_alive(owner):
            shutil.rmtree(folder, ignore_errors=True)


def _folders(root: Path) -> list[tuple[int, Path]]:
    """This user's folders with the process that made each, oldest first."""
    found = []
    for folder in root.glob(f"{_PREFIX}*"):
        owner = folder.name.removeprefix(_PREFIX).partition("-")[0]
        with contextlib.suppress(OSError, ValueError):
            known = folder.stat()
            if known.st_uid == os.getuid():
                found.append((known.st_mtime, int(owner), folder))
    return [(owner, folder) for _, owner, folder in sorted(found)]
