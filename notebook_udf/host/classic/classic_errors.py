"""Errors of a classic session: exceptions of the JVM, which PySpark converts in one place."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

from py4j.protocol import Py4JJavaError
from pyspark.errors.exceptions import captured
from pyspark.sql import SparkSession

from notebook_udf.host.call_failures import answered
from notebook_udf.host.error_hook import translating
from notebook_udf.host.spark_errors import RaisedError, Translation
from notebook_udf.launch.confs import is_local

_MOST_CAUSES = 10
# Errors about the JVM or about a function.
_NO_REFUSALS = (captured.UnknownException, captured.PythonException)


class _JavaError:
    """See ``RaisedError``."""

    def __init__(self, java_exception: Any, convert: Callable[[Any], Any]) -> None:
        self.java_exception = java_exception
        self._convert = convert

    @cached_property
    def text(self) -> str:
        parts: list[str] = []
        cause = self.java_exception
        while cause is not None and len(parts) < _MOST_CAUSES:
            parts.append(str(cause.toString()))
            cause = cause.getCause()
        return "\n".join(parts)

    def converted(self) -> Any:
        return self._convert(self.java_exception)


class ClassicErrors:
    """See ``SparkErrors``."""

    without_package = (
        "the cluster's workers have no package notebook-udf: nu.session(master=…, ship=True) sends "
        "them the kernel's packages; or install it there, in the Python that PYSPARK_PYTHON names"
    )

    def __init__(self, spark: SparkSession) -> None:
        self._context: Any = spark.sparkContext

    def folders(self) -> list[str]:
        """See ``SparkErrors``."""
        if not is_local(self._context.master):
            return []
        # In Spark's order. Without either it is Java's folder for temporary files.
        said = os.environ.get("SPARK_LOCAL_DIRS") or self._context.getConf().get("spark.local.dir")
        return (said or "/tmp").split(",")

    def translate(self, translation: Translation) -> Callable[[], None]:
        """See ``SparkErrors``."""
        return translating(captured, lambda convert, error: _JavaError(error, convert), translation)

    def recognized(self, error: Any, raised: RaisedError) -> Any:
        """See ``SparkErrors``."""
        if not isinstance(error, captured.UnknownException) or not isinstance(raised, _JavaError):
            return error
        java_exception = raised.java_exception
        named = _Thrown(str(error._desc), java_exception)
        named.__dict__.update(vars(error), _origin=java_exception)
        named._desc = answered(java_exception.getMessage) or error._desc
        return named if answered(named.getCondition) else error

    def raised(self, error: Any) -> Any:
        """See ``SparkErrors``."""
        # PySpark raises Py4J's exception on, which is being handled, where it has no class itself.
        handled = sys.exception()
        unknown = isinstance(error, captured.UnknownException)
        return handled if unknown and isinstance(handled, Py4JJavaError) else error

    def is_refusal(self, error: Any) -> bool:
        """See ``SparkErrors``."""
        return isinstance(error, captured.CapturedException) and not isinstance(error, _NO_REFUSALS)

    def message(self, error: Any) -> str:
        """See ``SparkErrors``."""
        return str(getattr(error, "_desc", None) or error)

    def stack(self, error: Any) -> str:
        """See ``SparkErrors``."""
        return str(getattr(error, "_stackTrace", ""))

    def query_of(self, context: Any, sent: Sequence[str]) -> str | None:
        """See ``SparkErrors``."""
        if not isinstance(context, captured.SQLQueryContext):
            return None
        text = context._q.sqlText()
        return str(text.get()) if text.isDefined() else None

    def unparsed(self, error: Any, sent: Sequence[str]) -> str | None:
        """See ``SparkErrors``."""
        if not isinstance(error, captured.ParseException):
            return None
        command = error._origin.command()
        return str(command.get()) if command.isDefined() else None


class _Thrown(Py4JJavaError, captured.CapturedException):  # type: ignore[misc]
    """An error that Spark has a condition for and PySpark no class; still what PySpark raises."""

    __str__ = captured.CapturedException.__str__


_Thrown.__name__ = _Thrown.__qualname__ = Py4JJavaError.__name__
_Thrown.__module__ = Py4JJavaError.__module__
