"""Finds the tutorials, copies them for the user, and runs one without a browser."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

from notebook_udf.errors import NotebookUdfError

FIRST = "01-first-function.ipynb"


def tutorials_folder() -> Path:
    """The folder of the tutorials: in the installed package, or in the repository beside it.

    Raises
    ------
    NotebookUdfError
        If they are in neither.
    """
    here = Path(__file__).resolve().parent
    for folder in (here / "notebooks", here.parent / "notebooks"):
        if (folder / FIRST).exists():
            return folder
    raise NotebookUdfError(f"the tutorials are missing from {here}; install the package again")


def copy_tutorials(target: Path) -> Path:
    """Copies the tutorials into ``target``; files that exist there are not overwritten.

    Returns
    -------
    Path
        The first tutorial's copy.
    """
    target.mkdir(parents=True, exist_ok=True)
    for source in sorted(tutorials_folder().glob("*.ipynb")):
        if not (target / source.name).exists():
            shutil.copyfile(source, target / source.name)
    return target / FIRST


def run_tutorial(path: Path, show: Callable[[str, list[str]], None]) -> None:
    """Runs a notebook in a kernel of its own, and passes each cell and its output to ``show``.

    Parameters
    ----------
    path
        The notebook; the file is not changed.
    show
        Called after each code cell with its source and its outputs as plain text.

    Raises
    ------
    nbclient.exceptions.CellExecutionError
        If a cell fails that is not meant to.
    """
    import nbformat
    from nbclient import NotebookClient

    notebook = nbformat.read(path, as_version=4)

    def done(cell: Any, cell_index: int, **_: Any) -> None:
        if cell.cell_type == "code":
            show(cell.source, [text for output in cell.outputs if (text := output_text(output))])

    client = NotebookClient(
        notebook,
        timeout=600,
        resources={"metadata": {"path": str(path.parent)}},
        on_cell_executed=done,
    )
    client.execute()


def output_text(output: Any) -> str:
    """An output of a cell as plain text; "" if it has none."""
    if output.output_type == "stream":
        return str(output.text).rstrip()
    if output.output_type == "error":
        return "\n".join(output.traceback)
    return str(output.get("data", {}).get("text/plain", "")).rstrip()
