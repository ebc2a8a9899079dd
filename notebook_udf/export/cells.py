"""The statements of a notebook's cells: the names that each binds, reads and changes.

Names are resolved by ``closure``. Nothing in here runs a cell.
"""

from __future__ import annotations

import ast
import re
import symtable
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from notebook_udf.errors import DeclarationError
from notebook_udf.functions.entry_point import stored

# Methods that change their object, if called as a statement of their own.
_CHANGING = (
    "add", "append", "clear", "discard", "extend", "insert", "move_to_end", "pop", "popitem",
    "remove", "reverse", "setdefault", "sort", "update",
)  # fmt: skip
_COMPREHENSIONS = ("listcomp", "setcomp", "dictcomp", "genexpr")
_COMPOUND = (ast.If, ast.For, ast.While, ast.With, ast.Try, ast.TryStar, ast.Match)


@dataclass(frozen=True)
class UdfLine:
    """The arguments of a cell's ``%%udf`` line.

    Attributes
    ----------
    name
        The function's name, if it is given.
    options
        As ``register_function`` takes them.
    replace
        Whether the name of one of Spark's own functions may be taken.
    query
        The example of ``--try``.
    shown
        The output of the example in the notebook; "" if that was not saved.
    """

    name: str | None = None
    options: dict[str, Any] = field(default_factory=dict)
    replace: bool = False
    query: str | None = None
    shown: str = ""


@dataclass(frozen=True)
class ExportedCell:
    """A code cell as Python, with the line numbers of the notebook.

    ``number`` counts the code cells from 1. ``udf`` is None for a cell without ``%%udf``.
    """

    number: int
    code: str
    udf: UdfLine | None = None


@dataclass(frozen=True)
class Imported:
    """One name that an import binds: ``from module import name as bound``, or ``import module``."""

    module: str
    name: str | None
    bound: str


@dataclass(frozen=True)
class ExportedStatement:
    """A statement of a cell.

    Attributes
    ----------
    place
        Its number among all statements.
    cell, line
        The number of its cell, and its first line in it.
    text
        Its source, with the comments right above it and behind it.
    binds, changes
        Names it binds, and names whose value it changes.
    now, later
        Names it reads when it runs, and names that functions in it read when they are called.
    lazy
        Whether annotations, too, are read later.
    quoted
        Words in annotations that are text: possibly names.
    """

    place: int
    cell: int
    line: int
    node: ast.stmt
    text: str
    binds: frozenset[str] = frozenset()
    changes: frozenset[str] = frozenset()
    now: frozenset[str] = frozenset()
    later: frozenset[str] = frozenset()
    imports: tuple[Imported, ...] = ()
    lazy: bool = False
    quoted: frozenset[str] = frozenset()

    @property
    def where(self) -> str:
        """Cell and line in words."""
        return f"cell {self.cell}, line {self.line}"

    @property
    def defines(self) -> bool:
        """Whether it defines a function or a class, which does little when it runs."""
        return isinstance(self.node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))

    def line_of(self, name: str) -> int:
        """The first line on which it reads a name."""
        lines = [
            node.lineno
            for node in ast.walk(self.node)
            if isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Load)
        ]
        return min(lines, default=self.line)


def statements(cells: list[ExportedCell]) -> list[ExportedStatement]:
    """All statements, in the order of the notebook.

    Raises
    ------
    DeclarationError
        If a cell is not valid Python; names cell and line.
    """
    found: list[ExportedStatement] = []
    # In a notebook a __future__ import holds for all cells that follow.
    lazy = False
    for cell in cells:
        try:
            tree = ast.parse(cell.code)
        except SyntaxError as error:
            where = f"cell {cell.number}, line {error.lineno}"
            raise DeclarationError(f"{where}: {error.msg}: {(error.text or '').strip()}") from None
        # As Python counts them: a carriage return by itself ends one too.
        lines = re.split("\r\n?|\n", cell.code)
        for i, node in enumerate(tree.body):
            before = tree.body[i - 1].end_lineno if i else 0
            after = tree.body[i + 1].lineno if i + 1 < len(tree.body) else 0
            text = _text(cell.code, lines, node, before or 0, after)
            statement = _statement(len(found), cell.number, node, text, lazy=lazy)
            lazy = lazy or Imported("__future__", "annotations", "annotations") in statement.imports
            found.append(statement)
    return found


def first_line(node: ast.stmt) -> int:
    """The line a statement starts on, decorators included."""
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    return min([node.lineno, *(each.lineno for each in decorators)])


def _text(code: str, lines: list[str], node: ast.stmt, before: int, after: int) -> str:
    first, last = first_line(node), node.end_lineno or node.lineno
    if first == before or last == after or node.col_offset:
        # Several statements on one line, or one that goes on there from the line before.
        return ast.get_source_segment(code, node) or ""
    while first - 1 > before and lines[first - 2].startswith("#"):
        first -= 1
    behind = lines[last - 1].encode()[node.end_col_offset or 0 :].decode()
    kept = [line.rstrip() for line in lines[first - 1 : last]]
    if "#" not in behind:
        # A line that would go on, but for the empty one after it.
        kept[-1] = kept[-1].removesuffix("\\").rstrip()
    return "\n".join(kept)


