"""Writes an exported module, its tests and its requirements to disk."""

from __future__ import annotations

import keyword
import sys
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


def _check_name(target: Path) -> None:
    name = target.stem
    if target.suffix != ".py" or not name.isidentifier() or keyword.iskeyword(name):
        raise NotebookUdfError(
            f"{target} cannot be imported: name it like a module, as -o functions.py"
        )
    if name in sys.stdlib_module_names:
        raise NotebookUdfError(
            f"{target} would hide Python's own module {name} from all that runs in its folder: "
            f"name another, as -o {name}_functions.py"
        )


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
        ``requirements.txt``, which is shared: lines are added to one that is there.
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
    _check_name(target)
    tests = target.with_name(f"{target.stem}_test.py")
    packages_file = target.with_name("requirements.txt")
    there = [str(path) for path in (target, tests) if path.exists()]
    if there and not force:
        raise NotebookUdfError(f"{', '.join(there)} is there already; --force overwrites it")
    for path in (target, tests, packages_file):
        if path.is_symlink() and not path.exists():
            raise NotebookUdfError(
                f"{path} is a link to {path.readlink()}, which is not there: remove the link"
            )
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
    if target.stem in {"notebook_udf", *packages.modules}:
        raise NotebookUdfError(
            f"{target} would hide the package {target.stem} that it imports: name another with -o"
        )
    text, notes = tests_text(module, target.stem)
    missing = sorted(set(registered or ()) - {each.name for each in chosen})
    if missing:
        notes.append(f"not exported, because no cell or @nu.register made it: {listed(missing)}")
    notes += [f"{name}.py stands beside the notebook: ship it with the module"
              for name in packages.local]  # fmt: skip
    try:
        asked = packages_file.read_text("utf-8") if packages_file.exists() else ""
        needed_packages, other = packages.added_to(asked)
        notes += [f"{packages_file} asks for {line}, which was left as it is" for line in other]
        for path, content in (
            (target, module.text),
            (tests, text),
            (packages_file, needed_packages),
        ):
            path.write_text(content, "utf-8")
    except UnicodeDecodeError as error:
        raise NotebookUdfError(f"{packages_file} is no text: {error}") from error
    except OSError as error:
        raise NotebookUdfError(f"{error.filename} cannot be written: {error.strerror}") from error
    names_ = tuple(each.name for each in chosen)
    return Exported(target, tests, packages_file, names_, module.plain, tuple(notes))
