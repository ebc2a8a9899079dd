"""The classes that every function's Java calls."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from notebook_udf.compile.java import unicode_tables
from notebook_udf.compile.java.java_class import PACKAGE


@lru_cache(maxsize=1)
def library() -> str:
    """Their source, as one unit."""
    texts = [path.read_text("utf-8") for path in sorted(Path(__file__).parent.glob("*.java"))]
    lines = [line for text in (*texts, unicode_tables.source()) for line in text.splitlines()]
    imports = dict.fromkeys(line for line in lines if line.startswith("import "))
    code = (line for line in lines if not line.startswith(("import ", "package ")))
    return "\n".join([f"package {PACKAGE};", *imports, *code])
