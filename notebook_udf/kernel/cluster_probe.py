"""What a worker says of itself when it is asked; sent to executors by value.

Nothing is imported here but Python's own library, since what is missing there is to be found out.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

# A worker is held for this long, so that others are started beside it.
_HELD_SECONDS = 0.2
_PATIENCE_SECONDS = 2.0


def probe(_rows: Iterator[Any]) -> Iterator[dict[str, Any]]:
    """Yields the facts of the worker that runs it."""
    import os
    import platform
    import sys
    import time

    time.sleep(_HELD_SECONDS)
    yield {
        "host": platform.node(),
        "daemon_pid": os.getppid(),
        "python": platform.python_version(),
        "program": sys.executable,
        "package": _version("notebook-udf"),
        "pyarrow": _version("pyarrow"),
        "daemon": _daemon(os.getppid()),
        "channel": _channel(),
        "memory": int(os.environ.get("NOTEBOOK_UDF_WORKER_MEMORY") or 0),
    }


def _version(package: str) -> str:
    """The version of a package there; "" if it is missing."""
    import importlib.metadata

    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return ""


def _daemon(pid: int) -> str:
    """The module that forked the worker; "" if it cannot be told."""
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            words = file.read().split(b"\0")
        return words[words.index(b"-m") + 1].decode()
    except (OSError, ValueError, IndexError):
        return ""


def _channel() -> str:
    """What keeps the worker from the kernel's channel; "" if it is reached."""
    import json
    import os
    import socket
    import time

    folder = os.environ.get("NOTEBOOK_UDF_CHANNEL", "")
    text = os.environ.get("NOTEBOOK_UDF_CHANNEL_ADDRESS", "")
    try:
        if not text:
            with open(os.path.join(folder, "channel.json"), encoding="ascii") as file:
                text = file.read()
        scheme, _, place = json.loads(text)["endpoint"].partition("://")
        if scheme == "ipc":
            with socket.socket(socket.AF_UNIX) as peer:
                peer.settimeout(_PATIENCE_SECONDS)
                peer.connect(place)
        else:
            host, _, port = place.rpartition(":")
            socket.create_connection((host, int(port)), _PATIENCE_SECONDS).close()
    except (OSError, ValueError, KeyError) as error:
        return f"{error}, at {time.strftime('%H:%M:%S')}"
    return ""
