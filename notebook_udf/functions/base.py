"""The classes a user derives from to write a function with a beginning and an end.

Semantics: the Python UDF design, "User Defined Function", and PyFlink's Python API.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from notebook_udf.functions.context import FunctionContext


class UserDefinedFunction(ABC):  # noqa: B024
    """Base of all kinds of functions.

    One instance serves one task (or one worker and query, with ``open_scope="query"``); it never
    sees two rows at the same time.
    """

    def open(self, function_context: FunctionContext) -> None:  # noqa: B027
        """Called once before the first row, for connections, models and look-up tables."""

    def close(self) -> None:  # noqa: B027
        """Called once after the last row, also when a row failed or the query was cancelled."""

    def is_deterministic(self) -> bool:
        """Whether equal arguments always give equal results.

        Spark may call a deterministic function fewer or more times than there are rows.
        """
        return True


class ScalarFunction(UserDefinedFunction):
    """Maps the values of a row to one value."""

    @abstractmethod
    def eval(self, *args: Any) -> Any:
        """The result for one row (``func_type="general"``), or for a batch of rows: pandas
        Series in and out (``"pandas"``), or Arrow arrays (``"arrow"``)."""
