"""Sets as values of a function's; nothing of one that depends on the order of what it holds."""

from __future__ import annotations

from notebook_udf.compile.java.iterating.iterators import materialised
from notebook_udf.compile.java.writing.code import Code
from notebook_udf.compile.java.writing.terms import (
    BOOL,
    DATE,
    INT,
    LIST,
    MOMENT,
    NONE,
    NUMBERS,
    SCALARS,
    SET,
    STR,
    Kinds,
    KnownValue,
    NotCompiled,
    Sequence,
    Term,
    Value,
    array_of,
    is_set,
)

# What a set may hold: of these Java finds those that Python takes for equal.
_HELD = SCALARS | DATE | MOMENT
_OPERATORS = {
    "|": "union",
    "&": "intersection",
    "-": "difference",
    "^": "symmetric_difference",
}
_UPDATES = {
    "update": "union",
    "intersection_update": "intersection",
    "difference_update": "difference",
    "symmetric_difference_update": "symmetric_difference",
}
_TESTS = ("issubset", "issuperset", "isdisjoint")
_MOST_CONSTANTS = 2000


def involves_set(*values: Value) -> bool:
    """Whether one of these is a set that varies."""
    return any(isinstance(each, Term) and is_set(each.kinds - NONE) for each in values)


def are_sets(*values: Value) -> bool:
    """Whether one of these is such a set, or has the keys of a dict, for an operator."""
    return involves_set(*values) or any(map(_has_keys, values))


def _has_keys(value: Value) -> bool:
    return isinstance(value, Sequence) and value.are_keys


def _is_constant(value: Value) -> bool:
    return isinstance(value, KnownValue) and type(value.value) in (set, frozenset)


def made(code: Code, given: tuple[Value, ...], fixed: bool) -> Value:
    """``set(values)``, or ``frozenset``."""
    if len(given) > 1:
        raise NotCompiled("a set of so many arguments")
    if not given:
        return new_set(code, frozenset(), "new PySet()", fixed)
    held, values = _values(code, given[0])
    return new_set(code, held, f"PySet.of({values})", fixed)


def of_items(code: Code, given: tuple[Value, ...]) -> Term:
    """``{a, b}``."""
    whole = new_set(code, frozenset(), "new PySet()")
    for each in given:
        put(code, whole, each)
    return whole


def new_set(code: Code, held: Kinds, java: str, fixed: bool = False) -> Term:
    """A new set of values of some kinds, in a new variable; with ``fixed`` a frozenset."""
    kinds = _new_kinds(code, SET, held)
    if fixed:
        code.lists.fixed |= kinds
    return code.set(kinds, java)


def _new_kinds(code: Code, prefix: str, held: Kinds) -> Kinds:
    code.lists_made += 1
    kinds = frozenset({f"{prefix}{code.name}.{code.lists_made}"})
    _note(code, kinds, held)
    return kinds


def _note(code: Code, kinds: Kinds, held: Kinds) -> None:
    if not held <= _HELD:
        raise NotCompiled("a set of what are no numbers, texts and times")
    code.lists.put(kinds, held)


def put(code: Code, whole: Term, value: Value) -> None:
    """``whole.add(value)``."""
    term = code.term(value)
    _note(code, whole.kinds, term.kinds)
    code.say(f"{whole.java}.add({code.object(term)});")


def extend(code: Code, whole: Term, values: Value) -> None:
    """``whole.update(values)``."""
    held, java = _values(code, values)
    _note(code, whole.kinds, held)
    code.say(f"{whole.java}.addAll({java});")


def elements(code: Code, whole: Value) -> Term:
    """A list of what a set holds, for what does not depend on its order."""
    term = code.present(whole)
    kinds = _new_kinds(code, LIST, code.lists.of(term.kinds))
    return code.set(kinds, f"{term.java}.list()")


def contains(code: Code, value: Value, whole: Value) -> str:
    """``value in whole``."""
    term = code.term(value)
    if not term.kinds <= _HELD:
        raise NotCompiled("in a set: what is no number, no text and no time")
    return f"{code.present(whole).java}.contains({code.object(term)})"


