"""What a function is asked for where it stands."""

from __future__ import annotations

from typing import Literal, TypeAlias

# What a function is asked for: a value for a row; the partial accumulators of a partition; a value
# for a list of accumulators, for a list of a group's rows, for a group's sums, for its values
# alone, or for accumulators and rows; a value for every row's frame; rows for a row. A scalar one
# also: for the rows that reach it; for the elements of lists, or of lists of lists. A process
# function: for the records of a partition.
Role: TypeAlias = Literal[
    "scalar", "table", "partial", "merge", "whole", "summed", "gathered", "folded", "window",
    "guarded", "each", "each2", "process",
]  # fmt: skip
