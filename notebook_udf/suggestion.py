"""The known name that a misspelt one was probably meant to be."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


def nearest(name: str, known: Iterable[str]) -> str | None:
    """The known name most like ``name``, letter case aside; None if none is like it."""
    by_lower = {candidate.lower(): candidate for candidate in known}
    found = get_close_matches(name.lower(), by_lower, n=1)
    return by_lower[found[0]] if found else None


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """``"; did you mean NAME?"`` to end a message with, or nothing."""
    found = nearest(name, known)
    return "" if found is None else f"; did you mean {found}?"
