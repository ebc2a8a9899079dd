"""The process a session belongs to: what forks from it has a copy that it must not use."""

from __future__ import annotations

import os

from notebook_udf.errors import SessionError


class Owner:
    """The process that made this.

    A forked child has the sockets of its parent's JVM and channel: what it asked or ended through
    them would be asked and ended for the parent too.
    """

    def __init__(self) -> None:
        self._pid = os.getpid()

    @property
    def is_here(self) -> bool:
        return os.getpid() == self._pid

    def check(self) -> None:
        """Raises ``SessionError`` in another process."""
        if not self.is_here:
            raise SessionError(
                f"the session belongs to process {self._pid}, which forked this one: use it "
                'there, or start new processes, as multiprocessing.get_context("spawn") does'
            )