def compared(code: Code, how: str, left: Value, right: Value) -> Value:
    """A comparison of two sets."""
    terms = [each for each in (left, right) if isinstance(each, Term)]
    if how in ("==", "!=") and any("none" in each.kinds for each in terms):
        raise NotCompiled(f"{how} of what may be a set or None")
    one, other = (_set(code, each, f"{how} of a set and something else") for each in (left, right))
    a, b = one.java, other.java
    if how.startswith(">"):
        a, b = b, a
    tests = {
        "=": f"{a}.size() == {b}.size() && {a}.isSubset({b})",
        "!": f"!({a}.size() == {b}.size() && {a}.isSubset({b}))",
        "<=": f"{a}.isSubset({b})",
        "<": f"{a}.size() < {b}.size() && {a}.isSubset({b})",
    }
    asked = how[0] if how in ("==", "!=") else how.replace(">", "<")
    return code.set(BOOL, tests[asked])


def operation(code: Code, how: str, left: Value, right: Value) -> Value:
    """``left how right`` of two sets; in place of ``|=`` and its like the left one is changed."""
    name = _OPERATORS.get(how.removesuffix("="))
    if name is None:
        raise NotCompiled(f"{how} of a set")
    one, other = (_set(code, each, f"{how} of a set and something else") for each in (left, right))
    fixed = isinstance(left, KnownValue) or bool(one.kinds & code.lists.fixed)
    if how.endswith("=") and not fixed:
        _update(code, one, name, (other,))
        return one
    if how.endswith("=") and not one.kinds <= code.lists.fixed:
        raise NotCompiled(f"{how} of what may be a set or a frozenset")
    return _combined(code, one, name, (other,), fixed and _is_frozen(code, left))


def _is_frozen(code: Code, value: Value) -> bool:
    if isinstance(value, KnownValue):
        return isinstance(value.value, frozenset)
    return bool(code.term(value).kinds & code.lists.fixed)


def method(
    code: Code, owner: Value, name: str, given: tuple[Value, ...], names: tuple[str, ...]
) -> Value:
    """A call of a set's method."""
    if names:
        raise NotCompiled(f"{name} of a set with {names[0]}=")
    whole = _set(code, owner, f"the method {name} of a set")
    if name in _TESTS and len(given) == 1:
        return _tested(code, whole, name, given[0])
    if name in _OPERATORS.values() and (len(given) == 1 or name != "symmetric_difference"):
        return _combined(code, whole, name, given, _is_frozen(code, owner))
    if name == "copy" and not given:
        return _combined(code, whole, "union", (), _is_frozen(code, owner))
    if isinstance(owner, KnownValue):
        raise NotCompiled("a change of a set that is not the function's own")
    code.lists.check_changeable(whole.kinds)
    if name in _UPDATES and (len(given) == 1 or name == "update"):
        _update(code, whole, _UPDATES[name], given)
    elif name == "add" and len(given) == 1:
        put(code, whole, given[0])
    elif name in ("discard", "remove") and len(given) == 1:
        term = code.term(given[0])
        if not term.kinds <= _HELD:
            raise NotCompiled(f"{name} of what is no number, no text and no time")
        code.say(f"{whole.java}.{name}({code.object(term)});")
    elif name == "clear" and not given:
        code.say(f"{whole.java}.clear();")
    else:
        raise NotCompiled(f"the method {name} of a set")
    return KnownValue(None)


def _set(code: Code, value: Value, otherwise: str) -> Term:
    """A set; of a constant one that nobody may change."""
    if isinstance(value, KnownValue) and type(value.value) in (set, frozenset):
        return _of_constants(code, value.value)
    if _has_keys(value):
        return _of_keys(code, value)
    term = code.present(value)
    if not is_set(term.kinds):
        raise NotCompiled(otherwise)
    return term


