"""Where a worker finds the channel's address, and puts its logs and its position.

That is the session's folder. Where it cannot be seen, because the kernel runs on another machine
or in another container, it is a folder made here, with the address that travelled with the
functions.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

from notebook_udf.telemetry.wire import ADDRESS_VARIABLE, CHANNEL_VARIABLE, ChannelAddress

_PREFIX = "nudf-worker-"


def find_or_make() -> Path | None:
    """The folder, named in this process's environment from now on; None without a session.

    Raises
    ------
    ValueError
        If the address that travelled is none.
    OSError
        If no folder can be made.
    """
    session, address = os.environ.get(CHANNEL_VARIABLE), os.environ.get(ADDRESS_VARIABLE)
    if not session or not address or (Path(session) / "channel.json").exists():
        return Path(session) if session else None
    folder = Path(tempfile.mkdtemp(prefix=_PREFIX))
    (folder / "workers").mkdir(mode=0o700)
    ChannelAddress.of_text(address).write(folder)
    os.environ[CHANNEL_VARIABLE] = str(folder)
    return folder


def is_gone() -> bool:
    """Whether this process's environment names a folder whose session is over."""
    folder = os.environ.get(CHANNEL_VARIABLE)
    return folder is not None and not os.path.isdir(folder)


def forget() -> None:
    """Names no folder any more."""
    os.environ.pop(CHANNEL_VARIABLE, None)


def remove_if_made(folder: Path | None) -> None:
    """Removes a folder that was made here; a session's own is the kernel's to remove."""
    if folder is not None and folder.name.startswith(_PREFIX):
        shutil.rmtree(folder, ignore_errors=True)
