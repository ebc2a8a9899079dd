"""What an evaluation is for all rows at once: a constant, a column, or several of these by row.

Masks are NumPy arrays of bool, one entry a row. A NULL in a column is Python's None.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

Domain: TypeAlias = Literal[
    "int", "float", "bool", "str", "date", "moment", "span", "texts", "match"
]
Mask: TypeAlias = npt.NDArray[np.bool_]


class NoKernel(Exception):
    """A construct that is left to Python, and why; ``line`` is set where it is known."""

    def __init__(self, reason: str, line: int | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.line = line


@dataclass(frozen=True)
class Uniform:
    """The same object in every row: a number, a text, a module, a function, a dict ..."""

    value: Any


@dataclass(frozen=True)
class Column:
    """A value of one Python type, or None, for each row.

    Attributes
    ----------
    origin
        Of matches: what they were found by, where all are of one search.
    """

    domain: Domain
    array: pa.Array
    origin: Any = None


@dataclass(frozen=True)
class Method:
    """A method of a value, not yet called."""

    owner: Value
    name: str


@dataclass(frozen=True)
class Mixed:
    """Values of several types: which one a row has is said by the masks, which do not overlap."""

    parts: tuple[tuple[Mask, Value], ...]


@dataclass(frozen=True)
class Several:
    """A tuple of values."""

    parts: tuple[Value, ...]


@dataclass(frozen=True)
class Iterated:
    """What a loop goes over.

    Attributes
    ----------
    counts
        How often, row by row: NumPy's int64.
    at
        The value of a round, from 0 on, in rows that have so many; elsewhere it means nothing.
    once
        Whether it is over when it was gone over, as Python's ``zip`` is.
    """

    counts: npt.NDArray[np.int64]
    at: Callable[[Rows, int], Value]
    once: bool = False


Value: TypeAlias = Uniform | Column | Method | Mixed | Several | Iterated
# What kernels take: a column's array, or a constant as a scalar.
Operand: TypeAlias = tuple[Domain, Any]

_TYPES: dict[Domain, pa.DataType] = {
    "int": pa.int64(),
    "float": pa.float64(),
    "bool": pa.bool_(),
    "str": pa.string(),
    "date": pa.date32(),
    "moment": pa.timestamp("us"),
    "span": pa.duration("us"),
    "texts": pa.list_(pa.string()),
    "match": pa.bool_(),
}
_DOMAINS: dict[type, Domain] = {
    int: "int", float: "float", bool: "bool", str: "str", dt.date: "date", dt.datetime: "moment",
    dt.timedelta: "span",
}  # fmt: skip
_INT64 = range(-(1 << 63), 1 << 63)


@dataclass
class Rows:
    """The rows that reach an evaluation, and those that Python has to answer.

    Attributes
    ----------
    count
        Of the bundle.
    active
        Which of them reach it; None for all.
    declined
        Which have to run in Python; shared by all evaluations of a bundle.
    reasons
        What was left to Python as a whole, with its line.
    """

    count: int
    active: Mask | None
    declined: Mask
    reasons: list[NoKernel] = field(default_factory=list)

    @classmethod
    def all(cls, count: int) -> Rows:
        """All rows of a bundle."""
        return cls(count, None, np.zeros(count, np.bool_))

    def within(self, mask: Mask | None) -> Rows:
        """The same, of the rows of a mask."""
        return Rows(self.count, mask, self.declined, self.reasons)

    def decline(self, mask: Any) -> None:
        """Leaves rows to Python where they reach here: a mask, or Arrow's (NULL is no)."""
        if isinstance(mask, pa.Array):
            mask = flags(mask)
        elif isinstance(mask, pa.Scalar):
            mask = np.full(self.count, bool(mask.as_py()))
        self.declined |= mask if self.active is None else mask & self.active

    def decline_all(self, why: NoKernel) -> None:
        """Leaves all rows that reach here to Python."""
        if all((each.reason, each.line) != (why.reason, why.line) for each in self.reasons):
            self.reasons.append(why)
        self.declined |= True if self.active is None else self.active

    def only(self, array: Any, fine: Any, instead: Any) -> Any:
        """A column's values where they are fine; the other rows are left to Python."""
        if pc.all(fine).as_py() is not False:
            return array
        self.decline(pc.invert(fine))
        return pc.if_else(fine, array, instead)

    def here(self) -> Mask:
        """The rows that reach here."""
        return np.ones(self.count, np.bool_) if self.active is None else self.active

    def both(self, mask: Mask) -> Mask:
        """The rows of a mask that reach here."""
        return mask if self.active is None else mask & self.active

    def present(self, value: Value) -> None:
        """Leaves rows whose value is None to Python, which knows what to say of them."""
        if isinstance(value, Column) and value.array.null_count:
            self.decline(value.array.is_null())

    def live(self) -> bool:
        """Whether any row gets here; a bundle without rows is one that is only asked about."""
        return not self.count or self.active is None or bool(self.active.any())

    def going_on(self) -> int:
        """How many rows get here that are not left to Python yet."""
        return int(np.count_nonzero(self.both(~self.declined)))