def _of_keys(code: Code, value: Value) -> Term:
    whole = materialised(code, value)
    held = code.lists.of(whole.kinds)
    if held not in (INT, STR, DATE):
        raise NotCompiled("a set of keys that may be equal to ones of other types")
    return new_set(code, held, f"PySet.of({whole.java})")


def _of_constants(code: Code, values: set[object] | frozenset[object]) -> Term:
    if len(values) > _MOST_CONSTANTS or any(each != each for each in values):
        raise NotCompiled("a constant set of so many values, or with NaN")
    terms = [code.term(KnownValue(each)) for each in sorted(values, key=repr)]
    kinds = _new_kinds(code, SET, frozenset(kind for each in terms for kind in each.kinds))
    array = array_of(f"(Object) {code.object(each)}" for each in terms)
    return Term(kinds, code.constant("PySet", f"PySet.of(PyList.list({array}))"))


def _values(code: Code, value: Value) -> tuple[Kinds, str]:
    """The kinds of what can be iterated over, and a list of it."""
    if _is_constant(value):
        value = _set(code, value, "")
    if are_sets(value):
        term = _set(code, value, "")
        return code.lists.of(term.kinds), f"{term.java}.list()"
    whole = materialised(code, value)
    return code.lists.of(whole.kinds), whole.java


def _as_set(code: Code, value: Value) -> Term:
    if _is_constant(value) or involves_set(value):
        return _set(code, value, "")
    held, values = _values(code, value)
    return new_set(code, held, f"PySet.of({values})")


def _combined(code: Code, whole: Term, name: str, given: tuple[Value, ...], fixed: bool) -> Term:
    """A new set of what a set and others hold."""
    held, java = code.lists.of(whole.kinds), f"{whole.java}.copy()"
    for each in given:
        found, java = _one_combined(code, held, whole.java, name, each)
        held, whole = found, code.set(whole.kinds, java)
        java = whole.java
    return new_set(code, held, java, fixed)


def _one_combined(code: Code, held: Kinds, java: str, name: str, value: Value) -> tuple[Kinds, str]:
    if name == "symmetric_difference":
        other = _as_set(code, value)
        return held | code.lists.of(other.kinds), f"{java}.exclusive({other.java})"
    if name == "intersection" and (_is_constant(value) or involves_set(value)):
        # Of two sets it matters which is the smaller one.
        other = _set(code, value, "")
        return _shared(held, code.lists.of(other.kinds)), f"{java}.intersection({other.java})"
    found, values = _values(code, value)
    if name == "difference":
        return held, f"{java}.difference({values})"
    kinds = held | found if name == "union" else _shared(held, found)
    return kinds, f"{java}.{name}({values})"


def _shared(one: Kinds, other: Kinds) -> Kinds:
    """What kinds values may have that are equal to values of both."""
    kinds: Kinds = frozenset()
    for alike in (NUMBERS, STR, DATE, MOMENT, NONE):
        if one & alike and other & alike:
            kinds |= (one | other) & alike
    return kinds


def _update(code: Code, whole: Term, name: str, given: tuple[Value, ...]) -> None:
    if name == "union":
        for each in given:
            extend(code, whole, each)
        return
    changed = _combined(code, whole, name, given, fixed=False)
    _note(code, whole.kinds, code.lists.of(changed.kinds))
    code.say(f"{whole.java}.become({changed.java});")


def _tested(code: Code, whole: Term, name: str, value: Value) -> Value:
    _, values = _values(code, value)
    tests = {
        "isdisjoint": f"{whole.java}.intersection({values}).size() == 0L",
        "issuperset": f"{whole.java}.containsAll({values})",
        "issubset": f"{whole.java}.intersection({values}).size() == {whole.java}.size()",
    }
    return code.set(BOOL, tests[name])


def summed(code: Code, value: Value) -> Term:
    """A list for ``sum``; of a set it has whole numbers, since of others the order matters."""
    if not involves_set(value):
        return materialised(code, value)
    listed = elements(code, value)
    if not code.lists.of(listed.kinds) <= INT | BOOL | NONE:
        raise NotCompiled("sum of a set of what are no whole numbers")
    return listed
