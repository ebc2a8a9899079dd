"""The side channel's wire format: the encoding of records, and the address of a channel.

The two ends share this module and do not import each other. A message is two frames: a header
of five bytes (magic and version) and a JSON document ``{"kind": ..., ...fields}``. JSON, because
no message may be able to run code; lone surrogates and NUL survive it.

What it leaves to others: sockets (``sender``, ``receiver``) and meaning (``store``).
"""

from __future__ import annotations

import base64
import dataclasses
import functools
import json
import math
import os
import platform
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from types import UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

from notebook_udf.errors import ProtocolError
from notebook_udf.telemetry.kernel_commands import Command, Leaving, Listening
from notebook_udf.telemetry.records import (
    BundleSampled,
    BundlesDone,
    CallFailed,
    LogLines,
    QueryLeft,
    Record,
    StackDump,
    StackSamples,
    TaskEnded,
    TaskStarted,
    WorkerExited,
    WorkerPulse,
    WorkerStarted,
)

VERSION = 1
HEADER = b"NUDF" + bytes([VERSION])

# A record larger than this is a mistake or an attack; the receiving socket refuses it unread.
MAX_MESSAGE_BYTES = 8 * 1024 * 1024

# Set in a worker's environment: the folder that holds the channel's address and key, and, where
# workers may be on other machines, the address itself. The environment travels with functions:
# it is in no event log, on no page of Spark's and in no command line.
CHANNEL_VARIABLE = "NOTEBOOK_UDF_CHANNEL"
ADDRESS_VARIABLE = "NOTEBOOK_UDF_CHANNEL_ADDRESS"
# Where variables cannot be sent with functions: a conf, with all of them as JSON. Spark does not
# show the values of names that end so.
ENVIRONMENT_CONF = "spark.notebookUdf.environment.token"


# Every kind that may be sent.
RECORDS: dict[str, type[Record]] = {
    record.kind: record
    for record in (
        WorkerStarted,
        WorkerPulse,
        WorkerExited,
        TaskStarted,
        BundlesDone,
        BundleSampled,
        TaskEnded,
        LogLines,
        CallFailed,
        StackDump,
        StackSamples,
        QueryLeft,
        Leaving,
        Listening,
        Command,
    )
}


def connection_name() -> bytes:
    """A name for a new connection of this process, by which the kernel knows its machine."""
    return f"{platform.node()}/{os.getpid()}/{uuid.uuid4().hex}".encode()


def host_of(connection: bytes) -> str:
    """The machine of a connection, by its name."""
    return connection.partition(b"/")[0].decode("utf-8", "replace")


# Whole numbers are as tables hold them; the others are seconds, until the end of the year 9999.
_BOUNDS: dict[type, tuple[int, int]] = {int: (-(2**63), 2**63 - 1), float: (0, 253_402_300_799)}

# What JSON, the table of records and their constructors raise for a document that is no record.
_UNREADABLE = (ValueError, LookupError, TypeError, AttributeError, ArithmeticError, RecursionError)


def encode(record: Record) -> list[bytes]:
    """Encodes a record as the frames of a message.

    A value inside an ``Any`` that JSON has no form for is sent as its ``item()`` (NumPy scalars)
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
    """Decodes the record of a message.

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
        cls: Any = RECORDS[document.pop("kind")]
        return _reader(cls)(document)  # type: ignore[no-any-return]
    except ProtocolError:
        raise
    except _UNREADABLE as error:
        raise ProtocolError(f"unreadable message: {error!r}") from error


def _plain(value: Any) -> Any:
    """Replaces a value that JSON has no form for."""
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
    """The converter of JSON values to values of type ``hint``; it raises on others."""
    origin, arguments = get_origin(hint), get_args(hint)
    if hint is Any:
        return lambda value: value
    if origin is tuple and arguments[0] in (int, float) and arguments[-1] is Ellipsis:
        return functools.partial(_numbers, arguments[0])
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
    if hint in (int, float):
        return lambda value: _numbers(hint, [value])[0]
    expected = origin or hint

    def read(value: Any) -> Any:
        if type(value) is not expected:
            raise ProtocolError(f"expected {hint}, got {type(value).__name__}")
        return value

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


def _numbers(kind: type, value: Any) -> tuple[Any, ...]:
    # Columns: checked as a whole.
    met = set(map(type, _listed(value)))
    if not met <= ({int, float} if kind is float else {kind}):
        raise ProtocolError(f"expected {kind.__name__}, got {sorted(t.__name__ for t in met)}")
    least, most = _BOUNDS[kind]
    # A sum is not finite if one of its terms is not.
    if value and not (least <= min(value) and max(value) <= most and math.isfinite(sum(value))):
        raise ProtocolError(f"expected numbers of {least} to {most}, got {value!s:.100}")
    return tuple(map(float, value)) if kind is float else tuple(value)


def _listed(value: Any) -> list[Any]:
    if type(value) is not list:
        raise ProtocolError(f"expected a list, got {type(value).__name__}")
    return value


@dataclass(frozen=True)
class ChannelAddress:
    """The socket addresses of a channel and its keys.

    ``endpoint`` is the one socket that takes records from workers and hands commands to them.
    ``server_key`` is the kernel's public CURVE key, ``client_public`` and ``client_secret`` the
    pair every worker of the session uses; without it the kernel's socket refuses the handshake.
    """

    endpoint: str
    server_key: str
    client_public: str
    client_secret: str = field(repr=False)

    def write(self, folder: Path) -> Path:
        """Writes ``channel.json`` into ``folder``, readable by the owner from its creation on."""
        path = folder / "channel.json"
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w", encoding="ascii") as file:
            file.write(self.text())
        return path

    def text(self) -> str:
        """What ``of_text`` reads; it holds the secret key."""
        return json.dumps(dataclasses.asdict(self))

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
            return cls.of_text(path.read_text("ascii"))
        except (OSError, ValueError) as error:
            raise ProtocolError(f"no channel address in {path}: {error}") from error

    @classmethod
    def of_text(cls, text: str) -> ChannelAddress:
        """The address that a text holds.

        Raises
        ------
        ValueError
            If it is none.
        """
        try:
            address = cls(**json.loads(text))
        except TypeError as error:
            raise ValueError(str(error)) from error
        if not all(isinstance(value, str) for value in vars(address).values()):
            raise ValueError("every field is a text")
        return address
