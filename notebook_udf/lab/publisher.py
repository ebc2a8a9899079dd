"""Publishes each part of the session to browsers when it has changed, while one listens."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypedDict, cast

from notebook_udf.lab.browser_commands import Orders
from notebook_udf.lab.comm import LabComm
from notebook_udf.lab.panel_data import LabMessage, News, QueryNews, StreamNews
from notebook_udf.lab.registered_cells import UdfCells
from notebook_udf.widgets.pulse import Pulse, pulse
from notebook_udf.widgets.requests import answer, answers, commands_of

if TYPE_CHECKING:
    from notebook_udf.kernel import Session
    from notebook_udf.lab.query_list import QueryList, StreamQueries
    from notebook_udf.lab.snapshot import Facts

_log = logging.getLogger(__name__)

# How often Spark is queried, in seconds.
_SPARK_EVERY = 1.0
# A browser that connects while a cell blocks is not heard: all is sent again after these seconds.
_ALL_EVERY = 10.0
# A browser acknowledges news, twice a minute at most. If none has for so many seconds, though no
# cell kept the kernel from hearing it, no browser is there.
_PATIENCE = 120.0


_NO_SESSION: News = {
    "session": None,
    "functions": None,
    "workers": None,
    "logs": None,
    "queries": None,
    "streams": None,
}


class _FromSpark(TypedDict):
    queries: list[QueryNews]
    streams: list[StreamNews]


class LabNews:
    """The connection of a shell to the browsers that show it; ``listened_to`` says whether any may
    be there.

    Parameters
    ----------
    shell
        A notebook's shell; with a terminal's nothing happens.
    running_session
        Gives the session, if there is one, without loading Spark.
    watched
        Says whether a person may be watching the cell that runs.
    clock, pulse
        The time in seconds, and what calls ``refresh``.
    """

    def __init__(
        self,
        shell: Any,
        running_session: Callable[[], Session | None],
        watched: Callable[[Any], bool],
        *,
        clock: Callable[[], float] = time.monotonic,
        pulse: Pulse = pulse,
    ) -> None:
        self._shell = shell
        self._running_session = running_session
        self._watched = watched
        self._clock = clock
        self._pulse = pulse
        self._cells = UdfCells(shell, running_session)
        self._orders = Orders(running_session)
        self._line: LabComm | None = None
        self._commands = {**commands_of(self._orders), **commands_of(self)}
        self.listened_to = False
        self._turning = threading.Lock()
        self._unanswered: float | None = None
        # Cells can run other cells.
        self._depth = 0
        self._sent: News = {}
        self._asked_for_all = False
        self._all_at = 0.0
        self._of: tuple[Session, Facts, QueryList, StreamQueries] | None = None
        self._spark_at = 0.0
        self._from_spark: _FromSpark = {"queries": [], "streams": []}

    def install(self) -> None:
        """Opens the connection and tells the browsers."""
        kernel = getattr(self._shell, "kernel", None)
        if kernel is None or not hasattr(kernel, "comm_manager"):
            return
        self._cells.install()
        self._shell.events.register("pre_run_cell", self._begins)
        self._shell.events.register("post_run_cell", self._ended)
        self._line = LabComm(kernel, self._asked)
        self._line.install()
        if (self._shell.get_parent() or {}).get("header"):
            # The cell that loads the extension is running.
            self._begins(None)

    def uninstall(self) -> None:
        """Closes the connection and tells the browsers."""
        if self._line is None:
            return
        self._stop()
        self._cells.uninstall()
        self._shell.events.unregister("pre_run_cell", self._begins)
        self._shell.events.unregister("post_run_cell", self._ended)
        self._line.uninstall()
        self._line = None

    # Who listens -----------------------------------------------------------------------------

    def _asked(self, content: Any) -> None:
        line = self._line
        if line is not None:
            answer(content, self._commands, line.send)

    @answers("hello")
    def _hello(self) -> bool:
        """A browser begins to listen: it needs all parts."""
        self._asked_for_all = True
        self._listen()
        return True

    @answers("here")
    def _here(self) -> bool:
        """A browser still listens."""
        self._listen()
        return True

    def _listen(self) -> None:
        with self._turning:
            self._unanswered = None
            if not self.listened_to:
                self.listened_to = True
                self._pulse.add(self)

    def _stop(self) -> None:
        with self._turning:
            self.listened_to = False
            self._pulse.remove(self)

    def _begins(self, info: Any) -> None:
        self._depth += 1
        # Others may wait behind it, and until they have ended no browser can be heard.
        if self._watched(self._shell):
            self._listen()

    def _ended(self, result: Any) -> None:
        self._depth = max(0, self._depth - 1)
        self._unanswered = None

    # What is sent ----------------------------------------------------------------------------

    def refresh(self) -> None:
        """Sends the parts that have changed."""
        line, now = self._line, self._clock()
        if line is None:
            return
        asked, self._asked_for_all = self._asked_for_all, False
        everything = asked or now - self._all_at > _ALL_EVERY
        try:
            news = self.read()
        except Exception:
            # A session that ends while it is read; a lasting error comes again next time.
            _log.debug("nothing is known of the session now", exc_info=True)
            self._asked_for_all = asked
            return
        fresh = {name: part for name, part in news.items() if self._sent.get(name) != part}
        changed = cast("News", fresh)
        if self._unanswered is not None and not self._depth and now - self._unanswered > _PATIENCE:
            self._stop()
        elif changed or asked:
            self._unanswered = now if self._unanswered is None else self._unanswered
            self._sent = news
            if everything:
                self._all_at = now
            message: LabMessage = {"news": news if everything else changed}
            line.send({**message})

    def read(self) -> News:
        """Every part as it is now; without a session its parts are None."""
        always: News = {"cells": self._cells.read(), "busy": self._depth > 0}
        session = self._running_session()
        if session is None or not session.host.is_alive:
            self._of = None
            return {**_NO_SESSION, **always}
        if self._of is None or self._of[0] is not session:
            # They bring numpy, without which an extension is loaded.
            from notebook_udf.lab.query_list import QueryList, StreamQueries
            from notebook_udf.lab.snapshot import Facts

            self._of = session, Facts(session), QueryList(session), StreamQueries(session)
            self._spark_at = 0.0
        _, facts, queries, streams = self._of
        now = self._clock()
        if now - self._spark_at >= _SPARK_EVERY:
            self._from_spark = {"queries": queries.read(), "streams": streams.read()}
            self._spark_at = self._clock()
        ending = dict(self._orders.ending)
        running: list[StreamNews] = [
            {**each, "state": ending.get(each["run"], "running")}
            if each["state"] == "running"
            else each
            for each in self._from_spark["streams"]
        ]
        return {**facts.read(), **self._from_spark, "streams": running, **always}
