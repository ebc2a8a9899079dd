"""Parses expressions by the rules of Spark's grammar: conditions, predicates and operators."""

from __future__ import annotations

from collections.abc import Callable

from sqlglot import exp

from notebook_udf.planner.syntax.cursor import Cursor
from notebook_udf.planner.syntax.nodes import (
    Positive,
    PredicateTemplate,
    Template,
    UnsignedRightShift,
)
from notebook_udf.planner.syntax.tokens import Unreadable

# How strongly operators bind; what stands to their right has to bind more strongly.
_OPERATORS: dict[str, tuple[int, type[exp.Expression]]] = {
    "=": (5, exp.EQ), "==": (5, exp.EQ), "<>": (5, exp.NEQ), "!=": (5, exp.NEQ),
    "<": (5, exp.LT), "<=": (5, exp.LTE), "!>": (5, exp.LTE), ">": (5, exp.GT),
    ">=": (5, exp.GTE), "!<": (5, exp.GTE), "<=>": (5, exp.NullSafeEQ),
    "|": (6, exp.BitwiseOr), "^": (7, exp.BitwiseXor), "&": (8, exp.BitwiseAnd),
    "<<": (9, exp.BitwiseLeftShift), ">>": (9, exp.BitwiseRightShift),
    ">>>": (9, UnsignedRightShift), "+": (10, exp.Add), "-": (10, exp.Sub),
    "||": (10, exp.DPipe), "*": (11, exp.Mul), "/": (11, exp.Div), "%": (11, exp.Mod),
    "DIV": (11, exp.IntDiv),
}  # fmt: skip
_NOT = ("NOT", "!")
_BEHIND_NAMES = (",", ")", ".", "=", ">", "<", ";", "AND", "OR")
_PREDICATES = ("BETWEEN", "IN", "LIKE", "ILIKE", "RLIKE", "REGEXP")


