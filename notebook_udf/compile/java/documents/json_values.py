"""``json.loads``, and the parts of a document, whose types are known of each row only.

Such a value is of all the kinds that a document has; what only some types have is asked of Java
where it is used, and raises there as in Python.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from typing import Any

from notebook_udf.compile.java.writing.code import Code
from notebook_udf.compile.java.writing.exceptions import raised
from notebook_udf.compile.java.writing.terms import (
    BOOL,
    BYTES,
    DICT,
    FLOAT,
    INT,
    KEYS,
    LIST,
    NONE,
    NUMBERS,
    PARTS,
    SCALARS,
    STR,
    Kinds,
    KnownValue,
    NotCompiled,
    Term,
    Value,
)

LISTS: Kinds = frozenset({f"{LIST}json"})
DICTS: Kinds = frozenset({f"{DICT}json"})
# All that a part of a document may be.
PART = SCALARS | PARTS
# Parts that have the methods of a dict, those of a list, or those that both have.
_DICT: Kinds = frozenset({"dict of a document"})
_LIST: Kinds = frozenset({"list of a document"})
_EITHER: Kinds = frozenset({"list or dict of a document"})
_TYPES = (str, int, float, bool, list, dict, type(None))
# How Java calls the types that isinstance asks for.
_LETTERS = {str: "s", int: "ib", float: "f", bool: "b", list: "l", dict: "d", type(None): "n"}


def is_part(value: Value) -> bool:
    """Whether a value may be a list or a dict of a document, or something else."""
    if not isinstance(value, Term) or not value.kinds & PARTS or value.kinds in (LISTS, DICTS):
        return False
    return all(kind in SCALARS or kind in DICTS or kind.startswith(LIST) for kind in value.kinds)


def is_loads(function: Any) -> bool:
    """Whether it is ``json.loads``."""
    return function is json.loads


def loaded(code: Code, given: Sequence[Value], names: Sequence[str]) -> Value:
    """``json.loads(text)``, of bytes as well."""
    if len(given) != 1 or names:
        raise NotCompiled("json.loads with anything but a text")
    text = code.present(as_text(code, given[0]))
    if text.kinds not in (STR, BYTES):
        raise NotCompiled("json.loads of what is no text")
    _note(code)
    owner = "PyJson" if text.kinds == STR else "PyDetected"
    return code.set(PART, f"{owner}.loads({text.java})")


def _note(code: Code) -> None:
    code.lists.note(LISTS, PART)
    code.lists.note(DICTS, PART)
    code.lists.note(frozenset(f"{kind}{KEYS}" for kind in DICTS), STR)


def empty_dict(code: Code) -> Term:
    """``{}``."""
    _note(code)
    return code.set(DICTS, "new java.util.LinkedHashMap()")


def as_text(code: Code, value: Value, otherwise: type[Exception] = TypeError) -> Value:
    """A part that has to be a text; any other value as it is."""
    if not is_part(value):
        return value
    return code.set(STR, f"PyJson.text({code.object(value)}, {raised(otherwise)})")


def as_number(code: Code, value: Value) -> Value:
    """A part that has to be a number; any other value as it is."""
    if not is_part(value):
        return value
    return code.set(INT | FLOAT, f"PyJson.number({code.object(value)})")


def _scalars(kinds: Kinds) -> Kinds:
    """What a part may be besides lists and dicts, of more than one kind: Java has an object."""
    found = kinds & SCALARS
    return found if len(found) > 1 else found | NUMBERS | STR


def without_containers(code: Code, term: Term, how: str = "plain") -> Term:
    """What is left of a part where Python raises a TypeError for a list or a dict."""
    if not is_part(term):
        return term
    return Term(_scalars(term.kinds), f"PyJson.{how}({code.object(term)})")


def as_key(code: Code, value: Value) -> Value:
    """A value that has to have a hash."""
    if not isinstance(value, Term) or not is_part(value):
        return value
    # Where it raises, nothing that follows is computed.
    return code.set(_scalars(value.kinds), f"PyJson.scalar({code.object(value)})")


def with_attribute(code: Code, part: Term, name: str) -> Term:
    """A part as one of those that have an attribute."""
    having = [each for each in _TYPES if hasattr(each, name)]
    if having == [str]:
        return code.term(as_text(code, part, AttributeError))
    if having == [dict]:
        java = f"PyJson.dict({code.object(part)}, {raised(AttributeError)})"
        return code.set(_DICT, java)
    if having == [list]:
        return code.set(_LIST, f"PyDocument.list({code.object(part)})")
    if having == [list, dict]:
        return code.set(_EITHER, f"PyDocument.either({code.object(part)})")
    raise NotCompiled(f"{name} of a part of a document")


def methods_of(owner: Value) -> type | None:
    """Whose methods a value has that ``with_attribute`` made of a part: a ``dict``'s, a ``list``'s,
    or an ``object``'s that may be either; None of any other value."""
    known = {_DICT: dict, _LIST: list, _EITHER: object}
    return known.get(owner.kinds) if isinstance(owner, Term) else None


def method(
    code: Code, owner: Term, name: str, given: Sequence[Value], names: Sequence[str]
) -> Value:
    """A method of a dict of a document but for its views: ``get``."""
    if name == "get" and 1 <= len(given) <= 2 and not names:
        default = code.term(given[1]) if len(given) == 2 else Term(NONE, "null")
        java = f"PyJson.get({owner.java}, {key(code, given[0])}, {code.object(default)})"
        return code.set(PART | default.kinds, java)
    raise NotCompiled(f"the method {name} of a dict of a document")


