"""Shows an error of this package that ends a cell as a card, and still as an error.

``widgets.card`` makes the card.
"""

from __future__ import annotations

from types import TracebackType
from typing import Any

from pyspark.errors import PythonException

from notebook_udf.errors import NotebookUdfError, RemoteError
from notebook_udf.widgets.card import card_html, card_text, headline


class Cards:
    """Shows errors of this package as cards in one shell."""

    def __init__(self, shell: Any) -> None:
        self._shell = shell
        self._earlier: tuple[Any, Any] | None = None

    def install(self) -> None:
        """Replaces the shell's handler of custom exceptions."""
        self._earlier = self._shell.custom_exceptions, self._shell.CustomTB
        self._shell.set_custom_exc((NotebookUdfError, PythonException), _show)

    def uninstall(self) -> None:
        """Restores the shell's former handler."""
        if self._earlier is not None:
            self._shell.custom_exceptions, self._shell.CustomTB = self._earlier


def _show(
    shell: Any,
    kind: type[BaseException],
    raised: BaseException,
    traceback: TracebackType | None,
    tb_offset: int | None = None,
) -> list[str]:
    # An error of Spark's has a card if a function made by PySpark's own API raised.
    error = getattr(raised, "_nu_card", raised)
    if not isinstance(error, NotebookUdfError):
        told = shell.InteractiveTB.structured_traceback(
            kind, raised, traceback, tb_offset=tb_offset
        )
        shell._showtraceback(kind, raised, told)
        return list(told)
    # It keeps the error for %debug, %tb and pdb.pm().
    shell._get_exc_info((kind, raised, traceback))
    text = card_text(error)
    if getattr(shell, "kernel", None) is None:
        lines = [f"{kind.__name__}: {text}"]
        shell._showtraceback(kind, text, lines)
        return lines
    lines = _short(shell, kind, error, traceback)
    shell.display_pub.publish({"text/html": card_html(error, kind.__name__), "text/plain": text})
    # A notebook runner sees the cell fail by this message, not by the card.
    shell._showtraceback(kind, lines[0], lines)
    return lines


def _short(
    shell: Any,
    kind: type[BaseException],
    error: NotebookUdfError,
    traceback: TracebackType | None,
) -> list[str]:
    """The headline and the position of an error, for the cell's error output."""
    lines = [f"{kind.__name__}: {headline(error)}"]
    failed = error.failed if isinstance(error, RemoteError) else None
    if failed is not None and failed.has_position:
        lines.append(f"at {failed.position}")
    place = _place(shell, traceback)
    if place:
        lines.append(f"raised in {place}")
    return lines


def _place(shell: Any, traceback: TracebackType | None) -> str:
    """The innermost line of a cell in the traceback, in words; "" without one."""
    place = ""
    while traceback is not None:
        file = traceback.tb_frame.f_code.co_filename
        name = shell.compile.format_code_name(file)
        if name is not None:
            place = f"{name[0]} {name[1]}, line {traceback.tb_lineno}"
        traceback = traceback.tb_next
    return place
