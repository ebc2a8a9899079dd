"""Compiles classes with the compiler in Spark's own jars, in the JVM of a classic session."""

from __future__ import annotations

import threading
import zipfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from pyspark import accumulators
from pyspark.sql import SparkSession
from pyspark.sql.types import DataType

from notebook_udf.compile.java.java_class import PACKAGE, JavaClass
from notebook_udf.compile.java.library import library
from notebook_udf.host.classic.classic_cluster import Taking


class ClassicJavaFunctions:
    """See ``JavaFunctions``."""

    def __init__(self, spark: SparkSession) -> None:
        self._spark = spark
        self._lock = threading.Lock()
        self._loaded: set[str] = set()
        self._meters: Any = None

    def measure(self, take: Callable[[Sequence[Sequence[str]]], None]) -> None:
        """See ``JavaFunctions``."""
        if self._meters is not None:
            return
        self._meters = self._spark.sparkContext.accumulator([], Taking(take))

    def end(self) -> None:
        """See ``JavaFunctions``."""
        if self._meters is not None:
            accumulators._accumulatorRegistry.pop(self._meters.aid, None)
            self._meters = None

    def register(
        self, name: str, java_class: JavaClass, result_type: DataType, folder: Path
    ) -> None:
        """See ``JavaFunctions``."""
        session: Any = self._spark._jsparkSession
        with self._lock:
            self._load(folder, "library", library())
            self._load(folder, java_class.name, f"package {PACKAGE};\n{java_class.source}")
        made = self._new(java_class.name)
        if self._meters is not None:
            context: Any = self._spark.sparkContext
            jvm: Any = self._spark._jvm
            number = jvm.java.lang.Long.valueOf(str(self._meters.aid))
            made.measuredBy(self._new("PyMeter", java_class.name, number, context._javaAccumulator))
        session.udf().register(name, made, session.parseDataType(result_type.json()))

    def _load(self, folder: Path, name: str, source: str) -> None:
        if name in self._loaded:
            return
        jvm: Any = self._spark._jvm
        compiler = jvm.org.codehaus.janino.SimpleCompiler()
        compiler.setParentClassLoader(self._loader)
        compiler.cook(source)
        jar = folder / f"{name}.jar"
        self._write(jar, compiler.getBytecodes())
        session: Any = self._spark._jsparkSession
        session.sessionState().resourceLoader().addJar(str(jar))
        self._loaded.add(name)

    def _write(self, jar: Path, classes: Mapping[str, bytes]) -> None:
        jar.parent.mkdir(mode=0o700, exist_ok=True)
        with zipfile.ZipFile(jar, "w") as file:
            for name in classes:
                file.writestr(f"{name.replace('.', '/')}.class", bytes(classes[name]))

    @property
    def _loader(self) -> Any:
        """What finds the classes in the jars that Spark was given."""
        session: Any = self._spark._jsparkSession
        return session.sharedState().jarClassLoader()

    def _new(self, name: str, *given: Any) -> Any:
        """A new object of a class that was loaded, by its only constructor."""
        jvm: Any = self._spark._jvm
        gateway: Any = self._spark.sparkContext._gateway
        (constructor,) = self._loader.loadClass(f"{PACKAGE}.{name}").getConstructors()
        arguments = gateway.new_array(jvm.java.lang.Object, len(given))
        for place, value in enumerate(given):
            arguments[place] = value
        return constructor.newInstance(arguments)
