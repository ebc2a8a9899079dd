"""The node classes of Spark's SQL that sqlglot lacks, and the origins of nodes in the text.

The planner's rules look into SELECTs, their relations and their expressions. A construct that no
rule looks into is kept as its text, with the expressions and queries in it as holes (``Template``),
or as its text alone (``Verbatim``).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from sqlglot import exp

_ORIGIN = "origin"
# The clauses behind a query term.
ORGANISING = ("order", "cluster", "distribute", "sort", "windows", "limit", "offset")
_AROUND_QUERY = dict.fromkeys(("with_", *ORGANISING), False)


class Verbatim(exp.Expression):  # type: ignore[misc]
    """Text that is written unchanged; in expressions it binds as a name does."""

    arg_types = {"this": True}  # noqa: RUF012


class OpaqueQuery(Verbatim, exp.Query):  # type: ignore[misc]
    """A query, or a statement with several, that is kept as its text: scripts (TRANSFORM ... USING)
    and a FROM that several SELECTs or INSERTs share."""


class ClauseIdentifier(exp.Identifier):  # type: ignore[misc]
    """``IDENTIFIER('name')`` where a name is expected; ``raw`` is how it was typed."""

    arg_types = {"this": True, "quoted": False, "raw": True}  # noqa: RUF012


class NamedWindow(exp.Window):  # type: ignore[misc]
    """A window of the clause WINDOW."""


class StringLiteral(exp.Literal):  # type: ignore[misc]
    """A text literal as it was typed, with its quotes, or several in a row."""


class TypedLiteral(exp.Literal):  # type: ignore[misc]
    """A literal with the name of its type, or an interval, as it was typed."""


class SparkType(exp.DataType):  # type: ignore[misc]
    """The name of a data type, as text."""


class Template(exp.Expression):  # type: ignore[misc]
    """Text with expressions and queries in it: ``pieces`` are around ``expressions``."""

    arg_types = {"pieces": True, "expressions": False}  # noqa: RUF012


class PredicateTemplate(Template):
    """A template that binds as LIKE does."""


class TableArgument(Template):
    """``TABLE(...)`` among a table function's arguments."""


class PipeStep(Template):
    """``|>`` and the operator behind it."""


class Positive(exp.Unary):  # type: ignore[misc]
    """``+x``."""


class UnsignedRightShift(exp.Expression, exp.Binary):  # type: ignore[misc]
    """``x >>> y``."""


class PipeQuery(exp.Expression, exp.Query):  # type: ignore[misc]
    """A query with pipe steps behind it."""

    arg_types = {"this": True, "expressions": True, **_AROUND_QUERY}  # noqa: RUF012


class TableQuery(exp.Expression, exp.Query):  # type: ignore[misc]
    """``TABLE t``."""

    arg_types = {"this": True, **_AROUND_QUERY}  # noqa: RUF012


class FromQuery(exp.Expression, exp.Query):  # type: ignore[misc]
    """``FROM t`` without a SELECT: the input of a pipe."""

    arg_types = {"from_": True, "joins": False, "laterals": False, **_AROUND_QUERY}  # noqa: RUF012


class InlineTable(exp.Expression, exp.Query):  # type: ignore[misc]
    """``VALUES (1, 2), (3, 4) AS t(a, b)``, as a query or in a FROM."""

    arg_types = {"expressions": True, "alias": False, **_AROUND_QUERY}  # noqa: RUF012


class Reshaped(exp.Expression):  # type: ignore[misc]
    """A relation of a FROM and its joins, with PIVOT, UNPIVOT or BIN BY behind them."""

    arg_types = {"this": True, "laterals": False, "pivots": True, "alias": False}  # noqa: RUF012


class Statement(Template):
    """A statement that carries a query or expressions."""

    @property
    def query(self) -> exp.Expression | None:
        """The query it carries; None if there is none, or it carries other things as well."""
        found = self.expressions
        return found[0] if len(found) == 1 and isinstance(found[0], exp.Query) else None


class CreateView(Statement):
    """CREATE VIEW: ``name``, ``columns``, and whether it is ``temporary``, ``shared`` (GLOBAL),
    in the place of an older one (``replaces``) or made only ``if_missing``."""

    arg_types = {  # noqa: RUF012
        **Statement.arg_types,
        "name": True,
        "columns": False,
        "temporary": False,
        "shared": False,
        "replaces": False,
        "if_missing": False,
    }


class CacheTable(Statement):
    """CACHE TABLE of a query: ``name``, and whether it is ``lazy``."""

    arg_types = {**Statement.arg_types, "name": True, "lazy": False, "options": False}  # noqa: RUF012


