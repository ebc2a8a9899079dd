"""How much is measured: all, or so little that a great loss is seen within minutes.

With ``NOTEBOOK_UDF_BENCHMARKS_SMALL=1`` in the environment there are an eighth of the rows and
groups, one in twelve of the ordinary functions, and a third of each bar: what a query costs once is
a larger part of it then. Such figures are not kept.
"""

from __future__ import annotations

import os

SMALL = os.environ.get("NOTEBOOK_UDF_BENCHMARKS_SMALL", "") not in ("", "0")
_PART = 8 if SMALL else 1


def sized(count: int) -> int:
    """So many rows or groups, or a part of them."""
    return count // _PART


def bar(at_least: float) -> float:
    """What a quotient has to reach."""
    return at_least / 3 if SMALL else at_least


def millions(rows: int) -> str:
    """A number of rows as figures name it: ``2 M``."""
    return f"{rows / 1_000_000:g} M"


__all__ = ["SMALL", "bar", "millions", "sized"]
