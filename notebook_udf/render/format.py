"""Formats numbers for people; ``format.ts`` of the browser's scripts formats them alike."""

from __future__ import annotations


def counted(number: float, thing: str) -> str:
    """A number of things: ``1 row``, ``2,000 rows``; floats are rounded to whole numbers."""
    return f"{number:,.0f} {thing}{'' if number == 1 else 's'}"


def number(value: float) -> str:
    """A measured number: ``1,235``, ``0.0125``."""
    return f"{value:,.0f}" if 1000 <= abs(value) < 1e15 else f"{value:.4g}"


def seconds(value: float) -> str:
    """A time: ``3 min 20 s``, ``1.25 s``, ``12.3 ms``."""
    if value >= 60:
        return f"{int(value // 60):,} min {int(value % 60)} s"
    return f"{value:,.2f} s" if value >= 1 else f"{value * 1e3:,.1f} ms"


def nanoseconds(value: float) -> str:
    """A time given in nanoseconds, in the form of ``seconds``."""
    return seconds(value / 1e9)


def percent(share: float, digits: int = 0) -> str:
    """A part of one: ``12 %``."""
    return f"{100 * share:.{digits}f} %"


def versioned(function: str, version: int) -> str:
    """A function with its version; that of Spark's own, which is 0, is none."""
    return f"{function} v{version}" if version else function


def size(count: float) -> str:
    """A number of bytes: ``1.5 MiB``."""
    for unit in ("B", "KiB", "MiB", "GiB"):
        if count < 1024:
            return f"{count:,.0f} {unit}" if unit == "B" else f"{count:,.1f} {unit}"
        count /= 1024
    return f"{count:,.1f} TiB"


def megabytes(count: int) -> str:
    """Memory in the unit of memory limits, 1,048,576 bytes: ``512 MB``."""
    return f"{count / (1 << 20):,.0f} MB"
