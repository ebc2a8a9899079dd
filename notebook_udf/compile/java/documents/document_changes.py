"""What a function changes in a document that ``json.loads`` gave, as Java.

Whatever is put into a document is of JSON's types, so that all that is known of its parts stays
true; a list or a dict that is put into one is one object by all its names, as in Python.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from notebook_udf.compile.java.documents import json_values
from notebook_udf.compile.java.documents.json_values import DICTS, LISTS, PART
from notebook_udf.compile.java.writing.code import Code
from notebook_udf.compile.java.writing.terms import (
    DICT,
    KEYS,
    LIST,
    PARTS,
    SCALARS,
    STR,
    Kinds,
    KnownValue,
    NotCompiled,
    Parts,
    Slice,
    Term,
    Value,
)

# Dicts that are columns, whose values are of one type whatever a document gets, and Counters.
_OTHERS = (f"{DICT}x", f"{DICT}counter ")
_MAP, _LIST = "java.util.LinkedHashMap", "java.util.ArrayList"


def is_of_document(value: Value) -> bool:
    """Whether a value may be a list or a dict of a document."""
    return json_values.is_part(value) or (isinstance(value, Term) and value.kinds in (LISTS, DICTS))


def store(code: Code, whole: Term, key: Value, value: Value) -> None:
    """``whole[key] = value``."""
    held = _held(code, value)
    code.say(f"PyDocument.put({code.object(whole)}, {_text(code, key)}, {held});")


def delete(code: Code, whole: Term, key: Value) -> None:
    """``del whole[key]``."""
    code.say(f"PyDocument.delete({code.object(whole)}, {_place(code, key)});")


def put_all(code: Code, whole: Term, value: Value) -> None:
    """``{**value}`` within a dict that is displayed."""
    _put_all(code, whole, value, "putAll")


def _put_all(code: Code, whole: Term, value: Value, method: str) -> None:
    if isinstance(value, KnownValue) and type(value.value) is dict:
        value = _as_parts(value.value)
    if isinstance(value, Parts) and value.form == "dict":
        for name, each in zip(value.names, value.parts, strict=True):
            store(code, whole, KnownValue(name), each)
        return
    if not isinstance(value, Term):
        raise NotCompiled("update of a document with what is no dict")
    term = code.present(value)
    if not is_of_document(term):
        _check(code, term.kinds, whole=False)
    code.say(f"PyDocument.{method}({code.object(whole)}, {code.object(term)});")


def copied(code: Code, whole: Term) -> Value:
    """``dict(whole)``."""
    return code.set(DICTS, f"PyDocument.dict({code.object(whole)})")


def method_of_dict(
    code: Code, owner: Term, name: str, given: Sequence[Value], names: Sequence[str]
) -> Value | None:
    """A method that only dicts have, and changes one; None if it is another one."""
    if name == "update":
        count = len(given) - len(names)
        if count > 1:
            raise NotCompiled("update of so many arguments")
        for each in (*given[:count], Parts(tuple(given[count:]), tuple(names), "dict")):
            _put_all(code, owner, each, "update")
        return KnownValue(None)
    if name == "setdefault" and 1 <= len(given) <= 2 and not names:
        default = _held(code, given[1]) if len(given) == 2 else "null"
        key = _text(code, given[0])
        return code.set(PART, f"PyDocument.setDefault({owner.java}, {key}, {default})")
    return None


def method_of_list(code: Code, owner: Term, name: str, given: Sequence[Value]) -> Value:
    """A method that only lists have."""
    if len(given) != 1 or name not in ("append", "extend"):
        raise NotCompiled(f"the method {name} of a list of a document")
    code.lists.change_in_documents()
    whole, value = f"((java.util.ArrayList) {owner.java})", given[0]
    if name == "append":
        code.say(f"{whole}.add({_held(code, value)});")
        return KnownValue(None)
    if isinstance(value, Term) and value.java not in code.empties:
        value = code.present(value)
        _check(code, value.kinds, whole=False)
        held = code.object(value)
    else:
        held = _held(code, value)
    code.say(f"{whole}.addAll(PyJson.elements({held}));")
    return KnownValue(None)


def method_of_either(code: Code, owner: Term, name: str, given: Sequence[Value]) -> Value:
    """A method that lists and dicts have: ``pop``, ``copy`` and ``clear``."""
    if name == "copy" and not given:
        return code.set(PART, f"PyDocument.copy({owner.java})")
    if name == "clear" and not given:
        code.lists.change_in_documents()
        code.say(f"PyDocument.clear({owner.java});")
        return KnownValue(None)
    if name != "pop" or len(given) > 2:
        raise NotCompiled(f"the method {name} of a list or a dict of a document")
    if not given:
        code.lists.change_in_documents()
        return code.set(PART, f"PyDocument.pop({owner.java})")
    at = _place(code, given[0])
    if len(given) == 1:
        return code.set(PART, f"PyDocument.pop({owner.java}, {at})")
    default = code.term(given[1])
    java = f"PyDocument.pop({owner.java}, {at}, {code.object(default)})"
    return code.set(PART | default.kinds, java)


def _text(code: Code, key: Value) -> str:
    """A key that may be new: the dicts of a document have texts as keys."""
    if isinstance(key, Slice) or code.term(key).kinds != STR:
        raise NotCompiled("a part of a document that is set by anything but a text")
    return json_values.key(code, key)


def _place(code: Code, key: Value) -> str:
    """A key or a place where something is taken away."""
    if isinstance(key, Slice):
        raise NotCompiled("a slice that is taken out of a document")
    if code.term(key).kinds != STR:
        code.lists.change_in_documents()
    return json_values.key(code, key)


def _as_parts(known: dict[Any, Any]) -> Parts:
    return Parts(tuple(map(KnownValue, known.values())), tuple(known), "dict")


def _held(code: Code, value: Value) -> str:
    """A value as a document holds it."""
    if isinstance(value, Term) and value.java in code.empties:
        return f"new {_LIST if code.empties[value.java] == [] else _MAP}()"
    if isinstance(value, KnownValue) and isinstance(value.value, dict):
        if id(value.value) not in code.displays:
            raise NotCompiled("a constant dict in a document, where it may be changed")
        value = _as_parts(value.value)
    if isinstance(value, Parts) and value.form == "dict":
        if not all(type(name) is str for name in value.names):
            raise NotCompiled("a key of a document that is no text")
        made = code.set(DICTS, f"new {_MAP}()")
        for name, each in zip(value.names, value.parts, strict=True):
            code.say(
                f"{made.java}.put({json_values.key(code, KnownValue(name))}, {_held(code, each)});"
            )
        return made.java
    if isinstance(value, Parts) and value.is_list:
        made = code.set(LISTS, f"new {_LIST}()")
        for each in value.parts:
            code.say(f"{made.java}.add({_held(code, each)});")
        return made.java
    if isinstance(value, Parts):
        raise NotCompiled("a tuple or an object in a document")
    term = code.term(value)
    _check(code, term.kinds)
    return code.object(term)


def _check(code: Code, kinds: Kinds, *, whole: bool = True, depth: int = 0) -> None:
    """Refuses what may be anything else than a value of JSON, of all that is held within.

    ``whole`` is whether the value is put into a document itself, or only what it holds.
    """
    for kind in kinds - SCALARS - PARTS:
        one = frozenset({kind})
        own = kind not in code.lists.fixed | code.lists.one_by_one and not code.lists.made.get(kind)
        if depth > 8 or not own or not kind.startswith((LIST, DICT)) or kind.startswith(_OTHERS):
            raise NotCompiled(f"a {kind.partition('@')[0]} in a document")
        if kind.startswith(DICT):
            if not code.lists.of(frozenset({f"{kind}{KEYS}"})) <= STR:
                raise NotCompiled("a dict in a document whose keys may be no texts")
            if whole:
                # It may get anything by way of the document.
                code.lists.put(one, PART)
        elif whole:
            code.lists.hold_in_documents()
        _check(code, code.lists.of(one), depth=depth + 1)
