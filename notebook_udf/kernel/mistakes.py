"""What a person needs of Spark's error about a query, from what Spark says of it.

Reading the exception, and finding the names that there are, is the business of ``query_errors``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from notebook_udf.errors import Mistake, Place
from notebook_udf.planner.messages import as_typed
from notebook_udf.sanitize import one_line, plain
from notebook_udf.source_excerpt import place_text
from notebook_udf.suggestion import nearest

_MOST_NAMES = 8
_DEFAULT_CATALOG = "spark_catalog."
_HEADLINE = 200
_ADVICE = 300

_STATE = re.compile(r"[.\s]*\bSQLSTATE: \w{5}")
_NAMED = re.compile(r"\A\s*\[[\w.]+\]\s*")
# Where a message that names no SQLSTATE goes on with its place, its query or its plan.
_MORE = re.compile(r"[;(]? ?\bline \d+,? pos \d+|\n== SQL|\n\nJVM stacktrace")
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z])")
_PART = re.compile(r"`((?:[^`]|``)*)`")
_NAME = re.compile(r"`(?:[^`]|``)*`(?:\.`(?:[^`]|``)*`)*")
# An expression, a name or a word, and nothing else.
_QUOTED = re.compile(r'"[^"]+"|`[^`]+`(\.`[^`]+`)*|[a-zA-Z_]\w*')
_WORD = re.compile(r"`[^`\n]*`|\w+(?:\.\w+)*|\S")

# With which a clause begins; one of them misspelt is read as a name. A name that is like one by
# chance is not to be taken for it.
_KEYWORD_ALIKE = 0.75
_KEYWORDS = (
    "SELECT", "FROM", "WHERE", "GROUP", "ORDER", "HAVING", "LIMIT", "JOIN", "UNION", "DISTINCT",
    "BETWEEN", "VALUES", "LATERAL", "PARTITION", "CREATE", "INSERT", "REPLACE", "TABLE", "WITH",
    "INNER", "OUTER", "LEFT", "RIGHT", "CROSS", "WINDOW", "EXPLAIN", "DESCRIBE", "SHOW", "DROP",
)  # fmt: skip
# That Spark brings along.
_FORMATS = (
    "avro", "binaryFile", "console", "csv", "delta", "jdbc", "json", "kafka", "memory", "noop",
    "orc", "parquet", "rate", "socket", "text", "xml",
)  # fmt: skip


class KnownNames(Protocol):
    """The names that there are."""

    def functions(self) -> Sequence[str]:
        """Of functions, the session's own first."""

    def kind(self, function: str) -> str:
        """Of a function of the session; "" if it has none of that name."""

    def tables(self, beside: str) -> Sequence[str]:
        """Of tables and views where one of that name would be."""

    def schemas(self) -> Sequence[str]:
        """Of schemas."""


@dataclass(frozen=True)
class Report:
    """What Spark says of an error.

    Attributes
    ----------
    message
        Its whole text.
    condition, sqlstate, parameters
        Its name, its SQLSTATE and its parts by name; empty where it has none.
    place
        What Spark points to in the text that it was handed.
    near
        The query that was typed, where that is known.
    code
        The statement that led to it.
    """

    message: str
    condition: str = ""
    sqlstate: str = ""
    parameters: Mapping[str, str] = field(default_factory=dict)
    place: Place | None = None
    near: str = ""
    code: Place | None = None


@dataclass(frozen=True)
class _Unknown:
    """A kind of error that is about a name nobody knows; ``names`` are those that there are."""

    parameter: str
    headline: str
    names: Callable[[Report, KnownNames], Sequence[str]]


def _listed(parameter: str) -> Callable[[Report, KnownNames], Sequence[str]]:
    return lambda report, names: [
        unquoted(name) for name in _NAME.findall(report.parameters.get(parameter, ""))
    ]


def _functions(report: Report, names: KnownNames) -> Sequence[str]:
    return names.functions()


def _tables(report: Report, names: KnownNames) -> Sequence[str]:
    return names.tables(_name(report, "relationName"))


def _schemas(report: Report, names: KnownNames) -> Sequence[str]:
    return names.schemas()


def _formats(report: Report, names: KnownNames) -> Sequence[str]:
    return _FORMATS


