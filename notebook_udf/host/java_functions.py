"""``JavaFunctions``: functions that Spark calls in its own JVM."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol

from pyspark.sql.types import DataType

from notebook_udf.compile.java.java_class import JavaClass


class JavaFunctions(Protocol):
    """The classes of such functions, and their names in SQL."""

    def measure(self, take: Callable[[Sequence[Sequence[str]]], None]) -> None:
        """Has ``take`` called with what the functions of a task have counted, when it has ended:
        for each what ``PyMeter`` says, as texts."""

    def end(self) -> None:
        """Ends what ``measure`` began."""

    def register(
        self, name: str, java_class: JavaClass, result_type: DataType, folder: Path
    ) -> None:
        """Makes a class known to Spark SQL under a name, in place of an earlier function.

        Compiles it, keeps it in the folder, and brings it to every executor.
        """
