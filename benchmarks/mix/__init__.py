"""Ordinary scalar functions, as people write them for Spark, each with the place its idea is from.

They were looked for in public repositories and pages, taken for being ordinary before any of them
was measured, and written anew. Most are Python functions that somebody hands to Spark; some do per
row what the source does in Scala, with Spark's own columns, or in Python without Spark. What is in
the lists stays in them however fast it runs.

Half of them may be looked at to make this project faster; the other half, kept apart, tells whether
that helps functions nobody looked at. The rule of the split: in the alphabetical order of the names
of all, the first, third, fifth and so on are developed on, the others kept apart.
"""

from __future__ import annotations

from benchmarks.mix.developed import CASES as DEVELOPED
from benchmarks.mix.kept_apart import CASES as KEPT_APART

__all__ = ["DEVELOPED", "KEPT_APART"]
