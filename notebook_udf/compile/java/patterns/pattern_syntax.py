"""Python's regular expressions as those of ``java.util.regex``, with exactly Python's meaning.

What one character of a pattern matches is asked of Python, character by character: the two
differ in nearly every class, and in what goes without case. How the parts are put together is the
same in both, save for what is refused here.
"""

from __future__ import annotations

import re
import re._compiler as compiler  # type: ignore[import-not-found]
import re._constants as ops  # type: ignore[import-not-found]
import re._parser as parser  # type: ignore[import-not-found]
import warnings
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any, TypeAlias

from notebook_udf.compile.java.patterns.pattern_widths import goes_on_alike, groups_in, ungrouped
from notebook_udf.compile.java.writing.terms import NotCompiled

# The first and last of each stretch of code points, ascending.
Ranges: TypeAlias = tuple[tuple[int, int], ...]
Node: TypeAlias = tuple[Any, Any]
Nodes: TypeAlias = Iterable[Node]

_LAST = 0x10FFFF
_LAST_ASCII = 0x7F
_ALL: Ranges = ((0, _LAST),)
_NEWLINE: Ranges = ((10, 10),)
_NEVER = r"[^\x{0}-\x{10ffff}]"
# Its search never stops between the halves of a character, nor do its lookbehinds begin there: Java
# does both in a pattern without a character beyond 0xFFFF.
_WHOLE_CHARACTERS = "\U0010ffff{0}"
# Java's calls go as deep as a pattern is long, with what is repeated a number of times counted so
# often; these take up to half of a thread's stack of 1 MB.
_DEEPEST = 1000
_MOST_ROUNDS = 1_000_000
# A constant of Java's has at most 65535 bytes.
_MOST_BYTES = 60_000

ONE = (ops.LITERAL, ops.NOT_LITERAL, ops.ANY, ops.IN)
REPEATS = {ops.MAX_REPEAT: "", ops.MIN_REPEAT: "?", ops.POSSESSIVE_REPEAT: "+"}
_MEANT = re.IGNORECASE | re.ASCII | re.UNICODE | re.DOTALL
_TYPES = re.ASCII | re.UNICODE | re.LOCALE
WORD: Node = (ops.IN, [(ops.CATEGORY, ops.CATEGORY_WORD)])
_BOUNDARY: Node = (ops.AT, ops.AT_BOUNDARY)
# Whether \B is found in an empty text, which depends on Python's version.
_IN_EMPTY = re.search(r"\B", "") is not None

_asked: dict[tuple[str, int], Ranges] = {}


class RefusedReplacement(NotCompiled):
    """A replacement that Python refuses for its pattern."""


def java_patterns(pattern: re.Pattern[str], *, grouped: bool = True) -> tuple[str, str]:
    """The pattern for java.util.regex, compiled without flags: for texts of ASCII, and for any.

    Its groups may be left out. Raises NotCompiled for what Java matches otherwise, or too deeply.
    """
    _check_text(pattern.pattern)
    parsed = parse_tree(pattern) if grouped else ungrouped(parse_tree(pattern))
    ascii_only, general = (_Writer(known).all(parsed, pattern.flags) for known in (True, False))
    general += _WHOLE_CHARACTERS
    # In a constant, each half of a character beyond 0xFFFF has three bytes.
    if len(general.encode("utf-8")) + 2 * sum(c > "\uffff" for c in general) > _MOST_BYTES:
        raise NotCompiled("a regular expression that is too long in Java")
    return ascii_only, general


def template(pattern: re.Pattern[str], replacement: str) -> list[str | int]:
    """A replacement of ``sub`` as texts and numbers of groups.

    Raises RefusedReplacement where Python raises an exception for it.
    """
    _check_text(replacement)
    try:
        parsed = parser.parse_template(replacement, pattern)
    except (re.error, IndexError) as error:
        raise RefusedReplacement("a replacement that Python refuses") from error
    if isinstance(parsed, tuple):
        # Python 3.11: where the groups stand among the texts, and the texts.
        groups, parts = dict(parsed[0]), parsed[1]
        parsed = [groups.get(i, part) for i, part in enumerate(parts)]
    return [part for part in parsed if part != ""]


