"""Calls of a function that a session knows with their arguments: what failed, and what was slow."""

from __future__ import annotations

import pickle
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from notebook_udf.errors import SessionError, UserFunctionError
from notebook_udf.kernel.kinds import kind_of
from notebook_udf.kernel.observed_failures import copy_of, is_changed
from notebook_udf.registry import RegisteredFunction
from notebook_udf.telemetry.records import OBSERVED, CallFailed

if TYPE_CHECKING:
    from notebook_udf.kernel.notebook_session import Session

BEFORE = -1
_SECONDS_TO_SETTLE = 2.0


@dataclass(frozen=True)
class KnownCall:
    """A call that a worker, or Spark's JVM, has made.

    Attributes
    ----------
    arguments
        As a test gives them: those of an aggregate are a group's rows, in a list.
    version
        The version of the function that was called; ``BEFORE`` of one that has no versions and was
        changed since.
    where
        Its place in the run, in words.
    raised
        The class name of the exception that it raised; "" if it is not known to have raised one.
    """

    arguments: tuple[Any, ...]
    version: int
    where: str
    raised: str = ""


def known_calls(
    session: Session, record: RegisteredFunction, *, rows: int, failed: bool
) -> tuple[list[KnownCall], list[str]]:
    """At most ``rows`` calls that failed and as many others, newest first, and notes on the rest.

    ``failed`` leaves the others out.

    Raises
    ------
    SessionError
        If there are none, with what to do.
    """
    bundles = session.store.bundles()
    if bundles:
        # What a worker says of its last bundle comes after its rows.
        session.store.wait_settled(bundles[-1].task.query, _SECONDS_TO_SETTLE)
    left: Counter[str] = Counter()
    seen: set[str] = set()
    calls = list(_first(_failed(session, record, left), rows, seen))
    if not failed:
        calls += _first(_sampled(session, record), rows, seen)
    notes = [f"{count} left out: {why}" for why, count in left.items()]
    if calls:
        return calls, notes
    what = "has failed" if failed else "is known"
    said = f"no call of {record.name} {what} in this session that a test could repeat"
    if record.name not in session.functions:
        said += ". Of functions of PySpark's own API only calls that failed are kept"
    elif not failed:
        said += (
            ". Rows are kept of bundles that took a worker more than 1 ms, and none of calls that "
            "run in Spark's JVM or as Spark's own sums: declare the function with compile=False "
            "and run the query again"
        )
    raise SessionError("\n".join([said, *notes]))


def _first(calls: Iterator[KnownCall], most: int, seen: set[str]) -> Iterator[KnownCall]:
    """The first calls with arguments that have not been seen."""
    for call in calls:
        if most == 0:
            return
        if repr(call.arguments) not in seen:
            seen.add(repr(call.arguments))
            most -= 1
            yield call


def _failed(
    session: Session, record: RegisteredFunction, left: Counter[str]
) -> Iterator[KnownCall]:
    kind = kind_of(session, record)
    for each in reversed(session.store.failures(record.name)):
        failed, why = each.failed, _unrepeatable(each)
        call, version = None, failed.version
        if not why and OBSERVED in each.extra:
            call, version, why = _observed(each)
        elif not why:
            # From the session's own workers, over a channel that only they have the key to.
            call = kind.failed_call(failed.method, pickle.loads(failed.pickled_arguments))
            why = f"{failed.method} failed for what many rows had led to"
        if call is None:
            left[why] += 1
            continue
        # Keys of groups are values, which may have to be masked.
        position = replace(failed, group=()).position if failed.has_position else "no known row"
        yield KnownCall(call, version, f"Failed at {position}.", failed.exception)


def _observed(record: CallFailed) -> tuple[tuple[Any, ...] | None, int, str]:
    """What a function of PySpark's own API was called with and in which version, or why a test
    cannot repeat it."""
    copy = copy_of(record)
    if copy is None or copy.iterators:
        return None, 0, "what it iterated over is not known from its begin"
    return tuple(copy.arguments), BEFORE if is_changed(copy.function) else 0, ""


def _unrepeatable(record: CallFailed) -> str:
    """Why a test cannot repeat a failed call, in words; "" if it can."""
    failed = record.failed
    if record.error != UserFunctionError.__name__:
        return f"{failed.exception} is Spark's or the worker's, and no call by itself raises it"
    if failed.row < 0 and OBSERVED not in record.extra:
        return "the failure belongs to no single row"
    if not failed.pickled_arguments:
        return "the arguments were too large to keep, or could not be pickled"
    return ""


def _sampled(session: Session, record: RegisteredFunction) -> Iterator[KnownCall]:
    kind = kind_of(session, record)
    for sample in reversed(session.store.samples(record.name)):
        where = f"bundle {sample.bundle} of partition {sample.task.partition}"
        for each in sample.calls:
            if each.function != record.name:
                continue
            for arguments in kind.sampled_calls(pickle.loads(each.pickled)):
                yield KnownCall(arguments, each.version, f"Among the first rows of {where}.")
