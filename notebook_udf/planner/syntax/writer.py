"""Writes trees as text: unchanged nodes as they were typed, others in the fewest forms.

A node that is what it was when it was read is written as it is in the query, with its blanks and
comments. One in which only some descendants were replaced is written so around them. Anything else
was made by a rule and is generated (``forms``), in parentheses only where it would bind otherwise
(``precedence``).
"""

from __future__ import annotations

from typing import NamedTuple

from sqlglot import exp

from notebook_udf.planner.syntax.forms import FORMS, PLAIN_NAME
from notebook_udf.planner.syntax.nodes import ORGANISING, Origin, PipeQuery, origin_of
from notebook_udf.planner.syntax.precedence import least, level


class Edit(NamedTuple):
    """A part of a text, and what replaces it."""

    start: int
    end: int
    written: str


class Writer:
    """Writes trees; keeps what was typed."""

    # Whether operators stand in parentheses that say how they were read.
    explicit = False

    def whole(self, node: exp.Expression) -> str:
        """A tree, with the text around the query that it was read from."""
        origin = origin_of(node)
        if origin is None or not origin.whole:
            return self.text(node)
        text = origin.text
        return text[: origin.start] + self.text(node) + text[origin.end :]

    def text(self, node: exp.Expression) -> str:
        """The text of a node."""
        origin = origin_of(node)
        if origin is None:
            return self.generated(node)
        made = []
        place = origin.start
        for edit in self.edits(node, origin):
            made += [origin.text[place : edit.start], edit.written]
            place = edit.end
        return "".join(made) + origin.text[place : origin.end]

    def edits(self, node: exp.Expression, origin: Origin) -> list[Edit]:
        """The edits that turn the typed text into that of the tree, from left to right.

        As few as possible: nodes that were replaced, or the whole node if it has clauses or items
        that it did not have.
        """
        found = self._inner_edits(node, origin)
        return [Edit(origin.start, origin.end, self.generated(node))] if found is None else found

    def _inner_edits(self, node: exp.Expression, origin: Origin) -> list[Edit] | None:
        """The edits inside a node; None if the node itself is another one."""
        if hash(node) == origin.digest:
            return []
        fillings = origin.shape.fillings(node)
        if fillings is None:
            return None
        found: list[Edit] = []
        for hole, parent, key, filling in fillings:
            own = origin_of(filling)
            inner = None
            stays = own is not None and (own.start, own.end) == (hole.start, hole.end)
            if own is not None and stays and own.text is origin.text:
                inner = self._inner_edits(filling, own)
            if inner is None:
                inner = [Edit(hole.start, hole.end, self.inside(parent, key, filling))]
            found += inner
        return sorted(found)

    def generated(self, node: exp.Expression) -> str:
        """The text of a node without origin, around its children."""
        return FORMS[type(node)](self, node)

    # Parentheses -----------------------------------------------------------------------------

    def inside(self, parent: exp.Expression, key: str, node: exp.Expression) -> str:
        """The text of a node as the child of another one, in parentheses if needed."""
        if isinstance(parent, exp.SetOperation) and key in ("this", "expression"):
            return self._side(parent, key, node)
        written = self.text(node)
        wanted = least(parent, key, node, explicit=self.explicit)
        return f"({written})" if level(node) < wanted else written

    def _side(self, parent: exp.Expression, key: str, node: exp.Expression) -> str:
        """A side of a set operation."""
        written = self.text(node)
        behind = any(node.args.get(name) for name in ORGANISING) or node.args.get("with_")
        chained = isinstance(node, exp.SetOperation) and key == "this" and not self.explicit
        if chained and type(node) is type(parent) and not behind:
            return written
        plain = not isinstance(node, (exp.SetOperation, PipeQuery)) and not behind
        if isinstance(node, exp.Subquery) and plain:
            return written
        return written if plain and not self.explicit else f"({written})"

    # Pieces ----------------------------------------------------------------------------------

    def each(self, parent: exp.Expression, key: str = "expressions", between: str = ", ") -> str:
        """The texts of the nodes of a list."""
        return between.join(self.inside(parent, key, n) for n in parent.args.get(key) or [])

    def child(self, parent: exp.Expression, key: str, before: str = "", behind: str = "") -> str:
        """The text of a child, between two texts; "" if there is none."""
        node = parent.args.get(key)
        if node is None or node is False:
            return ""
        shown = self.inside(parent, key, node) if isinstance(node, exp.Expression) else str(node)
        return f"{before}{shown}{behind}"

    # Queries ---------------------------------------------------------------------------------

    def query(self, node: exp.Expression, core: str) -> str:
        """A query term with the clauses around it."""
        parts = [self.child(node, "with_", behind=" "), core]
        parts += [self.child(node, key, " ") for key in ("order", "cluster", "distribute", "sort")]
        if node.args.get("windows_last"):
            parts.append(self.windows(node))
        parts += [self.child(node, key, " ") for key in ("limit", "offset")]
        return "".join(parts)

    def windows(self, node: exp.Expression) -> str:
        """The clause WINDOW."""
        found = node.args.get("windows")
        return f" WINDOW {self.each(node, 'windows')}" if found else ""

    def joins(self, node: exp.Expression) -> str:
        """The joins of a relation."""
        joins = node.args.get("joins") or []
        glued = [j.args.get("comma") and not self.explicit for j in joins]
        written = zip(glued, map(self.text, joins), strict=True)
        return "".join(join if comma else f" {join}" for comma, join in written)

    def window(self, node: exp.Expression) -> str:
        """The window of OVER."""
        if node.args.get("alias") is not None:
            return self.child(node, "alias")
        parts = []
        if node.args.get("partition_by"):
            parts.append(f"PARTITION BY {self.each(node, 'partition_by')}")
        parts += [self.child(node, key) for key in ("order", "spec") if node.args.get(key)]
        return f"({' '.join(parts)})"


class Fresh(Writer):
    """Writes every node again."""

    def whole(self, node: exp.Expression) -> str:
        return self.generated(node)

    def text(self, node: exp.Expression) -> str:
        return self.generated(node)


class Explicit(Fresh):
    """Writes every node again, in forms and with parentheses that show how it was read."""

    explicit = True


class Canonical(Fresh):
    """Writes expressions so that all spellings of one are the same text."""

    def inside(self, parent: exp.Expression, key: str, node: exp.Expression) -> str:
        while isinstance(node, exp.Paren):
            node = node.this
        return super().inside(parent, key, node)

    def generated(self, node: exp.Expression) -> str:
        if isinstance(node, exp.Paren):
            return self.generated(node.this)
        if isinstance(node, exp.Identifier) and PLAIN_NAME.fullmatch(node.name):
            return str(node.name)
        if isinstance(node, (exp.Anonymous, exp.Coalesce, exp.If)):
            written = super().generated(node)
            name, bracket, rest = written.partition("(")
            return name.lower() + bracket + rest
        return super().generated(node)
