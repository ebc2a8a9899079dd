"""How a running job and one who looks at it talk: a socket in a private folder, and a key.

Both ends ask the system whose process the other is: it has to be the same user's, or root's. A
question is a name and plain values, as JSON. An answer is data of this package, pickled, and
nothing but data is taken from it: no answer makes the one who asks run anything.
"""

from __future__ import annotations

import array
import datetime
import enum
import hmac
import io
import json
import os
import pickle
import socket
import struct
from dataclasses import dataclass, is_dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from notebook_udf import __version__
from notebook_udf.errors import AuthenticationError, ProtocolError, SessionError, VersionMismatch

# What a job's folder holds.
SOCKET, KEY = "job.sock", "job.key"

# A peer that neither takes nor sends anything for so long is stopped.
_SECONDS = 5
_MOST_QUESTION = 4_096
_CREDENTIALS = struct.Struct("3i")
_HELLO = "hello"
# What an answer may hold beside the classes of this package that are data.
_PLAIN: dict[tuple[str, str], Any] = {
    ("array", "_array_reconstructor"): array._array_reconstructor,  # type: ignore[attr-defined]
    **{
        (each.__module__, each.__name__): each
        for each in (set, frozenset, array.array, datetime.datetime, datetime.date)
    },
}


@dataclass(frozen=True)
class JobQuestion:
    """What is asked for, with its values."""

    name: str
    values: dict[str, str | int | float | None]


@dataclass(frozen=True)
class JobAnswer:
    """What was asked for, or why it is not had."""

    value: Any = None
    refused: str = ""


def connect(path: Path, key: str) -> Connection:
    """Connects to the job that listens there.

    Raises
    ------
    AuthenticationError
        If it is another user's, or the key is not its.
    VersionMismatch
        If it runs another version of this package.
    OSError
        If nothing listens there, or what does says nothing.
    """
    opened = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        opened.connect(str(path))
        link = _link(opened)
    finally:
        # The link has a descriptor of its own.
        opened.close()
    try:
        ask(link, JobQuestion(_HELLO, {"key": key}))
        version = _welcomed(link)
        if version != __version__:
            raise VersionMismatch(
                f"the job runs notebook-udf {version}, and this is {__version__}: look at it from "
                f"a kernel of the job's environment"
            )
    except BaseException:
        link.close()
        raise
    return link


def welcome(accepted: socket.socket, key: str) -> Connection:
    """The job's end of a connection, to a peer that has the key.

    Raises
    ------
    ProtocolError
        If the peer has not, or does not say so.
    OSError
        If it says nothing.
    """
    link = _link(accepted)
    try:
        hello = asked(link)
        given = str(hello.values.get("key", ""))
        if hello.name != _HELLO or not hmac.compare_digest(_plain(given), _plain(key)):
            refuse = "the key is not that of this job"
            answer(link, JobAnswer(refused=refuse))
            raise AuthenticationError(refuse)
        answer(link, JobAnswer(__version__))
    except BaseException:
        link.close()
        raise
    return link


def _link(opened: socket.socket) -> Connection:
    """A connection over a socket to a process of this user, with limits on its silence."""
    credentials = opened.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size)
    user = _CREDENTIALS.unpack(credentials)[1]
    if user not in (os.getuid(), 0) and os.getuid() != 0:
        raise AuthenticationError(f"the other end is a process of another user ({user})")
    limit = struct.pack("ll", _SECONDS, 0)
    for option in (socket.SO_RCVTIMEO, socket.SO_SNDTIMEO):
        opened.setsockopt(socket.SOL_SOCKET, option, limit)
    return Connection(os.dup(opened.fileno()))


def _plain(key: str) -> bytes:
    return key.strip().encode("utf-8", "backslashreplace")


def ask(link: Connection, question: JobQuestion) -> None:
    """Sends a question."""
    link.send_bytes(json.dumps([question.name, question.values]).encode())


def asked(link: Connection) -> JobQuestion:
    """The next question.

    Raises
    ------
    ProtocolError
        If it is none.
    EOFError, OSError
        If the peer is gone, or says nothing.
    """
    try:
        name, values = json.loads(link.recv_bytes(_MOST_QUESTION))
        if isinstance(name, str) and isinstance(values, dict):
            return JobQuestion(name, values)
    except (ValueError, TypeError):
        pass
    raise ProtocolError("what was said is no question")


def answer(link: Connection, given: JobAnswer) -> None:
    """Sends an answer."""
    link.send_bytes(pickle.dumps(given, pickle.HIGHEST_PROTOCOL))


def answered(link: Connection) -> Any:
    """The value of the next answer.

    Raises
    ------
    SessionError
        If the job could not give one.
    ProtocolError
        If it is not data.
    EOFError, OSError
        If the job is gone, or says nothing.
    """
    given = _answer(link)
    if given.refused:
        raise SessionError(f"the job cannot say it: {given.refused}")
    return given.value


def _welcomed(link: Connection) -> Any:
    """The job's version, if it knows the key."""
    given = _answer(link)
    if given.refused:
        raise AuthenticationError(given.refused)
    return given.value


def _answer(link: Connection) -> JobAnswer:
    given = _data(link.recv_bytes())
    if not isinstance(given, JobAnswer):
        raise ProtocolError("what was said is no answer")
    return given


class _DataOnly(pickle.Unpickler):
    """Makes instances of classes that only hold data, whatever a pickle asks for."""

    def find_class(self, module: str, name: str) -> Any:
        """The class, if it may be in an answer."""
        if (module, name) in _PLAIN:
            return _PLAIN[module, name]
        if module.startswith("notebook_udf."):
            found = super().find_class(module, name)
            if isinstance(found, type) and (
                is_dataclass(found) or issubclass(found, (tuple, enum.Enum))
            ):
                return found
        raise ProtocolError(f"an answer held {module}.{name}, which is not data")


def _data(pickled: bytes) -> Any:
    try:
        return _DataOnly(io.BytesIO(pickled)).load()
    except ProtocolError:
        raise
    except Exception as error:
        raise ProtocolError(f"an answer cannot be read: {error}") from error
