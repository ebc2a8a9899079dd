"""``JavaFunctions``: functions that Spark calls in its own JVM."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

from pyspark.sql.types import DataType

from notebook_udf.compile.java.java_class import JavaClass


class JavaFunctions(Protocol):
    """The classes of such functions, and their names in SQL."""

    def register(
        self, name: str, java_class: JavaClass, result_type: DataType, folder: Path
    ) -> None:
        """Makes a class known to Spark SQL under a name, in place of an earlier function.

        Compiles it, keeps it in the folder, and brings it to every executor.
        """
