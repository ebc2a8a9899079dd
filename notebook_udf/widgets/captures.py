"""What writes tests of calls that a browser shows; set by what has the notebook's cells."""

from __future__ import annotations

from collections.abc import Callable


class Captures:
    """One a process, as there is one notebook.

    Attributes
    ----------
    write
        Writes a file of tests of a function, of calls that failed or else of all that are known,
        and says which file. None outside of a notebook.
    """

    def __init__(self) -> None:
        self.write: Callable[[str, bool], str] | None = None


captures = Captures()
