"""Parses queries: SELECT, set operations, WITH, VALUES, TABLE and pipes."""

from __future__ import annotations

from sqlglot import exp

from notebook_udf.planner.syntax.nodes import (
    ORGANISING,
    FromQuery,
    NamedWindow,
    OpaqueQuery,
    PipeQuery,
    PipeStep,
    TableQuery,
)
from notebook_udf.planner.syntax.relations import Relations

# How strongly set operations bind, and the steps of a pipe.
_SET_OPERATIONS: dict[str, tuple[int, type[exp.Expression]]] = {
    "INTERSECT": (4, exp.Intersect),
    "UNION": (3, exp.Union),
    "EXCEPT": (3, exp.Except),
    "MINUS": (3, exp.Except),
}
_PIPE = 2


class Queries(Relations):
    """Parses queries."""

    def query(self) -> exp.Expression:
        """A query with its WITH, ORDER BY and LIMIT."""
        start = self.here()
        tables = self.tables_of_with() if self.at("WITH") else None
        return self.query_behind(tables, start)

    def query_behind(self, tables: exp.Expression | None, start: int) -> exp.Expression:
        """A query whose WITH has been read."""
        node = self._term(0)
        if not isinstance(node, exp.Query):
            self.refuse("a query is expected")
        changed = self._organise(node)
        if tables is not None:
            if node.args.get("with_") is not None:
                self.refuse("a second WITH")
            node.set("with_", tables)
        return self.made(node, start) if changed or tables is not None else node

    def tables_of_with(self) -> exp.Expression:
        """WITH and its tables."""
        start = self.here()
        self.expect("WITH")
        recursive = self.at("RECURSIVE") and self.is_name(1) and not self.at("AS", ahead=1)
        if recursive:
            self.next()
        tables = self.separated(self._table_of_with)
        return self.made(exp.With(expressions=tables, recursive=recursive), start)

    def _table_of_with(self) -> exp.Expression:
        start = self.here()
        alias = exp.TableAlias(this=self.identifier())
        if self.at("(") and not self.begins_query(1):
            alias.set("columns", self.names_in_brackets())
        self.made(alias, start)
        limit, place = None, self.here()
        if self.take("MAX", "RECURSION", "LEVEL"):
            self.next()
            limit = self.verbatim(place)
        self.take("AS")
        self.expect("(")
        query = self.query()
        self.expect(")")
        return self.made(exp.CTE(this=query, alias=alias, recursion=limit), start)

    # Terms -----------------------------------------------------------------------------------

    def _term(self, least: int) -> exp.Expression:
        start = self.here()
        left = self._primary_query()
        while True:
            level, kind = _SET_OPERATIONS.get(self.peek().upper, (0, None))
            if kind is not None and level >= least:
                left = self._set_operation(left, kind, level, start)
            elif self.begins_step() and least <= _PIPE:
                steps = []
                while self.begins_step():
                    steps.append(self._pipe_step())
                left = self.made(PipeQuery(this=left, expressions=steps), start)
            else:
                return left

    def _set_operation(
        self, left: exp.Expression, kind: type[exp.Expression], level: int, start: int
    ) -> exp.Expression:
        self.next()
        distinct = not self.take("ALL")
        if distinct:
            self.take("DISTINCT")
        right = self._term(level + 1)
        return self.made(kind(this=left, expression=right, distinct=distinct), start)

    def _primary_query(self) -> exp.Expression:
        start = self.here()
        if self.at("("):
            self.next()
            inner = self.query()
            self.expect(")")
            return self.made(exp.Subquery(this=inner), start)
        if self.at("SELECT"):
            return self.select()
        if self.at("FROM"):
            return self._from_first()
        if self.at("VALUES"):
            return self.inline_table()
        if self.take("TABLE"):
            table = self.here()
            if self.at("IDENTIFIER", "(") and self.length_of_name() == 1:
                self.next()
                self.skip_brackets()
                read = self.made(exp.Table(this=self.verbatim(table)), table)
            else:
                read = self._named_table()
            return self.made(TableQuery(this=read), start)
        if self.at_any(("MAP", "REDUCE")):
            return self.opaque(start)
        self.refuse("a query is expected")

    def opaque(self, start: int) -> exp.Expression:
        """All up to the end of the query, as text."""
        depth = 0
        while not self.at_end() and (depth or not self._ends_query()):
            token = self.next()
            depth += (token.upper == "(") - (token.upper == ")")
        return self.made(OpaqueQuery(this=self.raw(start)), start)

    def _ends_query(self) -> bool:
        if self.at_any((")", ";")) or self.begins_step():
            return True
        return self.peek().upper in _SET_OPERATIONS and self._begins_clause()

    def _named_table(self) -> exp.Expression:
        start = self.here()
        parts = self.dotted()
        keys = ("this", "db", "catalog")
        return self.made(exp.Table(**dict(zip(keys, reversed(parts), strict=False))), start)

    # SELECT ----------------------------------------------------------------------------------

    def select(self) -> exp.Expression:
        """SELECT with its clauses."""
        start = self.here()
        if self._is_script():
            return self.opaque(start)
        select = exp.Select()
        self._select_clause(select)
        if self.at("FROM"):
            self.from_clause(select)
        self._clauses(select)
        return self.made(select, start)

    def _from_first(self) -> exp.Expression:
        start = self.here()
        select = exp.Select()
        self.from_clause(select)
        if self.at_any(("MAP", "REDUCE", "INSERT")) or self._is_script():
            self.back(start)
            return self.opaque(start)
        if not self.at("SELECT"):
            rows = FromQuery(**select.args)
            return self.made(rows, start)
        self._select_clause(select)
        self._clauses(select)
        if self.at("SELECT"):
            self.back(start)
            return self.opaque(start)
        return self.made(select, start)

    def _select_clause(self, select: exp.Expression) -> None:
        self.expect("SELECT")
        hints = []
        hint = self.here()
        while self.peek().kind == "hint":
            hints.append(exp.Var(this=self.next().text[3:-2].strip()))
        if hints:
            select.set("hint", self.made(exp.Hint(expressions=hints), hint))
        if self.at("DISTINCT") and not self._is_bare_word():
            self.next()
            select.set("distinct", exp.Distinct())
        elif self.at("ALL") and not self._is_bare_word() and not self.at("FROM", ahead=1):
            self.next()
        select.set("expressions", self.named_expressions())

    def _is_script(self) -> bool:
        """Whether rows are given to a script here: TRANSFORM may be the function as well."""
        place = self.here()
        if not self.take("SELECT", "TRANSFORM") or not self.at("("):
            self.back(place)
            return False
        self.skip_brackets()
        found = self.at_any(("USING", "ROW", "RECORDWRITER"))
        self.back(place)
        return found

    def _clauses(self, select: exp.Expression) -> None:
        views = self.lateral_views()
        if views:
            select.set("laterals", [*(select.args.get("laterals") or []), *views])
        start = self.here()
        if self.take("WHERE"):
            select.set("where", self.made(exp.Where(this=self.expression()), start))
        if self.at("GROUP", "BY"):
            select.set("group", self.group())
        start = self.here()
        if self.take("HAVING"):
            select.set("having", self.made(exp.Having(this=self.expression()), start))
        self._windows(select)
        start = self.here()
        if self.take("QUALIFY"):
            select.set("qualify", self.made(exp.Qualify(this=self.expression()), start))

    def _windows(self, select: exp.Expression) -> bool:
        if not self.begins_window():
            return False
        self.next()
        select.set("windows", self.separated(self._named_window))
        return True

    def _named_window(self) -> exp.Expression:
        start = self.here()
        name = self.identifier()
        self.expect("AS")
        return self.made(self.window(name, NamedWindow), start)

    # GROUP BY --------------------------------------------------------------------------------

    def group(self) -> exp.Expression:
        """GROUP BY with its items."""
        start = self.here()
        self.expect("GROUP", "BY")
        items = self.separated(self._grouping_item)
        args: dict[str, object] = {"expressions": items}
        if self.take("WITH", "ROLLUP"):
            args["rollup"] = [exp.Rollup()]
        elif self.take("WITH", "CUBE"):
            args["cube"] = [exp.Cube()]
        elif self.at("GROUPING", "SETS"):
            args["grouping_sets"] = [self._grouping_item()]
        elif len(items) == 1 and self._is_all(items[0]):
            args = {"all": items[0].name}
        return self.made(exp.Group(**args), start)

    def _is_all(self, item: exp.Expression) -> bool:
        if not isinstance(item, exp.Column) or len(item.parts) > 1:
            return False
        return item.name.upper() == "ALL" and not item.this.args.get("quoted")

    def _grouping_item(self) -> exp.Expression:
        start = self.here()
        kind = None
        if self.at("ROLLUP", "(") or self.at("CUBE", "("):
            kind = exp.Rollup if self.next().upper == "ROLLUP" else exp.Cube
        elif self.at("GROUPING", "SETS", "("):
            self.take("GROUPING", "SETS")
            kind = exp.GroupingSets
        elif self.take("(", ")"):
            return self.made(exp.Tuple(expressions=[]), start)
        if kind is None:
            return self.expression()
        return self.made(kind(expressions=self.in_brackets(self._grouping_item)), start)

    # Behind a query --------------------------------------------------------------------------

    def _organise(self, node: exp.Expression) -> bool:
        """Reads ORDER BY to OFFSET into a query; returns whether there was any."""
        start = self.here()
        if self.at("ORDER", "BY"):
            node.set("order", self.order())
        for word, key, kind in (
            ("CLUSTER", "cluster", exp.Cluster),
            ("DISTRIBUTE", "distribute", exp.Distribute),
        ):
            clause = self.here()
            if self.take(word, "BY"):
                node.set(key, self.made(kind(expressions=self.expressions()), clause))
        if self.at("SORT", "BY"):
            node.set("sort", self.order(exp.Sort))
        if self._windows(node):
            # Behind ORDER BY it is about the sorted rows.
            node.set("windows_last", True)
        clause = self.here()
        if self.take("LIMIT"):
            everything = self.at("ALL") and (self._is_bare_word() or self.is_name(1))
            amount = exp.Var(this=self.next().text) if everything else self.expression()
            node.set("limit", self.made(exp.Limit(expression=amount), clause))
        clause = self.here()
        if self.take("OFFSET"):
            node.set("offset", self.made(exp.Offset(expression=self.expression()), clause))
        return self.here() != start

    # Pipes -----------------------------------------------------------------------------------

    def _pipe_step(self) -> exp.Expression:
        start = self.here()
        self.next()
        return self.template(PipeStep, start, self._step())

    def _step(self) -> list[exp.Expression]:
        """The nodes in the operator behind ``|>``."""
        if self.at("SELECT"):
            return self._selecting_step()
        if self.take("EXTEND"):
            return self.named_expressions()
        if self.take("AGGREGATE"):
            grouped = self.at("GROUP", "BY") and self.peek(2).kind != "end"
            found = [] if grouped else self.named_expressions()
            return [*found, *(self._grouping_step() if self.at("GROUP", "BY") else [])]
        if self.take("SET"):
            return self.separated(self._assignment)
        if self.take("DROP"):
            self.separated(self.dotted)
            return []
        if self.take("AS"):
            self.identifier()
            return []
        if self.take("WHERE"):
            found = [self.expression()]
            return [*found, *self._window_nodes()]
        if self.at("PIVOT", "("):
            return [self.pivot()]
        if self.at("UNPIVOT"):
            return [self.unpivot()]
        if self.at("BIN", "BY"):
            return [self.bin_by()]
        if self.at("TABLESAMPLE"):
            sample = self._sample()
            return [] if sample is None else [sample]
        if self.peek().upper in _SET_OPERATIONS:
            self.next()
            if self.at_any(("ALL", "DISTINCT")):
                self.next()
            return [self._primary_query()]
        join = self._join()
        if join is not None:
            return [join]
        return self._organising_step()

    def _selecting_step(self) -> list[exp.Expression]:
        select = exp.Select()
        self._select_clause(select)
        found = list(select.expressions)
        hint = select.args.get("hint")
        if hint is not None:
            found.insert(0, hint)
        grouped = self._grouping_step() if self.at("GROUP", "BY") else []
        return [*found, *grouped, *self._window_nodes()]

    def _grouping_step(self) -> list[exp.Expression]:
        """GROUP BY of a pipe, whose items may have aliases."""
        self.expect("GROUP", "BY")
        items = self.separated(self._named_grouping_item)
        if not self.take("WITH", "ROLLUP") and not self.take("WITH", "CUBE"):
            return items if not self.at("GROUPING", "SETS") else [*items, self._grouping_item()]
        return items

    def _named_grouping_item(self) -> exp.Expression:
        start = self.here()
        item = self._grouping_item()
        if self.take("AS") or self.begins_alias(of_table=False):
            return self.made(exp.Alias(this=item, alias=self.identifier()), start)
        return item

    def _window_nodes(self) -> list[exp.Expression]:
        holder = exp.Select()
        self._windows(holder)
        return list(holder.args.get("windows") or [])

    def _assignment(self) -> exp.Expression:
        """The value in ``a.b = value``."""
        self.dotted()
        self.expect("=")
        return self.expression()

    def _organising_step(self) -> list[exp.Expression]:
        holder = exp.Select()
        if not self._organise(holder):
            self.refuse("a step of a pipe is expected")
        nodes: list[exp.Expression] = []
        for key in ORGANISING:
            value = holder.args.get(key)
            nodes += value if isinstance(value, list) else [value] if value is not None else []
        return nodes