def is_searched_alike(pattern: re.Pattern[str]) -> bool:
    """Whether one match of it follows another as in Python."""
    return goes_on_alike(parse_tree(pattern))


def _check_text(text: str) -> None:
    if any(0xD800 <= ord(c) < 0xE000 for c in text):
        raise NotCompiled("a regular expression with half of a surrogate pair")


def parse_tree(pattern: re.Pattern[str]) -> Any:
    with warnings.catch_warnings():
        # Told where the pattern was compiled.
        warnings.simplefilter("ignore")
        return parser.parse(pattern.pattern, pattern.flags & ~re.DEBUG)


@lru_cache(maxsize=1)
def _every_character() -> str:
    return "".join(map(chr, [*range(0xD800), *range(0xE000, _LAST + 1)]))


def matched(node: Node, flags: int) -> Ranges:
    """The characters that a node of one character matches, as Python tells."""
    op, value = node
    if op is ops.LITERAL and not flags & re.IGNORECASE:
        return ((value, value),)
    key = (repr(node), flags & _MEANT)
    if key not in _asked:
        body = parser.SubPattern(parser.State(), [node])
        repeat = (ops.MAX_REPEAT, (1, ops.MAXREPEAT, body))
        asked = compiler.compile(parser.SubPattern(parser.State(), [repeat]), key[1])
        text = _every_character()
        spans = (found.span() for found in asked.finditer(text))
        _asked[key] = tuple((ord(text[start]), ord(text[end - 1])) for start, end in spans)
    return _asked[key]


def union(*sets: Ranges) -> Ranges:
    made: list[tuple[int, int]] = []
    for low, high in sorted(each for ranges in sets for each in ranges):
        if made and low <= made[-1][1] + 1:
            made[-1] = (made[-1][0], max(high, made[-1][1]))
        else:
            made.append((low, high))
    return tuple(made)


def _outside(ranges: Ranges, last: int = _LAST) -> Ranges:
    ends = [-1, *(end for each in ranges for end in each), last + 1]
    pairs = zip(ends[::2], ends[1::2], strict=True)
    return tuple((low + 1, high - 1) for low, high in pairs if low + 1 < high)


def meet(one: Ranges, other: Ranges) -> bool:
    return sum(high - low + 1 for low, high in union(one, other)) < sum(
        high - low + 1 for low, high in (*one, *other)
    )


def is_within(one: Ranges, other: Ranges) -> bool:
    return not meet(one, _outside(other))


def _has_one_width(ranges: Ranges) -> bool:
    """Whether Java holds all of the characters in as many units."""
    return not ranges or ranges[-1][1] < 0x10000 or ranges[0][0] >= 0x10000


def _character(c: int) -> str:
    if (c < 128 and chr(c).isalnum()) or c > 0xA0:
        return chr(c)
    return f"\\x{{{c:x}}}"


def _listed(ranges: Ranges) -> str:
    return "".join(
        _character(low) if low == high else f"{_character(low)}-{_character(high)}"
        for low, high in ranges
    )


