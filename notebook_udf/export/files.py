"""Writes an exported module, its tests and its requirements to disk."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from notebook_udf.errors import DeclarationError, NotebookUdfError
from notebook_udf.export.cells import ExportedCell, statements
from notebook_udf.export.chosen import ChosenNames, functions, undecorated
from notebook_udf.export.closure import needed
from notebook_udf.export.declared import declared
from notebook_udf.export.examples import tests_text
from notebook_udf.export.imports import requirements
from notebook_udf.export.module import Module, first_text
from notebook_udf.functions.entry_point import listed


@dataclass(frozen=True)
class Exported:
    """The result of an export.

    Attributes
    ----------
    module, tests, requirements
        The files.
    functions
        The names of the functions in SQL.
    plain
        Whether Spark alone can run them.
    notes
        Remarks for the reader.
    """

    module: Path
    tests: Path
    requirements: Path
    functions: tuple[str, ...]
    plain: bool
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        runs = "runs under any Spark 4.3" if self.plain else "needs notebook-udf, but no notebook"
        lines = [
            f"{self.module}: {', '.join(self.functions)}; {runs}",
            f"{self.tests}: pytest runs it",
            f"{self.requirements}",
        ]
        return "\n".join([*lines, *self.notes])


def export(
    cells: list[ExportedCell],
    target: Path,
    *,
    notebook: str,
    folder: Path | None = None,
    registered: Mapping[str, str] | None = None,
    force: bool = False,
) -> Exported:
    """Writes the functions of a notebook's cells as a module that can be imported.

    Parameters
    ----------
    cells
        The code cells, in their order.
    target
        The module to write; beside it go its tests, as ``<module>_test.py``, and
        ``requirements.txt``.
    notebook
        The notebook's name in the module.
    folder
        The notebook's folder, with the modules beside it.
    registered
        The source of each registered function by its name, if the cells were run.
    force
        Whether files may be overwritten.

    Raises
    ------
    DeclarationError
        If there is no function, or one needs what the cells do not define; with cell and line.
    NotebookUdfError
        If a file exists already, or cannot be written.
    """
    if target.suffix != ".py" or not target.stem.isidentifier():
        raise NotebookUdfError(
            f"{target} cannot be imported: name it like a module, as functions.py"
        )
    tests = target.with_name(f"{target.stem}_test.py")
    packages_file = target.with_name("requirements.txt")
    there = [str(path) for path in (target, tests, packages_file) if path.exists()]
    if there and not force:
        raise NotebookUdfError(f"{', '.join(there)} is there already; --force overwrites it")
    found = statements(cells)
    names = ChosenNames(found)
    chosen = functions(cells, found, names, registered)
    if not chosen:
        raise DeclarationError(
            f"{notebook} has no function to export: a %%udf cell or @nu.register makes one"
        )
    need = needed(chosen, [undecorated(each, names) for each in found], names)
    known = declared(first_text(need), chosen, need.statements, folder)
    module = Module(notebook, need, tuple(known))
    always = ("pyspark", "pandas", "pyarrow") + (() if module.plain else ("notebook_udf",))
    packages = requirements(need.imports, need.statements, always)
    module = replace(module, local=packages.local)
    text, notes = tests_text(module, target.stem)
    missing = sorted(set(registered or ()) - {each.name for each in chosen})
    if missing:
        notes.append(f"not exported, because no cell or @nu.register made it: {listed(missing)}")
    notes += [f"{name}.py stands beside the notebook: ship it with the module"
              for name in packages.local]  # fmt: skip
    try:
        for path, content in ((target, module.text), (tests, text), (packages_file, packages.text)):
            path.write_text(content, "utf-8")
    except OSError as error:
        raise NotebookUdfError(f"{error.filename} cannot be written: {error.strerror}") from error
    names_ = tuple(each.name for each in chosen)
    return Exported(target, tests, packages_file, names_, module.plain, tuple(notes))
