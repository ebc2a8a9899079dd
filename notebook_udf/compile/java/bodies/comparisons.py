"""Comparisons, as Java: of values, of tuples part by part, with None, and ``in``."""

from __future__ import annotations

import operator
from collections.abc import Sequence

from notebook_udf.compile.java.bodies import own_methods
from notebook_udf.compile.java.calls import type_tests
from notebook_udf.compile.java.collections import enum_members, set_values
from notebook_udf.compile.java.iterating import iterators
from notebook_udf.compile.java.iterating.generated_values import FunctionCalls
from notebook_udf.compile.java.numbers.arithmetic import comparison, condition
from notebook_udf.compile.java.texts import membership
from notebook_udf.compile.java.writing.code import Code
from notebook_udf.compile.java.writing.terms import (
    BOOL,
    INT,
    NONE,
    PARTS,
    SCALARS,
    STR,
    KnownValue,
    NotCompiled,
    OneOf,
    Parts,
    Term,
    Value,
    constant_parts,
    is_dict,
    is_known_none,
    is_list,
    is_plain_tuple,
    is_record,
    is_set,
)

_ORDERED = ("<", "<=", ">", ">=", "==", "!=")
_HOLDS = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}


def compare(run: FunctionCalls, code: Code, given: Sequence[Value], how: str) -> Value:
    """A comparison of two values, by its operator."""
    left, right = given
    of_types = type_tests.compared(code, how, left, right)
    if of_types is not None:
        return of_types
    if how not in ("is", "is not"):
        left, right = (enum_members.plain(code, each) for each in given)
    fields = own_methods.fields_of(code, how, left, right)
    if fields is not None:
        return _compare_tuples(code, how, *fields)
    own = own_methods.compared(run, code, how, left, right)
    if own is not None:
        return own
    same = enum_members.compared(code, how, left, right)
    if same is not None:
        return same
    if how in ("==", "!=") and (is_known_none(left) or is_known_none(right)):
        # Nothing but None is equal to it, but an object may have a way of its own.
        other = left if is_known_none(right) else right
        by_kind = isinstance(other, Term) and code.lists.changeable(other.kinds) is None
        if by_kind or is_known_none(other):
            return _identity(code, "is" if how == "==" else "is not", other)
    if how in _ORDERED:
        if set_values.are_sets(left, right):
            return set_values.compared(code, how, left, right)
        if how in ("==", "!=") and (_may_be_no_tuple(left) or _may_be_no_tuple(right)):
            return _equal_unless_none(run, code, how, left, right)
        left, right = code.opened(left), code.opened(right)
        in_order = _compared_lists(code, how, left, right)
        if in_order is not None:
            return in_order
        if isinstance(left, Parts) or isinstance(right, Parts):
            return _compare_tuples(code, how, left, right)
        return comparison(code, how, left, right)
    if how in ("in", "not in"):
        found: str | bool | None = None
        if isinstance(right, KnownValue):
            found = enum_members.is_one_of(code, left, right.value)
        if found is None:
            found = membership.contains(code, left, right)
        if isinstance(found, bool):
            return KnownValue(found == (how == "in"))
        return code.set(BOOL, found if how == "in" else f"!({found})")
    if _is_object(code, left) and _is_object(code, right):
        one = f"(Object) {code.term(left).java} == (Object) {code.term(right).java}"
        return code.set(BOOL, one if how == "is" else f"!({one})")
    if is_known_none(right):
        return _identity(code, how, left)
    if isinstance(right, KnownValue) and isinstance(right.value, bool):
        flag, one = str(right.value).lower(), code.object(code.term(left))
        found = f"Boolean.valueOf({flag}).equals((Object) {one})"
        return code.set(BOOL, found if how == "is" else f"!{found}")
    raise NotCompiled(f"{how} anything but None, True or False")


def _may_be_no_tuple(value: Value) -> bool:
    """Whether it is a tuple or an object in some rows, and None in others."""
    return isinstance(value, Term) and "none" in value.kinds and is_record(value.kinds - NONE)


def _equal_unless_none(
    run: FunctionCalls, code: Code, how: str, left: Value, right: Value
) -> Value:
    """``left == right``, or ``!=``, where None is equal to None alone."""
    terms = [each for each in (left, right) if isinstance(each, Term) and "none" in each.kinds]
    nulls = [f"{each.java} == null" for each in terms]
    both = " && ".join(nulls) if len(nulls) == 2 else "false"
    found = code.set(BOOL, both if how == "==" else f"!({both})")
    present = [
        code.integers.narrowed(each, each.kinds - NONE) if each in terms else each
        for each in (left, right)
    ]
    written, made = code.captured(lambda: condition(code, compare(run, code, present, how)))
    lines = [*written, f"{found.java} = {made};"]
    code.statements += [f"if (!({' || '.join(nulls)})) {{", *lines, "}"]
    return found


