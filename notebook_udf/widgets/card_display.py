"""Puts cards of errors into a notebook's output, beside the error of the cell."""

from __future__ import annotations

import sys
from functools import cache
from types import TracebackType
from typing import Any

from notebook_udf.errors import NotebookUdfError, RemoteError, named_like
from notebook_udf.widgets.card import card_html, card_text, headline


def publish_card(
    shell: Any,
    kind: type[BaseException],
    error: NotebookUdfError,
    traceback: TracebackType | None,
) -> list[str]:
    """Shows the card of an error in a notebook; ``kind`` is what is raised for it.

    Returns
    -------
    list of str
        The lines of the cell's error output.
    """
    data = {"text/html": card_html(error, kind.__name__), "text/plain": card_text(error)}
    shell.display_pub.publish(data)
    return _short(shell, kind, error, traceback)


def give_card(raised: Any, card: NotebookUdfError) -> None:
    """Has an exception of somebody else's shown as a card, where errors of this package are; it
    stays what it is."""

    @cache
    def rendered() -> list[str]:
        # IPython asks for this, for one error several times.
        ipython = sys.modules.get("IPython")
        shell = ipython.get_ipython() if ipython is not None else None
        shows = NotebookUdfError in getattr(shell, "custom_exceptions", ())
        if not shows or getattr(shell, "kernel", None) is None:
            return card_text(card).splitlines()
        return publish_card(shell, type(raised), card, raised.__traceback__)

    vars(raised)["_nu_card"] = card
    vars(raised)["_render_traceback_"] = rendered


def make_ours_as_well(raised: Any, error: NotebookUdfError) -> None:
    """Makes an exception of somebody else's one of this package too.

    It keeps its class, its text and what it has; it is of the class of ``error`` as well, with its
    attributes, and is shown as its card.
    """
    kind: Any = type(raised)
    ours: Any = type(error)
    raised.__class__ = named_like(kind, kind, ours)
    for name, value in vars(error).items():
        vars(raised).setdefault(name, value)
    give_card(raised, error)


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
