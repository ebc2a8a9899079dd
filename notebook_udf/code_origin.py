"""Tells by a file's path whose code it holds."""

from __future__ import annotations

import os
from pathlib import Path

PACKAGE = str(Path(__file__).resolve().parent) + os.sep
_LIBRARY = os.path.dirname(os.__file__) + os.sep
_INSTALLED = tuple(f"{os.sep}{name}{os.sep}" for name in ("site-packages", "dist-packages"))


def is_machinery(filename: str) -> bool:
    """Whether a file belongs to this package or to Spark."""
    return filename.startswith(PACKAGE) or "/pyspark/" in filename


def is_installed(filename: str) -> bool:
    """Whether a file belongs to an installed package."""
    return any(folder in filename for folder in _INSTALLED)


def is_pythons(filename: str) -> bool:
    """Whether a file belongs to Python's standard library."""
    return filename.startswith(("<frozen ", _LIBRARY)) and not is_installed(filename)


def is_users(filename: str) -> bool:
    """Whether a file is the user's: a cell, a script, a module beside them."""
    return not (is_machinery(filename) or is_installed(filename) or is_pythons(filename))
