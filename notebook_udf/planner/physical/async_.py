"""Async functions in plans: several calls in one Python node, and what they wait for.

A call by itself is planned as any scalar one, by ``scalar``. Calls over the same rows that do not
need each other's results are put into one node, where they are in flight side by side:
``common_subexpression`` finds the calls, ``side_by_side`` makes the function for them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import StructField, StructType, YearMonthIntervalType
from pyspark.sql.udf import UserDefinedFunction
from pyspark.util import PythonEvalType
from sqlglot import exp

from notebook_udf.functions.async_options import CONF_PREFIX, AsyncOptions
from notebook_udf.host.spark_functions import column_function
from notebook_udf.planner.analysis.aggregate_calls import arguments_of, by_place_and_name, name_of
from notebook_udf.planner.physical import scalar, udf
from notebook_udf.planner.physical.aggregate import column_name
from notebook_udf.planner.physical.column_arguments import by_place, with_constants
from notebook_udf.planner.physical.udf import leave, travelling
from notebook_udf.planner.planning_context import Member
from notebook_udf.planner.syntax.dialect import canonical
from notebook_udf.planner.syntax.nodes import call as made_call
from notebook_udf.registry import RegisteredFunction
from notebook_udf.sanitize import backquoted
from notebook_udf.specs.payload import ship
from notebook_udf.specs.roles import Role
from notebook_udf.specs.unordered_layout import UnorderedLayout
from notebook_udf.types import contains_year_month
from notebook_udf.worker.async_.ordered import AsyncNode
from notebook_udf.worker.async_.unordered import UnorderedPass

if TYPE_CHECKING:
    from notebook_udf.planner.analysis.scalar_calls import ScalarCalls


@dataclass(frozen=True)
class AwaitedCall:
    """A call on Columns, remembered on the Column it made."""

    record: RegisteredFunction
    arguments: tuple[Column, ...]
    name: str


def call(
    function: UserDefinedFunction, record: RegisteredFunction, args: Any, kwargs: Any
) -> Column:
    """A call on columns, as ``scalar.call`` makes it; ``awaited`` knows it again."""
    args, kwargs = with_constants(record, args, kwargs)
    columns = scalar.entering(record, by_place(record, args, kwargs) if kwargs else args)
    made = leave(function(*columns), record.definition.result_type)
    return _remembered(made, record, columns)


def spark_function(record: RegisteredFunction, role: Role) -> UserDefinedFunction:
    """The function as Spark takes it in a role."""
    # Rows that are in flight cross the borders of bundles, which takes an iterator of them.
    return udf.spark_function(record, role, AsyncNode, PythonEvalType.SQL_SCALAR_ARROW_ITER_UDF)


def _remembered(made: Column, record: RegisteredFunction, arguments: Sequence[Any]) -> Column:
    """The Column of a call, from which ``awaited`` gets the call again."""
    columns = tuple(F.col(a) if isinstance(a, str) else a for a in arguments)
    name = f"{record.name}({', '.join(map(_name, columns))})"
    if record.definition.deterministic:
        # A condition on a column is computed from scratch below it, except where the column holds
        # something Spark knows to be expensive. It does not know that of Python functions, and it
        # does of array_join.
        known = F.array_join(F.array(made.isNull().cast("string")), "") == "false"
        made = F.when(known, made).alias(name)
    vars(made)["_nu_awaited"] = AwaitedCall(record, columns, name)
    return made


def _name(argument: Column) -> str:
    call = awaited(argument)
    return call.name if call is not None else column_name(argument)


def awaited(value: object) -> AwaitedCall | None:
    """The call of an async function that a Column is, or None."""
    found = getattr(value, "__dict__", {}).get("_nu_awaited")
    return found if isinstance(found, AwaitedCall) else None


def with_columns(rows: DataFrame, calls: Mapping[str, AwaitedCall]) -> DataFrame:
    """``rows`` with a column for each call, all of them in one node.

    Where a function allows it, rows leave as their calls end; they then pass through the worker
    whole, which year-month intervals cannot.
    """
    names = {name.lower() for name in calls}
    kept = [field for field in rows.schema.fields if field.name.lower() not in names]
    before = [F.col(backquoted(field.name)) for field in kept]
    arguments = [argument for call in calls.values() for argument in call.arguments]
    members: list[Member] = [(c.record, "scalar", len(c.arguments)) for c in calls.values()]
    results = [record.definition.result_type for record, _, _ in members]
    passing = not any(contains_year_month(field.dataType) for field in kept)
    if passing and any(_unordered(record) for record, _, _ in members):
        source = rows.select(*before, *(a.alias(f"_nu_arg{i}") for i, a in enumerate(arguments)))
        shipments = [ship(r.name, r.version, r.definition, r.payload) for r, _, _ in members]
        widths = tuple(width for _, _, width in members)
        fields = [StructField(f.name, f.dataType, f.nullable) for f in kept]
        fields += [StructField(n, travelling(t)) for n, t in zip(calls, results, strict=True)]
        made = source.mapInArrow(
            UnorderedPass(UnorderedLayout(widths, len(kept), tuple(calls)), shipments),
            StructType(fields),
        )
    else:
        node = node_function(members)
        # As a generator's columns: the optimizer neither copies nor moves the calls, and still
        # puts later conditions on other columns below them.
        flat = F.inline(F.array(node(*arguments)))
        made = rows.select(*before, flat.alias(*calls) if len(calls) > 1 else flat)
        made = made.toDF(*(field.name for field in kept), *calls)
    if not any(isinstance(t, YearMonthIntervalType) for t in results):
        return made
    own = [leave(F.col(f"`{name}`"), t).alias(name) for name, t in zip(calls, results, strict=True)]
    return made.select(*before, *own)


def _unordered(record: RegisteredFunction) -> bool:
    options = record.definition.options
    return isinstance(options, AsyncOptions) and options.output_mode == "ALLOW_UNORDERED"


def node_function(members: Sequence[Member]) -> UserDefinedFunction:
    """One function for a node with several functions over the same rows; returns a struct."""
    shipments = [ship(r.name, r.version, r.definition, r.payload, role=role)
                 for r, role, _ in members]  # fmt: skip
    fields = [
        StructField(f"c{i}", travelling(record.definition.result_type))
        for i, (record, _, _) in enumerate(members)
    ]
    made: UserDefinedFunction = column_function(
        AsyncNode(tuple(width for _, _, width in members), shipments),
        returnType=StructType(fields),
        name="_".join(record.name for record, _, _ in members),
        evalType=PythonEvalType.SQL_SCALAR_ARROW_ITER_UDF,
        deterministic=all(record.definition.deterministic for record, _, _ in members),
    )
    return made


def travels_plain(record: RegisteredFunction) -> bool:
    """Whether a result needs no cast when it comes back, so that it can be a struct's field."""
    return not isinstance(record.definition.result_type, YearMonthIntervalType)