@dataclass(frozen=True, slots=True)
class Hole:
    """Where in a node's text a child with an origin of its own is."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class NodeShape:
    """What a node was when it was read: its class and its arguments.

    The arguments are plain values, holes, and the shapes of children without an origin.
    """

    kind: type[exp.Expression]
    parts: tuple[tuple[str, bool, tuple[object, ...]], ...]

    def holes(self) -> Iterator[Hole]:
        """All holes in it."""
        for _, _, items in self.parts:
            for item in items:
                if isinstance(item, Hole):
                    yield item
                elif isinstance(item, NodeShape):
                    yield from item.holes()

    def fillings(self, node: exp.Expression) -> list[Filling] | None:
        """The nodes that are in the holes of a node now; None if the node has another shape."""
        found: list[Filling] = []
        return found if self._fill(node, found) else None

    def _fill(self, node: exp.Expression, found: list[Filling]) -> bool:
        parts = list(_parts(node))
        if type(node) is not self.kind or len(parts) != len(self.parts):
            return False
        for (key, listed, items), (own_key, own_listed, own) in zip(self.parts, parts, strict=True):
            if (key, listed, len(items)) != (own_key, own_listed, len(own)):
                return False
            for item, value in zip(items, own, strict=True):
                if isinstance(item, (Hole, NodeShape)) != isinstance(value, exp.Expression):
                    return False
                if isinstance(item, Hole):
                    found.append(Filling(item, node, key, value))
                elif isinstance(item, NodeShape):
                    if not item._fill(value, found):
                        return False
                elif item != value:
                    return False
        return True


class Filling(NamedTuple):
    """The node in a hole of another one: hole, parent, key and node."""

    hole: Hole
    parent: exp.Expression
    key: str
    node: exp.Expression


class Origin:
    """The part of a text that a node was read from, and what the node was then.

    Attributes
    ----------
    text
        The whole text.
    start, end
        The node's part of it.
    shape
        What the node was.
    digest
        The hash of the node with all below it.
    whole
        Whether blanks, comments and semicolons around it belong to it: the tree's root.
    """

    __slots__ = ("digest", "end", "shape", "start", "text", "whole")

    def __init__(self, text: str, start: int, end: int) -> None:
        self.text = text
        self.start = start
        self.end = end
        self.shape = NodeShape(exp.Expression, ())
        self.digest = 0
        self.whole = False

    def __deepcopy__(self, memo: object) -> Origin:
        # A copy of a node was read from the same place.
        return self


def origin_of(node: exp.Expression) -> Origin | None:
    """The origin of a node; None for one that a rule made."""
    found = node.meta.get(_ORIGIN)
    return found if isinstance(found, Origin) else None


def set_origin(node: exp.Expression, origin: Origin) -> None:
    """Sets the origin of a node."""
    node.meta[_ORIGIN] = origin


def _parts(node: exp.Expression) -> Iterator[tuple[str, bool, tuple[object, ...]]]:
    """The arguments of a node: the key, whether it is a list, and its members."""
    for key in sorted(node.args):
        value = node.args[key]
        if isinstance(value, list):
            if value:
                yield key, True, tuple(value)
        elif value is not None and value is not False:
            yield key, False, (value,)


def _shape_of(node: exp.Expression) -> NodeShape:
    return NodeShape(
        type(node),
        tuple(
            (key, listed, tuple(map(_part_of_shape, items))) for key, listed, items in _parts(node)
        ),
    )


def _part_of_shape(value: object) -> object:
    if not isinstance(value, exp.Expression):
        return value
    origin = origin_of(value)
    return _shape_of(value) if origin is None else Hole(origin.start, origin.end)


def note_origins(root: exp.Expression) -> None:
    """Notes the shape of each node of a tree that was just read."""
    for node in root.walk():
        origin = origin_of(node)
        if origin is not None:
            origin.shape = _shape_of(node)
            origin.digest = hash(node)


def forget_origins(root: exp.Expression) -> exp.Expression:
    """The same tree without origins, as if a rule had made it."""
    for node in root.walk():
        node.meta.pop(_ORIGIN, None)
    return root


# What rules make ---------------------------------------------------------------------------------


def cast(value: exp.Expression, to: str) -> exp.Expression:
    """``CAST(value AS to)``."""
    return exp.Cast(this=value.copy(), to=SparkType(this=to))


def call(name: str, *arguments: exp.Expression) -> exp.Expression:
    """A call of a function by its name."""
    return exp.Anonymous(this=name, expressions=list(arguments))


def table(name: str) -> exp.Expression:
    """A table, or a view, by its name."""
    return exp.Table(this=exp.to_identifier(name))


def present(select: exp.Expression, *names: str) -> list[exp.Expression]:
    """Those of some clauses that a SELECT has."""
    return [select.args[name] for name in names if select.args.get(name) is not None]


def derived(query: exp.Expression, alias: str) -> exp.Subquery:
    """A query to read from, under a name."""
    return exp.Subquery(this=query, alias=exp.TableAlias(this=exp.to_identifier(alias)))


def is_below(node: exp.Expression, top: exp.Expression) -> bool:
    """Whether a node is another one, or stands in it."""
    above: exp.Expression | None = node
    while above is not None and above is not top:
        above = above.parent
    return above is not None
