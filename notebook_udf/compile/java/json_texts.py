"""``json.dumps`` of texts, numbers, flags, None, and of lists and dicts of these, as Java."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from notebook_udf.compile.java.code import Code
from notebook_udf.compile.java.terms import (
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
    ensure_ascii: bool = True
    separators: tuple[str, str] = (", ", ": ")

    @property
    def java(self) -> str:
        """What Java is told of it."""
        return ", ".join([str(self.ensure_ascii).lower(), *map(quoted, self.separators)])


def is_dumps(function: Any) -> bool:
    """Whether it is ``json.dumps``."""
    return function is json.dumps


def dumped(code: Code, given: Sequence[Value], names: Sequence[str]) -> Value:
    """``json.dumps(value)``, with ``ensure_ascii`` and ``separators`` that are written there."""
    if len(given) != 1 + len(names):
        raise NotCompiled("json.dumps of so many arguments")
    known: dict[str, Any] = {
        name: each.value if isinstance(each, KnownValue) else None
        for name, each in zip(names, given[1:], strict=True)
    }
    style = _Style(known.pop("ensure_ascii", True), known.pop("separators", (", ", ": ")))
    texts = type(style.separators) is tuple and [type(e) for e in style.separators] == [str, str]
    if known or type(style.ensure_ascii) is not bool or not texts:
        raise NotCompiled("json.dumps with these arguments")
    return code.set(STR, _written(code, given[0], style))


def _written(code: Code, value: Value, style: _Style) -> str:
    """A Java expression of the text."""
    comma, colon = style.separators
    if isinstance(value, KnownValue):
        try:
            said = json.dumps(
                value.value, ensure_ascii=style.ensure_ascii, separators=style.separators
            )
        except (TypeError, ValueError):
            raise NotCompiled("what raises in every row") from None
        return quoted(said)
    if isinstance(value, Parts) and value.form == "dict":
        keys = [json.dumps(key, ensure_ascii=style.ensure_ascii) for key in value.names]
        parts = [
            f"{quoted(key + colon)} + {_written(code, each, style)}"
            for key, each in zip(keys, value.parts, strict=True)
        ]
        return _joined("{", parts, comma, "}")
    if isinstance(value, Parts) and value.form in ("tuple", "list") and not value.names:
        return _joined("[", [_written(code, each, style) for each in value.parts], comma, "]")
    term = code.term(value)
    _check(code, term.kinds, style)
    return f"PyDump.text({code.object(term)}, {style.java})"


def _joined(begin: str, parts: Sequence[str], comma: str, end: str) -> str:
    inside = f" + {quoted(comma)} + ".join(parts) or quoted("")
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