def key(code: Code, value: Value) -> str:
    """What may be a key of a document, as an object.

    Raises
    ------
    NotCompiled
        If Java may find another one by it, or none.
    """
    term = code.term(value)
    if not (term.kinds <= SCALARS or is_part(term)):
        raise NotCompiled("a key of this type in a document")
    _check_text(value)
    return code.object(term)


def _check_text(value: Value) -> None:
    """Refuses a constant that may be equal to half of a pair."""
    text = value.value if isinstance(value, KnownValue) else None
    if isinstance(text, str) and any("\ud800" <= letter < "\ue000" for letter in text):
        raise NotCompiled("a text with half of a surrogate pair")


def item(code: Code, part: Term, index: Value) -> Value:
    """``part[index]``."""
    java = f"PyJson.item({code.object(part)}, {key(code, index)})"
    return code.set(code.lists.of(part.kinds) | PART, java)


def cut(code: Code, part: Term, limits: str) -> Value:
    """``part[start:stop:step]``."""
    kinds = frozenset(kind for kind in part.kinds if kind.startswith(LIST))
    # A slice has a hash since 3.12.
    of_dict = raised(TypeError if sys.version_info < (3, 12) else KeyError)
    return code.set(kinds | PART, f"PyJson.slice({code.object(part)}, {limits}, {of_dict})")


def contains(code: Code, value: Value, part: Term) -> str:
    """``value in part``."""
    term = code.term(value)
    # A list may hold the very float that is looked for, which then is in it even as NaN.
    if not term.kinds <= SCALARS - {"float"}:
        raise NotCompiled("in a part of a document: what may be a float, a list or a dict")
    _check_text(value)
    return f"PyJson.contains({code.object(part)}, {code.object(term)})"


def length(code: Code, part: Term) -> Value:
    """``len(part)``."""
    return code.set(INT, code.integers.of_long(f"PyJson.len({code.object(part)})"))


def said(code: Code, part: Term) -> Value:
    """``str(part)``."""
    return code.set(STR, f"PyJson.said({code.object(part)})")


def elements(code: Code, part: Term) -> tuple[str, Kinds]:
    """A list of what a loop over a part goes through, and the kinds of that."""
    return f"PyJson.elements({code.object(part)})", code.lists.of(part.kinds) | PART


def as_list(code: Code, part: Term) -> Term:
    """A part that a column of lists may take: a list or None."""
    kinds = frozenset(kind for kind in part.kinds if kind.startswith(LIST)) | NONE
    return Term(kinds, f"PyJson.listed({code.object(part)})")


def is_of_types(code: Code, part: Term, types: Sequence[Any], *, exact: bool = False) -> Value:
    """``isinstance(part, types)``; ``exact``: whether its type is one of these."""
    if not all(each in _LETTERS for each in types):
        raise NotCompiled("isinstance of this type")
    letters = "".join(_LETTERS[each] for each in types)
    if exact and bool not in types:
        letters = letters.replace("b", "")
    return code.set(BOOL, f'PyJson.is({code.object(part)}, "{letters}")')


def arithmetic(code: Code, how: str, one: Term, other: Term) -> tuple[Term, Term, str]:
    """The sides of an operation without lists and dicts, and what has the operation with lists.

    The latter is "" where Python raises for them.
    """
    listed = [any(kind.startswith(LIST) for kind in each.kinds) for each in (one, other)]
    whole = [bool(each.kinds & (INT | BOOL)) for each in (one, other)]
    joined = how == "+" and all(listed)
    repeated = how == "*" and ((listed[0] and whole[1]) or (whole[0] and listed[1]))
    kinds = one.kinds | other.kinds
    known = all(each in SCALARS | PARTS or each.startswith(LIST) for each in kinds)
    if (joined or repeated) and known and not kinds & code.lists.fixed:
        java = f"PyJson.{'add' if joined else 'multiply'}({code.object(one)}, {code.object(other)})"
        return Term(one.kinds & SCALARS, ""), Term(other.kinds & SCALARS, ""), java
    return without_containers(code, one), without_containers(code, other), ""


def check_in_place(how: str, left: Value, right: Value) -> None:
    """Refuses to change a list of a document in place."""
    if not is_part(left):
        return
    kinds = right.kinds if isinstance(right, Term) else frozenset()
    number = type(right.value) in (int, float) if isinstance(right, KnownValue) else False
    if how == "+=" and (number or (kinds and kinds <= NUMBERS | NONE)):
        return
    if how in ("+=", "*="):
        raise NotCompiled(f"{how} to what may be a list of a document")


def compared(code: Code, how: str, left: Value, right: Value) -> tuple[Term, Term]:
    """The sides of a comparison, of which Java's has to be Python's."""
    one, other = code.term(left), code.term(right)
    if not is_part(one) and not is_part(other):
        return one, other
    _check_text(left)
    _check_text(right)
    if is_part(one) and is_part(other):
        raise NotCompiled(f"{how} of two parts of documents")
    if not (one.kinds <= SCALARS or other.kinds <= SCALARS):
        raise NotCompiled(f"{how} of a part of a document and what is no number and no text")
    if how in ("==", "!="):
        # No list and no dict is equal to anything else.
        a, b = (_scalars(each.kinds) if is_part(each) else each.kinds for each in (one, other))
        return Term(a, one.java), Term(b, other.java)
    return without_containers(code, one), without_containers(code, other)
