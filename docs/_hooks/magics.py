"""Makes the page of magics and commands from the options themselves, which also make their help."""

from __future__ import annotations

import contextlib
import io
import sys
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

PAGE = "reference/magics.md"


def on_files(files: Files, config: Any) -> Files:
    """Adds the page."""
    files.append(File.generated(config, PAGE, content=_page()))
    return files


def _page() -> str:
    from notebook_udf.magics.magic_options import SPARKSQL_CELL, UDF_CAPTURE, UDF_CELL, UDF_LINE

    parts = [
        "# Magics and commands",
        "After `%load_ext notebook_udf`. `%%udf?` shows the same in a notebook.",
    ]
    for magic in (UDF_CELL, SPARKSQL_CELL, UDF_LINE, UDF_CAPTURE):
        parts += [f"## `{magic.name}`", f"```\n{magic.usage.rstrip()}\n```"]
    parts.append("## `notebook-udf`")
    parts.append(f"```\n{_help('--help')}\n```")
    parts += [f"```\n{_help(name, '--help')}\n```" for name in _commands()]
    return "\n\n".join(parts) + "\n"


def _help(*arguments: str) -> str:
    from notebook_udf.cli import main

    said = io.StringIO()
    with contextlib.redirect_stdout(said), contextlib.suppress(SystemExit):
        main(list(arguments))
    return said.getvalue().rstrip()


def _commands() -> list[str]:
    """The commands, as the help lists them."""
    lines = _help("--help").partition("COMMAND\n")[2].splitlines()
    return [line.split()[0] for line in lines if line.startswith("    ") and line[4:5].strip()]
