"""``re``: patterns that are known beforehand, and what they find, as Java."""

from __future__ import annotations

import re
import types
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from notebook_udf.compile.java.documents import json_values
from notebook_udf.compile.java.iterating.iterators import materialised, of_class
from notebook_udf.compile.java.patterns.pattern_starts import first_letters
from notebook_udf.compile.java.patterns.pattern_syntax import (
    RefusedReplacement,
    is_searched_alike,
    java_patterns,
    template,
)
from notebook_udf.compile.java.patterns.scans import scan_of, written
from notebook_udf.compile.java.writing import choices
from notebook_udf.compile.java.writing.code import Code
from notebook_udf.compile.java.writing.terms import (
    INT,
    LIST,
    MATCH,
    NONE,
    STR,
    TEXTS,
    Call,
    Iteration,
    Kinds,
    KnownValue,
    Nested,
    NotCompiled,
    Parts,
    Term,
    Value,
    array_of,
    quoted,
)

_FINDING = ("search", "match", "fullmatch")
# Parameters behind the text, which these may be given by name.
_LIMITS = {"sub": "count", "split": "maxsplit"}
_FUNCTIONS = {
    id(getattr(re, name)): name
    for name in (*_FINDING, "sub", "findall", "finditer", "split", "compile")
}
# A list of texts, some of which may be None: what groups of a split took.
_SPLIT = frozenset({f"{LIST}split"})


def is_function(function: Any) -> bool:
    """Whether it is a function of ``re`` that has Java."""
    return id(function) in _FUNCTIONS


def called(
    code: Code, function: Any, given: Sequence[Value], names: Sequence[str], call: Call
) -> Value:
    """A call of a function of ``re``; ``call`` writes that of a function that ``sub`` is given."""
    name = _FUNCTIONS[id(function)]
    pattern, *rest = given
    flags: Any = 0
    if names and names[-1] == "flags":
        flags, rest, names = _known(rest[-1]), rest[:-1], names[:-1]
    elif name not in ("sub", "split") and len(rest) == 1 + (name != "compile"):
        flags, rest = _known(rest[-1]), rest[:-1]

    def written(text: Any) -> Value:
        try:
            compiled = re.compile(text, flags)
        except (re.error, TypeError, ValueError):
            raise NotCompiled("a pattern that is none") from None
        if name == "compile":
            return KnownValue(compiled)
        return method(code, compiled, name, rest, names, call)

    return choices.chosen(code, pattern, written, "a pattern")


def _known(value: Value) -> Any:
    if not isinstance(value, KnownValue):
        raise NotCompiled("a pattern that varies")
    return value.value


def _pattern(code: Code, pattern: re.Pattern[str], *, grouped: bool = True) -> str:
    if not isinstance(pattern.pattern, str):
        raise NotCompiled("a pattern of bytes")
    groups = pattern.groups
    try:
        plain, any_text = java_patterns(pattern)
    except NotCompiled as why:
        if grouped or not groups:
            raise
        try:
            plain, any_text = java_patterns(pattern, grouped=False)
        except NotCompiled:
            raise why from None
        groups = 0
    letters = first_letters(pattern)
    first = "null" if letters is None else quoted(letters)
    scan = scan_of(pattern) if groups == pattern.groups else None
    scanner = "null" if scan is None else written(scan)
    made = f"new PyPattern({quoted(plain)}, {quoted(any_text)}, {groups}, {first}, {scanner})"
    return code.constant("PyPattern", made)


