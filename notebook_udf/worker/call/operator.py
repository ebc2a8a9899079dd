"""What Spark pickles of ours: functions, and how one Python node of a plan runs them.

An operator is made by the planner with payloads alone. Unpickled in a worker it has a call for
each of them, announced to the task that begins.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Generic, TypeVar

from notebook_udf.specs.payload import Shipment
from notebook_udf.worker.call.function_call import FunctionCall, announce

Spec = TypeVar("Spec")
Call = TypeVar("Call", bound=FunctionCall)


class Operator(Generic[Spec, Call]):
    """Some functions in one Python node; derived classes say what becomes of rows.

    Parameters
    ----------
    spec
        How the functions are run, as the planner has it.
    payloads
        The functions.
    calls
        The same in a worker; none where the operator is on its way.
    """

    def __init__(
        self, spec: Spec, payloads: Iterable[Shipment], calls: Iterable[Call] = ()
    ) -> None:
        self.spec = spec
        self.payloads = tuple(payloads)
        self.calls = list(calls)

    def __reduce__(self) -> tuple[Any, ...]:
        return _arrive, (type(self), self.spec, self.payloads)

    @classmethod
    def call_of(cls, spec: Spec, place: int, payload: Shipment) -> FunctionCall:
        """One of the functions as it is called; a pass pairs no results with rows."""
        return FunctionCall(payload, in_pass=True)


def _arrive(
    kind: type[Operator[Any, Any]], spec: Any, payloads: tuple[Shipment, ...]
) -> Operator[Any, Any]:
    calls = [announce(kind.call_of(spec, place, each)) for place, each in enumerate(payloads)]
    return kind(spec, payloads, calls)


__all__ = ["Operator"]
