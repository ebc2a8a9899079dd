"""Shows the tutorials as pages: their cells, and what a run of them left under each.

``python docs/_hooks/tutorials.py`` runs those whose result is older than the tutorial or the
package, into ``build/tutorials``; ``make docs`` does so first. A build without them shows the
cells alone and says so, which is how the tests check the site without running them again.

``--pictures`` writes the pictures with which the tutorials open, too: what the cell that is tagged
``answer`` drew, in few colours. Names of tutorials after it stand for those alone.
"""

from __future__ import annotations

import base64
import html
import io
import re
import sys
from pathlib import Path
from typing import Any

from address import binder

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS = ROOT / "notebooks"
RUN = ROOT / "build" / "tutorials"
PICTURES = ROOT / "docs" / "images" / "tutorials"
# A picture is loaded with its tutorial, before anything has been asked for.
MOST_BYTES = 60_000
_QUESTION = re.compile(r"\*\*The question\.\*\* (.+?)\n\n|\*\*(.+?\?)\*\*", re.S)
_PICTURE = re.compile(r"!\[[^]]+\]\(\.\./images/tutorials/.+?\)")
_OUTPUTS: dict[str, str] = {}


def on_config(config: Any) -> Any:
    """Puts the pages into the navigation."""
    pages = [f"tutorials/{path.stem}.md" for path in sorted(NOTEBOOKS.glob("*.ipynb"))]
    (entry,) = [entry for entry in config.nav if "Tutorials" in entry]
    entry["Tutorials"] = ["tutorials/index.md", *pages]
    return config


def on_files(files: Any, config: Any) -> Any:
    """Adds a page for each tutorial, and one that lists them."""
    from mkdocs.structure.files import File

    listed = []
    for path in sorted(NOTEBOOKS.glob("*.ipynb")):
        uri = f"tutorials/{path.stem}.md"
        text = _page(path, f"tutorials/{path.stem}")
        title = text.partition("\n")[0].removeprefix("# ")
        question = _QUESTION.search(text)
        said = " ".join((question[1] or question[2]).split()) if question else ""
        shown = _PICTURE.search(text)
        picture = f"{shown[0]}{{ width=220 }}" if shown else ""
        row = [f"[{title}]({path.stem}.md)", said, picture, f"[open]({binder(path.name)})"]
        listed.append(f"| {' | '.join(row)} |")
        files.append(File.generated(config, uri, content=text))
    index = "\n".join([_INDEX, *listed, ""])
    files.append(File.generated(config, "tutorials/index.md", content=index))
    return files


def on_page_content(content: str, page: Any, **_: Any) -> str:
    """Puts outputs where their cells ended: Markdown has not touched them."""
    return re.sub(
        r'<div class="nu-output" id="(.+?)"></div>',
        lambda found: f'<div class="nu-output">{_OUTPUTS[found[1]]}</div>',
        content,
    )


def _page(path: Path, uri: str) -> str:
    import nbformat

    run = RUN / path.name
    shown = nbformat.read(run if run.exists() else path, as_version=4)
    parts = []
    for number, cell in enumerate(shown.cells):
        if cell.cell_type == "markdown":
            text = cell.source.replace("<details>", '<details markdown="1">')
            parts.append(text.replace("](../docs/images/", "](../images/"))
            continue
        language = "sql" if cell.source.startswith("%%sparksql") else "python"
        parts.append(f"```{language}\n{cell.source}\n```")
        outputs = "".join(map(_output, cell.get("outputs", ())))
        if outputs:
            name = f"{uri}-{number}"
            _OUTPUTS[name] = outputs
            parts.append(f'<div class="nu-output" id="{name}"></div>')
    note = f"[Open it in Binder]({binder(path.name)}), or run `notebook-udf lab` and it is yours."
    if not run.exists():
        note += " This build of the pages was made without running it: outputs are missing."
    title, rest = parts[0].split("\n", 1)
    return "\n\n".join([title, f'!!! tip ""\n    {note}', rest, *parts[1:]])


def _output(output: Any) -> str:
    from nbconvert.filters import ansi2html

    if output.output_type == "stream":
        return f"<pre>{ansi2html(output.text)}</pre>"
    if output.output_type == "error":
        text = "\n".join(output.traceback)
        return f"<pre>{ansi2html(text)}</pre>"
    data = output.get("data", {})
    if "image/png" in data:
        said = html.escape(data.get("text/plain", "a chart"), quote=True)
        return f'<img alt="{said}" src="data:image/png;base64,{data["image/png"].strip()}">'
    if "text/html" in data:
        return str(data["text/html"])
    text = data.get("text/plain", "")
    return f"<pre>{html.escape(text)}</pre>" if text else ""


def run_all(names: list[str]) -> None:
    """Runs the tutorials whose result is missing or old: those named, or all."""
    import nbformat
    from nbclient import NotebookClient

    RUN.mkdir(parents=True, exist_ok=True)
    code = max(path.stat().st_mtime for path in (ROOT / "notebook_udf").rglob("*.py"))
    for path in sorted(NOTEBOOKS.glob("*.ipynb")):
        kept = RUN / path.name
        if names and path.stem not in names:
            continue
        if kept.exists() and kept.stat().st_mtime > max(code, path.stat().st_mtime):
            continue
        print(f"running {path.name}", file=sys.stderr, flush=True)
        notebook = nbformat.read(path, as_version=4)
        resources = {"metadata": {"path": str(RUN)}}
        NotebookClient(notebook, timeout=600, resources=resources).execute()
        nbformat.write(notebook, kept)


def write_pictures(names: list[str]) -> None:
    """Writes the picture of the answer of each tutorial that has been run: of those named, or all.

    Raises
    ------
    ValueError
        If a tutorial has no picture, or one that is too large to open with.
    """
    import nbformat

    PICTURES.mkdir(parents=True, exist_ok=True)
    for path in sorted(RUN.glob("*.ipynb")):
        if names and path.stem not in names:
            continue
        notebook = nbformat.read(path, as_version=4)
        tagged = [cell for cell in notebook.cells if "answer" in cell.metadata.get("tags", ())]
        drawn = [
            output.data["image/png"]
            for cell in tagged
            for output in cell.outputs
            if "image/png" in output.get("data", {})
        ]
        if len(drawn) != 1:
            raise ValueError(f"{path.stem} draws {len(drawn)} pictures of its answer, and not one")
        picture = few_colours(base64.b64decode(drawn[0]))
        if len(picture) > MOST_BYTES:
            raise ValueError(f"the picture of {path.stem} has {len(picture):,} bytes: draw less")
        (PICTURES / f"{path.stem}.png").write_bytes(picture)
        print(f"{path.stem}.png: {len(picture):,} bytes", file=sys.stderr)


def few_colours(picture: bytes) -> bytes:
    """The same picture with a palette, which takes a third of the bytes."""
    from PIL import Image

    written = io.BytesIO()
    with Image.open(io.BytesIO(picture)) as image:
        image.convert("RGB").quantize(128, dither=Image.Dither.NONE).save(
            written, "PNG", optimize=True
        )
    return written.getvalue()


_INDEX = """# Tutorials

Each answers a question about 336,776 real flights in under ten minutes, with a chart, and ends with
an exercise whose solution is folded away. `pip install 'notebook-udf[tutorials]'` brings what the
charts need. The tests run all of them, solutions included; what you see under a cell is what a run
left there.

| | the question | the answer | in Binder |
|---|---|---|---|"""

if __name__ == "__main__":
    asked = [name for name in sys.argv[1:] if name != "--pictures"]
    run_all(asked)
    if "--pictures" in sys.argv[1:]:
        write_pictures(asked)
