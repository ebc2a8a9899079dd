"""Scala's collections as Python's."""

from __future__ import annotations

from typing import Any


def items(sequence: Any) -> list[Any]:
    """The elements of a ``Seq``; takes a call of the JVM for each."""
    return [sequence.apply(place) for place in range(sequence.size())]


def texts(sequence: Any) -> list[str]:
    """The elements of a ``Seq`` as texts."""
    return [str(each) for each in items(sequence)]
