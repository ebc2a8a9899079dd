"""``nu.attach``: a job that runs in another process of this machine, looked at from a notebook."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable
from pathlib import Path

from notebook_udf.errors import PlanningError, SessionError
from notebook_udf.kernel.folder import job_folders
from notebook_udf.pool.view import PoolView
from notebook_udf.render.display import Block, Displayed, Paragraph
from notebook_udf.render.format import counted, seconds
from notebook_udf.render.tables import Table
from notebook_udf.reports.running.distant_views import DistantPool, DistantStore
from notebook_udf.reports.running.exchange import KEY, SOCKET
from notebook_udf.reports.running.job_answers import JobFacts
from notebook_udf.reports.running.job_link import JobLink, silent
from notebook_udf.reports.sightings import SeenQuery, Sighting
from notebook_udf.sanitize import one_line
from notebook_udf.telemetry.store.log_store import LogChoice
from notebook_udf.telemetry.user_views import LogView, MetricsView
from notebook_udf.widgets.explorer import PlanExplorer
from notebook_udf.widgets.shown import show_live

# Plans are asked of Spark, and a page is made of all that was seen.
_SECONDS = 60.0
_SHOWN = 20
_WORDS = 60
_QUERIES = ("query", "what", "state", "took", "functions")


def attach(address: int | str | os.PathLike[str], key: str | None = None) -> AttachedJob:
    """Looks at a job that runs in another process of this machine; nothing of it is changed.

    Those can be looked at that ``notebook-udf run`` runs, and blocks of ``nu.report``, by processes
    of the same user.

    Parameters
    ----------
    address
        The job's process id, or the path of its socket.
    key
        The job's key; by default that which lies beside its socket.

    Returns
    -------
    AttachedJob
        Displays as what the job has done until now.

    Raises
    ------
    SessionError
        If there is no such job, it does not answer, or it is another user's.
    AuthenticationError
        If ``key`` is not its key.
    VersionMismatch
        If it runs another version of this package.

    Examples
    --------
    Usually the process id is another's. Here a block looks at itself:

    >>> with nu.report(f"{folder}/block.html") as block:
    ...     rows = spark.range(5).count()
    ...     with nu.attach(os.getpid()) as job:
    ...         begun = len(job.queries) > 0
    >>> begun
    True
    """
    path = _socket_of(address)
    try:
        secret = key if key is not None else (path.parent / KEY).read_text("ascii")
        job = AttachedJob(JobLink(path, secret))
    except PermissionError as error:
        raise SessionError(
            f"the job at {path} is another user's: look at it as that user, or as root"
        ) from error
    except (TimeoutError, BlockingIOError) as error:
        raise silent(5) from error
    except (OSError, EOFError) as error:
        raise SessionError(f"no job listens at {path}: it has ended. {_running()}") from error
    show_live()
    return job


class AttachedJob(Displayed):
    """A running job that is looked at. Made by ``attach``.

    What it shows is read again each time. After the job's end it is what was read last.
    ``metrics``, ``logs`` and ``pool`` are of its newest session.

    Examples
    --------
    >>> seen = session.register_function("seen", lambda x: x, result_type="bigint", compile=False)
    >>> with nu.report(f"{folder}/block.html") as block:
    ...     total = session.sql("SELECT sum(seen(id)) AS t FROM range(5)").first()
    ...     job = nu.attach(os.getpid())
    ...     last = job.queries[-1]
    ...     told = job.plan(last.number), job.stack(), job.report(f"{folder}/until_now.html")
    ...     watched = job.is_running, job.pid == os.getpid(), len(job.pool), len(job.logs())
    ...     costs = [(each.function, each.rows_in) for each in job.metrics(str(last.number)).totals]
    ...     job.close()
    >>> costs, job.is_running
    ([('seen', 5)], False)
    """

    def __init__(self, link: JobLink) -> None:
        self._ask = link
        self._facts: JobFacts = link("facts")
        self._store = DistantStore(link)

    @property
    def pid(self) -> int:
        """The job's process."""
        return self._facts.pid

    @property
    def is_running(self) -> bool:
        """Whether the job runs and is looked at."""
        if not self._ask.is_over:
            self._ask("facts")
        return not self._ask.is_over

    @property
    def pool(self) -> PoolView:
        """The job's workers, with their ``stacks()``."""
        return DistantPool(self._ask, self._store)

    @property
    def queries(self) -> list[SeenQuery]:
        """The job's queries, oldest first; plans of those that tell most."""
        return [query for each in self._sightings() for query in each.queries]

    def metrics(self, query: str | None = None) -> MetricsView:
        """The functions' costs and metrics: of one query (Spark's execution id), or of all."""
        return MetricsView(self._store, None, query)

    def logs(
        self,
        *,
        query: str | None = None,
        function: str | None = None,
        level: str | None = None,
        pid: int | None = None,
        text: str | None = None,
    ) -> LogView:
        """What functions wrote, oldest first; by query, function, lowest level, worker, text."""
        return LogView(self._store, None, LogChoice(query, function, level, pid, text))

    def plan(self, query: int | str) -> PlanExplorer:
        """The plan of one of the job's queries with its costs.

        Parameters
        ----------
        query
            Spark's execution id, as in ``queries``.

        Raises
        ------
        PlanningError
            If there is no such query, or its plan was not read.
        """
        found = {str(each.number): each for each in self.queries}
        plans = [number for number, each in found.items() if each.plan is not None]
        chosen = found.get(str(query))
        if chosen is None or chosen.plan is None:
            what = "has no query" if chosen is None else "does not show the plan of query"
            raise PlanningError(
                f"the job {what} {query}; plans are there of: {', '.join(plans) or 'none yet'}"
            )
        return PlanExplorer(chosen.plan)

    def stack(self) -> str:
        """Where the job's main thread is, as the lines of a traceback."""
        return str(self._ask("stack"))

    def report(self, path: str | os.PathLike[str]) -> Path:
        """Writes what the job did until now to one HTML file, as ``nu.report`` does at its end.

        Returns
        -------
        pathlib.Path
            The file.

        Raises
        ------
        SessionError
            If it cannot be written, or the job has ended: then its own report is there.
        """
        file = Path(path).expanduser().absolute()
        page = str(self._ask("page", within=_SECONDS))
        try:
            file.write_text(page, "utf-8", "backslashreplace")
        except OSError as error:
            raise SessionError(
                f"the report {file} cannot be written: {error.strerror or error}"
            ) from error
        return file

    def close(self) -> None:
        """Looks at the job no more, which goes on. Idempotent."""
        self._ask.close()

    def __enter__(self) -> AttachedJob:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _sightings(self) -> list[Sighting]:
        found: list[Sighting] = self._ask("sightings", within=_SECONDS)
        return found

    def _blocks(self) -> Iterable[Block]:
        seen = self._sightings()
        yield Paragraph(self._said(seen))
        queries = [query for each in seen for query in each.queries]
        if queries:
            rows = [self._row(query) for query in queries[: -_SHOWN - 1 : -1]]
            yield Table(
                ("query", "what", "state", "took", "functions"), rows, "Queries, newest first"
            )
        functions = {(one.name, one.kind, one.signature) for each in seen for one in each.functions}
        if functions:
            yield Table(("function", "kind", "signature"), sorted(functions))

    def _row(self, query: SeenQuery) -> tuple[str, ...]:
        functions = ", ".join(query.functions)
        words = one_line(query.text, _WORDS)
        if query.ended is None and self._ask.is_over:
            return str(query.number), words, "not seen to end", "", functions
        state = "failed" if query.error else "done" if query.ended is not None else "running"
        took = seconds((query.ended or time.time()) - query.began)
        return str(query.number), words, state, took, functions

    def _said(self, seen: list[Sighting]) -> str:
        failed = sum(len(each.failures) for each in seen)
        state = "runs" if not self._ask.is_over else "has ended, or is not looked at any more"
        told = [
            f"{self._facts.title} (process {self.pid}) {state}",
            f"began {seconds(time.time() - self._facts.began)} ago",
            *(f"Spark {each.spark}, {each.master}" for each in seen[-1:]),
            counted(len(self.pool), "living worker"),
            counted(failed, "failed call"),
        ]
        return "; ".join(told)


def _socket_of(address: int | str | os.PathLike[str]) -> Path:
    if isinstance(address, bool) or not isinstance(address, (int, str, os.PathLike)):
        raise SessionError(f"a job is named by its process id or its socket, not by {address!r}")
    if isinstance(address, int) or str(address).isdigit():
        found = [folder for pid, folder in job_folders() if str(pid) == str(address)]
        if not found:
            raise SessionError(
                f"process {address} is no job of yours that can be looked at: start it with "
                f"notebook-udf run, or look from inside a block of nu.report. {_running()}"
            )
        return found[-1] / SOCKET
    return Path(address)


def _running() -> str:
    jobs = ", ".join(str(pid) for pid, _ in job_folders())
    return f"Jobs that run: {jobs or 'none'}"
