"""The tree of errors: every exception that this package raises on purpose.

::

    NotebookUdfError
    ├── DeclarationError           a function or session declared in a way that cannot work
    │   ├── TypeDeclarationError   a type that is missing, unknown or contradictory
    │   ├── CaptureError           a closure over something that cannot be sent to a worker
    │   └── NameTakenError         a name that belongs to one of Spark's built-ins
    ├── SessionError               Spark, Java or the session is missing or not as needed
    ├── PlanningError              a call that cannot become a Spark plan
    ├── QueryError                 Spark's own error about a query, told briefly
    ├── WorkerError                a worker, not the user's code, is at fault
    │   ├── WorkerLost             the process ended: exit code, signal, last output
    │   ├── WorkerOutOfMemory      it passed its memory limit
    │   └── FunctionTimeout        one call took longer than the function's time-out
    ├── SelfCheckFailed            a function answered otherwise than plain Python
    ├── UserFunctionError          the user's code raised
    │   └── ResultError            it returned a value its declared type cannot hold
    └── ProtocolError              two ends of the side channel do not understand each other
        ├── VersionMismatch        driver and worker run different versions
        └── AuthenticationError    a peer without the session's key

``DeclarationError`` is a ``ValueError`` and ``TypeDeclarationError`` a ``TypeError`` as well, as
what Python and PyFlink raise for a declaration that cannot work.

A message's first line says what happened, to which function and value, and is followed by the
next step. ``notebook_udf.widgets.card`` shows errors on a screen.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any

from notebook_udf.sanitize import plain


@dataclass(frozen=True)
class Place:
    """The part ``text[start:end]`` of a query, or of a cell's code, that an error is about."""

    text: str
    start: int
    end: int


class NotebookUdfError(Exception):
    """Base of every error raised by this package.

    Attributes
    ----------
    place
        The part of the user's query that it is about; None if that is not known.
    """

    place: Place | None = None

    def __init__(self, *args: object) -> None:
        # Values of rows stand in texts of errors, and terminals obey some of their characters.
        super().__init__(*(plain(each) if isinstance(each, str) else each for each in args))


class DeclarationError(NotebookUdfError, ValueError):
    """A function, option or session is declared in a way that cannot work."""


class TypeDeclarationError(DeclarationError, TypeError):
    """A type is missing, unknown, or contradicts another declaration."""


class CaptureError(DeclarationError):
    """A function refers to a variable whose value cannot be sent to a worker."""


class NameTakenError(DeclarationError):
    """A function has the name of one of Spark's built-ins, and ``replace=True`` was not given."""


class SessionError(NotebookUdfError):
    """Spark, Java or the session is missing, stopped or not as needed."""


class PlanningError(NotebookUdfError):
    """A call of a registered function cannot be turned into a Spark plan."""


@dataclass(frozen=True)
class Mistake:
    """Spark's error about a query, reduced to what a user needs.

    Attributes
    ----------
    headline
        What is wrong, in a line.
    meant
        ``did you mean MyMedian?``; "" where no name is similar.
    advice
        Spark's advice; may be "".
    condition
        Spark's error condition and SQLSTATE; may be "".
    place
        The part of the query that it is about.
    text
        All of that as text, for a terminal.
    account
        Spark's whole text, with its plan, and the JVM's stack.
    """

    headline: str
    meant: str = ""
    advice: str = ""
    condition: str = ""
    place: Place | None = None
    text: str = ""
    account: str = ""


class QueryError(NotebookUdfError):
    """Spark's own error about a query, or a call on a DataFrame, that it cannot parse or analyse.

    It is also an instance of Spark's class (``AnalysisException``, ``ParseException`` and so on),
    with its text and methods; a notebook shows ``mistake`` instead.
    """

    _tell: Callable[[QueryError], Mistake]

    @cached_property
    def mistake(self) -> Mistake:
        """The error reduced to what a user needs: what is wrong, where, and the nearest name."""
        return self._tell(self)

    @cached_property
    def __notes__(self) -> list[str]:  # type: ignore[override]
        # Python itself prints them below a traceback.
        return [self.mistake.meant] if self.mistake.meant else []

    @property
    def added(self) -> list[str]:
        """Notes that were added to the error and are not in ``mistake``."""
        return [note for note in self.__notes__ if note != self.mistake.meant]

    def __str__(self) -> str:
        return plain(super().__str__())

    def _render_traceback_(self) -> list[str]:
        # IPython asks for this: without it, it prints PySpark's frames.
        return [f"{type(self).__name__}: {self.mistake.text}", *self.added]


class ProtocolError(NotebookUdfError):
    """A message of the side channel cannot be read by this version."""


class VersionMismatch(ProtocolError):
    """Driver and worker run incompatible versions of Python or of this package."""


class AuthenticationError(ProtocolError):
    """A peer of the side channel does not hold the session's key."""


@dataclass(frozen=True)
class Frame:
    """One frame of a traceback: its position and, once known, the text of its line."""

    file: str
    line: int
    name: str
    text: str = ""


