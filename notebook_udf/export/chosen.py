"""Finds the functions to export: those of ``%%udf`` cells and of ``@nu.register``.

It applies the rules by which cells register functions to the cells' text.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from notebook_udf.errors import DeclarationError
from notebook_udf.export.cells import ExportedCell, ExportedStatement, Imported, UdfLine, reads
from notebook_udf.functions.base import UserDefinedFunction
from notebook_udf.functions.entry_point import Found, choose, stored
from notebook_udf.functions.function_class import has_methods_of_a_kind
from notebook_udf.kernel.kinds import KINDS
from notebook_udf.python_calls import source

_WRAPPING = tuple(
    f"functools.{name}" for name in ("cache", "lru_cache", "partial", "singledispatch")
)
# Those that make function objects of PySpark's.
_OF_PYSPARK = tuple(
    f"pyspark.sql.functions.{name}"
    for name in ("udf", "pandas_udf", "arrow_udf", "udtf", "arrow_udtf")
)


def _declaring() -> set[str]:
    """The decorators of this package that declare a function."""
    return {kind.export.decorator for kind in KINDS.values()} - {""}


def _bases() -> set[str]:
    """The classes that functions derive from."""
    return {kind.base.__name__ for kind in KINDS.values()} | {UserDefinedFunction.__name__}


@dataclass(frozen=True)
class Chosen:
    """A function to export.

    Attributes
    ----------
    variable
        Its name in the module.
    name
        Its name in SQL.
    statement
        The statement that defines it.
    after
        The number of statements that have run when it is registered.
    options
        Further arguments of ``register_function``, as source text by name.
    declared
        Whether its statement declares it, by a decorator of this package or a call of one.
    example
        The line of its ``%%udf`` cell.
    """

    variable: str
    name: str
    statement: ExportedStatement
    after: int
    options: dict[str, str] = field(default_factory=dict)
    declared: bool = False
    example: UdfLine = field(default_factory=UdfLine)


class ChosenNames:
    """Resolves names of this package by the imports of a notebook."""

    def __init__(self, found: list[ExportedStatement]) -> None:
        self._found = found
        self._imports: dict[str, Imported] = {}
        for statement in found:
            self._imports |= {each.bound: each for each in statement.imports}

    def of(self, node: ast.AST | None) -> str:
        """The full name of an imported object that an expression reads; "" for anything else."""
        parts: list[str] = []
        while isinstance(node, ast.Attribute):
            parts.insert(0, node.attr)
            node = node.value
        imported = self._imports.get(node.id) if isinstance(node, ast.Name) else None
        if imported is None:
            return ""
        if imported.name is None:
            return ".".join([imported.bound, *parts])
        return ".".join([part for part in (imported.module, imported.name, *parts) if part])

    def ours(self, node: ast.AST | None) -> str:
        """The name in this package of an expression, or of what it calls; "" for anything else."""
        if isinstance(node, ast.Call):
            node = node.func
        package, _, name = self.of(node).partition(".")
        return name if package == "notebook_udf" else ""

    def is_function_class(self, node: ast.ClassDef) -> bool:
        """Whether a class derives from a base class of this package, or has the methods of one."""
        classes = {s.node.name: s.node for s in self._found if isinstance(s.node, ast.ClassDef)}
        seen: set[str] = set()
        methods: set[str] = set()
        waiting: list[ast.ClassDef] = [node]
        while waiting:
            current = waiting.pop()
            methods.update(stored(current.body))
            for base in current.bases:
                target = base.value if isinstance(base, ast.Subscript) else base
                if self.ours(target).rpartition(".")[2] in _bases():
                    return True
                known = classes.get(getattr(target, "id", ""))
                if known is not None and known.name not in seen:
                    seen.add(known.name)
                    waiting.append(known)
        return has_methods_of_a_kind(methods)


def functions(
    cells: list[ExportedCell],
    found: list[ExportedStatement],
    names: ChosenNames,
    registered: Mapping[str, str] | None = None,
) -> list[Chosen]:
    """The functions to export; of several under one name, the last.

    ``registered`` is the source of each registered function, if the cells were run. Functions that
    are not in it are left out: their cell failed, or a later one replaced them.

    Raises
    ------
    DeclarationError
        If a cell defines nothing to register, or several things and nothing says which.
    """
    chosen: dict[str, Chosen] = {}
    for cell in cells:
        own = [s for s in found if s.cell == cell.number]
        try:
            picked = [] if cell.udf is None else _of_cell(cell, own, names)
        except DeclarationError:
            if registered is None:
                raise
            picked = []
        taken = {each.variable for each in picked}
        picked += [c for c in _registered(own, names) if c.variable not in taken]
        for each in picked:
            if registered is not None and not _is_registered(each, registered):
                continue
            # As in the session, the later one replaces the earlier.
            chosen.pop(each.name.lower(), None)
            chosen[each.name.lower()] = each
    return list(chosen.values())


def _is_registered(chosen: Chosen, registered: Mapping[str, str]) -> bool:
    by_name = {name.lower(): source for name, source in registered.items()}
    source = by_name.get(chosen.name.lower())
    return source is not None and source in chosen.statement.text


def _of_cell(cell: ExportedCell, own: list[ExportedStatement], names: ChosenNames) -> list[Chosen]:
    assert cell.udf is not None
    line = cell.udf
    by_variable: dict[str, ExportedStatement] = {}
    found = Found()
    for statement in own:
        for variable in sorted(statement.binds):
            if variable.startswith("_") or statement.imports:
                continue
            by_variable[variable] = statement
            for group in (found.decorated, found.functions, found.classes):
                group.pop(variable, None)
            kind = _kind(statement.node, names)
            if kind:
                getattr(found, kind)[variable] = statement
    try:
        choices = choose(found, line.name)
    except DeclarationError as error:
        raise DeclarationError(f"cell {cell.number}: {error}") from None
    if len(choices) > 1:
        # The output is that of the last of them.
        line = replace(line, shown="")
    after = own[-1].place + 1
    result = []
    for choice in choices:
        statement = by_variable[choice.variable]
        declared = choice.variable in found.decorated
        given = _name_given(statement.node, names) if declared else None
        name = choice.name
        if name is None or (name == choice.variable and declared):
            name = given or choice.variable
        options = {key: source(value) for key, value in line.options.items()}
        if line.replace:
            options["replace"] = "True"
        registered = _register_call(statement, names)
        if registered is not None:
            options = _keywords(registered, statement.text) | options
            name = _literal(options.pop("name", "")) or name
        result.append(
            Chosen(
                choice.variable, name, statement, after, options,
                declared=declared and registered is None, example=line,
            )
        )  # fmt: skip
    return result


def _kind(node: ast.stmt, names: ChosenNames) -> str:
    """The field of ``Found`` that a statement's function or class belongs to; "" for none."""
    for decorator in getattr(node, "decorator_list", []):
        if names.ours(decorator) in {*_declaring(), "register"} or _is_pysparks(decorator, names):
            return "decorated"
    match node:
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            return "functions"
        case ast.ClassDef():
            return "functions" if names.is_function_class(node) else "classes"
        case ast.Assign(value=ast.Lambda()):
            return "functions"
        case ast.Assign(value=ast.Call() as call):
            if names.ours(call) in _declaring() or _is_pysparks(call, names):
                return "decorated"
            # functools.lru_cache(maxsize=3)(f) is a call of a call.
            called = call.func.func if isinstance(call.func, ast.Call) else call.func
            return "functions" if names.of(called) in _WRAPPING else ""
    return ""


