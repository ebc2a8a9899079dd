"""The kinds of functions, and how the kind of a declared function is found.

All that is special about a kind is in its own file here. A new kind is one more entry in
``KINDS``; CONTRIBUTING.md tells what goes with it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from notebook_udf.errors import DeclarationError
from notebook_udf.functions.adopted_function import adopt
from notebook_udf.functions.definition import FunctionDefinition
from notebook_udf.functions.function_class import kind_of_class
from notebook_udf.functions.spark_objects import spark_object
from notebook_udf.kernel.kinds.aggregate_kind import AggregateKind, TableAggregateKind
from notebook_udf.kernel.kinds.async_kind import AsyncKind
from notebook_udf.kernel.kinds.function_kind import Candidate, FunctionKind
from notebook_udf.kernel.kinds.process_kind import ProcessKind
from notebook_udf.kernel.kinds.scalar_kind import ScalarKind
from notebook_udf.kernel.kinds.table_kind import TableKind
from notebook_udf.registry import RegisteredFunction

if TYPE_CHECKING:
    from notebook_udf.kernel.notebook_session import Session

# By name. If several kinds claim a function, the last one takes it; the first is the fallback.
KINDS: dict[str, type[FunctionKind]] = {
    kind.traits.name: kind
    for kind in (ScalarKind, TableKind, AggregateKind, TableAggregateKind, AsyncKind, ProcessKind)
}


def kind_of(session: Session, record: RegisteredFunction) -> FunctionKind:
    """The ``FunctionKind`` of a registered function."""
    return KINDS[record.kind](session, record)


def declare(f: Any, *, kind: str | None = None, **options: Any) -> FunctionDefinition:
    """The definition of anything a user may register; its kind follows from the code.

    Of a function object of PySpark's it follows from the object.

    Parameters
    ----------
    kind
        The expected kind, as the ``option`` of its traits; another one is an error.

    Raises
    ------
    DeclarationError
        As ``udf``, ``udtf`` and ``udaf``; also if the kind is another one.
    """
    definition = f if isinstance(f, FunctionDefinition) else _declared(f, kind, options)
    if kind is not None and kind != definition.traits.option:
        raise DeclarationError(
            f"{definition.name} is {definition.traits.articled} function by its code, not of kind "
            f"{kind}"
        )
    return definition


def _declared(f: Any, wanted: str | None, options: dict[str, Any]) -> FunctionDefinition:
    found = spark_object(f)
    if found is not None:
        return adopt(found, **options)
    if "coerce" in options:
        raise DeclarationError(
            "coerce is for function objects of PySpark's own: a function declared here has results "
            "of its type, and another is an error"
        )
    candidate = Candidate(f, kind_of_class(f), wanted, options)
    fallback, *others = KINDS.values()
    chosen = next((each for each in reversed(others) if each.claims(candidate)), fallback)
    definition: FunctionDefinition = chosen.declare(f, **options)
    return definition


__all__ = ["KINDS", "FunctionKind", "declare", "kind_of"]
