"""What is put into PySpark for as long as a session lives."""

from __future__ import annotations

from typing import Any, Protocol


class Hook(Protocol):
    """Something that is put into PySpark for as long as a session lives."""

    def install(self) -> None:
        """Puts it there."""

    def uninstall(self) -> None:
        """Takes it away again."""


class Replacing:
    """A hook that puts functions of its own in the place of PySpark's."""

    def __init__(self) -> None:
        self._originals: list[tuple[Any, str, Any]] = []

    def _replace(self, owner: Any, name: str, own: Any) -> None:
        """Puts ``own`` in the place of a module's or a class's function."""
        self._originals.append((owner, name, getattr(owner, name)))
        setattr(owner, name, own)

    def uninstall(self) -> None:
        """Leaves PySpark as it was."""
        while self._originals:
            setattr(*self._originals.pop())