def _tree(ranges: Ranges) -> str:
    """Ranges within wider ones: Java tries the members of a class one after the other."""
    if len(ranges) <= 6:
        return _listed(ranges)
    size = -(-len(ranges) // 5)
    parts = [ranges[i : i + size] for i in range(0, len(ranges), size)]
    return "".join(
        f"[[{_listed(((part[0][0], part[-1][1]),))}]&&[{_tree(part)}]]" for part in parts
    )


def _members(ranges: Ranges, last: int) -> str:
    if len(ranges) <= 2:
        return _listed(ranges)
    # Java looks single characters of Latin-1 up in a table.
    low = tuple((a, min(b, _LAST_ASCII)) for a, b in ranges if a <= _LAST_ASCII)
    single = "".join(_character(c) for a, b in low for c in range(a, b + 1))
    high = tuple((max(a, _LAST_ASCII + 1), b) for a, b in ranges if b > _LAST_ASCII)
    return f"[{single}][{_tree(high)}]" if single and high else single or _tree(high)


@lru_cache(maxsize=256)
def _class(ranges: Ranges, last: int) -> str:
    """The characters up to a last one, as Java has them: one that may be repeated as it is."""
    own = tuple((low, min(high, last)) for low, high in ranges if low <= last)
    if not own:
        return _NEVER
    if len(own) == 1 and own[0][0] == own[0][1]:
        return _character(own[0][0])
    other = _outside(own, last)
    if other and len(other) < len(own):
        return f"[^{_members(other, last)}]"
    return f"[{_members(own, last)}]"


def in_force(flags: int, group: Any) -> int:
    """The flags within a group, which adds some and takes others away."""
    added: int = group[1]
    removed: int = group[2]
    return ((flags & ~_TYPES if added & _TYPES else flags) | added) & ~removed


def first_characters(nodes: Nodes, flags: int, follow: Ranges) -> Ranges:
    """All characters that may stand where the nodes begin to match, unless the text ends there or
    they are at their own end; those of ``follow`` come after them."""
    found: list[Ranges] = []
    for op, value in nodes:
        scope = flags
        if op in ONE:
            return union(*found, matched((op, value), flags))
        if op is ops.SUBPATTERN:
            inner, scope = [value[-1]], in_force(flags, value)
        elif op is ops.BRANCH:
            inner = value[1]
        elif op in REPEATS:
            inner = [value[2]]
        elif op is ops.AT and value in (ops.AT_END, ops.AT_END_STRING):
            return union(*found, _NEWLINE)
        elif op is ops.ASSERT_NOT and value[0] > 0 and [o[0] in ONE for o in value[1]] == [True]:
            return union(*found, _outside(matched(value[1][0], flags)))
        else:
            return _ALL
        found += [first_characters(each, scope, ()) for each in inner]
        if all(each.getwidth()[0] for each in inner) and (op not in REPEATS or value[0]):
            return union(*found)
    return union(*found, follow)


def _bordering(nodes: Sequence[Node], flags: int, at: int) -> Ranges:
    """The characters of which one is matched first (at 0) or last (at -1); all, if not known."""
    if not nodes:
        return _ALL
    op, value = nodes[at]
    if op in ONE:
        return matched((op, value), flags)
    if op is ops.SUBPATTERN:
        return _bordering(list(value[-1]), in_force(flags, value), at)
    if op in REPEATS and value[0]:
        return _bordering(list(value[2]), flags, at)
    if op is ops.BRANCH:
        return union(*(_bordering(list(each), flags, at) for each in value[1]))
    return _ALL


class _Writer:
    """Writes a pattern for texts of ASCII, or for any."""

    def __init__(self, is_ascii: bool) -> None:
        self._last = _LAST_ASCII if is_ascii else _LAST
        self._rounds = 1
        self._depth = 0
        self._is_behind = False
        self._is_repeated = False

    def all(self, nodes: Nodes, flags: int) -> str:
        made = self._sequence(nodes, flags, ())
        if self._depth > _DEEPEST:
            raise NotCompiled("a regular expression that is too deep for Java")
        return made

    def _sequence(self, nodes: Nodes, flags: int, follow: Ranges) -> str:
        every = list(nodes)
        return "".join(
            self._boundary(every[:i], every[i + 1 :], flags)
            if node == _BOUNDARY
            else self._node(node, flags, every[i + 1 :], follow)
            for i, node in enumerate(every)
        )

    def _node(self, node: Node, flags: int, rest: list[Node], follow: Ranges) -> str:
        op, value = node
        self._depth += self._rounds
        if op in ONE:
            return self._one(node, flags)
        if op is ops.AT:
            return self._at(value, flags)
        if op is ops.FAILURE:
            return "(?!)"
        if op is ops.GROUPREF:
            return self._reference(value, flags)
        if op in (ops.ASSERT, ops.ASSERT_NOT, ops.ATOMIC_GROUP):
            return self._apart(op, value, flags)
        follow = first_characters(rest, flags, follow)
        if op is ops.BRANCH:
            return f"(?:{self._branches(value[1], flags, follow)})"
        if op is ops.SUBPATTERN:
            number, added, _, inner = value
            if added & _TYPES & ~flags:
                # Python's own search and match differ in them.
                raise NotCompiled("a regular expression with other classes in a part of it")
            body = self._sequence(inner, in_force(flags, value), follow)
            return f"(?:{body})" if number is None else f"({body})"
        if op in REPEATS:
            return self._repeat(op, value, flags, follow)
        raise NotCompiled(f"{str(op).lower()} in a regular expression")

    def _one(self, node: Node, flags: int) -> str:
        return _class(matched(node, flags), self._last)

    def _at(self, where: Any, flags: int) -> str:
        if where is ops.AT_BEGINNING_STRING or (
            where is ops.AT_BEGINNING and not flags & re.MULTILINE
        ):
            return r"\A"
        if where is ops.AT_BEGINNING:
            return r"(?<![^\x{a}])"
        if where is ops.AT_END_STRING:
            return r"\z"
        if where is ops.AT_END:
            return r"(?![^\x{a}])" if flags & re.MULTILINE else r"(?=\x{a}?\z)"
        if where is ops.AT_NON_BOUNDARY:
            word = self._one(WORD, flags)
            inside = f"(?=(?<={word})(?={word})|(?<!{word})(?!{word}))"
            return inside if _IN_EMPTY else rf"(?!\A\z){inside}"
        raise NotCompiled(f"{str(where).lower()} in a regular expression")

    def _boundary(self, before: list[Node], after: list[Node], flags: int) -> str:
        """The edge of a word; a look to one side where the pattern tells of the other."""
        self._depth += self._rounds
        word = self._one(WORD, flags)
        if is_within(_bordering(after, flags, 0), matched(WORD, flags)):
            return f"(?<!{word})"
        if is_within(_bordering(before, flags, -1), matched(WORD, flags)):
            return f"(?!{word})"
        # A lookahead around both, for Java takes a group with branches in it for another kind.
        return f"(?=(?<={word})(?!{word})|(?<!{word})(?={word}))"

    def _reference(self, number: int, flags: int) -> str:
        if flags & re.IGNORECASE:
            raise NotCompiled("a regular expression that repeats a group without case")
        if self._is_behind:
            raise NotCompiled("a regular expression that looks back for a group")
        return rf"(?:\{number})"

    def _apart(self, op: Any, value: Any, flags: int) -> str:
        """A part that Java does not go back into: nor does it take back what groups hold then."""
        sign, inner = (0, value) if op is ops.ATOMIC_GROUP else value
        if groups_in(inner):
            raise NotCompiled("groups in a lookaround or an atomic group of a regular expression")
        outer, self._is_behind = self._is_behind, self._is_behind or sign < 0
        body = self._sequence(inner, flags, ())
        self._is_behind = outer
        if op is ops.ATOMIC_GROUP:
            return f"(?>{body})"
        return f"(?{'<' if sign < 0 else ''}{'=' if op is ops.ASSERT else '!'}{body})"

    def _branches(self, branches: Iterable[Nodes], flags: int, follow: Ranges) -> str:
        before, made, depths = self._depth, [], []
        for each in branches:
            self._depth = before
            made.append(self._sequence(each, flags, follow))
            depths.append(self._depth)
        self._depth = max(depths)
        return "|".join(made)

    def _repeat(self, op: Any, value: Any, flags: int, follow: Ranges) -> str:
        low, high, body = value
        if high == 0 and not groups_in(body):
            return ""
        kind = REPEATS[op]
        is_endless = high is ops.MAXREPEAT
        if max(low, 0 if is_endless else high) > _MOST_ROUNDS:
            raise NotCompiled("very many rounds in a regular expression")
        often = f"{{{low},{'' if is_endless else high}}}"
        often = {"{0,}": "*", "{1,}": "+", "{0,1}": "?"}.get(often, often) + kind
        if len(body) == 1 and body[0][0] in ONE:
            # Java goes a call deeper wherever the characters' sizes change, but not without an end.
            if not kind and not is_endless and not self._is_steady(body, flags):
                self._depth += self._rounds * (high - low)
            return self._one(body[0], flags) + often
        if kind == "+" and groups_in(body):
            raise NotCompiled("groups in a possessive repeat of a regular expression")
        if high <= 1:
            return f"{self._group(body, flags, follow)}{often}"
        if not body.getwidth()[0]:
            raise NotCompiled("a repeat of what may be empty in a regular expression")
        around = union(follow, first_characters(body, flags, ()))
        if is_endless:
            return self._endless(kind, often, value, flags, follow, around)
        # In a loop, Java does not take back what the groups of a round hold that fails, nor what
        # they held before in a loop within a loop.
        inner = body[0][1][-1] if _is_group(body) else body
        kept = body if self._is_repeated else inner
        if groups_in(kept) and self._is_steady(body, flags):
            raise NotCompiled("groups within a repeat of a regular expression")
        outer, repeated = self._rounds, self._is_repeated
        self._rounds, self._is_repeated = outer * (1 if kind == "+" else high), True
        made = self._group(body, flags, around)
        self._rounds, self._is_repeated = outer, repeated
        return f"{made}{often}"

    def _group(self, body: Any, flags: int, follow: Ranges) -> str:
        made = self._sequence(body, flags, follow)
        return made if _is_group(body) else f"(?:{made})"

    def _endless(
        self, kind: str, often: str, value: Any, flags: int, follow: Ranges, around: Ranges
    ) -> str:
        """A repeat without an end, of more than a character: the possessive one that finds the
        same, if there is one. Java's calls are else as deep as the rounds, see PyFinder."""
        low, _, body = value
        inner = body[0][1][-1] if _is_group(body) else body
        kept = body if self._is_repeated else inner
        made = self._group(body, flags, around)
        if kind == "+" or (self._is_steady(body, flags) and not groups_in(kept)):
            return f"{made}{often}"
        scope = in_force(flags, body[0][1]) if _is_group(body) else flags
        if groups_in(inner):
            raise NotCompiled("groups within an endless repeat of a regular expression")
        if (
            kind
            or meet(first_characters(body, flags, ()), follow)
            or not _is_plain(inner, scope, around)
        ):
            if groups_in(kept):
                raise NotCompiled("groups within a repeat of a regular expression")
            return f"{made}{often}"
        if not _is_group(body):
            return f"{made}{often}+"
        # All rounds that another one comes after, and the last, which the group holds.
        before = f"(?:{made[1:-1]}(?={made[1:-1]})){{{max(low - 1, 0)},}}+{made}"
        return before if low else f"(?:{before})?"

    def _is_steady(self, body: Nodes, flags: int) -> bool:
        """Whether Java repeats it in a loop: all its matches are of one length in Java."""
        for op, value in body:
            if op in ONE:
                if self._last == _LAST and not _has_one_width(matched((op, value), flags)):
                    return False
            elif op is ops.SUBPATTERN:
                if not self._is_steady(value[-1], in_force(flags, value)):
                    return False
            elif op in REPEATS:
                if value[0] != value[1] or not self._is_steady(value[2], flags):
                    return False
            elif op not in (ops.AT, ops.ASSERT, ops.ASSERT_NOT):
                return False
        return True


def _is_group(body: Any) -> bool:
    return len(body) == 1 and body[0][0] is ops.SUBPATTERN and body[0][1][0] is not None


def _is_plain(nodes: Nodes, flags: int, follow: Ranges) -> bool:
    """Whether there is at most one way to match the nodes, whatever the text, if one of
    ``follow`` or nothing comes after them."""
    every = list(nodes)
    for i, (op, value) in enumerate(every):
        after = first_characters(every[i + 1 :], flags, follow)
        if op in ONE or (op is ops.AT and value in (ops.AT_BOUNDARY, ops.AT_NON_BOUNDARY)):
            continue
        if op is ops.SUBPATTERN:
            if not _is_plain(value[-1], in_force(flags, value), after):
                return False
        elif op in (ops.MAX_REPEAT, ops.POSSESSIVE_REPEAT):
            low, high, body = value
            first = first_characters(body, flags, ())
            if not body.getwidth()[0] or (low != high and meet(first, after)):
                return False
            if not _is_plain(body, flags, union(first, after)):
                return False
        elif op is ops.BRANCH:
            firsts = [first_characters(each, flags, ()) for each in value[1]]
            if any(meet(one, union(*firsts[:k])) for k, one in enumerate(firsts)):
                return False
            if not all(each.getwidth()[0] and _is_plain(each, flags, after) for each in value[1]):
                return False
        else:
            return False
    return True
