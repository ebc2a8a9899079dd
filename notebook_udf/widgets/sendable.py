"""Data made fit for a browser."""

from __future__ import annotations

import math
from typing import Any

from notebook_udf.sanitize import plain

_LONGEST = 40_000


def sendable(value: Any) -> Any:
    """The same as JSON can hold it and a page can show it.

    Texts become visible and lose what is beyond 40,000 characters, with a count; numbers that JSON
    has no way to write become None.
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
