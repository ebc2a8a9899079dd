"""Regular expressions that Arrow's RE2 reads as Python's ``re`` does, on texts where both agree.

RE2 knows ASCII's digits, letters and spaces only, and another end of a line: a text with anything
beyond ASCII that is printed, or a tab, is left to Python. Of patterns those of the parts below are
written for it; backtracking and RE2 find the same match of them, the first way from the left.
"""

from __future__ import annotations

import re
import re._constants as constants  # type: ignore[import-not-found]
import re._parser as parser  # type: ignore[import-not-found]
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from notebook_udf.worker.kernels.values import (
    Column,
    NoKernel,
    Rows,
    Several,
    Uniform,
    Value,
    column,
)

# Texts of many lines are left to Python: of one line these are all the same.
_PLACES = {
    constants.AT_BEGINNING: "^",
    constants.AT_BEGINNING_STRING: "^",
    constants.AT_END: "$",
    constants.AT_END_STRING: "$",
    constants.AT_BOUNDARY: r"\b",
}
_CATEGORIES = {
    constants.CATEGORY_DIGIT: r"\d",
    constants.CATEGORY_NOT_DIGIT: r"\D",
    constants.CATEGORY_SPACE: r"\s",
    constants.CATEGORY_NOT_SPACE: r"\S",
    constants.CATEGORY_WORD: r"\w",
    constants.CATEGORY_NOT_WORD: r"\W",
}
_LAST_LETTER = 127
# RE2 refuses larger counts, and they cost much.
_MOST_TIMES = 100
_AGREED = r"^[\t\x20-\x7e]*$"
_AROUND = {"search": "{}", "match": "^{}", "fullmatch": "^{}$"}
METHODS = ("search", "match", "fullmatch", "sub")


def call(rows: Rows, pattern: re.Pattern[str], name: str, given: Sequence[Value]) -> Value:
    """A method of a pattern.

    Raises
    ------
    NoKernel
        If there is no kernel for it.
    """
    if name not in METHODS:
        raise NoKernel(f"a method {name} of a pattern")
    text = written(pattern.pattern, pattern.flags)
    if name == "sub":
        return _replaced(rows, pattern, text, given)
    if len(given) != 1:
        raise NoKernel("with a place to begin at")
    around = _AROUND[name]
    texts = _agreed(rows, given[0])
    found = pc.match_substring_regex(texts, around.format(f"(?:{text})"))
    matches = column("match", pc.if_else(found, True, pa.scalar(None, pa.bool_())), rows)
    # Most matches are asked only whether they are there: their groups are found when needed.
    return replace(matches, origin=MatchOrigin(pattern, around, texts))


@dataclass(frozen=True)
class MatchOrigin:
    """What a column of matches was found by, and in what."""

    pattern: re.Pattern[str]
    around: str
    texts: Any

    @cached_property
    def groups(self) -> pa.StructArray:
        """What each group found, as ``_1`` and so on, and all of the match as ``_0``."""
        text = written(self.pattern.pattern, self.pattern.flags, True)
        return pc.extract_regex(self.texts, self.around.format(f"(?P<_0>{text})"))


def group(rows: Rows, matches: Column, given: Sequence[Value]) -> Value:
    """``match.group(...)``.

    Raises
    ------
    NoKernel
        If it is not known of which pattern the match is, or a group may have taken no part.
    """
    if not isinstance(matches.origin, MatchOrigin):
        raise NoKernel("a group of one of several matches")
    found = [_group(rows, matches.origin, each) for each in given or (Uniform(0),)]
    return found[0] if len(found) == 1 else Several(tuple(found))


def groups(rows: Rows, matches: Column, given: Sequence[Value]) -> Value:
    """``match.groups()``.

    Raises
    ------
    NoKernel
        As ``group`` does.
    """
    if given or not isinstance(matches.origin, MatchOrigin):
        raise NoKernel("groups of one of several matches, or with a default")
    count = matches.origin.pattern.groups
    return Several(tuple(_group(rows, matches.origin, Uniform(1 + i)) for i in range(count)))


def _group(rows: Rows, found: MatchOrigin, which: Value) -> Column:
    key = which.value if isinstance(which, Uniform) else None
    number = found.pattern.groupindex.get(key) if type(key) is str else key
    parsed = _parsed(found.pattern.pattern, found.pattern.flags)
    if type(number) is not int or number not in _certain(parsed) | {0}:
        raise NoKernel("a group that varies, or may have taken no part")
    return column("str", pc.struct_field(found.groups, f"_{number}"), rows)


