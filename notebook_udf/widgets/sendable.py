"""Makes data safe to send to a browser."""

from __future__ import annotations

import math
from typing import Any

from notebook_udf.sanitize import plain

_LONGEST = 40_000


def sendable(value: Any) -> Any:
    """A value that JSON can hold and a page can show.

    Texts are made visible (``plain``) and cut at 40,000 characters, with a count of the rest;
    numbers that JSON has no form for become None.
    """
    match value:
        case str():
            return plain(value, _LONGEST)
        case float():
            return value if math.isfinite(value) else None
        case dict():
            return {plain(str(key), _LONGEST): sendable(each) for key, each in value.items()}
        case list() | tuple():
            return [sendable(each) for each in value]
    return value