def method(
    code: Code,
    pattern: re.Pattern[str],
    name: str,
    given: Sequence[Value],
    names: Sequence[str],
    call: Call,
) -> Value:
    """A call of a pattern's method; ``call`` writes that of a function that ``sub`` is given."""
    limit: Value = KnownValue(0)
    expected = 2 if name == "sub" else 1
    if name in _LIMITS and len(given) == expected + 1 and tuple(names) in ((), (_LIMITS[name],)):
        *given, limit = given
        names = ()
    if names or len(given) != expected:
        raise NotCompiled(f"{name} of a pattern, of these arguments")
    text = code.present(json_values.as_text(code, given[-1]))
    if text.kinds != STR:
        raise NotCompiled(f"{name} in what is no text")
    if name in _FINDING:
        return search(code, pattern, name, text)
    if not is_searched_alike(pattern):
        raise NotCompiled(f"{name} of a pattern that may be empty")
    count = _known(limit)
    if type(count) is not int:
        raise NotCompiled(f"{name} with a count that varies")
    if name == "sub":
        return _substituted(code, pattern, text.java, given[0], count, call)
    own = _pattern(code, pattern)
    if name == "finditer":
        return of_class(code, "PyMatches", f"{own}, {text.java}", _matches(code, pattern))
    if name == "findall" and pattern.groups > 1:
        return materialised(code, _all_groups(code, pattern, own, text))
    if name == "findall":
        return code.set(TEXTS, f"{own}.findall({text.java})")
    if name != "split":
        raise NotCompiled(f"the method {name} of a pattern")
    kinds = TEXTS if not pattern.groups else _SPLIT
    code.lists.note(_SPLIT, STR | NONE)
    return code.set(kinds, f"{own}.split({text.java}, {count}L)")


def _all_groups(code: Code, pattern: re.Pattern[str], own: str, text: Term) -> Iteration:
    """The groups of each match: "" for those that took no part."""
    over = of_class(code, "PyMatches", f"{own}, {text.java}", _matches(code, pattern))
    said, groups = code.captured(lambda: _groups(code, over.value, pattern, KnownValue("")))
    return replace(over, steps=(*over.steps, *said), value=groups)


def _groups(code: Code, found: Value, pattern: re.Pattern[str], *default: Value) -> Parts:
    numbers = range(1, pattern.groups + 1)
    match = code.term(found)
    groups = tuple(_group(code, match, pattern, KnownValue(each)) for each in numbers)
    return Parts(tuple(_or_default(code, each, *default) for each in groups))


def search(code: Code, pattern: re.Pattern[str], name: str, text: Term) -> Term:
    """``pattern.search(text)``, or one of its like: a match or None."""
    own = _pattern(code, pattern)
    return code.set(_matches(code, pattern) | NONE, f"{own}.{name}({text.java})")


def _matches(code: Code, pattern: re.Pattern[str]) -> Kinds:
    return frozenset({f"{MATCH}{code.constants.number_of(pattern)}"})


def _substituted(
    code: Code, pattern: re.Pattern[str], text: str, by: Value, count: int, call: Call
) -> Value:
    """``pattern.sub(by, text, count)``."""
    if _is_function(by):
        made = code.variable("PySubstitution")
        code.say(f"{made} = {_pattern(code, pattern)}.substitution({text}, {count}L);")
        match = code.fresh(_matches(code, pattern))

        def put() -> None:
            found = code.term(call(by, (match,)))
            if not found.kinds <= STR | NONE:
                raise NotCompiled("sub by a function that gives no text")
            code.say(f"{made}.put((String) {found.java});")

        over = Iteration(f"{made}.next()", (f"{match.java} = {made}.match();",), match)
        code.loop(over, put)
        return code.set(STR, f"{made}.text()")
    replacements = choices.texts_of([by])
    if not replacements:
        raise NotCompiled("sub by what is no text and no function, or varies")
    templates = {each: _template(pattern, each) for each in replacements}
    grouped = any(
        type(part) is int and part for parts in templates.values() for part in parts or ()
    )
    own = _pattern(code, pattern, grouped=grouped)
    arrays = [_written(each) for each in templates.values()]
    if isinstance(by, KnownValue):
        if arrays == ["null"]:
            raise NotCompiled("a replacement that Python refuses")
        chosen = code.constant("Object[]", arrays[0])
    else:
        keys = array_of(map(quoted, templates))
        held = code.constant("java.util.HashMap", f"PyList.map({keys}, {array_of(arrays)})")
        chosen = code.variable("Object[]")
        code.say(f"{chosen} = (Object[]) {held}.get({code.term(by).java});")
        if "null" in arrays:
            code.say(f"if ({chosen} == null) throw {code.raised(re.error)};")
    return code.set(STR, f"{own}.sub({text}, {chosen}, {count}L)")


