"""Calls of scalar functions in a parsed query, and their properties.

The rules for scalar functions use it. A hidden variant that one rule has put into the tree is a
call for the next one as well.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from sqlglot import exp

from notebook_udf.planner.analysis.aggregate_calls import name_of, within
from notebook_udf.planner.planning_context import PlanningContext
from notebook_udf.planner.syntax.dialect import canonical
from notebook_udf.planner.syntax.year_month import entering, leaving
from notebook_udf.registry import RegisteredFunction
from notebook_udf.specs.roles import Role

# Functions of Spark's that give another value when they are computed again.
VOLATILE = frozenset(
    {
        "rand", "random", "randn", "randstr", "uniform", "uuid", "shuffle", "sample",
        "monotonically_increasing_id", "spark_partition_id", "input_file_name",
        "input_file_block_start", "input_file_block_length", "java_method", "reflect",
        "try_reflect",
    }
)  # fmt: skip

# Nodes whose value can always be computed, so that computing them early raises nothing.
_TOTAL = (
    exp.Column, exp.Identifier, exp.Dot, exp.Literal, exp.Boolean, exp.Null, exp.EQ, exp.NEQ,
    exp.GT, exp.GTE, exp.LT, exp.LTE, exp.NullSafeEQ, exp.Is, exp.Not, exp.And, exp.Or, exp.Paren,
    exp.In, exp.Between, exp.Like, exp.Neg, exp.Coalesce, exp.Add, exp.Sub, exp.Mul, exp.TryCast,
    exp.DataType, exp.Placeholder,
)  # fmt: skip

_known: dict[str, bool] = {}


class ScalarCalls:
    """The scalar functions that a query may call.

    Parameters
    ----------
    records
        The functions, by lower-case name.
    context
        The session's side.
    aggregates
        The Python aggregate functions, by lower-case name.
    """

    def __init__(
        self,
        records: Mapping[str, RegisteredFunction],
        context: PlanningContext,
        aggregates: Mapping[str, RegisteredFunction],
    ) -> None:
        self.context = context
        self._records = records
        self._aggregates = aggregates
        self._hidden: dict[str, tuple[RegisteredFunction, Role]] = {}

    def record(self, node: exp.Expression) -> RegisteredFunction | None:
        """The registered function that a node calls, or None."""
        name = _bare_name(node)
        if name in self._hidden:
            return self._hidden[name][0]
        return self._records.get(name)

    def is_async(self, node: exp.Expression) -> bool:
        """Whether a node calls an async function."""
        record = self.record(node)
        return record is not None and record.definition.is_async

    def role(self, node: exp.Expression) -> Role:
        """The role of a call."""
        found = self._hidden.get(_bare_name(node))
        return "scalar" if found is None else found[1]

    def inside(self, node: exp.Expression) -> list[exp.Expression]:
        """The calls in an expression, itself included, without those of queries inside it."""
        return [each for each in within(node) if self.record(each) is not None]

    def any_in(self, node: exp.Expression) -> bool:
        """Whether there is a call in an expression."""
        return any(self.record(each) is not None for each in within(node))

    def is_aggregate(self, node: exp.Expression) -> bool:
        """Whether a node calls an aggregate function."""
        name = name_of(node)
        if not name or self.record(node) is not None:
            return False
        return name in self._aggregates or name in self.context.built_in_aggregates()

    def aggregated_in_lambda(self, node: exp.Expression) -> bool:
        """Whether a Python aggregate function is called in a lambda under a node."""
        return any(
            name_of(each) in self._aggregates
            for lambda_ in within(node)
            if isinstance(lambda_, exp.Lambda)
            for each in within(lambda_.this)
        )

    def is_grouped(self, select: exp.Select) -> bool:
        """Whether a SELECT returns a row for each group, or one for all rows."""
        if select.args.get("group") is not None or select.args.get("having") is not None:
            return True
        return any(
            self.is_aggregate(node) and not isinstance(node.parent, exp.Window)
            for projection in select.expressions
            for node in within(projection)
        )

    def above_groups(
        self, node: exp.Expression, keys: Collection[str] = ()
    ) -> list[exp.Expression]:
        """The calls that are neither in an aggregate's arguments nor in one of the keys."""
        if keys and canonical(node) in keys:
            return []
        found = [node] if self.record(node) is not None else []
        if isinstance(node, (exp.Query, exp.Filter, exp.Window)) or self.is_aggregate(node):
            return found
        return found + [
            c for child in node.iter_expressions() for c in self.above_groups(child, keys)
        ]

    def steady(self, node: exp.Expression) -> bool:
        """Whether an expression is deterministic: one value per row however often it is computed.

        Not if there is a query in it, or a function of which nothing is known.
        """
        for each in within(node):
            if isinstance(each, exp.Query):
                return False
            record = self.record(each)
            if record is not None:
                if not record.definition.deterministic:
                    return False
                continue
            name = _bare_name(each)
            if name in self._aggregates:
                if not self._aggregates[name].definition.deterministic:
                    return False
                continue
            if name in VOLATILE or (isinstance(each, exp.Anonymous) and not self._of_spark(name)):
                return False
        return True

    def total(self, node: exp.Expression) -> bool:
        """Whether computing an expression raises nothing worth speaking of."""
        for each in within(node):
            if isinstance(each, (exp.Mod, exp.Div, exp.IntDiv)):
                if not isinstance(each.expression, exp.Literal) or each.expression.name == "0":
                    return False
            elif not isinstance(each, _TOTAL):
                return False
        return True

    def hidden(
        self, record: RegisteredFunction, role: Role, arguments: list[exp.Expression]
    ) -> exp.Expression:
        """A call of a function in a hidden role."""
        name = self.context.hidden_name(record, role)
        self._hidden[name.lower().strip("`")] = record, role
        return exp.Anonymous(this=name, expressions=arguments)

    def guarded(
        self, record: RegisteredFunction, guard: exp.Expression, arguments: list[exp.Expression]
    ) -> exp.Expression:
        """A call that is made for the rows for which ``guard`` is true."""
        entered = [entered_argument(record, i, value) for i, value in enumerate(arguments)]
        return leaving(record, self.hidden(record, "guarded", [guard, *entered]))

    def _of_spark(self, name: str) -> bool:
        if name not in _known:
            found = self.context.run(f"SHOW SYSTEM FUNCTIONS LIKE '{name}'").collect()
            _known[name] = any(row[0].lower() == name for row in found)
        return _known[name]


def _bare_name(node: exp.Expression) -> str:
    return name_of(node).strip("`")


def entered_argument(
    record: RegisteredFunction, place: int, value: exp.Expression
) -> exp.Expression:
    """An argument, by position or by name, in the type in which it is sent to the worker."""
    if not isinstance(value, exp.Kwarg):
        return entering(record, place, value)
    names = record.definition.parameters
    name = value.this.name
    place = names.index(name) if name in names else len(names)
    return exp.Kwarg(this=value.this.copy(), expression=entering(record, place, value.expression))
