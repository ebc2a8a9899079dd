"""The derived table that a rewritten SELECT reads: an inner query of just the needed columns.

``two_phase_aggregate`` and ``window_aggregate`` put it below a SELECT, have workers process its
rows, and let the SELECT read the result.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

from pyspark.sql import DataFrame
from sqlglot import exp

from notebook_udf.planner.analysis.aggregate_calls import AggregateCall
from notebook_udf.planner.planning_context import NamingContext
from notebook_udf.planner.syntax.nodes import table

# What of a SELECT makes its rows.
SOURCE = ("from_", "joins", "laterals", "where", "sample")


# What a SELECT with calls of scalar functions cannot have when its clauses are taken apart.
UNFIT = ("qualify", "windows", "connect", "match", "pivots", "sort", "distribute", "cluster")


class Unfit(Exception):
    """This SELECT cannot be rewritten, and is left as it is; the text, if any, says why."""


class Surroundings(NamingContext, Protocol):
    """What a rule needs to know of the query around a SELECT.

    Attributes
    ----------
    streams
        Whether the query reads a stream.
    """

    streams: bool

    def calls(self, select: exp.Expression) -> list[AggregateCall]:
        """The calls that belong to the SELECT."""

    def collected(self, call: AggregateCall) -> exp.Expression:
        """A call as an expression over collected rows."""

    def run(self, query: exp.Expression, *, inside: bool) -> DataFrame:
        """The rows of a query beside the SELECT, or ``inside`` it."""


@dataclass
class Columns:
    """Expressions of the inner query, and their names there; equal ones share a name."""

    prefix: str
    expressions: list[exp.Expression] = field(default_factory=list)

    def place(self, expression: exp.Expression) -> int:
        """The index of an expression; added if it is new."""
        if expression not in self.expressions:
            self.expressions.append(expression.copy())
        return self.expressions.index(expression)

    def name(self, expression: exp.Expression) -> str:
        """The name of an expression's column."""
        return f"{self.prefix}{self.place(expression)}"

    def column(self, expression: exp.Expression) -> exp.Column:
        """The column of an expression."""
        return exp.column(self.name(expression))

    def at(self, place: int) -> exp.Column:
        """The column at an index."""
        return exp.column(f"{self.prefix}{place}")

    def aliased(self) -> list[exp.Expression]:
        """The projections of the inner query."""
        return [
            exp.alias_(expression.copy(), f"{self.prefix}{place}")
            for place, expression in enumerate(self.expressions)
        ]


def inner_query(select: exp.Select, projections: list[exp.Expression]) -> exp.Select:
    """A query with these projections over the rows that the SELECT reads."""
    made = exp.Select(expressions=projections or [exp.alias_(exp.Literal.number(0), "_nu_none")])
    for name in SOURCE:
        value = select.args.get(name)
        if isinstance(value, list):
            made.set(name, [each.copy() for each in value])
        elif value is not None:
            made.set(name, value.copy())
    return made


def read_instead(select: exp.Select, view: str) -> None:
    """Replaces the source of the SELECT by a view."""
    for name in SOURCE:
        select.set(name, None)
    select.set("from_", exp.From(this=table(view)))


def put_in_place(select: exp.Select, made: exp.Select) -> None:
    """Gives the SELECT, where it stands, the clauses of another one."""
    for name in {*select.args, *made.args}:
        select.set(name, made.args.get(name))


def source_columns(select: exp.Select, around: Surroundings) -> list[str]:
    """The names of the columns that ``*`` stands for."""
    return list(around.run(inner_query(select, [exp.Star()]), inside=True).columns)


def expand_stars(select: exp.Select, around: Surroundings) -> None:
    """Expands a bare ``*`` to the columns of the source.

    Raises
    ------
    Unfit
        If two of them have the same name, or the star is qualified or leaves columns out.
    """
    for projection in list(select.expressions):
        if not projection.is_star:
            continue
        names = source_columns(select, around)
        plain = isinstance(projection, exp.Star) and not any(projection.args.values())
        if not plain or len({name.lower() for name in names}) < len(names):
            raise Unfit
        projection.replace([exp.column(exp.to_identifier(name, quoted=True)) for name in names])
