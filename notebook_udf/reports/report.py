"""``nu.report``: what a block of code did on Spark, in one HTML file."""

from __future__ import annotations

import os
import shlex
import time
import traceback
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType

from notebook_udf.errors import SessionError
from notebook_udf.kernel import Session
from notebook_udf.kernel.created_spark import unwatch, watch
from notebook_udf.render.format import counted, seconds, size
from notebook_udf.reports.checks import BrokenCheck, Check, FunctionFigures, figures_of
from notebook_udf.reports.report_page import JobStory, report_page
from notebook_udf.reports.running.job_answers import JobAnswers, JobFacts
from notebook_udf.reports.running.job_listener import JobListener
from notebook_udf.reports.secret_values import Masking
from notebook_udf.reports.sightings import Sighting, Watched
from notebook_udf.sanitize import first_line

_RUNNING = (
    "It was running when this was written. If it has ended since, it was killed before it could "
    "say how."
)


def report(path: str | os.PathLike[str]) -> JobReport:
    """Writes what a block of code did on Spark to one HTML file, also if the block fails.

    The file has the queries with their plans and costs, the functions with their metrics and
    source, failed calls with their values, logs, workers over time. Nothing is fetched when it is
    opened; secrets are masked; it is below 5 MB, and says what it leaves out.

    A Spark that runs when the block begins, and one that is created in it, is adopted by a session
    if none runs; ``nu.session().stop()`` gives it back.

    Parameters
    ----------
    path
        The file, whose folder has to exist. One that is there is overwritten.

    Returns
    -------
    JobReport
        For ``with``. Displays as what was seen.

    Raises
    ------
    SessionError
        If the file cannot be written; when the block begins, and not after its work.

    Examples
    --------
    >>> with nu.report(f"{folder}/night.html") as night:
    ...     rows = spark.range(5).count()
    >>> os.path.exists(f"{folder}/night.html")
    True
    """
    return JobReport(path, title=f"Report {Path(path).stem}")


