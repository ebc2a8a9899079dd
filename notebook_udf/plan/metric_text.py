"""Parses Spark's texts of metrics as numbers.

A count is ``1,000``; a size or a time is ``2.2 KiB``, ``609 ms``, and over several tasks
``total (min, med, max (stageId: taskId))`` with the values on a line of their own.
"""

from __future__ import annotations

import re

from notebook_udf.plan.plan_model import Metric, Unit

_UNITS: dict[str, Unit] = {
    "sum": "rows", "average": "rows", "size": "bytes", "timing": "seconds", "nsTiming": "seconds",
}  # fmt: skip
_SCALES = {
    "": 1.0, "B": 1.0, "KiB": 2.0**10, "MiB": 2.0**20, "GiB": 2.0**30, "TiB": 2.0**40,
    "PiB": 2.0**50, "EiB": 2.0**60,
    "ns": 1e-9, "µs": 1e-6, "us": 1e-6, "ms": 1e-3, "s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0,
}  # fmt: skip
_VALUE = r"(-?[\d,.]+(?:E[+-]?\d+)?)\s*([A-Za-zµ]*)"
_SPREAD = re.compile(
    rf"(?:{_VALUE}\s*)?\(\s*{_VALUE},\s*{_VALUE},\s*{_VALUE}\s*(?:\(([^)]*)\))?\s*\)"
)


def read_metric(name: str, kind: str, text: str) -> Metric | None:
    """Parses a metric; None if the text is not in Spark's form.

    Parameters
    ----------
    kind
        Spark's ``metricType``.
    text
        The text on Spark's own page.
    """
    unit = _UNITS.get(kind, "rows")
    line = text.strip().rpartition("\n")[2]
    spread = _SPREAD.fullmatch(line)
    if spread is not None:
        total, scale, *rest, place = spread.groups()
        least, median, most = (_number(rest[i], rest[i + 1]) for i in (0, 2, 4))
        if least is None or median is None or most is None:
            return None
        value = _number(total, scale) if total is not None else median
        if value is None:
            return None
        return Metric(name, unit, value, line, least, median, most, place or "")
    plain = re.fullmatch(_VALUE, line)
    value = _number(*plain.groups()) if plain is not None else None
    return None if value is None else Metric(name, unit, value, line)


def _number(digits: str, scale: str) -> float | None:
    try:
        return float(digits.replace(",", "")) * _SCALES[scale]
    except (ValueError, KeyError):
        return None
