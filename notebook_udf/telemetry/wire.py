"""The side channel's wire format: records, their encoding, and the address of a channel.

Both ends import this module and nothing else of each other. A message is two frames: a header
of five bytes (magic and version) and a JSON document ``{"kind": ..., ...fields}``. JSON, because
nothing that arrives here may be able to run code; lone surrogates and NUL survive it.

What it leaves to others: sockets (``sender``, ``receiver``) and meaning (``store``).
"""

from __future__ import annotations

import base64
import dataclasses
import functools
import json
import os
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from types import UnionType
from typing import Any, ClassVar, Union, get_args, get_origin, get_type_hints

from notebook_udf.errors import FailedRow, Frame, ProtocolError

VERSION = 1
HEADER = b"NUDF" + bytes([VERSION])

# A record larger than this is a mistake or an attack; the receiving socket refuses it unread.
MAX_MESSAGE_BYTES = 8 * 1024 * 1024

# Set in a worker's environment: the folder that holds the channel's address and key.
CHANNEL_VARIABLE = "NOTEBOOK_UDF_CHANNEL"


@dataclass(frozen=True)
class TaskId:
    """One attempt at one partition of one stage, and the query it belongs to.

    ``query`` is Spark's SQL execution id ("" outside SQL), ``task_attempt`` Spark's TID, which
    is unique in an application.
    """

    query: str
    stage: int
    partition: int
    attempt: int
    task_attempt: int


@dataclass(frozen=True)
class FunctionTiming:
    """What one function cost in one bundle; nanoseconds."""

    function: str
    version: int
    rows_in: int
    rows_out: int
    decode_ns: int
    user_ns: int
    encode_ns: int
    errors: int = 0


@dataclass(frozen=True)
class MetricValue:
    """A user metric, accumulated since the task began.

    ``kind`` is ``counter``, ``gauge``, ``histogram`` or ``meter``; ``value`` is the state that
    ``notebook_udf.functions.metrics.merge`` understands.
    """

    function: str
    name: str
    kind: str
    value: Any


class Record:
    """Base of everything that travels on the side channel."""

    kind: ClassVar[str]


@dataclass(frozen=True)
class WorkerStarted(Record):
    """A worker process was forked and has found the channel."""

    kind: ClassVar[str] = "worker-started"
    pid: int
    host: str
    python: str
    time: float
    log_path: str


@dataclass(frozen=True)
class WorkerPulse(Record):
    """Sent about once a second while a worker lives, and whenever its state changes.

    ``cpu_seconds`` is user and system time since the fork, ``memory`` and ``peak_memory`` are
    resident bytes, ``memory_limit`` is 0 without a limit; ``row`` counts rows of the open
    bundle; ``lost_messages`` counts what the sender had to drop.
    """

    kind: ClassVar[str] = "worker-pulse"
    pid: int
    time: float
    state: str
    function: str
    bundle: int
    row: int
    memory: int
    peak_memory: int
    memory_limit: int
    cpu_seconds: float
    lost_messages: int


@dataclass(frozen=True)
class WorkerExited(Record):
    """The daemon reaped a worker. Exactly one of ``exit_code`` and ``signal`` is set."""

    kind: ClassVar[str] = "worker-exited"
    pid: int
    time: float
    exit_code: int | None
    signal: int | None
    requested: bool
    output: str


@dataclass(frozen=True)
class TaskStarted(Record):
    """A task of Spark's with functions of ours in it has begun."""

    kind: ClassVar[str] = "task-started"
    pid: int
    time: float
    task: TaskId
    functions: tuple[str, ...]


@dataclass(frozen=True)
class BundleDone(Record):
    """A bundle (one Arrow batch) went through.

    ``wait_ns`` is the time spent waiting for its rows, ``write_ns`` handing the result to the
    JVM. ``metrics`` holds the user metrics that changed, so that a lost message heals with the
    next one.
    """

    kind: ClassVar[str] = "bundle-done"
    pid: int
    time: float
    task: TaskId
    bundle: int
    rows_in: int
    rows_out: int
    bytes_in: int
    bytes_out: int
    wait_ns: int
    write_ns: int
    functions: tuple[FunctionTiming, ...]
    metrics: tuple[MetricValue, ...] = ()


@dataclass(frozen=True)
class BundlesDone(Record):
    """Bundles of one worker and task that ended shortly after each other, in order.

    A message each would cost short bundles more than they are worth knowing.
    """

    kind: ClassVar[str] = "bundles-done"
    bundles: tuple[BundleDone, ...]


