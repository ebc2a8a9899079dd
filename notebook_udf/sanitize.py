"""Text from workers, logs and data, made fit for a screen. Escaping is ``render.markup``'s."""

from __future__ import annotations

import re

_VISIBLE = {code: 0x2400 + code for code in range(32) if chr(code) not in "\n\t"}
_VISIBLE[0x7F] = 0x2421
# They reorder what stands beside them, so that code can read differently from what it does.
_VISIBLE |= dict.fromkeys((*range(0x202A, 0x202F), *range(0x2066, 0x206A)), 0xFFFD)
# Sequences of ECMA-48: with parameters (colours, positions), with a text (titles, links).
_TERMINAL = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?)")


def plain(text: str, limit: int | None = None) -> str:
    """The same text with everything visible: no control characters, no lone surrogates.

    Parameters
    ----------
    limit
        Longest result; what is cut is counted at its end.
    """
    text = text if limit is None else cut(text, limit)
    shown = text.replace("\r\n", "\n").translate(_VISIBLE)
    # A lone surrogate cannot be sent to a browser: the whole message would be lost.
    return shown.encode("utf-8", "backslashreplace").decode()


def cut(text: str, limit: int) -> str:
    """The beginning of a long text, and how much of it is missing."""
    if len(text) <= limit:
        return text
    return f"{text[:limit]}… ({len(text) - limit:,} more characters)"


def one_line(text: str, limit: int) -> str:
    """``plain`` without line breaks."""
    return plain(text, limit).replace("\n", "⏎").replace("\t", " ")


def first_line(error: BaseException) -> str:
    """What an error says first, or its class if it says nothing."""
    return next(iter(str(error).strip().splitlines()), type(error).__name__)


def without_escapes(text: str) -> str:
    """The text without what tells a terminal its colours and where to write."""
    return _TERMINAL.sub("", text)


def backquoted(name: str) -> str:
    """A name as it can stand in any SQL, whatever is in it."""
    return "`" + name.replace("`", "``") + "`"
