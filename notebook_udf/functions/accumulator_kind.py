"""Whether an aggregate function's methods change an accumulator in place or return a new one."""

from __future__ import annotations

import datetime as dt
import numbers
from dataclasses import dataclass
from typing import Any

from notebook_udf.errors import DeclarationError
from notebook_udf.functions.kind_traits import articled

# Values that no method can change in place, so that it has to return a new one.
_UNCHANGEABLE = (
    numbers.Number, str, bytes, tuple, frozenset, type(None), dt.date, dt.time, dt.timedelta,
)  # fmt: skip


@dataclass(frozen=True)
class AccumulatorKind:
    """What a function's fresh accumulator shows about all its accumulators.

    Attributes
    ----------
    function
        Its name, for messages.
    in_place
        Whether methods change it, instead of returning another.
    """

    function: str
    in_place: bool
    may_be_none: bool

    @classmethod
    def of(cls, function: str, fresh: Any) -> AccumulatorKind:
        """The kind of a fresh accumulator."""
        in_place = not (isinstance(fresh, _UNCHANGEABLE) or _is_frozen(fresh))
        return cls(function, in_place, fresh is None)

    def after(self, method: str, accumulator: Any, answer: Any) -> Any:
        """The accumulator to go on with after a method returned ``answer``.

        Raises
        ------
        DeclarationError
            If it returned nothing although the accumulator cannot be changed in place, or
            another object although it can.
        """
        if self.in_place:
            if answer is None or answer is accumulator:
                return accumulator
            raise self.another(method, answer)
        if answer is None and not self.may_be_none:
            raise DeclarationError(
                f"{self.function}.{method} returned None, and "
                f"{articled(type(accumulator).__name__)} cannot be changed in place: return the "
                f"new accumulator, or use a list for it"
            )
        return answer

    def another(self, method: str, answer: Any) -> DeclarationError:
        """The error for a method that returned another object than the one it had to change."""
        return DeclarationError(
            f"{self.function}.{method} returned {articled(type(answer).__name__)} of its own: "
            f"change the accumulator that it is given, and return nothing"
        )


def _is_frozen(value: Any) -> bool:
    parameters = getattr(value, "__dataclass_params__", None)
    return parameters is not None and bool(parameters.frozen)