@dataclass(frozen=True)
class TaskEnded(Record):
    """A task is over. ``outcome`` is ``done``, ``failed`` or ``stopped`` (cancel, LIMIT).

    The totals repeat what the bundles said, so that the kernel's sums are right even if
    messages in between were dropped.
    """

    kind: ClassVar[str] = "task-ended"
    pid: int
    time: float
    task: TaskId
    outcome: str
    bundles: int
    rows_in: int
    rows_out: int
    functions: tuple[FunctionTiming, ...]
    metrics: tuple[MetricValue, ...] = ()


@dataclass(frozen=True)
class LogLine:
    """One line a function wrote; ``row`` is -1 outside of a call."""

    sequence: int
    time: float
    level: str
    source: str
    function: str
    bundle: int
    row: int
    text: str


@dataclass(frozen=True)
class LogLines(Record):
    """Lines of one worker, in order. ``dropped`` counts those withheld since the last batch."""

    kind: ClassVar[str] = "log-lines"
    pid: int
    query: str
    lines: tuple[LogLine, ...]
    dropped: int = 0


@dataclass(frozen=True)
class CallFailed(Record):
    """A call failed. ``outcome`` is ``fail``, ``null`` or ``quarantine`` (the function's
    ``on_error``), ``error`` names the class of ``notebook_udf.errors`` the kernel is to raise,
    and ``extra`` holds that class's own attributes."""

    kind: ClassVar[str] = "call-failed"
    pid: int
    time: float
    task: TaskId
    outcome: str
    error: str
    failed: FailedRow
    extra: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class StackDump(Record):
    """The answer to ``Command("stacks")``: every thread's Python stack, as text."""

    kind: ClassVar[str] = "stack-dump"
    pid: int
    time: float
    text: str
    reason: str


@dataclass(frozen=True)
class QueryLeft(Record):
    """A worker has closed the instances it kept for a query; ``errors``: what they raised."""

    kind: ClassVar[str] = "query-left"
    pid: int
    time: float
    query: str
    instances: int
    errors: tuple[str, ...] = ()


@dataclass(frozen=True)
class Command(Record):
    """From the kernel to workers: ``stacks``, ``log-level``, ``end-query`` or ``drain-query``.

    ``pids`` empty means every worker. The last two are answered by ``QueryLeft``.
    """

    kind: ClassVar[str] = "command"
    name: str
    pids: tuple[int, ...] = ()
    argument: str = ""


_RECORDS: dict[str, type[Record]] = {
    record.kind: record
    for record in (
        WorkerStarted,
        WorkerPulse,
        WorkerExited,
        TaskStarted,
        BundleDone,
        BundlesDone,
        TaskEnded,
        LogLines,
        CallFailed,
        StackDump,
        QueryLeft,
        Command,
    )
}


# What JSON, the table of records and their constructors raise for a document that fits none.
_UNREADABLE = (ValueError, LookupError, TypeError, AttributeError, ArithmeticError, RecursionError)


def encode(record: Record) -> list[bytes]:
    """The frames of a message.

    A value inside an ``Any`` that JSON has no word for travels as its ``item()`` (NumPy scalars)
    or as its ``repr``.

    Raises
    ------
    ProtocolError
        If the record is larger than ``MAX_MESSAGE_BYTES`` or cannot be written as JSON.
    """
    try:
        body = _ENCODER.encode({"kind": record.kind, **vars(record)}).encode("ascii")
    except (TypeError, ValueError, RecursionError) as error:
        raise ProtocolError(f"a {record.kind} record that cannot be sent: {error}") from error
    if len(body) > MAX_MESSAGE_BYTES:
        raise ProtocolError(f"a {record.kind} record of {len(body):,} bytes is too large to send")
    return [HEADER, body]


def decode(frames: list[bytes]) -> Record:
    """The record in a message.

    Raises
    ------
    ProtocolError
        If the frames are not a message of this version: wrong magic, another version, JSON that
        does not parse, an unknown kind, fields missing, unknown or of the wrong type.
    """
    if len(frames) != 2 or frames[0][:4] != HEADER[:4]:
        raise ProtocolError("not a message of notebook-udf")
    if frames[0] != HEADER:
        raise ProtocolError(
            f"a message of wire version {frames[0][4:12].hex()}, this end speaks {VERSION}"
        )
    try:
        document = json.loads(frames[1])
        cls: Any = _RECORDS[document.pop("kind")]
        return _reader(cls)(document)  # type: ignore[no-any-return]
    except ProtocolError:
        raise
    except _UNREADABLE as error:
        raise ProtocolError(f"unreadable message: {error!r}") from error


