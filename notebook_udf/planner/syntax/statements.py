"""Parses statements: queries, and what has a query in it: INSERT, CREATE, CACHE, MERGE, EXPLAIN."""

from __future__ import annotations

from sqlglot import exp

from notebook_udf.planner.syntax.nodes import CacheTable, CreateView, Statement
from notebook_udf.planner.syntax.queries import Queries
from notebook_udf.planner.syntax.tokens import Unreadable

_EXPLAINED = ("LOGICAL", "FORMATTED", "EXTENDED", "CODEGEN", "COST")


class Statements(Queries):
    """Parses one statement."""

    def whole(self) -> exp.Expression:
        """All of the text."""
        node = self.statement()
        while self.take(";"):
            pass
        if not self.at_end():
            self.refuse()
        return node

    def statement(self) -> exp.Expression:
        """A statement of any kind; one without queries or expressions is a Command."""
        start = self.here()
        word = self.peek().upper
        if word in ("SELECT", "FROM", "VALUES", "MAP", "REDUCE") or self.at("("):
            return self._query_or_inserts(start, None)
        if word == "TABLE":
            return self.query()
        if word == "WITH":
            tables = self.tables_of_with()
            return self._query_or_inserts(start, tables)
        if word == "EXPLAIN":
            self.next()
            if self.at_any(_EXPLAINED):
                self.next()
            inner = self.statement()
            if isinstance(inner, exp.Command):
                return self._command(start)
            return self.template(Statement, start, [inner])
        if word == "INSERT":
            return self._insert(start, None)
        if word in ("CREATE", "REPLACE"):
            return self._create(start)
        if word == "CACHE":
            return self._cache(start)
        if word == "MERGE":
            return self._merge(start)
        if word in ("DELETE", "UPDATE"):
            return self._update(start, word)
        if self.at("SET", "VAR") or self.at("SET", "VARIABLE"):
            return self._set_variable(start)
        return self._command(start)

    def _command(self, start: int) -> exp.Expression:
        self.back(start)
        name = self.peek().upper
        while not self.at_end() and not self.at(";"):
            self.next()
        return self.made(exp.Command(this=name, expression=self.raw(start)), start)

    def _query_or_inserts(self, start: int, tables: exp.Expression | None) -> exp.Expression:
        if self.at("INSERT"):
            return self._insert(start, tables)
        if self.at("FROM") and self._inserts_behind():
            self.back(start)
            return self.opaque(start)
        if tables is not None and self.at_any(("DELETE", "UPDATE", "MERGE")):
            self.refuse("a query is expected behind WITH")
        return self.query_behind(tables, start)

    def _inserts_behind(self) -> bool:
        ahead = depth = 0
        while self.peek(ahead).kind != "end":
            token = self.peek(ahead)
            depth += (token.upper == "(") - (token.upper == ")")
            if not depth and token.upper == "SELECT":
                return False
            if (
                not depth
                and token.upper == "INSERT"
                and self.at_any(("INTO", "OVERWRITE"), ahead=ahead + 1)
            ):
                return True
            ahead += 1
        return False

    # Statements with a query -----------------------------------------------------------------

    def _to_query(self) -> bool:
        """Moves to the query in a statement; returns whether there is one."""
        while not self.at_end():
            if self._begins_carried_query():
                return True
            self.skip()
        return False

    def _names_table_of_with(self) -> bool:
        ahead = 2 if self.at("RECURSIVE", ahead=1) else 1
        if self.at_any(("SERDEPROPERTIES", "PROPERTIES", "SCHEMA"), ahead=ahead):
            return False
        return self.is_name(ahead) and self.at_any(("AS", "(", "MAX"), ahead=ahead + 1)

    def _begins_carried_query(self) -> bool:
        if self.at("WITH"):
            return self._names_table_of_with()
        return self.begins_query() and not (self.at("TABLE") and not self._is_table_query())

    def _is_table_query(self) -> bool:
        return self.peek(2).kind == "end" or self.at_any((".", ";", "|>", ")"), ahead=2)

    def _insert(self, start: int, tables: exp.Expression | None) -> exp.Expression:
        inside = [] if tables is None else [tables]
        self.expect("INSERT")
        self.take("WITH", "SCHEMA", "EVOLUTION")
        while self.at_any(("INTO", "OVERWRITE", "TABLE", "LOCAL")):
            self.next()
        if self.at("DIRECTORY") and self.peek(1).kind in ("string", "word"):
            pass
        elif self.at("IDENTIFIER", "("):
            self.next()
            self.skip_brackets()
        else:
            self.dotted()
        place = self.here()
        while not self.at_end() and not self._begins_carried_query():
            if self.take("REPLACE", "WHERE") or self.take("REPLACE", "ON"):
                inside.append(self.expression())
                break
            self.skip()
        if not inside or inside == [tables]:
            self.back(place)
        if not self._to_query():
            self.refuse("the query of the INSERT is expected")
        inside.append(self.query())
        if self.at("AS") or self.is_name():
            self.table_alias()
        return self.template(Statement, start, inside)

    def _create(self, start: int) -> exp.Expression:
        words = set()
        while self.at_any(("CREATE", "OR", "REPLACE", "GLOBAL", "TEMPORARY", "TEMP", "EXTERNAL")):
            words.add(self.next().upper)
        if self.take("VIEW"):
            try:
                return self._create_view(start, words)
            except Unreadable:
                if "USING" in self.text.upper():
                    return self._command(start)
                raise
        if not self.take("TABLE") or not self._to_query():
            return self._command(start)
        return self.template(Statement, start, [self.query()])

    def _create_view(self, start: int, words: set[str]) -> exp.Expression:
        missing = self.take("IF", "NOT", "EXISTS")
        name = self.here()
        self.dotted()
        named = self.raw(name)
        columns = self.in_brackets(self._commented_name) if self.at("(") else []
        while not self.at_end() and not (self.at("AS") and self.begins_query(1)):
            self.skip()
        if not self.take("AS"):
            return self._command(start)
        return self.template(
            CreateView,
            start,
            [self.query()],
            name=named,
            columns=tuple(columns),
            temporary=bool(words & {"TEMPORARY", "TEMP"}),
            shared="GLOBAL" in words,
            replaces="REPLACE" in words,
            if_missing=missing,
        )

    def _commented_name(self) -> str:
        name = str(self.identifier().name)
        if self.take("COMMENT"):
            self.next()
        return name

    def _cache(self, start: int) -> exp.Expression:
        self.expect("CACHE")
        lazy = self.take("LAZY")
        self.expect("TABLE")
        name = self.here()
        self.dotted()
        named = self.raw(name)
        options = ""
        place = self.here()
        if self.take("OPTIONS"):
            self.skip_brackets()
            options = self.raw(place)
        self.take("AS")
        if not self.begins_query():
            return self._command(start)
        inside = [self.query()]
        return self.template(CacheTable, start, inside, name=named, lazy=lazy, options=options)

    # Statements with expressions -------------------------------------------------------------

    def _merge(self, start: int) -> exp.Expression:
        inside: list[exp.Expression] = []
        while not self.at("USING"):
            if self.at_end():
                self.refuse("USING is expected")
            self.next()
        self.next()
        inside.append(self._primary_relation())
        self.expect("ON")
        inside.append(self.expression())
        while self.take("WHEN"):
            while not self.at_any(("THEN", "AND")):
                if self.at_end():
                    self.refuse("THEN is expected")
                self.next()
            if self.take("AND"):
                inside.append(self.expression())
            self.expect("THEN")
            inside += self._merge_action()
        return self.template(Statement, start, inside)

    def _merge_action(self) -> list[exp.Expression]:
        if self.take("DELETE"):
            return []
        if self.take("UPDATE", "SET"):
            return [] if self.take("*") else self.separated(self._assignment)
        self.expect("INSERT")
        if self.take("*"):
            return []
        self.skip_brackets()
        self.expect("VALUES")
        return self.in_brackets(self.expression)

    def _set_variable(self, start: int) -> exp.Expression:
        """Variables that are set to values, or to the columns of a query."""
        while not self.at_end() and not self.at("="):
            self.next()
        inside: list[exp.Expression] = []
        while self.take("="):
            inside.append(self.expression())
            if self.take(","):
                self.dotted()
        return self.template(Statement, start, inside)

    def _update(self, start: int, word: str) -> exp.Expression:
        inside: list[exp.Expression] = []
        self.next()
        self.take("FROM")
        while not self.at_end() and not self.at_any(("SET", "WHERE", ";")):
            self.next()
        if word == "UPDATE":
            self.expect("SET")
            inside += self.separated(self._assignment)
        if self.take("WHERE"):
            inside.append(self.expression())
        return self.template(Statement, start, inside)
