"""``session.profile``: samples workers while a query runs, or for some time, and adds it up."""

from __future__ import annotations

import linecache
import sys
import time
import uuid
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from pyspark.sql import DataFrame

from notebook_udf.errors import DeclarationError, PlanningError
from notebook_udf.kernel.kinds import kind_of
from notebook_udf.kernel.sources import frame_of
from notebook_udf.planner.analysis.aggregate_calls import mentions
from notebook_udf.pool.spark_worker import PROFILE_PROPERTY
from notebook_udf.profile.profile_result import Profile
from notebook_udf.profile.sample_counts import SampleCollector, Stack
from notebook_udf.render.format import counted
from notebook_udf.telemetry.kernel_commands import Command
from notebook_udf.telemetry.records import StackSamples

if TYPE_CHECKING:
    from notebook_udf.kernel.notebook_session import Session
    from notebook_udf.registry import RegisteredFunction

# How often workers are told to go on sampling, so that one forked meanwhile begins to.
_SECONDS_BETWEEN = 0.5
# Records take the side channel, and the last of them may arrive a moment after the result.
_SECONDS_TO_SETTLE = 1.0
_LONGEST_LINES = 50_000
_MOST_NAMED = 5

Told = Callable[[str], object]


def profile_query(
    session: Session, query: DataFrame | str, function: str | None, progress: Told
) -> Profile:
    """Runs a query for its profile; see ``Session.profile``."""
    _check_known(session, function)
    jobs, text = session.host.jobs, query if isinstance(query, str) else ""
    with _collecting(session, function) as (name, collector):
        progress("running the query")
        before = jobs.property(PROFILE_PROPERTY)
        jobs.set_property(PROFILE_PROPERTY, name)
        start = time.monotonic()
        try:
            with session.java.in_workers(_mentioned(session, text)) as moved:
                frame = frame_of(session, query)
            if frame.isStreaming:
                raise PlanningError(
                    "a streaming DataFrame is not run for its profile: start it, and profile what "
                    "runs, as in session.profile(seconds=10)"
                )
            if frame.columns:
                frame.write.format("noop").mode("overwrite").save()
        finally:
            jobs.set_property(PROFILE_PROPERTY, before)
        seconds = time.monotonic() - start
        collector.wait_ended(set(), _SECONDS_TO_SETTLE)
        for each in sorted(collector.queries):
            session.store.wait_settled(each, _SECONDS_TO_SETTLE)
    return _made(session, collector, seconds, function, text, _moved(moved))


def _moved(names: Iterable[str]) -> list[str]:
    return [
        f"{name} runs in Spark's JVM; for its lines it ran in Python workers here"
        for name in sorted(names)
    ]


def _mentioned(session: Session, query: str) -> list[RegisteredFunction]:
    """The functions that the text of a query speaks of."""
    known = session.functions.values()
    return [each for each in known if query and mentions(query, {each.name.lower(): each})]


def profile_window(
    session: Session, seconds: float, function: str | None, progress: Told
) -> Profile:
    """Samples whatever runs for so many seconds; see ``Session.profile``."""
    _check_known(session, function)
    if not 0 < seconds <= 3600:
        raise DeclarationError(f"seconds={seconds!r} is not a time between 0 and an hour")
    known = session.functions
    asked = known.values() if function is None else [known[function]]
    with (
        _collecting(session, function) as (name, collector),
        session.java.in_workers(asked) as moved,
    ):
        start = time.monotonic()
        try:
            while (left := start + seconds - time.monotonic()) > 0:
                session.pool.send(Command("profile", argument=f"{name} {left:.3f}"))
                progress(f"profiling what runs, {counted(left, 'more second')}")
                time.sleep(min(_SECONDS_BETWEEN, left))
        finally:
            session.pool.send(Command("profile", argument=f"{name} 0"))
        seconds = time.monotonic() - start
        pids = {worker.pid for worker in session.pool}
        if pids:
            collector.wait_ended(pids, _SECONDS_TO_SETTLE)
    ran = {stack.function for stack in collector.stacks()}
    return _made(session, collector, seconds, function, "", _moved(ran.intersection(moved)))


def _check_known(session: Session, function: str | None) -> None:
    if function is not None and function not in session.functions:
        raise DeclarationError(session.functions.unknown(function))


@contextmanager
def _collecting(session: Session, function: str | None) -> Iterator[tuple[str, SampleCollector]]:
    name = uuid.uuid4().hex
    collector = SampleCollector(name, function)
    unsubscribe = session.store.subscribe(collector.add, (StackSamples,))
    try:
        yield name, collector
    finally:
        unsubscribe()


def _made(
    session: Session,
    collector: SampleCollector,
    seconds: float,
    function: str | None,
    query: str,
    notes: Sequence[str] = (),
) -> Profile:
    stacks = collector.stacks()
    files = {frame.file for stack in stacks for frame in stack.frames if not frame.library} - {""}
    known = {
        record.definition.source.file: record.definition.source.lines
        for name in session.functions
        for record in session.functions.history(name)
    }
    texts = {file: tuple(known.get(file) or linecache.getlines(file)) for file in files}
    notes = [*notes, *_notes(session, stacks, function, query)]
    return Profile(
        stacks=stacks,
        seconds=seconds,
        workers=tuple(sorted(collector.workers)),
        dropped=collector.dropped,
        notes=tuple(notes),
        texts={file: lines[:_LONGEST_LINES] for file, lines in texts.items()},
        titles={file: _title(file) for file in files},
    )


def _title(file: str) -> str:
    """The title of a file: of a cell, its number."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    named = shell.compile.format_code_name(file) if shell is not None else None
    return " ".join(named) if named else file.rpartition("/")[2]


def _notes(
    session: Session, stacks: Sequence[Stack], function: str | None, query: str
) -> Iterator[str]:
    """Notes on functions without lines: why, and how to get some."""
    lined = {
        stack.function.lower() for stack in stacks if any(frame.file for frame in stack.frames)
    }
    seen = {stack.function for stack in stacks}
    names = {function} if function is not None else seen
    if query:
        asked = {each.name for each in _mentioned(session, query)}
        names |= asked if function is None else set()
    for name in sorted(name for name in names if name in session.functions):
        if name.lower() not in lined:
            why = kind_of(session, session.functions[name]).lineless()
            if why:
                yield f"{name} has no lines: {why}"
    if not seen:
        yield (
            "no samples: nothing ran in Python workers of this session, or not for long enough to "
            "be seen (a sample is taken about every 5 ms)"
        )
        in_java = [each.name for each in session.functions.values() if session.java.runs(each)]
        if in_java and not query:
            yield (
                f"functions in Spark's JVM ({', '.join(sorted(in_java)[:_MOST_NAMED])}) are seen "
                f"here if the query is given as a text, or they are declared with compile=False"
            )
