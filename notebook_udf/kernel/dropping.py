"""Dropping functions, with one outcome for ``session.drop_function`` and SQL's DROP FUNCTION.

Spark drops what is registered in it by name: scalar and table functions, without the hidden ones
that rewritten queries call. It does not know aggregate and process functions. So a statement that
drops a function of the session is carried out here, and after any other that may drop one (a
script, EXECUTE IMMEDIATE) the session forgets what Spark no longer has.
"""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pyspark.sql import DataFrame

from notebook_udf.kernel.hooks import Replacing
from notebook_udf.kernel.kinds import kind_of
from notebook_udf.planner.syntax.tokens import Token, Unreadable, tokens_of
from notebook_udf.registry import RegisteredFunction
from notebook_udf.sanitize import backquoted

if TYPE_CHECKING:
    from notebook_udf.kernel.notebook_session import Session

_MAY_DROP = re.compile(r"(?is)\bdrop\b.*\bfunction\b")
# The qualifiers that Spark accepts for a temporary function.
_QUALIFIERS: tuple[list[str], ...] = ([], ["SESSION"], ["SYSTEM", "SESSION"])


@dataclass(frozen=True)
class DropFunction:
    """A statement ``DROP [TEMPORARY] FUNCTION [IF EXISTS] name``.

    Attributes
    ----------
    name
        Without quotes and qualifiers.
    temporary
        Whether the statement says TEMPORARY.
    """

    name: str
    temporary: bool

    @classmethod
    def read(cls, query: str) -> DropFunction | None:
        """Parses the statement; None if it is another, or the name cannot be the session's."""
        try:
            words = tokens_of(query)[:-1]
        except Unreadable:
            return None
        while words and words[-1].upper == ";":
            words.pop()
        said = [word.upper for word in words]
        if said[:1] != ["DROP"]:
            return None
        temporary = said[1:2] in (["TEMPORARY"], ["TEMP"])
        place = 1 + temporary
        if said[place : place + 1] != ["FUNCTION"]:
            return None
        place += 3 if said[place + 1 : place + 3] == ["IF", "EXISTS"] else 1
        name = _name(words[place:])
        return None if name is None else cls(name, temporary)


def _name(words: list[Token]) -> str | None:
    """The name in these words; None if its qualifiers are not those of the session."""
    said = [word.upper for word in words]
    if len(words) == 4 and said[:2] == ["IDENTIFIER", "("] and words[2].kind == "string":
        text = words[2].text[1:-1]
        return text if "\\" not in text and "." not in text else None
    parts, dots = words[::2], said[1::2]
    if len(words) % 2 == 0 or any(dot != "." for dot in dots):
        return None
    if any(part.kind not in ("word", "quoted") for part in parts):
        return None
    *qualifiers, name = (_unquoted(part.text) for part in parts)
    return name if [each.upper() for each in qualifiers] in _QUALIFIERS else None


def _unquoted(text: str) -> str:
    return text[1:-1].replace("``", "`") if text.startswith("`") else text


def _may_drop(query: Any) -> bool:
    return isinstance(query, str) and _MAY_DROP.search(query) is not None


def _drop_if_exists(name: str) -> str:
    return f"DROP TEMPORARY FUNCTION IF EXISTS {backquoted(name)}"


def drop(session: Session, name: str) -> bool:
    """Drops a function from the session and from Spark SQL; see ``Session.drop_function``."""
    versions = session.functions.remove(name)
    _forget(session, name, versions)
    return bool(versions)


def _forget(session: Session, name: str, versions: tuple[RegisteredFunction, ...]) -> None:
    """Drops from Spark what was registered for a function that the session has forgotten."""
    names = session.hidden.forget(name)
    for record in versions:
        names.update(kind_of(session, record).spark_names())
    for each in sorted(names):
        session.spark.sql(_drop_if_exists(each))
    session.forget_planned(name)


class SqlDrops(Replacing):
    """A hook around ``SparkSession.sql`` that finds functions that are dropped."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session

    def install(self) -> None:
        """Has the session follow statements that drop functions."""
        kind: Any = type(self._session.spark)
        original = kind.sql

        @functools.wraps(original)
        def sql(spark: Any, sqlQuery: Any, *args: Any, **kwargs: Any) -> DataFrame:  # noqa: N803
            __tracebackhide__ = True
            if not _may_drop(sqlQuery) or not self._is_of(spark):
                return original(spark, sqlQuery, *args, **kwargs)
            statement = DropFunction.read(sqlQuery)
            if statement is not None and self._means_ours(statement):
                drop(self._session, statement.name)
                return original(spark, _drop_if_exists(statement.name))
            try:
                return original(spark, sqlQuery, *args, **kwargs)
            finally:
                if statement is None:
                    self._agree()

        self._replace(kind, "sql", sql)

    def _is_of(self, spark: Any) -> bool:
        """Whether it is the session's Spark; other SparkSessions have functions of their own."""
        return self._session.host.shares_session(spark)

    def _means_ours(self, statement: DropFunction) -> bool:
        """Whether the statement names a function of the session."""
        record = self._session.functions.get(statement.name)
        if record is None or statement.temporary or kind_of(self._session, record).spark_names():
            return record is not None
        # A function of the database may have the same name, and is then the one that is meant.
        return not self._session.spark.catalog.functionExists(backquoted(statement.name))

    def _agree(self) -> None:
        """Forgets functions of the session that Spark no longer has."""
        session = self._session
        records = [r for r in session.functions.values() if kind_of(session, r).spark_names()]
        if not records:
            return
        known = {row[0].lower() for row in session.spark.sql("SHOW USER FUNCTIONS").collect()}
        for record in records:
            if record.name.lower() not in known:
                drop(session, record.name)
