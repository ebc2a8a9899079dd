"""Parses FROM: tables, subqueries, calls, joins, LATERAL VIEW, PIVOT."""

from __future__ import annotations

from sqlglot import exp

from notebook_udf.planner.syntax.calls import Calls
from notebook_udf.planner.syntax.nodes import InlineTable, Reshaped, Template

_JOIN_WORDS = frozenset(
    {"CROSS", "INNER", "LEFT", "RIGHT", "FULL", "SEMI", "ANTI", "NATURAL", "JOIN", "ASOF", "OUTER"}
)
_VERSIONS = ("VERSION", "SYSTEM_VERSION", "TIMESTAMP", "SYSTEM_TIME")


class Relations(Calls):
    """Parses the FROM of a SELECT."""

    def from_clause(self, select: exp.Expression) -> None:
        """Reads FROM, with all that belongs to it, into a SELECT."""
        start = self.here()
        self.expect("FROM")
        begin = self.here()
        first, joins = self._joined(self._lateral_or_not(), [], begin)
        while self.at(","):
            # A comma binds as JOIN does: what is joined behind it, is joined to all before it.
            comma = self.here()
            self.next()
            join = exp.Join(this=self._lateral_or_not(), comma=True)
            first, joins = self._joined(first, [*joins, self.made(join, comma)], begin)
        end = self.here()
        views = self.lateral_views()
        reshaping = self._reshapings()
        if reshaping:
            first, joins = self._reshaped(first, joins, views, reshaping, begin, end), []
        else:
            select.set("laterals", views or None)
        select.set("from_", self.made_up_to(exp.From(this=first), start, first))
        select.set("joins", joins or None)

    # Relations -------------------------------------------------------------------------------

    def relation(self) -> tuple[exp.Expression, list[exp.Expression]]:
        """A relation with its joins."""
        start = self.here()
        return self._joined(self._lateral_or_not(), [], start)

    def _joined(
        self, first: exp.Expression, joins: list[exp.Expression], start: int
    ) -> tuple[exp.Expression, list[exp.Expression]]:
        """The relation with the joins and reshapings that follow it."""
        while True:
            join = self._join()
            if join is not None:
                joins.append(join)
                continue
            end = self.here()
            reshaping = self._reshapings()
            if not reshaping:
                return first, joins
            first, joins = self._reshaped(first, joins, [], reshaping, start, end), []

    def _reshaped(
        self,
        first: exp.Expression,
        joins: list[exp.Expression],
        views: list[exp.Expression],
        reshaping: list[exp.Expression],
        start: int,
        end: int,
    ) -> exp.Expression:
        """All between two positions, with PIVOT and its like behind it."""
        if joins:
            first.set("joins", joins)
            self.made(first, start, end)
        made = Reshaped(this=first, laterals=views or None, pivots=reshaping)
        made.set("alias", self.table_alias())
        return self.made(made, start)

    def _lateral_or_not(self) -> exp.Expression:
        start = self.here()
        if not self.at("LATERAL") or self.at("VIEW", ahead=1):
            return self._primary_relation()
        self.next()
        inner = self._primary_relation()
        alias = inner.args.get("alias")
        if isinstance(inner, exp.Table):
            inner = inner.this
        else:
            inner.set("alias", None)
            # It is no longer what was read: its name stands behind LATERAL.
            inner.meta.clear()
        return self.made(exp.Lateral(this=inner, alias=alias), start)

    def _primary_relation(self) -> exp.Expression:
        start = self.here()
        if self.at("("):
            return self._in_brackets(start)
        if self.at("VALUES") and self.begins_query():
            return self.inline_table()
        if self.at_any(("UNNEST", "JSON_TABLE")) and self.at("(", ahead=1):
            return self._table_of(self._words_and_brackets(start), start)
        if self.at("STREAM") and (self.at("(", ahead=1) or self.is_name(1)):
            self.refuse("STREAM is for pipelines")
        return self._table_or_call(start)

    def _in_brackets(self, start: int) -> exp.Expression:
        query = self.query_in_brackets()
        if query is None:
            self.expect("(")
            query, joins = self.relation()
            if joins:
                query.set("joins", joins)
                self.made(query, start + 1)
            self.expect(")")
        made = exp.Subquery(this=query)
        made.set("sample", self._sample())
        made.set("alias", self.table_alias())
        return self.made(made, start)

    def _table_or_call(self, start: int) -> exp.Expression:
        if self.at("IDENTIFIER", "(") and self.length_of_name() == 1:
            self.next()
            self.skip_brackets()
            if not self.at("("):
                return self._table(exp.Table(this=self.verbatim(start)), start)
            return self._table_of(self.call_by(self.raw(start), start), start)
        parts = self.dotted()
        if self.at("("):
            return self._table_of(self.call_by(self.name_of_call(parts, start), start), start)
        table = exp.Table(this=parts[-1])
        for key, part in zip(("db", "catalog"), reversed(parts[:-1]), strict=False):
            table.set(key, part)
        if len(parts) > 3:
            table = exp.Table(this=self.verbatim(start))
        return self._table(table, start)

    def _table(self, table: exp.Expression, start: int) -> exp.Expression:
        """The table whose name has been read."""
        table.set("version", self._version())
        table.set("sample", self._sample())
        table.set("alias", self.table_alias())
        return self.made(table, start)

    def _table_of(self, this: exp.Expression, start: int) -> exp.Expression:
        return self.made(exp.Table(this=this, alias=self.table_alias()), start)

    def _words_and_brackets(self, start: int) -> exp.Expression:
        """``UNNEST(...)`` and ``JSON_TABLE(...)``, with the expressions that they begin with."""
        unnest = self.next().upper == "UNNEST"
        self.expect("(")
        inside = [self.expression()]
        if unnest:
            if self.take(","):
                inside += self.expressions()
            self.expect(")")
            self.take("WITH", "ORDINALITY")
        else:
            while not self.at(")"):
                if self.at_end():
                    self.refuse(") is expected")
                self.skip()
            self.expect(")")
        return self.template(Template, start, inside)

    def inline_table(self) -> exp.Expression:
        """``VALUES ...``."""
        start = self.here()
        self.expect("VALUES")
        rows = self.expressions()
        made = InlineTable(expressions=rows)
        made.set("alias", self.table_alias())
        return self.made(made, start)

    def _version(self) -> exp.Expression | None:
        """The version of a table that is read, and the options it is read with."""
        start = self.here()
        if self.take("@"):
            self.next()
        timed = int(self.at("FOR"))
        if self.at_any(_VERSIONS, ahead=timed) and self.at("AS", "OF", ahead=timed + 1):
            for _ in range(timed + 3):
                self.next()
            self.value()
        elif self.at("CHANGES", "FROM"):
            self.next()
            while self.take("FROM") or self.take("TO"):
                self.next()
                self.value()
                if self.at_any(("INCLUSIVE", "EXCLUSIVE")):
                    self.next()
        if self.at("WITH", "("):
            self.next()
            self.skip_brackets()
        return None if self.here() == start else self.verbatim(start)

    def _sample(self) -> exp.Expression | None:
        start = self.here()
        if not self.at("TABLESAMPLE") or not self.at_any(("(", "BERNOULLI", "SYSTEM"), ahead=1):
            return None
        self.next()
        if not self.at("("):
            self.next()
        self.skip_brackets()
        if self.take("REPEATABLE"):
            self.skip_brackets()
        return self.verbatim(start)

    def table_alias(self) -> exp.Expression | None:
        """The alias of a relation and those of its columns; None if it has none."""
        start = self.here()
        # AS may be a name as well: AS (a, b).
        explicit = not self.at("AS", "(") and self.take("AS")
        if not explicit and not self.at("AS") and not self.begins_alias(of_table=True):
            return None
        alias = exp.TableAlias(this=self.identifier())
        if self.at("(") and self._are_names():
            alias.set("columns", self.names_in_brackets())
        return self.made(alias, start)

    # Joins -----------------------------------------------------------------------------------

    def _join(self) -> exp.Expression | None:
        start = self.here()
        words = []
        while self.at_any(_JOIN_WORDS) and self.peek().kind == "word":
            words.append(self.next().upper)
            if words[-1] == "JOIN":
                break
        if not words or words[-1] != "JOIN":
            self.back(start)
            return None
        side = next((word for word in words if word in ("LEFT", "RIGHT", "FULL")), None)
        kinds = ("INNER", "CROSS", "SEMI", "ANTI", "OUTER")
        kind = next((word for word in words if word in kinds), None)
        method = next((word for word in words if word in ("NATURAL", "ASOF")), None)
        join = exp.Join(this=self._lateral_or_not(), side=side, kind=kind, method=method)
        if method == "ASOF":
            join.set("matching", self._matching())
        if self.take("ON"):
            join.set("on", self.expression())
        elif self.at("USING", "("):
            self.next()
            join.set("using", self.names_in_brackets())
        elif self.at_any(("APPROX", "EXACT")) and self.at("NEAREST", ahead=1):
            join.set("nearest", self._nearest())
        return self.made(join, start)

    def _matching(self) -> exp.Expression:
        start = self.here()
        self.expect("MATCH_CONDITION", "(")
        condition = self.expression()
        self.expect(")")
        return self.template(Template, start, [condition])

    def _nearest(self) -> exp.Expression:
        start = self.here()
        while not self.take("BY"):
            if self.at_end():
                self.refuse("BY is expected")
            self.next()
        self.next()
        return self.template(Template, start, [self.expression()])

    # LATERAL VIEW and PIVOT ------------------------------------------------------------------

    def lateral_views(self) -> list[exp.Expression]:
        """All LATERAL VIEWs that follow."""
        found = []
        while self.at("LATERAL", "VIEW"):
            found.append(self._lateral_view())
        return found

    def _lateral_view(self) -> exp.Expression:
        start = self.here()
        self.expect("LATERAL", "VIEW")
        outer = self.take("OUTER")
        name_start = self.here()
        name = self.name_of_call(self.dotted(), name_start)
        call = self.call_by(name, name_start)
        alias_start = self.here()
        alias = exp.TableAlias(this=self.identifier())
        if self.take("AS") or self.begins_alias(of_table=False):
            alias.set("columns", self.separated(self.identifier))
        self.made(alias, alias_start)
        return self.made(exp.Lateral(this=call, view=True, outer=outer, alias=alias), start)

    def _reshapings(self) -> list[exp.Expression]:
        """All PIVOT, UNPIVOT and BIN BY that follow."""
        found: list[exp.Expression] = []
        while True:
            if self.at("PIVOT", "("):
                found.append(self.pivot())
            elif self.at("UNPIVOT") and self.at_any(("(", "INCLUDE", "EXCLUDE"), ahead=1):
                found.append(self.unpivot())
            elif self.at("BIN", "BY", "("):
                found.append(self.bin_by())
            else:
                return found
            if self.at("AS") or self.begins_alias(of_table=True):
                # A name ends them: what follows is done to what bears it.
                return found

    def pivot(self) -> exp.Expression:
        """``PIVOT (f(x) FOR k IN (...))``."""
        start = self.here()
        self.expect("PIVOT", "(")
        inside = self.named_expressions()
        self.expect("FOR")
        if self.at("("):
            self.names_in_brackets()
        else:
            self.identifier()
        self.expect("IN")
        inside += self.in_brackets(self.named_expression)
        self.expect(")")
        return self.template(Template, start, inside)

    def unpivot(self) -> exp.Expression:
        """``UNPIVOT (...)``."""
        start = self.here()
        self.expect("UNPIVOT")
        while not self.at("("):
            self.next()
        self.skip_brackets()
        return self.verbatim(start)

    def bin_by(self) -> exp.Expression:
        """``BIN BY (...)``."""
        start = self.here()
        self.expect("BIN", "BY")
        self.skip_brackets()
        return self.verbatim(start)
