"""Scalar and table functions that run in Spark's own JVM.

A function whose types are not declared is translated for the types of its calls: Spark tells these
when it has analysed a query, and the next analysis finds the class.
"""

from __future__ import annotations

import json
import logging
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from pyspark.sql.types import DataType, StructType

from notebook_udf.compile.java.columns.shapes import is_nested
from notebook_udf.compile.java.java_class import JavaClass
from notebook_udf.compile.java.writing.terms import NotCompiled, TypesMissing
from notebook_udf.errors import DeclarationError, PlanningError
from notebook_udf.functions.kind_traits import PROCESS, TABLE
from notebook_udf.host.java_functions import JavaFunction
from notebook_udf.kernel.background import Background
from notebook_udf.kernel.java_counts import JavaCounts
from notebook_udf.kernel.java_descriptions import description, java_name, lists_among
from notebook_udf.kernel.java_failures import JavaFailures
from notebook_udf.kernel.java_library import JavaLibrary
from notebook_udf.kernel.java_lists import JavaLists
from notebook_udf.kernel.recent import Recent
from notebook_udf.kernel.spark_loggers import unlogged
from notebook_udf.planner.physical import in_java
from notebook_udf.planner.physical.group_value import GroupValue
from notebook_udf.planner.physical.in_java import Listed, RecordCall
from notebook_udf.specs.record_shape import RecordShape
from notebook_udf.telemetry.records import IN_JVM, CallFailed, Record, TaskEnded
from notebook_udf.types import ddl
from notebook_udf.worker.runtime.dependencies import Dependency

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from notebook_udf.kernel.notebook_session import Session
    from notebook_udf.registry import RegisteredFunction

_log = logging.getLogger(__name__)

# A call on columns is of a class that was written already; what fails is of a late one.
_MOST_CLASSES = 1000

Types = tuple[DataType, ...]
# Of a call: how many arguments of the declared types it gives, its types, or its records.
Given = int | Types | RecordCall


