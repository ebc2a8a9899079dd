"""A cursor over the tokens of a query; nodes made with it know the tokens they were read from."""

from __future__ import annotations

from collections.abc import Callable
from typing import NoReturn, TypeVar

from sqlglot import exp

from notebook_udf.planner.syntax.nodes import (
    ClauseIdentifier,
    Origin,
    SparkType,
    Template,
    Verbatim,
    origin_of,
    set_origin,
)
from notebook_udf.planner.syntax.tokens import Token, Unreadable, tokens_of

E = TypeVar("E", bound=exp.Expression)
T = TypeVar("T", bound=Template)
Item = TypeVar("Item")

# Words that name no table in a FROM, though they may name a column.
STRICT = frozenset(
    {
        "ANTI", "CROSS", "EXCEPT", "FULL", "INNER", "INTERSECT", "JOIN", "LATERAL", "LEFT",
        "MINUS", "NATURAL", "ON", "RIGHT", "SEMI", "UNION", "USING",
    }
)  # fmt: skip
_JOIN_WORDS = ("CROSS", "INNER", "LEFT", "RIGHT", "FULL", "SEMI", "ANTI", "NATURAL", "ASOF")
_ENDS = frozenset({",", ")", ";", ""})
# What begins a clause unless nothing follows that it could be about.
_BEFORE_OPERANDS = frozenset(
    {
        "WHERE", "HAVING", "QUALIFY", "LIMIT", "OFFSET", "FROM", "ON", "USING", "SELECT", "LATERAL",
        "FOR", "CHANGES", "WATERMARK", "APPROX", "EXACT", "SET", "WHEN", "INSERT", "JOIN",
    }
)  # fmt: skip
# Behind these a single bar begins a step of a pipe, and is no operator.
_STEPS = frozenset(
    {
        "SELECT", "EXTEND", "SET", "DROP", "AS", "WHERE", "PIVOT", "UNPIVOT", "TABLESAMPLE",
        "INNER", "CROSS", "LEFT", "RIGHT", "FULL", "NATURAL", "SEMI", "ANTI", "ASOF", "JOIN",
        "UNION", "EXCEPT", "MINUS", "INTERSECT", "ORDER", "CLUSTER", "DISTRIBUTE", "SORT",
        "LIMIT", "OFFSET", "AGGREGATE", "WINDOW", "LATERAL", "BIN",
    }
)  # fmt: skip
_SIGNS_OF_OPERANDS = frozenset({"(", "*", "+", "-", "~", "!", "?", ":"})