_UNKNOWN = {
    "UNRESOLVED_ROUTINE": _Unknown("routineName", "there is no function {}", _functions),
    "UNRESOLVABLE_TABLE_VALUED_FUNCTION": _Unknown(
        "name", "there is no table function {}", _functions
    ),
    "TABLE_OR_VIEW_NOT_FOUND": _Unknown("relationName", "there is no table or view {}", _tables),
    "UNRESOLVED_COLUMN.WITH_SUGGESTION": _Unknown(
        "objectName", "there is no column {}", _listed("proposal")
    ),
    "UNRESOLVED_COLUMN.WITHOUT_SUGGESTION": _Unknown(
        "objectName", "there is no column {}", _listed("proposal")
    ),
    "UNRESOLVED_USING_COLUMN_FOR_JOIN": _Unknown(
        "colName", "there is no column {} on the {side} side of the join", _listed("suggestion")
    ),
    "SCHEMA_NOT_FOUND": _Unknown("schemaName", "there is no schema {}", _schemas),
    "DATA_SOURCE_NOT_FOUND": _Unknown("provider", "there is no data source {}", _formats),
    "FIELD_NOT_FOUND": _Unknown("fieldName", "there is no field {}", _listed("fields")),
    "UNRESOLVED_FIELD.WITH_SUGGESTION": _Unknown(
        "fieldName", "there is no field {} in {columnPath}", _listed("proposal")
    ),
}


def mistake_of(report: Report, names: KnownNames) -> Mistake:
    """The error in a few lines."""
    unknown = _UNKNOWN.get(report.condition)
    if unknown is not None and unknown.parameter in report.parameters:
        return _of_a_name(report, unknown, names)
    headline, advice = _sentences(report.message)
    place = _place(report)
    if report.condition.startswith("PARSE_") and place is not None:
        keyword, found = _misspelt_keyword(place)
        if found:
            typed = keyword.text[keyword.start : keyword.end]
            return _made(report, f"Syntax error at {typed}", f"did you mean {found}?", "", keyword)
    return _made(report, headline, "", advice, place)


def _of_a_name(report: Report, unknown: _Unknown, names: KnownNames) -> Mistake:
    name = _name(report, unknown.parameter)
    kind = names.kind(name) if unknown.names is _functions else ""
    if kind:
        return _misplaced(report, name, kind)
    others = {key: unquoted(value) for key, value in report.parameters.items()}
    headline = unknown.headline.format(name, **others)
    known = [each for each in unknown.names(report, names) if not each.startswith("_nu_")]
    found = nearest(name, known)
    advice = ""
    if found is None and 0 < len(known) <= _MOST_NAMES:
        advice = f"there are: {', '.join(known)}"
    meant = "" if found is None else f"did you mean {found}?"
    return _made(report, headline, meant, advice, _place(report))


def _misplaced(report: Report, name: str, kind: str) -> Mistake:
    """Of a function that the session has, and Spark, which has never heard of it, was to call."""
    if report.near:
        headline, advice = f"the {kind} function {name} cannot be called here", ""
    else:
        headline = f"Spark alone does not know the {kind} function {name}"
        advice = f"session.sql runs queries that call it; in Python, call {name}(...) on columns"
    return _made(report, headline, "", advice, _place(report))


def _made(report: Report, headline: str, meant: str, advice: str, place: Place | None) -> Mistake:
    headline = one_line(f"{headline}: {meant}" if meant else headline, _HEADLINE)
    condition = (
        f"{report.condition}, SQLSTATE {report.sqlstate}" if report.sqlstate else report.condition
    )
    advice = one_line(advice, _ADVICE)
    parts = [headline, "", plain(place_text(place)), ""] if place is not None else [headline]
    parts += [each for each in (advice, condition) if each]
    return Mistake(headline, meant, advice, condition, place, "\n".join(parts))


def _name(report: Report, parameter: str) -> str:
    return unquoted(report.parameters.get(parameter, "")).removeprefix(_DEFAULT_CATALOG)


