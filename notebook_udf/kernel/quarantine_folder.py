"""Where a session keeps the quarantined rows of its functions.

In the place that the user gave; else on one machine in the session's folder, and on a cluster
beside Spark's warehouse, which all of its machines reach.
"""

from __future__ import annotations

import logging
import os
import time
import uuid
from pathlib import Path

from notebook_udf.errors import DeclarationError, SessionError
from notebook_udf.host.changes import Changes
from notebook_udf.host.host import Host
from notebook_udf.worker.runtime.quarantine_store import QUARANTINE_VARIABLE, QuarantineStore

_log = logging.getLogger("notebook_udf")

_BESIDE = "notebook-udf-quarantine"

# Spark's own warehouse, unless one is set: in the folder where the driver was started, which other
# machines lack.
_UNSET = "/spark-warehouse"


class QuarantineFolder:
    """Where one session keeps the rows.

    Parameters
    ----------
    given
        What ``given_folder`` made of the user's; what is there outlives the session.
    folder
        The session's.

    Attributes
    ----------
    store
        What is there.
    """

    def __init__(self, given: str | None, folder: Path, host: Host, changes: Changes) -> None:
        self.store = QuarantineStore(given or str(folder / "quarantine"))
        self._host = host
        self._changes = changes
        self._is_settled = given is not None
        self._beside: QuarantineStore | None = None

    def settle(self) -> None:
        """Finds a place that the workers reach; called when a function asks for one.

        Raises
        ------
        SessionError
            If nothing can be written beside the warehouse.
        """
        if self._is_settled or self._host.cluster.shares_files:
            return
        warehouse = self._host.settings.sql.get("spark.sql.warehouse.dir") or ""
        place = beside(warehouse)
        if place is not None:
            store = QuarantineStore(place)
            try:
                store.prepare()
            except OSError as error:
                raise SessionError(
                    f'there is no place for rows that on_error="quarantine" sets aside: beside '
                    f"Spark's warehouse, {warehouse}, nothing can be written ({error}). Start the "
                    "session with quarantine_path=, a place that this machine and all workers reach"
                ) from error
            self._changes.environment(QUARANTINE_VARIABLE, place)
            self.store = self._beside = store
        self._is_settled = True

    def release(self) -> None:
        """Removes what it made beside the warehouse: it goes with the session."""
        if self._beside is None:
            return
        try:
            self._beside.remove()
        except OSError as error:
            _log.warning("quarantined rows were left at %s: %s", self._beside.path(), error)


def given_folder(place: str | os.PathLike[str] | None) -> str | None:
    """A new folder below the place that was given, made here so that a mistake shows at once."""
    if place is None:
        return None
    text = os.fspath(place)
    if "://" not in text:
        # Workers on other machines reach it by the same path, or not at all; then they say so.
        text = Path(text).expanduser().absolute().as_uri()
    made = f"{text.rstrip('/')}/{_new_name()}"
    try:
        QuarantineStore(made).prepare()
    except (OSError, ValueError) as error:
        raise DeclarationError(
            f"quarantine_path={os.fspath(place)!r} cannot be written to: {error}"
        ) from error
    return made


def beside(warehouse: str) -> str | None:
    """A new folder beside a warehouse; None if only the driver's machine has that."""
    warehouse = warehouse.rstrip("/")
    # As Hadoop writes the address of a path: with one slash, or without a scheme.
    path = warehouse.removeprefix("file:")
    if path.startswith("/"):
        if path.endswith(_UNSET):
            return None
        warehouse = "file:///" + path.lstrip("/")
    parent, slash, _ = warehouse.rpartition("/")
    if not slash or parent.endswith(("/", ":")):
        # A bucket as a whole: beside it there is nothing.
        parent = warehouse
    return f"{parent}/{_BESIDE}/{_new_name()}" if "://" in parent else None


def _new_name() -> str:
    return f"{time.strftime('%Y%m%d-%H%M%S')}-{uuid.uuid4().hex[:8]}"
