"""Lists and dicts that a function makes and changes, as Java."""

from __future__ import annotations

import builtins
import dis
import types
from collections.abc import Sequence
from typing import Any

from notebook_udf.compile.flow_graph import Evaluation, FlowGraph
from notebook_udf.compile.java.collections import lookups
from notebook_udf.compile.java.documents import document_changes, json_values
from notebook_udf.compile.java.documents.json_values import DICTS
from notebook_udf.compile.java.iterating import iterators, unpacking
from notebook_udf.compile.java.writing.code import Code
from notebook_udf.compile.java.writing.terms import (
    DATE,
    DICT,
    INT,
    KEYS,
    LIST,
    MAPPINGS,
    NONE,
    PARTS,
    STR,
    Kinds,
    KnownValue,
    NotCompiled,
    Parts,
    Slice,
    Term,
    Value,
    is_dict,
    is_list,
    is_queue,
)

# What kinds of Counters have.
_COUNTER = f"{DICT}counter "
# What changes a list or a dict in place.
_CHANGING = frozenset(
    {"append", "extend", "insert", "pop", "remove", "reverse", "sort", "clear"}
    | {"setdefault", "update", "popitem"}
)

# What only reads a list or a dict of constants, and methods of theirs that do.
_READING = frozenset({"iterator", "compare", "item", "length"})
_ASKING = frozenset({"get", "items", "keys", "values", "index", "count"})


def changed_later(graph: FlowGraph, *, in_place: bool) -> frozenset[int]:
    """The identities of the displays of lists and dicts that may be changed once they are made.

    They have to be objects of Java's: by whatever name it is changed, all of them see it.
    ``in_place`` is whether an operator changes a list.
    """
    every = [each for block in graph.blocks.values() for each in block.evaluations]
    if not in_place and not any(map(_may_change, every)) and not _hands_on(every):
        return frozenset()
    keeping = ("store_local", "store_cell", "phi", "grow")
    kept = {id(operand) for each in every if each.kind in keeping for operand in each.operands}
    return frozenset(
        id(each)
        for each in every
        if _is_display(each) and id(each) in kept and not _is_only_read(each, every)
    )


def _is_display(each: Evaluation) -> bool:
    return each.kind in ("list", "map") or _is_dict_of_names(each)


def _hands_on(every: Sequence[Evaluation]) -> bool:
    """Whether a display in a variable is given to a function of the module, which may change it."""
    names = {
        each.detail
        for each in every
        if each.kind == "store_local" and any(map(_is_display, each.operands))
    }
    return any(
        each.kind == "call"
        and each.operands[0].kind == "global"
        and not hasattr(builtins, each.operands[0].detail)
        and any(operand.is_local(name) for operand in each.operands for name in names)
        for each in every
    )


def _may_change(each: Evaluation) -> bool:
    """Whether something changes a list or a dict, or makes a function that does."""
    if each.kind == "function":
        return any(map(_has_changes, (operand.detail for operand in each.operands)))
    return each.kind in ("store_item", "delete_item", "grow") or (
        each.kind == "attribute" and each.detail in _CHANGING
    )


def _has_changes(made_here: Any) -> bool:
    if not isinstance(made_here, types.CodeType):
        return False
    # A comprehension only adds to what it makes itself.
    does = any(each.opname in ("STORE_SUBSCR", "DELETE_SUBSCR") for each in dis.Bytecode(made_here))
    return (
        does
        or not _CHANGING.isdisjoint(made_here.co_names)
        or any(map(_has_changes, made_here.co_consts))
    )


def _is_only_read(display: Evaluation, every: Sequence[Evaluation]) -> bool:
    """Whether a display of constants and functions stands in one local variable, which is only
    gone through, looked into and asked for what it holds."""
    if not all(map(_is_named, display.operands)):
        return False
    users = [each for each in every if display in each.operands]
    if len(users) != 1 or users[0].kind != "store_local":
        return False
    name = users[0].detail
    reads = [each for each in every if each.is_local(name)]
    return all(
        each.kind in _READING or (each.kind == "attribute" and each.detail in _ASKING)
        for each in every
        for operand in each.operands
        if any(operand is read for read in reads)
    )


def _is_named(each: Evaluation) -> bool:
    """Whether it is a constant, or what a name of the module or a ``lambda`` gives."""
    if each.kind == "attribute":
        return _is_named(each.operands[0])
    return each.kind in ("constant", "global", "builtin", "function")


