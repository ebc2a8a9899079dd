"""Answers requests of a browser to the kernel; each gets a reply, even a malformed one."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from typing import Any, NotRequired, TypedDict, TypeVar

from notebook_udf.errors import NotebookUdfError, SessionError
from notebook_udf.sanitize import plain
from notebook_udf.widgets.sendable import sendable

_log = logging.getLogger(__name__)

Command = Callable[..., Any]

_LONGEST = 4_000
_ANSWERS = "_answers"

Method = TypeVar("Method", bound=Callable[..., Any])


class Request(TypedDict):
    """A command with its keywords; ``id`` is the browser's, and the reply repeats it."""

    id: int | str
    command: str
    arguments: NotRequired[dict[str, object]]


class Reply(TypedDict):
    """The reply to a request: its result, or the text of its error."""

    id: int | str
    result: NotRequired[object]
    error: NotRequired[str]


def answers(command: str) -> Callable[[Method], Method]:
    """Decorator of a method that a browser may call under a name, with keywords. The types for the
    browser's scripts are made from its annotations."""

    def mark(method: Method) -> Method:
        setattr(method, _ANSWERS, command)
        return method

    return mark


def answering(kind: type) -> dict[str, str]:
    """The commands of a class, each with the name of its method."""
    members = [member for base in reversed(kind.__mro__) for member in vars(base).items()]
    return {getattr(each, _ANSWERS): name for name, each in members if hasattr(each, _ANSWERS)}


def commands_of(owner: object) -> dict[str, Command]:
    """The bound methods of an object by command."""
    return {command: getattr(owner, name) for command, name in answering(type(owner)).items()}


def answer(content: Any, commands: Mapping[str, Command], send: Callable[[Any], None]) -> None:
    """Runs the command of a request and sends the reply.

    Parameters
    ----------
    content
        A ``Request``, or whatever else a browser sends.
    commands
        Functions by command, called with the request's keywords. A result is sent back, that of a
        ``Future`` when it is done; an error is sent back as text.
    send
        Sends a ``Reply``.
    """
    request = content.get("id") if isinstance(content, dict) else None

    def asked() -> Any:
        name, keywords = content["command"], content.get("arguments", {})
        if name not in commands:
            raise SessionError(f"there is no command {name!r} here")
        return commands[name](**keywords)

    _answer(request, asked, send)


def _answer(request: Any, result: Callable[[], Any], send: Callable[[Any], None]) -> None:
    try:
        found = result()
        if isinstance(found, Future):
            found.add_done_callback(lambda done: _answer(request, done.result, send))
            return
        said: Reply = {"id": request, "result": sendable(found)}
    except NotebookUdfError as error:
        said = {"id": request, "error": plain(str(error), _LONGEST)}
    except Exception as error:
        _log.warning("a command from the browser failed", exc_info=True)
        said = {"id": request, "error": plain(f"{type(error).__name__}: {error}", _LONGEST)}
    send(said)


def in_thread(work: Callable[[], Any]) -> Future[Any]:
    """Runs slow work in a thread, so that the kernel can take the next request."""
    done: Future[Any] = Future()

    def run() -> None:
        try:
            done.set_result(work())
        except BaseException as error:
            done.set_exception(error)

    threading.Thread(target=run, name="notebook-udf-order", daemon=True).start()
    return done
