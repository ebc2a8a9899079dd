"""The names that Spark gives the columns of a query that calls aggregate functions.

They are asked of Spark, for the user's own text: each call in it becomes a built-in aggregate of
the same arguments, below an expression of the call's type, and is put back into the names::

    CASE WHEN isnull(count('begin', v, 'end') FILTER ...) THEN CAST(NULL AS ...) ... END

Whatever stands around a call is named as it was written, which the planner's tree no longer knows.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

import sqlglot
from pyspark.errors import AnalysisException
from sqlglot.tokens import Token, TokenType

from notebook_udf.planner.catalog import Catalog
from notebook_udf.planner.dialect import Spark4
from notebook_udf.planner.shipped import result_type
from notebook_udf.registry import RegisteredFunction
from notebook_udf.types import ddl


def column_names(
    query: str, aggregates: Mapping[str, RegisteredFunction], catalog: Catalog
) -> list[str] | None:
    """The names of a query's columns, or None where Spark does not analyse it."""
    tokens = list(sqlglot.tokenize(query, read=Spark4))
    found = [_call(tokens, place, aggregates) for place in range(len(tokens))]
    calls = [call for call in found if call is not None]
    written = query
    # From the end, so that the places before stay right.
    for start, end, text in sorted((e for call in calls for e in call.edits()), reverse=True):
        written = written[:start] + text + written[end:]
    try:
        columns = catalog.run(written).columns
    except AnalysisException:
        return None
    for call in calls:
        columns = [call.put_back(name) for name in columns]
    return list(columns)


@dataclass(frozen=True)
class _Call:
    """A call in the text.

    Attributes
    ----------
    number
        Its place among the tokens.
    name
        The token of its name.
    before, after
        Between which places of the text its arguments stand.
    empty
        Whether there are none.
    end
        The place behind it, its FILTER and its OVER.
    """

    number: int
    record: RegisteredFunction
    name: Token
    before: int
    after: int
    empty: bool
    end: int

    def edits(self) -> list[tuple[int, int, str]]:
        """Spans of the text, and what to write there."""
        begin, end, tail = self._marks()
        type_ = ddl(result_type(self.record.definition))
        comma = "" if self.empty else ", "
        return [
            (self.name.start, self.name.end + 1, "CASE WHEN isnull(count"),
            (self.before, self.before, f" '{begin}'{comma}"),
            (self.after, self.after, f", '{end}'"),
            (self.end, self.end, f") THEN CAST(NULL AS {type_}) WHEN '{tail}' = '' THEN NULL END"),
        ]

    def put_back(self, name: str) -> str:
        """A column's name with the call as Spark would name it."""
        begin, end, tail = self._marks()
        pattern = (
            rf"CASE WHEN \(count\((DISTINCT )?{begin}(?:, (.*?))?, {end}\)(.*?) IS NULL\) "
            rf"THEN CAST\(NULL AS .*? WHEN \({tail} = \) THEN NULL END"
        )

        def shown(match: re.Match[str]) -> str:
            distinct, arguments, rest = (part or "" for part in match.groups())
            return f"{self.record.name}({distinct}{arguments}){rest}"

        return re.sub(pattern, shown, name)

    def _marks(self) -> tuple[str, str, str]:
        return f"_nu_begin{self.number}_", f"_nu_end{self.number}_", f"_nu_tail{self.number}_"


def _call(
    tokens: list[Token], place: int, aggregates: Mapping[str, RegisteredFunction]
) -> _Call | None:
    """The call that begins with a token, if one does."""
    record = aggregates.get(tokens[place].text.lower())
    if record is None or not _is(tokens, place + 1, "("):
        return None
    closing = _closing(tokens, place + 1)
    if closing is None or (place and tokens[place - 1].token_type == TokenType.DOT):
        return None
    opening = place + 1 + _is(tokens, place + 2, "DISTINCT")
    last = closing
    if _is(tokens, last + 1, "FILTER") and _is(tokens, last + 2, "("):
        last = _closing(tokens, last + 2) or last
    if _is(tokens, last + 1, "OVER"):
        bracket = _is(tokens, last + 2, "(")
        last = (_closing(tokens, last + 2) or last) if bracket else last + 2
    return _Call(
        number=place,
        record=record,
        name=tokens[place],
        before=tokens[opening].end + 1,
        after=tokens[closing].start,
        empty=opening + 1 == closing,
        end=tokens[last].end + 1,
    )


def _is(tokens: list[Token], place: int, text: str) -> bool:
    """Whether a word or sign of the query stands at a place."""
    if place >= len(tokens) or tokens[place].token_type in (TokenType.STRING, TokenType.IDENTIFIER):
        return False
    return str(tokens[place].text).upper() == text


def _closing(tokens: list[Token], opening: int) -> int | None:
    """The place of the parenthesis that closes another one."""
    depth = 0
    for place in range(opening, len(tokens)):
        depth += _is(tokens, place, "(") - _is(tokens, place, ")")
        if not depth:
            return place
    return None
