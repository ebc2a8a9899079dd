"""The session's folder: sockets, logs, quarantine; private, short, and gone afterwards."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from pathlib import Path

from notebook_udf.pool.daemon import is_alive

_PREFIX = "nudf-"


def make_folder() -> Path:
    """A new folder only this user can enter. Folders of kernels that were killed are removed."""
    root = _root()
    _sweep(root)
    folder = Path(tempfile.mkdtemp(prefix=f"{_PREFIX}{os.getpid()}-", dir=root))
    (folder / "workers").mkdir(mode=0o700)
    (folder / "quarantine").mkdir(mode=0o700)
    return folder


def remove_folder(folder: Path) -> None:
    """Removes it with all it holds."""
    shutil.rmtree(folder, ignore_errors=True)


def _root() -> Path:
    # A socket's path may have 107 characters, which a deep TMPDIR would use up.
    root = Path(tempfile.gettempdir())
    return root if len(str(root)) <= 60 else Path("/tmp")


def _sweep(root: Path) -> None:
    for folder in root.glob(f"{_PREFIX}*"):
        owner = folder.name.removeprefix(_PREFIX).partition("-")[0]
        with contextlib.suppress(OSError, ValueError):
            if folder.stat().st_uid != os.getuid():
                continue
            if not is_alive(int(owner)):
                shutil.rmtree(folder, ignore_errors=True)
