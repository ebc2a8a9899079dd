"""Replay: calls a function in the kernel with the row it failed on."""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING, Any

from notebook_udf.errors import FailedRow, RemoteError, SessionError
from notebook_udf.kernel.kinds import kind_of
from notebook_udf.kernel.observed_failures import replay_observed
from notebook_udf.telemetry.records import OBSERVED, CallFailed

if TYPE_CHECKING:
    from notebook_udf.kernel.notebook_session import Session


def replay(session: Session, name: str, error: Any = None) -> Any:
    """The function's result for the failing row; raises what the function raises."""
    # IPython then shows the user's frames only.
    __tracebackhide__ = True
    observed = _observed(session, name, error)
    if observed is not None:
        return replay_observed(observed)
    record = session.functions[name]
    failed = _chosen(session, record.name, error)
    version = session.functions.version(name, failed.version)
    if version is None and failed.version:
        raise SessionError(
            f"version {failed.version} of {record.name}, which failed, is no longer kept: the last "
            f"is {record.version}; call it with {dict(failed.arguments)}"
        )
    if failed.row < 0:
        raise SessionError(f"the failure of {record.name} belongs to no single row")
    if not failed.pickled_arguments:
        raise SessionError(
            f"the arguments of {record.name} were too large to keep or could not be pickled; "
            f"they looked like {dict(failed.arguments)}"
        )
    # From the session's own workers, over a channel that only they have the key to.
    arguments = pickle.loads(failed.pickled_arguments)
    return kind_of(session, version or record).replay(failed.method, arguments)


def _observed(session: Session, name: str, error: Any) -> CallFailed | None:
    """The failure that is meant, if it is of a function of PySpark's own API; of two functions of
    one name the one that failed last."""
    if isinstance(error, str):
        record = session.store.failure(error)
    elif (card := getattr(error, "_nu_card", error)) is not None:
        failed = card.failed if isinstance(card, RemoteError) else None
        record = None if failed is None else session.store.failure(failed.error_id)
    else:
        failures = session.store.failures(name)
        record = failures[-1] if failures else None
    return record if record is not None and OBSERVED in record.extra else None


def _chosen(session: Session, name: str, error: Any) -> FailedRow:
    if isinstance(error, RemoteError) and error.failed is not None:
        return error.failed
    if isinstance(error, str):
        record = session.store.failure(error)
        if record is None:
            raise SessionError(f"no error {error!r} is known of this session")
        return record.failed
    failures = [record.failed for record in session.store.failures(name)]
    if not failures:
        raise SessionError(f"{name} has not failed in this session")
    # Others, such as a failure of open(), have no row to call with.
    return next((failed for failed in reversed(failures) if failed.row >= 0), failures[-1])
