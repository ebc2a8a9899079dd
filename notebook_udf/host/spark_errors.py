"""Spark's errors, from where they arrive in this process to what is raised."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeAlias


class RaisedError(Protocol):
    """An error of Spark's that is about to be raised."""

    @property
    def text(self) -> str:
        """Its whole text, with the stack and the texts of its causes."""

    def converted(self) -> Any:
        """The exception that would be raised for it."""


# Gives what is raised for an error.
Translation: TypeAlias = Callable[[RaisedError], BaseException]


class SparkErrors(Protocol):
    """The errors that calls of Spark raise.

    Attributes
    ----------
    without_package
        What is said if a Python of Spark's lacks this package.
    """

    without_package: str

    def folders(self) -> list[str]:
        """Where Spark puts what does not fit in memory, if that is on this machine."""

    def translate(self, translation: Translation) -> Callable[[], None]:
        """Has all errors go through a translation, after those that are there already.

        ``converted`` is what these have made of it. Returns what ends that.
        """

    def recognized(self, error: Any, raised: RaisedError) -> Any:
        """The exception with access to Spark's error condition, where PySpark has no class for it;
        the same exception for any other."""

    def raised(self, error: Any) -> Any:
        """The exception that is raised where a translation returns ``error``, as Spark made it."""

    def is_refusal(self, error: Any) -> bool:
        """Whether Spark refuses what it was asked: no failure of a function or of the connection.

        It then has a condition, parameters and contexts, as PySpark's exceptions have.
        """

    def message(self, error: Any) -> str:
        """What Spark says in an error, without the stack of its process."""

    def stack(self, error: Any) -> str:
        """That stack; "" if the error carries none."""

    def query_of(self, context: Any, sent: Sequence[str]) -> str | None:
        """The text of the query that a context of an error points into; None if it is no query.

        ``sent`` are texts that Spark may have been given, for errors that do not tell it whole.
        """

    def unparsed(self, error: Any, sent: Sequence[str]) -> str | None:
        """The text that Spark could not parse, if that is the error; ``sent`` as above."""
