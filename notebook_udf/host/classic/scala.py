"""Reads Scala's collections, and private fields of the JVM's objects."""

from __future__ import annotations

from typing import Any


def items(sequence: Any) -> list[Any]:
    """The elements of a ``Seq``; takes a call of the JVM for each."""
    return [sequence.apply(place) for place in range(sequence.size())]


def texts(sequence: Any) -> list[str]:
    """The elements of a ``Seq`` as texts."""
    return [str(each) for each in items(sequence)]


def private_field(of: Any, name: str) -> Any:
    """A field of an object's class, or of one that it inherits from, with ``get`` and ``set``."""
    owner = of.getClass()
    while all(each.getName() != name for each in owner.getDeclaredFields()):
        owner = owner.getSuperclass()
    field = owner.getDeclaredField(name)
    field.setAccessible(True)
    return field
