"""Disks without room, for tests."""

from __future__ import annotations

import os
from pathlib import Path


def fill(folder: Path) -> Path:
    """Takes all the room that is left."""
    path = folder / "takes-all-the-room"
    with open(path, "wb", 0) as file:
        try:
            while True:
                file.write(bytes(1 << 16))
        except OSError:
            pass
        try:
            while True:
                file.write(b"0")
        except OSError:
            pass
    assert os.statvfs(folder).f_bavail == 0
    return path
