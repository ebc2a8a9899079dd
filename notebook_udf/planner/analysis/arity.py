"""Checks that each call has as many arguments as its function takes.

Spark does not check it, and the function would raise in a worker, at the first row.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from sqlglot import exp

from notebook_udf.errors import PlanningError
from notebook_udf.planner.analysis.aggregate_calls import arguments_of, name_of, position
from notebook_udf.planner.syntax.nodes import TableArgument
from notebook_udf.registry import RegisteredFunction
from notebook_udf.render.format import counted


def check_calls(tree: exp.Expression, functions: Mapping[str, RegisteredFunction]) -> None:
    """Checks every call in a query; ``functions`` by their names in lower case.

    Raises
    ------
    PlanningError
        For the first with too few arguments or too many, with its place.
    """
    for node in tree.walk():
        record = functions.get(name_of(node))
        if record is None:
            continue
        arguments = arguments_of(node)
        if len(arguments) == 1 and isinstance(arguments[0], exp.Distinct):
            arguments = list(arguments[0].expressions)
        # A star stands for any number, and what a table brings is one argument of several parts.
        if not any(each.find(exp.Star, TableArgument) for each in arguments):
            named = [each.this.name for each in arguments if isinstance(each, exp.Kwarg)]
            check(record, len(arguments), named, where=position(node))


def check(
    record: RegisteredFunction, given: int, named: Iterable[str] = (), *, where: str = ""
) -> None:
    """Checks one call, by the number of its arguments and the names of those that have one.

    A name that no parameter has is an error of its own, raised where names are resolved. ``where``
    is put before the message.

    Raises
    ------
    PlanningError
        If it is given too few arguments or too many.
    """
    least, most = record.definition.arity
    if least <= given and (most is None or given <= most):
        return
    if set(named) - set(record.definition.parameters):
        return
    takes = counted(least, "argument")
    if most is None:
        takes = f"at least {takes}"
    elif most != least:
        takes = f"{least} to {counted(most, 'argument')}"
    call = f"{record.name}({', '.join(record.definition.parameters)})"
    raise PlanningError(f"{where}{call} takes {takes}, and is given {given}")
