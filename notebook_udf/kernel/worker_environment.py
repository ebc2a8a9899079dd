"""The environment variables by which workers find the session that they work for.

They travel with the functions that are planned, and so stay off Spark's environment page.
"""

from __future__ import annotations

import os
from pathlib import Path

from notebook_udf.kernel.arguments import import_paths
from notebook_udf.pool.exit_report import KERNEL_VARIABLE
from notebook_udf.pool.spark_worker import MEMORY_VARIABLE
from notebook_udf.telemetry.receiver import Receiver
from notebook_udf.telemetry.wire import ADDRESS_VARIABLE, CHANNEL_VARIABLE
from notebook_udf.worker.runtime.quarantine_store import QUARANTINE_VARIABLE


def worker_environment(
    folder: Path,
    receiver: Receiver | None,
    *,
    memory: int | None,
    quarantine: str | None,
    python_path: str,
) -> dict[str, str]:
    """The variables of a session's workers.

    Parameters
    ----------
    folder, receiver
        The session's; without a receiver those of workers on this machine.
    memory
        Bytes that each worker may take for itself; None without a limit.
    quarantine
        The place of bad rows; None for the session's folder.
    python_path
        Where workers look for modules already.
    """
    # Modules that stand beside the notebook have to be found by the workers as well.
    paths = os.pathsep.join(filter(None, [*import_paths(), python_path]))
    variables = {
        CHANNEL_VARIABLE: str(folder),
        KERNEL_VARIABLE: str(os.getpid()),
        MEMORY_VARIABLE: str(memory or 0),
        "PYTHONPATH": paths,
    }
    if receiver is not None and receiver.host:
        variables[ADDRESS_VARIABLE] = receiver.address.text()
    if quarantine is not None:
        variables[QUARANTINE_VARIABLE] = quarantine
    return variables
