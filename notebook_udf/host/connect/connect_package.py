"""This package as an artifact, for workers that lack it."""

from __future__ import annotations

import hashlib
import zipfile
from pathlib import Path

_ROOT = Path(__file__).resolve().parents[2]


def packed(folder: Path) -> Path:
    """A ``.zip`` with the modules of this package, in ``folder``, from which Python imports it.

    Named by what is in it: a session takes an artifact of another content by another name only.
    """
    paths = sorted(_ROOT.rglob("*.py"))
    content = hashlib.sha256()
    for path in paths:
        content.update(f"{path.relative_to(_ROOT)}\0".encode())
        content.update(path.read_bytes())
    made = folder / f"{_ROOT.name}-{content.hexdigest()[:16]}.zip"
    if not made.exists():
        with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as file:
            for path in paths:
                file.write(path, path.relative_to(_ROOT.parent))
    return made
