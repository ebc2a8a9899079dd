"""The session's methods that benchmark and profile functions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, cast

from pyspark.sql import DataFrame

if TYPE_CHECKING:
    from notebook_udf.bench.bench_result import Bench
    from notebook_udf.kernel.notebook_session import Session
    from notebook_udf.profile.profile_result import Profile


def _nobody(words: str) -> None:
    """Default progress callback; does nothing."""


class Measuring:
    """The part of a session that measures functions."""

    def bench(
        self,
        name: str,
        query: DataFrame | str,
        *,
        against: Sequence[str] | str = (),
        repeats: int = 5,
        rows: int | None = None,
        progress: Callable[[str], object] = _nobody,
    ) -> Bench:
        """Measures ways to run a function in turn on the same rows, and compares their results.

        A general scalar function is run as it is, and with ``vectorise=False`` if it runs as Arrow
        kernels. It is also run inside a pandas and an Arrow function that call it per element. An
        aggregate is also run with ``compile=False``, if it runs as sums or lists of Spark's own.

        Parameters
        ----------
        name
            Of a registered scalar, async, table or aggregate function.
        query
            A query that calls the function: it is measured with the arguments of the first call,
            an aggregate by the groups of the query. Or its arguments: a DataFrame, the name of a
            table, or a query; columns are matched to the parameters by name, or by position where
            only their number matches.
        against
            Names of other registered functions, to be called with the same arguments.
        repeats
            How often each way runs; the median counts.
        rows
            How many of the rows to take, at most; by default so many that the slowest way takes
            about a second.
        progress
            Called with a text that says what is being done.

        Returns
        -------
        Bench
            Seconds and rows per second of each way. Displays as a table.

        Raises
        ------
        DeclarationError
            If no such function is registered, or it is of another kind.
        PlanningError
            If there are no rows, or the columns do not match the parameters.
        UserFunctionError
            If the function fails on a row. A derived way that fails is shown as such.

        Notes
        -----
        Spark keeps the rows while this runs. Each run computes every result and keeps none.

        Examples
        --------
        >>> half = session.register_function("half", lambda x: x / 2, result_type="double")
        >>> bench = session.bench("half", "SELECT half(id) FROM range(1000)", repeats=1, rows=1000)
        >>> "as it is" in str(bench)
        True
        """
        from notebook_udf.kernel.measure.benchmark import bench

        names = (against,) if isinstance(against, str) else against
        return bench(
            cast("Session", self),
            name,
            query,
            against=names,
            repeats=repeats,
            rows=rows,
            progress=progress,
        )

    def profile(
        self,
        query: DataFrame | str | None = None,
        *,
        function: str | None = None,
        seconds: float = 10.0,
        progress: Callable[[str], object] = _nobody,
    ) -> Profile:
        """Where functions spend their time, by line, from stack samples of the running workers.

        A query is run (every row computed, none kept) and only its tasks are sampled; without a
        query, whatever runs for ``seconds``: streams, or another thread's queries.

        Parameters
        ----------
        query
            A DataFrame, the name of a table, or a query.
        function
            Only samples of that registered function.
        seconds
            How long to sample without a query; at most 3,600.
        progress
            Called with a text that says what is being done.

        Returns
        -------
        Profile
            Displays as a flame graph. ``to_pandas()`` has the lines, ``save(path)`` writes a
            page.

        Raises
        ------
        DeclarationError
            If no such function is registered.
        PlanningError
            If there are no such rows, or they are a stream's.

        Notes
        -----
        Workers sample themselves about every 5 ms while a profile runs, and not at all
        otherwise. Native code counts for the line that called it. Functions that
        run as Arrow kernels or as Spark's own sums have no lines, which the profile says.

        Examples
        --------
        >>> @nu.register
        ... def digits(n: int) -> int:
        ...     return sum(int(digit) for digit in str(n))
        >>> profile = session.profile("SELECT digits(id) FROM range(20000)")
        """
        from notebook_udf.kernel.measure.profile_run import profile_query, profile_window

        session = cast("Session", self)
        if query is None:
            return profile_window(session, seconds, function, progress)
        return profile_query(session, query, function, progress)