class JavaCalls:
    """The hook that has the session's functions in the JVM, by the names of their classes.

    The classes that all of them call come to Spark in the background: until they are there,
    functions run in Python.
    """

    def __init__(self, session: Session, lock: threading.RLock) -> None:
        self._session = session
        self._lock = lock
        self._library: JavaLibrary | None = None
        self._is_there = False
        # By name, by how many blocks a function is kept from the JVM.
        self._kept: Counter[str] = Counter()
        self._records: Recent[RegisteredFunction] = Recent(_MOST_CLASSES)
        self._failures = JavaFailures(
            session,
            lambda name: self._records.known((name,)),
            lambda name: self.lists.shape_of(name),
        )
        self._counts = JavaCounts(session, lambda name: self._records.known((name,)))
        self._classes: Recent[JavaClass | NotCompiled] = Recent(_MOST_CLASSES)
        # The types with which functions that declare none were called.
        self._called: Recent[dict[str, Types | RecordCall]] = Recent(_MOST_CLASSES)
        self.lists = JavaLists(session, self, lock)
        self._learning: Background | None = None
        self._end_subscription: Callable[[], None] = lambda: None

    def install(self) -> None:
        """Has what functions count in the JVM added to the session's metrics."""
        if self._session.host.java is not None:
            self._session.host.java.measure(self._counts.take)

    def uninstall(self) -> None:
        """Counts no more."""
        self._is_there = False
        self._end_subscription()
        self.cancel()
        if self._session.host.java is not None:
            self._session.host.java.end()

    def cancel(self) -> None:
        """Keeps errors of a Spark that is being stopped from being reported."""
        for each in (self._library, self._learning):
            if each is not None:
                each.cancel()

    def start(self) -> None:
        """Begins to bring the classes that functions call, where they can be brought."""
        functions = self._session.host.java
        if functions is not None:
            self._library = JavaLibrary(functions, self._session.folder / "java", self._arrived)
            self._library.start()
            self._end_subscription = self._session.store.subscribe(self._ran, (TaskEnded,))

    def wait(self, timeout: float | None = None) -> bool:
        """Waits until functions can run in the JVM; whether they can."""
        return self._library is not None and self._library.wait(timeout) and self._is_there

    @property
    def is_there(self) -> bool:
        """Whether functions can run in the JVM."""
        return self._is_there

    @property
    def listed(self) -> Listed:
        """Which calls give lists of rows."""
        return self.lists.listed

    def note(self, record: RegisteredFunction, calls: str, given: Types | RecordCall) -> None:
        """Notes a call of a function that declares no types, see ``called``."""
        with self._lock:
            self._called.get(record.identity, dict)[calls] = given

    def belongs(self, record: RegisteredFunction, made: JavaClass) -> None:
        """Notes the function that a class is of, for what Java tells of it."""
        self._records.get((made.name,), lambda: record)

    def runs(self, record: RegisteredFunction, types: Types = ()) -> bool:
        """Whether calls of the function that give each parameter by its place run in the JVM.

        ``types`` are those of the arguments, for a function that declares none.
        """
        return self.is_free(record) and self.why_not(record, types) is None

    def runs_always(self, record: RegisteredFunction) -> bool:
        """Whether that is so of all calls, whatever arguments they give.

        It is asked of every function for each query: what is cheap is asked first. Of a function
        that gives rows, Spark's own name in a query is that of the function in Python.
        """
        return not in_java.gives_rows(record) and self._has_all_classes(record)

    def _has_all_classes(self, record: RegisteredFunction) -> bool:
        definition = record.definition
        least, most = definition.arity[0], len(definition.parameters)
        declared = definition.declared_types
        # Arrays and rows may hold something else than is declared.
        if least == 0 or len(declared) < most or any(map(is_nested, declared)):
            return False
        if not self.is_free(record) or len(self.by_count(record)) <= most - least:
            return False
        return self._refused(record, str(most)) is None

    def may_run(self, record: RegisteredFunction) -> bool:
        """Whether calls run in the JVM, or may do so by the types of their arguments."""
        return self.is_free(record) and isinstance(self.why_not(record), TypesMissing | None)

    def is_free(self, record: RegisteredFunction) -> bool:
        """Whether nothing keeps functions of this name in workers now."""
        return self._is_there and not self._kept[record.name]

    def is_worth_an_attempt(self, record: RegisteredFunction) -> bool:
        """Whether calls of a function that may run in the JVM by their types do so, or none of its
        calls are known.

        Those that are planned with workers tell their types too, so that more are known later.
        """
        called = self.called(record)
        return not called or any(why is None for _, why in called)

    def ran(self, record: RegisteredFunction) -> list[str]:
        """The types with which a function that declares none was called and ran in the JVM."""
        return [text for text, why in self.called(record) if why is None]

    def called(self, record: RegisteredFunction) -> list[tuple[str, NotCompiled | None]]:
        """The types with which a function that declares none was called, and what keeps these
        calls from running in the JVM."""
        found = []
        for each in (self._called.known(record.identity) or {}).values():
            types = each.types if isinstance(each, RecordCall) else each
            found.append((", ".join(map(ddl, types)), self.why_not(record, each)))
        return found

    def has_class(self, record: RegisteredFunction) -> bool:
        """Whether calls of the function run in the JVM: all, or those of some types."""
        return self.runs(record) or bool(self.ran(record))

    @contextmanager
    def in_workers(self, records: Iterable[RegisteredFunction]) -> Iterator[list[str]]:
        """In the block, what is planned calls functions in Python workers; when it has ended, the
        list has the names of those that run in the JVM otherwise."""
        kept, told = list(records), list[str]()
        names = [record.name for record in kept]
        with self._lock:
            self._kept.update(names)
            self._hold(kept, begins=True)
        try:
            yield told
        finally:
            with self._lock:
                self._kept.subtract(names)
                self._hold(kept, begins=False)
            # Asked now: before a session's first query nothing runs in the JVM yet.
            told += [r.name for r in kept if self.lists.gives_values(r) or self.has_class(r)]

    def _hold(self, records: Iterable[RegisteredFunction], *, begins: bool) -> None:
        functions = self._session.host.java
        if functions is not None:
            for record in records:
                functions.hold(java_name(record), begins=begins)

    def attempted(
        self, records: Sequence[RegisteredFunction], plan: Callable[[], DataFrame]
    ) -> DataFrame | None:
        """The rows of a query whose calls of functions that declare no types all run in the JVM;
        None if some do not.

        ``plan`` leaves such calls to Spark. An error of its own is none here: what plans the query
        otherwise raises it again.
        """
        functions = self._session.host.java
        if functions is None:
            return None
        rows = _unless_it_raises(plan)
        names = [record.name for record in records]
        if rows is not None and not functions.is_in_python(rows, names):
            return rows
        learned = [self.learn(record) for record in records]
        if not any(learned):
            return None
        rows = _unless_it_raises(plan)
        return None if rows is None or functions.is_in_python(rows, names) else rows

    def learn(self, record: RegisteredFunction) -> bool:
        """Has the function in the JVM for the types with which it was called in Python; whether
        there are such."""
        functions = self._session.host.java
        if functions is None:
            return False
        identity, found = java_name(record), False
        for text in functions.wanted(identity):
            types = _types(text)
            with self._lock:
                self._called.get(record.identity, dict)[text] = types
                made = self.class_of(record, types)
                if isinstance(made, JavaClass):
                    self._add(record, text, made)
                    found = True
        return found

    def _add(self, record: RegisteredFunction, types: str, made: JavaClass) -> None:
        functions = self._session.host.java
        if functions is not None:
            functions.add(java_name(record), types, made, record.definition.options.self_check)
            self._records.get((made.name,), lambda: record)

    def why_not(
        self, record: RegisteredFunction, types: Types | RecordCall = ()
    ) -> NotCompiled | None:
        """What keeps the function from running in the JVM; None if nothing of it does.

        A ``TypesMissing`` if that depends on the types of a call.
        """
        if self._session.host.java is None:
            return NotCompiled("no class can be brought there through Spark Connect")
        if not types and (classes := self.by_count(record)):
            return self._refused(record, str(max(classes)))
        made = self.class_of(record, types)
        if isinstance(made, NotCompiled):
            return made
        called = self._called.known(record.identity) or {}
        known = next((text for text, each in called.items() if each == types), "")
        if isinstance(types, RecordCall):
            # Java's compiler is asked when it is called.
            return None
        return self._refused(record, known or str(len(types)), types)

    def _refused(
        self, record: RegisteredFunction, calls: str, types: Types = ()
    ) -> NotCompiled | None:
        """What Java's compiler has against the class for such calls, see ``JavaFunctions.add``."""
        functions = self._session.host.java
        if functions is None:
            return None
        names = dict.fromkeys([java_name(record), java_name(record, None, lists_among(types))])
        failure = next(filter(None, (functions.failure(name, calls) for name in names)), "")
        return NotCompiled(f"its compiler says {failure}; please report this") if failure else None

    def register(self, record: RegisteredFunction, name: str) -> bool:
        """Makes the function known to Spark SQL under a name; whether it may run in the JVM."""
        with self._lock:
            return self._is_there and self._registered(record, name)

    def class_name(self, record: RegisteredFunction) -> str:
        """What Java calls the function; "" for one that does not run there."""
        made = self.class_of(record)
        return made.name if isinstance(made, JavaClass) else ""

    def failed(self, text: str) -> CallFailed | DeclarationError | PlanningError | None:
        """See ``JavaFailures.told``."""
        return self._failures.told(text)

    def _arrived(self) -> None:
        """Has the functions run in the JVM that were registered before that was possible."""
        with self._lock:
            functions = list(self._session.functions.values())
            for record in functions:
                self._registered(record, record.name)
            self._is_there = True
            for record in functions:
                if record.definition.traits == TABLE:
                    self.lists.serve(record)

    def _registered(self, record: RegisteredFunction, name: str) -> bool:
        functions, made = self._session.host.java, self.class_of(record)
        by_types = isinstance(made, TypesMissing)
        if functions is None or (isinstance(made, NotCompiled) and not by_types):
            return False
        if in_java.gives_rows(record):
            return False
        functions.register(name, self.described(record, self.by_count(record)))
        for text, types in (self._called.known(record.identity) or {}).items():
            known = self.class_of(record, types)
            if isinstance(known, JavaClass):
                self._add(record, text, known)
        return True

    def described(
        self,
        record: RegisteredFunction,
        classes: Mapping[int, JavaClass],
        shape: RecordShape | None = None,
        lists: Types = (),
    ) -> JavaFunction:
        """What Spark is to know of a function, whose calls are noted to be of it."""
        for each in (java_name(record, shape, lists), *(known.name for known in classes.values())):
            self._records.get((each,), lambda: record)
        asked = in_java.gives_rows(record) or isinstance(record, GroupValue)
        in_python = None if asked else self._session.planned(record)
        return description(record, classes, in_python, shape, lists)

    def by_count(self, record: RegisteredFunction) -> dict[int, JavaClass]:
        """The classes for calls that give so many parameters, of those whose types are declared."""
        made = {n: self.class_for(record, n) for n in _counts(record)}
        return {n: each for n, each in made.items() if isinstance(each, JavaClass)}

    def class_of(
        self, record: RegisteredFunction, types: Types | RecordCall = ()
    ) -> JavaClass | NotCompiled:
        """The class for a call of these types; without them that for most arguments."""
        if not types and (classes := self.by_count(record)):
            return classes[max(classes)]
        declared = record.definition.declared_types
        as_declared = types in ((), declared)
        return self.class_for(record, len(declared) if as_declared else types)

    def class_for(self, record: RegisteredFunction, calls: Given) -> JavaClass | NotCompiled:
        """The class for such calls.

        A number is found again in a tenth of the time: types are compared by their texts.
        """
        with self._lock:
            made = self._classes.get((*record.identity, calls), lambda: _translated(record, calls))
        if isinstance(made, NotCompiled):
            return made
        if (missing := self._missing(made)) is not None:
            return NotCompiled(
                f"{missing} of the C library: in local mode and by Java 21 Spark can call it with "
                f"Python's answers"
            )
        functions = self._session.host.java
        if made.has_zone and functions is not None and not functions.has_own_zone:
            return NotCompiled(
                "a TIMESTAMP, as workers may have another time zone than this process"
            )
        for each in self._session.dependencies:
            if any(_is_of(file, each) for file in made.files):
                # Workers go by what the file says now.
                return NotCompiled(f"it uses {each.name}, which may change")
        return made

    def _missing(self, made: JavaClass) -> str | None:
        """A function that the class calls and Java has not; unknown until it can be asked."""
        functions = self._session.host.java
        if functions is None or self._library is None or not self._library.has_loaded:
            return None
        return next((name for name in sorted(made.libm) if not functions.has_libm(name)), None)

    def _ran(self, ended: Record) -> None:
        """Learns the types of calls that ran in a worker: of those that ``spark.sql`` and columns
        make, which nobody attempts."""
        if not isinstance(ended, TaskEnded) or ended.pid == IN_JVM:
            return
        known = (self._session.functions.get(each.function) for each in ended.functions)
        records = [record for record in known if record is not None and self._is_open(record)]
        if not records:
            return
        if self._learning is None or self._learning.wait(0):
            self._learning = Background(
                lambda: [self.learn(record) for record in records],
                name="notebook-udf-java-types",
                log=_log,
                failed="functions without declared types stay in Python workers",
            )
            self._learning.start()

    def _is_open(self, record: RegisteredFunction) -> bool:
        """Whether calls may tell types that have no class yet; records tell theirs as they are
        planned."""
        by_call = record.definition.traits != PROCESS and self.may_run(record)
        return by_call and not self._has_all_classes(record)