def _is_dict_of_names(each: Evaluation) -> bool:
    """Whether it is a call like ``dict(a=1)``."""
    if each.kind != "call" or len(each.operands) != len(each.detail or ()) + 1:
        return False
    return each.operands[0].kind in ("global", "builtin") and each.operands[0].detail == "dict"


def displayed(code: Code, each: Evaluation, given: tuple[Value, ...]) -> Term:
    """What is displayed as an object of Java's."""
    if each.kind == "list":
        return new_list(code, given)
    if each.kind == "map":
        return new_dict(code, given)
    function, *values = given
    if not isinstance(function, KnownValue) or function.value is not dict:
        raise NotCompiled("a call of what is named dict")
    return of_parts(code, Parts(tuple(values), each.detail or (), "dict"))


def new_list(code: Code, given: tuple[Value, ...]) -> Term:
    """``[a, b]`` as an object of Java's."""
    made = code.new_list()
    for each in given:
        code.put(made, each)
    return made


def new_dict(code: Code, given: tuple[Value, ...]) -> Term:
    """``{key: value}``, of keys and values in turn."""
    made = code.new_dict()
    for key, value in zip(given[::2], given[1::2], strict=True):
        put_item(code, made, key, value)
    return made


def of_parts(code: Code, parts: Parts) -> Term:
    """A dict that is known part by part as an object of Java's."""
    pairs = zip(map(KnownValue, parts.names), parts.parts, strict=True)
    return new_dict(code, tuple(each for pair in pairs for each in pair))


def is_own(kinds: frozenset[str]) -> bool:
    """Whether values of these kinds are dicts that a function makes: no part of a document."""
    return is_dict(kinds) and not kinds & PARTS and not any(k.startswith(f"{DICT}x") for k in kinds)


def put_item(code: Code, whole: Term, key: Value, value: Value) -> None:
    """``whole[key] = value`` of a dict."""
    if whole.kinds == DICTS:
        document_changes.store(code, whole, key, value)
        return
    if not is_own(whole.kinds):
        raise NotCompiled("a change of a dict that was given")
    term = code.term(key)
    _check_keys(code, whole, term.kinds)
    held = code.held_by(whole, value)
    code.say(f"{whole.java}.put({code.object(term)}, {code.object(held)});")


def _check_keys(code: Code, whole: Term, more: Kinds) -> None:
    """Notes the kinds of more keys of a dict, of which Java's equality has to be Python's."""
    keys = frozenset(f"{kind}{KEYS}" for kind in whole.kinds)
    code.lists.put(keys, more)
    if code.lists.of(keys) - NONE not in (INT, STR, DATE):
        raise NotCompiled("a dict whose keys are not all texts, all whole numbers or all dates")


def store(code: Code, whole: Term, index: Value, value: Value) -> None:
    """``whole[index] = value``."""
    if document_changes.is_of_document(whole):
        document_changes.store(code, whole, index, value)
        return
    if is_dict(whole.kinds):
        put_item(code, whole, index, value)
        return
    if isinstance(index, Slice) or not is_queue(whole.kinds):
        check_own_list(code, whole, "a change of a part of what is no list and no dict")
    if isinstance(index, Slice):
        # As they are before the change: they may be of the list itself.
        values = code.new_list()
        iterators.filled(code, values, value)
        code.lists.put(whole.kinds, code.lists.of(values.kinds))
        code.say(f"PyList.setSlice({whole.java}, {_limits(code, index)}, {values.java});")
        return
    held = code.held_by(whole, value)
    place = lookups.place(code, index)
    code.say(f"PyList.set({whole.java}, {place}, {code.object(held)});")


def check_own_list(code: Code, whole: Term, refusal: str) -> None:
    """Refuses to change what is no list, or one that is a part of a document or may be a tuple."""
    if not is_list(whole.kinds) or f"{LIST}json" in whole.kinds:
        raise NotCompiled(refusal)
    code.lists.check_changeable(whole.kinds)


def delete(code: Code, whole: Term, index: Value) -> None:
    """``del whole[index]``."""
    if document_changes.is_of_document(whole):
        document_changes.delete(code, whole, index)
        return
    if is_dict(whole.kinds):
        if not is_own(whole.kinds):
            raise NotCompiled("a change of a dict that was given")
        lookups.check_key(code, whole, index)
        code.say(f"PyList.delete({whole.java}, {code.object(index)});")
        return
    check_own_list(code, whole, "del of a part of what is no list and no dict")
    if isinstance(index, Slice):
        code.say(f"PyList.setSlice({whole.java}, {_limits(code, index)}, null);")
    else:
        code.say(f"PyList.pop({whole.java}, {lookups.fitting_place(code, index)});")


