"""The witness of a worker that another daemon than ours has forked.

Only who forked a worker learns how it ended, and Spark's own daemon tells nobody. So a process
waits for the worker's end, has it reported, and clears the folder that was made for the worker. It
is small, since it holds no copy of the worker's memory, and it is no child of the worker: a
function that waits for all its children would wait for it.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from notebook_udf.pool.exit_report import send_exit
from notebook_udf.telemetry.records import TASK_FAILED
from notebook_udf.worker.runtime import channel_folder, forked

# Runs without this package until the worker has ended, and reads all that it says of its end: on
# its standard input, which ends with the worker.
_WAIT = """
import os, sys
if os.fork():
    os._exit(0)
os.setsid()
said = b""
while more := os.read(0, 16):
    said += more
command = ["-m", "notebook_udf.pool.witness", *sys.argv[1:], said.decode()]
os.execv(sys.executable, [sys.executable, *command])
"""
_IDLE, _FAILED = b"i", b"f"


def post(folder: Path) -> Callable[[int], None]:
    """Has a process wait for the end of this one.

    Parameters
    ----------
    folder
        Where this process notes at which rows it is, and what it writes.

    Returns
    -------
    Callable
        Takes the code with which this process is about to exit; without, it has crashed.

    Raises
    ------
    OSError
        If no process can be started.
    """
    heard, line = os.pipe()
    # Of a descriptor alone, the copies that functions fork would keep it open.
    told = os.fdopen(line, "wb", buffering=0)
    forked.contain(told)
    paths = os.pathsep.join(os.path.abspath(path) for path in sys.path if path)
    try:
        subprocess.run(
            [sys.executable, "-I", "-S", "-c", _WAIT, str(folder), str(os.getpid())],
            stdin=heard,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "PYTHONPATH": paths},
            cwd="/",
            check=True,
        )
    except subprocess.SubprocessError as error:
        raise OSError(f"no process could be started: {error}") from error
    finally:
        os.close(heard)

    def tell(code: int) -> None:
        with contextlib.suppress(OSError):
            told.write(_FAILED if code else _IDLE)

    return tell


def main() -> None:
    """Reports an end; the arguments are the folder, the process id and what the worker said."""
    folder, pid, said = Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3].encode()
    code = {_IDLE: 0, _FAILED: TASK_FAILED}.get(said[-1:])
    send_exit(folder, pid, code, None, requested=False, hogged=None)
    channel_folder.remove_if_made(folder)


if __name__ == "__main__":
    main()
