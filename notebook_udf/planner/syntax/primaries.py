"""Parses operands: literals, names, CASE, parentheses, lambdas."""

from __future__ import annotations

from sqlglot import exp

from notebook_udf.planner.syntax.expressions import Expressions
from notebook_udf.planner.syntax.nodes import StringLiteral, TypedLiteral

_LITERAL_TYPES = ("DATE", "TIME", "TIMESTAMP", "TIMESTAMP_LTZ", "TIMESTAMP_NTZ", "X", "INTERVAL")
_UNITS = frozenset(
    unit + plural
    for unit in (
        "NANOSECOND", "MICROSECOND", "MILLISECOND", "SECOND", "MINUTE", "HOUR", "DAY", "WEEK",
        "MONTH", "YEAR",
    )
    for plural in ("", "S")
)  # fmt: skip


class Primaries(Expressions):
    """Parses literals, names and parentheses; ``Calls`` parses calls."""

    def __init__(self, text: str, *, double_quoted_identifiers: bool = False) -> None:
        super().__init__(text, double_quoted_identifiers=double_quoted_identifiers)
        # The parameters of the lambdas around this place, in lower case.
        self._parameters: list[set[str]] = []

    def _call(self, start: int, parts: list[exp.Identifier]) -> exp.Expression:
        """The call whose name has been read."""
        raise NotImplementedError

    def _special(self, word: str) -> exp.Expression | None:
        """A call with more than arguments in its parentheses; None for any other."""
        raise NotImplementedError

    # Primary expressions ---------------------------------------------------------------------

    def _primary(self) -> exp.Expression:
        token, start = self.peek(), self.here()
        if token.kind == "number":
            self.next()
            return self.made(exp.Literal(this=token.text, is_string=False), start)
        if token.kind == "string":
            return self._string()
        if token.kind == "quoted":
            return self._name_or_call()
        if token.kind == "word":
            return self._word()
        if self.at("("):
            return self._brackets()
        if self.at("*"):
            return self._star(start, [])
        if self.take("?"):
            return self.made(exp.Placeholder(), start)
        if self.at(":") and self.is_name(1):
            self.next()
            return self.made(exp.Placeholder(this=self.next().text), start)
        self.refuse("an expression is expected")

    def _string(self) -> exp.Expression:
        start = self.here()
        if self.peek().kind != "string":
            self.refuse("a text literal is expected")
        while self.peek().kind == "string":
            self.next()
        return self.made(StringLiteral(this=self.raw(start), is_string=True), start)

    def _word(self) -> exp.Expression:
        word, start = self.peek().upper, self.here()
        after = self.peek(1)
        if word in _LITERAL_TYPES and after.kind == "string":
            self.next()
            if word == "INTERVAL":
                return self._interval(start)
            self.next()
            return self.made(TypedLiteral(this=self.raw(start), is_string=True), start)
        if word == "INTERVAL" and (after.kind == "number" or self._is_signed_interval()):
            self.next()
            return self._interval(start)
        if word == "CASE" and not self._is_bare_word():
            return self._case()
        if word in ("NULL", "TRUE", "FALSE") and after.upper != "(":
            self.next()
            made = exp.Null() if word == "NULL" else exp.Boolean(this=word == "TRUE")
            return self.made(made, start)
        if after.upper == "(":
            special = self._special(word)
            if special is not None:
                return special
        return self._name_or_call()

    def _is_signed_interval(self) -> bool:
        return self.at_any(("+", "-"), ahead=1) and (
            self.peek(2).kind in ("number", "string") and self.at_any(_UNITS, ahead=3)
        )

    def _interval(self, start: int) -> exp.Expression:
        """The rest of an interval: values and units, or a text alone."""
        while True:
            place = self.here()
            if self.at_any(("+", "-")):
                self.next()
            if self.peek().kind not in ("number", "string") or (
                not self.at_any(_UNITS, ahead=1) and place != start + 1
            ):
                self.back(place)
                break
            self.next()
            if not self.at_any(_UNITS):
                break
            self.next()
            if self.at("TO") and self.at_any(_UNITS, ahead=1):
                self.next()
                self.next()
        return self.made(TypedLiteral(this=self.raw(start), is_string=True), start)

    def _case(self) -> exp.Expression:
        start = self.here()
        self.expect("CASE")
        compared = None if self.at("WHEN") else self.expression()
        branches = []
        while self.at("WHEN"):
            branch = self.here()
            self.next()
            test = self.expression()
            self.expect("THEN")
            branches.append(self.made(exp.If(this=test, true=self.expression()), branch))
        default = self.expression() if self.take("ELSE") else None
        self.expect("END")
        return self.made(exp.Case(this=compared, ifs=branches, default=default), start)

    def _brackets(self) -> exp.Expression:
        start = self.here()
        if self.is_name(1) and self.at(",", ahead=2):
            names = self._lambda_names()
            if names is not None:
                return self._lambda(names, start)
        query = self.query_in_brackets()
        if query is not None:
            return self.made(exp.Subquery(this=query), start)
        values = self.in_brackets(self.named_expression)
        single = len(values) == 1
        made = exp.Paren(this=values[0]) if single else exp.Tuple(expressions=values)
        return self.made(made, start)

    def _lambda_names(self) -> list[exp.Identifier] | None:
        place = self.here()
        if self._are_names():
            names = self.names_in_brackets()
            if self.at("->"):
                return names
        self.back(place)
        return None

    def _lambda(self, names: list[exp.Identifier], start: int) -> exp.Expression:
        self.expect("->")
        self._parameters.append({name.name.lower() for name in names})
        try:
            body = self.expression()
        finally:
            self._parameters.pop()
        return self.made(exp.Lambda(this=body, expressions=names), start)

    def _star(self, start: int, parts: list[exp.Identifier]) -> exp.Expression:
        star_start = self.here()
        self.expect("*")
        left_out: list[exp.Expression] = []
        if self.at("EXCEPT", "(") and not self.begins_query(1):
            self.next()
            left_out = self.in_brackets(self._column)
        star = self.made(exp.Star(except_=left_out or None), star_start)
        return self.made(_column_of([*parts, star]), start) if parts else star

    def _column(self) -> exp.Expression:
        """A name, or a column of several parts."""
        start = self.here()
        parts = self.dotted()
        return parts[0] if len(parts) == 1 else self.made(_column_of(parts), start)

    def _name_or_call(self) -> exp.Expression:
        start = self.here()
        parts = [self.identifier()]
        if self.at("->"):
            return self._lambda(parts, start)
        while self.at("."):
            if self.at("*", ahead=1):
                self.next()
                return self._star(start, parts)
            if not self.is_name(1):
                break
            self.next()
            parts.append(self.identifier())
        if self.at("("):
            return self._call(start, parts)
        if any(parts[0].name.lower() in names for names in self._parameters):
            found: exp.Expression = parts[0]
            for part in parts[1:]:
                found = exp.Dot(this=found, expression=part)
            return self.made(found, start)
        return self.made(_column_of(parts), start)


def _column_of(parts: list[exp.Expression]) -> exp.Expression:
    names = ("catalog", "db", "table", "this")
    column: exp.Expression = exp.Column(
        **dict(zip(names[-len(parts[:4]) :], parts[:4], strict=True))
    )
    for part in parts[4:]:
        column = exp.Dot(this=column, expression=part)
    return column
