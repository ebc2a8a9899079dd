"""Reads the address of the repository and the name of the package, which pyproject.toml alone says.

The site and its links to Binder take the address from here. README.md, CITATION.cff and the page on
Binder cannot read it, and repeat it: ``make address URL=https://github.com/OWNER/NAME`` changes all
of them, and a test holds that they agree.
"""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
PROJECT = ROOT / "pyproject.toml"
REPEATED = ("README.md", "CITATION.cff", "docs/how-to/binder.md")
_FORM = re.compile(r"https://github\.com/([\w.-]+/[\w.-]+?)/?")


def on_config(config: Any) -> Any:
    """Says where the repository is, for the link at the top of each page."""
    config.repo_url = repository()
    # What MkDocs would have made of an address in its own file.
    config.repo_name = "GitHub"
    config.edit_uri = ""
    return config


def package() -> str:
    """The name under which the package is installed."""
    return str(_project()["name"])


def repository() -> str:
    """The address of the repository, as pyproject.toml says it."""
    return str(_project()["urls"]["Repository"])


def binder(notebook: str = "") -> str:
    """The address at which Binder opens a tutorial."""
    return f"{_binder(repository())}?urlpath=lab/tree/notebooks/{notebook}"


def move(text: str, old: str, new: str) -> str:
    """A text whose links to a repository, and to Binder's copy of it, lead to another one."""
    return text.replace(_binder(old), _binder(new)).replace(old, new)


def change(url: str) -> list[str]:
    """Writes another address into all files that have it; returns which of them changed."""
    old, new = repository(), f"https://github.com/{_owner_and_name(url)}"
    changed = []
    for name in (PROJECT.name, *REPEATED):
        path = ROOT / name
        before = path.read_text("utf-8")
        after = move(before, old, new)
        if after != before:
            path.write_text(after, "utf-8")
            changed.append(name)
    return changed


def _project() -> dict[str, Any]:
    project: dict[str, Any] = tomllib.loads(PROJECT.read_text("utf-8"))["project"]
    return project


def _binder(url: str) -> str:
    return f"https://mybinder.org/v2/gh/{_owner_and_name(url)}/main"


def _owner_and_name(url: str) -> str:
    found = _FORM.fullmatch(url)
    if found is None:
        raise ValueError(f"{url!r} is not of the form https://github.com/OWNER/NAME")
    return found[1]


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(f"usage: python {sys.argv[0]} https://github.com/OWNER/NAME")
    try:
        print("\n".join(change(sys.argv[1])) or "nothing to change")
    except ValueError as wrong:
        sys.exit(str(wrong))