@dataclass(frozen=True)
class FailedRow:
    """A failed call, as the worker reported it.

    Attributes
    ----------
    function, version
        The registered function and its version.
    error_id
        Identifies this failure in Spark's error message and on the side channel.
    exception, message
        Class name and text of the exception.
    frames
        Traceback from the user's first line on, outermost first.
    arguments
        Parameter name and shortened ``repr`` of each argument.
    row, rows
        Which row of its bundle it is, counted from 1, and the bundle's length; ``row`` is -1
        when no single row is to blame (``open``, ``close``, a whole batch). In Spark's JVM a task
        counts as one bundle, whose length is not known (0).
    bundle, partition, attempt, stage, query
        The position in the run. ``query`` is Spark's SQL execution id.
    worker
        Process id of the worker.
    pickled_arguments
        The arguments, pickled, for replay; empty if they were too large or could not be pickled.
    group
        Name and shortened ``repr`` of each key of an aggregate's current group.
    method
        The method of an aggregate that was called with the arguments; "" for other functions.
    chain
        The function's position in a chain of process functions, in words; "" for others.
    """

    function: str
    version: int
    error_id: str
    exception: str
    message: str
    frames: tuple[Frame, ...] = ()
    arguments: tuple[tuple[str, str], ...] = ()
    row: int = -1
    rows: int = 0
    bundle: int = 0
    partition: int = 0
    attempt: int = 0
    stage: int = 0
    query: str = ""
    worker: int = 0
    pickled_arguments: bytes = field(default=b"", repr=False)
    group: tuple[tuple[str, str], ...] = ()
    method: str = ""
    chain: str = ""

    @property
    def headline(self) -> str:
        """What happened, naming the function."""
        if self.exception == "BadResult":
            return f"{self.function} {self.message}"
        raised = globals().get(self.exception)
        if isinstance(raised, type) and issubclass(raised, NotebookUdfError):
            # Errors of this package name the function themselves.
            return self.message
        return f"{self.function}: {self.exception}: {self.message}"

    @property
    def has_position(self) -> bool:
        """Whether the row's position in the run is known."""
        return bool(self.worker) or self.row > 0

    @property
    def position(self) -> str:
        """The position of the row in the run, in words."""
        where = f"worker {self.worker}" if self.worker else "Spark's JVM"
        parts = [f"partition {self.partition}", where]
        if self.row >= 0 and self.worker:
            parts.insert(0, f"row {self.row:,} of {self.rows:,} in bundle {self.bundle}")
        elif self.row > 0:
            parts.insert(0, f"row {self.row:,} of its task")
        if self.group:
            parts.insert(0, f"group {', '.join(f'{name} = {value}' for name, value in self.group)}")
        if self.chain:
            parts.insert(0, self.chain)
        return ", ".join(parts)


class RemoteError(NotebookUdfError):
    """Base of errors that happened in a worker and are raised in the kernel.

    Attributes
    ----------
    failed
        The call that failed; None if the worker could not report it.
    jvm_stack
        Spark's own error text, which the card folds.
    """

    def __init__(
        self, message: str, *, failed: FailedRow | None = None, jvm_stack: str = ""
    ) -> None:
        super().__init__(message)
        self.failed = failed
        self.jvm_stack = jvm_stack

    def _render_traceback_(self) -> list[str]:
        # IPython asks for this: without it, it prints the py4j frames between the user's
        # call and the JVM, which say nothing about the user's function.
        return str(self).splitlines()


class UserFunctionError(RemoteError):
    """The user's function raised; carries the row, the line and the worker."""


class ResultError(UserFunctionError):
    """The user's function returned a value that its declared result type cannot hold."""


class SelfCheckFailed(RemoteError):
    """A function with ``self_check`` answered otherwise, as Arrow kernels or in Spark's JVM, than
    in plain Python: a fault of this package, which ``vectorise=False`` or ``compile=False`` avoids.
    """


class WorkerError(RemoteError):
    """A worker, rather than the function's logic, is at fault.

    Attributes
    ----------
    function
        The function that was running; "" if there was none.
    worker
        The worker's process id.
    output
        The last lines that the worker wrote.
    """

    def __init__(
        self,
        message: str,
        *,
        function: str = "",
        worker: int = 0,
        output: str = "",
        failed: FailedRow | None = None,
        jvm_stack: str = "",
    ) -> None:
        super().__init__(message, failed=failed, jvm_stack=jvm_stack)
        self.function = function
        self.worker = worker
        self.output = output


class WorkerLost(WorkerError):
    """A worker ended while it held rows.

    Attributes
    ----------
    exit_code
        Its exit code; None if a signal ended it.
    signal
        The number of the signal that ended it, or None.
    """

    exit_code: int | None = None
    signal: int | None = None


class WorkerOutOfMemory(WorkerError):
    """A worker exceeded the memory limit of the session or of the function, or it held the most
    when the machine, or its container, had a twentieth of its memory left.

    Attributes
    ----------
    limit, peak
        The limit (else the machine's memory) and the most memory used, in bytes.
    """

    limit: int = 0
    peak: int = 0


class FunctionTimeout(WorkerError):
    """One call of a function took longer than the function's ``timeout``, or a worker sent no rows
    within Spark's limit (``spark.sql.execution.pyspark.udf.idleTimeoutSeconds``).

    Attributes
    ----------
    timeout
        The time limit in seconds; 0.0 if it is not known.
    stack
        The Python stack of the stuck worker; "" if it is not known.
    """

    timeout: float = 0.0
    stack: str = ""


@lru_cache(maxsize=64)
def named_like(like: Any, *bases: Any) -> Any:
    """A class of exceptions derived from some, under the name of one of them: what is Spark's
    exception and one of this package too looks like Spark's."""
    body = {
        "__module__": like.__module__,
        "__qualname__": like.__qualname__,
        "__doc__": like.__doc__,
    }
    return type(like.__name__, bases, body)
