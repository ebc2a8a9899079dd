"""The entry points of a ``%%udf`` cell: which of its definitions are registered.

They are chosen from what is found: the values of a cell that ran, or the text of one that did not.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from notebook_udf.errors import DeclarationError


@dataclass(frozen=True)
class Found:
    """What a cell defines, by variable.

    Attributes
    ----------
    decorated
        Those made by a decorator of this package, or of PySpark's.
    functions
        Functions, and classes that are functions.
    classes
        Other classes: mostly types of rows.
    """

    decorated: dict[str, Any] = field(default_factory=dict)
    functions: dict[str, Any] = field(default_factory=dict)
    classes: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class EntryPoint:
    """A definition to be registered; ``name`` is None where it has a name of its own."""

    variable: str
    function: Any
    name: str | None


def stored(body: list[ast.stmt]) -> Iterator[str]:
    """The names that statements define or assign, in branches as well; without imports."""
    for node in body:
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                yield node.name
            case ast.Assign(targets=targets):
                yield from (t.id for t in targets if isinstance(t, ast.Name))
            case ast.AnnAssign(target=ast.Name(id=name)):
                yield name
            case ast.If() | ast.For() | ast.While() | ast.With() | ast.Try():
                yield from stored(node.body)
                yield from stored(getattr(node, "orelse", []))
                for handler in getattr(node, "handlers", []):
                    yield from stored(handler.body)
                yield from stored(getattr(node, "finalbody", []))


def choose(found: Found, name: str | None) -> list[EntryPoint]:
    """Chooses the definitions to register, and their names.

    Raises
    ------
    DeclarationError
        If there is none, or several without a choice by name or decorator.
    """
    everything = found.decorated | found.functions | found.classes
    if name is not None and name in everything:
        return [EntryPoint(name, everything[name], name)]
    chosen = found.decorated or found.functions or found.classes
    if not chosen:
        raise DeclarationError(
            "the cell defines no function or class (names that start with _ and imported ones "
            "do not count), so there is nothing to register"
        )
    if len(chosen) > 1 and name is not None:
        raise DeclarationError(
            f"the cell defines {listed(chosen)}, and none of them is called {name}: "
            f"%%udf NAME chooses one of them"
        )
    if len(chosen) > 1 and not found.decorated:
        raise DeclarationError(
            f"the cell defines {listed(chosen)}: say which with %%udf NAME, decorate those to "
            f"register with @udf, or start the names of helpers with _"
        )
    return [EntryPoint(variable, value, name) for variable, value in chosen.items()]


def listed(names: Iterable[str]) -> str:
    """``a, b and c``."""
    *most, last = names
    return f"{', '.join(most)} and {last}" if most else last