def flags(array: Any) -> Mask:
    """Arrow's truth values as a mask; NULL is no."""
    if array.null_count:
        array = array.fill_null(False)
    mask: Mask = array.to_numpy(zero_copy_only=False)
    return mask


def same(left: Value, right: Value) -> bool:
    """Whether two constants are one."""
    if not (isinstance(left, Uniform) and isinstance(right, Uniform)):
        return left is right
    if left.value is right.value:
        return True
    own = type(left.value)
    return own is type(right.value) and own in _DOMAINS and repr(left.value) == repr(right.value)


def domain_of(value: Value) -> Domain | None:
    """The domain of a column or a constant; None of what else there is."""
    if isinstance(value, Column):
        return value.domain
    if not isinstance(value, Uniform):
        return None
    # What has a time zone is compared otherwise than columns are.
    aware = isinstance(value.value, dt.datetime) and value.value.tzinfo is not None
    return None if aware else _DOMAINS.get(type(value.value))


def operand(value: Value) -> Operand:
    """A value as kernels take it.

    Raises
    ------
    NoKernel
        If it is of another type than theirs.
    """
    if isinstance(value, Column):
        return value.domain, value.array
    domain = domain_of(value)
    if domain is None or not isinstance(value, Uniform):
        shown = type(value.value).__name__ if isinstance(value, Uniform) else "a value of a kind"
        raise NoKernel(f"{shown} here")
    if domain == "int" and value.value not in _INT64:
        raise NoKernel("a whole number beyond 64 bits")
    return domain, pa.scalar(value.value, _TYPES[domain])


def entered(array: pa.Array) -> Column:
    """An argument's column as kernels take it.

    Raises
    ------
    NoKernel
        If it is of a type without kernels.
    """
    kind = array.type
    if pa.types.is_signed_integer(kind):
        return Column("int", array if kind == pa.int64() else array.cast(pa.int64()))
    if pa.types.is_float32(kind) or pa.types.is_float64(kind):
        return Column("float", array.cast(pa.float64()))
    if pa.types.is_string(kind):
        return Column("str", array)
    if pa.types.is_boolean(kind):
        return Column("bool", array)
    if pa.types.is_date32(kind):
        return Column("date", array)
    raise NoKernel(f"a column of {kind}")


def kept(value: Value) -> Value:
    """A value that may be used again.

    Raises
    ------
    NoKernel
        If it is over when it was gone over.
    """
    if isinstance(value, Iterated) and value.once:
        raise NoKernel("an iterator that may be gone over twice")
    return value


def folded(what: str, operation: Callable[..., Any], *constants: Any) -> Uniform:
    """What Python itself answers for constants.

    Raises
    ------
    NoKernel
        If it raises: then it does so in every row that gets here, and says it there.
    """
    try:
        return Uniform(operation(*constants))
    except Exception as error:
        raise NoKernel(f"{what} always raises {type(error).__name__}") from None


def column(domain: Domain, array: Any, rows: Rows) -> Column:
    """A column, of a scalar as well."""
    if isinstance(array, pa.Scalar):
        array = pa.repeat(array, rows.count)
    if isinstance(array, pa.ChunkedArray):
        array = array.combine_chunks()
    return Column(domain, array)


def merged(parts: Sequence[tuple[Mask, Value]]) -> Value:
    """One value of several, each for the rows of its mask; elsewhere it is any of them."""
    flat = _apart(parts)
    first = flat[0][1]
    if len(flat) == 1:
        return first
    if isinstance(first, Several):
        tuples = [value.parts for _, value in flat if isinstance(value, Several)]
        if len(tuples) == len(flat) and len({len(each) for each in tuples}) == 1:
            masks = [mask for mask, _ in flat]
            columns = zip(*tuples, strict=True)
            return Several(tuple(merged(list(zip(masks, e, strict=True))) for e in columns))
    of_domains: dict[Domain, list[tuple[Mask, Value]]] = {}
    others: list[tuple[Mask, Value]] = []
    for mask, value in flat:
        domain = domain_of(value)
        (others if domain is None else of_domains.setdefault(domain, [])).append((mask, value))
    if len(of_domains) == 1 and all(_is_nothing(value) for _, value in others):
        ((domain, found),) = of_domains.items()
        made = _as_column(domain, [*others, *found])
    else:
        made = others + [each for own in of_domains.items() for each in _as_column(*own)]
    return made[0][1] if len(made) == 1 else Mixed(tuple(made))