def _template(pattern: re.Pattern[str], replacement: str) -> list[str | int] | None:
    """The parts of a replacement; None where Python refuses it for this pattern."""
    try:
        return template(pattern, replacement)
    except RefusedReplacement:
        return None


def _written(parts: list[str | int] | None) -> str:
    if parts is None:
        return "null"
    return array_of(quoted(e) if isinstance(e, str) else f"Long.valueOf({e}L)" for e in parts)


def _is_function(value: Value) -> bool:
    function = value.value if isinstance(value, KnownValue) else None
    return isinstance(value, Nested) or isinstance(function, types.FunctionType)


def is_match(term: Term) -> bool:
    """Whether a value is what a pattern found, or None."""
    kinds = term.kinds - NONE
    return bool(kinds) and all(kind.startswith(MATCH) for kind in kinds)


def of_match(code: Code, match: Value, name: str, given: Sequence[Value]) -> Value:
    """A call of a match's method."""
    found = code.present(match, AttributeError)
    several = [code.constants.patterns[int(kind.removeprefix(MATCH))] for kind in found.kinds]
    pattern = several[0]
    if any(_groups_of(each) != _groups_of(pattern) for each in several):
        raise NotCompiled("a match of one of several patterns, whose groups differ")
    if name == "group":
        groups = tuple(_group(code, found, pattern, each) for each in given or (KnownValue(0),))
        return groups[0] if len(groups) == 1 else Parts(groups)
    if name == "groups" and len(given) <= 1:
        return _groups(code, found, pattern, *given)
    if name == "groupdict" and len(given) <= 1 and pattern.groupindex:
        groups = _groups(code, found, pattern, *given).parts
        named = {name: groups[number - 1] for name, number in pattern.groupindex.items()}
        return Parts(tuple(named.values()), tuple(named), "dict")
    if name in ("start", "end", "span") and len(given) <= 1:
        number = _number(pattern, given[0] if given else KnownValue(0))
        ends = tuple(_place(code, found, end, number) for end in ("start", "end"))
        return Parts(ends) if name == "span" else ends[name == "end"]
    raise NotCompiled(f"the method {name} of a match")


def _groups_of(pattern: re.Pattern[str]) -> tuple[int, dict[str, int]]:
    return pattern.groups, dict(pattern.groupindex)


def item_of_match(code: Code, match: Value, group: Value) -> Value:
    """``match[group]``."""
    return of_match(code, code.present(match), "group", (group,))


def _number(pattern: re.Pattern[str], group: Value) -> int:
    asked = _known(group)
    number = pattern.groupindex.get(asked) if isinstance(asked, str) else asked
    if type(number) is not int or not 0 <= number <= pattern.groups:
        raise NotCompiled("a group that the pattern has not")
    return number


def _group(code: Code, found: Term, pattern: re.Pattern[str], group: Value) -> Value:
    def written(known: Any) -> Value:
        number = _number(pattern, KnownValue(known))
        java = f"{found.java}.group({number}L)"
        if number == 0:
            return code.set(STR, f"(String) {java}")
        return code.set(STR | NONE, java)

    return choices.chosen(code, group, written, "a group")


def _or_default(code: Code, group: Value, default: Value | None = None) -> Value:
    """A group, or what is given for those that took part in no match."""
    if default is None:
        return group
    found, other = code.term(group), code.term(default)
    java = f"({found.java} != null ? (Object) {found.java} : {code.object(other)})"
    return code.set_from((found.kinds - NONE) | other.kinds, java)


def _place(code: Code, found: Term, end: str, number: int) -> Value:
    java = f"{found.java}.{end}({number}L)"
    return code.set(INT, code.integers.of_long(java))
