"""Window aggregation: the aggregate functions OVER each window in a pass over sorted rows.

The SELECT's FROM and WHERE become an inner query of the columns it needs; for each PARTITION BY and
ORDER BY its rows are brought together, sorted, and given columns of results by
``worker.aggregate.window``. The SELECT then reads those columns; windows of built-in functions stay
in it.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from pyspark.sql import DataFrame
from sqlglot import exp

from notebook_udf.planner.analysis.aggregate_calls import AggregateCall, name_of, within
from notebook_udf.planner.analysis.derived_table import (
    Columns,
    Surroundings,
    Unfit,
    expand_stars,
    inner_query,
    read_instead,
)
from notebook_udf.planner.analysis.group_by import aliases_of
from notebook_udf.planner.analysis.output_names import name_projections, name_struct_fields
from notebook_udf.planner.physical.aggregate_from_sums import sums_of
from notebook_udf.planner.planning_context import Passes, SortKey
from notebook_udf.planner.rule import Outcome, SelectScope
from notebook_udf.planner.rules.aggregate_choices import outcome, whole_groups
from notebook_udf.planner.syntax.dialect import in_fewest_forms
from notebook_udf.planner.syntax.nodes import cast
from notebook_udf.registry import RegisteredFunction
from notebook_udf.specs.window_layout import WindowFrame, WindowLayout, WindowPart
from notebook_udf.types import is_groupable

_OUTER = ("expressions", "qualify", "order", "sort", "distinct", "cluster", "distribute")


class WindowAggregate:
    """Computes the windows of a SELECT below it; the SELECT then reads columns of results."""

    name = "window_aggregate"

    def apply(self, scope: SelectScope) -> Outcome:
        """See ``Rule``."""
        select, around = scope.select, scope.surroundings
        assert around is not None
        calls = around.calls(select)
        if any(call.window is None for call in calls):
            return None
        windows = _Windows(select.copy(), around, scope.calls.context.passes)
        return outcome(self.name, "window", select, calls, windows.rewritten)


@dataclass
class _Window:
    """Calls over the same rows in the same order."""

    partition: list[exp.Expression]
    order: list[exp.Ordered]
    calls: list[tuple[RegisteredFunction, WindowPart]] = field(default_factory=list)


class _Windows:
    def __init__(self, select: exp.Select, around: Surroundings, passes: Passes) -> None:
        self._select = select
        self._around = around
        self._rows = passes
        self._columns = Columns("_nu_col")
        self._windows: list[_Window] = []
        self._aliases = aliases_of(select)

    def rewritten(self) -> exp.Select:
        select = self._select
        if select.args.get("group") or select.args.get("having") or self._aggregates():
            # The windows then see the groups' rows, not those of FROM.
            raise Unfit("its window is over groups")
        expand_stars(select, self._around)
        name_projections(select)
        name_struct_fields(select)
        _write_out(select)
        calls = self._around.calls(select)
        for call in calls:
            if whole_groups(call):
                call.node.replace(self._around.collected(call))
        calls = self._around.calls(select)
        if not calls:
            raise Unfit
        for call in calls:
            call.node.replace(self._add(call))
        for name in _OUTER:
            self._place_columns(select.args.get(name), ordering=name != "expressions")
        rows = self._around.run(inner_query(select, self._columns.aliased()), inside=True)
        if rows.isStreaming:
            # Rows that go on coming cannot be sorted. Spark says so of the user's own query.
            raise Unfit
        read_instead(select, self._around.view(self._passes(rows)))
        self._around.run(select, inside=False)
        return select

    def _aggregates(self) -> bool:
        built_in = self._around.built_in_aggregates()
        return any(
            name_of(node) in built_in and node.find_ancestor(exp.Window, exp.Query) is self._select
            for node in within(self._select)
        )

    # Windows ---------------------------------------------------------------------------------

    def _add(self, call: AggregateCall) -> exp.Column:
        window = call.window
        assert window is not None
        partition = list(window.args.get("partition_by") or [])
        order = list(window.args["order"].expressions) if window.args.get("order") else []
        found = next(
            (w for w in self._windows if w.partition == partition and w.order == order), None
        )
        if found is None:
            found = _Window(partition, order)
            self._windows.append(found)
        condition = call.condition
        part = WindowPart(
            tuple(self._columns.place(argument) for argument in call.arguments),
            None if condition is None else self._columns.place(cast(condition, "BOOLEAN")),
            self._frame(window, order),
            sums_of(call.record.definition),
        )
        for expression in (*partition, *(ordered.this for ordered in order)):
            self._columns.place(expression)
        found.calls.append((call.record, part))
        return exp.column(_result(self._windows.index(found), len(found.calls) - 1))

    def _frame(self, window: exp.Window, order: list[exp.Ordered]) -> WindowFrame:
        spec = window.args.get("spec")
        if spec is None:
            return WindowFrame("range", None, 0 if order else None)
        kind = spec.args["kind"].lower()
        start = self._distance(spec.args.get("start"), spec.args.get("start_side"))
        given_end = spec.args.get("end")
        end = 0 if given_end is None else self._distance(given_end, spec.args.get("end_side"))
        if kind == "rows":
            if not all(isinstance(each, (int, type(None))) for each in (start, end)):
                raise Unfit
            return WindowFrame("rows", start, end)
        descending = bool(order and order[0].args.get("desc"))
        low = self._bound(start, order, descending)
        high = self._bound(end, order, descending)
        return WindowFrame(
            "range",
            None if start is None else 0,
            None if end is None else 0,
            low,
            high,
            descending,
        )

    def _distance(self, bound: object, side: str | None) -> int | exp.Expression | None:
        """Rows or a value, negative before the row; None if unbounded; 0 for the current row."""
        if bound == "UNBOUNDED":
            return None
        if bound == "CURRENT ROW":
            return 0
        if not isinstance(bound, exp.Expression):
            raise Unfit
        before = (side or "").lower() == "preceding"
        if isinstance(bound, exp.Literal) and bound.is_int:
            return -int(bound.name) if before else int(bound.name)
        return exp.Neg(this=bound.copy()) if before else bound.copy()

    def _bound(
        self, distance: int | exp.Expression | None, order: list[exp.Ordered], descending: bool
    ) -> int | None:
        """The place of the furthest value of the order in a row's frame; None where there is no
        distance."""
        if distance is None or distance == 0:
            return None
        if len(order) != 1:
            raise Unfit
        amount = exp.Literal.number(abs(distance)) if isinstance(distance, int) else distance
        backwards = isinstance(distance, int) and distance < 0
        if isinstance(amount, exp.Neg):
            amount, backwards = amount.this, True
        value = exp.paren(order[0].this.copy())
        kind = exp.Sub if backwards != descending else exp.Add
        return self._columns.place(kind(this=value, expression=exp.paren(amount.copy())))

    # Rows ------------------------------------------------------------------------------------

    def _passes(self, rows: DataFrame) -> DataFrame:
        places = {name: place for place, name in enumerate(rows.columns)}
        for number, window in enumerate(self._windows):
            partition = [self._columns.name(each) for each in window.partition]
            order = [self._columns.name(ordered.this) for ordered in window.order]
            for name in (*partition, *order):
                if not is_groupable(rows.schema[name].dataType):
                    raise Unfit
            keys = [
                SortKey(name, bool(o.args.get("desc")), bool(o.args.get("nulls_first")))
                for name, o in zip(order, window.order, strict=True)
            ]
            layout = WindowLayout(
                partition=tuple(places[name] for name in partition),
                names=tuple(map(in_fewest_forms, window.partition)),
                order=tuple(places[name] for name in order),
                parts=tuple(part for _, part in window.calls),
                results=tuple(_result(number, place) for place in range(len(window.calls))),
            )
            records = [record for record, _ in window.calls]
            rows = self._rows.window_rows(rows, layout, records, partition, keys)
        return rows

    # The SELECT ------------------------------------------------------------------------------

    def _place_columns(self, node: object, *, ordering: bool) -> None:
        """Lets everything under a node refer to the inner query's columns."""
        if isinstance(node, list):
            for each in list(node):
                self._place_columns(each, ordering=ordering)
            return
        if not isinstance(node, exp.Expression) or isinstance(node, exp.Query):
            return
        if isinstance(node, exp.Star):
            raise Unfit
        if isinstance(node, exp.Column):
            if node.name.startswith("_nu_"):
                return
            if ordering and not node.table and node.name.lower() in self._aliases:
                return
            node.replace(self._columns.column(node))
            return
        for below in list(node.iter_expressions()):
            self._place_columns(below, ordering=ordering)


def _write_out(select: exp.Select) -> None:
    """Puts what the WINDOW clause says of a name in the place of the name."""
    named = {each.name: each for each in select.args.get("windows") or []}
    select.set("windows", None)
    for window in [each for each in within(select) if isinstance(each, exp.Window)]:
        meant, met = window, set[str]()
        while name := meant.args.get("alias"):
            if name.name in met or name.name not in named:
                raise Unfit
            met.add(name.name)
            meant = named[name.name]
        if meant is not window:
            window.replace(exp.Window(**{**meant.copy().args, "this": window.this, "alias": None}))


def _result(window: int, call: int) -> str:
    return f"_nu_window{window}_{call}"
