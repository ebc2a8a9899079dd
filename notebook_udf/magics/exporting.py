"""Reads the cells to export from a notebook's file, or from the running notebook's history.

``export`` makes a module of them.
"""

from __future__ import annotations

import ast
import keyword
import os
import re
import sys
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from IPython.core.inputtransformer2 import TransformerManager

from notebook_udf.errors import DeclarationError, NotebookUdfError
from notebook_udf.export.cells import ExportedCell, UdfLine
from notebook_udf.export.files import Exported, export
from notebook_udf.magics.defining import function_options
from notebook_udf.magics.magic_options import UDF_CELL

# Cell magics whose cells are Python.
_PYTHON = ("capture", "time")
_MAGIC = re.compile(r"\s*%%(\w+)")
# Python's tokenizer may die of the first by a SystemError, and cannot be given halves of
# characters at all.
_IN_NO_FILE = re.compile("[\x00\ud800-\udfff]")


def export_notebook(notebook: Path, target: Path, *, force: bool = False) -> Exported:
    """Exports the functions of a notebook's file; see ``export``.

    What the module itself runs when it is imported is run: constants, decorators, base classes.

    Raises
    ------
    NotebookUdfError
        If the file cannot be read as a notebook, and as ``export``.
    """
    import nbformat

    try:
        document = nbformat.read(notebook, as_version=4)
    except OSError as error:
        raise NotebookUdfError(f"{notebook} cannot be read: {error.strerror}") from error
    except Exception as error:
        raise NotebookUdfError(f"{notebook} is no notebook: {error}") from error
    sources = [(c.source, shown(c.outputs)) for c in document.cells if c.cell_type == "code"]
    return export(
        cells(sources), target, notebook=notebook.name, folder=notebook.resolve().parent,
        force=force,
    )  # fmt: skip


def export_session(
    shell: Any,
    registered: Mapping[str, str],
    tried: Mapping[str, str],
    target: Path,
    *,
    force: bool = False,
) -> Exported:
    """Exports the registered functions from the cells that were run.

    ``tried`` is the output of each cell's example, by the cell's text below its first line.
    """
    # Jupyter tells a kernel the path of its notebook.
    name = Path(os.environ.get("JPY_SESSION_NAME") or "a notebook").name
    return export(
        cells_of(shell, tried), target, notebook=name, folder=Path.cwd(),
        registered=registered, force=force,
    )  # fmt: skip


def cells_of(shell: Any, tried: Mapping[str, str]) -> list[ExportedCell]:
    """The cells that were run; ``tried`` is as for ``export_session``."""
    sources = [
        (source, tried.get(source.strip().partition("\n")[2].strip(), ""))
        for source in shell.history_manager.input_hist_raw[1:]
    ]
    return cells(sources, lenient=True)


def module_name(notebook: Path) -> Path:
    """The file name of the module exported from a notebook, made from the notebook's name."""
    name = re.sub(r"\W+", "_", notebook.stem).strip("_").lower() or "functions"
    if name[0].isdigit():
        return Path(f"functions_{name}.py")
    taken = name in sys.stdlib_module_names or keyword.iskeyword(name)
    return Path(f"{name}_functions.py" if taken else f"{name}.py")


def cells(sources: list[tuple[str, str]], *, lenient: bool = False) -> list[ExportedCell]:
    """Code cells as Python; those of other languages are empty.

    Parameters
    ----------
    sources
        Each cell's text, and the output of its example.
    lenient
        Whether cells that do not parse, and so cannot have run, are empty too.
    """
    made = []
    for number, (source, result) in enumerate(sources, 1):
        try:
            cell = _cell(number, source, result)
            if lenient:
                ast.parse(cell.code)
        except (DeclarationError, SyntaxError):
            if not lenient:
                raise
            cell = ExportedCell(number, "")
        made.append(cell)
    return made


def shown(outputs: list[Any]) -> str:
    """The output of a ``%%udf`` cell's example: its last display, after that of the function."""
    texts = [
        str(output["data"].get("text/plain", ""))
        for output in outputs
        if output.get("output_type") in ("display_data", "execute_result")
    ]
    return texts[-1] if len(texts) > 1 else ""


def _cell(number: int, source: str, result: str) -> ExportedCell:
    magic = _MAGIC.match(source)
    if magic is not None and magic[1] not in (*_PYTHON, "udf"):
        return ExportedCell(number, "")
    wrong = _IN_NO_FILE.search(source)
    if wrong is not None:
        where = f"cell {number}, line {source.count(chr(10), 0, wrong.start()) + 1}"
        name = f"U+{ord(wrong[0]):04X}"
        raise DeclarationError(f"{where}: no file of Python can hold {name}: remove it")
    if magic is None:
        return ExportedCell(number, _python(source))
    head, _, body = source.lstrip().partition("\n")
    blank = "\n" * (source[: len(source) - len(source.lstrip())].count("\n") + 1)
    if magic[1] in _PYTHON:
        return ExportedCell(number, blank + _python(body))
    try:
        arguments = UDF_CELL.parse(head.removeprefix("%%udf"))
        options = function_options(arguments)
    except DeclarationError as error:
        raise DeclarationError(f"cell {number}: {error}") from None
    line = UdfLine(
        arguments.name, options, bool(arguments.replace), arguments.query,
        result if arguments.query else "",
    )  # fmt: skip
    return ExportedCell(number, blank + _python(body), line)


def _python(source: str) -> str:
    """The cell with IPython's syntax transformed to Python; blank lines at its start stay."""
    blank = source[: len(source) - len(source.lstrip("\n"))]
    with warnings.catch_warnings():
        # IPython splits lines at characters that are none of Python's, and wonders about them.
        warnings.filterwarnings("ignore", "`make_tokens_by_line` received", UserWarning)
        try:
            return blank + str(TransformerManager().transform_cell(source.lstrip("\n")))
        except SyntaxError:
            # It is no Python either, and whoever parses it says so with its cell.
            return source
