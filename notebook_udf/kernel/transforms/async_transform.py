"""``nu.map_async``: columns of async calls, for ``DataFrame.transform``."""

from __future__ import annotations

from collections.abc import Callable

from pyspark.sql import Column, DataFrame

from notebook_udf.errors import PlanningError
from notebook_udf.planner.physical import async_


def map_async(**named_calls: Column) -> Callable[[DataFrame], DataFrame]:
    """Adds columns of async calls, all in flight side by side.

    Each row's calls are made once, whatever is done with the columns afterwards; later
    conditions on other columns are applied before the calls. If one of the functions is declared
    with ``output_mode="ALLOW_UNORDERED"`` rows leave as their calls end, in any order, and
    conditions are applied behind the calls.

    Parameters
    ----------
    **named_calls
        Calls of registered async functions on columns; each becomes a column of that name, in
        place of one that has it.

    Returns
    -------
    callable
        For ``df.transform``.

    Raises
    ------
    PlanningError
        If there are no calls, or one is no call of an async function.

    Notes
    -----
    Source: [FLIP-400][flip-400], "Disallowing Async functionality when not supported".

    Examples
    --------
    >>> @nu.register
    ... async def looked_up(x: int) -> int:
    ...     return x * x
    >>> spark.range(3).transform(nu.map_async(square=looked_up("id"))).collect()
    [Row(id=0, square=0), Row(id=1, square=1), Row(id=2, square=4)]
    """
    if not named_calls:
        raise PlanningError("nu.map_async needs at least one call, as in name=look_up('id')")
    calls = {}
    for name, call in named_calls.items():
        found = async_.awaited(call)
        if found is None:
            raise PlanningError(
                f"{name}={call!r} is no call of an async function on columns, as in "
                f"{name}=look_up('id'); other columns go into withColumn"
            )
        calls[name] = found

    def transform(rows: DataFrame) -> DataFrame:
        return async_.with_columns(rows, calls)

    return transform
