"""Where what took long to make is kept for the next sessions."""

from __future__ import annotations

import os
from pathlib import Path


def cache_folder(name: str) -> Path:
    """The folder of that name below ``~/.cache/notebook-udf``; it may have to be made."""
    root = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(root) / "notebook-udf" / name
