"""Two-phase aggregation of a SELECT: partial accumulators first, then Spark's GROUP BY.

The SELECT's FROM and WHERE become an inner query of just the columns that are needed: the group
keys, what built-in aggregates look at, and the functions' arguments.
``worker.aggregate.hash_aggregate`` goes over it once, and its rows take the place of FROM. Spark
then groups them: built-ins skip the rows of accumulators, and each Python function merges those of
its group. So GROUPING SETS, HAVING, ORDER BY and any mix with built-ins are Spark's own, over one
scan and one shuffle.
"""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql.types import StructField, StructType
from sqlglot import exp

from notebook_udf.planner.analysis.aggregate_calls import AggregateCall, name_of
from notebook_udf.planner.analysis.derived_table import (
    Columns,
    Surroundings,
    Unfit,
    inner_query,
    read_instead,
    source_columns,
)
from notebook_udf.planner.analysis.group_by import (
    GROUPING,
    aliases_of,
    grouping_items,
    has_sets,
    meant_by,
)
from notebook_udf.planner.analysis.output_names import name_projections, name_struct_fields
from notebook_udf.planner.physical.aggregate_in_spark import GroupColumns, group_columns
from notebook_udf.planner.planning_context import Passes
from notebook_udf.planner.rule import Outcome, SelectScope
from notebook_udf.planner.rules.aggregate_choices import clause_of, outcome
from notebook_udf.planner.streaming import stateful_aggregate
from notebook_udf.planner.streaming.session_window import SESSION_WINDOW
from notebook_udf.planner.syntax.dialect import fragment, in_fewest_forms
from notebook_udf.planner.syntax.nodes import call as made_call
from notebook_udf.planner.syntax.nodes import cast
from notebook_udf.registry import RegisteredFunction
from notebook_udf.specs.aggregate_layout import ACCUMULATOR, PASSED, AggregateLayout, AggregatePart
from notebook_udf.types import is_groupable

_OUTER = ("expressions", "having", "order", "sort", "limit", "offset", "distinct")
_UNFIT = ("qualify", "windows", "connect", "match", "prewhere", "cluster", "distribute")
_WINDOW = "window"


class TwoPhaseAggregate:
    """Aggregates the groups of a SELECT in two phases.

    Whatever Spark refuses is left as it was: then its own message is about the user's query, or
    the SELECT refers to an outer one, whose rows a first phase cannot see.
    """

    name = "two_phase_aggregate"

    def apply(self, scope: SelectScope) -> Outcome:
        """See ``Rule``."""
        select, around = scope.select, scope.surroundings
        assert around is not None
        calls = around.calls(select)
        if all(call.window is not None for call in calls):
            return None
        phases = _TwoPhases(select.copy(), around, scope.calls.context.passes)
        return outcome(self.name, "partial", select, calls, phases.rewritten)


def _suits(call: AggregateCall, streams: bool) -> bool:
    general = call.record.definition.func_type == "general"
    return general and (streams or not call.distinct) and call.window is None


