"""What a function returns, by the kinds of it and of all that it holds."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from notebook_udf.compile.java.writing.code import Code, ListKinds
from notebook_udf.compile.java.writing.terms import (
    DATE,
    DECIMAL,
    KEYS,
    MOMENT,
    NONE,
    PARTS,
    SCALARS,
    Kinds,
    NotCompiled,
    Value,
    is_dict,
    is_list,
    is_queue,
    is_record,
    is_set,
)

# What holds others: a list and a set their values, a dict its keys and values, others their parts.
Holding: TypeAlias = Literal["", "list", "set", "dict", "parts"]
_SINGLE = SCALARS | DECIMAL | DATE | MOMENT
_DEEPEST = 6


@dataclass(frozen=True)
class Contents:
    """A value: the kinds of those that are single ones, and what others hold.

    Attributes
    ----------
    kinds
        Of single values, None among them.
    holds
        What it is that holds others; "" for a single value.
    parts
        What it holds.
    """

    kinds: Kinds
    holds: Holding = ""
    parts: tuple[Contents, ...] = ()


@dataclass
class ReturnedKinds:
    """Takes the place of a column of results, to learn what is returned.

    Attributes
    ----------
    seen
        What was, by the last writing.
    """

    seen: list[Contents] = field(default_factory=list)

    def returned(self, code: Code, value: Value) -> list[str]:
        """The statement that returns a value, which nobody runs."""
        term = code.whole(value, f"{code.name}.returned")
        self.seen.append(described(code.lists, term.kinds))
        return [f"return {code.object(term)};"]


def described(lists: ListKinds, kinds: Kinds, depth: int = 0) -> Contents:
    """What values of some kinds are, and hold.

    Raises
    ------
    NotCompiled
        If they may be of several forms, or of no known one.
    """
    present, none = kinds - NONE, kinds & NONE
    if present <= _SINGLE:
        return Contents(kinds)
    if depth == _DEEPEST:
        raise NotCompiled("a value that holds so many others within each other")

    def inner(each: Kinds) -> Contents:
        return described(lists, each, depth + 1)

    if present & PARTS:
        raise NotCompiled("a part of a document, which is kept")
    if is_list(present) or is_queue(present):
        return Contents(none, "list", (inner(lists.of(present)),))
    if is_set(present):
        return Contents(none, "set", (inner(lists.of(present)),))
    if is_dict(present):
        keys = lists.of(frozenset(f"{kind}{KEYS}" for kind in present))
        return Contents(none, "dict", (inner(keys), inner(lists.of(present))))
    if is_record(present):
        return Contents(none, "parts", tuple(map(inner, lists.of_records(present).parts)))
    raise NotCompiled(f"what may be {' or '.join(sorted(kinds))}, which is kept")


def together(one: Contents, other: Contents) -> Contents:
    """What may be one or the other."""
    kinds = one.kinds | other.kinds
    forms = {each.holds for each in (one, other) if each.holds or each.kinds - NONE}
    if len(forms) > 1 or (one.parts and other.parts and len(one.parts) != len(other.parts)):
        raise NotCompiled("values of several forms, which are kept")
    if not one.parts or not other.parts:
        return Contents(kinds, one.holds or other.holds, one.parts or other.parts)
    parts = tuple(map(together, one.parts, other.parts))
    return Contents(kinds, one.holds, parts)