def function(rows: Rows, name: str, given: Sequence[Value]) -> Value:
    """A function of ``re`` with a constant pattern.

    Raises
    ------
    NoKernel
        If there is no kernel for it.
    """
    first = given[0] if given else None
    if not isinstance(first, Uniform) or type(first.value) is not str:
        raise NoKernel(f"re.{name} of a pattern that varies")
    try:
        pattern = re.compile(first.value)
    except re.error as error:
        raise NoKernel(f"re.{name} always raises {error}") from None
    return call(rows, pattern, name, given[1:])


def _replaced(rows: Rows, pattern: re.Pattern[str], text: str, given: Sequence[Value]) -> Value:
    if len(given) != 2 or not isinstance(given[0], Uniform) or type(given[0].value) is not str:
        raise NoKernel("sub by what varies, or so many times")
    if "\\" in given[0].value:
        raise NoKernel("sub by parts of what was found")
    if _parsed(pattern.pattern, pattern.flags).getwidth()[0] == 0:
        raise NoKernel("sub of a pattern that may be empty")
    array = pc.replace_substring_regex(_agreed(rows, given[1]), text, given[0].value)
    return column("str", array, rows)


def _agreed(rows: Rows, value: Value) -> Any:
    """A column's texts without those on which the two may differ."""
    if not isinstance(value, Column) or value.domain != "str":
        raise NoKernel("a pattern on what is no text")
    rows.present(value)
    return rows.only(value.array, pc.match_substring_regex(value.array, _AGREED), "")


@lru_cache(maxsize=256)
def written(pattern: str, flags: int, named: bool = False) -> str:
    """A pattern as RE2 reads it, from what Python reads in it: the two differ in how they spell.

    Parameters
    ----------
    named
        Whether its groups are kept, as ``_1`` and so on: without them RE2 is faster.

    Raises
    ------
    NoKernel
        If RE2 might find something else.
    """
    if type(pattern) is not str:
        raise NoKernel("a pattern of bytes")
    if flags & ~(re.UNICODE | re.IGNORECASE | re.ASCII):
        raise NoKernel("a pattern with these flags")
    prefix = "(?i)" if flags & re.IGNORECASE else ""
    return prefix + _sequence(_parsed(pattern, flags), named)


@lru_cache(maxsize=256)
def _parsed(pattern: str, flags: int) -> Any:
    with warnings.catch_warnings():
        # Of what it means one day Python has told whoever compiled it.
        warnings.simplefilter("ignore", FutureWarning)
        return parser.parse(pattern, flags)


def _sequence(parsed: Any, named: bool) -> str:
    return "".join(_one(operation, argument, named) for operation, argument in parsed)


def _one(operation: Any, argument: Any, named: bool) -> str:
    if operation is constants.LITERAL:
        return _letter(argument)
    if operation is constants.NOT_LITERAL:
        return f"[^{_letter(argument)}]"
    if operation is constants.ANY:
        return "."
    if operation is constants.IN:
        return f"[{''.join(_member(*each) for each in argument)}]"
    if operation is constants.AT and argument in _PLACES:
        return _PLACES[argument]
    if operation is constants.BRANCH:
        return f"(?:{'|'.join(_sequence(branch, named) for branch in argument[1])})"
    if operation is constants.SUBPATTERN:
        group, added, removed, inner = argument
        if added or removed:
            raise NoKernel("a pattern that changes its flags")
        name = f"P<_{group}>" if named and group is not None else ":"
        return f"(?{name}{_sequence(inner, named)})"
    if operation in (constants.MAX_REPEAT, constants.MIN_REPEAT):
        low, high, inner = argument
        if low > _MOST_TIMES or (high is not constants.MAXREPEAT and high > _MOST_TIMES):
            raise NoKernel("so many times in a pattern")
        if inner.getwidth()[0] == 0:
            raise NoKernel("what may be empty, many times, in a pattern")
        most = "" if high is constants.MAXREPEAT else high
        lazy = "?" if operation is constants.MIN_REPEAT else ""
        return f"(?:{_sequence(inner, named)}){{{low},{most}}}{lazy}"
    raise NoKernel(
        f"{str(argument if operation is constants.AT else operation).lower()} in a pattern"
    )


def _letter(code: int) -> str:
    if code > _LAST_LETTER:
        raise NoKernel("letters beyond ASCII in a pattern")
    letter = chr(code)
    return letter if letter.isalnum() else f"\\x{{{code:x}}}"


def _member(operation: Any, argument: Any) -> str:
    if operation is constants.NEGATE:
        return "^"
    if operation is constants.LITERAL:
        return _letter(argument)
    if operation is constants.RANGE:
        return f"{_letter(argument[0])}-{_letter(argument[1])}"
    return _CATEGORIES[argument]


def _certain(parsed: Any) -> set[int]:
    """Groups that took part in whatever was found, and once."""
    found: set[int] = set()
    for operation, argument in parsed:
        if operation is constants.SUBPATTERN:
            found |= _certain(argument[-1]) | ({argument[0]} - {None})
    return found
