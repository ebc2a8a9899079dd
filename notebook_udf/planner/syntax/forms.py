"""The form in which each class of node is written, around its children."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from notebook_udf.planner.syntax.cursor import STRICT
from notebook_udf.planner.syntax.nodes import (
    CacheTable,
    ClauseIdentifier,
    CreateView,
    FromQuery,
    InlineTable,
    NamedWindow,
    OpaqueQuery,
    PipeQuery,
    PipeStep,
    PredicateTemplate,
    Reshaped,
    SparkType,
    Statement,
    StringLiteral,
    TableArgument,
    TableQuery,
    Template,
    TypedLiteral,
    Verbatim,
    origin_of,
)
from notebook_udf.planner.syntax.precedence import BINARY, MATCHES, PREFIX
from notebook_udf.sanitize import backquoted

if TYPE_CHECKING:
    from notebook_udf.planner.syntax.writer import Writer

PLAIN_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def _select(w: Writer, n: exp.Expression) -> str:
    parts = ["SELECT", w.child(n, "hint", " "), " DISTINCT" if n.args.get("distinct") else ""]
    parts.append(f" {w.each(n)}")
    parts += [w.child(n, "from_", " "), w.joins(n)]
    parts += [f" {w.text(view)}" for view in n.args.get("laterals") or []]
    parts += [w.child(n, key, " ") for key in ("where", "group", "having")]
    if not n.args.get("windows_last"):
        parts.append(w.windows(n))
    parts.append(w.child(n, "qualify", " "))
    return w.query(n, "".join(parts))


def _rows(w: Writer, n: exp.Expression) -> str:
    views = "".join(f" {w.text(view)}" for view in n.args.get("laterals") or [])
    return w.query(n, f"{w.child(n, 'from_')}{w.joins(n)}{views}")


def _piped(w: Writer, n: exp.Expression) -> str:
    begin = w.child(n, "this")
    if w.explicit and isinstance(n.this, exp.SetOperation):
        begin = f"({begin})"
    return w.query(n, f"{begin} {w.each(n, between=' ')}")


def _set_operation(word: str) -> Callable[[Writer, exp.Expression], str]:
    def write(w: Writer, n: exp.Expression) -> str:
        quantified = word if n.args.get("distinct") else f"{word} ALL"
        return w.query(n, f"{w.child(n, 'this')} {quantified} {w.child(n, 'expression')}")

    return write


def _relation(w: Writer, n: exp.Expression, core: str) -> str:
    parts = [
        core,
        w.child(n, "version", " "),
        w.child(n, "sample", " "),
        w.child(n, "alias", " AS "),
    ]
    return "".join(parts) + w.joins(n)


def _table(w: Writer, n: exp.Expression) -> str:
    parts = [w.child(n, key) for key in ("catalog", "db", "this") if n.args.get(key) is not None]
    return _relation(w, n, ".".join(parts))


def _subquery(w: Writer, n: exp.Expression) -> str:
    return w.query(n, _relation(w, n, f"({w.child(n, 'this')})"))


def _inline_table(w: Writer, n: exp.Expression) -> str:
    return w.query(n, f"VALUES {w.each(n)}{w.child(n, 'alias', ' AS ')}") + w.joins(n)


def _lateral(w: Writer, n: exp.Expression) -> str:
    alias = n.args.get("alias")
    if not n.args.get("view"):
        return f"LATERAL {w.child(n, 'this')}{w.child(n, 'alias', ' AS ')}{w.joins(n)}"
    named = ""
    if alias is not None:
        columns = w.each(alias, "columns")
        named = " ".join(
            p for p in (w.child(alias, "this"), f"AS {columns}" if columns else "") if p
        )
    return f"LATERAL VIEW {'OUTER ' if n.args.get('outer') else ''}{w.child(n, 'this')} {named}"


def _reshaped(w: Writer, n: exp.Expression) -> str:
    relation = w.child(n, "this")
    if w.explicit and n.this.args.get("joins") and not n.args.get("laterals"):
        # It is done to all that is joined, not to what stands last.
        relation = f"({relation})"
    parts = [relation]
    parts += [
        f" {w.text(each)}" for key in ("laterals", "pivots") for each in n.args.get(key) or []
    ]
    return "".join(parts) + w.child(n, "alias", " AS ") + w.joins(n)


def _join(w: Writer, n: exp.Expression) -> str:
    relation = w.child(n, "this")
    if n.args.get("comma"):
        # The same plan, if it is joined to all that stands before it.
        return f"JOIN {relation}" if w.explicit else f", {relation}"
    words = [n.args.get("method"), n.args.get("side"), n.args.get("kind"), "JOIN"]
    head = " ".join(str(word).upper() for word in words if word)
    using = n.args.get("using")
    parts = [f"{head} {relation}", w.child(n, "matching", " "), w.child(n, "on", " ON ")]
    parts += [f" USING ({w.each(n, 'using')})" if using else "", w.child(n, "nearest", " ")]
    return "".join(parts)


def _with(w: Writer, n: exp.Expression) -> str:
    return f"WITH {'RECURSIVE ' if n.args.get('recursive') else ''}{w.each(n)}"


def _cte(w: Writer, n: exp.Expression) -> str:
    return f"{w.child(n, 'alias')}{w.child(n, 'recursion', ' ')} AS ({w.child(n, 'this')})"


def _table_alias(w: Writer, n: exp.Expression) -> str:
    columns = w.each(n, "columns")
    return w.child(n, "this") + (f"({columns})" if columns else "")


def _group(w: Writer, n: exp.Expression) -> str:
    if n.args.get("all"):
        return f"GROUP BY {n.args['all']}"
    behind = " WITH ROLLUP" if n.args.get("rollup") else ""
    behind += " WITH CUBE" if n.args.get("cube") else ""
    sets = w.each(n, "grouping_sets")
    return f"GROUP BY {w.each(n)}{behind}{f' {sets}' if sets else ''}"


def _clause(word: str, key: str) -> Callable[[Writer, exp.Expression], str]:
    def write(w: Writer, n: exp.Expression) -> str:
        return f"{word} {w.each(n) if key == 'expressions' else w.child(n, key)}"

    return write


def _ordered(w: Writer, n: exp.Expression) -> str:
    descending, first = bool(n.args.get("desc")), bool(n.args.get("nulls_first"))
    nulls = "" if first != descending else f" NULLS {'FIRST' if first else 'LAST'}"
    return f"{w.child(n, 'this')}{' DESC' if descending else ''}{nulls}"


def _between_pieces(w: Writer, n: exp.Expression) -> str:
    pieces = n.args["pieces"]
    made = [pieces[0]]
    for node, behind in zip(n.expressions, pieces[1:], strict=True):
        made += [w.inside(n, "expressions", node), behind]
    return "".join(made)


def _cached(w: Writer, n: exp.Expression) -> str:
    lazy, options = "LAZY " if n.args.get("lazy") else "", n.args.get("options")
    head = f"CACHE {lazy}TABLE {n.args['name']}{f' {options}' if options else ''}"
    return f"{head} AS {w.each(n)}"


# Expressions -------------------------------------------------------------------------------------


def _identifier(w: Writer, n: exp.Expression) -> str:
    name = str(n.this)
    # A word that begins a clause or a join is no name by itself, unless somebody typed it so.
    plain = PLAIN_NAME.fullmatch(name) is not None and name.upper() not in STRICT
    if not n.args.get("quoted") and (plain or origin_of(n) is not None):
        return name
    return backquoted(name)


def _literal(w: Writer, n: exp.Expression) -> str:
    if not n.args.get("is_string"):
        return str(n.this)
    return "'" + str(n.this).replace("\\", "\\\\").replace("'", "\\'") + "'"


def _star(w: Writer, n: exp.Expression) -> str:
    left_out = w.each(n, "except_")
    return f"* EXCEPT ({left_out})" if left_out else "*"


def _binary(w: Writer, n: exp.Expression) -> str:
    return f"{w.child(n, 'this')} {BINARY[type(n)][1]} {w.child(n, 'expression')}"


def _prefix(w: Writer, n: exp.Expression) -> str:
    operand = w.child(n, "this")
    sign = PREFIX[type(n)]
    # Two minus signs begin a comment, and one before a number is a part of it.
    apart = " " if operand.startswith(("-", "+")) else ""
    whole = isinstance(n.this, exp.Literal) and sign == "-"
    return f"{sign}({operand})" if whole and w.explicit else f"{sign}{apart}{operand}"


def _not(w: Writer, n: exp.Expression) -> str:
    inner = n.this
    if origin_of(inner) is None or not isinstance(inner, exp.Expression):
        if isinstance(inner, exp.Is):
            return f"{w.child(inner, 'this')} IS NOT {w.child(inner, 'expression')}"
        if isinstance(inner, exp.NullSafeNEQ):
            left, right = w.child(inner, "this"), w.child(inner, "expression")
            return f"{left} IS NOT DISTINCT FROM {right}"
        if isinstance(
            inner, (exp.Between, exp.In, exp.Like, exp.ILike, exp.RegexpLike, exp.Escape)
        ):
            return _predicate(w, inner, "NOT ")
    return f"NOT {w.child(n, 'this')}"


def _predicate(w: Writer, n: exp.Expression, negation: str = "") -> str:
    left = w.child(n, "this")
    if isinstance(n, exp.Between):
        return f"{left} {negation}BETWEEN {w.child(n, 'low')} AND {w.child(n, 'high')}"
    if isinstance(n, exp.In):
        inside = w.child(n, "query") if n.args.get("query") is not None else w.each(n)
        return f"{left} {negation}IN ({inside})"
    if isinstance(n, exp.Escape):
        return f"{_predicate(w, n.this, negation)} ESCAPE {w.child(n, 'expression')}"
    if isinstance(n, exp.Is):
        return f"{left} IS {w.child(n, 'expression')}"
    return f"{left} {negation}{MATCHES[type(n)]} {w.child(n, 'expression')}"


def _case(w: Writer, n: exp.Expression) -> str:
    branches = [
        f" WHEN {w.child(branch, 'this')} THEN {w.child(branch, 'true')}"
        for branch in n.args["ifs"]
    ]
    return f"CASE{w.child(n, 'this', ' ')}{''.join(branches)}{w.child(n, 'default', ' ELSE ')} END"


def _branch_or_if(w: Writer, n: exp.Expression) -> str:
    if isinstance(n.parent, exp.Case) and n.arg_key == "ifs":
        return f"WHEN {w.child(n, 'this')} THEN {w.child(n, 'true')}"
    values = [w.child(n, key) for key in ("this", "true", "false") if n.args.get(key) is not None]
    return f"{n.meta.get('name') or 'if'}({', '.join(values)})"


def _coalesce(w: Writer, n: exp.Expression) -> str:
    values = [w.child(n, "this"), *(w.inside(n, "expressions", e) for e in n.expressions)]
    return f"{n.meta.get('name') or 'coalesce'}({', '.join(values)})"


def _call(w: Writer, n: exp.Expression) -> str:
    name = w.text(n.this) if isinstance(n.this, exp.Expression) else str(n.this)
    return f"{name}({w.each(n)})"


def _nulls(word: str) -> Callable[[Writer, exp.Expression], str]:
    def write(w: Writer, n: exp.Expression) -> str:
        inner = w.child(n, "this")
        return f"{inner[:-1]} {word} NULLS)" if n.args.get("inside") else f"{inner} {word} NULLS"

    return write


def _window_spec(w: Writer, n: exp.Expression) -> str:
    bounds = [
        " ".join(str(p) for p in (w.child(n, side), n.args.get(f"{side}_side")) if p)
        for side in ("start", "end")
        if n.args.get(side) is not None
    ]
    shown = bounds[0] if len(bounds) == 1 else f"BETWEEN {bounds[0]} AND {bounds[1]}"
    return f"{n.args['kind']} {shown}"


def _lambda(w: Writer, n: exp.Expression) -> str:
    names = w.each(n)
    return f"{names if len(n.expressions) == 1 else f'({names})'} -> {w.child(n, 'this')}"


FORMS: dict[type[Any], Callable[[Writer, Any], str]] = {
    exp.Select: _select,
    exp.Union: _set_operation("UNION"),
    exp.Except: _set_operation("EXCEPT"),
    exp.Intersect: _set_operation("INTERSECT"),
    exp.Subquery: _subquery,
    exp.Table: _table,
    exp.Lateral: _lateral,
    exp.Join: _join,
    exp.From: _clause("FROM", "this"),
    exp.With: _with,
    exp.CTE: _cte,
    exp.TableAlias: _table_alias,
    exp.Hint: lambda w, n: f"/*+ {w.each(n)} */",
    exp.Where: _clause("WHERE", "this"),
    exp.Having: _clause("HAVING", "this"),
    exp.Qualify: _clause("QUALIFY", "this"),
    exp.Limit: _clause("LIMIT", "expression"),
    exp.Offset: _clause("OFFSET", "expression"),
    exp.Group: _group,
    exp.Rollup: lambda w, n: f"ROLLUP({w.each(n)})",
    exp.Cube: lambda w, n: f"CUBE({w.each(n)})",
    exp.GroupingSets: lambda w, n: f"GROUPING SETS ({w.each(n)})",
    exp.Order: _clause("ORDER BY", "expressions"),
    exp.Sort: _clause("SORT BY", "expressions"),
    exp.Cluster: _clause("CLUSTER BY", "expressions"),
    exp.Distribute: _clause("DISTRIBUTE BY", "expressions"),
    exp.Ordered: _ordered,
    exp.Command: lambda w, n: str(n.expression),
    InlineTable: _inline_table,
    TableQuery: lambda w, n: w.query(n, f"TABLE {w.child(n, 'this')}"),
    FromQuery: _rows,
    PipeQuery: _piped,
    Reshaped: _reshaped,
    CacheTable: _cached,
    Verbatim: lambda w, n: str(n.this),
    OpaqueQuery: lambda w, n: w.query(n, str(n.this)),
    SparkType: lambda w, n: str(n.this),
    StringLiteral: lambda w, n: str(n.this),
    TypedLiteral: lambda w, n: str(n.this),
    exp.Var: lambda w, n: str(n.this),
    exp.Identifier: _identifier,
    ClauseIdentifier: lambda w, n: str(n.args["raw"]),
    exp.Literal: _literal,
    exp.Null: lambda w, n: "NULL",
    exp.Boolean: lambda w, n: "true" if n.this else "false",
    exp.Column: lambda w, n: ".".join(map(w.text, n.parts)),
    exp.Star: _star,
    exp.Dot: lambda w, n: f"{w.child(n, 'this')}.{w.child(n, 'expression')}",
    exp.Bracket: lambda w, n: f"{w.child(n, 'this')}[{w.each(n)}]",
    exp.Paren: lambda w, n: f"({w.child(n, 'this')})",
    exp.Tuple: lambda w, n: f"({w.each(n)})",
    exp.Alias: lambda w, n: f"{w.child(n, 'this')} AS {w.child(n, 'alias')}",
    exp.Aliases: lambda w, n: f"{w.child(n, 'this')} AS ({w.each(n)})",
    exp.Not: _not,
    exp.Exists: lambda w, n: f"EXISTS ({w.child(n, 'this')})",
    exp.Case: _case,
    exp.If: _branch_or_if,
    exp.Coalesce: _coalesce,
    exp.Anonymous: _call,
    exp.Distinct: lambda w, n: f"DISTINCT {w.each(n)}",
    exp.Kwarg: lambda w, n: f"{w.child(n, 'this')} => {w.child(n, 'expression')}",
    exp.Cast: lambda w, n: f"CAST({w.child(n, 'this')} AS {w.child(n, 'to')})",
    exp.TryCast: lambda w, n: f"TRY_CAST({w.child(n, 'this')} AS {w.child(n, 'to')})",
    exp.WithinGroup: lambda w, n: f"{w.child(n, 'this')} WITHIN GROUP ({w.child(n, 'expression')})",
    exp.Filter: lambda w, n: f"{w.child(n, 'this')} FILTER ({w.child(n, 'expression')})",
    exp.IgnoreNulls: _nulls("IGNORE"),
    exp.RespectNulls: _nulls("RESPECT"),
    exp.Window: lambda w, n: f"{w.child(n, 'this')} OVER {w.window(n)}",
    NamedWindow: lambda w, n: f"{w.child(n, 'this')} AS {w.window(n)}",
    exp.WindowSpec: _window_spec,
    exp.Lambda: _lambda,
    exp.Placeholder: lambda w, n: f":{n.this}" if n.args.get("this") else "?",
    **dict.fromkeys(BINARY, _binary),
    **dict.fromkeys(PREFIX, _prefix),
    **dict.fromkeys((exp.Between, exp.In, exp.Is, exp.Escape, *MATCHES), _predicate),
}
for _kind in (Template, PredicateTemplate, TableArgument, PipeStep, Statement, CreateView):
    FORMS[_kind] = _between_pieces