def _is_pysparks(node: ast.expr, names: ChosenNames) -> bool:
    """Whether a decorator, or a call, makes a function object of PySpark's."""
    return names.of(node.func if isinstance(node, ast.Call) else node) in _OF_PYSPARK


def _registered(own: list[ExportedStatement], names: ChosenNames) -> list[Chosen]:
    """The functions decorated with ``@nu.register``."""
    result = []
    for statement in own:
        call = _register_call(statement, names)
        if call is None:
            continue
        variable = next(iter(statement.binds))
        options = _keywords(call, statement.text)
        name = _literal(options.pop("name", "")) or variable
        others = getattr(statement.node, "decorator_list", [])
        declared = any(names.ours(each) in _declaring() for each in others)
        # Its decorator runs before the statements below it.
        result.append(
            Chosen(variable, name, statement, statement.place + 1, options, declared=declared)
        )
    return result


def _register_call(statement: ExportedStatement, names: ChosenNames) -> ast.expr | None:
    """The decorator ``@nu.register`` of a function or class, with line numbers of its text."""
    if not statement.defines:
        return None
    (node,) = ast.parse(statement.text).body
    for decorator in getattr(node, "decorator_list", []):
        if names.ours(decorator) == "register":
            return decorator  # type: ignore[no-any-return]
    return None


