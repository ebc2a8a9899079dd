"""Brings the classes that functions in Java call to Spark: from a cache, or compiled once."""

from __future__ import annotations

import hashlib
import logging
import os
import threading
from collections.abc import Callable
from pathlib import Path

from notebook_udf.compile.java.library import library, library_version
from notebook_udf.host.java_functions import JavaFunctions
from notebook_udf.launch.cache_folder import cache_folder

_log = logging.getLogger(__name__)


class JavaLibrary:
    """Calls ``arrived`` when the classes are there; until then nothing waits for them.

    The jar is kept for the next sessions; a folder of this session has it where it cannot be.
    """

    def __init__(self, functions: JavaFunctions, folder: Path, arrived: Callable[[], None]) -> None:
        self._functions = functions
        self._folder = folder
        self._arrived = arrived
        self._cancelled = False
        self._thread = threading.Thread(target=self._run, name="notebook-udf-java", daemon=True)

    def start(self) -> None:
        """Begins; a jar that was kept is not waited for long."""
        self._thread.start()

    def cancel(self) -> None:
        """Keeps errors of a Spark that is being stopped from being reported."""
        self._cancelled = True

    def wait(self, timeout: float | None = None) -> bool:
        """Waits for its end; returns whether it has ended."""
        self._thread.join(timeout)
        return not self._thread.is_alive()

    def _run(self) -> None:
        try:
            self._functions.load(library, self._jar())
            if not self._cancelled:
                self._arrived()
        except Exception:
            if not self._cancelled:
                _log.warning(
                    "functions run in Python workers only: what they need in Spark's JVM could not "
                    "be brought there; please report this",
                    exc_info=True,
                )

    def _jar(self) -> Path:
        made_of = f"{library_version()} {self._functions.compiler}"
        name = f"{hashlib.sha256(made_of.encode()).hexdigest()[:20]}.jar"
        folder = cache_folder("java")
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError:
            return self._folder / name
        return (folder if os.access(folder, os.W_OK) else self._folder) / name
