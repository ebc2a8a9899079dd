"""Checks of the arguments of ``nu.session``, and the kernel's import paths for workers."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from notebook_udf.errors import DeclarationError
from notebook_udf.launch import machine


def import_paths() -> list[str]:
    """The import paths of this process that a new interpreter does not have by itself."""
    own = str(Path(__file__).resolve().parents[2])
    paths = dict.fromkeys([own, *(str(Path(p or ".").resolve()) for p in sys.path)])
    usual = ("site-packages", "dist-packages")
    return [
        path
        for path in paths
        if Path(path).is_dir()
        and Path(path).name not in usual
        and not path.startswith(sys.base_prefix + os.sep)
    ]


def number_of_workers(master: str | None, workers: int | None) -> int:
    """How many workers may run at once: as given, or by default."""
    if workers is None:
        return machine.workers()
    if isinstance(workers, bool) or not isinstance(workers, int) or workers < 1:
        raise DeclarationError(f"workers={workers!r} is not a number of workers above zero")
    if master is not None:
        raise DeclarationError("give either master or workers: master says how many there are")
    return workers


def bundle_size(rows: int | None) -> int | None:
    """The rows in a bundle, checked; None if they are not given."""
    if rows is not None and (isinstance(rows, bool) or not isinstance(rows, int) or rows < 1):
        raise DeclarationError(f"bundle_size={rows!r} is not a number of rows above zero")
    return rows


def bundle_time(given: Any) -> list[str]:
    """What is said of it: Spark ends a bundle by its rows alone."""
    if given is None:
        return []
    return [f"bundle_time={given!r} has no effect: use bundle_size"]


def job_parameters(parameters: Mapping[str, Any] | None) -> dict[str, str]:
    """Job parameters as text."""
    return {str(key): str(value) for key, value in (parameters or {}).items()}


def without_effect(**given: object) -> list[str]:
    """What is said of arguments that only a Spark yet to be started could follow."""
    return [
        f"{name}={value!r} has no effect on a Spark that runs already"
        for name, value in given.items()
        if value is not None
    ]
