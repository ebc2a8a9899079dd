"""An aggregate function's ``accumulate`` as a gathering of values.

Pure data, made by ``compile.gathering`` and read by what gathers the values instead of Python:
which argument a row puts into which list or set of the accumulator, and on which rows.
"""

from __future__ import annotations

from dataclasses import dataclass

from notebook_udf.functions.sum_ir import Slot


@dataclass(frozen=True)
class Gathered:
    """What goes into one list, or into a set if they are ``distinct``.

    Attributes
    ----------
    slot
        Where the list is in the accumulator; None for an accumulator that is one.
    place
        The position of the argument that a row puts into it.
    nulls
        Of which arguments it has to be None, and of which it must not be, that a row does so.
    """

    slot: Slot
    distinct: bool
    place: int
    nulls: tuple[tuple[int, bool], ...] = ()

    @property
    def may_have_none(self) -> bool:
        """Whether None is put into it, where the argument is None."""
        return dict(self.nulls).get(self.place, True)


@dataclass(frozen=True)
class GatheredValues:
    """An aggregate function that puts arguments into lists and sets, and does nothing else.

    ``parameters`` are how many arguments it names; more may follow if it is ``variadic``.
    """

    parts: tuple[Gathered, ...]
    parameters: int
    variadic: bool