def unquoted(name: str) -> str:
    """A name as one types it: ``f.carrier`` for `` `f`.`carrier` ``."""
    parts = _PART.findall(name)
    if not parts:
        return name.strip("\"'")
    return ".".join(part if re.fullmatch(r"\w+", part) else f"`{part}`" for part in parts)


def _sentences(message: str) -> tuple[str, str]:
    """What is wrong, and what Spark says besides."""
    text = _NAMED.sub("", message.strip())
    text = _MORE.split(_STATE.split(text)[0])[0].strip()
    first, *others = _SENTENCE.split(" ".join(text.split()), maxsplit=1)
    return first.rstrip("."), " ".join(others)


# Places ---------------------------------------------------------------------------------------


def words_of(condition: str, parameters: Mapping[str, str]) -> list[str]:
    """What an error may be about, as one types it: the most telling first."""
    unknown = _UNKNOWN.get(condition)
    if unknown is not None and unknown.parameter in parameters:
        name = unquoted(parameters[unknown.parameter])
        return [name, name.removeprefix(_DEFAULT_CATALOG), name.rpartition(".")[2]]
    quoted = [
        value
        for name, value in parameters.items()
        # A type of that name may stand in many places.
        if _QUOTED.fullmatch(value) and not name.endswith("Type")
    ]
    found = []
    for each in sorted(quoted, key=len, reverse=True):
        text = unquoted(each)
        # Spark puts an expression in parentheses that nobody typed.
        found += [text, text[1:-1]] if text.startswith("(") and text.endswith(")") else [text]
    return found


def _place(report: Report) -> Place | None:
    """Where in the query that was typed, or else in the code that was."""
    place, near = report.place, report.near
    words = words_of(report.condition, report.parameters)
    if place is not None and near in ("", place.text):
        return _narrowed(place, words, unknown=report.condition in _UNKNOWN)
    handed = [] if place is None else [as_typed(place.text[place.start : place.end], None)]
    return _outermost(near, [*handed, *words]) or report.code


def _narrowed(place: Place, words: Sequence[str], *, unknown: bool) -> Place:
    """The name alone, where what Spark points to is the whole call; of a whole query what it is
    about, or its first word."""
    text = place.text
    whole = text[place.start : place.end].strip() == text.strip()
    for word in words if unknown or whole else ():
        found = re.compile(spelled(word)).search(text, place.start, place.end)
        if found is not None:
            return Place(text, *found.span())
    first = _WORD.match(text, place.start)
    if whole and first is not None and first[0].upper() in _KEYWORDS:
        return Place(text, *first.span())
    return place


def _outermost(text: str, words: Sequence[str]) -> Place | None:
    """Where the first of the words stands that are there, outside of parentheses if it can."""
    for word in words:
        found = list(re.finditer(spelled(word), text))
        if found:
            return Place(text, *min(found, key=lambda match: _depth(text, match.start())).span())
    return None


def _depth(text: str, place: int) -> int:
    return text.count("(", 0, place) - text.count(")", 0, place)


def spelled(text: str) -> str:
    """A pattern of a name or an expression, however it is spaced and quoted."""
    words = [
        rf"`?{re.escape(word)}`?" if word[0].isalnum() or word[0] == "_" else re.escape(word)
        for word in re.findall(r"\w+|[^\w\s`]", text)
    ]
    return r"(?i)(?<![\w`])" + r"\s*".join(words) + r"(?!\w)" if words else r"(?!)"


def at_line(text: str, line: int, column: int) -> Place | None:
    """The word at a line, counted from 1, and a column, counted from 0."""
    lines = text.split("\n")
    if not 0 < line <= len(lines):
        return None
    start = sum(len(each) + 1 for each in lines[: line - 1]) + column
    word = _WORD.match(text, start)
    return Place(text, min(start, len(text)), word.end() if word else min(start, len(text)))


def _misspelt_keyword(place: Place) -> tuple[Place, str]:
    """The word that was to be a keyword, at the place or before it, and the keyword or ""."""
    words = [word for word in _WORD.finditer(place.text) if word.start() <= place.start][-2:]
    for word in reversed(words):
        found = nearest(word[0], _KEYWORDS, alike=_KEYWORD_ALIKE)
        if found is not None and found != word[0].upper():
            return Place(place.text, *word.span()), found
    return place, ""
