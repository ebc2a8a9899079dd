"""Brings the classes that functions in Java call to Spark: from a cache, or compiled once."""

from __future__ import annotations

import hashlib
import logging
import os
from collections.abc import Callable
from pathlib import Path

from notebook_udf.compile.java.library import library, library_version
from notebook_udf.host.java_functions import JavaFunctions
from notebook_udf.kernel.background import Background
from notebook_udf.launch.cache_folder import cache_folder

_log = logging.getLogger(__name__)


class JavaLibrary(Background):
    """Calls ``arrived`` when the classes are there; until then nothing waits for them.

    The jar is kept for the next sessions; a folder of this session has it where it cannot be.

    Attributes
    ----------
    has_loaded
        Whether Spark has them.
    """

    def __init__(self, functions: JavaFunctions, folder: Path, arrived: Callable[[], None]) -> None:
        self._functions = functions
        self._folder = folder
        self._arrived = arrived
        self.has_loaded = False
        super().__init__(
            self._bring,
            name="notebook-udf-java",
            log=_log,
            failed="functions run in Python workers only: what they need in Spark's JVM could not "
            "be brought there; please report this",
        )

    def _bring(self) -> None:
        self._functions.load(library, self._jar())
        self.has_loaded = True
        if not self.cancelled:
            self._arrived()

    def _jar(self) -> Path:
        made_of = f"{library_version()} {self._functions.compiler}"
        name = f"{hashlib.sha256(made_of.encode()).hexdigest()[:20]}.jar"
        folder = cache_folder("java")
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError:
            return self._folder / name
        return (folder if os.access(folder, os.W_OK) else self._folder) / name
