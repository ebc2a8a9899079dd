"""The environment that travels with a task, where none was sent with its functions.

Spark Connect sends none, and in a Spark that is adopted there are functions from before. Then it is
a conf of the session. A worker takes it over before it looks for its channel, once: Spark gives
each session of a server workers of its own.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping
from pathlib import Path

from notebook_udf.errors import SessionError
from notebook_udf.telemetry.wire import CHANNEL_VARIABLE, ENVIRONMENT_CONF

_entered = ""


def enter_environment(properties: Mapping[str, str]) -> bool:
    """Takes over the variables among a task's properties; returns whether they are new.

    Raises
    ------
    SessionError
        If this worker has those of another session.
    """
    global _entered
    text = properties.get(ENVIRONMENT_CONF) or ""
    if not text or text == _entered:
        return False
    channel = os.environ.get(CHANNEL_VARIABLE)
    if channel and Path(channel).exists():
        if not _entered:
            # One that came with the functions.
            return False
        raise SessionError(
            "this worker has reported to another session of notebook-udf on the same Spark Connect "
            "session, and can report to one only: let each kernel open a Connect session of its own"
        )
    variables: dict[str, str] = json.loads(text)
    _entered = text
    os.environ.update(variables)
    # Read by Python when it starts, which was before.
    paths = variables.get("PYTHONPATH", "").split(os.pathsep)
    sys.path += [path for path in paths if path and path not in sys.path]
    return True
