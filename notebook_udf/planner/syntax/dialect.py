"""Parses Spark's SQL to a tree and writes a tree as text: the door of this package."""

from __future__ import annotations

from sqlglot import exp

from notebook_udf.errors import PlanningError
from notebook_udf.planner.syntax.nodes import forget_origins, note_origins, origin_of
from notebook_udf.planner.syntax.statements import Statements
from notebook_udf.planner.syntax.tokens import Unreadable
from notebook_udf.planner.syntax.writer import Canonical, Explicit, Fresh, Writer


def read(query: str, *, double_quoted_identifiers: bool = False) -> exp.Expression:
    """Parses a query; each node knows which part of the text it was read from.

    ``double_quoted_identifiers`` is what Spark's setting of that name says.

    Raises
    ------
    PlanningError
        If it is not understood, with the place.
    """
    try:
        reader = Statements(query, double_quoted_identifiers=double_quoted_identifiers)
        tree = reader.whole()
    except Unreadable as error:
        raise PlanningError(
            f"{place_in(query, error.place)}the query calls functions of this package and cannot "
            f"be read: {error}"
        ) from None
    except RecursionError:
        raise PlanningError(
            "the query calls functions of this package, and its parentheses are nested too deeply "
            "to be read: compute a part of it in a view and select from that"
        ) from None
    note_origins(tree)
    origin = origin_of(tree)
    assert origin is not None
    origin.whole = True
    return tree


def fragment(sql: str) -> exp.Expression:
    """Parses an expression, aliased or not, that a rule writes as text; it has no origin."""
    return forget_origins(Statements(sql).named_expression())


def select(sql: str) -> exp.Select:
    """Parses a SELECT that a rule writes as text."""
    made = forget_origins(Statements(sql).select())
    assert isinstance(made, exp.Select)
    return made


def text(node: exp.Expression) -> str:
    """A tree as Spark's SQL; unchanged parts are written as they were typed."""
    return Writer().whole(node)


def embedded(node: exp.Expression) -> str:
    """The same, to be embedded in other text: without the comments around a query."""
    return Writer().text(node)


def in_fewest_forms(node: exp.Expression) -> str:
    """A tree written again, in the form in which Spark nearly always names an expression."""
    return Fresh().text(node)


def canonical(node: exp.Expression) -> str:
    """The canonical text of an expression, the same for all spellings; it identifies equal
    calls."""
    return Canonical().text(node)


def written_out(tree: exp.Expression) -> str:
    """A tree written out again and in full, with parentheses that show how it was read."""
    return Explicit().text(tree)


def place_in(query: str, place: int) -> str:
    """``line 3, column 5: `` for a position in a query."""
    before = query[:place]
    return f"line {before.count(chr(10)) + 1}, column {place - before.rfind(chr(10))}: "
