"""Suggests the known name that a misspelt one was probably meant to be."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import SequenceMatcher

# Two thirds of the letters in the same order: below it, one name is as good as another.
_ALIKE = 0.66


def nearest(name: str, known: Iterable[str], alike: float = _ALIKE) -> str | None:
    """The known name most similar to ``name``, letter case aside; None if none is similar.

    Of several that are equally similar, the first. ``alike`` is the least similarity, from 0 to 1.
    """
    best, found = alike, None
    matcher = SequenceMatcher(autojunk=False)
    matcher.set_seq2(name.lower())
    for other in known:
        matcher.set_seq1(other.lower())
        if matcher.real_quick_ratio() >= best and matcher.quick_ratio() >= best:
            ratio = matcher.ratio()
            if ratio > best or (found is None and ratio >= best):
                best, found = ratio, other
    return found


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """`` (did you mean NAME?)``, to follow an unknown name; "" if no known name is similar."""
    found = nearest(name, known)
    return "" if found is None else f" (did you mean {found}?)"
