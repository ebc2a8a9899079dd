"""Spark's errors about text that was made of a query, told about the query as it was typed.

Places are those of the typed text, calls are shown as they were typed, and plans, which show only
what was made, are left out; ``explain()`` and the plan explorer have those.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeVar

from pyspark.errors import PySparkException
from sqlglot import exp

from notebook_udf.planner.syntax.nodes import origin_of
from notebook_udf.planner.syntax.writer import Edit, Writer

E = TypeVar("E", bound=PySparkException)

_HIDDEN = re.compile(
    r"'?_nu_(?:whole|merge|partial|scalar|guarded|summed|gathered|each2?)_(\w+?)_\d+\("
)
_OURS = "_nu_"
# A part of the text that was handed, with its place underlined.
_EXCERPT = re.compile(r"\n?== SQL \(line \d+, position \d+\) ==\n(?:.*\n)*?[ -]*\^+\n*")
_COLLECTED = re.compile(r"'?collect_(list|set)\('?named_struct\((?='?a0\b|none, 0)")
_PLACE = re.compile(r"line (\d+) pos (\d+)")
_PLAN = re.compile(r"(line \d+ pos \d+);\n(?:.|\n)*\Z")
# Where PySpark keeps the text of an error that came from a JVM, and from a server.
_TEXTS = ("_desc", "_message")


@dataclass(frozen=True)
class Handed:
    """A text that Spark was handed in the place of a query.

    Attributes
    ----------
    typed
        The query as it was typed.
    edits
        What was written otherwise, from left to right.
    """

    typed: str
    edits: tuple[Edit, ...]

    @property
    def text(self) -> str:
        """The whole of it."""
        return "".join(self._parts())

    def _parts(self) -> Iterator[str]:
        place = 0
        for edit in self.edits:
            yield self.typed[place : edit.start]
            yield edit.written
            place = edit.end
        yield self.typed[place:]

    def place_typed(self, place: int) -> int:
        """Where in the typed query stands what is at a place of the text.

        That is the beginning of a call for what was made of it, but for a word in it that the
        call has as well.
        """
        moved = 0
        for edit in self.edits:
            start = edit.start + moved
            if place < start:
                break
            if place < start + len(edit.written):
                return self._inside(edit, place - start)
            moved += len(edit.written) - (edit.end - edit.start)
        return place - moved

    def span_typed(self, start: int, end: int) -> tuple[int, int]:
        """What stands in the typed query for ``text[start:end]``."""
        part = _with_calls(self.text[start:end])
        spaced = r"\s*".join(map(re.escape, re.findall(r"\w+|\S", part)))
        found = list(re.finditer(spaced, self.typed))
        if len(found) == 1:
            return found[0].span()
        first = self.place_typed(start)
        word = re.match(r"\w+", self.typed[first:])
        last = self._end_typed(end)
        return first, max(last, first + len(word[0] if word is not None else ""))

    def _end_typed(self, end: int) -> int:
        moved = 0
        for edit in self.edits:
            start = edit.start + moved
            if end <= start:
                break
            if end < start + len(edit.written):
                return edit.start
            moved += len(edit.written) - (edit.end - edit.start)
        return end - moved

    def _inside(self, edit: Edit, place: int) -> int:
        word = re.match(r"\w+", edit.written[place:])
        typed = self.typed[edit.start : edit.end]
        found = list(re.finditer(rf"\b{word[0]}\b", typed)) if word is not None else []
        return edit.start + (found[0].start() if len(found) == 1 else 0)


def handed(tree: exp.Expression) -> Handed | None:
    """What Spark is handed of a tree; None if it was not read from a text as a whole."""
    origin = origin_of(tree)
    if origin is None:
        return None
    return Handed(origin.text, tuple(Writer().edits(tree, origin)))


def retold(error: E, tree: exp.Expression | None = None) -> E:
    """An error of Spark's, with its text told about what was typed.

    Without the tree that Spark was handed, its places stay those of the text that was made of it;
    an error that shows nothing of ours stays as it is.
    """
    was = None if tree is None else handed(tree)
    if was is not None:
        error.handed = was
    for name in _TEXTS:
        text = getattr(error, name, None)
        if isinstance(text, str) and (tree is not None or _OURS in text):
            setattr(error, name, as_typed(text, was))
    return error


def as_typed(message: str, was: Handed | None) -> str:
    """A message about the text that was handed, told about the query that was typed."""
    told = _PLAN.sub(r"\1", message)
    if was is not None:
        text = was.text

        def placed(match: re.Match[str]) -> str:
            lines = text.split("\n")[: int(match[1]) - 1]
            place = sum(len(line) + 1 for line in lines) + int(match[2])
            before = was.typed[: was.place_typed(place)]
            return f"line {before.count(chr(10)) + 1} pos {len(before) - before.rfind(chr(10)) - 1}"

        told = _PLACE.sub(placed, told)
    told = _EXCERPT.sub(lambda found: "" if _OURS in found[0] else found[0], told)
    return _with_calls(told)


def _with_calls(text: str) -> str:
    """Hidden functions under their registered names, with the arguments they were given."""
    names = set()
    while match := _HIDDEN.search(text):
        names.add(match[1])
        end = _closing(text, match.end())
        inside = text[match.end() : end - 1]
        collected = _COLLECTED.match(inside)
        if collected is not None:
            inside, _ = _collected(inside, collected)
        text = f"{text[: match.start()]}{match[1]}({inside}){text[end:]}"
    if len(names) == 1:
        # Of a call that is named elsewhere in the message Spark may show its inner part alone.
        (name,) = names
        while match := _COLLECTED.search(text):
            inside, end = _collected(text, match)
            text = f"{text[: match.start()]}{name}({inside}){text[end:]}"
    return text


def _collected(text: str, match: re.Match[str]) -> tuple[str, int]:
    """The arguments of a call as they were typed, and where its collecting ends."""
    end = _closing(text, match.end())
    fields = text[match.end() : end - 1]
    inside = ", ".join(_parts(fields)[1::2]) if fields != "none, 0" else ""
    return ("DISTINCT " if match[1] == "set" else "") + inside, end + 1


def _closing(text: str, start: int) -> int:
    """The place behind the parenthesis that closes one before ``start``."""
    depth = 1
    for place in range(start, len(text)):
        depth += (text[place] == "(") - (text[place] == ")")
        if not depth:
            return place + 1
    return len(text) + 1


def _parts(text: str) -> list[str]:
    found, depth, start = [], 0, 0
    for place, letter in enumerate(text):
        depth += (letter in "([{") - (letter in ")]}")
        if letter == "," and not depth:
            found.append(text[start:place].strip())
            start = place + 1
    return [*found, text[start:].strip()]
