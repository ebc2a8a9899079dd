"""Errors of a Connect session: gRPC's, which PySpark converts in one place."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property, partial
from typing import Any

from pyspark.errors.exceptions import connect
from pyspark.sql.connect.client import core

from notebook_udf.host.error_hook import translating
from notebook_udf.host.spark_errors import RaisedError, Translation

# Errors about the server or about a function.
_NO_REFUSALS = (connect.UnknownException, connect.PythonException)


class _GrpcError:
    """See ``RaisedError``."""

    def __init__(self, convert: Callable[[], Any]) -> None:
        self._convert = convert

    @cached_property
    def _converted(self) -> Any:
        return self._convert()

    @property
    def text(self) -> str:
        error = self._converted
        message, stack = message_of(error), getattr(error, "_stacktrace", None) or ""
        # The message is in the stack's first line, and cut there.
        return "\n".join(filter(None, (message, stack)))

    def converted(self) -> Any:
        return self._converted


def message_of(error: Any) -> str:
    """What an error says, without the server's stack."""
    return str(getattr(error, "_message", None) or error)


class ConnectErrors:
    """See ``SparkErrors``."""

    # Workers got it when the session was opened.
    without_package = (
        "the server asks a Python of its own which state a stream keeps, and that one has no "
        "package notebook-udf: install it there, in the Python that PYSPARK_PYTHON names"
    )

    def folders(self) -> list[str]:
        """See ``SparkErrors``."""
        return []

    def translate(self, translation: Translation) -> Callable[[], None]:
        """See ``SparkErrors``."""
        return translating(
            core,
            lambda convert, *given, **named: _GrpcError(partial(convert, *given, **named)),
            translation,
        )

    def recognized(self, error: Any, raised: RaisedError) -> Any:
        """See ``SparkErrors``."""
        return error

    def raised(self, error: Any) -> Any:
        """See ``SparkErrors``."""
        return error

    def is_refusal(self, error: Any) -> bool:
        """See ``SparkErrors``."""
        known = isinstance(error, connect.SparkConnectGrpcException)
        return known and not isinstance(error, _NO_REFUSALS) and bool(error.getCondition())

    def message(self, error: Any) -> str:
        """See ``SparkErrors``."""
        return message_of(error)

    def stack(self, error: Any) -> str:
        """See ``SparkErrors``."""
        return str(getattr(error, "_stacktrace", None) or "")

    def query_of(self, context: Any, sent: Sequence[str]) -> str | None:
        """See ``SparkErrors``."""
        if not isinstance(context, connect.SQLQueryContext):
            return None
        # The context has the part that it points to, and not the text around it.
        span = slice(context.startIndex(), context.stopIndex() + 1)
        return next((text for text in sent if text[span] == context.fragment() != ""), None)

    def unparsed(self, error: Any, sent: Sequence[str]) -> str | None:
        """See ``SparkErrors``."""
        if not isinstance(error, connect.ParseException):
            return None
        # Spark's message quotes the whole text, with a line of dashes below the place.
        _, _, quoted = message_of(error).partition("\n== SQL ==\n")
        lines = quoted.splitlines()
        return next((text for text in sent if _quotes(lines, text)), None)


def _quotes(lines: list[str], text: str) -> bool:
    """Whether these lines are a text's, and one more that points into it."""
    remaining = iter(lines)
    return bool(text) and all(line in remaining for line in text.splitlines())
