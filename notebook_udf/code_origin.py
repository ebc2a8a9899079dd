"""Whose code a file holds, told by its path alone."""

from __future__ import annotations

import os
from pathlib import Path

PACKAGE = str(Path(__file__).resolve().parent) + os.sep
_LIBRARY = os.path.dirname(os.__file__) + os.sep
_INSTALLED = tuple(f"{os.sep}{name}{os.sep}" for name in ("site-packages", "dist-packages"))


def is_machinery(filename: str) -> bool:
    """Whether it is this package's or Spark's."""
    return filename.startswith(PACKAGE) or "/pyspark/" in filename


def is_installed(filename: str) -> bool:
    """Whether it is a package's that was installed."""
    return any(folder in filename for folder in _INSTALLED)


def is_pythons(filename: str) -> bool:
    """Whether it is of Python's own library."""
    return filename.startswith(("<frozen ", _LIBRARY)) and not is_installed(filename)


def is_users(filename: str) -> bool:
    """Whether it is none of these: a cell, a script, a module beside them."""
    return not (is_machinery(filename) or is_installed(filename) or is_pythons(filename))