class Expressions(Cursor):
    """Parses expressions; ``Primaries`` parses operands, ``Queries`` the queries inside."""

    def __init__(self, text: str, *, double_quoted_identifiers: bool = False) -> None:
        super().__init__(text, double_quoted_identifiers=double_quoted_identifiers)
        # What went wrong where a query was tried: the error to show if nothing else fits either.
        self._furthest = Unreadable("", -1)

    def query(self) -> exp.Expression:
        """A query."""
        raise NotImplementedError

    def _primary(self) -> exp.Expression:
        """An operand."""
        raise NotImplementedError

    def _string(self) -> exp.Expression:
        """A text literal."""
        raise NotImplementedError

    def query_in_brackets(self) -> exp.Expression | None:
        """A query in parentheses; None if there is none, or if it begins something else, such as
        ``((SELECT 1) + 2)``."""
        start = self.here()
        if not self.at("(") or not self.begins_query(1):
            return None
        self.next()
        try:
            query = self.query()
        except Unreadable as error:
            self._furthest = max(self._furthest, error, key=lambda e: e.place)
        else:
            if self.take(")"):
                return query
        self.back(start)
        return None

    # Lists -----------------------------------------------------------------------------------

    def expressions(self) -> list[exp.Expression]:
        """Expressions separated by commas."""
        return self.separated(self.expression)

    def named_expressions(self) -> list[exp.Expression]:
        """Expressions separated by commas, each with or without an alias."""
        return self.separated(self.named_expression)

    def named_expression(self) -> exp.Expression:
        """An expression, with its alias or aliases if it has some."""
        start = self.here()
        value = self.expression()
        explicit = self.take("AS")
        if self.at("(") and (explicit or self._are_names()):
            names = self.names_in_brackets()
            return self.made(exp.Aliases(this=value, expressions=names), start)
        if explicit or self.begins_alias(of_table=False):
            return self.made(exp.Alias(this=value, alias=self.identifier()), start)
        return value

    def _are_names(self) -> bool:
        """Whether names in parentheses are next."""
        ahead = 1
        while length := self.length_of_name(ahead):
            if self.at(")", ahead=ahead + length):
                return True
            if not self.at(",", ahead=ahead + length):
                return False
            ahead += length + 1
        return False

    def _order_item(self) -> exp.Expression:
        start = self.here()
        value = self.expression()
        descending = self.take("DESC")
        if not descending:
            self.take("ASC")
        nulls_first = not descending
        if self.take("NULLS"):
            nulls_first = self.take("FIRST")
            if not nulls_first:
                self.expect("LAST")
        return self.made(exp.Ordered(this=value, desc=descending, nulls_first=nulls_first), start)

    def order(self, kind: type[exp.Expression] = exp.Order) -> exp.Expression:
        """ORDER BY or SORT BY, with its items."""
        start = self.here()
        self.next()
        self.expect("BY")
        return self.made(kind(expressions=self.separated(self._order_item)), start)

    # Conditions ------------------------------------------------------------------------------

    def expression(self) -> exp.Expression:
        """An expression of any kind."""
        return self._connected("OR", exp.Or, self._conjunction)

    def _conjunction(self) -> exp.Expression:
        return self._connected("AND", exp.And, self._negation)

    def _connected(
        self, word: str, kind: type[exp.Expression], operand: Callable[[], exp.Expression]
    ) -> exp.Expression:
        """Operands connected by a keyword, as a balanced tree: there may be hundreds of them."""
        starts, found, ends = [self.here()], [operand()], [self.here()]
        while self.take(word):
            starts.append(self.here())
            found.append(operand())
            ends.append(self.here())

        def balanced(first: int, last: int) -> exp.Expression:
            if first == last:
                return found[first]
            middle = (first + last) // 2
            left, right = balanced(first, middle), balanced(middle + 1, last)
            return self.made(kind(this=left, expression=right), starts[first], ends[last])

        return balanced(0, len(found) - 1)

    def _negation(self) -> exp.Expression:
        start = self.here()
        if self.at_any(_NOT) and not self._is_bare_word():
            self.next()
            return self.made(exp.Not(this=self._negation()), start)
        if self.at("EXISTS", "(") and self.begins_query(2):
            self.next()
            query = self.query_in_brackets()
            if query is None:
                self.refuse("a query is expected")
            return self.made(exp.Exists(this=query), start)
        return self._predicate(self.value(), start)

    def _is_bare_word(self) -> bool:
        """Whether a keyword is next that is used as a name: what follows is no operand."""
        after = self.peek(1)
        return after.kind == "end" or after.upper in _BEHIND_NAMES

    def _predicate(self, left: exp.Expression, start: int) -> exp.Expression:
        if self.take("IS"):
            return self._is(left, start)
        negated = self.at_any(_NOT) and self.at_any(_PREDICATES, ahead=1)
        if negated:
            self.next()
        elif not self.at_any(_PREDICATES):
            return left
        word = self.next().upper
        if word == "BETWEEN":
            low = self.value()
            self.expect("AND")
            made: exp.Expression = exp.Between(this=left, low=low, high=self.value())
        elif word == "IN":
            made = self._in(left)
        elif word in ("RLIKE", "REGEXP"):
            made = exp.RegexpLike(this=left, expression=self.value())
        elif self.at_any(("ANY", "SOME", "ALL")) and self.at("(", ahead=1):
            return self._quantified(left, start)
        else:
            kind = exp.Like if word == "LIKE" else exp.ILike
            made = kind(this=left, expression=self.value())
            if self.take("ESCAPE"):
                made = exp.Escape(this=made, expression=self._string())
        if negated:
            # What is negated stands in no text of its own.
            made = exp.Not(this=made)
        return self.made(made, start)

    def _is(self, left: exp.Expression, start: int) -> exp.Expression:
        negated = self.at_any(_NOT)
        if negated:
            self.next()
        if self.take("DISTINCT"):
            self.expect("FROM")
            made: exp.Expression = exp.NullSafeNEQ(this=left, expression=self.value())
        else:
            values: dict[str, exp.Expression] = {
                "NULL": exp.Null(),
                "TRUE": exp.Boolean(this=True),
                "FALSE": exp.Boolean(this=False),
                "UNKNOWN": exp.Var(this="UNKNOWN"),
            }
            word = self.peek().upper
            if word not in values:
                self.refuse("NULL, TRUE, FALSE, UNKNOWN or DISTINCT FROM is expected")
            self.next()
            made = exp.Is(this=left, expression=values[word])
        return self.made(exp.Not(this=made) if negated else made, start)

    def _in(self, left: exp.Expression) -> exp.Expression:
        query = self.query_in_brackets()
        if query is not None:
            return exp.In(this=left, query=query)
        self.expect("(")
        values = [] if self.at(")") else self.expressions()
        self.expect(")")
        return exp.In(this=left, expressions=values)

    def _quantified(self, left: exp.Expression, start: int) -> exp.Expression:
        self.next()
        self.expect("(")
        values = [] if self.at(")") else self.expressions()
        self.expect(")")
        return self.template(PredicateTemplate, start, [left, *values])

    # Operators -------------------------------------------------------------------------------

    def value(self, least: int = 5) -> exp.Expression:
        """An operand of a predicate: operators that bind at least so strongly."""
        start = self.here()
        left = self._unary()
        while True:
            sign = self._operator()
            if sign is None:
                return left
            level, kind = _OPERATORS[sign]
            if level < least:
                return left
            for _ in range(len(sign) if sign[0] == ">" and sign != ">=" else 1):
                self.next()
            left = self.made(kind(this=left, expression=self.value(level + 1)), start)

    def _operator(self) -> str | None:
        token = self.peek()
        if token.upper != ">":
            operates = token.upper in _OPERATORS and not self.begins_step()
            return token.upper if operates else None
        sign, ahead = ">", 1
        while (
            ahead < 3
            and self.at(">", ahead=ahead)
            and self.peek(ahead).start == token.start + ahead
        ):
            sign, ahead = sign + ">", ahead + 1
        return sign

    def _unary(self) -> exp.Expression:
        start = self.here()
        if self.at("-") and self.peek(1).kind == "number":
            self.next()
            number = exp.Literal(this=f"-{self.next().text}", is_string=False)
            return self._postfix(self.made(number, start), start)
        kinds = {"-": exp.Neg, "+": Positive, "~": exp.BitwiseNot}
        kind = kinds.get(self.peek().upper)
        if kind is None:
            return self._postfix(self._primary(), start)
        self.next()
        return self.made(kind(this=self._unary()), start)

    def _postfix(self, base: exp.Expression, start: int) -> exp.Expression:
        while True:
            if self.take("::"):
                base = exp.Cast(this=base, to=self.data_type())
            elif self.take("["):
                base = exp.Bracket(this=base, expressions=[self.value()])
                self.expect("]")
            elif self.at(".") and self.is_name(1):
                self.next()
                base = exp.Dot(this=base, expression=self.identifier())
            elif self.take("COLLATE"):
                self.dotted()
                base = self.template(Template, start, [base])
            elif self.at(":") and (self.is_name(1) or self.at("[", ahead=1)):
                self._json_path()
                base = self.template(Template, start, [base])
            else:
                return base
            base = self.made(base, start)

    def _json_path(self) -> None:
        self.next()
        while True:
            if self.take("["):
                while not self.take("]"):
                    if self.at_end():
                        self.refuse("] is expected")
                    self.next()
            else:
                self.identifier()
            if not self.at("[") and not self.take("."):
                return
