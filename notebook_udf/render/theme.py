"""Colours and inline styles of static HTML: JupyterLab's variables, with plain fallbacks.

A sanitiser may remove styles with variables; then the plain colour stays, which is readable on
light and on dark.
"""

from __future__ import annotations

from typing import NamedTuple


class Colour(NamedTuple):
    """A variable of JupyterLab's style sheet, "" for none, and the plain colour in its place."""

    variable: str
    plain: str


BRAND = Colour("--jp-brand-color1", "#1976d2")
WARN = Colour("--jp-warn-color1", "#c25700")
ERROR = Colour("--jp-error-color1", "#d32f2f")
SUCCESS = Colour("--jp-success-color1", "#388e3c")
BORDER = Colour("--jp-border-color1", "#bdbdbd")
VIOLET = Colour("", "#7e57c2")
NONE = Colour("", "transparent")

# Inline styles.
QUIET = "opacity:.72"
POINTED_AT = "cursor:pointer"
CODE_FONT = "font-family:var(--jp-code-font-family, ui-monospace, Menlo, Consolas, monospace)"


def painted(what: str, colour: Colour, before: str = "") -> str:
    """The inline style that gives ``what`` a colour, after words such as ``1px solid``."""
    said = f"{before} " if before else ""
    plain = f"{what}:{said}{colour.plain}"
    if not colour.variable:
        return plain
    return f"{plain};{what}:{said}var({colour.variable}, {colour.plain})"
