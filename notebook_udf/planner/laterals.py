"""Table functions in queries: LATERAL, LATERAL VIEW and calls in FROM, as passes over rows.

In each SELECT the relations that stand before a call become an inner query of the columns that
are needed; the calls that follow each other go over its rows in one pass (``tables``), and a view
of what they made takes the place of all of them. So a LEFT JOIN LATERAL is an outer join with or
without ON, and what stands around it, aggregates and scalar functions included, is planned as in
any other query.

What cannot be brought into this form (a TABLE argument, a lateral subquery, a call below an outer
query's columns) is left to Spark's own UDTF where that answers right.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from pyspark.errors import AnalysisException
from pyspark.sql import DataFrame
from sqlglot import exp

from notebook_udf.errors import PlanningError
from notebook_udf.planner import lateral_pass
from notebook_udf.planner.calls import name_of, nested_queries, position
from notebook_udf.planner.catalog import Catalog
from notebook_udf.planner.creating import cache_table, create_view
from notebook_udf.planner.dialect import parsed, text
from notebook_udf.planner.from_calls import (
    hoist,
    items,
    lateral_call,
    relation,
    standing_call,
)
from notebook_udf.planner.inner import Unfit
from notebook_udf.planner.spark_names import column_names
from notebook_udf.planner.tables import Untravelled
from notebook_udf.registry import RegisteredFunction

# What Spark would refuse, and what it would answer wrong where there is no ON.
_VIEW = re.compile(r"(?is)\bLATERAL\s+VIEW\b")
_LEFT = re.compile(r"(?is)\bLEFT\s+(OUTER\s+)?JOIN\s+LATERAL\b")


class Laterals:
    """Plans the table functions of one query.

    Parameters
    ----------
    query
        The text, for the positions in messages.
    functions
        The table functions, by lower-case name.
    around
        The session's side.
    run
        Plans a query that calls none of them.
    steady
        Whether an expression may as well be computed earlier.
    aggregates
        The aggregate functions, by lower-case name, which Spark does not know.
    """

    def __init__(
        self,
        query: str,
        functions: Mapping[str, RegisteredFunction],
        around: Catalog,
        run: Callable[[str], DataFrame],
        steady: Callable[[exp.Expression], bool],
        aggregates: Mapping[str, RegisteredFunction],
    ) -> None:
        self._query = query
        self._functions = functions
        self._around = around
        self.view = around.view
        self._run = run
        self.steady = steady
        self._aggregates = aggregates
        self._doubt: Exception | None = None
        self._renamed = False

    def rows(self) -> DataFrame | None:
        """The rows of the query; None if Spark is to have it as it is.

        Raises
        ------
        PlanningError
            For a construct that neither a pass nor Spark can run, naming it and its place.
        """
        tree = self._planned()
        if tree is None:
            return None
        if isinstance(tree, exp.Create) and tree.kind == "VIEW":
            return create_view(tree, self._query, "table", lambda made: self._run(text(made)))
        if isinstance(tree, exp.Cache) and tree.expression is not None:
            return cache_table(tree, lambda made: self._run(text(made)), self._around.run)
        try:
            rows = self._run(text(tree))
            names = None
            if self._renamed and isinstance(tree, exp.Query):
                names = column_names(self._query, self._aggregates, self._around)
        except AnalysisException:
            self._say_why(tree)
            if _VIEW.search(self._query):
                raise
            # Its message is to be about the query as it was written; the parser has put an ON
            # where one was missing.
            return self._run(text(parsed(self._query))) if _LEFT.search(self._query) else None
        return rows if names is None or names == rows.columns else rows.toDF(*names)

    def _say_why(self, tree: exp.Expression) -> None:
        """Says of a call that was left to Spark, which has refused it, why it was."""
        left = [node for node in tree.walk() if name_of(node) in self._functions]
        if left and isinstance(self._doubt, Unfit) and str(self._doubt):
            name = self._functions[name_of(left[0])].name
            raise PlanningError(f"{position(left[0], self._query)}{name}: {self._doubt}") from None

    def _planned(self) -> exp.Expression | None:
        """The query with views in the place of calls.

        Raises
        ------
        PlanningError
            For a construct that neither a pass nor Spark can run, naming it and its place.
        """
        try:
            tree = parsed(self._query)
        except PlanningError:
            # Spark reads more than the parser does: TABLE arguments with PARTITION BY, say.
            if _VIEW.search(self._query) or _LEFT.search(self._query):
                raise
            return None
        if isinstance(tree, exp.Command):
            return None
        made = tree.copy()
        self._visit(made, [])
        self._check(made)
        return made

    def _visit(self, node: exp.Expression, ctes: list[exp.Expression]) -> None:
        """Rewrites what it can, innermost first."""
        visible = list(ctes)
        own = node.args.get("with_")
        for cte in own.expressions if own is not None else []:
            self._visit(cte.this, visible)
            visible.append(cte)
        for nested in nested_queries(node):
            if own is None or nested.find_ancestor(exp.With) is not own:
                self._visit(nested, visible)
        if isinstance(node, exp.Select):
            hoist(node)
            self._standing_alone(node, visible)
            while self._first_lateral(node, visible):
                pass

    def _standing_alone(self, select: exp.Select, visible: list[exp.Expression]) -> None:
        for item in items(select):
            call = standing_call(item, self._functions, self._query)
            if call is None:
                continue
            try:
                view = lateral_pass.alone(call, self, visible)
            except (Unfit, AnalysisException) as error:
                self._doubt = error
                continue
            table = relation(item)
            table.set("this", exp.to_identifier(view))
            if table.args.get("alias") is None:
                table.set("alias", exp.TableAlias(this=exp.to_identifier(call.qualifier)))

    def _first_lateral(self, select: exp.Select, visible: list[exp.Expression]) -> bool:
        """Rewrites the first run of lateral calls; whether there was one that could be."""
        found = (lateral_call(item, self._functions, self._query) for item in items(select))
        if not any(found):
            return False
        made = select.copy()
        try:
            renamed = lateral_pass.rewrite(made, self, visible, self._functions, self._query)
        except (Unfit, AnalysisException, Untravelled) as error:
            self._doubt = error
            return False
        self._renamed |= renamed
        for name in {*select.args, *made.args}:
            select.set(name, made.args.get(name))
        return True

    def run(self, query: exp.Expression, visible: Sequence[exp.Expression]) -> DataFrame:
        """The rows of a part of the query, below these tables of WITH."""
        shown = [text(cte) for cte in visible]
        prefix = f"WITH {', '.join(shown)} " if shown else ""
        return self._run(prefix + text(query))

    def _check(self, tree: exp.Expression) -> None:
        """Says what Spark would not, of calls that are left."""
        for node in tree.walk():
            record = self._functions.get(name_of(node))
            if record is None:
                continue
            at = position(node, self._query)
            if isinstance(node.parent, exp.Lateral) and node.parent.args.get("view"):
                raise PlanningError(
                    f"{at}LATERAL VIEW {record.name}(...) cannot be planned here: {self._reason()}"
                )
            if isinstance(node.parent, (exp.Lateral, exp.Table)):
                if isinstance(self._doubt, Untravelled):
                    raise self._doubt
                continue
            raise PlanningError(
                f"{at}{record.name} is a table function and stands where a value is wanted: call "
                f"it in FROM, as in FROM t, LATERAL {record.name}(...)"
            )

    def _reason(self) -> str:
        if self._doubt is None or not str(self._doubt):
            return "write it as FROM t, LATERAL f(...), with a name for every relation"
        return str(self._doubt).partition("\n")[0]


__all__ = ["Laterals"]
