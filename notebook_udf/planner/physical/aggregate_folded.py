"""Aggregates whose rows Spark's JVM folds: ``accumulate`` and ``merge`` run there, as Java.

An aggregate of ours (``PyFold``) keeps for each group an accumulator and the rows that are not in
it yet. It calls one function, of accumulators and of rows, and gives both in the end; another
function makes the group's value of them. Small groups have no accumulator before that: what is
shuffled are their rows.
"""

from __future__ import annotations

import inspect
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from pyspark.sql.types import ArrayType, DataType, StringType, StructField, StructType

from notebook_udf.compile.fresh_accumulators import makes_the_same
from notebook_udf.compile.java import java_class
from notebook_udf.compile.java.columns.held_values import Contents, together
from notebook_udf.compile.java.writing.terms import NotCompiled
from notebook_udf.functions.accumulator_kind import AccumulatorKind
from notebook_udf.functions.kind_traits import SCALAR, TABLE
from notebook_udf.planner.faults import attempted
from notebook_udf.planner.physical.aggregate_filters import filter_clause
from notebook_udf.planner.physical.aggregate_gathered import given_arguments
from notebook_udf.planner.physical.folding_slots import as_numbers
from notebook_udf.planner.physical.folding_source import (
    Folding,
    folding,
    is_held,
    shapes_of,
)
from notebook_udf.planner.physical.group_value import (
    KEYS,
    GroupFold,
    GroupValue,
    check_simple,
    executed,
    group_function,
    unpickled,
)
from notebook_udf.registry import RegisteredFunction
from notebook_udf.specs.aggregate_layout import AggregatePart
from notebook_udf.specs.roles import Role
from notebook_udf.types import ddl

ROLE: Role = "folded"
# What a group has in the end.
_OF_A_GROUP = ("states", "rows")
_MOST_KEPT = 200
# How often it is looked for what slots hold, before it is given up.
_MOST_TURNS = 4


@dataclass(frozen=True)
class FoldedRows:
    """How a group is folded.

    Attributes
    ----------
    fold
        The function of accumulators and rows that folds these.
    types
        The types of what it is given.
    value
        The function that makes a group's value of them, and of its keys.
    arguments
        What a row gives, in SQL.
    where
        Which rows are taken, in SQL.
    """

    fold: GroupFold
    types: tuple[DataType, DataType]
    value: GroupValue
    arguments: tuple[str, ...] = ()
    where: str = ""


def check_foldable(record: RegisteredFunction) -> None:
    """Raises a ``NotCompiled`` for what is said of an aggregate whose rows no JVM folds."""
    check_simple(record)
    if not record.definition.mergeable:
        raise NotCompiled("it has no merge that takes accumulators")


def folded(
    record: RegisteredFunction, part: AggregatePart, schema: StructType, *, has_keys: bool
) -> FoldedRows | None:
    """How the rows of groups are folded whose arguments are at the positions of a part.

    None where Java has not all that is done for it.
    """
    try:
        check_foldable(record)
    except NotCompiled:
        return None
    if not part.arguments:
        return None
    given = given_arguments(record.definition, [schema[place] for place in part.arguments])
    least, most = record.definition.arity
    if given is None or len(given) < least or (most is not None and len(given) > most):
        return None
    types = tuple(StructField("", each.dataType, each.nullable) for each in given)
    made = attempted("folding", lambda: _made(record, types, has_keys), None)
    if not isinstance(made, FoldedRows):
        return None
    where = filter_clause(None if part.condition is None else schema[part.condition].name, ())
    return replace(made, arguments=tuple(each.name for each in given), where=where)


def tried(record: RegisteredFunction) -> list[tuple[str, FoldedRows | NotCompiled]]:
    """For which types of arguments rows are folded, or what keeps them from it: those that are
    declared (""), otherwise those of calls until now."""
    try:
        check_foldable(record)
    except NotCompiled as why:
        return [("", why)]
    declared = record.definition.declared_types
    if declared and len(declared) >= len(record.definition.parameters):
        given = tuple(StructField("", each) for each in declared)
        found = attempted("folding", lambda: _made(record, given, has_keys=False), None)
        return [] if found is None else [("", found)]
    return [
        (", ".join(ddl(each.dataType) for each in given), found)
        for (identity, given, _), found in list(_MADE.items())
        if identity == record.identity
    ]


