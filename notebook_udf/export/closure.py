"""The closure of functions: the statements that bind or change the names they read, and no more.

A name has the value that the notebook had bound to it when the statement that reads it ran, or,
in a function's body, when the function was registered.
"""

from __future__ import annotations

import ast
import builtins
from dataclasses import dataclass, field

from notebook_udf.errors import DeclarationError
from notebook_udf.export.cells import ExportedStatement, Imported
from notebook_udf.export.chosen import Chosen, ChosenNames

_MODULE_NAMES = frozenset({*dir(builtins), "__name__", "__file__", "__doc__"})
_NOTEBOOK_NAMES = frozenset({"display", "get_ipython", "In", "Out", "_", "__"})
_SESSIONS = ("notebook_udf.session", "notebook_udf.samples", "pyspark.sql.SparkSession")


@dataclass(frozen=True)
class Needed:
    """The statements and imports of the module, in the order of the notebook."""

    statements: tuple[ExportedStatement, ...]
    imports: tuple[Imported, ...]
    futures: tuple[str, ...] = ()


@dataclass
class _Closure:
    found: list[ExportedStatement]
    names: ChosenNames
    # The statements taken in, each with the function that needs it first.
    taken: dict[int, Chosen] = field(default_factory=dict)
    imports: dict[Imported, None] = field(default_factory=dict)
    # For each name, the statements whose value of it functions use when called, and a function.
    meant: dict[str, dict[int, str]] = field(default_factory=dict)
    seen: set[tuple[int, int]] = field(default_factory=set)

    def take(self, statement: ExportedStatement, after: int, root: Chosen) -> None:
        """Takes in a statement and what it needs, as of when ``after`` statements have run."""
        if (statement.place, after) in self.seen:
            return
        self.seen.add((statement.place, after))
        self.taken.setdefault(statement.place, root)
        for name in sorted(statement.now):
            self.need(name, statement.place, statement, root)
        known = {name for other in self.found[:after] for name in other.binds}
        for name in sorted(statement.later | statement.quoted & known):
            version = self.need(name, max(after, statement.place), statement, root)
            if version is not None and after == root.after:
                self.meant.setdefault(name, {}).setdefault(version, root.name)

    def need(self, name: str, before: int, reader: ExportedStatement, root: Chosen) -> int | None:
        """Takes in what binds a name before a statement; its number, or None if it is built in."""
        if name in reader.binds and before <= reader.place and reader.defines:
            # A decorator's own register() call, or a class that names itself.
            return reader.place
        concerned: list[ExportedStatement] = []
        for statement in reversed(self.found[:before]):
            if name in statement.binds or name in statement.changes:
                concerned.append(statement)
                if name not in statement.changes:
                    break
        # The statement that binds it, then those that have changed its value since.
        for statement in sorted(concerned, key=lambda each: name in each.changes):
            if name in statement.changes:
                self.take(statement, before, root)
            else:
                self._bind(name, statement, before, root)
        if concerned:
            return concerned[0].place
        if name in _MODULE_NAMES:
            return None
        raise DeclarationError(self._missing(name, before, reader, root))

    def _bind(self, name: str, statement: ExportedStatement, before: int, root: Chosen) -> None:
        if not statement.imports:
            self.take(statement, before, root)
            return
        binding = [each for each in statement.imports if each.bound == name]
        if any(each.name is None for each in binding):
            # import a.b and import a.c both bind a.
            earlier = (each for other in self.found[:before] for each in other.imports)
            binding += [each for each in earlier if each.bound == name and each.name is None]
        self.imports |= dict.fromkeys(binding)

    def _missing(self, name: str, before: int, reader: ExportedStatement, root: Chosen) -> str:
        where = f"cell {reader.cell}, line {reader.line_of(name)}"
        said = f"{root.name} cannot be exported: {where} reads {name!r}, "
        later = [s for s in self.found[before:] if name in s.binds]
        stars = [s for s in self.found[:before] if any(i.name == "*" for i in s.imports)]
        if later:
            return f"{said}which is defined only later ({later[0].where}): move its cell up"
        if name in _NOTEBOOK_NAMES:
            return f"{said}which only a notebook has: leave it out of what functions use"
        if stars:
            text = stars[0].text.strip()
            return f"{said}which may come from {text} ({stars[0].where}): import it by its name"
        return f"{said}which no cell defines"


def needed(chosen: list[Chosen], found: list[ExportedStatement], names: ChosenNames) -> Needed:
    """The statements and imports that functions need.

    Raises
    ------
    DeclarationError
        If a name is bound nowhere, stands for different things in two functions, or comes from
        the session; with cell and line.
    """
    closure = _Closure(found, names)
    for root in chosen:
        closure.take(found[root.statement.place], root.after, root)
    _check_versions(closure)
    for place, root in closure.taken.items():
        _check_session(closure, found[place], root)
    statements = tuple(found[place] for place in sorted(closure.taken))
    # In a notebook it holds for all cells that follow.
    futures = {
        imported.name
        for statement in found
        for imported in statement.imports
        if imported.module == "__future__" and imported.name
    }
    imports = tuple(each for each in closure.imports if each.module != "__future__")
    return Needed(statements, imports, tuple(sorted(futures)))


def _check_versions(closure: _Closure) -> None:
    """Checks that functions agree on each name: a module has only its last value."""
    for name, versions in closure.meant.items():
        kept: list[tuple[ExportedStatement, object]] = []
        places = set(versions) | {
            place for place in closure.taken if name in closure.found[place].binds
        }
        for place in sorted(places):
            statement = closure.found[place]
            imported = [each for each in statement.imports if each.bound == name]
            kept.append((statement, imported or statement.text))
        last, value = kept[-1]
        for statement, other in kept:
            if other != value and statement.place in versions:
                raise DeclarationError(
                    f"{versions[statement.place]} cannot be exported: it uses {name!r} as "
                    f"{statement.where} leaves it, and the module needs that of {last.where}, too: "
                    f"rename one of them"
                )


def _check_session(closure: _Closure, statement: ExportedStatement, root: Chosen) -> None:
    """Checks that a statement does not start Spark when the module is imported."""
    if statement.defines:
        return
    for node in ast.walk(statement.node):
        if closure.names.of(node).startswith(_SESSIONS):
            raise DeclarationError(
                f"{root.name} cannot be exported: it needs {', '.join(sorted(statement.binds))} "
                f"({statement.where}), which is made with a Spark session, and a module has none "
                f"when it is imported: write the value down, or make it in the function's open()"
            )
