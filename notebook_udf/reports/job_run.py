"""``notebook-udf run``: a job as ``python JOB.py`` runs it, with a report, and checks at its end.

The process is the job's: ``__main__``, ``sys.argv``, ``sys.path`` and signals are as it expects
them, and stay so until its last exit handler and thread have ended.
"""

from __future__ import annotations

import io
import os
import signal
import sys
import threading
import traceback
import types
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.machinery import SourceFileLoader
from pathlib import Path
from typing import NoReturn

from notebook_udf.errors import DeclarationError, SessionError
from notebook_udf.reports.checks import Check, check_of
from notebook_udf.reports.report import JobReport

# Of a job that ended well, but whose functions failed a check.
CHECK_FAILED = 3
_FLAGS = ("--report", "--fail-on")


@dataclass
class JobOptions:
    """What a job is run with; ``arguments`` are its own."""

    job: Path
    arguments: list[str] = field(default_factory=list)
    report: Path | None = None
    checks: list[Check] = field(default_factory=list)


def job_options(
    job: str, rest: Sequence[str], report: str | None, fail_on: Sequence[str]
) -> JobOptions:
    """The options of a job, of which some may stand among its arguments.

    Parameters
    ----------
    rest
        What follows the job. Our options are taken out of it, up to a ``--``, which is taken out
        as well; what follows that is the job's alone.
    report, fail_on
        The options that stand before the job.

    Raises
    ------
    DeclarationError
        If there is no such job, an option has no value, or a check is none.
    """
    arguments: list[str] = []
    checks, given = list(fail_on), list(rest)
    while given:
        each = given.pop(0)
        if each == "--":
            arguments += given
            break
        flag, sign, value = each.partition("=")
        if flag not in _FLAGS:
            arguments.append(each)
            continue
        if not sign:
            if not given:
                raise DeclarationError(f"{flag} needs a value; after -- it is the job's own option")
            value = given.pop(0)
        if flag == "--report":
            report = value
        else:
            checks.append(value)
    path = Path(job)
    if not path.is_file():
        raise DeclarationError(f"there is no job {job}: name a Python file")
    made = Path(report) if report else Path(f"{path.stem}-report.html")
    return JobOptions(path, arguments, made, [check_of(each) for each in checks])


class _Ended(KeyboardInterrupt):
    """The process was told to end by SIGTERM."""

    def __str__(self) -> str:
        return "SIGTERM"


def run_job(options: JobOptions) -> int:
    """Runs a job, writes its report and returns the exit code of this process.

    That of the job, or ``CHECK_FAILED`` if it ended well and functions failed a check. A job that
    a signal ended is followed by this process.

    Raises
    ------
    SessionError
        If the report cannot be written; before the job runs.
    """
    report = JobReport(
        options.report or "",
        title=options.job.name,
        command=[str(options.job), *options.arguments],
        checks=options.checks,
    )
    report.__enter__()
    if report.address:
        looking = f"nu.attach({os.getpid()}) looks at the job in a notebook while it runs"
        print(f"notebook-udf: {looking}", file=sys.stderr)
    error: BaseException | None = None
    with _ended_by_sigterm():
        try:
            _run(options)
        except BaseException as raised:
            error = raised
    _forget_frames(error, options.job)
    code = _exit_code(error)
    try:
        broken = report.close(error)
        print(f"notebook-udf: {report!r}", file=sys.stderr)
    except Exception as failed:
        # It could be written when the job began. The job's own end is of more worth.
        if not isinstance(failed, SessionError):
            traceback.print_exception(failed)
        print(f"notebook-udf: the report is not complete: {failed}", file=sys.stderr)
        return code or 1
    if options.checks and not report.figures():
        print("notebook-udf: no function was seen, so no check was made", file=sys.stderr)
    for each in broken:
        print(f"notebook-udf: {each}", file=sys.stderr)
    if isinstance(error, _Ended):
        _end_by_sigterm()
    if isinstance(error, KeyboardInterrupt):
        # Python tells it, and ends by the signal when the exit handlers have run.
        _tell_without_our_frames(error)
        raise error
    return CHECK_FAILED if broken and not code else code


def _run(options: JobOptions) -> None:
    """Runs the job's code as ``__main__``, which it stays."""
    where = str(options.job.absolute())
    main = types.ModuleType("__main__")
    main.__dict__.update(
        __file__=where, __cached__=None, __builtins__=__builtins__, __spec__=None,
        __loader__=SourceFileLoader("__main__", where),
    )  # fmt: skip
    sys.modules["__main__"] = main
    sys.argv[:] = [str(options.job), *options.arguments]
    if not getattr(sys.flags, "safe_path", False):
        sys.path[0] = os.path.dirname(os.path.realpath(where))
    with io.open_code(where) as file:
        code = compile(file.read(), where, "exec", dont_inherit=True)
    exec(code, main.__dict__)


def _forget_frames(error: BaseException | None, job: Path) -> None:
    """Leaves our own frames out of a traceback: it begins in the job."""
    trace = error.__traceback__ if error is not None else None
    here = __file__
    while trace is not None and trace.tb_frame.f_code.co_filename == here:
        trace = trace.tb_next
    if error is not None:
        error.__traceback__ = trace


def _exit_code(error: BaseException | None) -> int:
    """The exit code of an ended job, whose error is told as Python tells it."""
    if error is None:
        return 0
    if isinstance(error, SystemExit):
        if error.code is None or isinstance(error.code, int):
            return error.code or 0
        print(error.code, file=sys.stderr)
        return 1
    if not isinstance(error, KeyboardInterrupt):
        # A job may have set another hook.
        sys.excepthook(type(error), error, error.__traceback__)
    return 1


@contextmanager
def _ended_by_sigterm() -> Iterator[None]:
    """In the block SIGTERM raises: by default it ends a process before it can write anything."""
    ours = (
        threading.current_thread() is threading.main_thread()
        and signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
    )
    if ours:
        signal.signal(signal.SIGTERM, _raise_ended)
    try:
        yield
    finally:
        # A job may have set a handler of its own.
        if ours and signal.getsignal(signal.SIGTERM) is _raise_ended:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)


def _raise_ended(number: int, frame: object) -> NoReturn:
    raise _Ended


def _end_by_sigterm() -> None:
    """Ends this process as the signal would have ended the job: at once."""
    sys.stdout.flush()
    sys.stderr.flush()
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    os.kill(os.getpid(), signal.SIGTERM)


def _tell_without_our_frames(error: BaseException) -> None:
    """Has Python tell an error that ends the process with the job's frames alone."""
    hook, trace = sys.excepthook, error.__traceback__
    # What is printed is the error's own trace, which has grown since.
    sys.excepthook = lambda kind, raised, _: hook(kind, raised.with_traceback(trace), trace)
