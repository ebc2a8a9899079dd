"""The part of a session for calls that failed: the quarantined rows, and the call repeated here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from notebook_udf.kernel.quarantined_rows import quarantined
from notebook_udf.kernel.replay import replay

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from notebook_udf.kernel.notebook_session import Session
    from notebook_udf.registry import Registry


class Debugging:
    """The part of a session for calls that failed."""

    functions: Registry

    def errors(self, name: str) -> DataFrame:
        """The quarantined rows of a function with ``on_error="quarantine"``, with their errors.

        Raises
        ------
        KeyError
            If no such function is registered.
        """
        return quarantined(cast("Session", self), self.functions[name])

    def replay(self, name: str, error: Any = None) -> Any:
        """Calls a function in the kernel with the row it failed on, for a debugger to stop in it.

        ``error`` is an error of this package or its ``error_id``; the newest one by default.

        Raises
        ------
        SessionError
            If the function has not failed, or the row's arguments could not be kept.
        """
        __tracebackhide__ = True
        return replay(cast("Session", self), name, error)
