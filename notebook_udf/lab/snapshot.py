"""The session as a side panel shows it: functions, workers, the end of the log. Bounded."""

from __future__ import annotations

import time
from collections import deque
from itertools import islice

from notebook_udf.kernel import Session
from notebook_udf.lab.panel_data import FunctionsNews, LogNews, News, SessionNews, WorkersNews
from notebook_udf.sanitize import one_line, plain, without_escapes

MOST_FUNCTIONS = 200
MOST_WORKERS = 50
MOST_LINES = 100
_SOURCE = 6_000
_SIGNATURE = 1_000
_LINE = 400
_NAME = 120
_ERROR = 300
_MIB = 1 << 20
# Seconds over which the present rate is taken.
_MOMENT = 3.0


class Facts:
    """The parts of a session as they are now. One per session, used by one thread at a time."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._functions: tuple[list[tuple[str, int]], FunctionsNews] | None = None
        self._lines: tuple[tuple[int, int], LogNews] | None = None
        self._rows: deque[tuple[float, int]] = deque()

    def read(self) -> News:
        """Every part by its name."""
        workers = self._workers()
        return {
            "session": self._about(workers),
            "functions": self.functions(),
            "workers": workers,
            "logs": self._logs(),
        }

    def _about(self, workers: WorkersNews) -> SessionNews:
        return {
            "spark": self._session.spark.version,
            "master": one_line(self._session.host.cluster.master, _NAME),
            "notes": [one_line(note, _ERROR) for note in self._session.notes[:10]],
            "workers": workers["alive"],
            "memory": sum(each["memory"] for each in workers["workers"]),
            "rate": self._rate(),
        }

    def functions(self) -> FunctionsNews:
        """The newest version of each function."""
        records = list(self._session.functions.values())
        known = [(record.name, record.version) for record in records]
        if self._functions is None or self._functions[0] != known:
            found: FunctionsNews = {
                "functions": [
                    {
                        "name": one_line(record.name, _NAME),
                        "kind": record.kind,
                        "version": record.version,
                        "signature": one_line(record.signature, _SIGNATURE),
                        "source": plain(record.source, _SOURCE),
                    }
                    for record in islice(records, MOST_FUNCTIONS)
                ],
                "count": len(records),
            }
            self._functions = known, found
        return self._functions[1]

    def _workers(self) -> WorkersNews:
        pool = self._session.pool
        living = pool.workers
        return {
            "size": pool.size,
            "alive": len(living),
            "workers": [
                {
                    "pid": each.pid,
                    "state": one_line(each.state, _NAME),
                    "function": one_line(each.function, _NAME),
                    # In whole megabytes: smaller changes would be news all the time.
                    "memory": each.memory // _MIB * _MIB,
                    "rows": each.rows_done,
                    "failures": each.failures,
                    "error": one_line(each.last_error, _ERROR),
                }
                for each in living[:MOST_WORKERS]
            ],
        }

    def _rate(self) -> int:
        """The rows that functions took per second, lately."""
        now = time.monotonic()
        self._rows.append((now, sum(w.rows_done for w in self._session.store.workers())))
        while len(self._rows) > 2 and self._rows[1][0] < now - _MOMENT:
            self._rows.popleft()
        then, before = self._rows[0]
        after = self._rows[-1][1]
        return round((after - before) / (now - then)) if now > then and after > before else 0

    def _logs(self) -> LogNews:
        view = self._session.logs()
        kept = view.kept
        if self._lines is None or self._lines[0] != (kept.end, kept.dropped):
            found: LogNews = {
                "lines": [
                    {
                        "time": line.time,
                        "level": one_line(line.level, _NAME),
                        "pid": line.pid,
                        "function": one_line(line.function, _NAME),
                        "text": one_line(without_escapes(line.text), _LINE),
                    }
                    for line in view.last(MOST_LINES)
                ],
                "count": kept.end,
                "dropped": kept.dropped,
            }
            self._lines = (kept.end, kept.dropped), found
        return self._lines[1]
