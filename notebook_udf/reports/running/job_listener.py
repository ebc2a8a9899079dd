"""The job's end: a socket at which those who look at it ask, on threads of its own.

It answers and changes nothing: every question there is stands in ``job_answers``.
"""

from __future__ import annotations

import contextlib
import logging
import secrets
import socketserver
import threading
from pathlib import Path

from notebook_udf.errors import ProtocolError
from notebook_udf.kernel.folder import make_job_folder, remove_folder
from notebook_udf.reports.running.exchange import (
    KEY,
    SOCKET,
    JobAnswer,
    JobQuestion,
    answer,
    asked,
    welcome,
)
from notebook_udf.reports.running.job_answers import JobAnswers
from notebook_udf.sanitize import first_line

_log = logging.getLogger(__name__)

# How often it looks whether it is to end.
_GLANCE_SECONDS = 0.2


class JobListener:
    """Lets this process be looked at, from when it is made until ``close``.

    Parameters
    ----------
    answers
        What can be asked.

    Attributes
    ----------
    key
        What those who look have to know.

    Raises
    ------
    OSError
        If there is no room for its socket.
    """

    def __init__(self, answers: JobAnswers) -> None:
        self._answers = answers
        self._closed = threading.Event()
        self.key = secrets.token_hex(16)
        self._folder = make_job_folder()
        try:
            (self._folder / KEY).write_text(self.key, encoding="ascii")
            self._server = _Server(self)
        except BaseException:
            remove_folder(self._folder)
            raise
        self._thread = threading.Thread(
            target=self._server.serve_forever,
            args=(_GLANCE_SECONDS,),
            name="notebook-udf-looked-at",
            daemon=True,
        )
        self._thread.start()

    @property
    def path(self) -> Path:
        """Where it listens."""
        return self._folder / SOCKET

    def close(self) -> None:
        """Ends it, and the connections of those who look. Idempotent."""
        if self._closed.is_set():
            return
        self._closed.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
        remove_folder(self._folder)

    def serve(self, handler: _Handler) -> None:
        """Answers one who looks, until they go."""
        try:
            link = welcome(handler.request, self.key)
        except (ProtocolError, OSError, EOFError):
            return
        with link, contextlib.suppress(OSError, EOFError, ProtocolError):
            while not self._closed.is_set():
                if link.poll(_GLANCE_SECONDS):
                    answer(link, self._answered(asked(link)))

    def _answered(self, question: JobQuestion) -> JobAnswer:
        try:
            return JobAnswer(self._answers.to(question.name, question.values))
        except Exception as error:
            # One who looks is to know why; the job is not to fail for it.
            return JobAnswer(refused=f"{type(error).__name__}: {first_line(error)}")


class _Handler(socketserver.BaseRequestHandler):
    server: _Server

    def handle(self) -> None:
        """Answers one who looks."""
        self.server.listener.serve(self)


class _Server(socketserver.ThreadingMixIn, socketserver.UnixStreamServer):
    daemon_threads = True

    def __init__(self, listener: JobListener) -> None:
        self.listener = listener
        super().__init__(str(listener.path), _Handler)

    def handle_error(self, request: object, client_address: object) -> None:
        """What goes wrong with one who looks is not written into the job's output."""
        _log.debug("one who looks at the job could not be served", exc_info=True)
