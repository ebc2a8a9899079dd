"""Compiles classes with the compiler in Spark's own jars, in the JVM of a classic session."""

from __future__ import annotations

import json
import os
import tempfile
import zipfile
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from pyspark import accumulators
from pyspark.sql import SparkSession

from notebook_udf.compile.java.java_class import PACKAGE, JavaClass
from notebook_udf.host.classic.classic_cluster import Taking
from notebook_udf.host.java_functions import JavaFunction


class ClassicJavaFunctions:
    """See ``JavaFunctions``."""

    def __init__(self, spark: SparkSession) -> None:
        self._spark = spark
        self._builders: dict[str, Any] = {}
        # By the names of functions whose class was compiled, or could not be.
        self._failures: dict[str, str] = {}
        self._meters: Any = None

    @property
    def compiler(self) -> str:
        """See ``JavaFunctions``."""
        return f"Spark {self._spark.version}"

    def load(self, source: Callable[[], str], jar: Path) -> None:
        """See ``JavaFunctions``."""
        if not jar.exists():
            jvm: Any = self._spark._jvm
            compiler = jvm.org.codehaus.janino.SimpleCompiler()
            compiler.setParentClassLoader(self._loader)
            compiler.cook(source())
            _write(jar, compiler.getBytecodes())
        session: Any = self._spark._jsparkSession
        session.sessionState().resourceLoader().addJar(str(jar))

    def measure(self, take: Callable[[Sequence[Sequence[str]]], None]) -> None:
        """See ``JavaFunctions``."""
        self._meters = self._spark.sparkContext.accumulator([], Taking(take))

    def end(self) -> None:
        """See ``JavaFunctions``."""
        if self._meters is not None:
            accumulators._accumulatorRegistry.pop(self._meters.aid, None)
            self._meters = None

    def register(self, name: str, function: JavaFunction) -> None:
        """See ``JavaFunctions``."""
        session: Any = self._spark._jsparkSession
        java_class = function.java_class
        source = f"package {PACKAGE};\n{java_class.source}"
        self._failures.pop(function.name, None)
        builder = self._builders[function.name] = self._new(
            "PyBuilder",
            function.name,
            *function.arity,
            session.parseDataType(function.result_type.json()),
            function.in_python._judf,
            self._meter(java_class),
            f"{PACKAGE}.{java_class.name}",
            json.dumps(function.header),
            source,
        )
        registry = session.sessionState().functionRegistry()
        registry.createOrReplaceTempFunction(name, builder, "scala_udf")

    def calls(self, operator: Any) -> Sequence[tuple[str, Mapping[str, Any]]]:
        """See ``JavaFunctions``."""
        if not self._builders:
            return []
        found = list(self._plan.calls(operator))
        pairs = zip(found[::2], found[1::2], strict=True)
        return [(str(text), json.loads(header)) for text, header in pairs]

    def failure(self, name: str) -> str:
        """See ``JavaFunctions``."""
        if name not in self._failures:
            builder = self._builders.get(name)
            found = builder.failure() if builder is not None else None
            if found is None:
                return ""
            self._failures[name] = str(found)
        return self._failures[name]

    @cached_property
    def _plan(self) -> Any:
        return self._new("PyPlan")

    def _meter(self, java_class: JavaClass) -> Any:
        """What counts the rows of a class, for the accumulator that ``measure`` made."""
        context, jvm = self._spark.sparkContext, self._spark._jvm
        number = jvm.java.lang.Long.valueOf(str(self._meters.aid))
        return self._new("PyMeter", java_class.name, number, context._javaAccumulator)

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


def _write(jar: Path, classes: Mapping[str, bytes]) -> None:
    """Writes classes into a jar, of which others see nothing until it is whole."""
    jar.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    handle, made = tempfile.mkstemp(dir=jar.parent, suffix=".part")
    try:
        with os.fdopen(handle, "wb") as file, zipfile.ZipFile(file, "w") as archive:
            for name in classes:
                archive.writestr(f"{name.replace('.', '/')}.class", bytes(classes[name]))
        Path(made).replace(jar)
    except BaseException:
        Path(made).unlink(missing_ok=True)
        raise