class JobReport:
    """A report of a block of code, or of a job. Made by ``report``.

    Attributes
    ----------
    path
        The file.
    address, key
        Where other processes of this user look at the job while it runs, and with which key: see
        ``nu.attach``. The process id says both. "" where it cannot be looked at.

    Examples
    --------
    >>> with nu.report(f"{folder}/night.html") as night:
    ...     rows = spark.range(5).count()
    >>> night.path.name, night.path.read_text("utf-8")[:15].lower()
    ('night.html', '<!doctype html>')
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        title: str,
        command: Sequence[str] = (),
        checks: Sequence[Check] = (),
    ) -> None:
        self.path = Path(path).expanduser().absolute()
        self._title = title
        self._command = command
        self._checks = tuple(checks)
        self._began = self._ended = 0.0
        self._state = "not begun"
        self._watched: list[Watched] = []
        self._remarks: list[str] = []
        self._seen: list[Sighting] = []
        self._size = 0
        self._listener: JobListener | None = None
        self.address = self.key = ""
        if os.path.isdir(self.path):
            raise SessionError(f"the report {self.path} is a folder: name a file in it")
        if not os.path.isdir(self.path.parent):
            raise SessionError(
                f"the report {self.path} cannot be written: there is no folder {self.path.parent}; "
                f"make it first"
            )

    def __enter__(self) -> JobReport:
        self._began = time.time()
        self._state = "running"
        # What cannot be written is known before the work is done.
        self._write(JobStory(self._title, self._told_command(), self._began, None, _RUNNING, False))
        watch(self)
        self._listen()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            self.close(error)
        except SessionError as failed:
            if error is None:
                raise
            # The block's own error is of more worth.
            error.add_note(str(failed))

    def close(self, error: BaseException | None) -> list[BrokenCheck]:
        """Ends the report and writes its file; returns the checks that functions have failed.

        Parameters
        ----------
        error
            What ended the job; None if it ended by itself.

        Raises
        ------
        SessionError
            If the file cannot be written.
        """
        if self._listener is not None:
            self._listener.close()
        for each in self._watched:
            self._look(each)
        unwatch(self)
        self._ended = time.time()
        masking, self._seen = self._masked()
        figures = self.figures()
        broken = [one for check in self._checks for one in check.broken_by(figures)]
        state, fine = _told(error)
        self._state = masking.text(state)
        self._write(
            JobStory(
                masking.text(self._title),
                self._told_command(masking),
                self._began,
                self._ended,
                self._state,
                fine,
                masking.text(_account(error)),
                self._checks,
                tuple(broken),
                tuple(map(masking.text, self._remarks)),
            )
        )
        return broken

    def figures(self) -> list[FunctionFigures]:
        """What each function has cost, as far as it was seen when the report ended."""
        return figures_of(
            [function.name for each in self._seen for function in each.functions],
            [total for each in self._seen for total in each.totals],
            [one for each in self._seen for one in each.percentiles],
            [call.data["function"] for each in self._seen for call in each.failures],
        )

    def __repr__(self) -> str:
        if self._state in ("not begun", "running"):
            return f"<report {self.path}: {self._state}>"
        queries = sum(len(each.queries) + each.more_queries for each in self._seen)
        functions = {one.name for each in self._seen for one in each.functions}
        functions |= {total.function for each in self._seen for total in each.totals}
        failed = sum(len(each.failures) for each in self._seen)
        lines = sum(each.line_count for each in self._seen)
        said = [
            self._state.rstrip("."),
            seconds(self._ended - self._began),
            "1 query" if queries == 1 else f"{queries:,} queries",
            counted(len(functions), "function"),
            counted(failed, "failed call"),
            counted(lines, "log line"),
            size(self._size),
        ]
        return f"<report {self.path}: {', '.join(said)}>"

    def _masked(self) -> tuple[Masking, list[Sighting]]:
        """What was seen until now, without secrets, and what masks them."""
        seen = [each.sighting() for each in self._watched]
        # What a call had for a password stands elsewhere too: in a query, as a literal.
        calls = [
            {name: value.strip("'\"")}
            for each in seen
            for call in each.failures
            for name, value in call.data["arguments"]
        ]
        masking = Masking([os.environ, *(each.confs for each in self._watched), *calls])
        return masking, [masking.everything(each) for each in seen]

    # What is told while it runs -----------------------------------------------------------------

    def _listen(self) -> None:
        try:
            self._listener = JobListener(JobAnswers(self))
        except OSError as error:
            # The job does not need it.
            self._remarks.append(f"It could not be looked at while it ran: {error}")
        else:
            self.address, self.key = str(self._listener.path), self._listener.key

    def facts(self) -> JobFacts:
        """See ``LookedAt``."""
        masking = Masking([os.environ])
        return JobFacts(
            os.getpid(), masking.text(self._title), self._told_command(masking), self._began
        )

    def sessions(self) -> list[Session]:
        """See ``LookedAt``."""
        return [each.session for each in self._watched]

    def sightings(self) -> list[Sighting]:
        """See ``LookedAt``."""
        return self._seen_now()[1]

    def _seen_now(self) -> tuple[Masking, list[Sighting]]:
        for each in list(self._watched):
            each.look(settled=False)
        return self._masked()

    def page(self) -> str:
        """See ``LookedAt``."""
        (masking, seen), now = self._seen_now(), time.time()
        return report_page(
            JobStory(
                masking.text(self._title),
                self._told_command(masking),
                self._began,
                now,
                "It runs: this is what was seen until now.",
                True,
                remarks=tuple(map(masking.text, self._remarks)),
            ),
            seen,
        )

    # What the sessions of this process tell ------------------------------------------------------

    def began(self, session: Session) -> None:
        """See ``SessionWatcher``."""
        self._watched.append(Watched(session, self._began))

    def ending(self, session: Session) -> None:
        """See ``SessionWatcher``."""
        for each in self._watched:
            if each.session is session:
                self._look(each, last=True)

    def refused(self, error: Exception) -> None:
        """See ``SessionWatcher``."""
        self._remarks.append(f"Spark could not be adopted, so little was seen: {error}")

    def _look(self, watched: Watched, *, last: bool = False) -> None:
        try:
            watched.look(last=last)
        except Exception as error:
            # The job is not to fail for its report, which says what it lacks.
            told = f"{type(error).__name__}: {first_line(error)}"
            self._remarks.append(f"Spark could not be asked for all that it has: {told}")

    # Writing -------------------------------------------------------------------------------------

    def _told_command(self, masking: Masking | None = None) -> str:
        return shlex.join((masking or Masking([os.environ])).arguments(self._command))

    def _write(self, job: JobStory) -> None:
        text = report_page(job, self._seen)
        try:
            self._size = self.path.write_bytes(text.encode("utf-8", "backslashreplace"))
        except OSError as error:
            raise SessionError(
                f"the report {self.path} cannot be written: {error.strerror or error}; name a file "
                f"in a folder that you may write to"
            ) from error


def _told(error: BaseException | None) -> tuple[str, bool]:
    """How it ended, in a sentence, and whether that is well."""
    match error:
        case None:
            return "It ended by itself.", True
        case SystemExit(code=None | 0):
            return "It ended by itself.", True
        case SystemExit(code=int(code)):
            return f"It ended with exit code {code}.", False
        case SystemExit(code=said):
            return f"It ended with exit code 1: {said}", False
        case KeyboardInterrupt():
            return f"It was interrupted{f': {error}' if str(error) else ''}.", False
    return f"It failed: {type(error).__name__}: {first_line(error)}", False


def _account(error: BaseException | None) -> str:
    """The traceback of an error, from the block or the job on."""
    if error is None or isinstance(error, SystemExit):
        return ""
    return "".join(traceback.format_exception(error))
