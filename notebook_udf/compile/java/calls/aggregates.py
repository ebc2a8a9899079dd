"""``sum``, ``min`` and ``max``, as Java."""

from __future__ import annotations

import sys
from decimal import Decimal

from notebook_udf.compile.java.collections import set_values
from notebook_udf.compile.java.iterating import sorting
from notebook_udf.compile.java.iterating.iterators import iterated, materialised
from notebook_udf.compile.java.numbers import decimals
from notebook_udf.compile.java.numbers.arithmetic import arithmetic, chosen
from notebook_udf.compile.java.objects import named_parts
from notebook_udf.compile.java.writing.code import Code
from notebook_udf.compile.java.writing.exceptions import raising
from notebook_udf.compile.java.writing.terms import (
    BOOL,
    DATE,
    DECIMAL,
    FLOAT,
    INT,
    MOMENT,
    NONE,
    NUMBERS,
    PARTS,
    STR,
    KnownValue,
    NotCompiled,
    Parts,
    Term,
    Value,
    constant_parts,
    is_list,
    is_record,
)

Given = tuple[Value, ...]

# Whether ``sum`` makes up for what is rounded off.
_COMPENSATED = sys.version_info >= (3, 12)


def listed(code: Code, value: Value) -> Term:
    """A list of what a set or anything else that can be iterated over has."""
    if set_values.involves_set(value):
        return set_values.elements(code, value)
    return materialised(code, value)


def extreme(which: str, code: Code, given: Given, default: Value | None = None) -> Value:
    """``min`` or ``max`` of several values, or of one that has them; the default if it has none."""
    if len(given) == 1:
        one = given[0]
        values = one.value if isinstance(one, KnownValue) else None
        if isinstance(values, (tuple, list)):
            given = tuple(map(KnownValue, values))
        elif isinstance(one, Parts):
            given = named_parts.gone_through(one)
        else:
            return _extreme_of_list(which, code, one, listed(code, one), default)
    if not given and default is not None:
        return default
    if not given:
        raise NotCompiled("what raises in every row")
    if any(isinstance(constant_parts(each), Parts) or _is_tuple(each) for each in given):
        whole = code.new_list()
        for each in given:
            code.put(whole, each)
        return _extreme_of_list(which, code, whole, whole, None)
    return chosen(code, which, given)


def _is_tuple(value: Value) -> bool:
    return isinstance(value, Term) and is_record(value.kinds)


def _extreme_of_list(
    which: str, code: Code, given: Value, whole: Term, default: Value | None
) -> Value:
    held = code.lists.of(whole.kinds)
    complete = sorting.is_complete(code, given) or set_values.involves_set(given)
    code.lists.check_order(held, complete=complete)
    if is_record(held) or is_list(held - NONE):
        sorting.check_order_of(code, whole, given, f"values of {which}", complete=complete)
    elif not held - NONE <= NUMBERS and held - NONE not in (STR, DATE, MOMENT, DECIMAL):
        raise NotCompiled(f"{which} of this")
    most = "true" if which == "max" else "false"
    return sorting.taken_or(code, whole, f"PyList.extreme({whole.java}, {most})", default)


def total(code: Code, given: Given) -> Value:
    """``sum(values, start)``."""
    if not 1 <= len(given) <= 2:
        raise NotCompiled("sum of so many arguments")
    parts, *start = given
    several = named_parts.gone_through(parts) if isinstance(parts, Parts) else ()
    if several and not any("float" in code.term(each).kinds for each in several):
        found: Value = start[0] if start else KnownValue(0)
        for each in several:
            found = arithmetic(code, "+", found, each)
        return found
    if start and _is_empty_list(code, start[0]):
        return _joined(code, parts)
    whole = set_values.summed(code, parts)
    if code.lists.of(whole.kinds) - NONE == DECIMAL:
        return _of_decimals(code, whole, *start)
    if not start:
        return _total(code, whole, complete=sorting.is_complete(code, parts))
    if isinstance(start[0], KnownValue) and type(start[0].value) is float:
        return _from_zero(code, whole, start[0].value)
    found, begun = _total(code, whole), code.term(start[0])
    if found.kinds != INT or begun.kinds - NONE != INT:
        # What it begins with is rounded with the first of them.
        raise NotCompiled("sum from a number that is none of the whole ones")
    if "none" not in begun.kinds:
        return arithmetic(code, "+", found, begun)
    if code.lists.handled:
        raise NotCompiled("sum from what may be None, beside try")
    # From None there is a sum of nothing only.
    code.say(f"if ({begun.java} == null && !{whole.java}.isEmpty()) {raising(TypeError)}")
    present = code.integers.narrowed(begun, INT)
    made = code.fresh(begun.kinds)
    added, summed = code.captured(lambda: code.object(arithmetic(code, "+", found, present)))
    code.statements += [f"if ({begun.java} != null) {{", *added, f"{made.java} = {summed};", "}"]
    return made


