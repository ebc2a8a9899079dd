"""Shows an error of this package that ends a cell as a card, and still as an error.

``widgets.card`` makes the card.
"""

from __future__ import annotations

from types import TracebackType
from typing import Any

from notebook_udf.errors import NotebookUdfError
from notebook_udf.widgets.card import card_text
from notebook_udf.widgets.card_display import publish_card


class Cards:
    """Shows errors of this package as cards in one shell."""

    def __init__(self, shell: Any) -> None:
        self._shell = shell
        self._earlier: tuple[Any, Any] | None = None

    def install(self) -> None:
        """Replaces the shell's handler of custom exceptions."""
        self._earlier = self._shell.custom_exceptions, self._shell.CustomTB
        self._shell.set_custom_exc((NotebookUdfError,), _show)

    def uninstall(self) -> None:
        """Restores the shell's former handler."""
        if self._earlier is not None:
            self._shell.custom_exceptions, self._shell.CustomTB = self._earlier


def _show(
    shell: Any,
    kind: type[BaseException],
    error: NotebookUdfError,
    traceback: TracebackType | None,
    tb_offset: int | None = None,
) -> list[str]:
    # It keeps the error for %debug, %tb and pdb.pm().
    shell._get_exc_info((kind, error, traceback))
    # One that is Spark's as well has Spark's text.
    error = vars(error).get("_nu_card", error)
    text = card_text(error)
    if getattr(shell, "kernel", None) is None:
        lines = [f"{kind.__name__}: {text}"]
        shell._showtraceback(kind, text, lines)
        return lines
    lines = publish_card(shell, kind, error, traceback)
    # A notebook runner sees the cell fail by this message, not by the card.
    shell._showtraceback(kind, lines[0], lines)
    return lines
