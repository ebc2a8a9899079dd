"""Writes values and calls as Python source, broken into lines as formatters do."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

LINE = 88


@dataclass(frozen=True)
class PythonCall:
    """A call to write: the function, its arguments, and the text behind the closing bracket."""

    name: str
    arguments: tuple[str | PythonCall, ...]
    behind: str = ""

    def text(self, indent: int = 0, before: int = 0) -> str:
        """The source of the call on as few lines as it needs.

        Parameters
        ----------
        indent
            The indentation of the line it starts on.
        before
            The number of characters before it on that line, without the indentation.
        """
        inner = ", ".join(_flat(each) for each in self.arguments)
        line = f"{self.name}({inner}){self.behind}"
        if indent + before + len(line) + 1 <= LINE:
            return line
        margin = " " * (indent + 4)
        if len(margin) + len(inner) <= LINE:
            return f"{self.name}(\n{margin}{inner}\n{margin[4:]}){self.behind}"
        lines = [
            each.text(indent + 4) if isinstance(each, PythonCall) else each
            for each in self.arguments
        ]
        broken = "".join(f"{margin}{each},\n" for each in lines)
        return f"{self.name}(\n{broken}{margin[4:]}){self.behind}"


def _flat(argument: str | PythonCall) -> str:
    if isinstance(argument, str):
        return argument
    return f"{argument.name}({', '.join(map(_flat, argument.arguments))}){argument.behind}"


def quoted(text: str) -> str:
    """A string literal in double quotes."""
    return json.dumps(text, ensure_ascii=False)


def source(value: Any) -> str:
    """A str, number, bool or list of them as Python source."""
    if isinstance(value, str):
        return quoted(value)
    if isinstance(value, list):
        return f"[{', '.join(map(source, value))}]"
    return repr(value)
