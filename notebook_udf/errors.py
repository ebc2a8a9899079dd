"""The error tree: every exception this package raises on purpose, drawn once.

::

    NotebookUdfError
    ├── DeclarationError           a function or session declared in a way that cannot work
    │   ├── TypeDeclarationError   a type that is missing, unknown or contradictory
    │   ├── CaptureError           a closure over something that cannot travel to a worker
    │   └── NameTakenError         a name that belongs to one of Spark's built-ins
    ├── SessionError               Spark, Java or the session is missing or not as needed
    ├── PlanningError              a call that cannot become a Spark plan
    ├── QueryError                 Spark's own error about a query, told briefly
    ├── WorkerError                a worker, not the user's code, is at fault
    │   ├── WorkerLost             the process ended: exit code, signal, last output
    │   ├── WorkerOutOfMemory      it passed its memory limit
    │   └── FunctionTimeout        one call took longer than the function's time-out
    ├── UserFunctionError          the user's code raised
    │   └── ResultError            it returned a value its declared type cannot hold
    └── ProtocolError              two ends of the side channel do not understand each other
        ├── VersionMismatch        driver and worker run different versions
        └── AuthenticationError    a peer without the session's key

``DeclarationError`` is a ``ValueError`` and ``TypeDeclarationError`` a ``TypeError`` as well, as
what Python and PyFlink raise for a declaration that cannot work.

A message's first line says what happened, to which function and value, and is followed by the
next step. How an error looks on a screen is the business of ``notebook_udf.widgets.card``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property


@dataclass(frozen=True)
class Place:
    """``text[start:end]``: what an error is about, in a query or in the code of a cell."""

    text: str
    start: int
    end: int


class NotebookUdfError(Exception):
    """Base of every error raised by this package.

    Attributes
    ----------
    place
        What it is about in the query that was typed, where that is known.
    """

    place: Place | None = None


class DeclarationError(NotebookUdfError, ValueError):
    """A function, option or session that is declared in a way that cannot work."""


class TypeDeclarationError(DeclarationError, TypeError):
    """A type that is missing, unknown, or contradicts another declaration."""


class CaptureError(DeclarationError):
    """A function refers to a variable whose value cannot travel to a worker."""


class NameTakenError(DeclarationError):
    """A function is named like one of Spark's built-ins and ``replace=True`` was not given."""


class SessionError(NotebookUdfError):
    """Spark, Java or the session is missing, stopped or not as needed."""


class PlanningError(NotebookUdfError):
    """A call of a registered function that cannot be turned into a Spark plan."""


@dataclass(frozen=True)
class Mistake:
    """What a person needs of Spark's error about a query.

    Attributes
    ----------
    headline
        What is wrong, in a line.
    meant
        ``did you mean MyMedian?``; "" where no name is like it.
    advice
        What Spark advises; may be "".
    condition
        Spark's name and SQLSTATE of such errors; may be "".
    place
        What it is about.
    text
        All of that, for a terminal.
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
    """Spark's own error about a query, or a call on a DataFrame, that it cannot make sense of.

    It is of Spark's class as well (``AnalysisException``, ``ParseException`` and so on), with that
    one's text and methods; a notebook shows ``mistake`` instead.
    """

    _tell: Callable[[QueryError], Mistake]

    @cached_property
    def mistake(self) -> Mistake:
        """What is wrong, where, and the nearest name."""
        return self._tell(self)

    @cached_property
    def __notes__(self) -> list[str]:  # type: ignore[override]
        # Python itself prints them below a traceback.
        return [self.mistake.meant] if self.mistake.meant else []

    @property
    def added(self) -> list[str]:
        """Notes that were added to the error, which ``mistake`` does not have."""
        return [note for note in self.__notes__ if note != self.mistake.meant]

    def _render_traceback_(self) -> list[str]:
        # IPython asks for this: without it, it prints PySpark's frames.
        return [f"{type(self).__name__}: {self.mistake.text}", *self.added]


class ProtocolError(NotebookUdfError):
    """A message of the side channel that this version cannot read."""


class VersionMismatch(ProtocolError):
    """Driver and worker run versions of Python or of this package that do not fit."""


class AuthenticationError(ProtocolError):
    """A peer of the side channel that does not hold the session's key."""


@dataclass(frozen=True)
class Frame:
    """One line of a traceback: where it is and, once known, what the line says."""

    file: str
    line: int
    name: str
    text: str = ""


@dataclass(frozen=True)
class FailedRow:
    """What is known of a call that failed, as the worker saw it.

    Attributes
    ----------
    function, version
        The registered function and its version.
    error_id
        Names this failure in the message Spark carries and in the side channel.
    exception, message
        Class name and text of what was raised.
    frames
        Traceback from the user's first line on, outermost first.
    arguments
        Parameter name and shortened ``repr`` of each argument.
    row, rows
        Which row of its bundle it is, counted from 1, and the bundle's length; ``row`` is -1
        when no single row is to blame (``open``, ``close``, a whole batch).
    bundle, partition, attempt, stage, query
        Where in the run it happened. ``query`` is Spark's SQL execution id.
    worker
        Process id of the worker.
    pickled_arguments
        The arguments, pickled, for replay; empty if they were too large or could not be pickled.
    group
        Name and shortened ``repr`` of each key of the group an aggregate was at.
    method
        Which of an aggregate's methods was called with the arguments; "" for other functions.
    chain
        Where the function stands in a chain of process functions, in words; "" for others.
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
    def position(self) -> str:
        """Where the row stands, in words."""
        parts = [f"partition {self.partition}", f"worker {self.worker}"]
        if self.row >= 0:
            parts.insert(0, f"row {self.row:,} of {self.rows:,} in bundle {self.bundle}")
        if self.group:
            parts.insert(0, f"group {', '.join(f'{name} = {value}' for name, value in self.group)}")
        if self.chain:
            parts.insert(0, self.chain)
        return ", ".join(parts)


class RemoteError(NotebookUdfError):
    """Something that happened in a worker, told in the kernel.

    Attributes
    ----------
    failed
        The call that failed, or None if the worker could not say.
    jvm_stack
        Spark's own account, folded away.
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


class WorkerError(RemoteError):
    """A worker, rather than the function's logic, is at fault.

    Attributes
    ----------
    function
        The function that was running, or an empty string.
    worker
        Process id.
    output
        The last lines the worker wrote.
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
    """A worker process ended while it held rows.

    Attributes
    ----------
    exit_code
        What it ended with, or None if a signal ended it.
    signal
        The signal's number, or None.
    """

    exit_code: int | None = None
    signal: int | None = None


class WorkerOutOfMemory(WorkerError):
    """A worker passed the memory limit of the session or of the function.

    Attributes
    ----------
    limit, peak
        Bytes.
    """

    limit: int = 0
    peak: int = 0


class FunctionTimeout(WorkerError):
    """One call of a function took longer than the function's ``timeout``, or a worker gave no rows
    for longer than Spark waits for any (``spark.sql.execution.pyspark.udf.idleTimeoutSeconds``).

    Attributes
    ----------
    timeout
        Seconds; 0.0 if they are not known.
    stack
        Where the worker was stuck; "" if it is not known.
    """

    timeout: float = 0.0
    stack: str = ""
