"""The sorted imports of a module, and the packages that provide them."""

from __future__ import annotations

import ast
import importlib.metadata
import re
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from notebook_udf.export.cells import ExportedStatement, Imported
from notebook_udf.python_calls import LINE

_NAME = re.compile(r"[A-Za-z0-9][\w.-]*")


def _normal(name: str) -> str:
    """The name of a package as indexes compare it."""
    return re.sub(r"[-_.]+", "-", name).lower()


@dataclass(frozen=True)
class Requirements:
    """The packages to install, and the modules that have to be beside the exported one."""

    packages: Mapping[str, str]
    local: tuple[str, ...]
    # The names by which the packages are imported.
    modules: frozenset[str] = frozenset()

    @property
    def text(self) -> str:
        """The text of ``requirements.txt``."""
        lines = [f"{name}=={version}" for name, version in sorted(self.packages.items())]
        lines += [f"# {name}: no installed package; it stood beside the notebook"
                  for name in self.local]  # fmt: skip
        return "\n".join(lines) + "\n"

    def added_to(self, text: str) -> tuple[str, list[str]]:
        """The text of a file with what it lacks at its end, and lines of it that say otherwise.

        Other modules may share it: what it asks for already stays as it is.
        """
        asked = {}
        for line in text.splitlines():
            name = _NAME.match(line)
            if name is not None:
                asked[_normal(name[0])] = line.strip()
        lacking = {n: v for n, v in self.packages.items() if _normal(n) not in asked}
        other = [
            asked[_normal(name)]
            for name, version in sorted(self.packages.items())
            if _normal(name) in asked and asked[_normal(name)] != f"{name}=={version}"
        ]
        local = tuple(name for name in self.local if f"# {name}:" not in text)
        if not lacking and not local:
            return text, other
        kept = text if not text or text.endswith("\n") else text + "\n"
        return kept + Requirements(lacking, local).text, other


def requirements(
    imports: Iterable[Imported], statements: Iterable[ExportedStatement], always: Iterable[str]
) -> Requirements:
    """The packages of imports, those in statements included, in the versions installed here.

    ``always`` are further modules that are needed.
    """
    modules = {*always, *(each.module for each in imports)}
    for statement in statements:
        for node in ast.walk(statement.node):
            if isinstance(node, ast.Import):
                modules |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module:
                modules.add(node.module)
    roots = {module.partition(".")[0] for module in modules} - sys.stdlib_module_names
    homes = importlib.metadata.packages_distributions()
    packages: dict[str, str] = {}
    local = []
    for root in sorted(roots):
        try:
            # A package that is installed from its folder is found by its own name only.
            package = importlib.metadata.distribution(homes.get(root, [root])[0])
        except importlib.metadata.PackageNotFoundError:
            local.append(root)
        else:
            packages[package.metadata["Name"]] = package.version
    return Requirements(packages, tuple(local), frozenset(roots.difference(local)))


def import_lines(imports: Iterable[Imported], local: Iterable[str] = ()) -> str:
    """Import statements in three groups: Python's own, packages, modules beside the notebook."""
    groups: tuple[list[Imported], ...] = ([], [], [])
    for each in imports:
        root = each.module.partition(".")[0]
        own = root in sys.stdlib_module_names
        groups[0 if own else 2 if root in set(local) else 1].append(each)
    return "\n\n".join("\n".join(_group(group)) for group in groups if group)


def _group(imports: list[Imported]) -> list[str]:
    plain = {
        f"import {each.module} as {each.bound}" if each.name == "" else f"import {each.module}"
        for each in imports
        if not each.name
    }
    by_module: dict[str, set[tuple[str, str]]] = {}
    for each in imports:
        if each.name:
            by_module.setdefault(each.module, set()).add((each.name, each.bound))
    lines = sorted(plain)
    for module in sorted(by_module):
        names = [
            name if name == bound else f"{name} as {bound}"
            for name, bound in sorted(by_module[module], key=lambda pair: _order(pair[0]))
        ]
        line = f"from {module} import {', '.join(names)}"
        if len(line) > LINE:
            line = f"from {module} import (\n    " + ",\n    ".join(names) + ",\n)"
        lines.append(line)
    return lines


def _order(name: str) -> tuple[int, str]:
    """The sort key of a name: constants, then classes, then functions."""
    return (0 if name.isupper() and len(name) > 1 else 1 if name[:1].isupper() else 2, name)
