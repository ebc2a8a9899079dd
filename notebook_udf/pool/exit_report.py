"""Tells the kernel how a worker ended, and clears what it left in the session's folder."""

from __future__ import annotations

import contextlib
import os
import time
from pathlib import Path

import psutil

from notebook_udf.errors import ProtocolError
from notebook_udf.telemetry.records import Hogged, WorkerExited
from notebook_udf.telemetry.wire import ADDRESS_VARIABLE, ChannelAddress
from notebook_udf.worker.runtime.progress_file import read_position

# The kernel's process id, so that the daemon can tell a stopped session from a killed kernel.
KERNEL_VARIABLE = "NOTEBOOK_UDF_KERNEL"
# How many logs of ended workers are kept.
MOST_LOGS = 100
_OUTPUT_TAIL_BYTES = 8192
# How long a report of a worker's exit may take to reach the kernel.
_REPORT_MS = 10_000


def report_exit(
    folder: Path | None, pid: int, status: int, requested: bool, hogged: Hogged | None
) -> None:
    """Tells the kernel how a worker ended, from a short-lived process."""
    code = os.waitstatus_to_exitcode(status)
    if folder is None:
        return
    with contextlib.suppress(OSError):
        if os.fork() == 0:
            try:
                exited, number = (code, None) if code >= 0 else (None, -code)
                send_exit(folder, pid, exited, number, requested=requested, hogged=hogged)
            finally:
                os._exit(0)


def send_exit(
    folder: Path,
    pid: int,
    code: int | None,
    number: int | None,
    *,
    requested: bool,
    hogged: Hogged | None,
) -> None:
    """Tells the kernel of an end by an exit code or a signal, neither where nobody has seen it."""
    from notebook_udf.telemetry.sender import Sender

    try:
        address = ChannelAddress.read(folder)
    except ProtocolError:
        return
    output = _output(folder, pid)
    noted = folder / "workers" / f"{pid}.position"
    position = read_position(noted)
    for file in (noted, folder / "workers" / f"{pid}.native"):
        file.unlink(missing_ok=True)
    drop_old_logs(folder / "workers", pid)
    sender = Sender(address)
    sender.send(
        WorkerExited(
            pid=pid,
            time=time.time(),
            exit_code=code,
            signal=number,
            requested=requested,
            output=output,
            position=position,
            hogged=hogged,
        )
    )
    # On a machine that is busy the connection alone takes seconds.
    sender.close(linger_ms=0 if kernel_is_gone() else _REPORT_MS)


def drop_old_logs(workers: Path, pid: int) -> None:
    """Removes the log of a worker that has ended if it is empty, and all but the newest of others
    that have."""
    with contextlib.suppress(OSError):
        own = workers / f"{pid}.log"
        if not own.stat().st_size:
            own.unlink()
    with contextlib.suppress(OSError):
        ended = [log for log in workers.glob("*.log") if not log.with_suffix(".native").exists()]
        # One that is starting has written nothing.
        found = sorted((one.st_mtime, log) for log in ended if (one := log.stat()).st_size)
        for _, log in found[:-MOST_LOGS]:
            log.unlink()


def kernel_is_gone() -> bool:
    """Whether the kernel has ended, without stopping its session; False if it is elsewhere."""
    kernel = int(os.environ.get(KERNEL_VARIABLE) or 0)
    return ADDRESS_VARIABLE not in os.environ and kernel > 0 and not is_alive(kernel)


def _output(folder: Path, pid: int) -> str:
    """The last lines a worker wrote."""
    tail = b""
    for kind in ("log", "native"):
        with contextlib.suppress(OSError), open(folder / "workers" / f"{pid}.{kind}", "rb") as file:
            file.seek(max(0, os.fstat(file.fileno()).st_size - _OUTPUT_TAIL_BYTES))
            tail += file.read()
    return tail.decode("utf-8", "backslashreplace")


def is_alive(pid: int) -> bool:
    """Whether a process runs; one that is dead and not yet reaped does not."""
    try:
        return bool(psutil.Process(pid).status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False