def _apart(parts: Sequence[tuple[Mask, Value]]) -> list[tuple[Mask, Value]]:
    """Values that are not mixed, each once; those of no row only where none has any."""
    flat: list[tuple[Mask, Value]] = []
    for outer, value in parts:
        inside = value.parts if isinstance(value, Mixed) else ((None, value),)
        for inner, each in inside:
            mask = outer if inner is None else outer & inner
            if mask.size and flat and not mask.any():
                continue
            for place, (other, known) in enumerate(flat):
                if same(known, each):
                    flat[place] = (other | mask, known)
                    break
            else:
                flat.append((mask, each))
    if len(flat) > 1 and flat[0][0].size and not flat[0][0].any():
        del flat[0]
    return flat


def _is_nothing(value: Value) -> bool:
    return isinstance(value, Uniform) and value.value is None


def _as_column(domain: Domain, parts: list[tuple[Mask, Value]]) -> list[tuple[Mask, Value]]:
    """Values of one domain, or None, in one column; as they are where one does not fit."""
    if len(parts) == 1:
        return parts
    kind = _TYPES[domain]
    try:
        arrays = [_array(value, kind) for _, value in parts]
    except (OverflowError, pa.ArrowInvalid):
        return parts
    masks = [mask for mask, _ in parts]
    return [(np.logical_or.reduce(masks), Column(domain, put_together(masks, arrays)))]


def put_together(masks: Sequence[Mask], arrays: Sequence[Any]) -> Any:
    """One array of several, each for the rows of its mask; elsewhere it is the last."""
    found = arrays[-1]
    for mask, array in zip(masks[:-1], arrays[:-1], strict=True):
        found = pc.if_else(pa.array(mask), array, found)
    return found


def _array(value: Value, kind: pa.DataType) -> Any:
    return value.array if isinstance(value, Column) else pa.scalar(value.value, kind)  # type: ignore[union-attr]


def spread(
    rows: Rows, values: Sequence[Value], operation: Callable[[Rows, Sequence[Value]], Value]
) -> Value:
    """An operation on values; where one is mixed, on each of its parts for that part's rows."""
    for place, value in enumerate(values):
        if isinstance(value, Mixed):
            found: list[tuple[Mask, Value]] = []
            for mask, part in value.parts:
                inner = rows.within(rows.both(mask))
                if not inner.live():
                    continue
                try:
                    given = [*values[:place], part, *values[place + 1 :]]
                    found.append((mask, spread(inner, given, operation)))
                except NoKernel as why:
                    inner.decline_all(why)
            if not found:
                raise NoKernel("values of several types")
            return merged(found)
    return operation(rows, values)


def _asked(rows: Rows, value: Mixed, test: Callable[[Rows, Value], Mask]) -> Mask:
    """What a test says of each part of a value, for that part's rows."""
    held = np.zeros(rows.count, np.bool_)
    for mask, part in value.parts:
        held |= mask & test(rows, part)
    return held


def truth(rows: Rows, value: Value) -> Mask:
    """Whether a value counts as true, row by row."""
    if isinstance(value, Mixed):
        return _asked(rows, value, truth)
    if isinstance(value, Uniform):
        if domain_of(value) is None and value.value is not None:
            raise NoKernel(f"whether {type(value.value).__name__} counts as true")
        return np.full(rows.count, bool(value.value))
    if isinstance(value, Several):
        return np.full(rows.count, bool(value.parts))
    if not isinstance(value, Column):
        raise NoKernel("whether this counts as true")
    array = value.array
    if value.domain == "bool":
        return flags(array)
    if value.domain in ("int", "float"):
        return flags(pc.not_equal(array, pa.scalar(0, array.type)))
    if value.domain == "span":
        return flags(pc.not_equal(array.cast(pa.int64()), 0))
    if value.domain == "str":
        return flags(pc.greater(pc.binary_length(array), 0))
    if value.domain == "texts":
        return flags(pc.greater(pc.list_value_length(array), 0))
    return flags(array.is_valid())


def is_none(rows: Rows, value: Value) -> Mask:
    """Whether a value is None, row by row."""
    if isinstance(value, Mixed):
        return _asked(rows, value, is_none)
    if isinstance(value, Column):
        return flags(value.array.is_null())
    return np.full(rows.count, isinstance(value, Uniform) and value.value is None)
