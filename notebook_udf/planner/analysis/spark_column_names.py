"""The names that Spark gives the columns of a query that calls aggregate functions.

Spark is asked for them, with the user's own text: each call in it is replaced by a built-in
aggregate of the same arguments, below an expression of the call's type, and is put back into the
names::

    CASE WHEN isnull(count('begin', v, 'end') FILTER ...) THEN CAST(NULL AS ...) ... END
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from pyspark.errors import AnalysisException
from sqlglot import exp

from notebook_udf.planner.analysis.aggregate_calls import arguments_of, name_of
from notebook_udf.planner.planning_context import PlanningContext
from notebook_udf.planner.syntax.dialect import text
from notebook_udf.planner.syntax.nodes import call, cast
from notebook_udf.registry import RegisteredFunction
from notebook_udf.types import ddl


def column_names(
    tree: exp.Expression, aggregates: Mapping[str, RegisteredFunction], catalog: PlanningContext
) -> list[str] | None:
    """The names of a query's columns, or None where Spark does not analyse it."""
    made = tree.copy()
    calls = [node for node in made.walk() if name_of(node) in aggregates]
    records = [aggregates[name_of(node)] for node in calls]
    # From the innermost, so that a call is replaced with those in its arguments.
    for number in reversed(range(len(calls))):
        _stand_in(number, calls[number], records[number])
    try:
        columns = catalog.ask(text(made)).columns
    except AnalysisException:
        return None
    for number, record in enumerate(records):
        columns = [_put_back(number, record, name) for name in columns]
    return list(columns)


def _marks(number: int) -> tuple[str, str, str]:
    return f"_nu_begin{number}_", f"_nu_end{number}_", f"_nu_tail{number}_"


def _stand_in(number: int, node: exp.Expression, record: RegisteredFunction) -> None:
    """Replaces a call by a built-in aggregate, below an expression of its type."""
    begin, end, tail = map(exp.Literal.string, _marks(number))
    arguments = [a.expression if isinstance(a, exp.Kwarg) else a for a in arguments_of(node)]
    if len(arguments) == 1 and isinstance(arguments[0], exp.Distinct):
        arguments = [exp.Distinct(expressions=[begin, *arguments[0].expressions, end])]
    else:
        arguments = [begin, *arguments, end]
    outer = node
    while isinstance(outer.parent, (exp.Filter, exp.Window)) and outer.parent.this is outer:
        outer = outer.parent
    counted = call("count", *arguments)
    if outer is node:
        whole: exp.Expression = counted
    else:
        node.replace(counted)
        whole = outer.copy()
    typed = cast(exp.Null(), ddl(record.definition.value_type))
    never = exp.EQ(this=tail, expression=exp.Literal.string(""))
    outer.replace(
        exp.Case(
            ifs=[
                exp.If(this=call("isnull", whole), true=typed),
                exp.If(this=never, true=exp.Null()),
            ]
        )
    )


def _put_back(number: int, record: RegisteredFunction, name: str) -> str:
    """A column's name with the call in it as Spark would write it."""
    begin, end, tail = _marks(number)
    counted = rf"count\((DISTINCT |distinct )?{begin}(?:, (.*?))?, {end}\)"
    closed = rf".*? WHEN \({tail} = \) THEN NULL END"

    def shown(match: re.Match[str]) -> str:
        distinct, arguments, rest = (part or "" for part in match.groups())
        return f"{record.name}({distinct}{arguments}){rest}"

    name = re.sub(rf"CASE WHEN \({counted}(.*?) IS NULL\) THEN CAST\(NULL AS{closed}", shown, name)
    # Inside the name of a Python function Spark has another form for everything.
    return re.sub(rf"CASE WHEN isnull\({counted}(.*?)\) THEN cast\(NULL as{closed}", shown, name)