def _limits(code: Code, cut: Slice) -> str:
    """Where a slice begins and ends that is changed at once."""
    step = cut.limits[2] if len(cut.limits) == 3 else KnownValue(None)
    if not isinstance(step, KnownValue) or step.value is not None:
        raise NotCompiled("a change of every so manyth of a list")
    return ", ".join(lookups.limit(code, each) for each in cut.limits[:2])


def made_dict(code: Code, given: tuple[Value, ...]) -> Value:
    """``dict(pairs)``."""
    made = code.new_dict()
    if not given:
        return made
    (pairs,) = given
    if isinstance(pairs, Term) and json_values.is_part(pairs):
        return document_changes.copied(code, pairs)
    if isinstance(pairs, Term) and is_dict(pairs.kinds - NONE):
        whole = code.present(pairs)
        if whole.kinds == DICTS:
            return document_changes.copied(code, whole)
        over = iterators.view(code, whole, "items")
    else:
        over = iterators.iterated(code, pairs)

    def put() -> None:
        key, value = unpacking.unpacked(code, over.value, 2).parts
        put_item(code, made, key, value)

    code.loop(over, put)
    return made


def dict_with_names(code: Code, given: tuple[Value, ...], names: tuple[str, ...]) -> Value:
    """``dict(pairs, a=1)``, or ``dict(a=1)``."""
    count = len(given) - len(names)
    named = Parts(given[count:], names, "dict")
    if not count:
        return named
    made = made_dict(code, given[:count])
    assert isinstance(made, Term)
    put_all(code, made, named)
    return made


def is_mapping(value: Value) -> bool:
    """Whether a value is a dict that is no part of a document, or None."""
    if isinstance(value, Parts):
        return value.form == "dict"
    if isinstance(value, KnownValue):
        return type(value.value) in MAPPINGS
    return isinstance(value, Term) and is_dict(value.kinds - NONE) and not value.kinds & PARTS


def put_all(code: Code, whole: Term, value: Value) -> None:
    """``whole.update(value)`` of two dicts."""
    if whole.kinds == DICTS:
        document_changes.put_all(code, whole, value)
        return
    if isinstance(value, Term) and json_values.is_part(value) and is_own(whole.kinds):
        code.lists.put(whole.kinds, json_values.PART)
        _check_keys(code, whole, STR)
        code.say(f"PyDocument.putAll({whole.java}, {code.object(code.present(value))});")
        return
    if not is_mapping(value):
        raise NotCompiled("update with what is no dict")
    if isinstance(value, KnownValue):
        value = Parts(tuple(map(KnownValue, value.value.values())), tuple(value.value), "dict")
    if isinstance(value, Parts):
        for name, each in zip(value.names, value.parts, strict=True):
            put_item(code, whole, KnownValue(name), each)
        return
    over = iterators.view(code, code.present(value), "items")
    assert isinstance(over.value, Parts)
    pair = over.value.parts
    code.loop(over, lambda: put_item(code, whole, *pair))


def united(code: Code, how: str, left: Value, right: Value) -> Term:
    """``left | right`` of two dicts, or ``left |= right``."""
    terms = [each for each in (left, right) if isinstance(each, Term)]
    # Of others it is a dict of their kind, and of Counters something else.
    if any(code.lists.made.get(kind) or _COUNTER in kind for t in terms for kind in t.kinds):
        raise NotCompiled(f"{how} of dicts that are no plain ones")
    present = [code.present(each) if isinstance(each, Term) else each for each in (left, right)]
    if how == "|=":
        if not isinstance(left, Term):
            raise NotCompiled("|= of a dict")
        put_all(code, code.present(left), present[1])
        return left
    made = code.new_dict()
    for each in present:
        put_all(code, made, each)
    return made


def default_dict(code: Code, given: tuple[Value, ...]) -> Value:
    """``defaultdict(factory)``."""
    factory = given[0].value if len(given) == 1 and isinstance(given[0], KnownValue) else None
    if factory not in (int, float, str, list):
        raise NotCompiled("a defaultdict of anything but int, float, str or list")
    made = code.new_dict()
    code.lists.made[min(made.kinds)] = factory
    return made