def _counts(record: RegisteredFunction) -> range:
    """How many parameters calls may give, of those whose types are declared."""
    definition = record.definition
    return range(max(definition.arity[0], 1), len(definition.declared_types) + 1)


def _types(text: str) -> Types:
    """Types from a list in JSON."""
    fields = [
        {"name": str(place), "type": each, "nullable": True, "metadata": {}}
        for place, each in enumerate(json.loads(text))
    ]
    return tuple(field.dataType for field in StructType.fromJson({"fields": fields}).fields)


def _is_of(file: str, dependency: Dependency) -> bool:
    places = [Path(each) for each in (dependency.source, dependency.folder) if each]
    return any(Path(file).is_relative_to(place) for place in places)


def _unless_it_raises(plan: Callable[[], DataFrame]) -> DataFrame | None:
    try:
        # What plans the query otherwise raises it again, and a user's handler hears it then.
        with unlogged():
            return plan()
    except Exception as error:
        _log.debug("planned with workers instead: %s", error)
        return None


def _translated(record: RegisteredFunction, given: Given) -> JavaClass | NotCompiled:
    types = record.definition.declared_types[:given] if isinstance(given, int) else given
    try:
        if isinstance(types, RecordCall):
            return in_java.process_class(record, types)
        if record.definition.traits == PROCESS:
            return in_java.process_class(record)
        return in_java.java_class(record, types)
    except NotCompiled as why:
        return why
    except Exception as fault:
        # Of ours: the function runs in Python all the same, and explain() tells of it.
        return NotCompiled(
            f"a fault of notebook-udf ({type(fault).__name__}: {fault}); please report it"
        )