class Cursor:
    """Reads tokens from the left.

    Parameters
    ----------
    text
        The query.
    double_quoted_identifiers
        What Spark's setting of that name says.
    """

    def __init__(self, text: str, *, double_quoted_identifiers: bool = False) -> None:
        self.text = text
        self._double_quoted = double_quoted_identifiers
        self._tokens = tokens_of(text, double_quoted_identifiers=double_quoted_identifiers)
        self._last = len(self._tokens) - 1
        self._place = 0

    # Tokens ----------------------------------------------------------------------------------

    def peek(self, ahead: int = 0) -> Token:
        """The next token, or one further on; the cursor stays."""
        place = self._place + ahead
        return self._tokens[place if place < self._last else self._last]

    def at(self, *words: str, ahead: int = 0) -> bool:
        """Whether these words or signs are next."""
        place = self._place + ahead
        for word in words:
            # Asked dozens of times at each token.
            if self._tokens[place if place < self._last else self._last].upper != word:
                return False
            place += 1
        return True

    def at_any(self, words: frozenset[str] | tuple[str, ...], ahead: int = 0) -> bool:
        """Whether one of these words or signs is next."""
        return self.peek(ahead).upper in words

    def at_end(self) -> bool:
        """Whether no token is left."""
        return self.peek().kind == "end"

    def next(self) -> Token:
        """The next token; moves past it."""
        token = self.peek()
        self._place += 1
        return token

    def take(self, *words: str) -> bool:
        """Moves past these words or signs if they are next; returns whether they are."""
        if not self.at(*words):
            return False
        self._place += len(words)
        return True

    def expect(self, *words: str) -> None:
        """Moves past these words or signs.

        Raises
        ------
        Unreadable
            If others are next.
        """
        if not self.take(*words):
            self.refuse(f"{' '.join(words)} is expected")

    def refuse(self, expected: str = "") -> NoReturn:
        """Raises ``Unreadable`` at the next token."""
        token = self.peek()
        shown = "the end of the query" if token.kind == "end" else repr(token.text)
        raise Unreadable(
            f"{shown} is not understood" + f"; {expected}" * bool(expected), token.start
        )

    # Nodes -----------------------------------------------------------------------------------

    def here(self) -> int:
        """The position among the tokens, for ``made`` and ``back``."""
        return self._place

    def back(self, place: int) -> None:
        """Moves back to a position."""
        self._place = place

    def made(self, node: E, start: int, end: int | None = None) -> E:
        """Marks a node as read from the tokens between a position and here, or another end."""
        first, last = self._tokens[start], self._tokens[(self._place if end is None else end) - 1]
        set_origin(node, Origin(self.text, first.start, last.end))
        return node

    def made_up_to(self, node: E, start: int, last: exp.Expression) -> E:
        """Marks a node as read from the tokens between a position and the end of another node."""
        end = origin_of(last)
        assert end is not None
        set_origin(node, Origin(self.text, self._tokens[start].start, end.end))
        return node

    def raw(self, start: int) -> str:
        """The text between a position and here."""
        return self.text[self._tokens[start].start : self._tokens[self._place - 1].end]

    def template(
        self, kind: type[T], start: int, inside: list[exp.Expression], **args: object
    ) -> T:
        """A template of the text between a position and here, with nodes that were read from it."""
        pieces = []
        place = self._tokens[start].start
        for node in inside:
            origin = origin_of(node)
            assert origin is not None
            pieces.append(self.text[place : origin.start])
            place = origin.end
        pieces.append(self.text[place : self._tokens[self._place - 1].end])
        return self.made(kind(pieces=tuple(pieces), expressions=inside, **args), start)

    def verbatim(self, start: int) -> exp.Expression:
        """The text between a position and here, as a node."""
        return self.made(Verbatim(this=self.raw(start)), start)

    def separated(self, item: Callable[[], Item]) -> list[Item]:
        """Items separated by commas."""
        found = [item()]
        while self.take(","):
            found.append(item())
        return found

    def in_brackets(self, item: Callable[[], Item]) -> list[Item]:
        """The same, in parentheses."""
        self.expect("(")
        found = self.separated(item)
        self.expect(")")
        return found

    def skip(self) -> None:
        """Goes over a token, or over a parenthesis and all in it."""
        if self.at("("):
            self.skip_brackets()
        else:
            self.next()

    def skip_brackets(self) -> None:
        """Moves past a parenthesis and all in it."""
        self.expect("(")
        depth = 1
        while depth:
            if self.at_end():
                self.refuse(") is expected")
            token = self.next()
            depth += (token.upper == "(") - (token.upper == ")")

    # Names -----------------------------------------------------------------------------------

    def is_name(self, ahead: int = 0) -> bool:
        """Whether the next token can be a name."""
        return self.peek(ahead).kind in ("word", "quoted")

    def length_of_name(self, ahead: int = 0) -> int:
        """How many tokens the name is that is next; 0 if there is none."""
        if self._is_identifier_clause(ahead):
            return 4
        return int(self.is_name(ahead))

    def _is_identifier_clause(self, ahead: int = 0) -> bool:
        """Whether ``IDENTIFIER('name')`` is next."""
        opened = self.at("IDENTIFIER", "(", ahead=ahead)
        return opened and self.peek(ahead + 2).kind == "string" and self.at(")", ahead=ahead + 3)

    def identifier(self) -> exp.Identifier:
        """A name."""
        start = self.here()
        if not self.is_name():
            self.refuse("a name is expected")
        if self._is_identifier_clause():
            return self._identifier_clause(start)
        token = self.next()
        if token.kind == "word":
            return self.made(exp.Identifier(this=token.text, quoted=False), start)
        mark = token.text[0]
        name = token.text[1:-1].replace(mark * 2, mark)
        return self.made(exp.Identifier(this=name, quoted=True), start)

    def _identifier_clause(self, start: int) -> exp.Identifier:
        name = self.peek(2).text[1:-1]
        for _ in range(4):
            self.next()
        return self.made(ClauseIdentifier(this=name, quoted=True, raw=self.raw(start)), start)

    def dotted(self) -> list[exp.Identifier]:
        """A name of several parts."""
        parts = [self.identifier()]
        while self.at(".") and self.is_name(1):
            self.next()
            parts.append(self.identifier())
        return parts

    def names_in_brackets(self) -> list[exp.Identifier]:
        """Names in parentheses."""
        return self.in_brackets(self.identifier)

    def begins_alias(self, *, of_table: bool) -> bool:
        """Whether a name without AS is an alias, and not the beginning of the next clause."""
        token = self.peek()
        if token.kind == "quoted":
            return True
        if token.kind != "word" or token.upper == "AS":
            return False
        if of_table and token.upper in STRICT:
            return False
        return not self._begins_clause()

    def _begins_clause(self) -> bool:
        word, after = self.peek().upper, self.peek(1)
        ended = after.upper in _ENDS and after.kind in ("sign", "end")
        if word in _BEFORE_OPERANDS:
            # FROM may be a name where the clause follows it.
            return not ended and not (word == "FROM" and after.upper == "FROM")
        if word in ("GROUP", "ORDER", "SORT", "CLUSTER", "DISTRIBUTE", "BIN", "IDENTIFIED"):
            return after.upper == "BY"
        if word == "WINDOW":
            return self.begins_window()
        if word in ("UNION", "EXCEPT", "INTERSECT", "MINUS"):
            return after.upper in ("ALL", "DISTINCT") or self.begins_query(1)
        if word in ("PIVOT", "TABLESAMPLE", "UNPIVOT", "MATCH_CONDITION"):
            return after.upper in ("(", "INCLUDE", "EXCLUDE", "BERNOULLI", "SYSTEM")
        if word == "WITH":
            return after.upper == "("
        if word in ("VERSION", "SYSTEM_VERSION", "TIMESTAMP", "SYSTEM_TIME"):
            return after.upper == "AS" and self.at("OF", ahead=2)
        if word in ("MAP", "REDUCE"):
            return self._is_script_ahead()
        if word in ("VALUES", "REPLACE"):
            return after.upper in ("(", "WHERE", "ON", "USING")
        return word in _JOIN_WORDS and any(self.at("JOIN", ahead=i) for i in (1, 2, 3))

    def _is_script_ahead(self) -> bool:
        """Whether the rows are given to a script: USING and a text, before all ends."""
        ahead, depth = 1, 0
        while depth >= 0 and self.peek(ahead).kind != "end":
            depth += self.at("(", ahead=ahead) - self.at(")", ahead=ahead)
            if not depth and self.at("USING", ahead=ahead):
                return self.peek(ahead + 1).kind == "string"
            ahead += 1
        return False

    def begins_step(self) -> bool:
        """Whether a step of a pipe is next."""
        return self.at("|>") or (self.at("|") and self.peek(1).upper in _STEPS)

    def begins_window(self) -> bool:
        """Whether the clause WINDOW is next."""
        length = self.length_of_name(1)
        return self.at("WINDOW") and bool(length) and self.at("AS", ahead=1 + length)

    def begins_query(self, ahead: int = 0) -> bool:
        """Whether a query is next."""
        while self.at("(", ahead=ahead):
            ahead += 1
        word, after = self.peek(ahead).upper, self.peek(ahead + 1)
        if word in ("SELECT", "FROM", "MAP", "REDUCE"):
            if after.kind == "end" or after.upper in ("AND", "OR", "IS", "IN", "AS"):
                return False
            # MAP(...) is a call.
            functions = word in ("MAP", "REDUCE")
            return after.kind != "sign" or (not functions and after.upper in _SIGNS_OF_OPERANDS)
        if word in ("WITH", "TABLE"):
            return after.kind in ("word", "quoted")
        if word == "VALUES":
            return after.kind != "end" and after.upper not in (")", ",", ".", "=")
        return False

    # Types -----------------------------------------------------------------------------------

    def data_type(self) -> SparkType:
        """The name of a type."""
        start = self.here()
        name = self.identifier().name.upper()
        if self.take("<>"):
            pass
        elif self.at("<"):
            self._angles()
        elif self.at("("):
            self.skip_brackets()
        if name == "INTERVAL" and self.at_any(("YEAR", "MONTH", "DAY", "HOUR", "MINUTE", "SECOND")):
            self.next()
            if self.take("TO"):
                self.identifier()
        elif self.take("WITH", "LOCAL", "TIME", "ZONE") or self.take("WITHOUT", "TIME", "ZONE"):
            pass
        elif name in ("STRING", "CHAR", "CHARACTER", "VARCHAR") and self.take("COLLATE"):
            self.dotted()
        return self.made(SparkType(this=self.raw(start)), start)

    def _angles(self) -> None:
        depth = 0
        while True:
            if self.at_end():
                self.refuse("> is expected")
            token = self.next()
            depth += (token.upper == "<") - (token.upper == ">")
            if not depth:
                return
