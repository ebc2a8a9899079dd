"""Pairs of rows, one row of each side, for which a condition with Python calls is computed.

The sides are joined by what of the condition Spark can join by; the rest of it is computed for
those pairs in a column ``ok``. Each row of a side that is to be kept has a number of its own, made
once below the join. So the pairs of a row can be put in order, those that match first, and a row
whose first pair does not match has none that does::

    SELECT ..., row_number() OVER (PARTITION BY id ORDER BY ok DESC) AS rank
    FROM (SELECT ..., coalesce(CASE WHEN hit THEN f(x, y) END, false) AS ok
          FROM left LEFT JOIN right ON a = b)

Neither side is read twice, so that it does not matter whether reading it again would give the
same rows in the same order. Names are those of flat columns (``scope``).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlglot import exp

from notebook_udf.planner.analysis.scope import Scope, ScopeColumn
from notebook_udf.planner.syntax.dialect import fragment, select
from notebook_udf.planner.syntax.nodes import derived


@dataclass
class Side:
    """The rows of one side.

    Attributes
    ----------
    scope
        Its columns.
    first, joins
        The relation, and those joined to it.
    conditions
        What its rows have to fulfil.
    """

    scope: Scope
    first: exp.Expression
    joins: Sequence[exp.Expression] = ()
    conditions: Sequence[exp.Expression] = ()

    def rows(self, alias: str, number: str = "", mark: str = "") -> exp.Subquery:
        """Its rows under unique names, with a number or a mark that is true."""
        projections = self.scope.flat()
        if number:
            projections.append(fragment(f"monotonically_increasing_id() AS {number}"))
        if mark:
            projections.append(fragment(f"true AS {mark}"))
        select = exp.Select(expressions=projections, from_=exp.From(this=self.first.copy()))
        select.set("joins", [join.copy() for join in self.joins])
        if self.conditions:
            condition = exp.and_(*(c.copy() for c in self.conditions))
            select.set("where", exp.Where(this=condition))
        return derived(select, alias)


def paired(
    kind: str,
    left: Side,
    right: Side,
    cheap: Sequence[exp.Expression],
    costly: Sequence[exp.Expression],
    name: str,
) -> exp.Select:
    """The rows of a ``LEFT``, ``RIGHT``, ``FULL``, ``SEMI`` or ``ANTI`` join.

    ``cheap`` are the AND-ed conditions to join by, ``costly`` those to compute for each pair;
    ``name`` is what the names of further columns begin with.
    """
    ok, rank = f"{name}_ok", f"{name}_rank"
    lid, rid = f"{name}_left", f"{name}_right"
    mine, theirs = left.scope.entries, right.scope.entries
    if kind == "FULL":
        pairs = _pairs(kind, left.rows("_nu_l", lid), right.rows("_nu_r", rid), cheap)
        hit: exp.Expression = fragment(f"isnotnull({lid}) AND isnotnull({rid})")
        _compute(pairs, [*mine, *theirs], [lid, rid], hit, costly, ok)
        return _full(pairs, mine, theirs, lid, rid, ok, name)
    if kind == "RIGHT":
        pairs = _pairs(kind, left.rows("_nu_l", mark=lid), right.rows("_nu_r", rid), cheap)
        _compute(pairs, [*mine, *theirs], [rid], fragment(f"isnotnull({lid})"), costly, ok)
        return _outer(pairs, mine, [*mine, *theirs], rid, ok, rank)
    pairs = _pairs("LEFT", left.rows("_nu_l", lid), right.rows("_nu_r", mark=rid), cheap)
    if kind == "LEFT":
        _compute(pairs, [*mine, *theirs], [lid], fragment(f"isnotnull({rid})"), costly, ok)
        return _outer(pairs, theirs, [*mine, *theirs], lid, ok, rank)
    _compute(pairs, mine, [lid], fragment(f"isnotnull({rid})"), costly, ok)
    wanted = ok if kind == "SEMI" else f"NOT {ok}"
    return _first(pairs, [exp.column(e.flat) for e in mine], lid, f"{ok} DESC", rank, wanted)


def marked(
    left: Side,
    right: Side,
    cheap: Sequence[exp.Expression],
    costly: Sequence[exp.Expression],
    value: exp.Expression | None,
    name: str,
) -> exp.Select:
    """The left side's rows with a column ``name``: what EXISTS, or IN, says of each.

    ``value`` is what IN compares: then the column is true where it is for one of the pairs that
    match, else NULL where it is NULL for one of them, else false.
    """
    rank = f"{name}_rank"
    lid, rid = f"{name}_left", f"{name}_right"
    mine = left.scope.entries
    pairs = _pairs("LEFT", left.rows("_nu_l", lid), right.rows("_nu_r", mark=rid), cheap)
    _compute(pairs, mine, [lid], fragment(f"isnotnull({rid})"), costly, name, value)
    order = f"CASE WHEN {name} THEN 0 WHEN isnull({name}) THEN 1 ELSE 2 END"
    kept = [exp.column(each) for each in (*(e.flat for e in mine), name)]
    return _first(pairs, kept, lid, order, rank, "true")


def _pairs(
    kind: str, left: exp.Subquery, right: exp.Subquery, cheap: Sequence[exp.Expression]
) -> exp.Select:
    on = exp.and_(*(c.copy() for c in cheap)) if cheap else exp.true()
    select = exp.Select(from_=exp.From(this=left))
    select.set("joins", [exp.Join(this=right, side=kind, on=on)])
    return select


def _compute(
    pairs: exp.Select,
    entries: Sequence[ScopeColumn],
    further: Sequence[str],
    hit: exp.Expression,
    costly: Sequence[exp.Expression],
    ok: str,
    value: exp.Expression | None = None,
) -> None:
    """Adds the columns of pairs, and what the condition says of each."""
    conditions = [hit, *(c.copy() for c in costly)]
    # A row that is in no pair reaches nothing of the condition.
    holds: exp.Expression = exp.and_(*conditions)
    if value is None:
        made: exp.Expression = exp.Coalesce(this=holds, expressions=[exp.false()])
    else:
        made = exp.Case(ifs=[exp.If(this=holds, true=value.copy())], default=exp.false())
    columns: list[exp.Expression] = [exp.column(each) for each in further]
    columns += [exp.column(entry.flat) for entry in entries]
    pairs.set("expressions", [*columns, exp.alias_(made, ok)])


def _first(
    pairs: exp.Select,
    kept: Sequence[exp.Expression],
    number: str,
    order: str,
    rank: str,
    wanted: str,
) -> exp.Select:
    """One row for each number, if its best pair is one that is wanted."""
    ranked = exp.Select(
        expressions=[
            exp.Star(),
            fragment(f"row_number() OVER (PARTITION BY {number} ORDER BY {order}) AS {rank}"),
        ],
        from_=exp.From(this=derived(pairs, "_nu_pairs")),
    )
    made = exp.Select(expressions=list(kept), from_=exp.From(this=derived(ranked, "_nu_ranked")))
    made.set("where", exp.Where(this=fragment(f"{rank} = 1 AND {wanted}")))
    return made


def _outer(
    pairs: exp.Select,
    optional: Sequence[ScopeColumn],
    entries: Sequence[ScopeColumn],
    number: str,
    ok: str,
    rank: str,
) -> exp.Select:
    made = _first(pairs, [], number, f"{ok} DESC", rank, "true")
    made.set("where", exp.Where(this=fragment(f"{ok} OR {rank} = 1")))
    made.set("expressions", [_where(e, ok if e in optional else "") for e in entries])
    return made


def _full(
    pairs: exp.Select,
    mine: Sequence[ScopeColumn],
    theirs: Sequence[ScopeColumn],
    lid: str,
    rid: str,
    ok: str,
    name: str,
) -> exp.Select:
    sides = f"{name}_sides"
    # Rows of one side alone have no number of the other; they are spread by their own.
    left, right = f"coalesce({lid}, -1 - {rid})", f"coalesce({rid}, -1 - {lid})"
    ranked = exp.Select(
        expressions=[
            exp.Star(),
            fragment(f"row_number() OVER (PARTITION BY {left} ORDER BY {ok} DESC) AS {lid}_rank"),
            fragment(f"row_number() OVER (PARTITION BY {right} ORDER BY {ok} DESC) AS {rid}_rank"),
        ],
        from_=exp.From(this=derived(pairs, "_nu_pairs")),
    )
    rows = select(
        f"SELECT 1 FROM _nu_ranked LATERAL VIEW explode(CASE WHEN {ok} THEN array(0) ELSE "
        f"array_compact(array(if(isnotnull({lid}) AND {lid}_rank = 1, 1, NULL), "
        f"if(isnotnull({rid}) AND {rid}_rank = 1, 2, NULL))) END) {sides}_rows AS {sides}"
    )
    rows.set("from_", exp.From(this=derived(ranked, "_nu_ranked")))
    rows.set(
        "expressions",
        [
            *(_where(e, f"{sides} <> 2") for e in mine),
            *(_where(e, f"{sides} <> 1") for e in theirs),
        ],
    )
    return rows


def _where(entry: ScopeColumn, condition: str) -> exp.Expression:
    """A column where the condition holds, else NULL."""
    if not condition:
        return exp.column(entry.flat)
    return fragment(f"CASE WHEN {condition} THEN {entry.flat} END AS {entry.flat}")
