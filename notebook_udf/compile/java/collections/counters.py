"""``collections.Counter`` and ``dict.fromkeys``, as Java."""

from __future__ import annotations

from dataclasses import dataclass

from notebook_udf.compile.java.documents import json_values
from notebook_udf.compile.java.iterating.iterators import iterated, materialised, zipped
from notebook_udf.compile.java.writing.code import Code
from notebook_udf.compile.java.writing.number_terms import as_int, number
from notebook_udf.compile.java.writing.terms import (
    DATE,
    DICT,
    INT,
    KEYS,
    LIST,
    NONE,
    SCALARS,
    STR,
    Iteration,
    Kinds,
    KnownValue,
    NotCompiled,
    Parts,
    Sequence,
    Term,
    Value,
    is_dict,
    is_list,
)

COUNTER = f"{DICT}counter "
# Of which Java finds those that Python takes for equal.
_KEYS = INT | STR | DATE | NONE


@dataclass(frozen=True)
class Ranking(Sequence):
    """What ``most_common`` gives: lists of keys and of their counts."""

    lists: tuple[Term, ...] = ()


def counted(code: Code, given: tuple[Value, ...]) -> Term:
    """``Counter(values)``, or one of nothing yet."""
    if not given:
        return code.set(
            _new_dict(code, COUNTER, frozenset(), frozenset()), "new java.util.LinkedHashMap()"
        )
    if len(given) != 1:
        raise NotCompiled("a Counter of so many arguments")
    listed = _counted_values(code, given[0])
    held = code.lists.of(listed.kinds)
    if not held <= _KEYS:
        raise NotCompiled("a Counter of what are no whole numbers, texts and dates")
    kinds = _new_dict(code, COUNTER, held, INT)
    return code.set(kinds, f"PyCounts.of({listed.java})")


def _counted_values(code: Code, value: Value) -> Term:
    term = value if isinstance(value, Term) else None
    constant = value.value if isinstance(value, KnownValue) else ""
    if isinstance(constant, dict) or (term and (json_values.is_part(term) or _is_dict(term))):
        raise NotCompiled("a Counter of a dict")
    if term is None or "none" not in term.kinds:
        if constant is None:
            raise NotCompiled("a Counter of nothing")
        return materialised(code, value)
    # Of None it is empty.
    present = code.integers.narrowed(term, term.kinds - NONE)
    if not (is_list(present.kinds) or present.kinds == STR):
        raise NotCompiled("a Counter of this")
    empty = '""' if present.kinds == STR else "new java.util.ArrayList()"
    java = f"{term.java} == null ? {empty} : {present.java}"
    return materialised(code, code.set(present.kinds, java))


def _is_dict(term: Term) -> bool:
    return any(kind.startswith(DICT) or kind == "dict of a document" for kind in term.kinds)


def _new_dict(code: Code, prefix: str, keys: Kinds, values: Kinds) -> Kinds:
    code.lists_made += 1
    name = f"{prefix}{code.name}.{code.lists_made}"
    code.lists.put(frozenset({f"{name}{KEYS}"}), keys)
    code.lists.put(frozenset({name}), values)
    return frozenset({name})


def from_keys(code: Code, given: tuple[Value, ...], names: tuple[str, ...]) -> Value:
    """``dict.fromkeys(values)``, or with a value for all of them."""
    if names or not 1 <= len(given) <= 2:
        raise NotCompiled("a call of fromkeys that does not fit it")
    listed = materialised(code, given[0])
    held = code.lists.of(listed.kinds)
    value = code.term(given[1] if len(given) == 2 else KnownValue(None))
    if held <= _KEYS and value.kinds <= SCALARS:
        kinds = _new_dict(code, DICT, held, value.kinds)
        return code.set(kinds, f"PyCounts.keys({listed.java}, {code.object(value)})")
    if not held <= SCALARS or value.kinds != NONE:
        raise NotCompiled("fromkeys of what are neither numbers nor texts")
    # Of what may be equal to one of another type, for loops and lists.
    keys = code.set(listed.kinds, f"PySet.of({listed.java}).list()")
    return Sequence(lambda: iterated(code, keys))


