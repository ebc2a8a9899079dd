"""Short reports of Spark's errors about queries: what is wrong, where, and what to do.

``query_errors`` reads the exceptions and looks up the known names.
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
# Where in a message without a SQLSTATE the place, the query or the plan begins.
_MORE = re.compile(r"[;(]? ?\bline \d+,? pos \d+|\n== SQL|\n\nJVM stacktrace")
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z])")
_PART = re.compile(r"`((?:[^`]|``)*)`")
_NAME = re.compile(r"`(?:[^`]|``)*`(?:\.`(?:[^`]|``)*`)*")
# An expression, a name or a word, and nothing else.
_QUOTED = re.compile(r'"[^"]+"|`[^`]+`(\.`[^`]+`)*|[a-zA-Z_]\w*')
_WORD = re.compile(r"`[^`\n]*`|\w+(?:\.\w+)*|\S")

# Keywords that begin clauses; Spark reads a misspelt one as a name. The likeness asked for keeps
# names that resemble one by chance from being taken for it.
_KEYWORD_ALIKE = 0.75
_KEYWORDS = (
    "SELECT", "FROM", "WHERE", "GROUP", "ORDER", "HAVING", "LIMIT", "JOIN", "UNION", "DISTINCT",
    "BETWEEN", "VALUES", "LATERAL", "PARTITION", "CREATE", "INSERT", "REPLACE", "TABLE", "WITH",
    "INNER", "OUTER", "LEFT", "RIGHT", "CROSS", "WINDOW", "EXPLAIN", "DESCRIBE", "SHOW", "DROP",
)  # fmt: skip
# The data sources that come with Spark.
_FORMATS = (
    "avro", "binaryFile", "console", "csv", "delta", "jdbc", "json", "kafka", "memory", "noop",
    "orc", "parquet", "rate", "socket", "text", "xml",
)  # fmt: skip


class KnownNames(Protocol):
    """The names that are known, of which a misspelt one may be meant."""

    def functions(self) -> Sequence[str]:
        """The names of functions, the session's own first."""

    def kind(self, function: str) -> str:
        """The kind of a session's function; "" if it has none of that name."""

    def tables(self, beside: str) -> Sequence[str]:
        """The names of tables and views in the schema of the table ``beside``."""

    def schemas(self) -> Sequence[str]:
        """The names of schemas."""


@dataclass(frozen=True)
class Report:
    """An error as Spark reports it.

    Attributes
    ----------
    message
        Its whole text.
    condition, sqlstate, parameters
        Spark's error condition, its SQLSTATE and its message parameters; empty where it has none.
    place
        What Spark points to in the text that it was given.
    near
        The query as typed, if it is known.
    code
        The Python statement that led to it.
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
    """An error condition about an unknown name; ``names`` gives the known ones."""

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
    """The short report of an error."""
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
    """The report for a function of the session that is not registered in Spark."""
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
    """A name as it is typed: ``f.carrier`` for `` `f`.`carrier` ``."""
    parts = _PART.findall(name)
    if not parts:
        return name.strip("\"'")
    return ".".join(part if re.fullmatch(r"\w+", part) else f"`{part}`" for part in parts)


def _sentences(message: str) -> tuple[str, str]:
    """The first sentence of Spark's message, and the others."""
    text = _NAMED.sub("", message.strip())
    text = _MORE.split(_STATE.split(text)[0])[0].strip()
    first, *others = _SENTENCE.split(" ".join(text.split()), maxsplit=1)
    return first.rstrip("."), " ".join(others)


# Places ---------------------------------------------------------------------------------------


def words_of(condition: str, parameters: Mapping[str, str]) -> list[str]:
    """Texts that an error may be about, as they are typed: the most specific first."""
    unknown = _UNKNOWN.get(condition)
    if unknown is not None and unknown.parameter in parameters:
        name = unquoted(parameters[unknown.parameter])
        return [name, name.removeprefix(_DEFAULT_CATALOG), name.rpartition(".")[2]]
    quoted = [
        value
        for name, value in parameters.items()
        # A type's name may occur in many places.
        if _QUOTED.fullmatch(value) and not name.endswith("Type")
    ]
    found = []
    for each in sorted(quoted, key=len, reverse=True):
        text = unquoted(each)
        # Spark adds parentheses to an expression that were not typed.
        found += [text, text[1:-1]] if text.startswith("(") and text.endswith(")") else [text]
    return found


def _place(report: Report) -> Place | None:
    """The place in the query as typed, or else in the Python code."""
    place, near = report.place, report.near
    words = words_of(report.condition, report.parameters)
    if place is not None and near in ("", place.text):
        return _narrowed(place, words, unknown=report.condition in _UNKNOWN)
    handed = [] if place is None else [as_typed(place.text[place.start : place.end], None)]
    return _outermost(near, [*handed, *words]) or report.code


def _narrowed(place: Place, words: Sequence[str], *, unknown: bool) -> Place:
    """Narrows a whole call to its name, and a whole query to what the error is about, or to its
    first word."""
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
    """The place of the first word that is in the text, outside of parentheses if possible."""
    for word in words:
        found = list(re.finditer(spelled(word), text))
        if found:
            return Place(text, *min(found, key=lambda match: _depth(text, match.start())).span())
    return None


def _depth(text: str, place: int) -> int:
    return text.count("(", 0, place) - text.count(")", 0, place)


def spelled(text: str) -> str:
    """A regular expression for a name or an expression in any spacing and quoting."""
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
    """The misspelt keyword at a place or before it, and the right one; "" if there is none."""
    words = [word for word in _WORD.finditer(place.text) if word.start() <= place.start][-2:]
    for word in reversed(words):
        found = nearest(word[0], _KEYWORDS, alike=_KEYWORD_ALIKE)
        if found is not None and found != word[0].upper():
            return Place(place.text, *word.span()), found
    return place, ""
