"""Hooks: changes to PySpark for the lifetime of a session."""

from __future__ import annotations

from typing import Any, Protocol


class Hook(Protocol):
    """A change to PySpark for the lifetime of a session."""

    def install(self) -> None:
        """Makes the change."""

    def uninstall(self) -> None:
        """Undoes the change."""


class Replacing:
    """A hook that replaces functions of PySpark."""

    def __init__(self) -> None:
        self._originals: list[tuple[Any, str, Any]] = []

    def _replace(self, owner: Any, name: str, own: Any) -> None:
        """Replaces a function of a module or class with ``own``."""
        self._originals.append((owner, name, getattr(owner, name)))
        setattr(owner, name, own)

    def uninstall(self) -> None:
        """Puts PySpark's functions back."""
        while self._originals:
            setattr(*self._originals.pop())
