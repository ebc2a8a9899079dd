"""The connection to a job that is looked at: asks, and keeps what was answered last.

A job that has ended answers nothing more; what was read of it before stays to be read.
"""

from __future__ import annotations

import threading
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from notebook_udf.errors import SessionError
from notebook_udf.kernel.recent import Recent
from notebook_udf.reports.running.exchange import JobQuestion, answered, ask, connect

# Answers that are kept for after the job's end; those of a panel are a few for each query.
_MOST_KEPT = 500
_SECONDS = 10.0


class JobLink:
    """Asks one job, from any thread.

    Parameters
    ----------
    path, key
        As ``exchange.connect`` takes them.
    """

    def __init__(self, path: Path, key: str) -> None:
        self._path = path
        self._key = key
        self._asking = threading.Lock()
        self._kept: Recent[tuple[Any]] = Recent(_MOST_KEPT)
        self._over = False
        self._link: Connection | None = connect(path, key)

    @property
    def is_over(self) -> bool:
        """Whether the job has ended, or is not looked at any more."""
        return self._over

    def __call__(self, name: str, *, within: float = _SECONDS, **values: Any) -> Any:
        """What the job answers; after its end what it answered to the same question last.

        Parameters
        ----------
        within
            Seconds until it has to begin.

        Raises
        ------
        SessionError
            If it cannot say it, does not answer in time, or has ended and the question is new.
        ProtocolError
            If what it says is no answer.
        """
        key = (name, *sorted(values.items()))
        with self._asking:
            if not self._over:
                try:
                    return self._kept.put(key, (self._asked(JobQuestion(name, values), within),))[0]
                except (EOFError, OSError):
                    self._end()
            known = self._kept.known(key)
        if known is None:
            raise SessionError(
                "the job has ended, or is not looked at any more, and this was not read before"
            )
        return known[0]

    def _asked(self, question: JobQuestion, within: float) -> Any:
        try:
            if self._link is None:
                self._link = connect(self._path, self._key)
            ask(self._link, question)
            if not self._link.poll(within):
                raise TimeoutError
            return answered(self._link)
        except (TimeoutError, BlockingIOError) as error:
            # Its answer may still come, and would be taken for that to the next question.
            self._drop()
            raise silent(within) from error

    def _drop(self) -> None:
        link, self._link = self._link, None
        if link is not None:
            link.close()

    def _end(self) -> None:
        self._over = True
        self._drop()

    def close(self) -> None:
        """Looks at it no more. Idempotent."""
        with self._asking:
            self._end()


def silent(seconds: float) -> SessionError:
    """The error of a job that does not answer."""
    return SessionError(
        f"the job said nothing for {seconds:g} s: it is stopped, or holds the interpreter in "
        f"native code"
    )
