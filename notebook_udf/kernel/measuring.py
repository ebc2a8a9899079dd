"""What a session does to find out what a function costs: compares ways to run it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from notebook_udf.bench.model import Bench
    from notebook_udf.kernel.core import Session


def _nobody(words: str) -> None:
    """Hears how far a measurement is where nobody asked."""


class Measuring:
    """The part of a session that measures."""

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
        """Ways to run a function, measured in turn on the same rows, and their results compared.

        A general scalar function is run as it is, with ``vectorise=False`` if it runs as Arrow
        kernels, and inside a pandas and an Arrow function that call it per element; an aggregate
        also with ``compile=False`` if it runs as sums of Spark's own.

        Parameters
        ----------
        name
            Of a registered scalar, async, table or aggregate function.
        query
            Its arguments: a DataFrame, the name of a table, or a query. Columns are matched to
            the parameters by name, or by place where the names do not match and the count does.
        against
            Names of other registered functions, to be called with the same arguments.
        repeats
            How often each way runs; the median counts.
        rows
            How many of the rows to take, at most; by default so many that the slowest way takes
            about a second.
        progress
            Told in words what is being done.

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
        The rows are kept by Spark while it runs. Each run computes every result and keeps none.
        """
        from notebook_udf.kernel.benching import bench

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