def _identity(code: Code, how: str, value: Value) -> Value:
    """Whether a value is None, or is not."""
    known = is_none(code, value)
    if isinstance(known, bool):
        return KnownValue(known == (how == "is"))
    return code.set(BOOL, known if how == "is" else f"!({known})")


def _is_object(code: Code, value: Value) -> bool:
    """Whether it is a list, a dict, a set or an object that may be changed, or else None: each is
    one object of Java's."""
    if not isinstance(value, Term):
        return False
    present = value.kinds - NONE
    if present & (code.lists.fixed | PARTS):
        return False
    several = is_list(present) or is_dict(present) or is_set(present)
    return several or code.lists.changeable(present) is not None


def _compared_lists(code: Code, how: str, left: Value, right: Value) -> Term | None:
    """Which of two lists, or of two tuples of any length, is first, or whether they are equal.

    None if they are neither.
    """
    left, right = _beside(code, right, left), _beside(code, left, right)
    if not (iterators.is_listed(left) and iterators.is_listed(right)):
        return None
    one, other = (code.term(iterators.as_one(code, each)) for each in (left, right))
    if len({bool((each.kinds - NONE) & code.lists.fixed) for each in (one, other)}) > 1:
        raise NotCompiled("comparing a list with what may be a tuple")
    held = [code.lists.of(each.kinds - NONE) for each in (one, other)]
    if how in ("==", "!="):
        if not held[0] | held[1] <= SCALARS or all("float" in each for each in held):
            # NaN is equal to itself where it is the same object.
            raise NotCompiled("whether lists of floats, or of lists, are equal")
        # One that may be None is held as an object.
        same = "PyList.equal((java.util.ArrayList) {}, (java.util.ArrayList) {})"
        same = same.format(one.java, other.java)
        return code.set(BOOL, same if how == "==" else f"!{same}")
    one, other = code.present(one), code.present(other)
    if held not in ([INT, INT], [STR, STR]):
        raise NotCompiled("the order of lists of anything but whole numbers, or but texts")
    return code.set(BOOL, f"PyList.order({one.java}, {other.java}) {how} 0")


def _beside(code: Code, other: Value, value: Value) -> Value:
    """A tuple that is written there, as one of any length where ``other`` is one of these."""
    if not (isinstance(other, Term) and other.kinds and other.kinds <= code.lists.fixed):
        return value
    parts = constant_parts(value)
    if not is_list(other.kinds) or not is_plain_tuple(parts):
        return value
    made = iterators.filled(code, code.new_list(), parts)
    code.lists.fixed |= made.kinds
    return made


def _compare_tuples(code: Code, how: str, left: Value, right: Value) -> Value:
    """Two tuples, by the first of their parts that are not equal."""
    one, other = (_parts_of(each) for each in (left, right))
    by_order = how not in ("==", "!=")
    if not by_order and len(one) != len(other):
        return KnownValue(how == "!=")
    pairs = list(zip(one, other, strict=False))
    for a, b in pairs:
        _check_comparable(code, a, b)
    same = [code.term(comparison(code, "==", a, b)).java for a, b in pairs]
    if not by_order:
        found = " && ".join(same) or "true"
        return code.set(BOOL, found if how == "==" else f"!({found})")
    # Parts behind the first that differ are not compared: they may be None, which raises. Where
    # none differ the longer is behind the other.
    beyond = _HOLDS[how](len(one), len(other))
    least = code.set(BOOL, str(beyond).lower())
    for equal, (a, b) in zip(same, pairs, strict=True):
        code.say(f"if (!({equal})) {{")
        code.say(f"{least.java} = {code.term(comparison(code, how, a, b)).java};")
        code.say("} else {")
    code.say("}" * len(same))
    return least


def _check_comparable(code: Code, a: Value, b: Value) -> None:
    """Refuses parts of tuples of which the same object is equal to itself, as a NaN is there."""
    kinds = code.term(a).kinds | code.term(b).kinds
    known = any(isinstance(each, KnownValue) and each.value == each.value for each in (a, b))
    if "float" in kinds and not known:
        raise NotCompiled("comparing tuples with floats in them")
    if not kinds <= SCALARS and len(kinds - NONE) != 1:
        raise NotCompiled("comparing tuples with such values in them")


def _parts_of(value: Value) -> tuple[Value, ...]:
    if isinstance(value, KnownValue) and type(value.value) is tuple:
        return tuple(map(KnownValue, value.value))
    if not isinstance(value, Parts) or value.form != "tuple":
        raise NotCompiled("comparing a tuple with something else")
    return value.parts


def is_none(code: Code, value: Value) -> str | bool:
    """Whether a value is None: an expression, or the answer for every row."""
    if isinstance(value, KnownValue):
        return value.value is None
    if isinstance(value, Parts):
        return False
    if isinstance(value, OneOf):
        return code.one_of_places(value, [each is None for each in value.of])
    term = code.term(value)
    if "none" not in term.kinds:
        return False
    return len(term.kinds) == 1 or f"{term.java} == null"
