"""Makes text from workers, logs and data safe to display. ``render.markup`` escapes it."""

from __future__ import annotations

import re

_VISIBLE = {code: 0x2400 + code for code in range(32) if chr(code) not in "\n\t"}
_VISIBLE[0x7F] = 0x2421
# Terminals take them for sequences of ECMA-48, too.
_VISIBLE |= dict.fromkeys(range(0x80, 0xA0), 0xFFFD)
# They reorder the text beside them, so that code can look different from what it does.
_REORDERING = (0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A))
_VISIBLE |= dict.fromkeys(_REORDERING, 0xFFFD)
_USER_INFO = re.compile(r"(\b[A-Za-z][\w+.-]*://)[^/?#\s]+@")
# Sequences of ECMA-48: with parameters (colours, positions), with a text (titles, links).
_TERMINAL = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?)")


def plain(text: str, limit: int | None = None) -> str:
    """Makes all characters of a text visible: no control characters, no lone surrogates.

    Parameters
    ----------
    limit
        The most characters kept; the number of those cut off is added at the end.
    """
    text = text if limit is None else cut(text, limit)
    shown = text.replace("\r\n", "\n").translate(_VISIBLE)
    # A lone surrogate cannot be sent to a browser: the whole message would be lost.
    return shown.encode("utf-8", "backslashreplace").decode()


def cut(text: str, limit: int) -> str:
    """Cuts a long text after ``limit`` characters, and adds how many are missing."""
    if len(text) <= limit:
        return text
    return f"{text[:limit]}… ({len(text) - limit:,} more characters)"


def one_line(text: str, limit: int | None = None) -> str:
    """``plain`` without line breaks."""
    return plain(text, limit).replace("\n", "⏎").replace("\t", " ")


def without_secrets(text: str) -> str:
    """Replaces what stands before the host in addresses: a name and a password, or a token."""
    return _USER_INFO.sub(r"\1****@", text)


def first_line(error: BaseException) -> str:
    """The first line of an error's text; its class if that is empty."""
    return next(iter(str(error).strip().splitlines()), type(error).__name__)


def without_escapes(text: str) -> str:
    """Removes terminal escape sequences (colours, positions, titles, links) from a text."""
    return _TERMINAL.sub("", text)


def backquoted(name: str) -> str:
    """A name as a back-quoted SQL identifier, whatever characters it has."""
    return "`" + name.replace("`", "``") + "`"


def sql_string(text: str) -> str:
    """A text as a single-quoted SQL string, whatever characters it has."""
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"
