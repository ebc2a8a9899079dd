"""``difflib.SequenceMatcher`` of texts, and ``get_close_matches``, as Java."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from typing import Any

from notebook_udf.compile.bindings import taken
from notebook_udf.compile.java.collections import lookups
from notebook_udf.compile.java.iterating.iterators import materialised
from notebook_udf.compile.java.writing.code import Code
from notebook_udf.compile.java.writing.terms import (
    FLOAT,
    MATCHER,
    NONE,
    STR,
    TEXTS,
    KnownValue,
    NotCompiled,
    Parts,
    Term,
    Value,
    is_list,
)

_FUNCTIONS = (difflib.SequenceMatcher, difflib.get_close_matches)
_PARAMETERS = ("isjunk", "a", "b", "autojunk")
_METHODS = {"ratio": "ratio", "quick_ratio": "quickRatio", "real_quick_ratio": "realQuickRatio"}


def is_function(function: Any) -> bool:
    """Whether it is one of these."""
    return any(function is each for each in _FUNCTIONS)


def called(code: Code, function: Any, given: Sequence[Value], names: Sequence[str]) -> Value:
    """The call of one of them."""
    made = _matcher if function is difflib.SequenceMatcher else _close_matches
    return made(code, given, names)


def _matcher(code: Code, given: Sequence[Value], names: Sequence[str]) -> Value:
    """``SequenceMatcher(None, a, b)``."""
    found = taken(given, names, _PARAMETERS, _PARAMETERS) or {}
    is_junk = found.get("isjunk", KnownValue(None))
    leaves_popular = found.get("autojunk", KnownValue(True))
    if not isinstance(is_junk, KnownValue) or is_junk.value is not None:
        raise NotCompiled("a SequenceMatcher that has junk")
    if not isinstance(leaves_popular, KnownValue) or type(leaves_popular.value) is not bool:
        raise NotCompiled("a SequenceMatcher with an autojunk that varies")
    if not {"a", "b"} <= set(found):
        raise NotCompiled("a SequenceMatcher whose texts come later")
    if code.lists.handled and "none" in code.term(found["a"]).kinds:
        # Python raises once it is asked for a ratio.
        raise NotCompiled("a SequenceMatcher of what may be None, beside try")
    texts = ", ".join(_text(code, found[name]) for name in ("a", "b"))
    return code.set(MATCHER, f"new PyMatcher({texts}, {str(leaves_popular.value).lower()})")


def _close_matches(code: Code, given: Sequence[Value], names: Sequence[str]) -> Value:
    """``get_close_matches(word, possibilities)``."""
    parameters = ("word", "possibilities", "n", "cutoff")
    found = taken(given, names, parameters, parameters)
    if found is None or not {"word", "possibilities"} <= set(found):
        raise NotCompiled("a call of get_close_matches that does not fit it")
    most, cutoff = found.get("n", KnownValue(3)), found.get("cutoff", KnownValue(0.6))
    if not isinstance(most, KnownValue) or not isinstance(cutoff, KnownValue):
        raise NotCompiled("get_close_matches with limits that vary")
    fits = type(most.value) is int and type(cutoff.value) in (int, float)
    if not fits or not most.value > 0 or not 0 <= cutoff.value <= 1:
        raise NotCompiled("what raises in every row")
    among = _possibilities(code, found["possibilities"])
    word = _text(code, found["word"])
    limits = f"{min(most.value, 1 << 31)}L, {float(cutoff.value)!r}"
    return code.set(TEXTS, f"PyMatcher.close({word}, {among}, {limits})")


def _possibilities(code: Code, value: Value) -> str:
    if isinstance(value, KnownValue) and type(value.value) in (list, tuple, dict):
        values = list(value.value)
        if not all(type(each) is str for each in values):
            raise NotCompiled("get_close_matches among what is no text")
        return code.constant("java.util.ArrayList", f"PyList.list({lookups.array(code, values)})")
    if isinstance(value, Parts) and value.is_list:
        value = materialised(code, value)
    if not isinstance(value, Term) or not is_list(value.kinds - NONE):
        raise NotCompiled("get_close_matches among what is no list")
    whole = code.present(value)
    if not code.lists.of(whole.kinds) <= STR | NONE:
        raise NotCompiled("get_close_matches among what is no text")
    code.lists.check_order(code.lists.of(whole.kinds), complete=False)
    return whole.java


def _text(code: Code, value: Value) -> str:
    term = code.present(value)
    if term.kinds != STR:
        raise NotCompiled("how much of anything but texts is alike")
    return term.java


def is_matcher(term: Term) -> bool:
    """Whether a value is what ``SequenceMatcher`` gave."""
    return term.kinds == MATCHER


def method(
    code: Code, owner: Term, name: str, given: Sequence[Value], names: Sequence[str]
) -> Value:
    """``ratio()`` and its upper limits."""
    if name not in _METHODS or given or names:
        raise NotCompiled(f"the method {name} of a SequenceMatcher")
    return code.set(FLOAT, f"{owner.java}.{_METHODS[name]}()")
