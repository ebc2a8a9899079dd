"""Opens the Spark of a session that is not given one: in a JVM of its own, or through Connect."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from notebook_udf.errors import DeclarationError, SessionError
from notebook_udf.host.changes import Changes
from notebook_udf.host.host import Host
from notebook_udf.host.sessions import host_of
from notebook_udf.kernel.worker_environment import worker_environment
from notebook_udf.launch.confs import is_local
from notebook_udf.launch.warehouse import Warehouse

_TABLES_END = (
    "managed tables end with this session: through Spark Connect they cannot be brought back"
)


@dataclass(frozen=True)
class OpenedSpark:
    """A Spark that was opened.

    Attributes
    ----------
    place
        The folder for what Spark would else write beside the notebooks; None if there is none.
    warehouse
        The same, if managed tables are kept in it.
    is_elsewhere
        Whether only a session was opened, on a server that ran before.
    notes
        What the user has to know about it.
    """

    host: Host
    place: Warehouse | None = None
    warehouse: Warehouse | None = None
    is_elsewhere: bool = False
    notes: tuple[str, ...] = ()


def open_spark(
    folder: Path,
    *,
    remote: str | None,
    app_name: str,
    master: str,
    conf: Mapping[str, str],
    archive: Path | None,
    memory: int | None,
    quarantine: str | None,
) -> OpenedSpark:
    """Starts Spark, or opens a session of the Spark Connect server at ``remote``.

    ``memory`` and ``quarantine`` are for its workers, see ``worker_environment``.

    Raises
    ------
    DeclarationError
        If ``remote`` is neither an address nor ``local[N]``.
    SessionError
        If Spark does not start, or nobody listens at the address.
    """
    if remote is None:
        from notebook_udf.host.classic.spark_start import start

        started = start(folder, app_name=app_name, master=master, conf=conf, archive=archive)
        kept = started.place if started.keeps_tables else None
        return OpenedSpark(host_of(started.spark), started.place, kept, notes=started.notes)
    _check_installed()
    from notebook_udf.host.connect.connect_start import connect, start_local

    if remote.startswith("sc://"):
        return OpenedSpark(connect(remote), is_elsewhere=True)
    if not is_local(remote):
        raise DeclarationError(
            f"remote={remote!r} is neither sc://host:port, the address of a Spark Connect server, "
            f"nor local[N], which starts one"
        )
    environment = worker_environment(
        folder, None, memory=memory, quarantine=quarantine, python_path=""
    )
    opened = start_local(
        folder, app_name=app_name, master=remote, conf=conf, environment=environment
    )
    notes = (*opened.server.notes, *((_TABLES_END,) if opened.keeps_no_tables else ()))
    return OpenedSpark(opened.host, opened.server.place, notes=notes)


def abandon(host: Host | None, changes: Changes | None, *, own: bool) -> None:
    """Lets go of a Spark whose session cannot begin; ``own`` if it was opened for that."""
    if host is None:
        return
    if not own and changes is not None:
        changes.undo()
    if own and host.frames.frame_class is not None:
        host.stop()
    host.leave()


def _check_installed() -> None:
    """Raises an error that says how to install what Spark Connect needs, if that is missing."""
    missing = [name for name in ("grpc", "grpc_status", "google.rpc") if not _is_there(name)]
    if missing:
        raise SessionError(
            f"Spark Connect needs packages that are not installed ({', '.join(missing)}): "
            f"pip install notebook-udf[connect]"
        )


def _is_there(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except (ImportError, ValueError):
        return False
