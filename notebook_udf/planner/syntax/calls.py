"""Parses calls of functions: arguments, FILTER, WITHIN GROUP, IGNORE NULLS and OVER."""

from __future__ import annotations

from collections.abc import Callable

from sqlglot import exp

from notebook_udf.planner.syntax.nodes import TableArgument, Template
from notebook_udf.planner.syntax.primaries import Primaries

_ADD_UNITS = ("TIMESTAMPADD", "DATEADD", "DATE_ADD")
_DIFFERENCES = ("TIMESTAMPDIFF", "DATEDIFF", "DATE_DIFF", "TIMEDIFF")
_TIME_UNITS = frozenset(
    {
        "YEAR", "QUARTER", "MONTH", "WEEK", "DAY", "DAYOFYEAR", "HOUR", "MINUTE", "SECOND",
        "MILLISECOND", "MICROSECOND",
    }
)  # fmt: skip
_COALESCE = ("coalesce", "nvl", "ifnull")
_IF = ("if", "iff")


class Calls(Primaries):
    """Parses calls."""

    # Calls -----------------------------------------------------------------------------------

    def _call(self, start: int, parts: list[exp.Identifier]) -> exp.Expression:
        name = self.name_of_call(parts, start)
        if not isinstance(name, str) or len(parts) > 1:
            return self._behind_call(self.call_by(name, start), start)
        node = _function(name, self._arguments())
        return self._behind_call(self.made(node, start), start)

    def name_of_call(self, parts: list[exp.Identifier], start: int) -> str | exp.Identifier:
        """The name a function is called by; a quoted one stays quoted."""
        if len(parts) > 1:
            # Functions of this package have no database.
            return self.raw(start)
        return parts[0] if parts[0].args.get("quoted") else str(parts[0].name)

    def call_by(self, name: str | exp.Identifier, start: int) -> exp.Expression:
        """The call whose name has been read."""
        return self.made(exp.Anonymous(this=name, expressions=self._arguments()), start)

    def _arguments(self) -> list[exp.Expression]:
        """The arguments in a call's parentheses."""
        self.expect("(")
        start = self.here()
        distinct = self.at("DISTINCT") and not self._is_bare_word()
        if distinct or (self.at("ALL") and not self._is_bare_word() and not self.at("(", ahead=1)):
            self.next()
        found = [] if self.at(")") else self.separated(self._argument)
        if distinct:
            found = [self.made(exp.Distinct(expressions=found), start)]
        self.expect(")")
        return found

    def _argument(self) -> exp.Expression:
        start = self.here()
        if self.is_name() and self.at("=>", ahead=1):
            name = self.identifier()
            self.next()
            value = self._table_argument() or self.expression()
            return self.made(exp.Kwarg(this=name, expression=value), start)
        return self._table_argument() or self.named_expression()

    def _table_argument(self) -> exp.Expression | None:
        start = self.here()
        if not self.at("TABLE") or not (self.is_name(1) or self.at("(", ahead=1)):
            return None
        self.next()
        inside: list[exp.Expression] = []
        if not self.take("("):
            self.dotted()
        elif self.begins_query():
            inside.append(self.query())
            self.expect(")")
        else:
            self.dotted()
            self.expect(")")
        self.take("WITH", "SINGLE", "PARTITION")
        if self.take("PARTITION", "BY") or self.take("DISTRIBUTE", "BY"):
            inside += self._by(self.expression)
        if self.take("ORDER", "BY") or self.take("SORT", "BY"):
            inside += self._by(self._order_item)
        return self.template(TableArgument, start, inside)

    def _by(self, item: Callable[[], exp.Expression]) -> list[exp.Expression]:
        """The columns that a table argument is partitioned or sorted by: in parentheses, or one."""
        return self.in_brackets(item) if self.at("(") else [item()]

    def _behind_call(self, node: exp.Expression, start: int) -> exp.Expression:
        """The call with the WITHIN GROUP, FILTER, IGNORE NULLS and OVER that follow it."""
        if self.take("WITHIN", "GROUP"):
            self.expect("(")
            order = self.order()
            self.expect(")")
            node = self.made(exp.WithinGroup(this=node, expression=order), start)
        if self.take("FILTER", "("):
            where_start = self.here()
            self.expect("WHERE")
            where = self.made(exp.Where(this=self.expression()), where_start)
            self.expect(")")
            node = self.made(exp.Filter(this=node, expression=where), start)
        if self.take("IGNORE", "NULLS"):
            node = self.made(exp.IgnoreNulls(this=node), start)
        elif self.take("RESPECT", "NULLS"):
            node = self.made(exp.RespectNulls(this=node), start)
        if self.at("OVER") and (self.at("(", ahead=1) or self.is_name(1)):
            self.next()
            node = self.made(self.window(node), start)
        return node

    def window(
        self, this: exp.Expression, kind: type[exp.Expression] = exp.Window
    ) -> exp.Expression:
        """The window of OVER or WINDOW, over the given expression."""
        if self.is_name():
            return kind(this=this, alias=self.identifier())
        self.expect("(")
        if self.is_name() and self.at(")", ahead=1):
            name = self.identifier()
            self.expect(")")
            return kind(this=this, alias=name)
        partition: list[exp.Expression] = []
        order = None
        if self.take("CLUSTER", "BY"):
            partition = self.expressions()
        else:
            if self.take("PARTITION", "BY") or self.take("DISTRIBUTE", "BY"):
                partition = self.expressions()
            if self.at("ORDER", "BY") or self.at("SORT", "BY"):
                order = self.order()
        spec = self._frame() if self.at_any(("ROWS", "RANGE")) else None
        self.expect(")")
        return kind(this=this, partition_by=partition or None, order=order, spec=spec)

    def _frame(self) -> exp.Expression:
        start = self.here()
        args: dict[str, object] = {"kind": self.next().upper}
        if self.take("BETWEEN"):
            args["start"], args["start_side"] = self._bound()
            self.expect("AND")
            args["end"], args["end_side"] = self._bound()
        else:
            args["start"], args["start_side"] = self._bound()
        return self.made(exp.WindowSpec(**args), start)

    def _bound(self) -> tuple[object, str | None]:
        if self.take("CURRENT", "ROW"):
            return "CURRENT ROW", None
        distance: object = "UNBOUNDED"
        if not (self.at("UNBOUNDED") and self.at_any(("PRECEDING", "FOLLOWING"), ahead=1)):
            distance = self.expression()
        else:
            self.next()
        if not self.at_any(("PRECEDING", "FOLLOWING")):
            self.refuse("PRECEDING or FOLLOWING is expected")
        return distance, self.next().upper

    # Calls with words in them ----------------------------------------------------------------

    def _special(self, word: str) -> exp.Expression | None:
        """A call with more than arguments in its parentheses; None for any other."""
        start = self.here()
        if word in ("CAST", "TRY_CAST"):
            self.next()
            self.expect("(")
            value = self.expression()
            self.expect("AS")
            kind = exp.Cast if word == "CAST" else exp.TryCast
            made = kind(this=value, to=self.data_type())
            self.expect(")")
            return self.made(made, start)
        if word in ("FIRST", "LAST", "ANY_VALUE"):
            return self._first(start)
        if word in (*_ADD_UNITS, *_DIFFERENCES):
            if not self.at_any(_TIME_UNITS, ahead=2) or not self.at(",", ahead=3):
                return None
            return self._between_words(start, (",",))
        if word == "IDENTIFIER" and self.length_of_name() == 1:
            return self._computed_identifier(start)
        separators = {
            "EXTRACT": ("FROM",),
            "POSITION": ("IN",),
            "SUBSTR": ("FROM", "FOR"),
            "SUBSTRING": ("FROM", "FOR"),
            "TRIM": ("FROM", "BOTH", "LEADING", "TRAILING"),
            "OVERLAY": ("PLACING", "FROM", "FOR"),
        }.get(word)
        if separators is None:
            return None
        found = self._between_words(start, separators)
        if found is None:
            self.back(start)
        return found

    def _between_words(self, start: int, words: tuple[str, ...]) -> exp.Expression | None:
        """Values between keywords, in parentheses; None if there are only commas between them."""
        extract = self.at("EXTRACT")
        self.next()
        self.expect("(")
        inside: list[exp.Expression] = []
        met = words == (",",)
        if extract and not self.at("FROM", ahead=1):
            return None
        if extract or met:
            # The name of a unit is no column.
            self.next()
        while not self.take(")"):
            if self.at_any(words) or (inside and self.at(",")):
                met = met or not self.at(",")
                self.next()
            else:
                inside.append(self.value())
                if not self.at_any((*words, ",", ")")):
                    return None
        return self.template(Template, start, inside) if met else None

    def _first(self, start: int) -> exp.Expression | None:
        name = self.next().text
        self.expect("(")
        if self.at_any(("DISTINCT", "ALL", ")")):
            self.back(start)
            return None
        value = self.expression()
        if self.take("IGNORE", "NULLS"):
            self.expect(")")
            # Behind the parentheses it would be another plan.
            call = exp.Anonymous(this=name, expressions=[value])
            node = self.made(exp.IgnoreNulls(this=call, inside=True), start)
            return self._behind_call(node, start)
        self.back(start)
        return None

    def _computed_identifier(self, start: int) -> exp.Expression:
        """``IDENTIFIER(expression)``, a name or a call's name that is computed."""
        self.next()
        self.skip_brackets()
        if not self.at("("):
            return self.verbatim(start)
        name = self.raw(start)
        node = exp.Anonymous(this=name, expressions=self._arguments())
        return self._behind_call(self.made(node, start), start)


def _function(name: str, arguments: list[exp.Expression]) -> exp.Expression:
    """A call by a plain name; two functions have node classes that rules look for."""
    node: exp.Expression
    plain = not any(isinstance(a, (exp.Distinct, exp.Kwarg)) for a in arguments)
    if name.lower() in _COALESCE and arguments and plain:
        node = exp.Coalesce(this=arguments[0], expressions=arguments[1:])
    elif name.lower() in _IF and len(arguments) == 3 and plain:
        node = exp.If(this=arguments[0], true=arguments[1], false=arguments[2])
    else:
        return exp.Anonymous(this=name, expressions=arguments)
    node.meta["name"] = name
    return node