def missing(kinds: Kinds) -> Value | None:
    """What ``whole[key]`` is of a dict of these kinds that has no such key; None if it raises."""
    counters = [kind.startswith(COUNTER) for kind in kinds]
    if any(counters) and not all(counters):
        raise NotCompiled("an item of what may be a dict or a Counter")
    return KnownValue(0) if any(counters) else None


def is_counter(value: Value) -> bool:
    """Whether a value is a Counter."""
    return isinstance(value, Term) and is_dict(value.kinds) and missing(value.kinds) is not None


def method(
    code: Code, whole: Term, name: str, given: tuple[Value, ...], names: tuple[str, ...]
) -> Value | None:
    """A call of a method that only a Counter has; None if it is one of every dict."""
    if name == "total" and not given:
        _check_numbers(code, whole)
        values = frozenset({f"{LIST}counts"})
        code.lists.note(values, INT)
        listed = code.set(values, f"new java.util.ArrayList({whole.java}.values())")
        total = f"PyList.sumOfInts({listed.java})"
        return code.set(INT, code.integers.of_object(total))
    if name == "most_common" and len(given) <= 1 and tuple(names) in ((), ("n",)):
        return _ranking(code, whole, given)
    if name == "update" and len(given) == 1 and not names:
        _update(code, whole, given[0])
        return KnownValue(None)
    if name in ("get", "items", "keys", "values"):
        return None
    raise NotCompiled(f"the method {name} of a Counter")


def _update(code: Code, whole: Term, value: Value) -> None:
    """``counter.update(value)``: of a dict it adds the numbers, of others it counts the values."""
    if isinstance(value, Term) and is_dict(value.kinds) and not json_values.is_part(value):
        keys, numbers = frozenset(f"{kind}{KEYS}" for kind in value.kinds), value.kinds
        held, added, how = code.lists.of(keys), code.lists.of(numbers), "addAll"
    else:
        value = _counted_values(code, value)
        held, added, how = code.lists.of(value.kinds), INT, "count"
    if not held <= _KEYS or not added <= INT:
        raise NotCompiled("update of a Counter with such keys, or with such numbers")
    code.lists.put(frozenset(f"{kind}{KEYS}" for kind in whole.kinds), held)
    code.lists.put(whole.kinds, added)
    _check_numbers(code, whole)
    code.say(f"PyCounts.{how}({whole.java}, {value.java});")


def _check_numbers(code: Code, whole: Term) -> None:
    if not code.lists.of(whole.kinds) <= INT:
        raise NotCompiled("a Counter of anything but whole numbers")


def _ranking(code: Code, whole: Term, given: tuple[Value, ...]) -> Ranking:
    _check_numbers(code, whole)
    most = "Long.MAX_VALUE"
    if given and not (isinstance(given[0], KnownValue) and given[0].value is None):
        term = as_int(code, code.term(given[0]))
        if term.kinds - NONE != INT:
            raise NotCompiled("most_common of what is no whole number")
        most = code.integers.as_place(code.integers.narrowed(term, INT))
        if "none" in term.kinds:
            most = f"{term.java} == null ? Long.MAX_VALUE : {most}"
    kinds = _list_kinds(code, frozenset(f"{kind}{KEYS}" for kind in whole.kinds))
    values = _list_kinds(code, whole.kinds)
    keys = code.set(kinds, f"PyCounts.ranked({whole.java}, {most})")
    counts = code.set(values, f"PyCounts.values({whole.java}, {keys.java})")

    def begin() -> Iteration:
        return zipped(code, [iterated(code, keys), iterated(code, counts)])

    return Ranking(begin, lists=(keys, counts))


def _list_kinds(code: Code, held: Kinds) -> Kinds:
    """Kinds of lists that hold what others do."""
    kinds = frozenset(f"{LIST}{kind}" for kind in held)
    code.lists.put(kinds, code.lists.of(held))
    return kinds


def item(code: Code, ranking: Ranking, index: Value) -> Value:
    """``counter.most_common()[index]``."""
    term = number(code, index)
    if term.kinds != INT:
        raise NotCompiled("a place that is no whole number")
    place = code.integers.as_place(term)
    return Parts(
        tuple(code.taken(each, f"PyList.item({each.java}, {place})") for each in ranking.lists)
    )