def overlapping(nodes: Iterable[exp.Expression], calls: ScalarCalls) -> set[str]:
    """The texts of those async calls that can be in flight together, if there are two."""
    found: dict[str, int] = {}
    for node in nodes:
        record = calls.record(node)
        if record is not None and record.definition.is_async and travels_plain(record):
            found[canonical(node)] = _depth(node, calls)
    depths = list(found.values())
    return set(found) if len(set(depths)) < len(depths) else set()


def _depth(node: exp.Expression, calls: ScalarCalls) -> int:
    """The number of async calls that have to be made one after the other for this one."""
    below = [
        _depth(call, calls) for child in node.iter_expressions() for call in calls.inside(child)
    ]
    return max(below, default=0) + calls.is_async(node)


def lateral(rows: exp.Expression, names: Sequence[str]) -> exp.Expression:
    """A struct's fields as columns of a FROM, which the optimizer neither copies nor moves."""
    alias = exp.TableAlias(
        this=exp.to_identifier(f"{names[0]}_rows"),
        columns=[exp.to_identifier(name) for name in names],
    )
    inline = made_call("inline", made_call("array", rows))
    return exp.Lateral(this=inline, view=True, outer=True, alias=alias)


def side_by_side(views: list[exp.Expression], calls: ScalarCalls) -> list[exp.Expression]:
    """The columns of a FROM, with async calls that do not depend on each other in one node."""
    levels: dict[str, int] = {}
    by_level: dict[int, list[exp.Expression]] = {}
    for view in views:
        used = [levels.get(column.name, 0) for column in view.this.find_all(exp.Column)]
        name = view.args["alias"].columns[0].name
        levels[name] = 1 + max(used, default=0)
        by_level.setdefault(levels[name], []).append(view)
    made: list[exp.Expression] = []
    for level in sorted(by_level):
        alone: list[exp.Expression] = []
        together: list[exp.Expression] = []
        for view in by_level[level]:
            (together if _async_call(view, calls) is not None else alone).append(view)
        made += alone
        made += [_joined(together, calls)] if len(together) > 1 else together
    return made


