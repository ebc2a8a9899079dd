"""Functions that only rewritten queries call in Spark's JVM.

They give the lists of rows of table and process functions, and the values of an aggregate's groups.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Sequence
from typing import TYPE_CHECKING

from pyspark.sql.types import DataType

from notebook_udf.compile.java.java_class import JavaClass
from notebook_udf.compile.java.writing.terms import TypesMissing
from notebook_udf.host.java_functions import JavaFunctions
from notebook_udf.kernel.java_descriptions import java_name, lists_among
from notebook_udf.kernel.recent import Recent
from notebook_udf.planner.physical.in_java import RecordCall
from notebook_udf.registry import MOST_VERSIONS, RegisteredFunction
from notebook_udf.specs.record_shape import RecordShape

if TYPE_CHECKING:
    from notebook_udf.kernel.java_calls import JavaCalls
    from notebook_udf.kernel.notebook_session import Session

_MOST_CLASSES = 1000


class JavaLists:
    """Makes them known to Spark: those that ``calls`` has classes for."""

    def __init__(self, session: Session, calls: JavaCalls, lock: threading.RLock) -> None:
        self._session = session
        self._calls = calls
        self._lock = lock
        # Of what process functions get, by the names of their classes.
        self._shapes: Recent[RecordShape] = Recent(_MOST_CLASSES)
        # The names in SQL by the calls whose classes they have, compiled.
        self._known: Recent[str] = Recent(_MOST_CLASSES)
        # The same by those of the functions, the oldest first; a plan has what it calls, not these.
        self._names: dict[str, deque[str]] = {}

    def shape_of(self, name: str) -> RecordShape | None:
        """The shape of the records that a class gets; None if it is not of a process function."""
        return self._shapes.known((name,))

    def gives_values(self, record: RegisteredFunction) -> bool:
        """Whether groups of an aggregate function have had values in Spark's JVM."""
        return record.definition.is_aggregate and record.name.lower() in self._names

    def listed(
        self,
        record: RegisteredFunction,
        types: Sequence[DataType],
        shape: RecordShape | None = None,
    ) -> str | None:
        """See ``in_java.Listed``."""
        functions, given, calls = self._session.host.java, tuple(types), self._calls
        if functions is None or not calls.is_free(record):
            return None
        result = record.definition.result_type
        call = given if shape is None else RecordCall(given, shape, result)
        made = calls.class_of(record, call)
        if isinstance(made, JavaClass):
            # Spark is not asked again for each query.
            name = self._known.known((*record.identity, call))
            if name is not None and self._session.hidden.has(name, record):
                return self._session.hidden.keep(name, record)
        text = functions.text_of(given)
        if call != record.definition.declared_types:
            calls.note(record, text, call)
        if not isinstance(made, JavaClass):
            return None
        with self._lock:
            lists = lists_among(given)
            name = self._named(functions, record, shape, lists)
            identity = java_name(record, shape, lists)
            functions.add(identity, text, made)
            calls.belongs(record, made)
            if shape is not None:
                self._shapes.get((made.name,), lambda: shape)
            if not functions.compiles(identity, text, len(given)):
                return None
            self._known.get((*record.identity, call), lambda: name)
            return self._session.hidden.keep(name, record)

    def _named(
        self,
        functions: JavaFunctions,
        record: RegisteredFunction,
        shape: RecordShape | None,
        lists: tuple[DataType, ...],
    ) -> str:
        """The name in SQL of what gives the lists, which Spark knows from now on."""
        hidden = self._session.hidden
        name = f"_nu_rows_{record.name}_{java_name(record, shape, lists)[1:9]}"
        if hidden.has(name, record):
            return name
        functions.register(name, self._calls.described(record, {}, shape, lists))
        hidden.keep(name, record)
        names = self._names.setdefault(record.name.lower(), deque())
        names.append(name)
        if len(names) > MOST_VERSIONS:
            oldest = names.popleft()
            functions.unregister(oldest)
            hidden.discard(oldest, record)
        return name

    def serve(self, record: RegisteredFunction) -> None:
        """Has ``spark.sql`` take the rows of a table function, which it knows, from lists."""
        functions, calls = self._session.host.java, self._calls
        if functions is None or not calls.is_there:
            return
        with self._lock:
            if isinstance(calls.class_of(record), JavaClass | TypesMissing):
                classes = calls.by_count(record)
                in_python = self._session.planned(record, "table")
                functions.register(record.name, calls.described(record, classes), in_python)
