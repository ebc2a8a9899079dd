"""The values that once made a target fail, as JSON: one file for each target."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

_FOLDER = Path(__file__).with_name("corpus")


def values(name: str) -> list[Any]:
    """Those of a target; bytes are written as text of their code points."""
    path = _FOLDER / f"{name}.json"
    found: list[Any] = json.loads(path.read_text("utf-8")) if path.exists() else []
    if name == "wire":
        return [[frame.encode("latin-1") for frame in frames] for frames in found]
    return found


def add(name: str, value: Any) -> None:
    """Keeps another one."""
    known = values(name)
    if value not in known:
        texts = [*known, value]
        if name == "wire":
            texts = [[frame.decode("latin-1") for frame in frames] for frames in texts]
        _FOLDER.mkdir(exist_ok=True)
        (_FOLDER / f"{name}.json").write_text(json.dumps(texts, indent=1) + "\n", "utf-8")
