"""Table functions that share a pass: what comes in and what leaves."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class TableStep:
    """One function's share.

    Attributes
    ----------
    arguments
        Places among the columns that come in and, behind those, of all that earlier steps made.
    names
        Parameters of the last arguments, where those are given by name.
    outer
        Whether an input without rows keeps a row, with NULLs.
    """

    arguments: tuple[int, ...]
    names: tuple[str, ...] = ()
    outer: bool = False


@dataclass(frozen=True)
class TableLayout:
    """What comes in and what leaves.

    Attributes
    ----------
    width
        How many columns come in.
    steps
        The functions' shares, in order.
    leaving
        Places of the columns that leave, counted as in ``Step.arguments``; at least one.
    names
        Their names.
    ends
        Name of a last column that is true in a row of NULLs behind the last step's rows for each
        of its inputs; "" for no such rows.
    """

    width: int
    steps: tuple[TableStep, ...]
    leaving: tuple[int, ...]
    names: tuple[str, ...]
    ends: str = ""
