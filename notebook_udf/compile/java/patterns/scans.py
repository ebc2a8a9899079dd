"""Patterns that match in one way at most, as steps that never go back.

``java.util.regex`` keeps ways open that such a pattern cannot take: a line of a log takes it ten
times as long as these steps, which go through a text of ASCII once.
"""

from __future__ import annotations

import re
import re._constants as ops  # type: ignore[import-not-found]
from dataclasses import dataclass, field
from typing import Any

from notebook_udf.compile.java.patterns.pattern_syntax import (
    ONE,
    WORD,
    Node,
    Nodes,
    Ranges,
    first_characters,
    is_within,
    matched,
    meet,
    parse_tree,
    union,
)
from notebook_udf.compile.java.patterns.pattern_widths import groups_in
from notebook_udf.compile.java.writing.terms import array_of, quoted

# The steps, as the library of Java numbers them.
END, ONE_OF, RUN, TEXT, OPEN, CLOSE, START, LAST, VERY_LAST, EDGE, TRY, LOOP, CHOOSE = range(13)
_ASCII = 128
_MOST_STEPS = 400
_AT = {
    ops.AT_BEGINNING: START,
    ops.AT_BEGINNING_STRING: START,
    ops.AT_END: LAST,
    ops.AT_END_STRING: VERY_LAST,
    ops.AT_BOUNDARY: EDGE,
}
_GREEDY = (ops.MAX_REPEAT, ops.POSSESSIVE_REPEAT)


@dataclass
class Scan:
    """The steps of a pattern, and what they name by number.

    Attributes
    ----------
    steps
        Numbers of steps, each with its operands.
    sets
        Letters of ASCII.
    texts
        Letters that stand one after the other.
    """

    steps: list[int] = field(default_factory=list)
    sets: list[str] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)


def scan_of(pattern: re.Pattern[str]) -> Scan | None:
    """The steps of a pattern; None if it may match in several ways."""
    tree = parse_tree(pattern)
    if pattern.flags & re.MULTILINE or not _has_one_way(tree, pattern.flags, ()):
        return None
    writer = _Writer()
    writer.sequence(tree, pattern.flags)
    writer.scan.steps.append(END)
    return writer.scan if len(writer.scan.steps) <= _MOST_STEPS else None


def written(scan: Scan) -> str:
    """It as an object of the library of Java."""
    steps = ", ".join(map(str, scan.steps))
    sets, texts = (array_of(map(quoted, each)) for each in (scan.sets, scan.texts))
    return f"new PyScanner(new int[] {{{steps}}}, {sets}, {texts})"


def _has_one_way(nodes: Nodes, flags: int, follow: Ranges) -> bool:
    """Whether a step that may be taken always is the right one, if one of ``follow``, or nothing
    that is known, comes after the nodes."""
    every = list(nodes)
    return all(
        _ends_at_edge(every[i : i + 2], flags)
        or _is_sure(node, flags, first_characters(every[i + 1 :], flags, follow))
        for i, node in enumerate(every)
    )


def _ends_at_edge(nodes: list[Node], flags: int) -> bool:
    """Whether letters of words, or others, are repeated up to the edge of a word: there is none
    before the last of them."""
    if len(nodes) < 2 or nodes[0][0] not in _GREEDY or nodes[1] != (ops.AT, ops.AT_BOUNDARY):
        return False
    low, _, body = nodes[0][1]
    if not low or len(body) != 1 or body[0][0] not in ONE:
        return False
    own, words = matched(body[0], flags), matched(WORD, flags)
    return is_within(own, words) or not meet(own, words)


def _is_sure(node: Node, flags: int, after: Ranges) -> bool:
    op, value = node
    if op in ONE:
        return True
    if op is ops.AT:
        return value in _AT
    if op is ops.SUBPATTERN:
        _, added, removed, inner = value
        return not removed and not added and _has_one_way(inner, flags, after)
    if op in _GREEDY:
        low, high, body = value
        first = first_characters(body, flags, ())
        if not body.getwidth()[0] or (low != high and meet(first, after)):
            return False
        if high > 1 and groups_in(body):
            # A round that fails gives back what groups held before.
            return False
        return _has_one_way(body, flags, union(first, after))
    if op is ops.BRANCH:
        firsts = [first_characters(each, flags, ()) for each in value[1]]
        apart = not any(meet(one, union(*firsts[:k])) for k, one in enumerate(firsts))
        return apart and all(
            each.getwidth()[0] and _has_one_way(each, flags, after) for each in value[1]
        )
    return False


class _Writer:
    """Writes the steps of a pattern."""

    def __init__(self) -> None:
        self.scan = Scan()

    def sequence(self, nodes: Nodes, flags: int) -> None:
        literal = ""
        for op, value in nodes:
            if op is ops.LITERAL and not flags & re.IGNORECASE and value < _ASCII:
                literal += chr(value)
                continue
            self._text(literal)
            literal = ""
            self._node(op, value, flags)
        self._text(literal)

    def _text(self, text: str) -> None:
        if text:
            self._say(TEXT, self._number(self.scan.texts, text))

    def _node(self, op: Any, value: Any, flags: int) -> None:
        if op in ONE:
            self._say(ONE_OF, self._set(matched((op, value), flags)))
        elif op is ops.AT:
            self._say(_AT[value])
        elif op is ops.SUBPATTERN:
            number, _, _, inner = value
            if number is not None:
                self._say(OPEN, number)
            self.sequence(inner, flags)
            if number is not None:
                self._say(CLOSE, number)
        elif op is ops.BRANCH:
            self._branches(value[1], flags)
        else:
            low, high, body = value
            self._repeat(low, high, body, flags)

    def _repeat(self, low: int, high: Any, body: Any, flags: int) -> None:
        most = -1 if high is ops.MAXREPEAT else high
        if len(body) == 1 and body[0][0] in ONE:
            self._say(RUN, self._set(matched(body[0], flags)), low, most)
            return
        first = self._set(first_characters(body, flags, ()))
        if (low, most) == (0, 1):
            groups = groups_in(body)
            at = self._say(TRY, first, 0, min(groups, default=0), max(groups, default=-1))
        else:
            at = self._say(LOOP, first, 0, low, most)
        self.sequence(body, flags)
        self._say(END)
        # Where it goes on.
        self.scan.steps[at + 2] = len(self.scan.steps)

    def _branches(self, branches: Any, flags: int) -> None:
        """The number of branches, where it goes on, and of each its first letters and its step."""
        firsts = [self._set(first_characters(each, flags, ())) for each in branches]
        at = self._say(CHOOSE, len(firsts), 0, *(each for first in firsts for each in (first, 0)))
        for k, each in enumerate(branches):
            self.scan.steps[at + 4 + 2 * k] = len(self.scan.steps)
            self.sequence(each, flags)
            self._say(END)
        self.scan.steps[at + 2] = len(self.scan.steps)

    def _set(self, ranges: Ranges) -> int:
        letters = [chr(c) for a, b in ranges for c in range(a, min(b + 1, _ASCII))]
        return self._number(self.scan.sets, "".join(letters))

    def _number(self, known: list[str], text: str) -> int:
        if text not in known:
            known.append(text)
        return known.index(text)

    def _say(self, *step: int) -> int:
        at = len(self.scan.steps)
        self.scan.steps += step
        return at