def _is_empty_list(code: Code, value: Value) -> bool:
    """Whether it is a new list, written there, in which there is nothing."""
    if not isinstance(value, Term) or not is_list(value.kinds):
        return False
    return not code.lists.of(value.kinds) and not value.kinds & code.lists.fixed


def _joined(code: Code, value: Value) -> Term:
    """``sum(lists, [])``: a new list of all that they hold."""
    whole, made = materialised(code, value), code.new_list()
    held = code.lists.of(whole.kinds) - NONE
    if not is_list(held) or code.lists.handled:
        raise NotCompiled("sum of what may be no list, or beside try")
    code.lists.check_changeable(held)
    code.lists.put(made.kinds, code.lists.of(held))
    code.say(f"PyList.join({made.java}, {whole.java});")
    return made


def _total(code: Code, whole: Term, *, complete: bool = False) -> Term:
    found = code.lists.of(whole.kinds)
    code.lists.check_order(found, complete=complete)
    held = found - NONE
    if found == INT and code.integers.bounded:
        return code.set(INT, f"PyList.sumOfLongs({whole.java})")
    if held and held <= INT | BOOL:
        java = f"PyList.sumOfInts({whole.java})"
        return code.set(INT, code.integers.of_object(java))
    if held & PARTS and code.lists.handled:
        raise NotCompiled("sum of parts of a document, beside try")
    if held != FLOAT and (held <= NUMBERS or held & PARTS):
        compensated = "true" if _COMPENSATED else "false"
        return code.set_from(INT | FLOAT, f"PyList.sumOfNumbers({whole.java}, {compensated})")
    nothing = code.integers.literal(0)
    java = (
        f"{whole.java}.isEmpty() ? (Object) {code.object(nothing)} "
        f": (Object) Double.valueOf({_sum_of_floats(code, whole, complete=complete)})"
    )
    return code.set(INT | FLOAT, java)


def _sum_of_floats(code: Code, whole: Term, *, complete: bool = False) -> str:
    found = code.lists.of(whole.kinds)
    code.lists.check_order(found, complete=complete)
    if found - NONE != FLOAT:
        raise NotCompiled("sum of what are no numbers, or of several kinds")
    way = "compensatedSum" if _COMPENSATED else "sumOfDoubles"
    return f"PyList.{way}({whole.java})"


def _of_decimals(code: Code, whole: Term, start: Value | None = None) -> Term:
    """One after the other: each sum is rounded. Of nothing it is 0, which is no Decimal."""
    begun = KnownValue(Decimal(0)) if start is None else start
    made = code.set(DECIMAL, decimals.operand(code, begun))
    over = iterated(code, whole)

    def add() -> None:
        found = code.term(arithmetic(code, "+", made, over.value))
        code.say(f"{made.java} = {found.java};")

    code.loop(over, add)
    if start is not None and code.term(start).kinds == DECIMAL:
        return made
    nothing = code.object(KnownValue(0) if start is None else start)
    java = f"{whole.java}.isEmpty() ? (Object) {nothing} : (Object) {made.java}"
    return code.set_from(DECIMAL | INT, java)


def _from_zero(code: Code, whole: Term, start: float) -> Term:
    """``sum(values, 0.0)`` of floats, which Python begins with 0 in any case."""
    if repr(start) != "0.0":
        raise NotCompiled("sum from a number that is none of the whole ones")
    found = _sum_of_floats(code, whole)
    return code.set(FLOAT, f"{whole.java}.isEmpty() ? 0.0 : {found}")
