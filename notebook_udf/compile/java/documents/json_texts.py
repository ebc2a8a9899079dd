"""``json.dumps`` of texts, numbers, flags, None, and of lists and dicts of these, as Java."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

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
    Value,
    quoted,
)


@dataclass(frozen=True)
class _Style:
    ensure_ascii: bool
    separators: tuple[str, str]
    indent: str | None
    sort_keys: bool

    def java(self, depth: int) -> str:
        """What Java is told of it, for a value so deep within others."""
        ascii_only, *separators = str(self.ensure_ascii).lower(), *map(quoted, self.separators)
        told = [ascii_only, *separators]
        if self.indent is not None or self.sort_keys:
            indent = "null" if self.indent is None else quoted(self.indent)
            told += [indent, str(self.sort_keys).lower(), str(depth)]
        return ", ".join(told)

    def line(self, depth: int) -> str:
        """What stands before each value so deep within others."""
        return "" if self.indent is None else "\n" + self.indent * depth

    def text(self, value: Any, depth: int) -> str:
        """A constant's text."""
        said = json.dumps(
            value,
            ensure_ascii=self.ensure_ascii,
            separators=self.separators,
            indent=self.indent,
            sort_keys=self.sort_keys,
        )
        # No text of JSON holds a line feed as it is.
        return said.replace("\n", self.line(depth)) if depth else said


def _style(known: dict[str, Any]) -> _Style:
    """How the arguments of a call, which are taken out of them, want it."""
    indent = known.pop("indent", None)
    indent = " " * indent if type(indent) is int else indent
    separators = known.pop("separators", None)
    if separators is None:
        separators = (", " if indent is None else ",", ": ")
    ascii_only, sort = known.pop("ensure_ascii", True), known.pop("sort_keys", False)
    texts = type(separators) in (tuple, list) and [type(e) for e in separators] == [str, str]
    flags = type(ascii_only) is bool and type(sort) is bool
    # What is asked for where there is no text of JSON: there is one of all that has Java.
    known.pop("default", None)
    if known or not texts or not flags or not (indent is None or type(indent) is str):
        raise NotCompiled("json.dumps with these arguments")
    if any("\n" in each for each in (*separators, indent or "")):
        raise NotCompiled("json.dumps with lines of its own")
    return _Style(ascii_only, tuple(separators), indent, sort)


def is_dumps(function: Any) -> bool:
    """Whether it is ``json.dumps``."""
    return function is json.dumps


def dumped(code: Code, given: Sequence[Value], names: Sequence[str]) -> Value:
    """``json.dumps(value)``, with arguments that are written there."""
    if len(given) != 1 + len(names):
        raise NotCompiled("json.dumps of so many arguments")
    constants = [each for each in given[1:] if isinstance(each, KnownValue)]
    if len(constants) != len(names):
        raise NotCompiled("json.dumps with arguments that vary")
    known = {name: each.value for name, each in zip(names, constants, strict=True)}
    return code.set(STR, _written(code, given[0], _style(known), 0))


def _written(code: Code, value: Value, style: _Style, depth: int) -> str:
    """A Java expression of the text."""
    if isinstance(value, KnownValue):
        try:
            return quoted(style.text(value.value, depth))
        except (TypeError, ValueError):
            raise NotCompiled("what raises in every row") from None
    inside = depth + 1
    if isinstance(value, Parts) and value.form == "dict":
        pairs = list(zip(value.names, value.parts, strict=True))
        parts = [
            f"{quoted(style.text(key, 0) + style.separators[1])} + "
            f"{_written(code, each, style, inside)}"
            for key, each in (sorted(pairs, key=lambda pair: pair[0]) if style.sort_keys else pairs)
        ]
        return _joined("{", parts, style, depth, "}")
    if isinstance(value, Parts) and value.form in ("tuple", "list") and not value.names:
        parts = [_written(code, each, style, inside) for each in value.parts]
        return _joined("[", parts, style, depth, "]")
    term = code.term(value)
    _check(code, term.kinds, style)
    return f"PyDump.text({code.object(term)}, {style.java(depth)})"


def _joined(begin: str, parts: Sequence[str], style: _Style, depth: int, end: str) -> str:
    if not parts:
        return quoted(begin + end)
    between = style.separators[0] + style.line(depth + 1)
    inside = f" + {quoted(between)} + ".join(parts)
    begin, end = begin + style.line(depth + 1), style.line(depth) + end
    return f"({quoted(begin)} + {inside} + {quoted(end)})"


def _check(code: Code, kinds: Kinds, style: _Style, depth: int = 0) -> None:
    """Refuses what may be anything else than a value of JSON."""
    if kinds & PARTS and not style.ensure_ascii:
        raise NotCompiled("json.dumps of what may have half of a surrogate pair")
    for kind in kinds - SCALARS - PARTS:
        if depth > 8 or not kind.startswith((LIST, DICT)):
            raise NotCompiled(f"json.dumps of a {kind.partition('@')[0]}")
        if kind.startswith(DICT) and code.lists.of(frozenset({f"{kind}{KEYS}"})) != STR:
            raise NotCompiled("json.dumps of a dict whose keys may be no texts")
        _check(code, code.lists.of(frozenset({kind})), style, depth + 1)