def _plain(value: Any) -> Any:
    """What stands for a value that JSON cannot hold."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return vars(value)
    if isinstance(value, bytes):
        return base64.b64encode(value).decode("ascii")
    item = getattr(value, "item", None)
    plain = item() if callable(item) else value
    return plain if isinstance(plain, (int, float, str)) else repr(value)


# The C encoder walks a record's own dictionary and asks only for what is not JSON already: a
# copy made field by field takes longer than everything else ``send`` does.
_ENCODER = json.JSONEncoder(separators=(",", ":"), default=_plain)


@functools.cache
def _reader(hint: Any) -> Callable[[Any], Any]:
    """What turns a JSON value into a value of type ``hint``, or raises."""
    origin, arguments = get_origin(hint), get_args(hint)
    if hint is Any:
        return lambda value: value
    if origin is tuple and arguments[-1] is Ellipsis:
        item = _reader(arguments[0])
        return lambda value: tuple([item(each) for each in _listed(value)])
    if origin is tuple:
        items = [_reader(argument) for argument in arguments]
        return lambda value: tuple(
            [read(each) for read, each in zip(items, _listed(value), strict=True)]
        )
    if origin in (Union, UnionType):
        some = _reader(next(h for h in arguments if h is not type(None)))
        return lambda value: None if value is None else some(value)
    if dataclasses.is_dataclass(hint):
        return _dataclass_reader(hint)
    if hint is bytes:
        return lambda value: base64.b64decode(value, validate=True)
    expected = (float, int) if hint is float else (origin or hint,)

    def read(value: Any) -> Any:
        if type(value) not in expected:
            raise ProtocolError(f"expected {hint}, got {type(value).__name__}")
        return float(value) if hint is float else value

    return read


def _dataclass_reader(cls: Any) -> Callable[[Any], Any]:
    hints = get_type_hints(cls)
    readers = {f.name: _reader(hints[f.name]) for f in dataclasses.fields(cls)}

    def read(value: Any) -> Any:
        if type(value) is not dict:
            raise ProtocolError(f"expected {cls.__name__}, got {type(value).__name__}")
        try:
            return cls(**{name: readers[name](item) for name, item in value.items()})
        except KeyError as error:
            raise ProtocolError(f"unknown field {error} in {cls.__name__}") from error

    return read


def _listed(value: Any) -> list[Any]:
    if type(value) is not list:
        raise ProtocolError(f"expected a list, got {type(value).__name__}")
    return value


@dataclass(frozen=True)
class ChannelAddress:
    """Where a channel is and the keys that open it.

    ``events`` takes records from workers, ``commands`` hands commands to them. ``server_key`` is
    the kernel's public CURVE key, ``client_public`` and ``client_secret`` the pair every worker
    of the session uses; without it the kernel's sockets refuse the handshake.
    """

    events: str
    commands: str
    server_key: str
    client_public: str
    client_secret: str = field(repr=False)

    def write(self, folder: Path) -> Path:
        """Writes ``channel.json`` into ``folder``, readable by the owner from its creation on."""
        path = folder / "channel.json"
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w", encoding="ascii") as file:
            json.dump(dataclasses.asdict(self), file)
        return path

    @classmethod
    def read(cls, folder: Path) -> ChannelAddress:
        """Reads what ``write`` wrote.

        Raises
        ------
        ProtocolError
            If the file is missing or not an address.
        """
        path = folder / "channel.json"
        try:
            address = cls(**json.loads(path.read_text("ascii")))
            if not all(isinstance(value, str) for value in vars(address).values()):
                raise TypeError("every field is a text")
            return address
        except (OSError, ValueError, TypeError) as error:
            raise ProtocolError(f"no channel address in {path}: {error}") from error


__all__ = [
    "CHANNEL_VARIABLE",
    "HEADER",
    "MAX_MESSAGE_BYTES",
    "VERSION",
    "BundleDone",
    "BundlesDone",
    "CallFailed",
    "ChannelAddress",
    "Command",
    "FailedRow",
    "Frame",
    "FunctionTiming",
    "LogLine",
    "LogLines",
    "MetricValue",
    "QueryLeft",
    "Record",
    "StackDump",
    "TaskEnded",
    "TaskId",
    "TaskStarted",
    "WorkerExited",
    "WorkerPulse",
    "WorkerStarted",
    "decode",
    "encode",
]
