"""The operator: what Spark pickles for one Python node of a plan, functions and how they are run.

The planner makes it with payloads alone. Unpickled in a worker it has a call for each payload,
announced to the task that begins.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Generic, TypeVar

from notebook_udf.specs.payload import Shipment
from notebook_udf.worker.call.function_call import FunctionCall, announce

Spec = TypeVar("Spec")
Call = TypeVar("Call", bound=FunctionCall)


class Operator(Generic[Spec, Call]):
    """Some functions in one Python node; derived classes say how rows are processed.

    Parameters
    ----------
    spec
        How the functions are run, as the planner has it.
    payloads
        The functions.
    calls
        The calls of the functions in a worker; none before it arrives there.
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
        """The call of one function; an operator over whole rows pairs no results with rows."""
        return FunctionCall(payload, in_pass=True)


def _arrive(
    kind: type[Operator[Any, Any]], spec: Any, payloads: tuple[Shipment, ...]
) -> Operator[Any, Any]:
    calls = [announce(kind.call_of(spec, place, each)) for place, each in enumerate(payloads)]
    return kind(spec, payloads, calls)
