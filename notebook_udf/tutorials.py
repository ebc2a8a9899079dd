"""Finds the tutorials, copies them for the user, and runs one without a browser.

Each opens with a picture, which in the repository stands among those of the documentation.
"""

from __future__ import annotations

import importlib.util
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

from notebook_udf.errors import NotebookUdfError

FIRST = "01-first-function.ipynb"
# Where a tutorial in the repository finds its picture, and where a copy of it does.
IN_REPOSITORY = "../docs/images/tutorials"
BESIDE = "pictures"
# A cell that draws, for which matplotlib is needed.
CHART = "chart"


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


def pictures_folder() -> Path:
    """The folder of the pictures with which the tutorials open."""
    folder = tutorials_folder()
    installed = folder / BESIDE
    return installed if installed.exists() else folder / IN_REPOSITORY


def copy_tutorials(target: Path) -> Path:
    """Copies the tutorials into ``target``; files that exist there are not overwritten.

    Their pictures go into a folder beside them, and the copies show them from there.

    Returns
    -------
    Path
        The first tutorial's copy.
    """
    target.mkdir(parents=True, exist_ok=True)
    for source in sorted(tutorials_folder().glob("*.ipynb")):
        if not (target / source.name).exists():
            text = source.read_text("utf-8").replace(f"{IN_REPOSITORY}/", f"{BESIDE}/")
            (target / source.name).write_text(text, "utf-8")
    (target / BESIDE).mkdir(exist_ok=True)
    for picture in sorted(pictures_folder().glob("*.png")):
        if not (target / BESIDE / picture.name).exists():
            shutil.copyfile(picture, target / BESIDE / picture.name)
    return target / FIRST


def run_tutorial(path: Path, show: Callable[[str, list[str]], None]) -> None:
    """Runs a notebook in a kernel of its own, and passes each cell and its output to ``show``.

    Without matplotlib, which only the extra ``tutorials`` brings, charts are left out.

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
    if importlib.util.find_spec("matplotlib") is None:
        notebook.cells = [
            cell for cell in notebook.cells if CHART not in cell.metadata.get("tags", ())
        ]

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
