"""Table functions in queries: LATERAL, LATERAL VIEW and calls in FROM, as passes over rows.

In each SELECT the relations that stand before a call become an inner query of the columns that
are needed; the calls that follow each other go over its rows in one pass (``table``), and a view
of what they made takes the place of all of them. So a LEFT JOIN LATERAL is an outer join with or
without ON, and what stands around it, aggregates and scalar functions included, is planned as in
any other query.

What cannot be brought into this form (a TABLE argument, a lateral subquery, a call below an outer
query's columns) is left to Spark's own UDTF where that answers right.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Literal

from pyspark.errors import AnalysisException
from pyspark.sql import DataFrame
from sqlglot import exp

from notebook_udf.errors import PlanningError
from notebook_udf.planner.analysis.aggregate_calls import (
    calls_any,
    name_of,
    nested_queries,
    position,
)
from notebook_udf.planner.analysis.derived_table import Unfit, put_in_place
from notebook_udf.planner.analysis.spark_column_names import column_names
from notebook_udf.planner.analysis.table_calls import (
    hoist,
    items,
    lateral_call,
    relation,
    standing_call,
)
from notebook_udf.planner.output_schema import alike
from notebook_udf.planner.physical.table import Untravelled
from notebook_udf.planner.planning_context import PlanningContext
from notebook_udf.planner.rules import correlated_select
from notebook_udf.planner.rules.create_view import cache_table, create_view
from notebook_udf.planner.syntax.dialect import text
from notebook_udf.planner.syntax.nodes import CacheTable, CreateView
from notebook_udf.planner.syntax.with_clause import own_with
from notebook_udf.registry import RegisteredFunction


class Laterals:
    """Plans the table functions of one query.

    Parameters
    ----------
    tree
        The query, as it was read.
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
        tree: exp.Expression,
        functions: Mapping[str, RegisteredFunction],
        around: PlanningContext,
        run: Callable[[exp.Expression], DataFrame],
        steady: Callable[[exp.Expression], bool],
        aggregates: Mapping[str, RegisteredFunction],
    ) -> None:
        self._read = tree
        self._functions = functions
        self._around = around
        self.view = around.view
        self.listed = around.listed
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
        if isinstance(tree, CreateView):
            return create_view(tree, "table", self._run)
        if isinstance(tree, CacheTable):
            return cache_table(tree, self._run, self._around.run)
        try:
            rows = self._run(tree)
            names = None
            if self._renamed and isinstance(tree, exp.Query):
                names = column_names(self._read, self._aggregates, self._around)
        except AnalysisException:
            self._say_why(tree)
            if needs_pass(self._read, self._functions) == "view":
                raise
            # Its message is to be about the query as it was written.
            made = self._read.copy()
            return self._run(made) if _give_conditions(made, self._functions) else None
        rows = rows if names is None or names == rows.columns else rows.toDF(*names)
        return self._as_spark_would(rows)

    def _as_spark_would(self, rows: DataFrame) -> DataFrame | None:
        """The rows, if their columns are those of Spark's own form of the query, where it has one
        that answers right."""
        if not isinstance(self._read, exp.Query):
            # Asking would be doing it.
            return rows
        if calls_any(self._read, self._aggregates) or needs_pass(self._read, self._functions):
            return rows
        try:
            return alike(rows, self._around.ask(text(self._read)))
        except AnalysisException:
            return rows

    def _say_why(self, tree: exp.Expression) -> None:
        """Says of a call that was left to Spark, which has refused it, why it was."""
        left = [node for node in tree.walk() if name_of(node) in self._functions]
        if left and isinstance(self._doubt, Unfit) and str(self._doubt):
            name = self._functions[name_of(left[0])].name
            raise PlanningError(f"{position(left[0])}{name}: {self._doubt}") from None

    def _planned(self) -> exp.Expression | None:
        """The query with views in the place of calls.

        Raises
        ------
        PlanningError
            For a construct that neither a pass nor Spark can run, naming it and its place.
        """
        if isinstance(self._read, exp.Command):
            return None
        made = self._read.copy()
        self._visit(made, [])
        _give_conditions(made, self._functions)
        self._check(made)
        return made

    def _visit(self, node: exp.Expression, ctes: list[exp.Expression]) -> None:
        """Rewrites what it can, innermost first."""
        visible = list(ctes)
        own = own_with(node)
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
            call = standing_call(item, self._functions)
            if call is None:
                continue
            try:
                view = correlated_select.alone(call, self, visible)
            except (Unfit, AnalysisException) as error:
                self._doubt = error
                continue
            table = relation(item)
            table.set("this", exp.to_identifier(view))
            if table.args.get("alias") is None:
                table.set("alias", exp.TableAlias(this=exp.to_identifier(call.qualifier)))

    def _first_lateral(self, select: exp.Select, visible: list[exp.Expression]) -> bool:
        """Rewrites the first run of lateral calls; whether there was one that could be."""
        found = (lateral_call(item, self._functions) for item in items(select))
        if not any(found):
            return False
        made = select.copy()
        try:
            renamed = correlated_select.rewrite(made, self, visible, self._functions)
        except (Unfit, AnalysisException, Untravelled) as error:
            self._doubt = error
            return False
        self._renamed |= renamed
        put_in_place(select, made)
        return True

    def run(self, query: exp.Expression, visible: Sequence[exp.Expression]) -> DataFrame:
        """The rows of a part of the query, below these tables of WITH."""
        if not visible:
            return self._run(query)
        made = query.copy()
        own = made.args.get("with_")
        if own is not None:
            made = exp.Select(
                expressions=[exp.Star()], from_=exp.From(this=exp.Subquery(this=made))
            )
        recursive = any(c.parent is not None and c.parent.args.get("recursive") for c in visible)
        tables = [cte.copy() for cte in visible]
        made.set("with_", exp.With(expressions=tables, recursive=recursive))
        return self._run(made)

    def _check(self, tree: exp.Expression) -> None:
        """Says what Spark would not, of calls that are left."""
        for node in tree.walk():
            record = self._functions.get(name_of(node))
            if record is None:
                continue
            at = position(node)
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


def needs_pass(
    tree: exp.Expression, functions: Mapping[str, RegisteredFunction]
) -> Literal["", "view", "join"]:
    """What of a query Spark cannot be left with: it refuses LATERAL VIEW of a Python function, and
    takes a LEFT JOIN LATERAL without ON for an inner one."""
    found: Literal["", "join"] = ""
    for lateral in tree.find_all(exp.Lateral):
        if name_of(lateral.this) not in functions:
            continue
        if lateral.args.get("view"):
            return "view"
        join = lateral.parent
        if isinstance(join, exp.Join) and join.side == "LEFT" and join.args.get("on") is None:
            found = "join"
    return found


def may_need_pass(query: str) -> bool:
    """The same of a text that cannot be read; it may say yes where there is nothing of the kind."""
    return re.search(r"(?i)\bLATERAL\s+VIEW\b|\bLEFT\b.*?\bLATERAL\b", query, re.DOTALL) is not None


def _give_conditions(tree: exp.Expression, functions: Mapping[str, RegisteredFunction]) -> bool:
    """Puts ON TRUE behind the LEFT JOIN LATERALs of functions that have no ON; whether there were
    any."""
    found = False
    for join in tree.find_all(exp.Join):
        lateral = join.this
        if not isinstance(lateral, exp.Lateral) or name_of(lateral.this) not in functions:
            continue
        if join.side == "LEFT" and join.args.get("on") is None:
            join.set("on", exp.true())
            found = True
    return found
