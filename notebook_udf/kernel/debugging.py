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

        Parameters
        ----------
        name
            Name of a registered function.

        Returns
        -------
        DataFrame
            A row for each quarantined row: the arguments, then ``error``, ``message``,
            ``traceback`` and where the row stood.

        Raises
        ------
        KeyError
            If no such function is registered.

        Examples
        --------
        >>> @nu.register(on_error="quarantine")
        ... def whole(text: str) -> int:
        ...     return int(text)
        >>> rows = session.sql("SELECT whole(t) AS n FROM VALUES ('1'), ('two') AS v(t)").collect()
        >>> session.errors("whole").select("text", "error").collect()
        [Row(text='two', error='ValueError')]
        """
        return quarantined(cast("Session", self), self.functions[name])

    def replay(self, name: str, error: Any = None) -> Any:
        """Calls a function in the kernel with the row it failed on, for a debugger to stop in it.

        Parameters
        ----------
        name
            Name of the function, also of one of PySpark's own API.
        error
            An error of this package or its ``error_id``; the newest one by default.

        Returns
        -------
        object
            What the function returns, if it does not fail this time.

        Raises
        ------
        SessionError
            If the function has not failed, or the row's arguments could not be kept.

        Examples
        --------
        >>> @nu.register
        ... def inverse(x: int) -> float:
        ...     return 1 / x
        >>> session.sql("SELECT inverse(0)").collect()
        Traceback (most recent call last):
        notebook_udf.errors.UserFunctionError: ...
        >>> session.replay("inverse")
        Traceback (most recent call last):
        ZeroDivisionError: division by zero
        """
        __tracebackhide__ = True
        return replay(cast("Session", self), name, error)