def _statement(
    place: int, cell: int, node: ast.stmt, text: str, *, lazy: bool
) -> ExportedStatement:
    line = first_line(node)
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        imports = tuple(_imported(node))
        binds = frozenset(each.bound for each in imports)
        return ExportedStatement(place, cell, line, node, text, binds=binds, imports=imports)
    binds = frozenset(stored([node])) | frozenset(_targets(node))
    changes = frozenset(_changed(node))
    if isinstance(node, _COMPOUND):
        # A branch that is not taken leaves what was there.
        changes |= binds
    now, later = reads(node, text, lazy=lazy)
    own = binds if isinstance(node, _COMPOUND) else frozenset()
    return ExportedStatement(
        place, cell, line, node, text,
        binds=binds, changes=changes, now=now - own, later=later - own, lazy=lazy,
        quoted=frozenset(_annotated(node)[1]),
    )  # fmt: skip


def _imported(node: ast.Import | ast.ImportFrom) -> Iterator[Imported]:
    for alias in node.names:
        if isinstance(node, ast.ImportFrom):
            module = "." * node.level + (node.module or "")
            yield Imported(module, alias.name, alias.asname or alias.name)
        elif alias.asname:
            yield Imported(alias.name, "", alias.asname)
        else:
            yield Imported(alias.name, None, alias.name.partition(".")[0])


def _targets(node: ast.stmt) -> Iterator[str]:
    """Names that assignments in a statement bind, ``a, b = ...`` and ``:=`` included."""
    for inner in _outside_functions(node):
        if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Store):
            yield inner.id
        elif isinstance(inner, ast.alias):
            yield inner.asname or inner.name.partition(".")[0]


def _changed(node: ast.stmt) -> Iterator[str]:
    for inner in _outside_functions(node):
        match inner:
            case ast.AugAssign(target=target):
                yield from _root(target)
            case (
                ast.Subscript(ctx=ast.Store() | ast.Del())
                | ast.Attribute(ctx=ast.Store() | ast.Del())
            ):
                yield from _root(inner)
            case ast.Expr(value=ast.Call(func=ast.Attribute(value=value, attr=attribute))):
                if attribute in _CHANGING:
                    yield from _root(value)


def _root(node: ast.AST) -> Iterator[str]:
    while isinstance(node, (ast.Attribute, ast.Subscript)):
        node = node.value
    if isinstance(node, ast.Name):
        yield node.id


def _outside_functions(node: ast.AST) -> Iterator[ast.AST]:
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)):
        return
    if isinstance(node, (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)):
        return
    yield node
    for child in ast.iter_child_nodes(node):
        yield from _outside_functions(child)


def reads(node: ast.stmt, text: str, *, lazy: bool) -> tuple[frozenset[str], frozenset[str]]:
    """Names that a statement reads from outside: when it runs, and in functions in it."""
    try:
        table = symtable.symtable(text, "<cell>", "exec")
    except SyntaxError:
        # Valid only in a notebook, such as an await outside of functions.
        names = (n for n in ast.walk(node) if isinstance(n, ast.Name))
        return frozenset(n.id for n in names if isinstance(n.ctx, ast.Load)), frozenset()
    now: set[str] = set()
    later: set[str] = set()
    _scoped(table, now, later, called=False)
    if isinstance(node, ast.AugAssign):
        now.update(_root(node.target))
    if lazy:
        named, _, elsewhere = _annotated(node)
        now -= named - elsewhere
        later |= named
    return frozenset(now), frozenset(later - now)


def _scoped(table: symtable.SymbolTable, now: set[str], later: set[str], *, called: bool) -> None:
    kind = str(table.get_type())
    if "function" in kind and table.get_name() not in _COMPREHENSIONS:
        called = True
    module = kind.endswith("module")
    for symbol in table.get_symbols():
        if symbol.is_referenced() and (module or symbol.is_global()):
            (later if called else now).add(symbol.get_name())
    for child in table.get_children():
        _scoped(child, now, later, called=called)


def _annotated(node: ast.stmt) -> tuple[set[str], set[str], set[str]]:
    """Names in annotations, names in those that are written as text, and names elsewhere."""
    annotations = [
        annotation
        for inner in ast.walk(node)
        for annotation in (getattr(inner, "annotation", None), getattr(inner, "returns", None))
        if isinstance(annotation, ast.AST)
    ]
    parts = [part for annotation in annotations for part in ast.walk(annotation)]
    inside = {id(part) for part in parts}
    names = [part for part in ast.walk(node) if isinstance(part, ast.Name)]
    quoted = {
        word
        for part in parts
        if isinstance(part, ast.Constant) and isinstance(part.value, str)
        for word in re.findall(r"(?<![\w.])[A-Za-z_]\w*", part.value)
    }
    return (
        {name.id for name in names if id(name) in inside},
        quoted,
        {name.id for name in names if id(name) not in inside},
    )