# By the function's identity, its arguments, and whether its groups have keys; the oldest first.
_MADE: OrderedDict[Any, FoldedRows | NotCompiled] = OrderedDict()


def _made(
    record: RegisteredFunction, given: tuple[StructField, ...], has_keys: bool
) -> FoldedRows | NotCompiled:
    """Both functions: once for all queries, as it takes a tenth of a second."""
    key = record.identity, given, has_keys
    found = _MADE.get(key)
    if found is None:
        if len(_MADE) >= _MOST_KEPT:
            _MADE.popitem(last=False)
        found = _MADE[key] = _folded(record, given, has_keys)
    return found


def _folded(
    record: RegisteredFunction, given: tuple[StructField, ...], has_keys: bool
) -> FoldedRows | NotCompiled:
    definition, rows = record.definition, _row_type(given)
    instance = unpickled(record.payload)
    if not makes_the_same(instance):
        return NotCompiled("create_accumulator, which may make another one each time")
    fresh = instance.create_accumulator()
    kept, refused = AccumulatorKind.of(record.name, fresh), None
    for shape in shapes_of(fresh):
        try:
            held, made = _settled(instance, partial(folding, shape, given=given, kept=kept), rows)
            if not is_held(definition.accumulator_type, shape, held):
                raise NotCompiled("its accumulators are converted to their declared type")
            return _functions(record, made, rows, has_keys=has_keys)
        except NotCompiled as why:
            # The first shape is the one that was meant, if it is one of two.
            refused = refused or why
    return refused or NotCompiled("an accumulator of a class of its own")


def _row_type(given: Sequence[StructField]) -> ArrayType:
    """Rows as a list: of the one argument itself, or of rows of several."""
    fields = [
        StructField(f"argument{at}", as_numbers(each.dataType), each.nullable)
        for at, each in enumerate(given)
    ]
    if len(fields) == 1:
        return ArrayType(fields[0].dataType, fields[0].nullable)
    return ArrayType(StructType(fields), containsNull=False)


def _settled(
    instance: Any,
    made_for: Callable[[Sequence[Contents] | None], Folding],
    rows: ArrayType,
) -> tuple[Sequence[Contents], Folding]:
    """What slots hold, and the folding: what is put there depends on what was there."""
    held: Sequence[Contents] | None = None
    for _ in range(_MOST_TURNS):
        made = made_for(held)
        seen_in = executed(instance, made.source, made.used)["seen"]
        seen = java_class.returned(seen_in, (_states(made), rows))
        if seen.holds != "parts" or (held is not None and len(held) != len(seen.parts)):
            raise NotCompiled("an accumulator with so many slots")
        found = seen.parts if held is None else tuple(map(together, held, seen.parts))
        if held is not None and found == held:
            return held, made
        held = found
    raise NotCompiled("an accumulator that holds something else each time")


def _states(made: Folding) -> ArrayType:
    # Where there is none yet, nothing is taken out of it.
    return ArrayType(made.state or StringType(), containsNull=False)


def _functions(
    record: RegisteredFunction, made: Folding, rows: ArrayType, *, has_keys: bool
) -> FoldedRows:
    states = _states(made)
    if made.state is None:
        raise NotCompiled("an accumulator that holds nothing")
    given = ["group", *([KEYS] if has_keys else [])]
    gives = record.definition.gives_rows
    method = "emit_value" if gives else "get_value"
    called = f"function.{method}(accumulated(group[0], group[1]))"
    if gives and inspect.isgeneratorfunction(record.definition.function.emit_value):
        answer = f"yield from {called}"
    else:
        answer = f"return {called}"
    source = "\n".join([
        made.source,
        f"def {method}({', '.join(given)}):",
        f"    {answer}",
        "last_of_rows = last_call",
        "def last_call(group):",
        "    return last_of_rows(group[0], group[1])",
        "",
    ])  # fmt: skip
    traits = TABLE if gives else SCALAR
    value = group_function(record, ROLE, source, made.used, given, method, traits)
    types = (states, rows)
    parts = zip(_OF_A_GROUP, types, strict=True)
    group = StructType([StructField(name, kind, nullable=False) for name, kind in parts])
    fold = group_function(record, ROLE, made.source, made.used, _OF_A_GROUP, "folded")
    definition = replace(fold.definition, declared_type=made.state)
    folds = GroupFold(**{**vars(fold), "definition": definition}, group=group)
    return FoldedRows(folds, types, value)