class _TwoPhases:
    def __init__(self, select: exp.Select, around: Surroundings, passes: Passes) -> None:
        self._select = select
        self._around = around
        self._rows = passes
        self._keys = Columns("_nu_key")
        self._passing = Columns("_nu_col")
        self._arguments = Columns("_nu_arg")
        self._aliases = aliases_of(select)
        self._passes = False
        self._sets = False
        self._streams = self._reads_stream()
        self._merges: set[int] = set()

    def rewritten(self) -> exp.Select:
        select = self._select
        if any(select.args.get(name) for name in _UNFIT):
            raise Unfit(clause_of(select, _UNFIT))
        name_projections(select)
        name_struct_fields(select)
        for call in self._around.calls(select):
            if not _suits(call, self._streams):
                call.node.replace(self._around.collected(call))
        calls = self._around.calls(select)
        if not calls:
            raise Unfit
        records = [call.record for call in calls]
        group = select.args.get("group")
        self._find_keys(group, calls)
        self._sets = group is not None and has_sets(group)
        parts = [self._part(call) for call in calls]
        if self._streams:
            return self._kept_in_state(calls, parts)
        merged = [self._merged(call, place) for place, call in enumerate(calls)]
        for call, expression in zip(calls, merged, strict=True):
            self._merges.add(id(expression))
            call.node.replace(expression)
        for name in ("group", *_OUTER):
            self._place_columns(select.args.get(name), ordering=name in ("order", "sort"))
        rows = self._around.run(self._inner(), inside=True)
        keys = rows.schema.fields[: len(self._keys.expressions)]
        if not all(is_groupable(key.dataType) for key in keys):
            raise Unfit
        read_instead(select, self._around.view(self._first_phase(rows, parts, records, merged)))
        self._around.run(select, inside=False)
        return select

    # Streams ---------------------------------------------------------------------------------

    def _reads_stream(self) -> bool:
        if not self._around.streams:
            return False
        return bool(self._around.run(inner_query(self._select, []), inside=True).isStreaming)

    def _kept_in_state(self, calls: list[AggregateCall], parts: list[AggregatePart]) -> exp.Select:
        """The SELECT over groups that were aggregated into state.

        Spark's own aggregates cannot join in: beside them the rows are collected by Spark.
        """
        select = self._select
        if self._sets:
            raise Unfit
        # Equal calls share their accumulators.
        kept: list[stateful_aggregate.StreamCall] = []
        own = self._layout(parts, True)
        for call, part in zip(calls, own.parts, strict=True):
            same = (
                k
                for k in kept
                if (k.record, k.part, k.distinct) == (call.record, part, call.distinct)
            )
            found = next(same, None)
            if found is None:
                found = stateful_aggregate.StreamCall(
                    str(len(kept)), call.record, part, call.distinct
                )
                kept.append(found)
            value = exp.column(f"_nu_value{found.name}")
            self._merges.add(id(value))
            call.node.replace(value)
        for name in ("group", *_OUTER):
            self._place_columns(select.args.get(name), ordering=name in ("order", "sort"))
        if self._passes:
            raise Unfit
        rows = self._around.run(self._inner(), inside=True)
        groups = stateful_aggregate.aggregate(rows, own.keys, kept)
        read_instead(select, self._around.view(groups))
        having = select.args.get("having")
        select.set("where", None if having is None else exp.Where(this=having.this))
        select.set("having", None)
        select.set("group", None)
        self._around.run(select, inside=False)
        return select

    # Keys ------------------------------------------------------------------------------------

    def _find_keys(self, group: exp.Group | None, calls: list[AggregateCall]) -> None:
        if group is None:
            return
        if group.args.get("all"):
            group.set("expressions", self._keys_of_all(calls))
            group.set("all", None)
        for item in grouping_items(group):
            resolved = meant_by(item, self._select.expressions, self._aliases, self._columns)
            if resolved is None:
                raise Unfit
            if resolved is not item:
                item.replace(resolved)
            # A window of a row is no group's: those that overlap are joined by GROUP BY.
            if any(self._around.calls(resolved)) or name_of(resolved) == SESSION_WINDOW:
                raise Unfit
            self._keys.place(resolved)

    def _keys_of_all(self, calls: list[AggregateCall]) -> list[exp.Expression]:
        """What GROUP BY ALL groups by: all that is selected beside aggregates."""
        names = source_columns(self._select, self._around)
        if any(name.lower() == "all" for name in names):
            raise Unfit
        ours = {id(call.node) for call in calls}
        keys = []
        for projection in self._select.expressions:
            value = projection.unalias()
            aggregates = {id(n) for n in value.walk() if id(n) in ours or self._is_built_in(n)}
            if not aggregates:
                # A number would be the place of a column, and any constant no key at all.
                if projection.is_star or value.find(exp.Column) is None:
                    raise Unfit
                keys.append(value.copy())
            elif not all(_is_below(c, aggregates) for c in value.find_all(exp.Column)):
                raise Unfit
        if not keys:
            raise Unfit
        return keys

    def _columns(self) -> list[str]:
        return source_columns(self._select, self._around)

    # First phase -----------------------------------------------------------------------------

    def _first_phase(
        self,
        rows: DataFrame,
        parts: list[AggregatePart],
        records: list[RegisteredFunction],
        merged: list[exp.Expression],
    ) -> DataFrame:
        """The rows for Spark's GROUP BY; what is to be merged is left to Spark if all can be."""
        layout = self._layout(parts, all(record.definition.mergeable for record in records))
        made = [
            self._group_columns(expression, record, part, rows.schema)
            for expression, record, part in zip(merged, records, layout.parts, strict=True)
        ]
        if None in made:
            if self._sets and layout.sorted:
                unmerged = next(r.name for r in records if not r.definition.mergeable)
                raise Unfit(
                    f"its GROUP BY makes several groups of a row, and {unmerged} has no merge"
                )
            return self._rows.partial_rows(rows, layout, records)
        for expression, record, found in zip(merged, records, made, strict=True):
            assert found is not None
            _, *keys = expression.expressions
            expression.set("this", found.name or self._around.hidden_name(record, found.role))
            expression.set("expressions", [*map(fragment, found.columns), *keys])
        return self._rows.passed_rows(rows)

    def _group_columns(
        self,
        expression: exp.Expression,
        record: RegisteredFunction,
        part: AggregatePart,
        schema: StructType,
    ) -> GroupColumns | None:
        """What gives a group's value where Spark accumulates, of that and of the keys."""
        _, *keys = expression.expressions
        fields = [
            StructField(in_fewest_forms(key), schema[place].dataType)
            for place, key in enumerate(self._keys.expressions)
        ]
        return group_columns(record, part, schema, fields if keys else [], self._around.listed)

    def _part(self, call: AggregateCall) -> AggregatePart:
        condition = call.condition
        return AggregatePart(
            tuple(self._arguments.place(argument) for argument in call.arguments),
            None if condition is None else self._arguments.place(cast(condition, "BOOLEAN")),
        )

    def _layout(self, parts: list[AggregatePart], mergeable: bool) -> AggregateLayout:
        offset = len(self._keys.expressions) + len(self._passing.expressions)
        return AggregateLayout(
            keys=tuple(map(in_fewest_forms, self._keys.expressions)),
            passing=len(self._passing.expressions),
            parts=tuple(
                AggregatePart(
                    tuple(offset + place for place in part.arguments),
                    None if part.condition is None else offset + part.condition,
                )
                for part in parts
            ),
            sorted=not mergeable,
            passes_rows=self._passes,
        )

    def _inner(self) -> exp.Expression:
        columns = [
            *self._keys.aliased(), *self._passing.aliased(), *self._arguments.aliased(),
        ]  # fmt: skip
        return inner_query(self._select, columns)

    # Second phase ----------------------------------------------------------------------------

    def _merged(self, call: AggregateCall, place: int) -> exp.Expression:
        arguments = [made_call("collect_list", exp.column(f"{ACCUMULATOR}{place}"))]
        # Below GROUPING SETS a key is not always there, and HAVING cannot name it.
        if self._keys.expressions and not self._sets:
            named: list[exp.Expression] = []
            for number, key in enumerate(self._keys.expressions):
                named += [exp.Literal.string(in_fewest_forms(key)), self._keys.at(number)]
            arguments.append(made_call("named_struct", *named))
        return made_call(self._around.hidden_name(call.record, "merge"), *arguments)

    def _place_columns(self, node: object, *, ordering: bool) -> None:
        """Lets everything under a node refer to the columns of the first phase's rows."""
        if isinstance(node, list):
            for each in list(node):
                self._place_columns(each, ordering=ordering)
            return
        if not isinstance(node, exp.Expression) or isinstance(node, exp.Query):
            return
        if isinstance(node, exp.Column) and node.name.startswith("_nu_"):
            return
        if id(node) in self._merges:
            return
        alias = (
            isinstance(node, exp.Column) and not node.table and node.name.lower() in self._aliases
        )
        if alias and ordering:
            return
        key = self._key_of(node)
        if key is not None:
            node.replace(key)
            return
        if isinstance(node, exp.Window):
            around = [each for each in node.iter_expressions() if each is not node.this]
            for below in (*node.this.iter_expressions(), *around):
                self._place_columns(below, ordering=ordering)
            return
        if isinstance(node, (exp.WithinGroup, exp.IgnoreNulls, exp.RespectNulls)):
            raise Unfit
        if isinstance(node, exp.Filter) or self._is_built_in(node):
            self._skip_accumulators(node)
            return
        if isinstance(node, exp.Star) or (isinstance(node, exp.Column) and not alias):
            raise Unfit
        for below in list(node.iter_expressions()):
            self._place_columns(below, ordering=ordering)

    def _key_of(self, node: exp.Expression) -> exp.Expression | None:
        if isinstance(node, exp.Column) and _WINDOW in (node.name.lower(), node.table.lower()):
            return self._window_of(node)
        for place, key in enumerate(self._keys.expressions):
            if node == key:
                return self._keys.at(place)
            if (
                isinstance(node, exp.Column)
                and isinstance(key, exp.Column)
                and node.name.lower() == key.name.lower()
                and not (node.table and key.table)
            ):
                return self._keys.at(place)
        return None

    def _window_of(self, node: exp.Column) -> exp.Expression | None:
        """What ``window`` and ``window.start`` are where rows are grouped by a window of time."""
        places = [i for i, key in enumerate(self._keys.expressions) if name_of(key) == _WINDOW]
        names = {name.lower() for name in source_columns(self._select, self._around)}
        if len(places) != 1 or _WINDOW in names:
            raise Unfit
        if node.table:
            return exp.Dot(this=self._keys.at(places[0]), expression=node.this.copy())
        return self._keys.at(places[0])

    def _is_built_in(self, node: exp.Expression) -> bool:
        name = name_of(node)
        if not name or name in GROUPING:
            return False
        return name in self._around.built_in_aggregates()

    def _skip_accumulators(self, node: exp.Expression) -> None:
        """Makes a built-in aggregate look at the rows that passed through, and at no others."""
        self._passes = True
        aggregate, condition = node, None
        if isinstance(node, exp.Filter):
            aggregate, condition = node.this, node.expression.this
        for below in list(aggregate.iter_expressions()):
            members = list(below.expressions) if isinstance(below, exp.Distinct) else [below]
            for member in members:
                if isinstance(member, (exp.Query, exp.Order, exp.Ordered)):
                    raise Unfit
                if member.find(exp.Column) is not None:
                    member.replace(self._passing.column(member))
        passed: exp.Expression = exp.column(PASSED)
        if condition is not None:
            passed = exp.and_(passed, self._passing.column(cast(condition, "BOOLEAN")))
        made = exp.Filter(this=aggregate.copy(), expression=exp.Where(this=passed))
        node.replace(made)


def _is_below(node: exp.Expression, nodes: set[int]) -> bool:
    """Whether one of some nodes stands above another."""
    above: exp.Expression | None = node
    while above is not None and id(above) not in nodes:
        above = above.parent
    return above is not None