def _async_call(view: exp.Expression, calls: ScalarCalls) -> exp.Expression | None:
    value: exp.Expression = view.this.expressions[0].expressions[0].expressions[1]
    record = calls.record(value)
    if record is None or not record.definition.is_async or not travels_plain(record):
        return None
    return value


def _joined(views: list[exp.Expression], calls: ScalarCalls) -> exp.Expression:
    from notebook_udf.planner.analysis.scalar_calls import entered_argument

    members: list[Member] = []
    arguments: list[exp.Expression] = []
    for view in views:
        call = _async_call(view, calls)
        record = calls.record(call) if call is not None else None
        assert call is not None
        assert record is not None
        own, role = arguments_of(call), calls.role(call)
        if role == "scalar":
            own = [entered_argument(record, i, value) for i, value in enumerate(own)]
        members.append((record, role, len(own)))
        arguments += own
    name = calls.context.hidden_node(members)
    names = [view.args["alias"].columns[0].name for view in views]
    return lateral(made_call(name, *arguments), names)


def placed(tree: exp.Expression, records: Mapping[str, RegisteredFunction]) -> exp.Expression:
    """The tree with the arguments of async calls by position, where some were given by name.

    Raises
    ------
    PlanningError
        If the arguments given leave a gap.
    """
    if not any(_is_named_call(node, records) for node in tree.walk()):
        return tree
    made = tree.copy()
    for node in [node for node in made.walk() if _is_named_call(node, records)]:
        given = by_place_and_name(node.expressions)
        node.set("expressions", by_place(records[_name_of(node)], *given))
    return made


def _is_named_call(node: exp.Expression, records: Mapping[str, RegisteredFunction]) -> bool:
    if not isinstance(node, exp.Anonymous) or _name_of(node) not in records:
        return False
    return any(isinstance(argument, exp.Kwarg) for argument in node.expressions)


def _name_of(node: exp.Expression) -> str:
    return name_of(node).strip("`")


def explain(record: RegisteredFunction) -> str:
    """How calls of an async function run, and why."""
    options = record.definition.options
    assert isinstance(options, AsyncOptions)
    lines = [
        f"{record.signature}, version {record.version}",
        f"runs in the event loop of a Python worker, up to {options.buffer_capacity} calls in "
        f"flight, across the borders of bundles",
        "a Python node of its own (Arrow iterator UDF); in session.sql and nu.map_async, calls "
        "over the same rows share one and are in flight side by side",
    ]
    if options.output_mode == "ALLOW_UNORDERED":
        lines.append(
            "rows leave as their calls end in nu.map_async; in SQL and in columns they keep their "
            "order (ORDERED), because a query's meaning hangs on it"
        )
    else:
        lines.append("rows keep their order (ORDERED)")
    if options.attempts > 1:
        after = ", ".join(name.removeprefix("builtins.") for name in options.retry_on)
        lines.append(
            f"a call that raises {after} is retried {options.fixed_delay:g} s later, "
            f"{options.attempts} attempts in all"
        )
    else:
        lines.append("a call that raises is not retried")
    if options.timeout is not None:
        lines.append(f"a row's call may take {options.timeout:g} s, all attempts together")
    if options.share_calls:
        lines.append("equal arguments in flight at the same time share one call (share_calls)")
    if not record.definition.deterministic:
        lines.append("not deterministic: Spark neither moves nor repeats the call")
    if options.on_error != "fail":
        lines.append(f"a row whose call fails gives NULL (on_error={options.on_error})")
    lines.append(f"by conf: {CONF_PREFIX}<catalog>.<db>.{record.name}.<option>")
    return "\n".join(lines)