def made_of_key(code: Code, whole: Term, key: Value) -> None:
    """Has a dict hold a key that it may lack, where it makes what it lacks."""
    factories = {code.lists.made.get(kind) for kind in whole.kinds}
    if factories == {None}:
        return
    if len(factories) > 1:
        raise NotCompiled("dicts of several kinds in one place")
    (factory,) = factories
    value = code.new_list() if factory is list else KnownValue(factory())  # type: ignore[misc]
    _put_if_absent(code, whole, key, value)


def _put_if_absent(code: Code, whole: Term, key: Value, value: Value) -> None:
    statements, _ = code.captured(lambda: put_item(code, whole, key, value))
    for each in (f"if (!{whole.java}.containsKey({code.object(key)})) {{", *statements, "}"):
        code.say(each)


def method_of_dict(code: Code, whole: Term, name: str, given: tuple[Value, ...]) -> Value:
    """A method that changes a dict."""
    if name == "setdefault" and len(given) == 2:
        _put_if_absent(code, whole, *given)
        return lookups.item_of_dict(code, whole, given[0], None)
    if name == "clear" and not given and is_own(whole.kinds):
        code.say(f"{whole.java}.clear();")
        return KnownValue(None)
    if name == "pop" and 1 <= len(given) <= 2 and is_own(whole.kinds):
        default = given[1] if len(given) == 2 else None
        found = lookups.item_of_dict(code, whole, given[0], default)
        code.say(f"{whole.java}.remove({code.object(given[0])});")
        return found
    raise NotCompiled(f"the method {name} of a dict")


def method_of_list(code: Code, whole: Term, name: str, given: tuple[Value, ...]) -> Value:
    """A method that changes a list."""
    if f"{LIST}json" in whole.kinds:
        raise NotCompiled(f"the method {name} of a list of a document")
    code.lists.check_changeable(whole.kinds)
    code.empties.pop(whole.java, None)
    if name == "append" and len(given) == 1:
        code.put(whole, given[0])
    elif name == "extend" and len(given) == 1:
        if isinstance(given[0], Term) and given[0].kinds & whole.kinds:
            # They may be the same.
            listed = code.present(given[0])
            code.lists.put(whole.kinds, code.lists.of(listed.kinds))
            code.say(f"{whole.java}.addAll({listed.java});")
        else:
            iterators.filled(code, whole, given[0])
    elif name == "insert" and len(given) == 2:
        held = code.held_by(whole, given[1])
        place = lookups.fitting_place(code, given[0])
        code.say(f"PyList.insert({whole.java}, {place}, {code.object(held)});")
    elif name == "pop" and len(given) <= 1:
        place = lookups.fitting_place(code, given[0] if given else KnownValue(-1))
        return code.taken(whole, f"PyList.pop({whole.java}, {place})")
    elif name == "remove" and len(given) == 1:
        sought = code.term(given[0])
        lookups.check_equality(code, code.lists.of(whole.kinds) | sought.kinds)
        code.say(f"PyList.remove({whole.java}, {code.object(sought)});")
    elif name == "reverse" and not given:
        code.say(f"java.util.Collections.reverse({whole.java});")
    elif name == "clear" and not given:
        code.say(f"{whole.java}.clear();")
    elif name == "copy" and not given:
        return code.set(whole.kinds, f"new java.util.ArrayList({whole.java})")
    else:
        raise NotCompiled(f"the method {name} of a list")
    return KnownValue(None)


def grown(code: Code, whole: Term, value: Value) -> Term:
    """``whole += value`` of a list: the same list."""
    method_of_list(code, whole, "extend", (value,))
    return whole


def multiplied(code: Code, whole: Term, times: Value) -> Value:
    """``whole *= times`` of a list: the same list; of a tuple, a new one."""
    if whole.kinds <= code.lists.fixed:
        return repeated(code, whole, times)
    check_own_list(code, whole, "*= of a part of a document")
    code.say(f"PyList.multiply({whole.java}, {lookups.place(code, times)});")
    return whole


def repeated(code: Code, whole: Value, times: Value) -> Value:
    """``whole * times`` of a list."""
    listed = iterators.materialised(code, whole)
    count = lookups.place(code, times)
    return code.set(listed.kinds, f"PyList.repeated({listed.java}, {count})")