def _keywords(decorator: ast.expr, text: str) -> dict[str, str]:
    if not isinstance(decorator, ast.Call):
        return {}
    return {
        keyword.arg: ast.get_source_segment(text, keyword.value) or ""
        for keyword in decorator.keywords
        if keyword.arg is not None
    }


def _name_given(node: ast.stmt, names: ChosenNames) -> str | None:
    """The ``name`` argument of a decorator, or a call, of this package; None without one."""
    calls = [*getattr(node, "decorator_list", []), getattr(node, "value", None)]
    for call in calls:
        if isinstance(call, ast.Call) and names.ours(call) in _declaring():
            for keyword in call.keywords:
                if keyword.arg == "name":
                    value = getattr(keyword.value, "value", None)
                    return value if isinstance(value, str) else None
    return None


def _literal(text: str) -> str | None:
    try:
        value: Any = ast.literal_eval(text)
    except (SyntaxError, ValueError):
        return None
    return value if isinstance(value, str) else None


def defined_as(
    name: str, text: str, found: list[ExportedStatement], names: ChosenNames
) -> Chosen | None:
    """The function that a session was given as an object, by its source; None if no cell has it.

    Other names have for it the values that they have after all cells.
    """
    for statement in reversed(found):
        if text and statement.defines and text in statement.text:
            (variable,) = statement.binds
            declared = _kind(statement.node, names) == "decorated"
            return Chosen(variable, name, statement, len(found), declared=declared)
    return None


def undecorated(statement: ExportedStatement, names: ChosenNames) -> ExportedStatement:
    """A statement without the decorator ``@nu.register``, which registers when it is run."""
    decorator = _register_call(statement, names)
    return statement if decorator is None else _without(statement, [decorator])


def without_pysparks(statement: ExportedStatement, names: ChosenNames) -> ExportedStatement:
    """A statement that defines the function alone which it made an object of PySpark's of; that
    needs a Spark as soon as it is made."""
    if not is_pysparks(statement.node, names):
        return statement
    # With the places of its own text.
    (node,) = ast.parse(statement.text).body
    match node:
        case ast.Assign(value=ast.Call(args=[function, *_]) as call) if _is_pysparks(call, names):
            head = statement.text[: statement.text.index("=") + 1]
            return _changed(statement, f"{head} {ast.get_source_segment(statement.text, function)}")
        case ast.FunctionDef(decorator_list=decorators) | ast.ClassDef(decorator_list=decorators):
            return _without(statement, [d for d in decorators if _is_pysparks(d, names)])
    return statement


def is_pysparks(node: ast.stmt, names: ChosenNames) -> bool:
    """Whether a statement makes a function object of PySpark's."""
    made = [*getattr(node, "decorator_list", []), getattr(node, "value", None)]
    return any(each is not None and _is_pysparks(each, names) for each in made)


def _without(statement: ExportedStatement, decorators: list[ast.expr]) -> ExportedStatement:
    lines = statement.text.split("\n")
    for each in reversed(decorators):
        del lines[each.lineno - 1 : each.end_lineno]
    return _changed(statement, "\n".join(lines)) if decorators else statement


def _changed(statement: ExportedStatement, text: str) -> ExportedStatement:
    now, later = reads(statement.node, text, lazy=statement.lazy)
    return replace(statement, text=text, now=now, later=later)
