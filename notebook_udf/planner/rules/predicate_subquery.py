"""EXISTS and IN whose subquery calls a function with columns of both queries.

Spark makes joins of them, and runs a Python condition over both sides of those for inner joins
only. Here the FROM of the outer SELECT gets a column for each, which says for every row what EXISTS
or IN says, NULL included (``pairs.marked``).
"""

from __future__ import annotations

from sqlglot import exp

from notebook_udf.errors import PlanningError
from notebook_udf.planner.analysis.aggregate_calls import position, within
from notebook_udf.planner.analysis.derived_table import Unfit
from notebook_udf.planner.analysis.reachability import conjuncts
from notebook_udf.planner.analysis.scalar_calls import ScalarCalls
from notebook_udf.planner.analysis.scope import Scope, ScopeColumn, Scopes, flattened
from notebook_udf.planner.rules.join_condition import JoinSource, over_both
from notebook_udf.planner.rules.mark_join import marked

# What an inner SELECT cannot have: its rows would not be those of its FROM and WHERE.
_UNFIT = (
    "with_", "laterals", "group", "having", "qualify", "windows", "offset", "connect", "match",
    "pivots", "sample",
)  # fmt: skip


def subqueries(node: exp.Expression, calls: ScalarCalls) -> list[exp.Expression]:
    """The EXISTS and IN under a node whose subquery calls a function."""
    found = []
    for each in within(node):
        query = _query_of(each)
        if query is not None and any(calls.record(below) for below in query.walk()):
            found.append(each)
    return found


def suspects(select: exp.Select, calls: ScalarCalls) -> list[exp.Expression]:
    """Those of a SELECT in whose place a column of its FROM may stand."""
    if select.args.get("from_") is None:
        return []
    where = select.args.get("where")
    nodes = [] if calls.is_grouped(select) else list(select.expressions)
    nodes += [where] if where is not None else []
    return [found for node in nodes for found in subqueries(node, calls)]


def marked_subqueries(select: exp.Select, calls: ScalarCalls, scopes: Scopes) -> bool:
    """Puts columns in the place of EXISTS and IN; whether there were any that need it.

    One that cannot be taken apart stays as it is.
    """
    changed = False
    source = JoinSource(select, calls, scopes)
    for node in suspects(select, calls):
        try:
            changed |= _Marked(node, source).done()
        except Unfit:
            continue
    if changed:
        source.write()
    return changed


def refused_subquery(node: exp.Expression, calls: ScalarCalls) -> PlanningError:
    """What to say of a subquery that neither Spark nor this package can run."""
    query = _query_of(node)
    assert query is not None
    call = next(each for each in query.walk() if calls.record(each) is not None)
    record = calls.record(call)
    assert record is not None
    kind = "EXISTS" if isinstance(node, exp.Exists) else "IN"
    return PlanningError(
        f"{position(call)}{record.name} stands over both queries in the subquery of "
        f"{kind}, which cannot be taken apart: let it be SELECT, FROM and WHERE alone, or join "
        f"the pairs in a subquery with JOIN"
    )


class _Marked:
    """One EXISTS or IN."""

    def __init__(self, node: exp.Expression, source: JoinSource) -> None:
        self._node = node
        self._source = source
        self._calls = source.calls
        self._scopes = source.scopes

    def done(self) -> bool:
        query = _query_of(self._node)
        if not isinstance(query, exp.Select):
            raise Unfit("its rows come from several SELECTs")
        if query.args.get("from_") is None:
            return False
        inner = JoinSource(query, self._calls, self._scopes)
        theirs, mine = inner.scope(), self._source.scope()
        where = query.args.get("where")
        parts = conjuncts(where.this) if where is not None else []
        own = [part for part in parts if not _refers_out(part, theirs)]
        shared = [flattened(p, theirs, mine) for p in parts if _refers_out(p, theirs)]
        equal = self._equal(query, theirs, mine)
        if not any(over_both(p, mine, theirs, self._calls) for p in (*shared, *equal)):
            return False
        self._check(query, theirs)
        value = None
        if equal and not self._filters():
            value = exp.and_(*equal)
        else:
            shared += equal
        costly = [part for part in shared if over_both(part, mine, theirs, self._calls)]
        cheap = [part for part in shared if not any(part is c for c in costly)]
        left, right = self._source.side(mine), inner.side(theirs, own)
        name = self._scopes.name("mark")
        rows = marked(left, right, cheap, costly, value, name)
        mine.entries.append(ScopeColumn(name, "", name, visible=False))
        self._source.replace(rows, mine)
        self._node.replace(exp.column(name))
        return True

    def _filters(self) -> bool:
        """Whether a row for which it is NULL is left out like one for which it is false."""
        where = self._source.select.args.get("where")
        return where is not None and any(p.unnest() is self._node for p in conjuncts(where.this))

    def _equal(self, query: exp.Select, theirs: Scope, mine: Scope) -> list[exp.Expression]:
        """What IN compares, column by column."""
        if not isinstance(self._node, exp.In):
            return []
        left = self._node.this.unnest()
        values = left.expressions if isinstance(left, exp.Tuple) else [left]
        columns: list[exp.Expression] = []
        for projection in query.expressions:
            if isinstance(projection, exp.Star):
                columns += [exp.column(entry.flat) for entry in theirs.star]
            elif projection.is_star:
                raise Unfit("a star stands for some of its columns")
            else:
                columns.append(flattened(projection.unalias(), theirs, mine))
        if len(values) != len(columns):
            raise Unfit("it compares another number of columns than it selects")
        return [
            exp.EQ(this=exp.paren(flattened(value, mine)), expression=exp.paren(column))
            for value, column in zip(values, columns, strict=True)
        ]

    def _check(self, query: exp.Select, theirs: Scope) -> None:
        if any(query.args.get(name) for name in _UNFIT) or self._calls.is_grouped(query):
            raise Unfit("it has more than SELECT, FROM and WHERE")
        limit = query.args.get("limit")
        if limit is not None:
            number = limit.expression
            positive = isinstance(number, exp.Literal) and number.is_int and int(number.name) > 0
            if not positive or isinstance(self._node, exp.In):
                raise Unfit("it has a LIMIT")
        for join in query.args.get("joins") or []:
            condition = join.args.get("on")
            if condition is not None and _refers_out(condition, theirs):
                raise Unfit("a condition of its joins names a column of the outer query")


def _refers_out(node: exp.Expression, scope: Scope) -> bool:
    """Whether an expression names a column that is none of the scope's."""
    columns = [each for each in within(node) if isinstance(each, exp.Column)]
    return any(scope.resolve(column) is None for column in columns)


def _query_of(node: exp.Expression) -> exp.Expression | None:
    """The query of EXISTS or IN, without parentheses."""
    query = node.args.get("query") if isinstance(node, exp.In) else None
    if isinstance(node, exp.Exists):
        query = node.this
    while isinstance(query, (exp.Subquery, exp.Paren)):
        query = query.this
    return query if isinstance(query, exp.Query) else None
