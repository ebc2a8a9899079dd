"""Compiles classes with the compiler in Spark's own jars, in the JVM of a classic session."""

from __future__ import annotations

import json
import os
import tempfile
import zipfile
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from pyspark import accumulators
from pyspark.sql import SparkSession
from pyspark.sql.types import DataType

from notebook_udf.compile.java.java_class import PACKAGE, JavaClass
from notebook_udf.compile.java.numbers import libm
from notebook_udf.host.classic.classic_cluster import Taking
from notebook_udf.host.classic.failed_jobs import fail_jobs
from notebook_udf.host.java_functions import JavaFunction
from notebook_udf.launch.confs import is_local
from notebook_udf.sanitize import backquoted


class ClassicJavaFunctions:
    """See ``JavaFunctions``."""

    def __init__(self, spark: SparkSession) -> None:
        self._spark = spark
        # What makes the calls of each function, by its identity and then by its names in SQL.
        self._builders: dict[str, dict[str, Any]] = {}
        # By identity, how often calls are held in Python; of functions that come meanwhile too.
        self._held: Counter[str] = Counter()
        # By identity and calls, a function's classes, which all its names share, and what the
        # compiler had against those that it was asked for.
        self._sources: dict[tuple[str, str], Any] = {}
        self._failures: dict[tuple[str, str], str] = {}
        # What counts the calls of a class that is checked, by its name.
        self._checked: dict[str, Any] = {}
        self._meters: Any = None
        # By name, whether a function of the C library answers as in Python.
        self._libm: dict[str, bool] = {}

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

    def has_libm(self, name: str) -> bool:
        """See ``JavaFunctions``."""
        if name not in self._libm:
            # Of executors on other machines it is not known.
            here = is_local(self._spark.sparkContext.master)
            given = libm.examples(name)
            said = self._new("PyLibm").answers(name.upper(), name in libm.PAIRS, given)
            self._libm[name] = here and said is not None and libm.agrees(name, bytes(said))
        return self._libm[name]

    @property
    def has_own_zone(self) -> bool:
        """See ``JavaFunctions``."""
        return is_local(self._spark.sparkContext.master) and self._zones == {os.environ.get("TZ")}

    @cached_property
    def _zones(self) -> set[str | None]:
        """The variables by which Java and Python workers were given a time zone."""
        jvm: Any = self._spark._jvm
        own = jvm.java.lang.System.getenv("TZ")
        return {own, self._spark.sparkContext.getConf().get("spark.executorEnv.TZ", own)}

    def measure(self, take: Callable[[Sequence[Sequence[str]]], None]) -> None:
        """See ``JavaFunctions``."""
        self._meters = self._spark.sparkContext.accumulator([], Taking(take))

    def end(self) -> None:
        """See ``JavaFunctions``."""
        if self._meters is not None:
            accumulators._accumulatorRegistry.pop(self._meters.aid, None)
            self._meters = None

    def refuse(self, name: str, why: str) -> None:
        """See ``JavaFunctions``."""
        self._checked[name].refuse(why)

    def fail(self, stage: int, why: str) -> bool:
        """See ``JavaFunctions``."""
        return fail_jobs(self._spark, stage, why)

    def register(self, name: str, function: JavaFunction, table: Any = None) -> None:
        """See ``JavaFunctions``."""
        session: Any = self._spark._jsparkSession
        header = json.dumps(function.header)
        if function.folds is not None:
            folds = session.parseDataType(function.folds.json())
            builder = self._new("PyFoldBuilder", function.name, header, folds)
        else:
            builder = self._new(
                "PyBuilder",
                function.name,
                function.identity,
                *function.arity,
                session.parseDataType(function.result_type.json()),
                None if function.in_python is None else function.in_python._judf,
                header,
                self._types(function.nested),
            )
        for _ in range(self._held[function.identity]):
            builder.hold(True)
        self._release(name, new=function.identity)
        self._builders.setdefault(function.identity, {})[name] = builder
        for count, java_class in function.java_classes.items():
            self.add(function.identity, str(count), java_class, function.self_check)
        state = session.sessionState()
        if table is None:
            state.functionRegistry().createOrReplaceTempFunction(name, builder, "scala_udf")
            return
        builder = self._new("PyTableBuilder", builder, table._judtf, state.sqlParser())
        state.tableFunctionRegistry().createOrReplaceTempFunction(name, builder, "python_udtf")

    def unregister(self, name: str) -> None:
        """See ``JavaFunctions``."""
        self._spark.sql(f"DROP TEMPORARY FUNCTION IF EXISTS {backquoted(name)}")
        self._release(name)

    def add(
        self, identity: str, calls: str, java_class: JavaClass, self_check: float = 0.0
    ) -> None:
        """See ``JavaFunctions``."""
        key = identity, calls
        if key not in self._sources:
            source = f"package {PACKAGE};\n{java_class.source}"
            name, meter = f"{PACKAGE}.{java_class.name}", self._meter(java_class, self_check)
            self._sources[key] = self._new("PySource", name, meter, source)
        for builder in self._named(identity):
            builder.add(calls, self._sources[key])

    def text_of(self, types: Sequence[DataType]) -> str:
        """See ``JavaFunctions``."""
        return f"[{','.join(str(each.asNullable().json()) for each in self._types(types))}]"

    def compiles(self, identity: str, calls: str, count: int) -> bool:
        """See ``JavaFunctions``."""
        return all([builder.compiles(calls, count) for builder in self._named(identity)] or [False])

    def wanted(self, identity: str) -> Sequence[str]:
        """See ``JavaFunctions``."""
        found = (types for builder in self._named(identity) for types in builder.wanted())
        return list(dict.fromkeys(map(str, found)))

    def hold(self, identity: str, *, begins: bool) -> None:
        """See ``JavaFunctions``."""
        self._held[identity] += 1 if begins else -1
        for builder in self._named(identity):
            builder.hold(begins)

    def is_in_python(self, rows: Any, names: Collection[str]) -> bool:
        """See ``JavaFunctions``."""
        return bool(self._plan.isInPython(rows._jdf.queryExecution().analyzed(), set(names)))

    def calls(self, operator: Any) -> Sequence[tuple[str, Mapping[str, Any]]]:
        """See ``JavaFunctions``."""
        if not self._builders:
            return []
        found = list(self._plan.calls(operator))
        pairs = zip(found[::2], found[1::2], strict=True)
        return [(str(text), json.loads(header)) for text, header in pairs]

    def failure(self, identity: str, calls: str) -> str:
        """See ``JavaFunctions``."""
        key = identity, calls
        if key not in self._failures and key in self._sources:
            found = self._sources[key].failure()
            if found is not None:
                self._failures[key] = str(found)
        return self._failures.get(key, "")

    def _types(self, types: Sequence[DataType | None]) -> Any:
        """Types as Java's objects, in a list."""
        jvm: Any = self._spark._jvm
        session: Any = self._spark._jsparkSession
        made = jvm.java.util.ArrayList()
        for each in types:
            made.add(None if each is None else session.parseDataType(each.json()))
        return made

    def _named(self, identity: str) -> list[Any]:
        """What makes the calls of a function, by each of its names in SQL."""
        return list(self._builders.get(identity, {}).values())

    def _release(self, name: str, new: str = "") -> None:
        """Forgets functions that had a name in SQL, and now have none; not the ``new`` one."""
        for identity, builders in list(self._builders.items()):
            if identity != new and builders.pop(name, None) is not None and not builders:
                del self._builders[identity]
                self._forget(identity)

    def _forget(self, identity: str) -> None:
        for kept in (self._sources, self._failures):
            for key in [key for key in kept if key[0] == identity]:
                del kept[key]

    @cached_property
    def _plan(self) -> Any:
        return self._new("PyPlan")

    def _meter(self, java_class: JavaClass, self_check: float) -> Any:
        """What counts the rows of a class, for the accumulator that ``measure`` made."""
        context, jvm = self._spark.sparkContext, self._spark._jvm
        number = jvm.java.lang.Long.valueOf(str(self._meters.aid))
        name, accumulator = java_class.name, context._javaAccumulator
        meter = self._new("PyMeter", name, number, accumulator, self_check)
        if self_check:
            self._checked[name] = meter
        return meter

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
