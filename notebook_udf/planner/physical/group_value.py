"""The value of a group as a function of what Spark has accumulated for it.

An aggregate whose rows Spark adds up, or gathers, is asked for one value for each group. Written as
a function of a row, of the sums or the lists and of the group's keys, that may run in Spark's JVM
like any scalar function: the keys are there for the account of a group that fails.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import groupby
from typing import Any

from pyspark.sql.types import ArrayType, DataType, StructType

from notebook_udf.compile.java.writing.terms import NotCompiled
from notebook_udf.functions import by_value
from notebook_udf.functions.definition import FunctionDefinition
from notebook_udf.functions.kind_traits import AGGREGATE, SCALAR, KindTraits
from notebook_udf.functions.row import Row
from notebook_udf.functions.sum_ir import Key, Slot
from notebook_udf.planner.physical import in_java
from notebook_udf.planner.physical.aggregate_from_sums import SumColumns, sums_of
from notebook_udf.planner.physical.aggregate_gathered import GatheredList, holds
from notebook_udf.planner.physical.null_marks import NullMark, mark_of
from notebook_udf.registry import RegisteredFunction
from notebook_udf.specs.roles import Role
from notebook_udf.specs.slot_fields import LIMB_BITS, SUM, SlotField, slot_field

KEYS = "keys"
_MOST_KEPT = 200
_LITERALS = (int, float, bool, str, type(None))


@dataclass(frozen=True, repr=False, kw_only=True)
class GroupValue(RegisteredFunction):
    """A scalar function that gives the value of a group of an aggregate function.

    Attributes
    ----------
    aggregate
        That function; its methods are what errors are of.
    role
        What the aggregate function is asked for.
    last_call
        Gives the name of the last of these that is called for a group, and its arguments behind
        the accumulator of ``accumulate``.
    """

    aggregate: RegisteredFunction
    role: Role
    last_call: Callable[..., tuple[str, tuple[Any, ...]]] = field(repr=False, compare=False)

    def raised(self, arguments: tuple[Any, ...]) -> Exception | None:
        """What a call raises of which ``last_call`` depends on others before it; None for others.

        A method called by itself, on a new accumulator, may not raise then.
        """
        if self.role != "folded":
            return None
        try:
            self.definition.function(*arguments)
        except Exception as error:
            return error
        return None

    def taken_apart(
        self, arguments: tuple[Any, ...]
    ) -> tuple[str, tuple[Any, ...], Mapping[str, Any]]:
        """What ``last_call`` gives for the arguments of a call, and the keys of its group."""
        if self.definition.parameters[-1] != KEYS:
            return (*self.last_call(*arguments), {})
        *accumulated, keys = arguments
        return (*self.last_call(*accumulated), dict(zip(keys.names, keys, strict=True)))


@dataclass(frozen=True, repr=False, kw_only=True)
class GroupFold(GroupValue):
    """The function that an aggregate of ours folds rows into accumulators by.

    Attributes
    ----------
    group
        The type of what a group has in the end: accumulators, and rows that are in none of them.
    """

    group: StructType


@dataclass
class Nulls:
    """NULLs that come apart from the values: the parameters that are true where there are any, and
    the lines that make the accumulator there."""

    tests: list[str] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)


def of_lists(
    record: RegisteredFunction, lists: Sequence[GatheredList], *, has_keys: bool
) -> GroupValue | None:
    """The function of the lists that Spark gathers, and of a struct of keys if there is one.

    None where an object, or an accumulator, may do more than Java can know of.
    """
    definition = record.definition
    if definition.traits != AGGREGATE or not is_simple(record) or not _is_held(definition, lists):
        return None
    given, lines, nulls = list[str](), list[str](), Nulls()
    if lists[0].part.slot is not None:
        lines.append("accumulator = function.create_accumulator()")
        nulls.lines += lines
    for number, each in enumerate(lists):
        name = f"values{number}"
        given.append(name)
        values = f"[each[0] for each in {name}]" if each.is_wrapped and not each.apart else name
        lines.append(_filled(each, values))
        if each.apart is None:
            nulls.lines.append(lines[-1])
            continue
        given.append(f"nulls{number}")
        nulls.tests.append(given[-1])
        if each.part.distinct:
            place = "" if each.part.slot is None else _place(each.part.slot)
            nulls.lines += [lines[-1], f"if {given[-1]}:", f"    accumulator{place}.add(None)"]
        elif (mark := mark_of(each.of)) is not None:
            nulls.lines += [*_with_nones(number, mark), _filled(each, f"filled{number}")]
    rare = nulls if nulls.tests else None
    return _made(record, "gathered", given, lines, {}, has_keys=has_keys, nulls=rare)


def _filled(each: GatheredList, values: str) -> str:
    """Puts values into the list or the set that an accumulator has for them."""
    distinct = each.part.distinct
    if each.part.slot is None:
        return f"accumulator = {'set' if distinct else 'list'}({values})"
    return f"accumulator{_place(each.part.slot)}.{'update' if distinct else 'extend'}({values})"


def _with_nones(number: int, mark: NullMark) -> list[str]:
    """Makes a list of the values, with a None for each mark that stands for one."""
    return [
        f"filled{number} = []",
        f"place{number} = 0",
        f"for value in values{number}:",
        f"    if value == {mark.value!r}:",
        f"        filled{number}.append(None if nulls{number}[place{number}] else value)",
        f"        place{number} += 1",
        "    else:",
        f"        filled{number}.append(value)",
    ]


def of_sums(
    record: RegisteredFunction, columns: SumColumns, *, has_keys: bool
) -> GroupValue | None:
    """The same of the sums that Spark computes, and of the row on which ``accumulate`` raises."""
    definition = record.definition
    sums = sums_of(definition)
    # What an accumulator is held to is for Python to say.
    if sums is None or definition.accumulator_type is not None:
        return None
    if definition.traits != AGGREGATE or not is_simple(record):
        return None
    sum_type, kept_type = columns.types
    names = {slot: f"slot{number}" for number, slot in enumerate(sums.fresh)}
    lines = [f"{name} = {sums.fresh[slot]!r}" for slot, name in names.items()]
    fields = enumerate(slot_field(name) for name in sum_type.names)
    for _, parts in groupby(fields, lambda each: each[1].number):
        lines += _added(list(parts), names)
    fresh = definition.fresh_accumulators()
    made = None if fresh is None else _constructed(fresh[1][0], names)
    if made is None:
        return None
    code, used = made
    lines.append(f"accumulator = {code}")
    row = ", ".join(f"kept[{place}]" for place in range(1, len(kept_type.names)))
    given = ["sums", "kept"]
    return _made(record, "summed", given, lines, used, has_keys=has_keys, refused=row)


def is_simple(record: RegisteredFunction) -> bool:
    """Whether an aggregate function is an object that is no more than its values.

    Nothing is unpickled for one of which it is not so: that may be large, or do anything.
    """
    try:
        check_simple(record)
    except NotCompiled:
        return False
    return True


def check_simple(record: RegisteredFunction) -> None:
    """Raises a ``NotCompiled`` where ``is_simple`` says that it is not so."""
    plain = in_java.is_plain_object(record.definition.function, ("open", "close"))
    in_java.check_declared(record, is_plain=plain)


def _made(
    record: RegisteredFunction,
    role: Role,
    parameters: Sequence[str],
    lines: Sequence[str],
    used: Mapping[str, Any],
    *,
    has_keys: bool,
    refused: str = "",
    nulls: Nulls | None = None,
) -> GroupValue:
    """The function; ``refused`` are the arguments of the row on which ``accumulate`` raises."""
    taken = ", ".join(parameters)
    given = [*parameters, *([KEYS] if has_keys else [])]

    def making(name: str, body: Sequence[str]) -> list[str]:
        written = [f"    {line}" for line in body]
        return [f"def {name}({taken}):", *written, "    return accumulator"]

    def giving(value: str) -> list[str]:
        """Gives a value of the accumulator, of one with its Nones if there are any."""
        common = f"    return {value.format(f'accumulated({taken})')}"
        if nulls is None:
            return [common]
        rare = f"        return {value.format(f'accumulated_with_nones({taken})')}"
        return [f"    if {' or '.join(nulls.tests)}:", rare, common]

    refuses = ["    if kept[0]:", "        raise ValueError"] if refused else []
    tells = ["    if kept[0]:", f"        return 'accumulate', ({refused},)"] if refused else []
    source = "\n".join([
        *making("accumulated", lines),
        *([] if nulls is None else making("accumulated_with_nones", nulls.lines)),
        f"def get_value({', '.join(given)}):",
        *refuses,
        *giving("function.get_value({})"),
        f"def last_call({taken}):",
        *tells,
        *giving("('get_value', ({},))"),
        "",
    ])  # fmt: skip
    return group_function(record, role, source, used, given)


def group_function(
    record: RegisteredFunction,
    role: Role,
    source: str,
    used: Mapping[str, Any],
    parameters: Sequence[str],
    name: str = "get_value",
    traits: KindTraits = SCALAR,
) -> GroupValue:
    """The function of a name in a source that also has ``last_call``, and uses these values."""
    function, last_call, payload = _functions(record.payload, source, tuple(used.items()), name)
    definition = replace(
        record.definition,
        traits=traits,
        function=function,
        input_types=None,
        parameters=tuple(parameters),
        accumulator_type=None,
    )
    return GroupValue(
        record.name,
        record.version,
        definition,
        payload,
        f"{record.hash} {name} {source}",
        record.actions,
        aggregate=record,
        role=role,
        last_call=last_call,
    )


@lru_cache(maxsize=_MOST_KEPT)
def _functions(
    payload: bytes, source: str, used: tuple[tuple[str, Any], ...], name: str
) -> tuple[Callable[..., Any], Callable[..., tuple[str, tuple[Any, ...]]], bytes]:
    """The function of a name in a source and ``last_call``, and the first pickled: once for all
    queries, as it would be a tenth of planning each."""
    made = executed(unpickled(payload), source, dict(used))
    return made[name], made["last_call"], by_value.dumps(made[name])


def unpickled(payload: bytes) -> Any:
    """The aggregate function of a payload."""
    instance = by_value.loads(payload)
    return getattr(instance, "function", instance)


def executed(function: Any, source: str, used: Mapping[str, Any]) -> dict[str, Any]:
    """What a source defines that calls an aggregate function and uses these values, by name."""
    made = {"function": function, **used}
    # The file is this one, whose lines no traceback of a user's shows.
    exec(compile(source, __file__, "exec"), made)
    return made


def _is_held(definition: FunctionDefinition, lists: Sequence[GatheredList]) -> bool:
    """Whether each accumulator that is gathered is of the type that is declared for it."""
    declared: DataType | None = definition.accumulator_type
    if declared is None:
        return True
    (first, *others) = lists
    return (
        not others
        and first.part.slot is None
        and isinstance(declared, ArrayType)
        and holds(declared.elementType, first.of)
        and (declared.containsNull or not first.is_wrapped)
    )


def _place(slot: Slot) -> str:
    """What follows an accumulator where one of its slots is meant."""
    if isinstance(slot, Key):
        return f"[{slot.name!r}]"
    return f".{slot}" if isinstance(slot, str) else f"[{slot}]"


def _added(parts: Sequence[tuple[int, SlotField]], names: Mapping[Slot, str]) -> Iterator[str]:
    """Adds one sum to its slot, unless no row had anything to add; see ``worker.aggregate``."""
    (place, first), *others = parts
    name = names[first.slot]
    yield f"if sums[{place}] is not None:"
    if first.part == SUM:
        yield f"    {name} = {name} + sums[{place}]"
        return
    (high, _), *wide = others
    yield f"    {name} = {name} + ((sums[{high}] << {LIMB_BITS}) + sums[{place}])"
    for exponent, (limb, _) in enumerate(wide, 2):
        yield f"if sums[{limb}] is not None:"
        yield f"    {name} = {name} + (sums[{limb}] << {exponent * LIMB_BITS})"


def _constructed(fresh: Any, names: Mapping[Slot, str]) -> tuple[str, dict[str, Any]] | None:
    """The code of an accumulator like a fresh one, with these values in its slots, and what that
    code uses; None if it is not made of what it holds."""
    if type(fresh) in (int, float):
        return names[None], {}

    def value(slot: Slot, held: Any) -> str:
        return names[slot] if slot in names else repr(held)

    found: dict[Slot, Any]
    used: dict[str, Any] = {}
    if type(fresh) is dict:
        found = {Key(name): held for name, held in fresh.items()}
        form = "{{{}}}"
        parts = [f"{key!r}: {value(Key(key), held)}" for key, held in fresh.items()]
    elif type(fresh) is list or (type(fresh) is Row and not fresh.names):
        found = dict(enumerate(fresh))
        form = "[{}]" if type(fresh) is list else "Row({})"
        used = {"Row": Row}
        parts = [value(place, held) for place, held in found.items()]
    elif dataclasses.is_dataclass(fresh):
        known = [each.name for each in dataclasses.fields(fresh)]
        found = {name: getattr(fresh, name) for name in known}
        form, used = "made({})", {"made": type(fresh)}
        parts = [f"{name}={value(name, held)}" for name, held in found.items()]
    else:
        return None
    if not set(names) <= set(found) or not all(type(h) in _LITERALS for h in found.values()):
        return None
    return form.format(", ".join(parts)), used
